"""Software: what its tools are said to do, what porting costs, what it must reach."""

from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.study import Study


def build(study: Study) -> v.Section | None:
    """The section; None where no exhibit stands in it."""
    blocks = asked(study, "software")
    return v.Section("Software", tuple(blocks), "software") if blocks else None
