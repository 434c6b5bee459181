"""`scorecard(SOFTWARE, …)`: what is said of the tools of a stack, with its source."""

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.names import listed
from isocost.reports.study import Study
from isocost.reports.telling import tell
from isocost.reports.view import Grade

SECTION = "software"
#: Who says something, by the grade of the best source for it.
_SAID: dict[Grade, str] = {
    "A": "by the maker or by measurement",
    "B": "by analysts",
    "C": "by the press or derived",
    "D": "by nobody",
}


def build(study: Study, call: Call) -> list[v.Block]:
    """One table of the notes of all stacks, a subject a row."""
    rows, keys = [], set[str]()
    grades: list[Grade] = []
    for name in call.names:
        block = study.find(name, "software")
        facts = block.facts.values() if block is not None else ()
        notes = [fact for fact in facts if fact.path.pattern == "note[]"]
        if not notes or block is None:
            continue
        if len(call.names) > 1:
            rows.append(v.Row((study.name(block), "", ""), "group"))
        for fact in notes:
            found = {c.key for c in fact.cites if not c.assumed}
            keys |= found
            grades.append(study.grade(fact.cites))
            where = "; ".join(c.locator for c in fact.cites if c.locator)
            said = str(fact.expr.value) + (f" ({where})" if where else "")
            subject = fact.path.keys[0].replace("_", " ")
            cited: v.Text = study.cite(found) if found else "assumed"
            rows.append(v.Row((subject, said, cited)))
    if not rows:
        return []
    return [
        v.Table(
            tell(study, call.named) if "title" in call.named else _finding(grades),
            (
                v.Column("Tool", width=0.16),
                v.Column("What is said", width=0.74),
                v.Column("Source", align="right", width=0.1),
            ),
            tuple(rows),
            source=(study.cite(keys), "; not tried by us."),
            key=f"tab-scorecard-{call.names[0]}",
            dense=True,
        )
    ]


def _finding(grades: list[Grade]) -> str:
    """On whose word the scorecard rests."""
    counts = [(grades.count(grade), said) for grade, said in _SAID.items()]
    told = [f"{count} {said}" for count, said in counts if count]
    first = told[0].partition(" ")[2]
    if len(grades) == 1:
        return f"What is said of the one tool is said {first}"
    if len(told) == 1:
        return f"All {len(grades)} statements on tools are made {first}"
    return f"Of {len(grades)} statements on tools {listed(told)}"
