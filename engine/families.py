"""Operands that are alike but for an index: `flow_0` to `flow_48`, one family.

Formulas of any number of operands name them so. Printers set a family as one term over
an index, never as a list that runs off the page.
"""

import re
from collections.abc import Mapping, Sequence

import attrs

from isocost.dsl.expr import Expr
from isocost.engine.operators import VARIADIC

#: So many alike are still read one by one.
MOST = 6
#: The index in print.
INDEX = "t"
_NUMBERED = re.compile(r"(.*)_(\d+)")
_KERNELS = {kernel.name: kernel for kernel in VARIADIC}


@attrs.frozen
class Family:
    """Names `stem_first` to `stem_last`, in order."""

    stem: str
    first: int
    last: int

    @property
    def name(self) -> str:
        """One of them, whichever: `flow_t`."""
        return f"{self.stem}_{INDEX}"

    @property
    def range(self) -> str:
        """The index's reach in words."""
        return f"{INDEX} = {self.first} to {self.last}"

    def member(self, index: int) -> str:
        """The name of one."""
        return f"{self.stem}_{index}"

    @property
    def members(self) -> tuple[str, ...]:
        """All the names."""
        return tuple(map(self.member, range(self.first, self.last + 1)))


def gathered(names: Sequence[str], least: int = MOST + 1) -> list[str | Family]:
    """Names in their order, runs of at least `least` alike as a family."""
    out: list[str | Family] = []
    at = 0
    while at < len(names):
        family = _run(names, at)
        size = family.last - family.first + 1 if family else 1
        if family is not None and size >= least:
            out.append(family)
        else:
            out += names[at : at + size]
        at += size
    return out


def _run(names: Sequence[str], start: int) -> Family | None:
    """The longest family that begins at a name."""
    found = _NUMBERED.fullmatch(names[start])
    if found is None:
        return None
    stem, first = found[1], int(found[2])
    last = first
    for name in names[start + 1 :]:
        if name != f"{stem}_{last + 1}":
            break
        last += 1
    return Family(stem, first, last)


def operands(expr: Expr) -> list[Expr | Family]:
    """The operands of a node, families of symbols gathered; all of a kernel's are."""
    least = 2 if expr.op in _KERNELS else MOST + 1
    names = [str(a.value) if a.op == "symbol" else "" for a in expr.args]
    out: list[Expr | Family] = []
    at = 0
    for one in gathered(names, least):
        out.append(one if isinstance(one, Family) else expr.args[at])
        at += len(one.members) if isinstance(one, Family) else 1
    return out


def template(expr: Expr, *, text: bool = False) -> str:
    """How a kernel of any number of operands is set: `<0>` is its first operand."""
    kernel = _KERNELS.get(expr.op)
    if kernel is None:
        return ""
    return kernel.said_as if text else kernel.set_as


def filled(pattern: str, parts: Sequence[str], last: int) -> str:
    """A template with the operands in their places, the index going up to `last`."""
    for i, part in enumerate(parts):
        pattern = pattern.replace(f"<{i}>", part)
    return pattern.replace("<last>", str(last))


def size(expr: Expr) -> int:
    """How many signs a formula has in print, a family being one."""
    return 1 + sum(
        1 if isinstance(one, Family) else size(one) for one in operands(expr)
    )


def indexed(latex: Mapping[str, str], family: Family) -> str:
    """The symbol of any member: that of the first, with the index for its number."""
    symbol = latex.get(family.member(family.first), "")
    number = f"_{{{family.first}}}"
    if symbol.endswith(number):
        return f"{symbol.removesuffix(number)}_{INDEX}"
    words = family.stem.replace("_", " ")
    return rf"\text{{{words}}}_{INDEX}"
