"""The dimension of what users write, with every clash as a diagnostic.

`Checker` walks one expression at a time, resolves its paths through `Lookup` and its
arithmetic through `dimensions.infer`.
"""

from collections.abc import Callable
from fractions import Fraction

import attrs

from isocost.dsl.degrees import degree
from isocost.dsl.dependencies import Key
from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.document import Block, Fact
from isocost.dsl.exchange import in_dollars
from isocost.dsl.expectations import of_unit
from isocost.dsl.expr import Expr
from isocost.dsl.functions import DISTRIBUTIONS, FUNCTIONS, function_tree
from isocost.dsl.intervals import interval_fault, with_unit, without_unit
from isocost.dsl.lookup import SHORTHANDS, Lookup, Target, Unknown
from isocost.dsl.mending import dimension_notes, per_one
from isocost.dsl.shipped import nothing_called
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Path, parse_path
from isocost.dsl.table import entry_of
from isocost.dsl.units import CURRENCIES, PLAIN, Dim

#: How the operations that state one number in several are written.
_SHOWN = {"interval": "to", "choice": "{ }", "tolerance": "±"}


@attrs.define
class Checker:
    """Dimensions of expressions inside one block (or at the top, `block` None)."""

    lookup: Lookup
    report: Callable[[Diagnostic], None]
    block: Block | None = None
    file: str = ""
    used: set[str] = attrs.field(factory=set)
    lets: "Lets" = attrs.field(init=False)
    shared: "Lets | None" = None

    def __attrs_post_init__(self) -> None:
        self.lets = self.shared or Lets(self.lookup)

    def dim(self, expr: Expr) -> Dim | None:
        """The dimension of an expression; None where a mistake was reported."""
        wrong = [fault for part in expr.walk() if (fault := _arguments(part))]
        if wrong:
            for fault in wrong:
                self.report(fault)
            return None
        return infer(function_tree(expr), self._leaf, self._clash)

    def _leaf(self, expr: Expr) -> Dim | None:
        match expr.op:
            case "path":
                return self._path(expr)
            case "interval":
                if without_unit(expr) is not None:  # told as a fault of its form
                    return self.dim(with_unit(expr))
                return None if interval_fault(expr) else self._shared(expr)
            case "tolerance":
                return self._tolerance(expr)
            case "choice":
                return self._shared(expr)
            case "call":
                return self._call(expr)
            case "last":
                return self.dim(expr.args[0])
            case "unreadable":
                return None
            case _:
                found = {"text": "a text", "date": "a date", "list": "a list"}
                self._wrong_sort(expr, "a number", found.get(expr.op, expr.op))
                return None

    def _wrong_sort(self, expr: Expr, expected: str, found: str) -> None:
        assert expr.span is not None  # noqa: S101 (parsed)
        args = {"name": "", "expected": expected, "found": found}
        self.report(at("V003", expr.span, facts=args))

    def _shared(self, expr: Expr) -> Dim | None:
        """One dimension for all alternatives of an interval, choice or distribution."""
        op = _SHOWN.get(expr.op) or expr.value.name

        def clash(found: Clash) -> None:
            own = found.op == "max" and found.expr.args is expr.args
            self._clash(attrs.evolve(found, op=op) if own else found)

        return infer(Expr("max", expr.args, None, expr.span), self._leaf, clash)

    def _tolerance(self, expr: Expr) -> Dim | None:
        middle, width = expr.args
        found = self.dim(middle)
        half = self.dim(width)
        negative = width.op == "neg"
        if negative and width.span is not None:
            why = "what follows `±` is its half-width, which is not negative"
            help_ = "write the half-width without a sign, as in `500 W ± 10%`"
            self.report(at("V004", width.span, why=why, help=help_))
            return found
        relative = width.op == "literal" and "%" in width.value.text
        if relative or found is None or half is None:
            return found
        if half != found:
            self._clash(Clash(_SHOWN["tolerance"], expr, width, middle, found, half))
        return found

    def _call(self, expr: Expr) -> Dim | None:
        name = expr.value.name
        assert expr.span is not None  # noqa: S101 (parsed)
        if name == "derived" and len(expr.args) == 1:
            return self._derived(expr)
        if name in DISTRIBUTIONS:
            wanted = DISTRIBUTIONS[name]
            if wanted is not None and len(expr.args) != wanted:
                why = f"`{name}` takes {wanted} values"
                self.report(at("V004", expr.span, why=why))
            if name == "normal" and len(expr.args) == 2:  # noqa: PLR2004
                return self._tolerance(expr)
            return self._shared(expr)
        if name == "select":
            return self._shared(attrs.evolve(expr, args=expr.args[1:]))
        path = self.lookup.find(parse_path(name), self.block, self.file)
        if isinstance(path, Target):
            self._wrong_sort(expr, "a number", "a call")
            return None
        near = nearest(name, [*FUNCTIONS, *DISTRIBUTIONS])
        self.report(at("N003", expr.span, name=f"{name}()", near=", ".join(near)))
        return None

    def _derived(self, expr: Expr) -> Dim | None:
        """`derived(PATH)`: the quantity must be one that the engine derives."""
        (inner,) = expr.args
        inside = self.block is not None and self.block.kind.name == "scenario"
        if inner.op != "path" or not inside:
            where = "a path" if inside else "`derived` in a scenario's override"
            self._wrong_sort(inner if inside else expr, where, "something else")
            return None
        found = self.lookup.find(inner.value, self.block, self.file)
        path = (
            parse_path(found.role or found.path) if isinstance(found, Target) else None
        )
        if path is not None and entry_of(self.lookup.table, path) is None:
            words = "what is stated and never derived"
            self._wrong_sort(inner, "a quantity that is derived", words)
            return None
        return self.dim(inner)

    def _path(self, expr: Expr) -> Dim | None:
        assert expr.span is not None  # noqa: S101 (parsed)
        path: Path = expr.value
        if str(path) == "auto":
            return None
        if str(path) in {"true", "false"}:
            return PLAIN
        found = self.lookup.find(path, self.block, self.file)
        if isinstance(found, Unknown):
            if not found.told:
                self.report(unknown(found, expr))
            return None
        return self.target_dim(found, expr)

    def target_dim(self, found: Target, expr: Expr | None = None) -> Dim | None:
        """The dimension of what a path leads to, as seen from where it is written."""
        if found.fact is not None:
            self.used.add(found.fact.origin)
        if found.sort == "metric" and found.entry is not None:
            return found.entry.dim
        if found.sort == "block":
            if expr is not None:
                kind = found.block.kind.name if found.block else "block"
                self._wrong_sort(expr, "a number", f"a {kind}")
            return None
        attribute = found.attribute
        if attribute is not None and attribute.sort == "flag":
            return PLAIN
        if attribute is not None and attribute.sort != "quantity":
            if expr is not None:
                self._wrong_sort(expr, "a number", f"a {attribute.sort}")
            return None
        if attribute is not None and attribute.free:
            return self._free_dim(found)
        if attribute is not None:
            return attribute.dim / found.scale_dim
        return self._let_dim(found)

    def _free_dim(self, found: Target) -> Dim | None:
        """The dimension of what is stated, where the attribute leaves it open."""
        block = found.block
        near = [
            fact
            for fact in (block.facts.values() if block else ())
            if fact.attribute is found.attribute
            and fact.path.keys[:1] == parse_path(found.path).keys[:1]
        ]
        if block is not None and found.attribute is not None and not near:
            only = found.attribute.keys == ("date",)
            facts = block.facts.values() if only else ()
            near = [fact for fact in facts if fact.attribute is found.attribute]
        fact = found.fact or (near[0] if near else None)
        inner = None if fact is None else self.lets.dim(found, fact)
        return None if inner is None else inner / found.scale_dim

    def _let_dim(self, found: Target) -> Dim | None:
        """A `let` is seen as its formula would be with all its paths seen from here."""
        fact = found.fact
        inner = None if fact is None else self.lets.dim(found, fact)
        if fact is None or inner is None or found.scale_dim.plain:
            return inner
        return inner / found.scale_dim ** self.lets.degree(found)

    def _clash(self, clash: Clash) -> None:
        self.report(clash_diagnostic(clash))

    def expect(
        self,
        fact: Fact,
        wanted: Dim,
        name: str,
        per: Dim = PLAIN,
        shown: str = "",
        also: Callable[[], tuple[Label, ...]] = tuple,
    ) -> None:
        """Check that a fact has a dimension.

        Args:
            fact: The statement.
            wanted: The dimension.
            name: What it is about.
            per: One countable that it may be over.
            shown: The unit in which it is usually written.
            also: Tells where the expectation comes from; asked only where it is missed.
        """
        found = self.dim(fact.expr)
        if fact.unit is not None and found is not None and found != fact.unit.dim:
            notes, mend = dimension_notes(fact.unit.dim, found)
            self.report(
                at(
                    "U002",
                    fact.expr.span or fact.span,
                    also=of_unit(fact),
                    notes=notes,
                    help=mend,
                    unit=fact.unit.text,
                    expected=fact.unit.dim,
                    found=found,
                )
            )
            return
        if found is not None and not fact.formula:
            found = in_dollars(self.lookup.document, found)
        if found is None or found in {wanted, wanted / per}:
            return
        notes, mend = dimension_notes(wanted, found)
        if found.plain and shown and not wanted.plain:
            mend = f"a unit is missing: write it in `{shown}` or a multiple of that"
        elif not fact.formula:
            stated = (e.value for e in fact.expr.walk() if e.op == "literal")
            mend = per_one(next(stated, None), wanted, found, shown) or mend
        self.report(
            at(
                "U004",
                fact.expr.span or fact.span,
                also=also(),
                notes=notes,
                help=mend,
                name=name,
                expected=wanted,
                found=found,
            )
        )


class Lets:
    """The dimensions of `let`s as they stand, each worked out once.

    What a `let` needs is worked out before it, so that no chain is too long, and a
    ring ends where it began. A `let` reports its own mistakes where it stands, not
    where it is used.
    """

    def __init__(self, lookup: Lookup) -> None:
        self.needs = lookup.needs
        self._dims: dict[Key, Dim | None] = {}
        self._degrees: dict[Key, Fraction | None] = {}

    def dim(self, found: Target, fact: Fact) -> Dim | None:
        """The dimension of a `let` as its own block sees it; None if unknown."""
        owner = found.block.name if found.block and found.sort == "quantity" else ""
        key = (owner, str(fact.path))
        if key not in self._dims:
            for one in self.needs.order(key, self._dims.__contains__):
                self._work_out(one)
        return self._dims[key]

    def degree(self, found: Target) -> Fraction:
        """How often it is per one of its block's kind: once where it is a figure."""
        owner = found.block.name if found.block else ""
        known = self._degrees.get((owner, found.path))
        return Fraction(1) if known is None else known

    def _work_out(self, key: Key) -> None:
        fact = self.needs.fact(key)
        self._dims.setdefault(key, None)
        if fact is None:
            return
        block = self.needs.block(key)
        quiet = Checker(self.needs.lookup, _ignore, block, fact.file, shared=self)
        stated = fact.unit.dim if fact.unit is not None else None
        found = quiet.dim(fact.expr)
        clash = None not in {stated, found} and stated != found  # told where it stands
        self._dims[key] = None if clash else stated or found
        self._degrees[key] = degree(
            function_tree(fact.expr), lambda part: self._of_path(part, block, fact.file)
        )

    def _of_path(self, part: Expr, block: Block | None, file: str) -> Fraction | None:
        found = self.needs.lookup.find(part.value, block, file)
        if isinstance(found, Unknown) or found.sort == "block":
            return None
        if found.sort != "quantity" or found.outside or found.scenario is not None:
            return Fraction(0)
        if found.attribute is None and found.block is not None:
            return self._degrees.get((found.block.name, found.path))
        return Fraction(1)


def _arguments(expr: Expr) -> Diagnostic | None:
    """What is wrong with how many values a function of the language is given."""
    if expr.op != "call" or expr.span is None:
        return None
    name = expr.value.name
    if name not in FUNCTIONS and DISTRIBUTIONS.get(name, 1) is not None:
        return None
    wanted, given = FUNCTIONS.get(name), len(expr.args)
    if given == wanted or (wanted is None and given):
        return None
    count = "at least one value" if wanted is None else "one value"
    if wanted is not None and wanted > 1:
        count = f"{wanted} values"
    return at("V007", expr.span, name=name, count=count, given=given)


def _ignore(_: Diagnostic) -> None:
    """A `let` reports its own mistakes where it stands, not where it is used."""


def unknown(found: Unknown, expr: Expr) -> Diagnostic:
    """The diagnostic for a path that leads nowhere."""
    assert expr.span is not None  # noqa: S101 (parsed)
    if found.candidates:
        names = ", ".join(found.candidates)
        return at("N007", expr.span, name=found.name, candidates=names)
    if found.rivals:
        *others, last = (block.kind.name for block in found.rivals)
        kinds = f"{', '.join(others)} or the {last}"
        also = [Label(block.span, f"the {block.kind.name}") for block in found.rivals]
        return at("N012", expr.span, also=also, name=found.name, kinds=kinds)
    if found.role:
        full = ".".join(SHORTHANDS.get(found.role, ()))
        advice = f"state it where it belongs: `{full} = …`" if full else None
        return at("R009", expr.span, name=found.role, help=advice)
    return nothing_called(found.name, expr.span, found.near)


def clash_diagnostic(clash: Clash) -> Diagnostic:
    """The diagnostic for two dimensions that should have been one."""
    span = clash.culprit.span or clash.expr.span
    assert span is not None  # noqa: S101 (parsed)
    if clash.op in {"log", "exp", "^"}:
        return at("U006", span, op=clash.op, found=clash.found)
    money = {c for c, _ in (*clash.expected.exponents, *clash.found.exponents)}
    notes, mend = dimension_notes(clash.expected, clash.found)
    if len(money & {"money", *CURRENCIES}) > 1:
        facts = {"expected": clash.expected, "found": clash.found}
        return at("U007", span, also=_other_side(clash), help=mend, facts=facts)
    if clash.op in _SHOWN.values():
        mend = "write all its numbers in one unit, or in multiples of it"
    return at(
        "U005",
        span,
        also=_other_side(clash),
        notes=notes,
        help=mend,
        op=clash.op,
        expected=clash.expected,
        found=clash.found,
    )


def _other_side(clash: Clash) -> tuple[Label, ...]:
    if clash.other is None or clash.other.span is None:
        return ()
    return (Label(clash.other.span, f"this is {clash.expected}"),)
