"""Racks drawn in a row: what a rack holds, and how many of them there are."""

from typing import ClassVar

import attrs

from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    PANEL,
    PAPER,
    RULE,
    Axis,
    Box,
    Label,
    Mark,
    Plot,
    Weight,
    series,
    tint,
)
from isocost.reports.charts.scene import FULL, Scene, lays_out
from isocost.reports.charts.tiers import gap_marks, row


@attrs.frozen
class Racks(Scene):
    """Racks of systems, and racks of switches beside them.

    Args:
        racks: with systems in them.
        systems: in one rack; below 1 a system takes several racks.
        trays: servers of one system.
        switches: at the top of a rack.
        others: racks of switches (spines and above).
        words: lines that say what the drawing counts.
    """

    ELASTIC: ClassVar[bool] = False

    racks: int
    systems: float
    words: tuple[str, ...]
    trays: int = 1
    switches: int = 0
    others: int = 0


SLOTS, LEAST = 12, 5
MOST_TRAYS, MOST_SWITCHES, MOST_OTHERS = 18, 4, 2
SIZE = 7.0


@lays_out(Racks)
def plot_racks(scene: Racks) -> Plot:
    """Lay out racks: outlines, switches on top, trays below."""
    right = max(text_width(text, SIZE, 500) for text in scene.words) + 14
    slots = max(LEAST, round(SLOTS * (scene.width - right) / (FULL - 120)))
    others = min(scene.others, MOST_OTHERS)
    places, gap = row(scene.racks, slots - others)
    share = (slots - others) / slots if others else 1.0
    places = [x * share for x in places]
    wide = min(0.075, 0.8 / slots)
    marks: list[Mark] = []
    for x in places:
        marks += _rack(x, wide, scene)
    if gap is not None:
        marks += gap_marks(gap * share, 0.5, scene.width - right)
    for k in range(others):
        marks += _switch_rack(share + (k + 0.6) / slots, wide)
    top = 0.5 + 0.13 * (len(scene.words) - 1) / 2
    for index, text in enumerate(scene.words):
        weight: Weight = 400 if index else 500
        colour = MUTED if index else INK
        y = top - 0.13 * index
        marks.append(
            Label(1.0, y, text, 10, 0, "left", SIZE, weight, colour, free=False)
        )
    across, up = Axis(0, 1, show=False), Axis(-0.03, 1.05, show=False)
    high = scene.height or 100.0
    return Plot(scene.width, high, across, up, tuple(marks), right=right)


def _outline(x: float, wide: float) -> Mark:
    return Box(x - wide / 2, 0, x + wide / 2, 1, PANEL, outline=RULE)


def _rack(x: float, wide: float, scene: Racks) -> list[Mark]:
    """One rack: its switches, then the trays of its systems, told apart by shade."""
    marks = [_outline(x, wide)]
    left, right = x - 0.42 * wide, x + 0.42 * wide
    for k in range(min(scene.switches, MOST_SWITCHES)):
        y = 0.97 - 0.05 * k
        marks.append(Box(left, y - 0.035, right, y, series(0)))
    ceiling = 0.96 - 0.05 * min(scene.switches, MOST_SWITCHES)
    whole = max(1, round(scene.systems))
    number = max(1, round(scene.trays * scene.systems))
    drawn = min(number, MOST_TRAYS)
    step = (ceiling - 0.03) / max(drawn, 4)
    for k in range(drawn):
        system = k * whole // drawn
        y = ceiling - step * (k + 1)
        shade = tint(INK, 0.75 if system % 2 else 0.5)
        marks.append(Box(left, y + 0.18 * step, right, y + step, shade, outline=PAPER))
    return marks


def _switch_rack(x: float, wide: float) -> list[Mark]:
    """A rack of nothing but switches."""
    left, right = x - 0.42 * wide, x + 0.42 * wide
    return [
        _outline(x, wide),
        *(Box(left, 0.05 + 0.115 * k, right, 0.13 + 0.115 * k, series(0))
          for k in range(8)),
    ]  # fmt: skip
