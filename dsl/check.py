"""All diagnostics of a document: names, sorts of values, bounds, units, sources.

`check(document, table)` reports; nothing is computed. The table of what the engine
derives is an argument, so that this layer never imports the engine.
"""

from functools import partial

import attrs

from isocost.dsl import correlate
from isocost.dsl.allow import Silences
from isocost.dsl.calls import topology_faults
from isocost.dsl.diagnostics import WARNING, Diagnostic, Label, at, failed, ordered
from isocost.dsl.document import Block, Condition, Document, Fact
from isocost.dsl.expectations import of_entry, of_fact, of_schema
from isocost.dsl.expr import Expr
from isocost.dsl.expressions import Checker, Lets, unknown
from isocost.dsl.keys import key_fault
from isocost.dsl.lint import OLD_PRICE, lint
from isocost.dsl.load import load
from isocost.dsl.lookup import Lookup, Target, Unknown
from isocost.dsl.mending import spelled
from isocost.dsl.overrides import check_overrides, unbound
from isocost.dsl.policies import check_condition
from isocost.dsl.resolve import resolve
from isocost.dsl.schema.base import Attribute
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import CiteRef, Path, parse_path
from isocost.dsl.table import Table, entry_of, topologies_of
from isocost.dsl.units import PLAIN, Dim, unit
from isocost.dsl.values import (
    check_auto,
    check_bounds,
    check_date,
    check_form,
    check_sort,
    sort_of,
)
from isocost.dsl.vendors import vendor_faults

#: Kinds whose statements are no facts of the world and need no source.
_NO_SOURCES = {"source", "report", "policy", "scenario", "fleet", "exchange"}
_MONEY_KINDS = {"size"}
#: What a size may be stated in.
_SIZES = ("chip", "system", "W", "$")
#: Operators whose result is true or false.
_TRUTHS = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}
#: The first letter of what is said of lines that cannot be read.
_UNREADABLE = "S"
#: Lists of metrics and of inputs, which must be known.
_METRICS = {"metrics", "watch", "between"}


@attrs.frozen
class Checked:
    """A document with its lookups and everything that is wrong with it."""

    document: Document
    lookup: Lookup
    diagnostics: list[Diagnostic]
    silences: Silences | None = None


class _Check:
    def __init__(self, document: Document, table: Table) -> None:
        self.document = document
        self.lookup = Lookup(document, table)
        self.lets = Lets(self.lookup)
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)
        self.cited: set[str] = set()
        self.used: set[str] = set()

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def checker(self, block: Block | None, file: str) -> Checker:
        shared = self.lets
        return Checker(
            self.lookup, self.report, block, file, used=self.used, shared=shared
        )

    def run(self) -> None:
        for block in (*self.document.sources.values(), *self.document.blocks.values()):
            for path, fact in block.facts.items():
                if path in block.own:
                    self._fact(fact, block)
            self._exclusive(block)
        for let in self.document.lets.values():
            self._let(let, None)
            self._cites(let.cites)
        for condition in self.document.conditions:
            self._condition(condition)
        for ring, overrides in self.lets.needs.rings():
            self.report(self.lets.needs.ring_diagnostic(ring, overrides))
        for block in self.document.of_kind("correlation"):
            self.diagnostics += correlate.block_faults(block, self.lookup)
        for scenario in self.document.of_kind("scenario"):
            check_overrides(scenario, self.lookup, self.report)
        scenarios = self.document.of_kind("scenario")
        self.diagnostics += vendor_faults(scenarios, self.lookup)
        self.diagnostics += correlate.faults(self.lookup)
        self._unused_sources()
        if not failed(self.diagnostics):
            project = self.document.project
            months = project.price_age_months if project else None
            found = lint(self.lookup, frozenset(self.used), months or OLD_PRICE)
            self.diagnostics += found

    def _fact(self, fact: Fact, block: Block) -> None:
        self._cites(fact.cites)
        if fact.let:
            self._let(fact, block)
            return
        attribute = fact.attribute
        if attribute is None:
            self._override(fact, block)
            return
        self._keys(fact, fact.path, attribute)
        if attribute.sort == "quantity":
            check_form(fact, self.report)
            self._quantity(fact, attribute, block)
            self._sourced(fact, attribute, block)
        else:
            check_sort(fact, attribute, self.document, self.report)
            self._topology(fact, attribute)
            self._mentioned(fact)
            if attribute.path == "objective" and block.kind.name == "scenario":
                self._objective(fact, block)
        if attribute.path == "holds" and block.kind.name == "report":
            self._holds(fact.expr, fact.span, fact.file)
        if attribute.path == "deny[]":
            table = self.lookup.table
            check_condition(fact.expr, self.document, table, self.report)

    def _exclusive(self, block: Block) -> None:
        """What may not stand together, since the one has the other in it."""
        for attribute in block.kind.exclusive:
            for name in attribute.excludes:
                pair = (block.facts.get(attribute.path), block.facts.get(name))
                found = [fact for fact in pair if fact is not None]
                own = [str(fact.path) in block.own for fact in found]
                if len(found) == len(pair) and any(own):
                    self._excluded(found, own)

    def _excluded(self, found: list[Fact], own: list[bool]) -> None:
        """The later of two statements is at fault, the block's own before a base's."""
        order = sorted(
            zip(own, found, strict=True), key=lambda p: (p[0], p[1].span.start)
        )
        (_, first), (_, last) = order
        also = (Label(first.path_span, "stated here"),)
        facts = {"name": str(last.path), "other": str(first.path)}
        self.report(at("V012", last.path_span, also=also, facts=facts))

    def _mentioned(self, fact: Fact) -> None:
        """The paths in a report's lists count as uses; metrics must be known ones."""
        listed = fact.attribute is not None and fact.attribute.path in _METRICS
        for part in fact.expr.walk():
            if part.op != "path":
                continue
            found = self.lookup.find(part.value, None, fact.file)
            if isinstance(found, Target) and found.fact is not None:
                self.used.add(found.fact.origin)
            known = isinstance(found, Target) or entry_of(self.lookup.table, part.value)
            if listed and not known and part.span is not None:
                self._unknown_metric(part)

    def _unknown_metric(self, part: Expr) -> None:
        assert part.span is not None  # noqa: S101 (just asked)
        name = str(part.value)
        scenarios = self.document.of_kind("scenario")
        found = (self.lookup.find(part.value, one) for one in scenarios)
        if any(isinstance(one, Target) or one.told for one in found):
            return
        near = ", ".join(nearest(name, self.lookup.table))
        self.report(at("N003", part.span, name=name, near=near))

    def _keys(self, fact: Fact, path: Path, attribute: Attribute) -> None:
        fault = key_fault(fact, path, attribute, self.document)
        if fault is not None:
            self.report(fault)

    def _let(self, fact: Fact, block: Block | None) -> None:
        check_auto(fact, None, self.report)
        check_form(fact, self.report)
        checker = self.checker(block, fact.file)
        before = self._restated(fact, block)
        if before is not None and (wanted := self._of_base(before, block)) is not None:
            stated = partial(of_fact, before, wanted)
            checker.expect(fact, wanted, str(fact.path), also=stated)
        elif fact.unit is not None:
            checker.expect(fact, fact.unit.dim, str(fact.path))
        else:
            checker.dim(fact.expr)

    def _restated(self, fact: Fact, block: Block | None) -> Fact | None:
        """The base's `let` that a `let` restates and inherited formulas rest on."""
        base = self.document.blocks.get(block.base or "") if block else None
        before = base.facts.get(str(fact.path)) if base is not None else None
        if block is None or before is None or not before.let:
            return None
        facts = block.facts.items()
        inherited = [f for path, f in facts if f.formula and path not in block.own]
        parts = (part for one in inherited for part in one.expr.walk())
        rests = any(part.op == "path" and part.value == fact.path for part in parts)
        return before if rests else None

    def _of_base(self, before: Fact, block: Block | None) -> Dim | None:
        """The dimension of a base's `let`, on which inherited formulas rest."""
        base = self.document.blocks[block.base] if block and block.base else None
        found = Target("quantity", str(before.path), block=base, fact=before)
        return self.lets.dim(found, before)

    def _quantity(self, fact: Fact, attribute: Attribute, block: Block) -> None:
        check_auto(fact, attribute, self.report)
        check_bounds(fact, attribute, self.report)
        check_date(fact, attribute, self.report)
        if attribute.free or fact.path.pattern in _MONEY_KINDS:
            found = self.checker(block, fact.file).dim(fact.expr)
            if not attribute.free and found is not None:
                self._size(fact, attribute, found)
            return
        if attribute.bare and _bare(fact.expr):
            return
        per = block.kind.count_dim
        checker = self.checker(block, fact.file)
        name, also = str(fact.path), partial(of_schema, fact.path_span, attribute)
        checker.expect(fact, attribute.dim, name, per, attribute.unit, also)

    def _size(self, fact: Fact, attribute: Attribute, found: Dim) -> None:
        """A size counts chips or systems, or is a power or a sum of money."""
        if found.plain or found in [unit(text).dim for text in _SIZES]:
            return
        assert fact.expr.span is not None  # noqa: S101 (parsed)
        facts = {
            "name": str(fact.path),
            "expected": "a number of chips or systems, a power or a sum of money",
            "found": spelled(found) or str(found),
        }
        advice = "write `64 chip`, `8 system`, `10 MW` or `100M $`"
        also = of_schema(fact.path_span, attribute)
        self.report(at("U004", fact.expr.span, also=also, facts=facts, help=advice))

    def _objective(self, fact: Fact, block: Block) -> None:
        """What is to be made least or most is a metric or a `let` of the scenario."""
        items = fact.expr.args if fact.expr.op == "list" else (fact.expr,)
        for item in items:
            assert item.span is not None  # noqa: S101 (parsed)
            if item.op != "path":
                facts = {"name": "objective", "expected": "a metric"}
                self.report(at("V003", item.span, facts=facts, found=sort_of(item)))
                continue
            name = str(item.value)
            found = self.lookup.find(item.value, block, fact.file)
            if isinstance(found, Target) or entry_of(self.lookup.table, item.value):
                continue
            near = ", ".join(nearest(name, self.lookup.table))
            self.report(at("N003", item.span, name=name, near=near))

    def _override(self, fact: Fact, scenario: Block) -> None:
        found = self.lookup.find(fact.path, scenario, fact.file)
        where = Expr("path", (), fact.path, fact.path_span)
        if isinstance(found, Unknown):
            if not found.told:
                self.report(unknown(found, where))
            return
        checker = self.checker(scenario, fact.file)
        check_form(fact, self.report)
        if found.attribute is None or found.attribute.sort == "quantity":
            check_auto(fact, found.attribute, self.report)
        if found.sort == "metric" and found.entry is not None:
            role = unbound(fact.path, scenario, self.lookup)
            if role is not None:
                self.report(at("R009", fact.path_span, name=role))
                return
            said = partial(of_entry, fact.path_span, found.entry)
            checker.expect(fact, found.entry.dim, str(fact.path), also=said)
            return
        attribute = found.attribute
        if attribute is not None:
            self._keys(fact, parse_path(found.path), attribute)
        if attribute is None:
            wanted = checker.target_dim(attrs.evolve(found, outside=False))
            if wanted is not None:
                stated = partial(of_fact, found.fact, wanted)
                checker.expect(fact, wanted, str(fact.path), also=stated)
        elif attribute.sort == "quantity":
            check_bounds(fact, attribute, self.report)
            check_date(fact, attribute, self.report)
            per = found.block.kind.count_dim if found.block else PLAIN
            if attribute.free:
                checker.dim(fact.expr)
            elif not (attribute.bare and _bare(fact.expr)):
                name, also = (
                    str(fact.path),
                    partial(of_schema, fact.path_span, attribute),
                )
                checker.expect(fact, attribute.dim, name, per, attribute.unit, also)
        else:
            check_sort(fact, attribute, self.document, self.report)
            self._topology(fact, attribute)

    def _topology(self, fact: Fact, attribute: Attribute) -> None:
        if attribute.path == "topology" and attribute.sort == "call":
            text = self.document.sources_text.get(fact.file, "")
            known = topologies_of(self.lookup.table)
            self.diagnostics += topology_faults(fact, known, text)

    def _condition(self, condition: Condition) -> None:
        self._cites(condition.cites)
        self._holds(condition.expr, condition.span, condition.file)

    def _holds(self, expr: Expr, place: Span, file: str) -> None:
        """What a check, a claim or a report's title rests on is true or false."""
        found = self.checker(None, file).dim(expr)
        number = found is not None and not self._truth(expr, file)
        if number or (found is not None and not found.plain):
            span = expr.span or place
            words = "a number" if found is None or found.plain else f"{found}"
            args = {"name": "", "expected": "a comparison", "found": words}
            advice = "say what must hold, as in `a.cost.capex < 10M $`"
            self.report(at("V003", span, facts=args, help=advice))

    def _truth(self, expr: Expr, file: str, depth: int = 20) -> bool:
        """Whether a formula may be true or false, and is no plain number."""
        if expr.op == "if":
            return all(self._truth(arg, file, depth) for arg in expr.args[1:])
        if expr.op != "path":
            return expr.op in _TRUTHS
        found = self.lookup.find(expr.value, None, file)
        if not isinstance(found, Target) or found.sort == "metric" or not depth:
            return True
        if found.attribute is None and found.fact is not None:
            return self._truth(found.fact.expr, found.fact.file, depth - 1)
        return found.attribute is not None and found.attribute.sort == "flag"

    def _cites(self, cites: tuple[CiteRef, ...]) -> None:
        for cite in cites:
            if cite.assumed:
                continue
            self.cited.add(cite.key)
            known = cite.key in self.document.sources
            if not known and not self.document.excused(cite.key):
                near = ", ".join(nearest(cite.key, self.document.sources))
                self.report(at("N004", cite.span, name=cite.key, near=near))

    def _sourced(self, fact: Fact, attribute: Attribute, block: Block) -> None:
        if fact.cites or attribute.decision or block.kind.name in _NO_SOURCES:
            return
        left_open = fact.expr.op == "path" and str(fact.expr.value) == "auto"
        if fact.formula or left_open or fact.file != self.document.file:
            return
        name = f"{block.label}.{fact.path}"
        self.report(at("L001", fact.path_span, severity=WARNING, name=name))

    def _unused_sources(self) -> None:
        """A file that states nothing but sources is there for others to import."""
        document = self.document
        files = {block.file for block in document.blocks.values()}
        files |= {let.file for let in document.lets.values()}
        if document.file not in files:
            return
        for name, source in self.document.sources.items():
            if source.file == self.document.file and name not in self.cited:
                self.report(at("L003", source.span, severity=WARNING, name=name))


def _bare(expr: Expr) -> bool:
    """Whether every number of a value stands without a unit."""
    literals = [part for part in expr.walk() if part.op == "literal"]
    return bool(literals) and all(
        part.value.unit is None or part.value.unit.dim.plain for part in literals
    )


def _of_lines_read(found: list[Diagnostic], document: Document) -> list[Diagnostic]:
    """The diagnostics without those of lines that cannot be read, which say so."""
    texts = document.sources_text
    lines: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        if one.code.startswith(_UNREADABLE) and one.span.file in texts:
            text, span = texts[one.span.file], one.span
            end = text.find("\n", span.end)
            start = text.rfind("\n", 0, span.start) + 1
            place = (start, len(text) if end < 0 else end)
            lines.setdefault(span.file, []).append(place)
    return [
        one
        for one in found
        if one.code.startswith(_UNREADABLE)
        or not any(
            start <= one.span.start <= end
            for start, end in lines.get(one.span.file, ())
        )
    ]


def check(document: Document, table: Table) -> Checked:
    """Check a resolved document.

    Args:
        document: The document; its own diagnostics are taken over.
        table: What the engine derives for a scenario.

    Returns:
        The document with its lookups and its diagnostics, sorted, each once.
    """
    later = [d for d in document.diagnostics if d.code == "R006"]
    if later:
        return Checked(document, Lookup(document, table), ordered(later))
    run = _Check(document, table)
    run.run()
    silences = Silences(document.files, document.file)
    heard = silences.heard(_of_lines_read(run.diagnostics, document))
    if not failed(heard):
        heard += [*silences.faults, *silences.idle()]
    return Checked(document, run.lookup, ordered(heard), silences)


def check_file(path: str, table: Table, text: str | None = None) -> Checked:
    """Load, resolve and check a file.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: It is no UTF-8 text.
    """
    return check(resolve(load(path, text)), table)
