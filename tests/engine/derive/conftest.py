"""A scenario file as text, and its figures."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.dsl.check import check
from isocost.dsl.diagnostics import failed
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

# Makes `tests.engine.derive` importable: pytest imports tests by path.
sys.path.append(str(Path(__file__).parents[3]))

#: Files of the catalogue by a word that asks for them.
FILES = {
    "trn2": "systems/trn2",
    "inf2": "systems/trn1",
    "hgx_": "systems/gpu",
    "mi300x": "systems/amd",
    "tpu_": "systems/tpu",
    "quantum2": "parts/network",
    "llama3": "models/llama",
}
Evaluate = Callable[[str], Evaluation]


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Check and open a document; the catalogue's files that it names are imported."""

    def opened(text: str) -> Evaluation:
        path = tmp_path / "case.scn"
        wanted = [f'import "isocost:{f}"' for word, f in FILES.items() if word in text]
        head = "\n".join(["edition 2026", *wanted, ""])
        path.write_text(head + text, encoding="utf-8")
        checked = check(resolve(load(str(path))), table())
        assert not failed(checked.diagnostics), checked.diagnostics
        return Evaluation(checked, 512)

    return opened
