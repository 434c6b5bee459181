"""Performance: roofline, what a step is made of, latency against throughput."""

import attrs

from isocost.dsl.document import Block
from isocost.engine.choices import constraints, open_inputs, options_of
from isocost.engine.derive.common import compute_format
from isocost.engine.graph import Input
from isocost.engine.program import program
from isocost.reports import numbers as n
from isocost.reports import training
from isocost.reports import view as v
from isocost.reports.charts.frontier import Frontier, Limit, Option, Spot
from isocost.reports.charts.roofline import Ceiling, Roof, Roofline, Workload
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.exhibits import asked
from isocost.reports.flags import Marks
from isocost.reports.names import listed
from isocost.reports.study import Study, defined, exceeding, interval, show

PARTS = ("matrix", "attention", "memory", "network", "host")
TITLES = ("Matrices", "Attention", "Elementwise", "Network", "Host and launch")
FORMATS = ("bf16", "fp8", "fp4")
METRICS = (
    ("throughput.per_chip", "Output tokens/s", "per chip"),
    ("latency.tpot[mean]", "TPOT", "ms"),
    ("latency.ttft[solo]", "TTFT, solo", "ms"),
    ("mbu", "MBU", "%"),
    ("mfu[causal]", "MFU", "%"),
)


def build(study: Study) -> v.Section | None:
    """The section; None where nothing is served or trained."""
    metric = "throughput.output"
    served = [s for s in study.scenarios if study.result(s, metric) is not None]
    runs = any(training.trains(study, scenario) for scenario in study.scenarios)
    if not served and not runs:
        return None
    roofline = _roofline(study) if served else None
    blocks: list[v.Block] = [] if roofline is None else [roofline]
    blocks += training.blocks(study, (training.run_table, training.steps))
    for work, every in study.groups():
        scenarios = [scenario for scenario in every if scenario in served]
        if not scenarios:
            continue
        name = work.label if work else "work"
        title = study.workload_title(scenarios[0])
        blocks.append(_table(study, scenarios, title, name))
        steps = _steps(study, scenarios, title, name)
        blocks += [] if steps is None else [steps]
        frontier = _frontier(study, scenarios, title, name)
        if frontier is not None:
            blocks.append(frontier)
    blocks += asked(study, "performance")
    return v.Section("Performance", tuple(blocks), "performance")


def _name(block: Block) -> str:
    return block.title or block.label.replace("_", " ")


def _roofline(study: Study) -> v.Figure | None:
    roofs, points = [], []
    left: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for chip, scenario in study.roles("chip"):
        ceilings = tuple(
            Ceiling(name.upper(), peak)
            for name in FORMATS
            if (peak := study.value(scenario, f"chip.peak[{name}]")) is not None
        )
        bandwidth = study.value(scenario, "chip.memory.bandwidth")
        if ceilings and bandwidth:
            roofs.append(Roof(_name(chip), bandwidth, ceilings))
    seen: set[tuple[str, str]] = set()
    for scenario in study.scenarios:
        point = _decode_point(study, scenario)
        if point is not None and (point.name, point.chip) not in seen:
            seen.add((point.name, point.chip))
            points.append(point)
            ridge = _ridge(study, scenario)
            if ridge is not None:
                left[bool(point.intensity < ridge)].append((point.name, point.chip))
    if not roofs:
        return None
    return v.Figure(
        _where(left),
        Roofline(tuple(roofs), tuple(points)),
        "Roofline chart, log-log: attainable FLOP/s against FLOP per byte of memory, "
        "with each chip's ceilings and the mean step of each option.",
        source="peaks and bandwidths as in the chip table; points by the engine "
        "(one mixed step at the chosen configuration).",
        key="fig-roofline",
    )


def _ridge(study: Study, scenario: Block) -> float | None:
    """The intensity at which a scenario's chip turns from memory to arithmetic.

    At the peak of the format that the scenario computes in.
    """
    form = compute_format(study.evaluation.scope(scenario.name))
    peak = study.value(scenario, f"chip.peak[{form}]")
    bandwidth = study.value(scenario, "chip.memory.bandwidth")
    return peak / bandwidth if peak and bandwidth else None


def _where(left: dict[bool, list[tuple[str, str]]]) -> str:
    """On which side of their own chip's ridge the points are."""
    memory, arithmetic = left[True], left[False]
    if not memory and not arithmetic:
        return "What each chip can reach at an arithmetic intensity"
    if not arithmetic:
        where = "left of every ridge: memory binds"
    elif not memory:
        where = "right of every ridge: arithmetic binds"
    else:
        few, side = min(
            (arithmetic, "right"), (memory, "left"), key=lambda x: len(x[0])
        )
        other = "memory" if side == "right" else "arithmetic"
        own = "arithmetic" if side == "right" else "memory"
        by_chip: dict[str, list[str]] = {}
        for model, chip in few:
            by_chip.setdefault(chip, []).append(model)
        names = [f"{listed(models)} on {chip}" for chip, models in by_chip.items()]
        return (
            f"At the chosen batches {other} binds, except for {listed(names)}: "
            f"{side} of the chip's ridge, {own} does"
        )
    return f"At the chosen batches every option lies {where}"


def _decode_point(study: Study, scenario: Block) -> Workload | None:
    """One mixed step of an option as a point: its arithmetic over what it reads."""
    names = ("model.params.matrix", "mixed.tokens", "ranks", "memory.weights")
    found = [study.value(scenario, name) for name in names]
    step = study.value(scenario, "mixed.step.time")
    cached = study.value(scenario, "mixed.cached")
    each = study.value(scenario, "rank.kv_per_token")
    layers = study.value(scenario, "model.layers")
    chip = study.role(scenario, "chip")
    values = (*found, step, cached, each, layers)
    if chip is None or any(value is None or not defined(value) for value in values):
        return None
    params, tokens, ranks, weights, time, kept, kv, depth = (
        float(x or 0) for x in values
    )
    if not ranks:
        return None
    flops = 2 * params * tokens / ranks
    read = weights + kept * kv * depth
    if not (flops > 0 and read > 0 and time > 0):
        return None
    model = (
        study.workload_title(scenario).removeprefix("Llama 3 ").removeprefix("Llama-3 ")
    )
    return Workload(model, flops / read, _name(chip), flops / time)


def _table(study: Study, scenarios: list[Block], title: str, name: str) -> v.Table:
    rows, marks = [], Marks(study)
    best = _best(study, scenarios, "throughput.per_chip")
    for scenario in scenarios:
        cells: list[v.Cell | v.Text] = [v.Cell(study.title(scenario))]
        for metric, _, _ in METRICS:
            found = study.result(scenario, metric)
            if found is None:
                cells.append("–")
                continue
            text = n.plain(found.value) if defined(found.value) else "undefined"
            shown = interval(found, prefixes=False)
            cells.append(v.Cell(marks.on(text, found), interval=shown))
        style = "highlight" if best and scenario is best[0] else ""
        rows.append(v.Row(tuple(cells), style))  # type: ignore[arg-type]
    caption = study.by_rank(
        scenarios,
        "throughput.per_chip",
        lambda ranked: _most_tokens(study, ranked, title),
        most=True,
        places=(0,),
    )
    return v.Table(
        caption,
        (v.Column("Option"), *(v.Column(t, u, "right") for _, t, u in METRICS)),
        tuple(rows),
        source="engine; 90% intervals in grey. TPOT is the mean "
        "step of continuous batching, the first token apart."
        + exceeding(study.result(s, m) for s in scenarios for m, _, _ in METRICS),
        key=f"tab-performance-{name}",
        notes=marks.notes,
    )


def _most_tokens(study: Study, ranked: list[Block], title: str) -> str:
    """The caption: which option gets most out of a chip."""
    found = study.result(ranked[0], "throughput.per_chip") if ranked else None
    if found is None:
        return title
    who = study.who(ranked[0])
    return f"{title}: {who} yields the most tokens from a chip, {show(found)}"


def _best(
    study: Study, scenarios: list[Block], metric: str
) -> tuple[Block, float] | None:
    ranked = [
        (found.central, i)
        for i, scenario in enumerate(scenarios)
        if (found := study.result(scenario, metric)) is not None
        and defined(found.central)
    ]
    if not ranked:
        return None
    value, index = max(ranked)
    return scenarios[index], value


def _steps(
    study: Study, scenarios: list[Block], title: str, name: str
) -> v.Figure | None:
    stacks: list[Stack] = []
    shares: list[tuple[float, str, str]] = []
    for scenario in scenarios:
        parts = [study.value(scenario, f"mixed.step.{part}") or 0.0 for part in PARTS]
        ideal = study.value(scenario, "mixed.step.ideal") or sum(parts)
        total = study.value(scenario, "mixed.step.time") or ideal
        if not defined(total, ideal, *parts) or not ideal > 0:
            continue
        # What the stack takes beyond its parts; where it takes less, they shrink.
        rest = max(total - ideal, 0.0)
        scale = min(total / ideal, 1.0)
        parts = [scale * part for part in parts]
        stacks.append(
            Stack(
                study.title(scenario),
                tuple(1e3 * part for part in (*parts, rest)),
                f"{n.plain(1e3 * total)} ms",
            )
        )
        top = max(range(len(parts)), key=parts.__getitem__)
        shares.append((parts[top] / total, TITLES[top], study.who(scenario)))
    if not stacks:
        return None
    share, part, who = max(shares)
    titles: tuple[str, ...] = (*TITLES, "Residual of the stack")
    rest_is = (
        "the residual is what the calibrated stack takes beyond the parts; the totals "
        "are the TPOT of the table."
    )
    if not any(stack.values[-1] > 0 for stack in stacks):
        titles, rest_is = TITLES, "the totals are the TPOT of the table."
        stacks = [attrs.evolve(one, values=one.values[:-1]) for one in stacks]
    return v.Figure(
        f"{title}: on {who}, {part.lower()} take {n.percent(share, 2)} of a step",
        Stacked(titles, tuple(stacks), "Mean step, ms"),
        "Stacked bars: the parts of the mean step of each option, in milliseconds.",
        source=f"engine, at point values and the chosen configuration; {rest_is}",
        key=f"fig-steps-{name}",
    )


def _frontier(
    study: Study, scenarios: list[Block], title: str, name: str
) -> v.Figure | None:
    options = []
    limits: dict[float, str] = {}
    for scenario in scenarios:
        found = _space(study, scenario)
        if found is None:
            continue
        options.append((found, study.who(scenario)))
        limit = study.value(scenario, "workload.slo.tpot[mean]")
        if limit:
            limits[1e3 * limit] = f"SLO {n.plain(1e3 * limit)} ms"
    if not options:
        return None
    lead, who = max(options, key=lambda one: max(s.y for s in one[0].spots))
    return v.Figure(
        f"{title}: {who} reaches {n.plain(max(s.y for s in lead.spots))} output "
        "tokens a second from a chip, the most of all if latency is free",
        Frontier(
            tuple(option for option, _ in options),
            "Time per output token, ms",
            "Output tokens per second and chip",
            x_log=True,
            y_log=True,
            limits=tuple(Limit(x, text) for x, text in sorted(limits.items())),
        ),
        "Scatter with Pareto fronts: time per output token against tokens per second "
        "and chip, one point for each admissible configuration.",
        source="engine; every admissible tensor parallelism and batch.",
        key=f"fig-frontier-{name}",
    )


def _space(study: Study, scenario: Block) -> Option | None:
    """Every configuration that fits into memory, as latency against throughput."""
    import itertools

    import numpy as np

    scope = study.evaluation.scope(scenario.name)
    limits = [c for c in constraints(scope) if not c.name.startswith("slo.")]
    tpot, rate = scope["latency.tpot[mean]"], scope["throughput.per_chip"]
    wanted = (tpot, rate, *(c.node for c in limits))
    graph = scope.builder.freeze()
    choices = open_inputs(graph, wanted)
    spaces = []
    for node in choices:
        what = graph.nodes[node].what
        assert isinstance(what, Input)  # noqa: S101 (open_inputs finds inputs)
        spaces.append(options_of(scope, what))
    if not spaces:
        return None
    grid = np.array(list(itertools.product(*spaces)))
    columns = {node: grid[:, i] for i, node in enumerate(choices)}
    x, y, *held = program(graph, wanted, choices).run(columns)
    good = np.isfinite(x) & np.isfinite(y)
    for limit, column in zip(limits, held, strict=True):
        good &= column >= (limit.low or 0)
    good &= (x > 0) & (y > 0)
    spots = [Spot(1e3 * a, b) for a, b in zip(x[good], y[good], strict=True)]
    if not spots:
        return None
    return Option(study.title(scenario), tuple(_thin(spots)))


def _thin(spots: list[Spot], most: int = 90) -> list[Spot]:
    """At most so many points, the front's among them, in a fixed order."""
    front: list[Spot] = []
    for spot in sorted(spots, key=lambda s: (s.x, -s.y)):
        if not front or spot.y > front[-1].y:
            front.append(spot)
    rest = [s for s in spots if s not in front]
    step = max(1, -(-len(rest) // max(1, most - len(front))))
    return [attrs.evolve(s) for s in (*front, *rest[::step])]
