"""Money by period: what flows in and out, and the running total."""

import attrs

from isocost.reports import numbers
from isocost.reports.charts.plot import (
    BAD,
    GOOD,
    INK,
    Axis,
    Box,
    Dot,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
)
from isocost.reports.charts.scale import nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class CashFlow(Scene):
    """Flows by period and their sum so far.

    Args:
        periods: names, one a flow (`2025`, `Q1`).
        flows: net flow of each period.
        title: what is measured, with its unit.
        payback: the label at the period in which the sum turns positive.
    """

    periods: tuple[str, ...]
    flows: tuple[float, ...]
    title: str
    money: str = "$"
    payback: str = "paid back"


@lays_out(CashFlow)
def plot(scene: CashFlow) -> Plot:
    """Lay out bars for the flows and a line for their sum."""
    running: list[float] = []
    for flow in scene.flows:
        running.append((running[-1] if running else 0.0) + flow)
    low, high = nice_range(
        min(0.0, *scene.flows, *running), max(0.0, *scene.flows, *running)
    )
    pad = (high - low) * 0.06
    marks: list[Mark] = []
    for i, flow in enumerate(scene.flows):
        marks.append(Box(i + 0.2, 0, i + 0.8, flow, GOOD if flow >= 0 else BAD))
        text = numbers.signed(numbers.money(flow, scene.money, 2))
        below = flow < 0
        marks.append(
            Label(i + 0.5, flow, text, 0, -8 if below else 7, "center", 6.6, 500,
                  BAD if below else GOOD, priority=2)
        )  # fmt: skip
    marks.append(Line(((0, 0), (len(scene.flows), 0)), INK, 0.8))
    marks.append(Line(tuple((i + 0.5, v) for i, v in enumerate(running)), INK, 1.4))
    marks += [Dot(i + 0.5, v, INK, 2.2) for i, v in enumerate(running)]
    turn = next(
        (i for i in range(1, len(running)) if running[i - 1] < 0 <= running[i]), None
    )
    if turn is not None:
        marks.append(
            Label(
                turn + 0.5,
                running[turn],
                scene.payback,
                0,
                10,
                "center",
                7,
                600,
                INK,
                priority=1,
            )
        )
    keys = (
        Key("inflow (+)", GOOD),
        Key("outflow (−)", BAD),
        Key("sum so far", INK, "line"),
    )
    ticks = tuple(Tick(i + 0.5, p) for i, p in enumerate(scene.periods))
    return Plot(
        scene.width,
        scene.height or scene.width * 0.42,
        Axis(0, len(scene.flows), band=True, ticks=ticks, grid=False),
        Axis(low - pad, high + pad, scene.title, money=scene.money),
        tuple(marks),
        keys,
    )
