"""`figures(PATH, …, title = "…")`: numbers of any path, each with interval and source.

A row's name is the doc line of the statement, or the text that stands before the path:
`figures("One link", link.rate, link.lanes)`.
"""

from collections.abc import Iterator

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.stories import Told
from isocost.reports.study import Study
from isocost.reports.telling import ends, figure, tell

SECTION = "scope"


def paths(call: Call) -> list[str]:
    """What the call names."""
    return call.names


def build(study: Study, call: Call) -> list[v.Block]:
    """One table."""
    rows, keys = [], set[str]()
    for name, path in named(call):
        told = study.told(path)
        if told is None:
            continue
        keys |= {c.key for c in told.cites if not c.assumed}
        rows.append(_row(study, name or label(told, path), told))
    if not rows:
        return []
    source = tell(study, call.named, "source")
    cited: v.Text = (study.cite(keys), ".") if keys else "engine and scenario file."
    return [
        v.Table(
            tell(study, call.named),
            (
                v.Column("Figure", width=0.42),
                v.Column("Value", align="right", width=0.12),
                v.Column("90% interval", align="right", width=0.14),
                v.Column("Unit", width=0.1),
                v.Column("Grade", align="center", width=0.06),
                v.Column("Source or reason", width=0.16),
            ),
            tuple(rows),
            source=source or cited,
            key=f"tab-{path_key(call)}",
            dense=True,
        )
    ]


def named(call: Call) -> Iterator[tuple[str, str]]:
    """The paths of a call, each with the text before it."""
    name = ""
    for arg in call.args:
        if arg.op == "text":
            name = str(arg.value)
        elif arg.op == "path":
            yield name, str(arg.value)
            name = ""


def label(told: Told, path: str) -> str:
    """A row's name: the doc line, else the path in words."""
    text = told.doc.strip().rstrip(".")
    return text or path.replace("_", " ").replace(".", " ")


def path_key(call: Call) -> str:
    """A key made of what the call names first."""
    first = next((one for one in call.names), call.name)
    return "".join(c if c.isalnum() else "-" for c in f"{call.name}-{first}")


def _row(study: Study, name: str, told: Told) -> v.Row:
    real = [c for c in told.cites if not c.assumed]
    where = "; ".join(c.locator for c in told.cites if c.locator)
    if not told.cites:
        source: v.Text = "computed"
    else:
        source = (study.cite(c.key for c in real), f" {where}") if real else where
    grade = study.grade(told.cites) if told.cites else ""
    return v.Row(
        (
            name,
            figure(told),
            ends(told),
            "" if told.unit == "1" else told.unit,
            v.Cell("", grade=grade) if grade else "",
            source,
        )
    )
