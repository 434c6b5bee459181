"""Documents as text, evaluated; derivatives of users' formulas cached apart."""

import textwrap
from collections.abc import Callable, Iterator

import pytest

from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.engine.sampling import DRAWS

Evaluated = Callable[..., Evaluation]


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor fill the cache of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


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
