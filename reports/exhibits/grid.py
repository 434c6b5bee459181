"""`grid(row("Name", PATH, …), …, heads = ["…"], title = "…")`: any numbers in a table.

A text in place of a path is printed as it is: `"–"` where there is no such number.
"""

from isocost.dsl.syntax import call_arguments
from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.exhibits.figures import path_key, rests_on
from isocost.reports.exhibits.matrix import cell
from isocost.reports.stories import Told
from isocost.reports.study import Study
from isocost.reports.telling import tell

SECTION = "scope"


def paths(call: Call) -> list[str]:
    """Every path of every row."""
    out = []
    for arg in call.args:
        if arg.op == "call":
            plain, _ = call_arguments(arg)
            out += [str(one.value) for one in plain if one.op == "path"]
    return out


def build(study: Study, call: Call) -> list[v.Block]:
    """One table."""
    rows, known = [], list[Told]()
    for arg in call.args:
        if arg.op != "call":
            continue
        (name, *rest), _ = call_arguments(arg)
        cells: list[v.Cell | v.Text] = [str(name.value)]
        for one in rest:
            told = study.told(str(one.value)) if one.op == "path" else None
            known += [told] if told is not None else []
            cells.append(str(one.value) if one.op == "text" else cell(told))
        rows.append(v.Row(tuple(cells)))
    if not rows:
        return []
    heads = call.listed("heads")
    wide = max(len(heads), *(len(row.cells) for row in rows))
    first, *heads = [*heads, *[""] * (wide - len(heads))]
    rows = [v.Row((*row.cells, *[""] * (wide - len(row.cells)))) for row in rows]
    unit = tell(study, call.named, "unit")
    return [
        v.Table(
            tell(study, call.named),
            (v.Column(first), *(v.Column(head, unit, "right") for head in heads)),
            tuple(rows),
            source=tell(study, call.named, "source") or rests_on(study, known),
            notes=(note,) if (note := tell(study, call.named, "note")) else (),
            key=f"tab-{path_key(call)}-{len(rows)}-{call.section}",
        )
    ]
