"""Failures, what they stop, and the shares of time that are left.

Rates are stated by chip, by system (what all its chips share: hosts, power) and by
link. One failure in it stops the whole scale-up domain for its time of repair. Of the
network between systems only the first tier counts, by which a chip hangs alone: what
lies above has other ways. Rates of runs as published hold all causes; links are not to
be stated beside them.
"""

from isocost.engine.derive.common import TRAINING, add_up
from isocost.engine.formulas import redundancy, reliability
from isocost.engine.quantities import When, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]


def _fails(scope: Scope) -> bool:
    known = scope.has("chip.failure_rate") or scope.has("system.failure_rate")
    return known or _links_fail(scope)


def _links_fail(scope: Scope) -> bool:
    """Whether a failure rate is stated of any link, inside systems or between."""
    return any(
        scope.has(f"{owner}.{pattern.replace('[]', f'[{key}]')}.failure_rate")
        for owner, pattern in (("system", "topology.link[]"), ("fabric", "tier[].link"))
        for key in scope.keys(owner, pattern)
    )


FAILS = When("where a failure rate of chip, system or link is stated", _fails)
LINKS_FAIL = When("where a failure rate of a link is stated", _links_fail)
REPAIRED = When(
    "where failure rates and a time of repair are stated",
    lambda s: _fails(s) and s.has("system.repair_time"),
)
SAVED = When(
    "in training, where failure rates, the time of a checkpoint and of a restart "
    "are stated",
    lambda s: (
        TRAINING.holds(s)
        and _fails(s)
        and s.has("workload.checkpoint.time")
        and s.has("workload.restart_time")
    ),
)


def _rate(scope: Scope, chips: "str | float", systems: "str | float") -> int:
    """Failures of some systems and their chips together."""
    parts = []
    for path, count in (
        ("chip.failure_rate", chips),
        ("system.failure_rate", systems),
    ):
        if scope.has(path):
            rate = scope.apply(
                reliability.job_failure_rate, job_rate=0.0, chip_rate=path, chips=count
            )
            parts.append(rate)
    return add_up(scope, [*parts, *_inside(scope, systems)], "/h")


def _inside(scope: Scope, systems: "str | float") -> list[int]:
    """Failures of the links inside some systems, by class of link."""
    from isocost.engine.derive.collectives import link_of
    from isocost.engine.derive.topologies import topology_of

    if not _links_fail(scope) or not scope.keys("system", "topology.link[]"):
        return []
    found = []
    for axis, count in topology_of(scope).links.items():
        path = f"{link_of(scope, axis)}.failure_rate"
        if count and scope.has(path):
            made = scope.apply(
                reliability.link_failure_rate,
                links=float(count),
                link_rate=path,
                systems=systems,
            )
            found.append(made)
    return found


def _between(scope: Scope) -> list[int]:
    """Failures of the links by which chips hang on the network between systems."""
    from isocost.engine.derive.topologies import network_of, tier_path
    from isocost.engine.formulas.bom import item_failures

    if not _links_fail(scope) or not scope.has("fabric.topology"):
        return []
    tier, count = next(iter(network_of(scope)[1].links.items()))
    path = tier_path(scope, tier, "link", ".failure_rate")
    if path is None or not scope.has(path):
        return []
    return [scope.apply(item_failures, count=float(count), rate=path)]


def _all(scope: Scope, _: Keys) -> int:
    inside = _rate(scope, "chips", "systems")
    return add_up(scope, [inside, *_between(scope)], "/h")


def _of_links(scope: Scope, _: Keys) -> int:
    return add_up(scope, [*_inside(scope, "systems"), *_between(scope)], "/h")


def _domain(scope: Scope, _: Keys) -> int:
    """Share of the time in which one scale-up domain is up as a whole."""
    rate = _rate(scope, "system.chips", 1.0)
    mtbf = scope.apply(reliability.job_mttf, failure_rate=Node(rate))
    return scope.apply(
        reliability.availability_of_unit, mtbf=Node(mtbf), mttr="system.repair_time"
    )


def _interval(scope: Scope, _: Keys) -> int:
    """The stated time between checkpoints, else the best."""
    stated = scope.has("workload.checkpoint.interval")
    return scope["workload.checkpoint.interval" if stated else "checkpoint.best"]


QUANTITIES = (
    quantity(
        "failures.rate",
        "/day",
        "Failures of all systems together, and of the links by which they hang.",
        _all,
        when=FAILS,
    ),
    quantity(
        "failures.links",
        "/day",
        "Failures of links with a stated rate: inside systems, and the first tier "
        "between them.",
        _of_links,
        when=LINKS_FAIL,
    ),
    quantity(
        "failures.mtbf",
        "h",
        "Mean time between failures, of all systems together.",
        reliability.job_mttf,
        when=FAILS,
        headline=True,
        failure_rate="failures.rate",
    ),
    quantity(
        "failures.blast_radius",
        "chip-h",
        "Chip-hours that one failure takes.",
        reliability.blast_radius,
        when=REPAIRED,
        domain_chips="system.chips",
        mttr="system.repair_time",
    ),
    quantity(
        "failures.replacements",
        "chip/year",
        "Chips to replace in a year.",
        reliability.replacements,
        when=When(
            "where a failure rate of the chip is stated",
            lambda s: s.has("chip.failure_rate"),
        ),
        chip_rate="chip.failure_rate",
        chips="chips",
    ),
    quantity(
        "availability.domain",
        "%",
        "Share of the time in which a scale-up domain is up.",
        _domain,
        when=REPAIRED,
    ),
    quantity(
        "availability.whole",
        "%",
        "Share of the time in which all systems are up, spares in their place.",
        redundancy.enough_systems,
        when=REPAIRED,
        needed="systems",
        spares="finance.spares",
        up="availability.domain",
    ),
    quantity(
        "finance.availability",
        "%",
        "Chip-hours up over installed, by failures and repair.",
        lambda s, _: s["availability.domain"],
        when=REPAIRED,
    ),
    quantity(
        "checkpoint.best",
        "min",
        "Time between checkpoints that loses least (Daly).",
        reliability.daly_interval,
        when=SAVED,
        save="workload.checkpoint.time",
        mttf="failures.mtbf",
    ),
    quantity(
        "checkpoint.every",
        "min",
        "Time between checkpoints: as stated, else the best.",
        _interval,
        when=SAVED,
    ),
    quantity(
        "ettr",
        "%",
        "Productive over wall time, by failures, checkpoints and restarts.",
        reliability.goodput_exact,
        when=SAVED,
        interval="checkpoint.every",
        save="workload.checkpoint.time",
        restart="workload.restart_time",
        mttf="failures.mtbf",
    ),
)
