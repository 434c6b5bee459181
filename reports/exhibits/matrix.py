"""`matrix(A, B, …, metrics = [M, …], title = "…")`: scenarios beside each other.

`names = ["…"]` gives the rows other names than the doc lines of their metrics, and
`heads = ["…"]` the columns others than the titles of their scenarios. What a scenario
has not is a dash; what lies outside a stack's validity bears an asterisk.
"""

import attrs

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.exhibits.figures import path_key
from isocost.reports.stories import Told
from isocost.reports.study import Study
from isocost.reports.telling import ends, figure, tell, unit_name

SECTION = "scope"
#: So many columns stand in plain type.
PLAIN = 4


def paths(call: Call) -> list[str]:
    """Every metric of every scenario."""
    return [f"{s}.{m}" for s in call.names for m in call.listed("metrics")]


def build(study: Study, call: Call) -> list[v.Block]:
    """One table."""
    scenarios = [
        b for name in call.names if (b := study.find(name, "scenario")) is not None
    ]
    names, heads = call.listed("names"), call.listed("heads")
    rows, flags = [], dict[str, None]()
    for index, metric in enumerate(call.listed("metrics")):
        cells = [study.told(f"{s.name}.{metric}") for s in scenarios]
        first = next((one for one in cells if one is not None), None)
        if first is None:
            continue
        for told in cells:
            flags.update(dict.fromkeys(told.flags if told else ()))
        name = names[index] if index < len(names) else first.doc.rstrip(".")
        rows.append(
            v.Row((name, unit_name(first.unit), *(cell(told, first) for told in cells)))
        )
    if not rows:
        return []
    columns = (
        v.Column(heads[i] if i < len(heads) else study.title(s), align="right")
        for i, s in enumerate(scenarios)
    )
    return [
        v.Table(
            tell(study, call.named),
            (v.Column("Quantity"), v.Column("Unit"), *columns),
            tuple(rows),
            source=tell(study, call.named, "source")
            or ("engine; systems as in ", v.Ref("tab-systems"), "."),
            notes=(f"* {'; '.join(flags)}.",) if flags else (),
            key=f"tab-{path_key(call)}-{len(rows)}-{call.section}",
            dense=len(scenarios) > PLAIN,
        )
    ]


def cell(told: Told | None, like: Told | None = None) -> v.Cell | v.Text:
    """A number with its interval, an asterisk where it is outside its validity.

    Args:
        told: The number; no money at all is a dash, as is what there is not.
        like: Whose unit the row is in.
    """
    if told is None or ("$" in told.unit and not told.central):
        return "–"
    if like is not None:
        told = attrs.evolve(told, unit=like.unit, scale=like.scale)
    mark = "*" if told.flags else ""
    return v.Cell(figure(told) + mark, interval=ends(told))
