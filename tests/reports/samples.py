"""Charts and a report with figures as a study would have them; the numbers are made up.

Imported by path (see conftest.py) and run as a program by the test of byte identity:
`python samples.py OUT.pdf`.
"""

import datetime
import math
import random
import sys
from pathlib import Path

from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts import HALF, Scene
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.charts.cashflow import CashFlow
from isocost.reports.charts.frontier import Frontier, Limit, Option, Spot
from isocost.reports.charts.heatmap import Contour, HeatMap, Pin
from isocost.reports.charts.intervals import Estimate, Intervals
from isocost.reports.charts.lines import Crossing, Curve, Lines
from isocost.reports.charts.roofline import Ceiling, Roof, Roofline, Workload
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.charts.topology import Ring, Switched, Torus
from isocost.reports.charts.tornado import Swing, Tornado
from isocost.reports.charts.violin import Violin, shape_of
from isocost.reports.charts.waterfall import Step, Waterfall

DATE = datetime.date(2026, 1, 15)

ROOFLINE = Roofline(
    (
        Roof("Trainium2", 2.9e12, (Ceiling("FP8", 1299e12), Ceiling("BF16", 667e12))),
        Roof("H100", 3.35e12, (Ceiling("FP8", 1979e12), Ceiling("BF16", 989e12))),
        Roof("GB200", 8e12, (Ceiling("FP8", 5000e12), Ceiling("BF16", 2500e12))),
    ),
    (
        Workload("405B decode, batch 1", 1.9, "Trainium2"),
        Workload("70B decode, batch 64", 96, "Trainium2", 1.6e14),
        Workload("MoE decode, batch 256", 41, "GB200", 2.2e14),
        Workload("405B prefill, 8k", 1900, "Trainium2", 4.5e14),
        Workload("405B prefill, 8k", 1900, "GB200", 1.9e15),
        Workload("70B decode, batch 64", 96, "H100", 2.3e14),
    ),
)

TORUS_4X4 = Torus((Ring("x", 4, "128 GB/s"), Ring("y", 4, "128 GB/s")))
TORUS_4X4X4 = Torus(
    (Ring("x", 4, "128 GB/s"), Ring("y", 4, "128 GB/s"), Ring("z", 4, "64 GB/s"))
)
NVL72 = Switched(72, 18, "GPUs", "NVLink switches", "900 GB/s each GPU")


def _option(name: str, scale: float, floor: float, seed: int) -> Option:
    """Configurations of one platform: batch and parallelism spread them out."""
    draw = random.Random(seed)
    spots = []
    for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        for tp in (8, 16, 32):
            latency = floor * (1 + batch / 44) * (0.8 + 8 / tp * 0.5) * draw.uniform(0.98, 1.2)
            rate = scale * batch / latency / tp * 8 * (0.7 + 0.3 / math.log2(tp))
            label = f"TP{tp}, batch {batch}" if (batch, tp) in {(64, 16), (256, 8)} else ""
            spots.append(Spot(latency, rate, label))
    return Option(name, tuple(spots))


FRONTIER = Frontier(
    (
        _option("Trn2-Ultra", 210, 14, 1),
        _option("H100", 260, 11, 2),
        _option("GB200", 560, 8, 3),
    ),
    "Time per output token, ms",
    "Output tokens per second and chip",
    limits=(Limit(50, "SLO 50 ms"),),
)

COST = Stacked(
    ("Chips and servers", "Scale-up network", "Scale-out network", "Facility", "Energy", "Staff"),
    (
        Stack("Trn2 (16 chips)", (0.512, 0.031, 0.097, 0.101, 0.062, 0.041), "$0.844", 0.71, 1.0),
        Stack("Trn2-Ultra (64)", (0.538, 0.066, 0.058, 0.094, 0.058, 0.041), "$0.855", 0.72, 1.01),
        Stack("H100 (8)", (0.902, 0.021, 0.121, 0.139, 0.089, 0.043), "$1.32", 1.24, 1.39),
        Stack("GB200 NVL72", (1.561, 0.104, 0.189, 0.212, 0.141, 0.052), "$2.26", 2.1, 2.46),
    ),
    "Cost of ownership, $ per chip-hour",
    money="$",
)

STEP = Stacked(
    ("Matrix", "Attention", "HBM", "All-to-all", "Host"),
    (
        Stack("Trn2-Ultra", (5.1, 2.4, 11.2, 6.1, 1.6), "26.4 ms"),
        Stack("H100", (3.2, 1.6, 9.7, 8.9, 0.9), "24.3 ms"),
        Stack("GB200", (1.4, 0.8, 4.1, 2.2, 0.8), "9.3 ms"),
    ),
    "Decode step, ms",
    upright=True,
    width=HALF,
    height=190,
)

TORNADO = Tornado(
    0.412,
    (
        Swing("Trainium2 chip price", 0.334, 0.517, "$8.2k", "$14.5k"),
        Swing("Share of the memory roofline reached in decode", 0.498, 0.357, "42%", "65%"),
        Swing("Server life", 0.467, 0.377, "4 years", "6 years"),
        Swing("Load (mean over peak)", 0.455, 0.383, "45%", "60%"),
        Swing("Cost of capital", 0.389, 0.437, "8%", "12%"),
        Swing("Electricity", 0.401, 0.424, "0.05 $/kWh", "0.09 $/kWh"),
        Swing("PUE", 0.409, 0.4165, "1.08", "1.2"),
        Swing("Failure rate", 0.4105, 0.414, "2%/year", "9%/year"),
    ),
    "cost of a million output tokens, $",
    money="$",
)

WATERFALL = Waterfall(
    0.527,
    (
        Step("Chip price", -0.061),
        Step("64-chip domain", -0.048),
        Step("Energy", -0.012),
        Step("Software", 0.023),
        Step("Network", -0.009),
        Step("Auto: TP 32 → 16", -0.008),
    ),
    "Cost, $ per million output tokens",
    "Trn2",
    "Trn2-Ultra",
    money="$",
)

INTERVALS = Intervals(
    (
        Estimate("Trn2-Ultra, 70B dense", 0.155, 0.118, 0.204, "$0.118–0.204", 0),
        Estimate("H100, 70B dense", 0.171, 0.152, 0.193, "$0.152–0.193", 1, 0.166),
        Estimate("GB200, 70B dense", 0.104, 0.089, 0.121, "$0.089–0.121", 2, 0.109),
        Estimate("Trn2-Ultra, 671B MoE", 0.412, 0.26, 0.66, "$0.26–0.66", 0),
        Estimate("H100, 671B MoE", 0.523, 0.44, 0.63, "$0.44–0.63", 1),
        Estimate("GB200, 671B MoE", 0.241, 0.20, 0.29, "$0.20–0.29", 2, 0.226),
    ),
    "Cost, $ per million output tokens",
    ("Trn2-Ultra", "H100", "GB200"),
    (0.3, "product plan $0.30"),
    money="$",
)


def _violin() -> Violin:
    draw = random.Random(7)
    rows = []
    for name, mid, sd in (
        ("Trn2-Ultra", 0.41, 0.28), ("H100", 0.52, 0.11), ("GB200", 0.24, 0.11),
    ):  # fmt: skip
        draws = [mid * math.exp(draw.gauss(0, sd)) for _ in range(4000)]
        shape = shape_of(name, draws)
        rows.append(v.attrs.evolve(shape, text=f"P95 {n.money(shape.high)}"))
    return Violin(tuple(rows), "Cost, $ per million output tokens", money="$")


VIOLIN = _violin()


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
            tuple((x, 0.412 * (0.55 / x) ** 0.82) for x in [0.3 + 0.02 * i for i in range(26)]),
            tuple(0.33 * (0.55 / x) ** 0.82 for x in [0.3 + 0.02 * i for i in range(26)]),
            tuple(0.51 * (0.55 / x) ** 0.82 for x in [0.3 + 0.02 * i for i in range(26)]),
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
        Curve("wafers", tuple(enumerate((3.1, 6.4, 9.8, 13.0, 14.2, 14.6))), steps=True),
        Curve("cap", tuple(enumerate((8.0, 8.0, 12.0, 12.0, 16.0, 16.0))), steps=True, dashed=True),
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

SCENES: dict[str, Scene] = {
    "roofline": ROOFLINE,
    "torus_4x4": TORUS_4X4,
    "torus_4x4x4": TORUS_4X4X4,
    "switched": NVL72,
    "frontier": FRONTIER,
    "stacked": COST,
    "stacked_upright": STEP,
    "tornado": TORNADO,
    "waterfall": WATERFALL,
    "intervals": INTERVALS,
    "violin": VIOLIN,
    "heatmap": HEATMAP,
    "lines": BREAKEVEN,
    "lines_steps": RAMP,
    "bars": BARS,
    "bars_focus": FOCUS,
    "cashflow": CASH,
}
