"""The cover and the first sections of the sample report."""

# ruff: noqa: E501, ISC004, RUF005 - mostly prose

from isocost.reports import numbers as n
from isocost.reports import view as v

from .speed import NVL72, ROOFLINE, TORUS_4X4X4
from .turns import BARS

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


def cover() -> v.Cover:
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


def scope() -> v.Section:
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


def hardware() -> v.Section:
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


def network() -> v.Section:
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
