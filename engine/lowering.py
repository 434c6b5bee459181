"""Stated facts to nodes: literals to inputs, formulas to formula nodes.

A formula's paths become its parameters; an interval or a choice inside a formula is
an input of its own, named after the statement.
"""

import functools
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.document import Block, Fact
from isocost.dsl.exchange import FOREIGN, rate_of, unit_of
from isocost.dsl.expr import Expr, symbol
from isocost.dsl.functions import DISTRIBUTIONS, function_tree
from isocost.dsl.schema.base import Attribute
from isocost.dsl.syntax import CiteRef
from isocost.dsl.units import unit
from isocost.dsl.values import is_formula, number_of, word_of
from isocost.engine import spreads
from isocost.engine.formula import Formula, Param
from isocost.engine.graph import Bound, Input, Spread

if TYPE_CHECKING:
    from isocost.engine.scope import Scope

_SPREADS = {"interval", "tolerance"}
#: What is asked of all the points of a dated quantity.
_OVER_DATES = {"sum", "last"}


class Lowering:
    """Turns facts into nodes of a scope's graph."""

    def __init__(self, scope: "Scope") -> None:
        self.scope = scope

    def fact(
        self, fact: Fact, attribute: Attribute | None, context: Block | None, path: str
    ) -> int:
        """The node of a fact.

        Args:
            fact: The statement.
            attribute: The attribute that it is about, if it is one.
            context: The block inside which its paths are read.
            path: The role path under which it is known, for messages and choices.
        """
        expr = fact.expr
        if attribute is not None and attribute.sort in {"flag", "word"}:
            return self.scope.builder.constant(float(word_of(expr) == "true"))
        if not self._is_input(expr, formula=fact.formula):
            shown = fact.unit.text if fact.unit else attribute.unit if attribute else ""
            doc = attribute.doc if attribute else fact.doc
            node = self.expression(
                expr, fact.origin, shown, context, fact.file, fact.cites, doc
            )
            if attribute is not None and not attribute.free:
                span = expr.span or fact.span
                bound = Bound(attribute, str(fact.path), span)
                self.scope.builder.bounds.setdefault(node, bound)
            return node
        made = self._input(expr, fact.origin, attribute, path)
        doc = attribute.doc if attribute else fact.doc
        whole = attribute is not None and attribute.whole
        made = attrs.evolve(
            made,
            cites=fact.cites,
            doc=doc,
            note=fact.doc if attribute else "",
            span=fact.span,
            whole=whole,
            limits=spreads.limits(attribute),
        )
        node = self.scope.builder.add(made)
        if attribute is None or attribute.free:
            return node
        return self._in_dollars(node, expr)

    def _in_dollars(self, node: int, expr: Expr) -> int:
        """An amount of another currency at the rate of the scenario's date."""
        found = unit_of(expr)
        for code, power in found.dim.exponents if found else ():
            rate = rate_of(self.scope.document, code) if code in FOREIGN else None
            if rate is not None:
                block, sign = rate
                node = self.scope.apply(
                    _converted(int(power) * sign),
                    amount=self.scope.as_node(node),
                    rate=self.scope.as_node(self.scope.of_block(block, "rate")),
                )
        return node

    @staticmethod
    def _is_input(expr: Expr, *, formula: bool) -> bool:
        if formula or is_formula(expr):
            return False
        if expr.op == "path":
            return str(expr.value) == "auto"
        return True

    def default(self, origin: str, attribute: Attribute, path: str) -> int:
        """The input of a schema's default, marked as such.

        Args:
            origin: The kind and the attribute's path, which all blocks share.
            attribute: The attribute.
            path: The role path under which it can be stated.
        """
        assert attribute.default is not None  # noqa: S101 (the caller looked)
        if attribute.sort in {"flag", "word"}:
            return self.scope.builder.constant(float(attribute.default == "true"))
        low, _, high = attribute.default.partition(" to ")
        expr = _literal(low)
        if high:
            expr = Expr("interval", (expr, _literal(high)))
        made = self._input(expr, f"default.{origin}", attribute, path)
        made = attrs.evolve(
            made,
            default=True,
            doc=attribute.doc,
            note=attribute.default_source,
            whole=attribute.whole,
            limits=spreads.limits(attribute),
        )
        return self.scope.builder.add(made)

    def _input(
        self, expr: Expr, origin: str, attribute: Attribute | None, path: str
    ) -> Input:
        shown = unit_of(expr) or unit(attribute.unit if attribute else "1")
        factor = 1.0
        if attribute is not None and attribute.bare and shown.dim.plain:
            factor = unit(attribute.bare).factor
            shown = unit(attribute.unit)
        if expr.op in {"path", "choice"} and self.scope.name:
            origin = f"{self.scope.name}:{origin}"
            if self.scope.pool_name:
                path = f"{self.scope.pool_name}.{path.removeprefix('workload.')}"
        if expr.op == "path":
            options: tuple[float, ...] = ()
            return Input(
                origin,
                1.0,
                shown.text,
                shown.factor,
                auto=True,
                path=path,
                options=options,
            )
        if expr.op == "choice":
            numbers = [number_of(arg) or 0.0 for arg in expr.args]
            options = tuple(
                n * (factor if unit_of(arg) is None else 1.0)
                for n, arg in zip(numbers, expr.args, strict=True)
            )
            least = min(options)  # a tie goes to the smaller
            return Input(
                origin, least, shown.text, shown.factor, options=options, path=path
            )
        try:
            central, spread = spreads.read(expr, attribute, factor)
        except ValueError:
            raise self.scope.fail(
                "V003", name=path, expected="a number", found=repr(expr)
            ) from None
        if expr.op != "literal" and spread == Spread():
            spread = Spread()
        return Input(origin, central, shown.text, shown.factor, spread, path=path)

    def expression(
        self,
        expr: Expr,
        name: str,
        shown: str,
        context: Block | None,
        file: str,
        cites: tuple[CiteRef, ...],
        doc: str = "",
    ) -> int:
        """The node of an expression: a formula of the paths in it."""
        params: dict[str, Param] = {}
        nodes: list[int] = []
        extra = 0

        def leaf(part: Expr) -> Expr:
            nonlocal extra
            if part.op in _OVER_DATES and len(part.args) == 1:
                dated = self._over_dates(part, context, file)
                if dated is not None:
                    text = f"{part.op}({part.args[0].value})"
                    return _parameter(text, dated, params, nodes)
            if part.op == "path":
                return self._word_or(
                    part, lambda: self._path(part, context, file), params, nodes
                )
            if part.op == "call" and part.value.name == "derived":
                text = str(part.args[0].value)
                return _parameter(text, self.scope.derive(text), params, nodes)
            if part.op in _SPREADS or part.op == "choice" or _distribution(part):
                extra += 1
                made = self._input(part, f"{name}#{extra}", None, name)
                made = attrs.evolve(made, cites=cites, span=part.span)
                return _parameter(
                    made.origin, self.scope.builder.add(made), params, nodes
                )
            return part

        body = _map_leaves(function_tree(expr), leaf)
        text = " ".join(
            f"@{c.key}" + (f' "{c.locator}"' if c.locator else "") for c in cites
        )
        formula = self.scope.builder.formula(
            name, shown or "", body, params, doc=doc, source=text
        )
        return self.scope.builder.add(formula, tuple(nodes))

    def _word_or(
        self, part: Expr, build: Any, params: dict[str, Param], nodes: list[int]
    ) -> Expr:
        text = str(part.value)
        if text in {"true", "false"}:
            return Expr("number", value=float(text == "true"), span=part.span)
        if text in params:
            return symbol(text)
        return _parameter(text, build(), params, nodes)

    def _over_dates(self, part: Expr, context: Block | None, file: str) -> int | None:
        """`sum(x)` or `last(x)` of a dated quantity; None where `x` is no such."""
        inner = part.args[0]
        if inner.op != "path":
            return None
        return self.scope.over_dates(part.op, inner.value, context, file)

    def _path(self, part: Expr, context: Block | None, file: str) -> int:
        return self.scope.resolve(part.value, context, file)


@functools.cache
def _converted(power: int) -> Formula:
    def convert(amount: Expr, rate: Expr) -> Expr:
        return amount * rate**power

    params = {
        "amount": Param("1", "x", "amount in another currency"),
        "rate": Param("1", "r", "rate of exchange"),
    }
    doc = "An amount in dollars, at the rate of the day."
    return Formula("in_dollars", "1", params, convert, source="edition 2026", doc=doc)


def _parameter(
    name: str, node: int, params: dict[str, Param], nodes: list[int]
) -> Expr:
    if name not in params:
        params[name] = Param("1", name)
        nodes.append(node)
    return symbol(name)


def _map_leaves(expr: Expr, change: Any) -> Expr:
    """`change` applied from the top; what it changes is not entered."""
    changed: Expr = change(expr)
    if changed is not expr or not expr.args:
        return changed
    return attrs.evolve(expr, args=tuple(_map_leaves(a, change) for a in expr.args))


def _distribution(expr: Expr) -> bool:
    return expr.op == "call" and expr.value.name in DISTRIBUTIONS


def _literal(text: str) -> Expr:
    from isocost.dsl.building import read_literal  # loads the parser

    return Expr("literal", (), read_literal(text.strip()))
