"""Claims and checks: what was said, what comes out, and whether it holds."""

import math
from collections.abc import Sequence

from isocost.dsl.expr import Expr
from isocost.dsl.expressions import Checker
from isocost.dsl.mending import spelled
from isocost.dsl.units import unit
from isocost.engine.evaluate import Verdict
from isocost.engine.printers.text import show
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.study import WHOLE, Study, quantity

#: More checks than these stand in two columns.
ONE_COLUMN = 4


def build(study: Study) -> v.Section | None:
    """The section; None where the document has neither."""
    verdicts = study.verdicts
    if not verdicts:
        return None
    claims = [one for one in verdicts if one.condition.kind == "claim"]
    checks = [one for one in verdicts if one.condition.kind == "check"]
    blocks: list[v.Block] = []
    if claims:
        failed = sum(not one.holds for one in claims)
        caption = (
            f"{failed} of {len(claims)} claims fail as they were made"
            if failed
            else _all(len(claims), "claim")
        )
        blocks.append(_table(study, claims, caption, "tab-claims"))
    if checks:
        blocks.append(_checks(study, checks))
    return v.Section("Claims and checks", tuple(blocks), "claims")


def _all(count: int, name: str) -> str:
    return f"The one {name} holds" if count == 1 else f"All {count} {name}s hold"


def _table(study: Study, verdicts: list[Verdict], caption: str, key: str) -> v.Claims:
    rows = tuple(_row(study, one) for one in verdicts)
    return v.Claims(
        caption,
        rows,
        source="engine; decided at point values. The share is that of draws in "
        "which the condition holds.",
        key=key,
        said_title="Found",
        found_title="Against",
    )


def _checks(study: Study, checks: list[Verdict]) -> v.Table:
    """Checks, two a line: they are held to, so that one glance is enough."""
    failed = sum(not one.holds for one in checks)
    caption = (
        f"{failed} of {len(checks)} checks fail"
        if failed
        else _all(len(checks), "check")
    )
    sides = 2 if len(checks) > ONE_COLUMN else 1
    cells: list[v.Cell | v.Text] = []
    ordered = sorted(checks, key=lambda one: one.holds)
    for one, text in zip(ordered, _told_apart(study, ordered), strict=True):
        cells += [
            text,
            v.Cell("holds" if one.holds else "fails", tone=_TONES[one.holds]),
        ]
    cells += [""] * (-len(cells) % (2 * sides))
    rows = [
        v.Row(tuple(cells[i : i + 2 * sides])) for i in range(0, len(cells), 2 * sides)
    ]
    wide = 0.92 / sides
    columns = (
        v.Column("Check", width=wide if sides == 1 else wide - 0.04),
        v.Column("Result", width=0.08),
    ) * sides
    return v.Table(
        caption,
        columns,
        tuple(rows),
        source="engine; a report whose checks fail is not accepted.",
        key="tab-checks",
        dense=True,
    )


def _told_apart(study: Study, checks: list[Verdict]) -> list[str]:
    """What the checks say; those of one text with the options that they speak of."""
    texts = [one.condition.why or show(one.condition.expr) for one in checks]
    out = []
    for one, text in zip(checks, texts, strict=True):
        of = _options(study, one) if texts.count(text) > 1 else ""
        out.append(f"{text}: {of}" if of else text)
    return out


def _options(study: Study, one: Verdict) -> str:
    """The titles of the scenarios that a condition names."""
    named: list[str] = []
    for path in _paths(one.condition.expr):
        for scenario in study.evaluation.document.scenarios:
            inside = path == scenario.label or path.startswith(f"{scenario.label}.")
            if inside and (title := study.title(scenario)) not in named:
                named.append(title)
    return ", ".join(named)


def _paths(expr: Expr) -> list[str]:
    """The paths in an expression, in order."""
    own = [str(expr.value)] if expr.op == "path" else []
    return own + [path for arg in expr.args for path in _paths(arg)]


_TONES: dict[bool, v.Tone] = {True: "good", False: "bad"}


def _row(study: Study, one: Verdict) -> v.ClaimRow:
    condition = one.condition
    statement = condition.why or show(condition.expr)
    cites = [c.key for c in condition.cites if not c.assumed]
    who: v.Text = v.Cite(cites) if cites else "this study"
    left, right = _sides(study, one)
    return v.ClaimRow(
        statement=statement,
        who=who,
        said=left,
        found=right,
        verdict="holds" if one.holds else "fails",
        share=n.percent(one.share, 3),
        note=v.Code(show(condition.expr)),
    )


def _sides(study: Study, one: Verdict) -> tuple[str, str]:
    """What a condition compares, each side in the unit that it is written in.

    `abs(a - b) < c` compares a with b: that is what is shown.
    """
    expr = one.condition.expr
    if one.left is None or one.right is None:
        return "–", "–"
    near = _difference(expr.args[0])
    if near is not None:
        sides = near.args
        nodes = [
            study.evaluation.bare.expression(side, f"side.{i}", one.condition.file)
            for i, side in enumerate(sides)
        ]
        at = study.evaluation.point(nodes)
        values = [study.mark(node, at[node]) for node in nodes]
    else:
        sides, values = expr.args, [one.left, one.right]
    scale, text = _unit(study, sides, one.condition.file)
    left, right = (_written(value, scale, text) for value in values)
    return left, right


def _difference(side: Expr) -> Expr | None:
    """What `abs(a - b)` takes the size of; None for anything else."""
    if side.op != "abs" and str(side.value) != "abs":
        return None
    return side.args[0] if side.args[0].op == "-" else None


def _written(value: float, scale: float, text: str) -> str:
    if not math.isfinite(value):
        return quantity(value, "1")
    if text in _PREFIXED:
        return n.si(value / scale, text)
    if not text:
        return n.plain(value) if abs(value) < WHOLE else n.si(value)
    return quantity(value / scale, text)


#: Units of dimensions whose numbers are read with an SI prefix.
_PREFIXED = {"s", "W", "byte", "byte/s", "FLOP", "FLOP/s", "FLOP/byte"}
#: Units of dimensions whose numbers are read in a larger one.
_LARGER = {"$/token": "$/Mtoken", "$/chip/s": "$/chip-h", "$/chip-s": "$/chip-h"}


def _unit(study: Study, sides: Sequence[Expr], file: str) -> tuple[float, str]:
    """The unit in which a comparison is written.

    A literal's, that of a path, or that of the dimension of both sides.
    """
    for side in reversed(sides):
        if side.op == "literal" and side.value.unit is not None:
            return side.value.unit.factor, side.value.unit.text
    for side in sides:
        told = study.told(str(side.value)) if side.op == "path" else None
        if told is not None and told.unit != "1":
            return told.scale, told.unit
    lookup = study.evaluation.checked.lookup
    for side in sides:
        dim = Checker(lookup, lambda _: None, None, file).dim(side)
        text = spelled(dim) if dim is not None and not dim.plain else None
        if text:
            text = _LARGER.get(text, text)
            return unit(text).factor, text
    return 1.0, ""
