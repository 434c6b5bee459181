"""Assumptions: every input with value, interval, grade, source and who rests on it."""

from isocost.engine.graph import Input, Spread
from isocost.engine.spreads import Z95
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.study import Study, quantity
from isocost.reports.view import Grade

GROUPS: tuple[tuple[Grade, str], ...] = (
    ("D", "Assumptions of this study and defaults of the engine"),
    ("C", "Press, derived and community figures"),
    ("B", "Analysts' estimates"),
    ("A", "Measured, or published by the maker"),
)


#: Longer words on where a figure stands are left to the scenario file.
SHORT = 24
#: Bounds of what a stack was calibrated on: they decide flags, no number.
_BOUND = ".calibrated."


def build(study: Study) -> v.Section | None:
    """The section; None where there are no inputs."""
    graded: dict[Grade, list[tuple[Input, list[str]]]] = {}
    for node, one, users in study.inputs:
        if node in study.evaluation.choices or _BOUND in one.origin:
            continue
        graded.setdefault(study.grade(one.cites, default=one.default), []).append(
            (one, users)
        )
    known = {one.origin for _, one, _ in study.inputs}
    for node, one in study.stories.inputs(study.stories.known.values()):
        grade = study.grade(one.cites, default=one.default)
        if one.origin in known or node in study.evaluation.choices or grade != "D":
            continue
        known.add(one.origin)
        graded.setdefault(grade, []).append((one, []))
    if not graded:
        return None
    blocks: list[v.Block] = [v.Paragraph(_finding(graded), lead=True)]
    for grade, title in GROUPS:
        if grade in graded:
            make = _table if grade == "D" else _by_block
            blocks.append(make(study, graded[grade], grade, title))
    return v.Section("Assumptions", tuple(blocks), "assumptions")


def _finding(graded: dict[Grade, list[tuple[Input, list[str]]]]) -> str:
    count = sum(map(len, graded.values()))
    assumed = len(graded.get("D", ()))
    defaults = sum(one.default for one, _ in graded.get("D", ()))
    return (
        f"Of {count} inputs, {assumed} are assumptions, {defaults} of them defaults "
        "that no file states; the rest carries a source. An input without an interval "
        "is taken as exact. Assumptions of the exhibits alone are listed as well; "
        "their cited inputs stand in the exhibits' source lines."
    )


def _count(rows: list[tuple[Input, list[str]]]) -> str:
    """How many inputs there are, and how many of them carry an interval."""
    wide = sum(one.uncertain for one, _ in rows)
    return f"{n.count(len(rows))} inputs, {n.count(wide)} with an interval"


def _table(
    study: Study, rows: list[tuple[Input, list[str]]], grade: str, title: str
) -> v.Table:
    alike: dict[tuple[str, str], list[tuple[Input, list[str]]]] = {}
    for one, users in sorted(rows, key=lambda pair: pair[0].origin):
        block = _name(one).rpartition(".")[0]
        alike.setdefault((block, _why(one)), []).append((one, users))
    made = [
        _row(study, *pairs[0]) if len(pairs) == 1 else _rows(study, block, why, pairs)
        for (block, why), pairs in alike.items()
    ]
    return v.Table(
        f"{title}: {_count(rows)}",
        (
            v.Column("Input", width=0.29),
            v.Column("Value", align="right", width=0.12),
            v.Column("90% interval", align="right", width=0.12),
            v.Column("Source or reason", width=0.39),
            v.Column("Used by", align="right", width=0.08),
        ),
        tuple(made),
        source=f"Grade {grade}. Source: scenario file and catalogue.",
        key=f"tab-inputs-{grade.lower()}",
        dense=True,
    )


def _why(one: Input) -> str:
    """Why an assumption is as it is."""
    return "; ".join(c.locator for c in one.cites if c.locator) or one.note


def _row(study: Study, one: Input, users: list[str]) -> v.Row:
    cites = [c for c in one.cites if not c.assumed]
    why = _why(one)
    source: v.Text = (v.Cite([c.key for c in cites]), f" {why}") if cites else why
    return v.Row(
        (
            v.Code(_name(one)),
            quantity(one.central / one.scale, one.unit, 4),
            _interval(one.spread, one.scale, one.unit),
            source or "–",
            _users(study, users),
        ),
        key=f"in-{one.origin}",
    )


def _rows(
    study: Study, block: str, why: str, pairs: list[tuple[Input, list[str]]]
) -> v.Row:
    """Inputs of one block with one reason, in one row."""
    said = "; ".join(_said(one, block) for one, _ in pairs)
    users = max((users for _, users in pairs), key=len)
    text = f"{said}: {why}" if why else said
    return v.Row((v.Code(f"{block}.…"), "", "", text, _users(study, users)))


def _by_block(
    study: Study, rows: list[tuple[Input, list[str]]], grade: str, title: str
) -> v.Table:
    """What has a source: a row for each block, its figures in one text."""
    blocks: dict[str, list[tuple[Input, list[str]]]] = {}
    for one, users in sorted(rows, key=lambda pair: pair[0].origin):
        blocks.setdefault(_name(one).partition(".")[0], []).append((one, users))
    made = []
    for name, pairs in blocks.items():
        keys = sorted({c.key for one, _ in pairs for c in one.cites if not c.assumed})
        users = max((users for _, users in pairs), key=len)
        said = "; ".join(_said(one) for one, _ in pairs)
        made.append(v.Row((v.Code(name), said, v.Cite(keys), _users(study, users))))
    return v.Table(
        f"{title}: {_count(rows)}",
        (
            v.Column("Block", width=0.19),
            v.Column("Inputs: value (90% interval; where)", width=0.61),
            v.Column("Source", width=0.12),
            v.Column("Used by", align="right", width=0.08),
        ),
        tuple(made),
        source=f"Grade {grade}. Source: scenario file and catalogue.",
        key=f"tab-inputs-{grade.lower()}",
        dense=True,
    )


def _said(one: Input, block: str = "") -> str:
    """An input in running text: `memory.bandwidth 2.90 TB/s (…)`."""
    whole = _name(one)
    name = whole.removeprefix(f"{block}.") if block else whole.partition(".")[2]
    value = quantity(one.central / one.scale, one.unit, 4)
    notes = [_interval(one.spread, one.scale, one.unit)]
    where = [c.locator for c in one.cites if c.locator and len(c.locator) <= SHORT]
    notes += [] if block else where
    name = name or whole
    inside = "; ".join(note for note in notes if note)
    return f"{name} {value}" + (f" ({inside})" if inside else "")


def _name(one: Input) -> str:
    return one.origin.removeprefix("default.")


def _users(study: Study, users: list[str]) -> str:
    if not users:
        return "exhibits"
    return "all" if len(users) == len(study.scenarios) else str(len(users))


def _interval(spread: Spread, scale: float, unit: str) -> str:
    match spread.shape:
        case "point":
            return ""
        case "normal":
            mean, sd = spread.params
            ends = (mean - Z95 * sd, mean + Z95 * sd)
        case "lognormal" | "logitnormal":
            ends = (spread.params[0], spread.params[1])
        case _:
            ends = (min(spread.params), max(spread.params))
    low, high = (end / scale for end in ends)
    return (
        n.money_interval(low, high) if unit.startswith("$") else n.interval(low, high)
    )
