"""`figures(PATH, …, title = "…")`: numbers of any path, each with interval and source.

A row's name is the doc line of the statement, or the text that stands before the path:
`figures("One link", link.rate, link.lanes)`.
"""

from collections.abc import Iterator

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.stories import Told
from isocost.reports.study import Study
from isocost.reports.telling import ends, figure, tell, unit_name

SECTION = "scope"


def paths(call: Call) -> list[str]:
    """What the call names."""
    return call.names


def build(study: Study, call: Call) -> list[v.Block]:
    """One table."""
    rows, all_told = [], []
    for name, path in named(call):
        told = study.told(path)
        if told is not None:
            all_told.append(told)
            rows.append(_row(study, name or label(told, path), told))
    if not rows:
        return []
    return [
        v.Table(
            tell(study, call.named),
            (
                v.Column("Figure", width=0.56),
                v.Column("Value", align="right", width=0.12),
                v.Column("90% interval", align="right", width=0.14),
                v.Column("Unit", width=0.1),
                v.Column("Rests on", align="right", width=0.08),
            ),
            tuple(rows),
            notes=("Rests on: the weakest grade among the inputs of a figure.",),
            source=tell(study, call.named, "source") or rests_on(study, all_told),
            key=f"tab-{path_key(call)}",
            dense=True,
        )
    ]


def rests_on(study: Study, told: list[Told]) -> v.Text:
    """The sources of the inputs below some numbers."""
    keys = {
        cite.key
        for _, one in study.stories.inputs(told)
        for cite in one.cites
        if not cite.assumed
    }
    return ("engine; inputs: ", study.cite(keys), ".") if keys else "engine."


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
    grades = [
        study.grade(one.cites, default=one.default)
        for _, one in study.stories.inputs([told])
    ]
    weakest: v.Grade = max(grades, default="")
    return v.Row(
        (
            name,
            figure(told),
            ends(told),
            unit_name(told.unit),
            v.Cell("", grade=weakest) if weakest else "",
        )
    )
