"""Predicted against measured, both logarithmic, with the line on which they agree."""

import attrs

from isocost.reports.charts.plot import MUTED, Axis, Dot, Key, Line, Mark, Plot, series
from isocost.reports.charts.scale import log_range
from isocost.reports.charts.scene import Scene, lays_out

#: What a prediction may be off by inside the dashed lines.
BAND = 0.25
_INSIDE, _OUTSIDE = 0, 1


@attrs.frozen
class Pair:
    """A measurement and its prediction; whether its 90% interval held."""

    measured: float
    predicted: float
    inside: bool


@attrs.frozen
class Agreement(Scene):
    """Predictions of one metric against what was measured.

    Args:
        pairs: Values above 0, in `unit`.
        unit: Of both axes.
    """

    pairs: tuple[Pair, ...]
    unit: str


@lays_out(Agreement)
def plot(scene: Agreement) -> Plot:
    """Lay out the points: those outside their interval as triangles, on top."""
    values = [x for pair in scene.pairs for x in (pair.measured, pair.predicted)]
    low, high = log_range(min(values) * 0.9, max(values) * 1.1)
    marks: list[Mark] = [Line(((low, low), (high, high)), MUTED, 1.0)]
    for factor in (1 + BAND, 1 / (1 + BAND)):
        ends = (max(low, low / factor), min(high, high / factor))
        points = tuple((x, x * factor) for x in ends)
        marks.append(Line(points, MUTED, 0.7, (2.5, 2)))
    order = sorted(scene.pairs, key=lambda pair: not pair.inside)
    marks += [
        Dot(pair.measured, pair.predicted, series(_INSIDE), 1.8)
        if pair.inside
        else Dot(pair.measured, pair.predicted, series(_OUTSIDE), 2.4, "triangle")
        for pair in order
    ]
    keys = (
        Key("inside its 90% interval", series(_INSIDE), "dot"),
        Key("outside", series(_OUTSIDE), "triangle"),
        Key("predicted is measured", MUTED, "line"),
        Key(f"{BAND:.0%} off", MUTED, "dash"),
    )
    return Plot(
        scene.width,
        scene.height or scene.width * 0.56,
        Axis(low, high, f"Measured, {scene.unit}", log=True),
        Axis(low, high, f"Predicted, {scene.unit}", log=True),
        tuple(marks),
        keys,
    )
