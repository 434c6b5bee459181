"""Text and LaTeX of trees: as the author wrote them, and back again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.expr import (
    Expr,
    absolute,
    both,
    ceil,
    exp,
    floor,
    largest,
    lift,
    log,
    log2,
    same,
    smallest,
    sqrt,
    symbol,
    total,
    where,
)
from isocost.dsl.functions import function_tree
from isocost.dsl.parser import parse
from isocost.engine.formula import q
from isocost.engine.printers.latex import latex
from isocost.engine.printers.text import number, show

N, D, X = symbol("N"), symbol("D"), symbol("X")
SYMBOLS = {"N": "N", "D": "D", "X": "x", "t": r"t_0", "share": r"\eta"}


def read(text: str) -> Expr:
    """A formula's text as the parser reads it, its names as symbols."""
    item = parse(f"edition 2026\nlet a := {text}\n", "a.scn").items[1]
    expr: Expr = item.value  # type: ignore[union-attr]

    def leaf(part: Expr) -> Expr:
        if part.op == "path":
            return symbol(str(part.value))
        if part.op == "literal":
            return lift(part.value.base)
        return part

    return function_tree(expr.map(leaf))


leaves = st.sampled_from([N, D, X]) | st.integers(0, 99).map(lambda n: lift(float(n)))
INFIX = ("+", "-", "*", "/", "^")
SIGNS = ("<", "<=", ">", ">=", "==", "!=")


def _branches(below: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    pair = st.tuples(below, below)
    condition = st.builds(Expr, st.sampled_from(SIGNS), pair)
    return st.one_of(
        st.builds(Expr, st.sampled_from(INFIX), pair),
        below.map(lambda e: Expr("neg", (e,))),
        st.builds(
            lambda op, e: Expr(op, (e,)),
            st.sampled_from(["ceil", "floor", "sqrt", "log", "exp", "abs"]),
            below,
        ),
        st.builds(Expr, st.sampled_from(["min", "max", "sum"]), pair),
        st.builds(lambda c, p: where(c, *p), condition, pair),
    )


@given(st.recursive(leaves, _branches, max_leaves=12))
def test_what_is_shown_parses_back(expr: Expr) -> None:
    assert read(show(expr)) == expr, show(expr)


@given(st.recursive(leaves, _branches, max_leaves=12))
def test_latex_has_its_braces_in_pairs(expr: Expr) -> None:
    text = latex(expr, SYMBOLS)
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right")
    assert text.count(r"\begin{cases}") == text.count(r"\end{cases}")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (6 * N * D, "6 * N * D"),
        (N * (D * X), "N * (D * X)"),
        (N - (D - X), "N - (D - X)"),
        (N - D - X, "N - D - X"),
        (N / (D * X), "N / (D * X)"),
        ((N + D) * X, "(N + D) * X"),
        (-(N**2), "-N ^ 2"),
        ((-N) ** 2, "(-N) ^ 2"),
        (N ** (-D), "N ^ -D"),
        (N ** (D**X), "N ^ D ^ X"),
        ((N**D) ** X, "(N ^ D) ^ X"),
        (largest(memory=N, compute=D), "max(memory = N, compute = D)"),
        (smallest(N, 2), "min(N, 2)"),
        (total(N, D, 1), "sum(N, D, 1)"),
        (where(N < D, N, D) + 1, "(if N < D then N else D) + 1"),
        (both(N < D, same(D, X)), "N < D and D == X"),
        (q("2 FLOP/token") * N, "2 FLOP/token * N"),
        (ceil(N / 2), "ceil(N / 2)"),
        (lift(1e21) * N, "1e+21 * N"),
        (lift(0.5) * N, "0.5 * N"),
    ],
)
def test_text(expr: Expr, text: str) -> None:
    assert show(expr) == text


def test_names_may_be_replaced() -> None:
    assert show(N * D, {"N": "model.params"}) == "model.params * D"


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (0.1, "0.1"), (1e300, "1e+300"), (-3.0, "-3")]
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (6 * N * D, r"6\,N\,D"),
        (N * 2, r"N \cdot 2"),
        (N / D / X, r"\frac{N}{D\,x}"),
        (N * D / X, r"\frac{N\,D}{x}"),
        ((N + D) / 2, r"\frac{N + D}{2}"),
        ((N + D) * X, r"\left(N + D\right)\,x"),
        (N - total(D, X), r"N - \left(D + x\right)"),
        (symbol("t") ** 2, "t_0^{2}"),
        ((N / D) ** 2, r"\left(\frac{N}{D}\right)^{2}"),
        (N**0.5, r"\sqrt{N}"),
        (sqrt(N + D), r"\sqrt{N + D}"),
        (ceil(N / D), r"\left\lceil \frac{N}{D} \right\rceil"),
        (floor(N), r"\left\lfloor N \right\rfloor"),
        (absolute(N), r"\left| N \right|"),
        (log(N), r"\ln N"),
        (log2(N + 1), r"\log_2\left(N + 1\right)"),
        (exp(-N), "e^{-N}"),
        (N * q("1 /sequence"), "N"),
        (N / q("1 token"), "N"),
        (q("1 us") * N, r"1\,\text{us} \cdot N"),
        (
            largest(memory=N, a_b=D),
            r"\max{\begin{cases}N & \text{memory} \\ D & \text{a b}\end{cases}}",
        ),
        (smallest(N, D), r"\min\left(N, D\right)"),
        (
            where(N <= D, N, D),
            r"{\begin{cases}N & \text{if } N \le D \\ D & \text{else}\end{cases}}",
        ),
        (symbol("chip.peak_rate") * N, r"\text{chip.peak\_rate} \cdot N"),
        (lift(1e-9) * N, r"10^{-9}\,N"),
    ],
)
def test_latex(expr: Expr, text: str) -> None:
    assert latex(expr, SYMBOLS) == text
