"""The system as a training step takes it: links, NICs, domains and reserves."""

from collections.abc import Mapping

from isocost.engine.derive.collectives import link_of
from isocost.engine.derive.common import TRAINING, add_up
from isocost.engine.derive.plans import Ring, rate_across, ring_across
from isocost.engine.derive.topologies import topology_of
from isocost.engine.derive.training_inputs import Keys, number
from isocost.engine.formulas import moe_exchange, training_figures
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Node, Scope


def _reduce_share(scope: Scope, _: Keys) -> int:
    own = scope.has("software.training.all_reduce")
    return scope[f"software.training.{'all_reduce' if own else 'link_share'}"]


def _link(scope: Scope, _: Keys) -> int:
    """Links of a chip into its domain: all axes, one way."""
    axes = scope.keys("system", "topology.link[]")
    if not axes:
        return _of_rank(scope, "chip.scale_up.bandwidth")
    counts = _neighbours(scope) or dict.fromkeys(axes, 1)
    parts = [
        scope.apply(
            training_figures.axis_bandwidth,
            neighbours=float(count),
            bandwidth=f"{link_of(scope, axis)}.bandwidth",
        )
        for axis, count in counts.items()
        if count
    ]
    return _of_rank(scope, Node(add_up(scope, parts, "B/s/chip")))


def _neighbours(scope: Scope) -> Mapping[str, int]:
    """Links of a chip by axis; of a switched domain all its ports are one."""
    from isocost.engine.topology.fabric import Fabric

    if scope.call("system.topology") is None:
        return {}
    domain = topology_of(scope)
    return {domain.axes[0]: 1} if isinstance(domain, Fabric) else domain.ports


def _of_rank(scope: Scope, bandwidth: "str | Node") -> int:
    return scope.apply(
        training_figures.bandwidth_of_rank, bandwidth=bandwidth, rank_chips="rank.chips"
    )


def _nic(scope: Scope, _: Keys) -> int:
    """The scale-out network of a chip: as the fabric, the system or the chip says."""
    paths = ("fabric.bandwidth", "system.scale_out.bandwidth")
    stated = [path for path in paths if scope.has(path)]
    return _of_rank(scope, (*stated, "chip.scale_out.bandwidth")[0])


def _exchange_nic(scope: Scope, _: Keys) -> int:
    """What tapered and hashed tiers leave of it to an exchange between experts."""
    if not scope.has("workload.parallel.ep"):
        return scope["train.nic"]
    domains = scope.apply(
        moe_exchange.domains_of_group,
        group="workload.parallel.ep",
        domain="train.domain",
    )
    return rate_across(scope, scope["train.nic"], domains)


def _ring_nic(group: str, stride: str) -> Build:
    """What tapered and hashed tiers leave of it to the rings of a group."""

    def build(scope: Scope, _: Keys) -> int:
        ring = Ring(scope[group], scope[stride], scope["train.domain"])
        return ring_across(scope, scope["train.nic"], ring)

    return build


_TP = "workload.parallel.tp"
#: Groups whose rings leave a domain: what they are, their ranks and their stride.
RINGS = {
    "cp": ("context-parallel ranks", "workload.parallel.cp", _TP),
    "dp": ("replicas", "train.group", _TP),
    "expert": ("replicas of experts", "train.expert_group", "workload.parallel.ep"),
    "send": ("pipeline stages", "workload.parallel.pp", "train.stage_stride"),
}


_BY_CHIP = {"chips_per_system": "system.chips", "rank_chips": "rank.chips"}
QUANTITIES = (
    number("link", "Scale-up bandwidth of a rank, one way.", _link, "GB/s"),
    number("nic", "Scale-out bandwidth of a rank, one way.", _nic, "GB/s"),
    number(
        "exchange_nic",
        "Scale-out bandwidth of a rank that is left to an exchange between experts.",
        _exchange_nic,
        "GB/s",
    ),
    *(
        number(
            f"{name}_nic",
            f"Scale-out bandwidth of a rank that is left between {words}.",
            _ring_nic(group, stride),
            "GB/s",
        )
        for name, (words, group, stride) in RINGS.items()
    ),
    quantity(
        "train.domain",
        "1",
        "Ranks of a scale-up domain.",
        training_figures.ranks_of_domain,
        when=TRAINING,
        shared=_BY_CHIP,
    ),
    quantity(
        "train.node_ranks",
        "1",
        "Ranks of a server.",
        training_figures.ranks_of_server,
        when=TRAINING,
        servers="system.servers",
        shared=_BY_CHIP,
    ),
    quantity(
        "ranks.installed",
        "1",
        "Whole ranks of all chips.",
        training_figures.ranks_installed,
        chips="chips",
        rank_chips="rank.chips",
    ),
    quantity(
        "train.reserve",
        "GB",
        "Memory of a rank for buffers, runtime and fragments.",
        training_figures.training_reserve,
        when=TRAINING,
        share="software.training.reserve",
        capacity="chip.memory.usable",
        fixed="software.memory.reserve",
        rank_chips="rank.chips",
    ),
    number("reduce_share", "Share of a link in all-reduces.", _reduce_share),
)
