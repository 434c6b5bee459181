"""Facts a second from text to attrs nodes with places, on the catalogue.

Beside it, the same facts in other formats through the readers that people use for
them: PyYAML (its C loader and its own), tomllib, python-hcl2 and Beancount. Those give
plain dictionaries, or directives, with no unit read and, but for Beancount's line
numbers, no place kept. All of it is processor time of this process.
"""

from benchmarks._facts import RIVALS, cpu_seconds, facts, texts
from benchmarks._frame import Outcome
from isocost.dsl.parser import parse


def run() -> Outcome:
    """Read the whole catalogue; rates are facts a second."""
    files = texts()
    found = facts(files)

    def read() -> None:
        for name, text in files.items():
            parse(text, name)

    ours = len(found) / cpu_seconds(read, runs=7)
    rates = {rival.name: rival.rate(found) for rival in RIVALS}
    first = RIVALS[0].name
    notes = {
        name: f"{rate:,.0f} facts/s ({ours / rate:.2f} times)"
        for name, rate in rates.items()
        if name != first
    }
    size = sum(map(len, files.values())) / 1e3
    return Outcome(
        what=f"reading {len(found)} facts of the catalogue ({size:.0f} kB)",
        value=ours,
        unit="facts/s",
        rival=first,
        rival_value=rates[first],
        limit=30_000,
        higher_is_better=True,
        notes=notes,
    )
