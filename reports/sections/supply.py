"""Supply: what a chip is made of, who makes it, how many there can be and where."""

from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.study import Study


def build(study: Study) -> v.Section | None:
    """The section; None where no exhibit stands in it."""
    blocks = asked(study, "supply")
    return v.Section("Supply", tuple(blocks), "supply") if blocks else None
