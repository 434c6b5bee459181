"""Charts and a report with figures as a study would have them; the numbers are made up.

Imported by path (see conftest.py) and run as a program by the test of byte identity:
`python samples.py OUT.pdf`.
"""

# ruff: noqa: E501, ISC004, RUF005 - mostly prose

import datetime as dt
import math
import random
import sys
from pathlib import Path

import attrs

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

DATE = dt.date(2026, 1, 15)

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
            latency = (
                floor
                * (1 + batch / 44)
                * (0.8 + 8 / tp * 0.5)
                * draw.uniform(0.98, 1.2)
            )
            rate = scale * batch / latency / tp * 8 * (0.7 + 0.3 / math.log2(tp))
            label = (
                f"TP{tp}, batch {batch}" if (batch, tp) in {(256, 8), (16, 8)} else ""
            )
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


# The report ---------------------------------------------------------------------

SCENARIO = """\
edition 2026
import "isocost:chips/aws"

/// 671B mixture of experts, served within 50 ms a token
scenario trn2_ultra {
  system = trn2_ultra
  workload = moe_serving
  finance.price[trn2_ultra] = 680k $ to 1.1M $ @assumed "bottom-up, see the silicon section"
  site.electricity = 0.07 $/kWh @assumed "Indiana, industrial"
}
"""


def _cover() -> v.Cover:
    return v.Cover(
        "Trainium2 serves mixtures of experts at $0.41 a million tokens",
        "Infrastructure economics · Trainium2 study",
        "A fifth below an H100 and 1.7 times a GB200: the price of the chip, not its"
        " network, decides. Against GB200 it must reach 68% of its memory roofline.",
        (
            v.KeyFigure("$0.412", "per million output tokens, 671B MoE on Trn2-Ultra",
                        interval="90% interval $0.26–0.66", change="−21.2% vs H100", tone="good"),
            v.KeyFigure("$0.855", "per chip-hour, owned over five years",
                        interval="$0.72–1.01", key="tab-tco"),
            v.KeyFigure("68%", "of the roofline at which Trn2-Ultra equals GB200",
                        interval="54–83%", key="fig-breakeven"),
            v.KeyFigure("$980", "of network per chip, 18% of GB200’s", interval="$790–1 210"),
        ),
        (
            v.Takeaway("Trainium2 is cheap per hour, not per token.",
                       ("An hour costs 38% of a GB200’s, yet a chip yields 22% of its tokens"
                        " within the same 50 ms (", v.Ref("fig-frontier"), ").")),
            v.Takeaway("Three inputs carry 81% of the doubt:",
                       ("chip price, the share of the roofline reached in decode, and server"
                        " life (", v.Ref("fig-tornado"), ").")),
            v.Takeaway("The torus costs little and binds early.",
                       "The z axis, at half the bandwidth, sets the pace of every all-to-all"
                       " beyond 16 chips."),
            v.Takeaway("Nobody has measured a mixture of experts on it.",
                       "Only five public rows exist, all dense; the verdict is therefore a"
                       " break-even and not a forecast."),
        ),
        (
            v.BoxLine("Scenario", "trn2_ultra against h100, gb200"),
            v.BoxLine("Workload", "671B MoE, 8k in, 1k out"),
            v.BoxLine("Price book", "own, hyperscaler, 5 years"),
            v.BoxLine("Engine", "Isocost 0.1.0, edition 2026"),
            v.BoxLine("Draws", "20 000, stratified"),
            v.BoxLine("Inputs", "sha256 3f9b 1a2e 77c0"),
        ),
        "Not investment advice. Figures marked D are assumptions of this study; each is listed"
        " with its reasoning in the appendix.",
    )  # fmt: skip


def _scope() -> v.Section:
    return v.Section(
        "Scope and options",
        (
            v.Paragraph(
                "We ask what a million output tokens of a 671B mixture of experts cost on"
                " Trainium2 when it is bought, housed and run as a hyperscaler would, and how"
                " sure one may be.", lead=True,
            ),
            v.Paragraph((
                "Three systems are compared at equal service: at most 50 ms per output token at"
                " the median and 2 s to the first. ", v.Strong("Trn2-Ultra"),
                " joins 64 chips in a 4×4×4 torus", v.Footnote("AWS sells it as an UltraServer:"
                " four trn2.48xlarge joined along the z axis."), "; ", v.Strong("H100"),
                " joins eight by switches; ", v.Strong("GB200"), " seventy-two. Money is nominal"
                " US dollars of January 2026 ", v.Cite(("ix", "sa")), ". Prices of Trainium2"
                " are not published; they are built bottom-up from silicon, memory and margin"
                " and carry the widest interval of the study (", v.Ref("tab-inputs"), ").",
            )),
            v.Bullets((
                ("A figure is per chip as sold; bandwidths are one way."),
                ("Intervals hold 90% of the draws; the point value is the median input, not"
                 " the mean."),
                ("Where two sources disagree both are kept and the choice is stated ",
                 v.Cite("aws", "“Trainium2 architecture”"), "."),
            )),
        ),
        "scope",
    )  # fmt: skip


def _hardware() -> v.Section:
    rows = (
        ("BF16, dense", "TFLOP/s", "667", "989", "2 500"),
        ("FP8, dense", "TFLOP/s", "1 299", "1 979", "5 000"),
        ("HBM capacity", "GB", "103", "80.0", "192"),
        ("HBM bandwidth", "TB/s", "2.90", "3.35", "8.00"),
        ("Scale-up bandwidth", "GB/s", "640", "450", "900"),
        ("Scale-out bandwidth", "Gbit/s", "200", "400", "400"),
        ("Power", "W", "500", "700", "1 200"),
    )
    table = v.Table(
        "A Trainium2 chip has two thirds of an H100’s FLOPs and seven eighths of its bandwidth",
        (v.Column("Per chip", width=0.26), v.Column("Unit", width=0.12),
         v.Column("Trainium2", align="right"), v.Column("H100 SXM", align="right"),
         v.Column("GB200", align="right"), v.Column("Trn2 : GB200", align="right"),
         v.Column("Grade", align="center")),
        tuple(
            v.Row((a, v.Cell(u, tone="muted"), v.Cell(x, strong=True), y, z,
                   n.ratio(float(x.replace(" ", "")) / float(z.replace(" ", ""))),
                   v.Cell(grade="A" if i < 5 else "B")))
            for i, (a, u, x, y, z) in enumerate(rows)
        ) + (v.Row(("Derived: FLOP per HBM byte",), "group"),
             v.Row(("BF16 intensity", v.Cell("FLOP/byte", tone="muted"), v.Cell("230", strong=True),
                    "295", "313", n.ratio(230 / 313), v.Cell(grade="A")), "highlight"),
             v.Row(("FP8 intensity", v.Cell("FLOP/byte", tone="muted"), v.Cell("448", strong=True),
                    "591", "625", n.ratio(448 / 625), v.Cell(grade="A")))),
        (v.Cite(("aws", "ix")), " manufacturers’ sheets; scale-up one way, as stated for the"
         " domain in use."),
        "tab-chips",
    )  # fmt: skip
    return v.Section(
        "Hardware side by side",
        (
            v.Paragraph((
                "Its balance, not its peak, sets Trainium2 apart. At 230 FLOP per byte of memory"
                " traffic it needs the smallest batch of the three to leave the slope of its"
                " roofline, and decode of a large model never does (", v.Ref("fig-roofline"),
                "). A chip that is bound by memory earns by bandwidth per dollar, and there it"
                " leads.",
            )),
            table,
            v.Figure("Decode sits on the slope for all three: bandwidth, not FLOPs, is for sale",
                     ROOFLINE, "Log-log roofline of Trainium2, H100 and GB200 with six workloads",
                     ("engine, ceilings from ", v.Ref("tab-chips"), "; workloads at their"
                      " computed intensity."), "fig-roofline"),
        ),
        "hardware",
    )  # fmt: skip


def _network() -> v.Section:
    return v.Section(
        "Topology and network",
        (
            v.Paragraph((
                "Sixteen chips form a 4×4 torus on two backplanes; four of them stacked make"
                " the 4×4×4 torus of the Ultra, whose z links carry half of what the x and y"
                " links do. Ring all-reduces use every link and take 3.30 ms for 1 GiB. An"
                " all-to-all crosses the bisection, and the z axis holds it to 8.39 ms.",
            )),
            v.Columns((
                (v.Figure("Trn2-Ultra: three rings through every chip, the z ring at half width",
                          TORUS_4X4X4, "A 4 by 4 by 4 torus in oblique view",
                          ("engine; links ", v.Cite("sa"), "."), "fig-torus"),),
                (v.Figure("GB200 NVL72: every GPU one switch away from every other", NVL72,
                          "72 GPUs in 18 trays joined by 18 switches", v.Cite("ix"), "fig-nvl"),
                 v.Paragraph((
                     v.Strong("What the torus saves. "), "No switches and no optics within the"
                     " domain: $980 of network a chip against $5 370 for NVL72 (",
                     v.Ref("fig-network"), ").")),
                 v.Paragraph((
                     v.Strong("What it costs. "), "One failed chip breaks its rings and idles"
                     " the 64 of its domain; availability falls from 99.1% to 97.4%."))),
            )),
            v.Figure("A Trn2-Ultra chip’s network costs a fifth of a GB200’s", BARS,
                     "Grouped bars of network cost per chip", ("bill of materials, ",
                     v.Ref("eq-bom"), "."), "fig-network"),
        ),
        "network",
    )  # fmt: skip


def _performance() -> v.Section:
    return v.Section(
        "Performance",
        (
            v.Paragraph((
                "Within the service level the best Trn2-Ultra configuration delivers 205 tokens"
                " a second and chip; GB200 reaches 940. The gap is wider than that of their"
                " bandwidths because the all-to-all of expert parallelism takes 6.1 ms of a"
                " 26.4 ms step on the torus.",
            )),
            v.Figure("No Trn2-Ultra configuration enters GB200’s front below 50 ms a token",
                     FRONTIER, "Latency against throughput per chip, three Pareto fronts",
                     "engine; every admissible configuration, the front in full colour.",
                     "fig-frontier"),
            v.Columns((
                (v.Figure("Memory and all-to-all take two thirds of a step", STEP,
                          "Stacked columns of the decode step",
                          "engine, batch 64 per instance.", "fig-step"),),
                (v.Figure("A domain holds a third of NVL72’s bandwidth", FOCUS,
                          "Bars of HBM bandwidth per domain", v.Ref("tab-chips"), "fig-domain"),
                 v.Callout("Measured so far.", "Five public Trainium2 rows: Llama-3.1 405B at"
                           " 25.5 tokens a second, batch 1, and four at 70B. The model meets"
                           " them within 11%.", "good"),
                 v.Callout("Not measured.", "Any mixture of experts. An unseen vendor’s MoE is"
                           " known to a factor of 0.5 to 2; intervals here say so.", "warn")),
            )),
        ),
        "performance",
    )  # fmt: skip


def _cost() -> v.Section:
    tco = v.Table(
        "Capital is 61% of a Trn2-Ultra hour and 69% of a GB200 hour",
        (v.Column("Cost", width=0.34), v.Column("Trn2", "$/chip-hour", "right"),
         v.Column("Trn2-Ultra", "$/chip-hour", "right"), v.Column("H100", "$/chip-hour", "right"),
         v.Column("GB200", "$/chip-hour", "right"), v.Column("Source", align="center")),
        (
            v.Row(("Capital",), "group"),
            v.Row(("Chips and servers", "0.512", v.Cell("0.538", "0.41–0.69"), "0.902", "1.56",
                   v.Cell(grade="D"))),
            v.Row(("Scale-up network", "0.031", v.Cell("0.066", "0.05–0.08"), "0.021", "0.104",
                   v.Cell(grade="B"))),
            v.Row(("Scale-out network", "0.097", v.Cell("0.058", "0.05–0.07"), "0.121", "0.189",
                   v.Cell(grade="B"))),
            v.Row(("Operation",), "group"),
            v.Row(("Facility", "0.101", v.Cell("0.094", "0.08–0.11"), "0.139", "0.212",
                   v.Cell(grade="B"))),
            v.Row(("Energy", "0.062", v.Cell("0.058", "0.04–0.08"), "0.089", "0.141",
                   v.Cell(grade="B"))),
            v.Row(("Staff and maintenance", "0.041", v.Cell("0.041", "0.03–0.06"), "0.043",
                   "0.052", v.Cell(grade="C"))),
            v.Row(("All", "0.844", v.Cell("0.855", "0.72–1.01"), "1.32", "2.26", ""), "total"),
        ),
        ("engine, price book “own, hyperscaler”; ", v.Cite("ix"), "."),
        "tab-tco",
    )  # fmt: skip
    return v.Section(
        "Cost",
        (
            v.Paragraph((
                "An owned Trn2-Ultra chip costs $0.855 an hour (", v.Ref("tab-tco"), "), 38% of a"
                " GB200. Divided by what it serves within the service level, a million output"
                " tokens come to $0.412; ", v.Ref("fig-intervals"), " sets that beside the others"
                " and beside what InferenceX measured.",
            )),
            v.Figure("An hour of Trainium2 costs 65% of an H100 hour", COST,
                     "Stacked bars of cost per chip-hour",
                     "engine; whiskers hold 90% of the draws.", "fig-cost"),
            tco,
            v.Figure("Mixtures of experts stretch Trainium2’s interval to ±60%", INTERVALS,
                     "Points with 90% intervals for six options",
                     ("engine; hollow points ", v.Cite("ix"), "."), "fig-intervals"),
            v.Figure("From Trn2 to Trn2-Ultra a million tokens fall by $0.115", WATERFALL,
                     "Waterfall of six causes", "Shapley values over six changed inputs; they"
                     " add up exactly.", "fig-waterfall"),
        ),
        "cost",
    )  # fmt: skip


def _sensitivity() -> v.Section:
    return v.Section(
        "Sensitivities",
        (
            v.Paragraph((
                "The result moves with the price of the chip more than with anything that an"
                " operator controls. Against GB200 the break-even lies at 68% of the memory"
                " roofline in decode, above the 42 to 65% that comparable stacks reach today.",
            )),
            v.Figure("Chip price and decode efficiency dwarf power and PUE", TORNADO,
                     "Tornado of eight inputs", "engine; each input at the ends of its 90%"
                     " interval, the others at their point values.", "fig-tornado"),
            v.Figure("Trn2-Ultra beats an owned H100 from 41% of its roofline, a rented GB200"
                     " from 68%", BREAKEVEN, "Cost against the share of the roofline",
                     "engine; band holds 90% of the draws.", "fig-breakeven"),
            v.Figure("Below $7 000 a chip the base case wins even at today’s efficiency",
                     HEATMAP, "Map of the cost gap over price and efficiency",
                     "engine, 399 points.", "fig-map"),
            v.Figure("The distributions of H100 and Trn2-Ultra overlap; GB200’s stands apart",
                     VIOLIN, "Three densities", "engine, 20 000 common draws; bar P5 to P95,"
                     " ring at the median.", "fig-violin"),
        ),
        "sensitivities",
    )  # fmt: skip


def _supply() -> v.Section:
    return v.Section(
        "Supply and money over time",
        (
            v.Columns((
                (v.Figure("CoWoS-R wafers bind in 2025Q4", RAMP, "Wafer demand against its cap",
                          v.Cite("sa"), "fig-ramp"),),
                (v.Paragraph(
                    "Demand passes the packaging cap in the last quarter of 2025 by 1.0 thousand"
                    " wafers; with the lead time of two quarters, 28 000 chips slip into 2026."),
                 v.Paragraph((
                     "A 4 096-chip cluster sold at 75% returns its capital in the fifth year (",
                     v.Ref("fig-cash"), "), pre-tax and unlevered."))),
            )),
            v.Figure("The cluster pays back in 2029", CASH, "Cash flow by year",
                     "engine, nominal, pre-tax, unlevered.", "fig-cash"),
        ),
        "supply",
    )  # fmt: skip


def _claims() -> v.Section:
    return v.Section(
        "Claims and checks",
        (
            v.Claims(
                "Of four public claims two hold as written",
                (
                    v.ClaimRow("400k Trn2 hold fewer raw FLOPs than 100k GB200", v.Cite("sa"),
                               "< 250 EFLOP/s", "267 EFLOP/s", "fails", "0.0%",
                               "Holds per two-GPU superchip: 500 EFLOP/s."),
                    v.ClaimRow("GB200 has 3.85 times a Trn2’s BF16 peak", v.Cite("sa"), "3.85×",
                               "3.75×", "fails", "", "2 500 over 667; 3.85 uses 650."),
                    v.ClaimRow("The Ultra’s domain has a third of NVL72’s bandwidth",
                               v.Cite("sa"), "33%", "32.3%", "holds"),
                    v.ClaimRow("30 to 40% better price-performance than P5e", v.Cite("aws"),
                               "30–40%", "9–38%", "depends", "61.2%",
                               "Only within the upper half of the efficiency interval."),
                    v.ClaimRow("Trainium3 lifts dense MFU from 43 to 60%", v.Cite("aws"), "60%",
                               "—", "open"),
                ),
                "engine, point values; share of draws in which the claim holds.",
                "tab-claims",
            ),
            v.Listing(SCENARIO, "The scenario as written"),
        ),
        "claims",
    )  # fmt: skip


def _method() -> v.Section:
    return v.Section(
        "Method",
        (
            v.Paragraph("Each metric is one formula over named quantities; those that carry the"
                        " headline follow."),
            v.Equation(
                r"t_{\mathrm{step}} = \max\left(\frac{2 P_{\mathrm{a}} B}{\eta_c F},"
                r" \frac{W + B\,S\,k}{\eta_m \beta}\right) + t_{\mathrm{a2a}} + t_{\mathrm{host}}",
                "Decode step",
                (
                    v.Where(r"P_{\mathrm{a}}", "the active parameters", "", "37.0 G"),
                    v.Where("B", "the batch of an instance", "request"),
                    v.Where("F", "the peak", "FLOP/s"),
                    v.Where("W", "the bytes of weights read", "byte"),
                    v.Where("k", "the cache per token", "byte/token"),
                    v.Where(r"\beta", "the memory bandwidth", "byte/s"),
                    v.Where(r"\eta_m", "the share of it that is reached", "", "0.55"),
                ),
                (v.Cite("pope"), "; valid for batches up to 512."),
                "eq-step",
            ),
            v.Equation(
                r"c_{\mathrm{tok}} = \frac{K\,\mathrm{CRF}(r, n) + E + O}"
                r"{8760\,\mathrm{h}\cdot a\,s\,\ell\,T}",
                "Cost of a token",
                (
                    v.Where("K", "the capital of a chip", "$", "11 000"),
                    v.Where(r"\mathrm{CRF}", "the capital recovery factor", "1/year"),
                    v.Where(r"a\,s\,\ell", "availability, share sold and load"),
                    v.Where("T", "the throughput within the service level", "token/s"),
                ),
                v.Cite("ix"),
                "eq-cost",
            ),
            v.Equation(
                r"C_{\mathrm{net}} = \sum_{i=1}^{n_t} n_i p_i + 2 n_{\mathrm{opt}}"
                r" p_{\mathrm{opt}} + n_{\mathrm{dac}} p_{\mathrm{dac}}"
                r" + n_{\mathrm{aec}} p_{\mathrm{aec}} + n_{\mathrm{conn}} p_{\mathrm{conn}}"
                r" + \frac{P_{\mathrm{net}}\,\mathrm{PUE}\,e\,h}{1 - \delta}"
                r" + n_{\mathrm{nic}} p_{\mathrm{nic}} + m\left(C_{\mathrm{spare}} +"
                r" C_{\mathrm{labour}}\right)",
                "Network bill, broken where it is wider than the page",
                key="eq-bom",
            ),
        ),
        "method",
    )  # fmt: skip


def _appendix() -> tuple[v.Section, ...]:
    names = ("trainium2.peak[bf16]", "trainium2.memory.bandwidth", "finance.price[trn2_ultra]",
             "site.electricity", "software.decode.memory_share", "finance.life[server]",
             "workload.load", "finance.cost_of_capital", "link.z.bandwidth", "site.pue",
             "fabric.tier[leaf].oversubscription", "software.host_overhead")  # fmt: skip
    values = ("667 TFLOP/s", "2.90 TB/s", "$880k", "0.07 $/kWh", "55%", "5 years", "52%", "10%",
              "64 GB/s", "1.14", "1.0", "1.6 ms")  # fmt: skip
    spans = ("", "", "$680k–1.1M", "0.05–0.09", "42–65%", "4–6", "45–60%", "8–12%", "",
             "1.08–1.20", "", "0.8–2.6")  # fmt: skip
    grades = "AADCCCCBABBD"
    inputs = v.Table(
        "Twelve inputs move the result by more than a thousandth",
        (v.Column("Input", width=0.3), v.Column("Value", align="right"),
         v.Column("90% interval", align="right"), v.Column("Grade", align="center"),
         v.Column("Source", width=0.32)),
        tuple(
            v.Row(((v.Code(a),), b, v.Cell(c or "—", tone="muted"), v.Cell(grade=g),  # type: ignore[arg-type]
                   (v.Cite("aws"), " architecture guide") if g == "A"
                   else "assumed: bottom-up, in line with two analysts" if g == "D"
                   else (v.Cite(("sa", "ix")),)), key=f"in.{a}")
            for a, b, c, g in zip(names, values, spans, grades, strict=True)
        ),
        "the scenario files, attached to this document.",
        "tab-inputs",
        ("Grades: A stated by the maker or measured, B third party, C estimate, D assumption.",),
        dense=True,
    )  # fmt: skip
    references = v.References((
        v.Reference("aws", "Trainium2 Architecture", "AWS Neuron documentation", "2025",
                    "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/", "vendor", "A"),
        v.Reference("sa", "Amazon’s AI Self Sufficiency: Trainium2 Architecture & Networking",
                    "SemiAnalysis", "3 December 2024", "https://newsletter.semianalysis.com/",
                    "analyst", "B"),
        v.Reference("ix", "InferenceX price books and runs", "SemiAnalysis", "2026",
                    "https://github.com/SemiAnalysisAI/InferenceX-app", "measured", "A"),
        v.Reference("pope", "Efficiently Scaling Transformer Inference", "Pope et al.", "2022",
                    "https://arxiv.org/abs/2211.05102", "paper", "A"),
    ))  # fmt: skip
    glossary = v.Glossary((
        v.Term("TPOT", "Time per output token: last less first, over n − 1.", "ms",
               "latency.tpot[mean]"),
        v.Term("TTFT", "Time to the first token, queueing included.", "s", "latency.ttft[p50]"),
        v.Term("MBU", "Bytes that had to be read over what the memory could deliver.", "%", "mbu"),
        v.Term("CRF", "Capital recovery factor: the annuity of one dollar.", "1/year"),
        v.Term("Domain", "The chips that a scale-up network joins."),
        v.Term("Bisection", "The least bandwidth between two halves.", "GB/s", "bisection"),
    ))  # fmt: skip
    return (
        v.Section("Assumptions", (inputs,), "assumptions"),
        v.Section("Sources", (references,), "sources"),
        v.Section("Glossary", (glossary,), "glossary"),
    )


def report() -> v.Report:
    """The sample report."""
    return v.Report(
        _cover(),
        (_scope(), _hardware(), _network(), _performance(), _cost(), _sensitivity(), _supply(),
         _claims(), _method(), *_appendix()),
        running="Trainium2 study",
        imprint="Isocost 0.1.0 · inputs 3f9b1a2e",
        author="A. Analyst",
        keywords=("Trainium2", "TCO", "inference"),
        attachments=(
            v.Attachment("trainium2.scn", SCENARIO.encode(), "The scenario", relationship="Source"),
            v.Attachment("results.json", b'{"schema": 1}\n', "Results", "application/json"),
        ),
    )  # fmt: skip


if __name__ == "__main__":
    from isocost.reports.pdf import render_pdf

    Path(sys.argv[1]).write_bytes(
        render_pdf(report(), date=DATE, paper=(sys.argv[2:] or ["A4"])[0])
    )
