"""Trees as LaTeX for the typesetter of reports: ordered as written, never rearranged.

Products stand without a sign where that can be read, quotients as fractions, named
branches beside their terms. Factors that only carry a unit (`1 token`) are left out:
the table of symbols beside a formula says the units.
"""

import functools
import re
from collections.abc import Mapping

from isocost.dsl.expr import Expr
from isocost.engine.families import (
    INDEX,
    Family,
    filled,
    indexed,
    operands,
    template,
)
from isocost.engine.formula import Formula, real
from isocost.engine.printers.text import ATOM, LEVELS, level, number

_COMPARE = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "=", "!=": r"\ne"}
_LOGIC = {"and": r"\text{ and }", "or": r"\text{ or }"}
_BRACKETS = {
    "ceil": (r"\left\lceil ", r" \right\rceil"),
    "floor": (r"\left\lfloor ", r" \right\rfloor"),
    "abs": (r"\left| ", r" \right|"),
}
_ESCAPES = str.maketrans(
    {"_": r"\_", "%": r"\%", "$": r"\$", "#": r"\#", "&": r"\&", "^": r"\hat{}"}
)


def words(text: str) -> str:
    """Words set upright, with what LaTeX would read as a command escaped."""
    return rf"\text{{{text.translate(_ESCAPES)}}}"


def latex(expr: Expr, symbols: Mapping[str, str] | None = None) -> str:
    """A tree as LaTeX.

    Args:
        expr: The tree.
        symbols: The LaTeX of each symbol; one that is not in it is set as words.
    """
    return _Printer(symbols or {}).show(expr)


def equation(formula: Formula) -> str:
    """A formula as an equation: its own symbol, or its name, and its body."""
    symbols = {name: param.latex for name, param in formula.params.items()}
    left = formula.latex or words(formula.name.replace("_", " "))
    return f"{left} = {latex(formula.body, symbols)}"


class _Printer:
    def __init__(self, symbols: Mapping[str, str]) -> None:
        self.symbols = symbols

    def show(self, expr: Expr, least: int = 0) -> str:
        text = self.plain(expr)
        low = level(expr) < least and expr.op != "/"
        return rf"\left({text}\right)" if low else text

    def plain(self, expr: Expr) -> str:
        match expr.op:
            case "number":
                return _number(expr.value)
            case "literal":
                return _literal(expr)
            case "symbol" | "path":
                return self.symbols.get(str(expr.value), words(str(expr.value)))
            case "+" | "-":
                return self.added(expr)
            case "*":
                return self.product(expr)
            case "/":
                return self.quotient(expr)
            case "^":
                return self.power(expr)
            case "neg":
                return f"-{self.show(expr.args[0], LEVELS['*'])}"
            case "sum":
                return self.summed(expr)
            case "sqrt":
                return rf"\sqrt{{{self.show(expr.args[0])}}}"
            case "if":
                return self.cases(expr)
            case "min" | "max":
                return self.extreme(expr)
            case _:
                return self.other(expr)

    def added(self, expr: Expr) -> str:
        left = self.show(expr.args[0], LEVELS["+"])
        right = self.show(expr.args[1], LEVELS["*"])
        # A sum has no brackets of its own: after a minus it needs them.
        if expr.op == "-" and expr.args[1].op == "sum":
            right = rf"\left({right}\right)"
        if right.startswith("-"):
            right = rf"\left({right}\right)"
        return f"{left} {expr.op} {right}"

    def product(self, expr: Expr) -> str:
        return self.factors(_factors(expr)) or "1"

    def factors(self, found: list[Expr]) -> str:
        """Factors beside each other, less those that are only units."""
        kept = [f for f in found if not _bookkeeping(f)]
        parts = [self.factor(f, alone=len(kept) == 1) for f in kept]
        return functools.reduce(_beside, parts) if parts else ""

    def factor(self, expr: Expr, *, alone: bool) -> str:
        if alone:
            return self.show(expr)
        bare = self.plain(expr)
        open_ended = expr.op == "sum" or bare.startswith("-")
        return rf"\left({bare}\right)" if open_ended else self.show(expr, LEVELS["*"])

    def quotient(self, expr: Expr) -> str:
        binary = _binary_log(*expr.args)
        if binary is not None:
            return self.function(r"\log_2", binary)
        under: list[Expr] = []
        while expr.op == "/" and _binary_log(*expr.args) is None:
            under = [*_factors(expr.args[1]), *under]
            expr = expr.args[0]
        below = self.factors(under)
        return rf"\frac{{{self.show(expr)}}}{{{below}}}" if below else self.show(expr)

    def power(self, expr: Expr) -> str:
        base, exponent = expr.args
        if exponent.op in {"number", "literal"} and _value(exponent) == 1 / 2:
            return rf"\sqrt{{{self.show(base)}}}"
        text = self.show(base, ATOM)
        simple = base.op in {"number", "symbol", "literal"} and "^" not in text
        if not simple and not text.startswith(r"\left"):
            text = rf"\left({text}\right)"
        return f"{text}^{{{self.show(exponent)}}}"

    def listed(self, expr: Expr, least: int = 0) -> list[str]:
        """The operands; of a family its ends, with dots for the rest."""
        out: list[str] = []
        for one in operands(expr):
            if isinstance(one, Family):
                ends = (one.member(one.first), one.member(one.last))
                first, last = (self.symbols.get(e, words(e)) for e in ends)
                out += [first, r"\ldots", last]
            else:
                out.append(self.show(one, least))
        return out

    def summed(self, expr: Expr) -> str:
        """A sum; over an index where its operands are alike."""
        return " + ".join(
            rf"\sum_{{{INDEX}={one.first}}}^{{{one.last}}} {indexed(self.symbols, one)}"
            if isinstance(one, Family)
            else self.show(one, LEVELS["*"])
            for one in operands(expr)
        )

    def over_index(self, expr: Expr) -> str:
        """A kernel of any number of operands, as its own template says."""
        found = operands(expr)
        last = max((one.last for one in found if isinstance(one, Family)), default=0)
        parts = [
            indexed(self.symbols, one) if isinstance(one, Family) else self.show(one)
            for one in found
        ]
        return filled(template(expr), parts, last)

    def cases(self, expr: Expr) -> str:
        rows = []
        while expr.op == "if":
            condition, then, expr = expr.args
            rows.append(rf"{self.show(then)} & \text{{if }} {self.show(condition)}")
        rows.append(rf"{self.show(expr)} & \text{{else}}")
        return _brace(rows)

    def extreme(self, expr: Expr) -> str:
        if expr.value is None:
            return rf"\{expr.op}\left({', '.join(self.listed(expr))}\right)"
        parts = [self.show(arg) for arg in expr.args]
        rows = [
            rf"{part} & {words(name.replace('_', ' '))}"
            for name, part in zip(expr.value, parts, strict=True)
        ]
        return rf"\{expr.op}{_brace(rows)}"

    def function(self, name: str, arg: Expr) -> str:
        text = self.show(arg)
        if arg.op == "symbol":
            return rf"{name} {text}"
        return rf"{name}\left({text}\right)"

    def other(self, expr: Expr) -> str:
        if expr.op in _BRACKETS:
            opening, closing = _BRACKETS[expr.op]
            return f"{opening}{self.show(expr.args[0])}{closing}"
        if expr.op in _COMPARE or expr.op in _LOGIC:
            sign = _COMPARE.get(expr.op) or _LOGIC[expr.op]
            sides = [self.show(a, LEVELS[expr.op] + 1) for a in expr.args]
            return f" {sign} ".join(sides)
        if expr.op == "not":
            return rf"\text{{not }} {self.show(expr.args[0], LEVELS['not'])}"
        if expr.op == "log":
            return self.function(r"\ln", expr.args[0])
        if expr.op == "exp":
            return f"e^{{{self.show(expr.args[0])}}}"
        if template(expr) and any(isinstance(o, Family) for o in operands(expr)):
            return self.over_index(expr)
        parts = ", ".join(self.listed(expr))
        return rf"{words(str(expr.value or expr.op))}\left({parts}\right)"


def _brace(rows: list[str]) -> str:
    """Rows behind a brace, as one group, so that no line is broken inside."""
    return r"{\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}}"


def _factors(expr: Expr) -> list[Expr]:
    """The factors of a product, its left side opened up."""
    if expr.op != "*":
        return [expr]
    return [*_factors(expr.args[0]), expr.args[1]]


def _value(expr: Expr) -> float:
    return real(expr.value.base if expr.op == "literal" else expr.value)


def _bookkeeping(expr: Expr) -> bool:
    """Whether a factor is a unit and nothing else: `1 token`, `1 /sequence`."""
    return (
        expr.op == "literal" and expr.value.unit is not None and expr.value.base == 1.0
    )


def _binary_log(over: Expr, under: Expr) -> Expr | None:
    """The argument of a logarithm to base 2, which is written as a quotient."""
    if over.op != "log" or under.op != "log":
        return None
    base = under.args[0]
    two = base.op == "number" and base.value == 2  # noqa: PLR2004 (the base looked for)
    return over.args[0] if two else None


def _number(value: float) -> str:
    text = number(value)
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def _literal(expr: Expr) -> str:
    made = expr.value
    if made.unit is None or made.unit.factor == 1.0:
        return _number(made.number)
    if made.text.endswith("%"):
        return rf"{_number(made.number)}\,\%"
    return rf"{_number(made.number)}\,{words(made.unit.text)}"


def _beside(left: str, right: str) -> str:
    """Two factors: a thin space between letters, a dot where figures would run on."""
    figure = bool(re.match(r"[0-9]", right)) or right.startswith(r"\text")
    after_words = left.endswith("}") and r"\text{" in left.rsplit(" ", 1)[-1]
    return rf"{left} \cdot {right}" if figure or after_words else rf"{left}\,{right}"
