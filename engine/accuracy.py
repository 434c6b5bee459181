"""How far the formulas were off on open measurements that their fit had not seen.

`tools/accuracy.py` computes the figures and keeps them in `kept/accuracy.json`; a
report prints them beside the formulas.
"""

import functools
import json
from importlib.resources import files

import attrs

KEPT = "kept/accuracy.json"


@attrs.frozen
class Line:
    """Errors of one family of measurements under one way to leave rows out.

    `mean` is the mean over rows of |ln(predicted / measured)|, `median` the median
    over series of the series' medians of it; `coverage` is the share of 90% intervals
    that held, `half_width` the median half-width of ln, `score` the mean interval
    score of ln (full width, and 20 times what an error is beyond it; smaller is
    better). `intervals` is `nested` where widths were set without the fold they are
    judged on, `shipped` where they are those that ship. `brief` lines are those a
    report prints.
    """

    family: str
    left_out: str
    rows: int
    series: int
    mean: float
    median: float
    coverage: float
    half_width: float
    score: float
    intervals: str
    brief: bool


@functools.cache
def kept() -> tuple[Line, ...]:
    """The lines that ship; none where the file is missing."""
    place = files("isocost.engine").joinpath(*KEPT.split("/"))
    if not place.is_file():
        return ()
    found = json.loads(place.read_text(encoding="utf-8"))
    return tuple(Line(**one) for one in found["lines"])
