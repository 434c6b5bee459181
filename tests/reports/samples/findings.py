"""The sections of the sample report that find something."""

# ruff: noqa: E501, ISC004 - mostly prose

from isocost.reports import view as v

from .money import COST, INTERVALS, STEP, TORNADO, VIOLIN, WATERFALL
from .opening import SCENARIO
from .speed import FRONTIER
from .turns import BREAKEVEN, CASH, FOCUS, HEATMAP, RAMP


def performance() -> v.Section:
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


def cost() -> v.Section:
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


def sensitivity() -> v.Section:
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


def supply() -> v.Section:
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


def claims() -> v.Section:
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
