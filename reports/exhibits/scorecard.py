"""`scorecard(SOFTWARE, …)`: what is said of the tools of a stack, with its source."""

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.study import Study
from isocost.reports.telling import tell

SECTION = "software"


def build(study: Study, call: Call) -> list[v.Block]:
    """One table of the notes of all stacks, a subject a row."""
    rows, keys = [], set[str]()
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
            where = "; ".join(c.locator for c in fact.cites if c.locator)
            said = str(fact.expr.value) + (f" ({where})" if where else "")
            subject = fact.path.keys[0].replace("_", " ")
            cited: v.Text = study.cite(found) if found else "assumed"
            rows.append(v.Row((subject, said, cited)))
    if not rows:
        return []
    return [
        v.Table(
            tell(study, call.named),
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
