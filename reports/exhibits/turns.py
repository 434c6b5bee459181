"""`turns()`: the baseline against each rival, with the speed and price that turn it."""

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.sections.verdict import turns
from isocost.reports.study import Study

SECTION = "sensitivity"


def build(study: Study, call: Call) -> list[v.Block]:
    """The finding, the table and how to read it."""
    del call
    return turns(study)
