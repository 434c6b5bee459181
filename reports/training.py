"""What a report shows of training: the run's table, what a step takes, its cost."""

from collections.abc import Callable, Iterable

import attrs

from isocost.dsl.document import Block
from isocost.engine.results import Result
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.flags import Marks
from isocost.reports.names import metric_name, opened, quoted
from isocost.reports.study import Study, defined, exceeding, interval, show

#: A column: the metric, its title and its unit.
Columns = tuple[tuple[str, str, str], ...]
METRICS: Columns = (
    ("time.train", "Run", "days"),
    ("time.step", "Step", "s"),
    ("mfu[causal]", "MFU", "%"),
    ("throughput.per_chip", "Tokens/s", "per chip"),
    ("chips", "Chips", "installed"),
    ("ettr", "Goodput", "%"),
)
COSTS: Columns = (
    ("cost.train", "Run", "$"),
    ("cost.per_trained_Mtoken", "Trained token", "$/M"),
    ("cost.per_chip_hour[installed]", "Chip-hour", "$, installed"),
    ("chip_hours", "Held by the run", "chip-h"),
    ("energy.train", "Energy", "MWh"),
)
UP = "cost.per_chip_hour[available]"
HOURS: Columns = (
    ("cost.per_chip_hour[installed]", "Chip-hour", "$, installed"),
    (UP, "Chip-hour", "$, up"),
    ("cost.per_chip_hour[sold]", "Chip-hour", "$, sold"),
)
#: What tells runs apart, whichever metrics are asked for.
_ALWAYS = METRICS[-2:]
#: Further titles of columns, for metrics that a report asks for.
MORE: Columns = (
    ("hfu", "HFU", "%"),
    ("throughput.train", "Tokens/s", "in all"),
    ("throughput.per_MW", "Tokens/s", "per MW"),
    ("energy.per_token", "Energy", "J/token"),
    ("cost.per_chip_hour[sold]", "Chip-hour", "$, sold"),
)
_PARTS = (
    ("matrix", "Matrices"),
    ("attention", "Attention"),
    ("memory", "Elementwise"),
    ("network", "Network"),
    ("host", "Host and launch"),
    ("waiting", "Pipeline bubble"),
)


def trains(study: Study, scenario: Block) -> bool:
    """Whether a scenario is of a training run."""
    return study.result(scenario, "time.train") is not None


def _is_money(metric: str) -> bool:
    return metric.startswith(("cost.", "energy.", "chip_hours"))


def _columns(study: Study, scenario: Block, usual: Columns, *, money: bool) -> Columns:
    """The stated metrics of this kind that training has, else the usual ones."""
    known = {metric: one for one in (*METRICS, *COSTS, *MORE) for metric in one[:1]}
    scope = study.evaluation.scope(scenario.name)
    out = []
    for stated in study.listed:
        metric = scope.full_path(stated) or stated
        found = study.result(scenario, metric)
        if found is None or _is_money(metric) is not money:
            continue
        title = metric_name(stated, found.doc)
        title = f"{title[:1].upper()}{title[1:]}"
        unit = "" if found.unit == "1" else found.unit
        out.append(known.get(metric, (metric, title, unit)))
    return tuple(dict.fromkeys(out)) or usual


def _table(
    study: Study, scenarios: list[Block], columns: Columns, caption: str, key: str
) -> v.Table:
    """One row a scenario; columns that none of them has are left out."""
    shown = [one for one in columns if any(study.result(s, one[0]) for s in scenarios)]
    rows, marks = [], Marks(study)
    for scenario in scenarios:
        cells: list[v.Cell | v.Text] = [v.Cell(study.title(scenario))]
        for metric, _, _ in shown:
            found = study.result(scenario, metric)
            cells.append("–" if found is None else _cell(found, marks))
        rows.append(v.Row(tuple(cells)))
    found_all = (study.result(s, m) for s in scenarios for m, _, _ in shown)
    return v.Table(
        caption,
        (v.Column("Option"), *(v.Column(t, u, "right") for _, t, u in shown)),
        tuple(rows),
        source=f"engine; 90% intervals in grey.{exceeding(found_all)}",
        key=key,
        notes=marks.notes,
    )


#: Units whose numbers take no prefix in a column that the unit heads.
_PLAIN = {"%", "day", "s", "us"}


def _whole(found: Result) -> bool:
    """Whether a result is a count."""
    return found.low == found.high and found.value == round(found.value)


def _cell(found: Result, marks: Marks) -> v.Cell:
    """A number in the unit of its column; money and large counts with a prefix."""
    ends = interval(found, prefixes=found.unit not in _PLAIN)
    if not defined(found.value):
        text = "undefined"
    elif found.unit.startswith("$"):
        text = show(found)
    elif found.unit == "chip" or (found.unit == "1" and _whole(found)):
        text = n.count(found.value)
    elif found.unit in _PLAIN:
        text = n.plain(found.value)
    else:
        text = n.si(found.value)
        low, high = found.low / found.scale, found.high / found.scale
        ends = ends and n.si_interval(low, high)
    return v.Cell(marks.on(text, found), interval=ends)


def run_table(study: Study, scenarios: list[Block], title: str, name: str) -> v.Table:
    """How long the run takes and what it makes of the chips."""
    columns = _columns(study, scenarios[0], METRICS, money=False)
    columns = tuple(dict.fromkeys((*columns, *_ALWAYS)))

    def fastest(ranked: list[Block]) -> str:
        found = study.result(ranked[0], "time.train") if ranked else None
        if found is None:
            return title
        days = f"{n.plain(found.value)} days"
        if len(ranked) == 1:
            return f"{title}: the run takes {days}"
        return f"{title}: {quoted(study.title(ranked[0]))} is done first, in {days}"

    caption = study.by_rank(scenarios, "time.train", fastest, places=(0,))
    return _table(study, scenarios, columns, caption, f"tab-training-{name}")


def cost_table(study: Study, scenarios: list[Block], title: str, name: str) -> v.Table:
    """What the run costs on each option."""
    columns = _columns(study, scenarios[0], COSTS, money=True)
    caption = f"{title}: {run_finding(study, scenarios)}"
    return _table(study, scenarios, columns, caption, f"tab-run-{name}")


def run_finding(study: Study, scenarios: list[Block]) -> str:
    """On which option the run is cheapest, against the next, and how sure that is."""
    return cheapest(study, scenarios, "cost.train", "the run")


def cheapest(
    study: Study,
    scenarios: list[Block],
    metric: str,
    what: str,
    least: str = "cheapest",
    *,
    opens: bool = False,
) -> str:
    """Which option has `what` cheapest, against the next, and how sure that is.

    A cost is not cheap but low: `least` says how the best of what is told. `opens`
    says that a sentence begins with it.
    """

    def finding(ranked: list[Block]) -> str:
        return opened(said(ranked)) if opens else said(ranked)

    def said(ranked: list[Block]) -> str:
        best = study.result(ranked[0], metric) if ranked else None
        if best is None:
            return "no option has a cost"
        if len(ranked) == 1:
            return f"{what} costs {show(best)}"
        sure = n.percent(study.share_best(ranked, metric)[0], 2)
        ratio, low, high = study.ratio(ranked[0], ranked[1], metric)
        tie = "" if not low < 1 < high else ", which the inputs do not settle"
        first, second = (quoted(study.title(one)) for one in ranked[:2])
        return (
            f"{what} is {least} with {first} at {show(best)}, "
            f"{n.percent(1 - ratio, 2)} below {second}{tie}; it is {least} in {sure} "
            "of draws"
        )

    return study.by_rank(scenarios, metric, finding)


def steps(
    study: Study, scenarios: list[Block], title: str, name: str
) -> v.Figure | None:
    """What an optimizer step is made of, in seconds, at point values."""
    stacks: list[Stack] = []
    shares: list[tuple[float, str, str]] = []
    for scenario in scenarios:
        values = [
            study.value(scenario, f"train.step.{key}") or 0.0 for key, _ in _PARTS
        ]
        total, ideal = study.value(scenario, "time.step"), sum(values)
        if not total or not defined(total, *values) or not ideal > 0:
            continue
        # What the stack takes beyond its parts; where it takes less, they shrink.
        scale, rest = min(total / ideal, 1.0), max(total - ideal, 0.0)
        parts = [scale * value for value in values]
        text = f"{n.plain(total)} s"
        stacks.append(Stack(study.title(scenario), (*parts, rest), text))
        top = max(range(len(parts)), key=parts.__getitem__)
        shares.append((parts[top] / total, _PARTS[top][1], study.title(scenario)))
    if not stacks:
        return None
    names = (*(name for _, name in _PARTS), "Residual of the stack")
    used = [i for i in range(len(names)) if any(one.values[i] > 0 for one in stacks)]
    share, part, who = max(shares)
    takes = f"{part.lower()} take {n.percent(share, 2)} of a step"
    return v.Figure(
        f"{title}: on {quoted(who)}, {takes}",
        Stacked(
            tuple(names[i] for i in used),
            tuple(
                attrs.evolve(one, values=tuple(one.values[i] for i in used))
                for one in stacks
            ),
            "Optimizer step, s",
        ),
        "Stacked bars: the parts of an optimizer step of each option, in seconds.",
        source="engine, at point values and the chosen layout.",
        key=f"fig-training-step-{name}",
    )


def figures(study: Study, scenario: Block) -> Iterable[tuple[str, str, str]]:
    """The cover's figures: metric, text and words."""
    words = {
        "cost.train": "for the run",
        "time.train": "of wall time for the run",
        "mfu[causal]": "of the chips' peak arithmetic used (MFU)",
        "cost.per_chip_hour": "per installed chip-hour",
    }
    for metric, said in words.items():
        found = study.result(scenario, metric)
        if found is not None:
            days = found.unit == "day"
            text = f"{n.plain(found.value)} days" if days else show(found)
            yield metric, text, said


def groups(study: Study) -> list[tuple[str, str, list[Block]]]:
    """The runs that may be compared, those of one model and as many tokens.

    Each with its key and the model's title; layouts of one run are workloads apart.
    """
    found: dict[tuple[str, float | None], list[Block]] = {}
    for scenario in study.scenarios:
        if trains(study, scenario):
            tokens = study.value(scenario, "workload.tokens")
            found.setdefault((study.workload_title(scenario), tokens), []).append(
                scenario
            )
    out = []
    for (title, _), scenarios in found.items():
        work = study.role(scenarios[0], "workload")
        out.append((work.label if work else "work", title, scenarios))
    return out


def blocks(
    study: Study,
    makers: Iterable[Callable[[Study, list[Block], str, str], v.Block | None]],
) -> list[v.Block]:
    """The exhibits of all runs, those that may be compared together."""
    made = (
        make(study, scenarios, title, name)
        for name, title, scenarios in groups(study)
        for make in makers
    )
    return [block for block in made if block is not None]


def hour_table(study: Study, scenarios: list[Block], title: str, name: str) -> v.Table:
    """What an hour costs, of options that serve and train nothing."""
    caption = cheapest(study, scenarios, study.hour, hour_words(study), opens=not title)
    caption = f"{title}: {caption}" if title else caption
    return stated_table(study, scenarios, caption, f"tab-hours-{name}")


def hour_words(study: Study) -> str:
    """The hour by which options are held against each other."""
    up = study.hour.endswith("[available]")
    return "a chip-hour that is up" if up else "an installed chip-hour"


def stated_table(
    study: Study, scenarios: list[Block], caption: str, key: str
) -> v.Table:
    """The metrics that the report asks for, money first; an hour's cost if none is."""
    columns = (
        *_columns(study, scenarios[0], (), money=True),
        *_columns(study, scenarios[0], (), money=False),
    )
    hours = tuple(one for one in HOURS if one[0] != UP or study.hour == UP)
    return _table(study, scenarios, columns or hours, caption, key)
