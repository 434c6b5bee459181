"""`stack(bar("Name", PATH, …), …, names = ["Part", …], title = "…")`: stacked bars.

Every bar has the same parts in the same order; `axis = "…"` says what is measured.
"""

from isocost.dsl.syntax import call_arguments
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.exhibits import Call
from isocost.reports.exhibits.figures import path_key
from isocost.reports.stories import Told
from isocost.reports.study import Study
from isocost.reports.telling import tell

SECTION = "scope"


def bars_of(call: Call) -> list[tuple[str, list[str]]]:
    """The bars: a name, and the paths of its parts."""
    out = []
    for arg in call.args:
        if arg.op == "call":
            plain, _ = call_arguments(arg)
            texts = [str(one.value) for one in plain]
            out.append((texts[0], texts[1:]))
    return out


def paths(call: Call) -> list[str]:
    """The parts of all bars."""
    return [path for _, parts in bars_of(call) for path in parts]


def build(study: Study, call: Call) -> list[v.Block]:
    """One figure."""
    stacks, keys, money = [], set[str](), ""
    for name, parts in bars_of(call):
        told = [one for path in parts if (one := study.told(path)) is not None]
        if len(told) != len(parts):
            continue
        money = "$" if told[0].unit.startswith("$") else ""
        keys |= {c.key for one in told for c in one.cites if not c.assumed}
        values = tuple(one.value for one in told)
        stacks.append(Stack(name, values, _total(told, money)))
    if not stacks:
        return []
    cited: v.Text = ("engine; ", study.cite(keys), ".") if keys else "engine."
    return [
        v.Figure(
            tell(study, call.named),
            Stacked(
                tuple(call.listed("names")),
                tuple(stacks),
                tell(study, call.named, "axis"),
                money=money,
            ),
            "Stacked bars: what each option is made of.",
            source=tell(study, call.named, "source") or cited,
            key=f"fig-{path_key(call)}-{stacks[0].name}-{call.section}",
        )
    ]


def _total(parts: list[Told], money: str) -> str:
    whole = sum(one.value for one in parts)
    return n.money(whole) if money else n.plain(whole)
