"""`rents(BOOK, …)`: rates of price books by chip and term, with date and source."""

from isocost.dsl.document import Block, Fact
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.study import Study

SECTION = "cost"
HOUR = 3600.0


def build(study: Study, call: Call) -> list[v.Block]:
    """One table of all rates; `chips = [A, B]` keeps those of some chips only."""
    wanted = call.named.get("chips")
    chips = {str(item.value) for item in wanted.args} if wanted is not None else set()
    rows = []
    rates: dict[str, list[float]] = {}
    keys: set[str] = set()
    for name in call.names:
        book = study.find(name, "finance")
        for fact in book.facts.values() if book else ():
            if book is None or fact.path.pattern != "rental[]":
                continue
            if chips and fact.path.keys[0] not in chips:
                continue
            keys |= {c.key for c in fact.cites if not c.assumed}
            rows.append(_row(study, book, fact))
            value = study.of_block(book, str(fact.path))
            if value is not None:
                chip = str(rows[-1].cells[0])
                rates.setdefault(chip, []).append(value * HOUR)
    if not rows:
        return []
    return [
        v.Table(
            _finding(rates),
            (
                v.Column("Chip"),
                v.Column("Book"),
                v.Column("Term"),
                v.Column("Rate", "$/chip-hour", "right"),
                v.Column("Date"),
                v.Column("Note"),
            ),
            tuple(sorted(rows, key=lambda row: str(row.cells[0]))),
            source=(study.cite(keys), "."),
            notes=("Rates of unlike terms or dates are not comparable.",),
            key="tab-rents",
            dense=True,
        )
    ]


def _finding(rates: dict[str, list[float]]) -> str:
    """Between what a chip's rates lie, of the chip whose rates differ most."""
    if not rates:
        return "What a chip-hour is rented for"
    chip = max(rates, key=lambda name: max(rates[name]) / min(rates[name]))
    low, high = min(rates[chip]), max(rates[chip])
    if low == high:
        return f"An hour of {chip} is rented for {n.money(low)}"
    return (
        f"An hour of {chip} is rented for {n.money(low)} to {n.money(high)}: the book "
        "and the term decide"
    )


def _row(study: Study, book: Block, fact: Fact) -> v.Row:
    chip, term = (*fact.path.keys, "")[:2]
    block = study.find(chip, "chip")
    value = study.of_block(book, str(fact.path))
    where = "; ".join(c.locator for c in fact.cites if c.locator)
    return v.Row(
        (
            study.name(block) if block else chip,
            study.name(book),
            term.replace("_", " "),
            "–" if value is None else n.money(value * HOUR),
            _date(study, book, fact),
            where,
        )
    )


def _date(study: Study, book: Block, fact: Fact) -> str:
    """When a book's rates held, else when its source was published."""
    start = book.facts.get("start")
    if start is not None:
        return str(start.expr.value)
    for cite in fact.cites:
        source = study.evaluation.document.sources.get(cite.key)
        found = source.facts.get("date") if source else None
        if found is not None:
            return str(found.expr.value)
    return ""
