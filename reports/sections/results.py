"""Results: the metrics that a report asks for, where no other section shows them.

Options that serve, train or cost an hour have sections of their own for that.
"""

from isocost.reports import training
from isocost.reports import view as v
from isocost.reports.study import Study

#: Metrics with which a scenario has a section of its own.
ELSEWHERE = ("time.train", "throughput.output", "cost.per_chip_hour")


def build(study: Study) -> v.Section | None:
    """The section; None where the others show what was asked for."""
    if not shown_here(study):
        return None
    rows = list(study.scenarios)
    caption = finding(study) if study.comparable else "What tells the options apart"
    table = training.stated_table(study, rows, caption, "tab-results")
    return v.Section("Results", (table,), "results")


def shown_here(study: Study) -> bool:
    """Whether no option has a metric with its own section."""
    return not any(
        study.result(scenario, metric) is not None
        for scenario in study.scenarios
        for metric in ELSEWHERE
    )


def finding(study: Study) -> str:
    """Which option has the least of the main metric, against the next."""
    rows, what = list(study.scenarios), study.main_words
    metric = study.main_metric
    return training.cheapest(study, rows, metric, what, "lowest", opens=True)
