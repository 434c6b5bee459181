"""Warnings: what is right as far as it goes, and is likely not what was meant.

Only what the main file states is looked at, and only where nothing is wrong with it.
A file that asks for no result (no scenario, report, check or the like) is there for
others to import, and so is a shipped one: what they leave unused is for others to use.
"""

import datetime as dt
from collections.abc import Iterator

from isocost.dsl.dates import read_period
from isocost.dsl.diagnostics import WARNING, Diagnostic, Fix, Label, at
from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.expr import Expr
from isocost.dsl.intervals import number_of
from isocost.dsl.load import SHIPPED
from isocost.dsl.lookup import Lookup, Target
from isocost.dsl.meaning import same_value
from isocost.dsl.overrides import mentioned, overrides_of, reach
from isocost.dsl.schema import KINDS
from isocost.dsl.spans import Span

#: Kinds that ask for results.
ASKING = ("scenario", "report", "policy", "fleet")
#: Kinds that nothing needs to name.
_UNNAMED = {*ASKING, "source", "exchange", "correlation"}
_SPREADS = {"interval", "tolerance", "choice", "call"}
_MEMORY = {"memory.capacity", "memory.usable", "sram"}
_PRICES = {"price", "rental", "electricity", "colocation"}
#: Months after which a price is old, unless `isocost.toml` says otherwise.
OLD_PRICE = 24


def lint(
    lookup: Lookup, used: frozenset[str], months: int = OLD_PRICE
) -> Iterator[Diagnostic]:
    """The lints of a document's main file.

    Args:
        lookup: The document with its table.
        used: The origins of all statements that something refers to.
        months: The age at which a price is old.
    """
    document = lookup.document
    for block in own_blocks(document):
        for path, fact in block.facts.items():
            if path in block.own:
                yield from _statement(fact)
                yield from _of_block(fact, block, lookup)
    for let in document.lets.values():
        if let.file == document.file:
            yield from _statement(let)
    yield from _old_prices(document, months)
    if asks(document):
        yield from _unused_lets(document, used)
        yield from _unused_blocks(lookup)


def own_blocks(document: Document) -> Iterator[Block]:
    """The blocks of the main file, one for each that it states."""
    seen: set[str] = set()
    for found in document.blocks.values():
        block = found.written or found
        if block.file == document.file and block.name not in seen:
            seen.add(block.name)
            yield block


def asks(document: Document) -> bool:
    """Whether the main file asks for a result, and is no library."""
    if document.file.startswith(SHIPPED):
        return False
    stated = any(b.kind.name in ASKING for b in own_blocks(document))
    return stated or any(c.file == document.file for c in document.conditions)


def _statement(fact: Fact) -> Iterator[Diagnostic]:
    for part in fact.expr.walk():
        if part.span is None:
            continue
        if _widthless(part):
            first = part.args[0].span
            fixes = (_cut(part.span, first),) if first else ()
            yield at("L006", part.span, severity=WARNING, fixes=fixes)
        if part.op in {"+", "-"} and _mixed(*part.args):
            yield at("L007", part.span, severity=WARNING)


def _widthless(part: Expr) -> bool:
    if part.op == "interval":
        low, high = (number_of(arg) for arg in part.args)
        return low is not None and low == high
    return part.op == "tolerance" and number_of(part.args[1]) == 0


def _cut(whole: Span, kept: Span) -> Fix:
    rest = Span(whole.file, kept.end, whole.end)
    return Fix("write the number alone", rest, "")


def _mixed(left: Expr, right: Expr) -> bool:
    """A literal percentage beside a literal plain number."""
    if left.op != "literal" or right.op != "literal":
        return False
    percent = ["%" in arg.value.text for arg in (left, right)]
    plain = [arg.value.unit is None and bool(arg.value.number) for arg in (left, right)]
    return (percent[0] and plain[1]) or (percent[1] and plain[0])


def _of_block(fact: Fact, block: Block, lookup: Lookup) -> Iterator[Diagnostic]:
    document = lookup.document
    base = document.blocks.get(block.base or "")
    before = base.facts.get(str(fact.path)) if base is not None else None
    kind = block.kind
    if fact.attribute is None and not fact.let:
        found = lookup.find(fact.path, block, fact.file)
        target = found if isinstance(found, Target) else None
        kind = target.block.kind if target and target.block else kind
        elsewhere = base is not None and _moved(lookup, fact, base, target)
        before = None if elsewhere else before or (target.fact if target else None)
    if before is not None and before is not fact and _same(before, fact, kind.name):
        name = str(fact.path)
        fixes = _without(fact, document)
        also = (Label(before.path_span, "the same here"),)
        yield at(
            "L005", fact.path_span, severity=WARNING, also=also, fixes=fixes, name=name
        )
    if fact.attribute is not None and fact.attribute.path in _MEMORY:
        yield from _power_of_two(fact)


def _moved(lookup: Lookup, fact: Fact, base: Block, target: Target | None) -> bool:
    """Whether an override leads into another block than in the base.

    There it must be stated again, and is no repetition.
    """
    found = lookup.find(fact.path, base, fact.file)
    if not isinstance(found, Target) or target is None:
        return False
    return found.block is not None and found.block != target.block


def _same(before: Fact, fact: Fact, kind: str) -> bool:
    """Equal in value; a restated interval is another draw, another source is news."""
    spread = any(part.op in _SPREADS for part in fact.expr.walk())
    if spread or fact.expr.op == "unreadable":
        return False
    cited = {(c.key, c.locator) for c in fact.cites}
    return cited <= {(c.key, c.locator) for c in before.cites} and same_value(
        before, fact, KINDS[kind]
    )


def _without(fact: Fact, document: Document) -> tuple[Fix, ...]:
    """The removal of a statement's lines, where nothing but it stands on them."""
    text = document.files[fact.file].text if fact.file in document.files else ""
    start = text.rfind("\n", 0, fact.span.start) + 1
    end = text.find("\n", fact.span.end)
    end = len(text) if end < 0 else end + 1
    alone = not text[start : fact.span.start].strip() and not (
        text[fact.span.end : end].strip()
    )
    if fact.doc or not alone or not text:
        return ()
    return (Fix("remove the line", Span(fact.file, start, end), ""),)


def _power_of_two(fact: Fact) -> Iterator[Diagnostic]:
    for part in fact.expr.walk():
        if part.op != "literal" or part.value.unit is None or part.span is None:
            continue
        unit, number = part.value.unit.text, part.value.number
        whole = int(number) if number == int(number) else 0
        decimal = unit in {"kB", "MB", "GB", "TB"}
        if decimal and whole > 1 and not whole & (whole - 1):
            binary = {"kB": "KiB"}.get(unit, f"{unit[0]}iB")
            start = part.span.start + part.value.text.rindex(unit)
            where = Span(part.span.file, start, part.span.end)
            fix = Fix(f"write `{binary}`", where, binary, safe=False)
            args = {"unit": unit, "binary": binary}
            yield at("L008", part.span, severity=WARNING, fixes=(fix,), facts=args)


def _old_prices(document: Document, months: int) -> Iterator[Diagnostic]:
    as_of = _as_of(document)
    if as_of is None:
        return
    for block in own_blocks(document):
        for path, fact in block.facts.items():
            priced = fact.attribute is not None and any(
                part.name in _PRICES for part in fact.path.parts
            )
            dates = {cite: _date_of(document, cite.key) for cite in fact.cites}
            known = {date: cite for cite, date in dates.items() if date is not None}
            if path not in block.own or not priced or not known:
                continue
            newest = max(known)
            age = (as_of.year - newest.year) * 12 + as_of.month - newest.month
            if age > months:
                also = (Label(known[newest].span, f"of {newest:%Y-%m-%d}"),)
                args = {"months": age}
                place = fact.path_span
                yield at("L009", place, severity=WARNING, also=also, facts=args)


def _as_of(document: Document) -> dt.date | None:
    dates = [
        _day(report.facts["as_of"].expr)
        for report in own_blocks(document)
        if report.kind.name == "report" and "as_of" in report.facts
    ]
    return max((date for date in dates if date is not None), default=None)


def _date_of(document: Document, key: str) -> dt.date | None:
    source = document.sources.get(key)
    fact = source.facts.get("date") if source else None
    return _day(fact.expr) if fact else None


def _day(expr: Expr) -> dt.date | None:
    text = expr.value.text if expr.op == "literal" else str(expr.value)
    found = read_period(text)
    return found.last_day if found else None


def _unused_lets(document: Document, used: frozenset[str]) -> Iterator[Diagnostic]:
    """A formula at the top or in a scenario is a result that one may ask for."""
    lets = [let for let in document.lets.values() if let.file == document.file]
    lets = [let for let in lets if not let.formula]
    for block in own_blocks(document):
        if block.kind.name != "scenario":
            lets += [f for p, f in block.facts.items() if f.let and p in block.own]
    for let in lets:
        if let.origin not in used:
            fixes = tuple(
                Fix(fix.title, fix.span, fix.text, safe=False)
                for fix in _without(let, document)
            )
            name = let.origin
            yield at("L002", let.path_span, severity=WARNING, fixes=fixes, name=name)


def _unused_blocks(lookup: Lookup) -> Iterator[Diagnostic]:
    document = lookup.document
    if not any(block.kind.name in ASKING for block in own_blocks(document)):
        return
    used: set[str] = set()
    for block in document.blocks.values():
        if block.kind.name in ASKING:
            used |= reach(block, lookup)
            for fact in overrides_of(block):
                found = lookup.find(fact.path, block, fact.file)
                if isinstance(found, Target) and found.block is not None:
                    used.add(found.block.name)
    used |= _asked_at_the_top(lookup)
    for block in document.blocks.values():
        if block.name in used and block.base:
            used |= _bases(block, document)
    for block in own_blocks(document):
        if block.kind.name not in _UNNAMED and block.name not in used:
            name = block.label
            yield at("L004", block.span, severity=WARNING, name=name)


def _asked_at_the_top(lookup: Lookup) -> set[str]:
    """The blocks that conditions and `let`s at the top lead to."""
    document = lookup.document
    used: set[str] = set()
    waiting: list[Block] = []
    for let in document.lets.values():
        waiting += mentioned(let, None, lookup)
    for condition in document.conditions:
        for part in condition.expr.walk():
            found = (
                lookup.find(part.value, None, condition.file)
                if part.op == "path"
                else None
            )
            if isinstance(found, Target) and found.block is not None:
                waiting.append(found.block)
    for block in waiting:
        if block.name not in used:
            used |= reach(block, lookup)
    return used


def _bases(block: Block, document: Document) -> set[str]:
    out: set[str] = set()
    current: Block | None = block
    while current is not None and current.base and current.base not in out:
        out.add(current.base)
        current = document.blocks.get(current.base)
    return out
