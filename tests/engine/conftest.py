"""Documents as text, evaluated."""

import textwrap
from collections.abc import Callable

import pytest

from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.engine.sampling import DRAWS

Evaluated = Callable[..., Evaluation]


@pytest.fixture
def evaluated() -> Evaluated:
    """A document's text as its evaluation; mistakes in it fail the test."""

    def run(text: str, count: int = DRAWS) -> Evaluation:
        body = "edition 2026\n" + textwrap.dedent(text)
        checked = check_file("made.scn", table(), body)
        errors = [d for d in checked.diagnostics if d.severity == "error"]
        assert not errors
        return Evaluation(checked, count)

    return run
