"""Charts of money: stacks, swings, steps, intervals."""

import math
import random

import attrs

from isocost.reports import numbers as n
from isocost.reports.charts import HALF
from isocost.reports.charts.intervals import Estimate, Intervals
from isocost.reports.charts.sankey import Flow, Sankey
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.charts.tornado import Swing, Tornado
from isocost.reports.charts.violin import Violin, shape_of
from isocost.reports.charts.waterfall import Step, Waterfall

COST = Stacked(
    (
        "Chips and servers",
        "Scale-up network",
        "Scale-out network",
        "Facility",
        "Energy",
        "Staff",
    ),
    (
        Stack(
            "Trn2 (16 chips)",
            (0.512, 0.031, 0.097, 0.101, 0.062, 0.041),
            "$0.844",
            0.71,
            1.0,
        ),
        Stack(
            "Trn2-Ultra (64)",
            (0.538, 0.066, 0.058, 0.094, 0.058, 0.041),
            "$0.855",
            0.72,
            1.01,
        ),
        Stack(
            "H100 (8)", (0.902, 0.021, 0.121, 0.139, 0.089, 0.043), "$1.32", 1.24, 1.39
        ),
        Stack(
            "GB200 NVL72",
            (1.561, 0.104, 0.189, 0.212, 0.141, 0.052),
            "$2.26",
            2.1,
            2.46,
        ),
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
        Swing(
            "Share of the memory roofline reached in decode", 0.498, 0.357, "42%", "65%"
        ),
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

SANKEY = Sankey(
    (
        (
            "Systems",
            "Network",
            "Storage",
            "Colocation",
            "Energy",
            "Staff",
        ),
        ("Capital", "Running"),
        ("Hours sold", "Hours unsold"),
    ),
    (
        Flow("Systems", "Capital", 0.236),
        Flow("Network", "Capital", 0.068),
        Flow("Storage", "Capital", 0.012),
        Flow("Colocation", "Running", 0.138),
        Flow("Energy", "Running", 0.071),
        Flow("Staff", "Running", 0.031),
        Flow("Capital", "Hours sold", 0.191),
        Flow("Capital", "Hours unsold", 0.125),
        Flow("Running", "Hours sold", 0.145),
        Flow("Running", "Hours unsold", 0.095),
    ),
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
        rows.append(attrs.evolve(shape, text=f"P95 {n.money(shape.high)}"))
    return Violin(tuple(rows), "Cost, $ per million output tokens", money="$")


VIOLIN = _violin()
