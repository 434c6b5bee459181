"""Marks on numbers: what the engine says beside a result, as notes below a table."""

from collections.abc import Iterable

import attrs

from isocost.dsl.document import Block
from isocost.engine.results import Result
from isocost.reports import view as v
from isocost.reports.names import metric_name
from isocost.reports.study import Study

#: How the engine begins to say in what share of draws a limit holds.
WITHIN = "within "
#: Options named in a remark on the cover.
NAMED = 2
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def said(study: Study, result: Result) -> tuple[str, ...]:
    """The flags of a result; limits that are broken open the cover instead."""
    broken = study.evaluation.breaches(result.scenario)
    return tuple(flag for flag in result.flags if flag not in broken)


@attrs.define
class Marks:
    """Gives each remark of a table its letter, and the notes in the end."""

    study: Study
    letters: dict[str, str] = attrs.field(factory=dict)

    def on(self, text: str, result: Result) -> v.Text:
        """A number's text with the marks of what is said of it."""
        marks = []
        for flag in said(self.study, result):
            fresh = LETTERS[len(self.letters) % len(LETTERS)]
            marks.append(self.letters.setdefault(flag, fresh))
        return (text, v.Sup(", ".join(marks))) if marks else text

    @property
    def notes(self) -> tuple[v.Text, ...]:
        """What each mark means, in the order of the marks."""
        return tuple((v.Sup(one), f" {flag}.") for flag, one in self.letters.items())


def remarked(study: Study, results: Iterable[Result]) -> list[str]:
    """What is said of results as a whole, each once with the options it is said of."""
    of: dict[str, list[str]] = {}
    titles = {scenario.name: study.title(scenario) for scenario in study.scenarios}
    for result in results:
        for flag in said(study, result):
            who = of.setdefault(flag, [])
            if (title := titles[result.scenario]) not in who:
                who.append(title)
    return [f"{_named(who)}: {flag}" for flag, who in of.items()]


def limited(study: Study, scenario: Block) -> list[str]:
    """Which of the limits that a scenario is served within doubt may break, how often.

    Its figures are those of a batch that keeps them at point values.
    """
    found = {
        one.path: f"{metric_name(one.path, one.doc)} is {flag}"
        for (name, _), one in study.results.items()
        for flag in one.flags
        if name == scenario.name and flag.startswith(WITHIN)
    }
    title = study.title(scenario)
    return [f"{title}: {text}" for _, text in sorted(found.items())]


def _named(titles: list[str]) -> str:
    """The first of many titles, and how many more there are."""
    more = len(titles) - NAMED
    if more < 2:  # noqa: PLR2004 (one more is as short as its count)
        return "; ".join(titles)
    return f"{'; '.join(titles[:NAMED])} and {more} more"
