"""Charts and a report with figures as a study would have them; the numbers are made up.

Imported by path (see conftest.py) and run as a program by the test of byte identity:
`python -m samples OUT.pdf` in this package's folder.
"""

# ruff: noqa: E501 - mostly prose

import datetime as dt

from isocost.reports import view as v
from isocost.reports.charts import Scene

from .closing import appendix, method
from .findings import claims, cost, performance, sensitivity, supply
from .money import COST, INTERVALS, SANKEY, STEP, TORNADO, VIOLIN, WATERFALL
from .networks import NETWORKS
from .opening import SCENARIO, cover, hardware, network, scope
from .speed import AGREEMENT, FRONTIER, NVL72, ROOFLINE, TORUS_4X4, TORUS_4X4X4
from .turns import BARS, BREAKEVEN, CASH, FOCUS, HEATMAP, RAMP

DATE = dt.date(2026, 1, 15)

SCENES: dict[str, Scene] = {
    "roofline": ROOFLINE,
    "torus_4x4": TORUS_4X4,
    "torus_4x4x4": TORUS_4X4X4,
    "switched": NVL72,
    **NETWORKS,
    "frontier": FRONTIER,
    "agreement": AGREEMENT,
    "stacked": COST,
    "stacked_upright": STEP,
    "tornado": TORNADO,
    "waterfall": WATERFALL,
    "sankey": SANKEY,
    "intervals": INTERVALS,
    "violin": VIOLIN,
    "heatmap": HEATMAP,
    "lines": BREAKEVEN,
    "lines_steps": RAMP,
    "bars": BARS,
    "bars_focus": FOCUS,
    "cashflow": CASH,
}


def report() -> v.Report:
    """The sample report."""
    return v.Report(
        cover(),
        (scope(), hardware(), network(), performance(), cost(), sensitivity(), supply(),
         claims(), method(), *appendix()),
        running="Trainium2 study",
        imprint="Isocost 0.1.0 · inputs 3f9b1a2e",
        author="A. Analyst",
        keywords=("Trainium2", "TCO", "inference"),
        attachments=(
            v.Attachment("trainium2.scn", SCENARIO.encode(), "The scenario", relationship="Source"),
            v.Attachment("results.json", b'{"schema": 1}\n', "Results", "application/json"),
        ),
    )  # fmt: skip
