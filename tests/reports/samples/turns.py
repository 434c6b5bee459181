"""Charts of what would turn an answer, and of time: maps, curves, bars, cash."""

# ruff: noqa: E501 - mostly prose

from isocost.reports.charts import HALF
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.charts.cashflow import CashFlow
from isocost.reports.charts.heatmap import Contour, HeatMap, Pin
from isocost.reports.charts.lines import Crossing, Curve, Lines


def _map() -> HeatMap:
    xs = tuple(0.3 + 0.025 * i for i in range(21))
    ys = tuple(6000.0 + 500 * i for i in range(19))
    values = tuple(
        tuple((0.08 + 0.000045 * y * 0.55) / (x / 0.55) - 0.40 for x in xs) for y in ys
    )
    return HeatMap(
        xs, ys, values,
        "Share of the memory roofline reached in decode",
        "Price of a Trainium2 chip",
        "Trn2-Ultra less GB200, $ per million tokens",
        centre=0.0, contours=(Contour(0.0, "break-even"),),
        pins=(Pin(0.55, 11000, "base case"),), y_money="$",
    )  # fmt: skip


HEATMAP = _map()

BREAKEVEN = Lines(
    (
        Curve(
            "Trn2-Ultra",
            tuple(
                (x, 0.412 * (0.55 / x) ** 0.82)
                for x in [0.3 + 0.02 * i for i in range(26)]
            ),
            tuple(
                0.33 * (0.55 / x) ** 0.82 for x in [0.3 + 0.02 * i for i in range(26)]
            ),
            tuple(
                0.51 * (0.55 / x) ** 0.82 for x in [0.3 + 0.02 * i for i in range(26)]
            ),
        ),
        Curve("H100, own", ((0.3, 0.523), (0.8, 0.523))),
        Curve("GB200, rent", ((0.3, 0.347), (0.8, 0.347)), dashed=True),
    ),
    "Share of the memory roofline that Trn2-Ultra reaches in decode",
    "Cost, $ per million output tokens",
    (Crossing(0.412, 0.523, "41%"), Crossing(0.678, 0.347, "68%")),
    y_money="$",
)

RAMP = Lines(
    (
        Curve(
            "wafers", tuple(enumerate((3.1, 6.4, 9.8, 13.0, 14.2, 14.6))), steps=True
        ),
        Curve(
            "cap",
            tuple(enumerate((8.0, 8.0, 12.0, 12.0, 16.0, 16.0))),
            steps=True,
            dashed=True,
        ),
    ),
    "",
    "Thousand wafers a quarter",
    names=("25Q1", "25Q2", "25Q3", "25Q4", "26Q1", "26Q2"),
    width=HALF,
    height=150,
)

BARS = Bars(
    (
        Group("Trn2 (16 chips)", (1.21, 0.42)),
        Group("Trn2-Ultra (64)", (0.98, 0.31)),
        Group("H100 (8), rail-optimised", (3.62, 1.94)),
        Group("GB200 NVL72", (5.37, 2.11)),
    ),
    "Network cost per chip, thousand $",
    ("All network", "Scale-out optics"),
)

FOCUS = Bars(
    (
        Group("Trn2-Ultra", (186,)), Group("NVL72", (576,)), Group("H100 server", (26.8,)),
        Group("TPU v6e pod", (420,)),
    ),
    "HBM bandwidth of a scale-up domain, TB/s",
    focus="Trn2-Ultra",
    width=HALF,
)  # fmt: skip

CASH = CashFlow(
    ("2025", "2026", "2027", "2028", "2029", "2030"),
    (-182e6, 31e6, 58e6, 61e6, 55e6, 38e6),
    "Cash flow, $",
)
