"""Pages that a copy of the process painted are those that it paints itself."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pydyf
import pytest

from isocost.reports import painting

HERE = Path(__file__).parent
#: Every page that a copy can paint is taken from it, and counted.
SCRIPT = """
import sys
from pathlib import Path
import samples
from isocost.engine import program
from isocost.reports import painting
from isocost.reports.pdf import render_pdf

here = {here}
program.cores = lambda: 1 if here else 2
painting.LEAST = painting.LEAD + 2
painting.Parts.ready = lambda self: True
painting.{broken}
taken = []
before = painting._repeated
def repeated(*args):
    taken.append(before(*args))
    return taken[-1]
painting._repeated = repeated
made = render_pdf(samples.report(), date=samples.DATE)
Path(sys.argv[1]).write_bytes(made)
print(len(taken), sum(taken))
"""


def painted(out: Path, *, here: bool = False, broken: str = "LEAD = 3") -> list[int]:
    """Write the sample report; how many pages a copy painted, and how many did."""
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(here=here, broken=broken), str(out)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    assert not ran.stderr
    return [int(word) for word in ran.stdout.split()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("painting") / "whole.pdf"
    assert painted(out, here=True) == [0, 0]
    return out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs copies of a process")
def test_the_file_is_the_same(tmp_path: Path, whole: Path) -> None:
    offered, taken = painted(tmp_path / "both.pdf")
    assert offered > 1
    assert taken > offered / 2
    assert (tmp_path / "both.pdf").read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs copies of a process")
@pytest.mark.parametrize(
    "broken",
    [
        "ENGINE = 1",
        "_told = lambda *_: 1 / 0",
        "_repeated = lambda *_: False",
        "_line = lambda _: __import__('os')._exit(9)",
    ],
)
def test_what_does_not_fit_is_painted_here(
    tmp_path: Path, whole: Path, broken: str
) -> None:
    _, taken = painted(tmp_path / "here.pdf", broken=broken)
    assert taken == 0
    assert (tmp_path / "here.pdf").read_bytes() == whole.read_bytes()


def _resources(**kinds: Any) -> dict[str, Any]:
    known = ("ExtGState", "XObject", "Pattern", "Shading")
    return {kind: kinds.get(kind, {}) for kind in known}


def test_operators_are_told_with_what_they_draw_on() -> None:
    inner = pydyf.Stream(
        [b"0 0 1 1 re", "/Span"],
        {"Resources": _resources(), "BBox": pydyf.Array([0, 0, 9, 9])},
    )
    opacity = {"a0.5": pydyf.Dictionary({"ca": 0.5})}
    told = painting._told(
        [b"q", b"/x0 Do", pydyf.Dictionary({"MCID": 0}), b"Q"],
        _resources(XObject={"x0": inner}, ExtGState=opacity),
    )
    assert told.operators == (b"q", 0, b"<</MCID 0>>\nQ")
    assert told.opacities == {"a0.5": {"ca": 0.5}}
    assert told.inside[0].operators == (b"0 0 1 1 re\n/Span",)
    assert told.inside[0].box == (0, 0, 9, 9)


@pytest.mark.parametrize(
    "unlike",
    [{"Pattern": {"p0": 1}}, {"Shading": {"s0": 1}}, {"ExtGState": {"s0": {}}}],
)
def test_what_cannot_be_told_is_left(unlike: dict[str, Any]) -> None:
    with pytest.raises(painting.UnlikeError):
        painting._told([], _resources(**unlike))
