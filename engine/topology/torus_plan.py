"""The collectives of a torus as applications of formulas over its axes."""

from isocost.engine.formula import Formula
from isocost.engine.formulas import collectives_exchange as exchange
from isocost.engine.formulas import collectives_flat as flat
from isocost.engine.formulas import collectives_torus as over_axes
from isocost.engine.formulas import network_layout as layout
from isocost.engine.formulas.network_messages import gathered
from isocost.engine.topology.base import Apply, Candidate, Need
from isocost.engine.topology.needs import JOIN, reached

_BUCKETS: dict[str, Formula] = {
    "all_reduce": over_axes.bucket_all_reduce,
    "all_gather": over_axes.bucket_all_gather,
    "reduce_scatter": over_axes.bucket_all_gather,
}
#: Steps between neighbours of a ring, which sends both ways where it closes.
_RINGS: dict[str, dict[str, Formula]] = {
    "all_reduce": {
        "ring": flat.ring_all_reduce,
        "paired_ring": flat.paired_ring_all_reduce,
    },
    "all_gather": {"ring": flat.ring_all_gather},
    "reduce_scatter": {"ring": flat.ring_all_gather},
}
#: Steps between partners: one link of a rank, one way, at a time.
_PARTNERS: dict[str, dict[str, Formula]] = {
    "all_reduce": {"recursive": flat.halving_doubling_all_reduce},
    "all_gather": {"recursive": flat.recursive_all_gather},
    "reduce_scatter": {"recursive": flat.recursive_all_gather},
    "broadcast": {"chain": exchange.chain_broadcast},
    "point_to_point": {"direct": exchange.point_to_point},
}


def _axis(
    axis: str, inner: int, length: int, coefficient: str, *, closes: bool
) -> dict[str, Need]:
    """Extent, rate, path and step of a group along one axis."""
    place: dict[str, Need] = {"stride": "stride", "inner": inner, "length": length}
    extent = Apply(layout.axis_extent, {"ranks": "ranks", **place})
    interleave = Apply(layout.axis_interleave, place)
    seat: dict[str, Need] = {
        "extent": extent,
        "interleave": interleave,
        "length": length,
        "closes": float(closes),
    }
    latency = f"link[{axis}].latency"
    return {
        "extent": extent,
        "rate": Apply(layout.axis_rate, {"rate": reached(axis, coefficient), **seat}),
        "path": Apply(layout.axis_path, {"latency": latency, **seat}),
        "step": Apply(layout.axis_step, {"latency": latency, **seat}),
    }


def _sides(
    axes: tuple[str, ...],
    lengths: tuple[int, ...],
    closes: tuple[bool, ...],
    coefficient: str,
) -> dict[str, Need]:
    """`extent_x`, `rate_x`, … of three axes; those not there repeat the first rate."""
    sides: dict[str, Need] = {}
    inner = 1
    for slot, axis, length, closed in zip("xyz", axes, lengths, closes, strict=False):
        found = _axis(axis, inner, length, coefficient, closes=closed)
        sides |= {f"{what}_{slot}": need for what, need in found.items()}
        inner *= length
    for slot in "xyz"[len(axes) :]:
        blank = {"extent": 1.0, "rate": sides["rate_x"], "path": 0.0, "step": 0.0}
        sides |= {f"{what}_{slot}": need for what, need in blank.items()}
    return sides


def _pick(sides: dict[str, Need], *whats: str) -> dict[str, Need]:
    """The entries of `whats`, axis by axis."""
    return {
        f"{what}_{slot}": sides[f"{what}_{slot}"] for slot in "xyz" for what in whats
    }


def torus_candidates(
    operation: str,
    axes: tuple[str, ...],
    lengths: tuple[int, ...],
    closes: tuple[bool, ...],
) -> tuple[Candidate, ...]:
    """The algorithms of an operation on a torus.

    Args:
        operation: The collective.
        axes: The class of links of each axis, the innermost first.
        lengths: Endpoints along each.
        closes: Whether each is a ring.
    """
    coefficient = "exchange" if operation == "all_to_all" else "efficiency"
    sides = _sides(axes, lengths, closes, coefficient)
    each = _pick(sides, "extent", "rate")
    across = Apply(layout.path_across, _pick(sides, "path"))
    common: dict[str, Need] = {"size": "size", "ranks": "ranks", **JOIN}
    if operation == "all_to_all":
        args = {**common, **each, "path": across}
        return (Candidate("direct", Apply(over_axes.torus_all_to_all, args)),)
    found = []
    if operation in _BUCKETS:
        found.append(_mesh(operation, {**common, **each, "path": across}))
        for name, rate in (
            ("bucket", Apply(layout.rate_together, each)),
            ("ordered", Apply(over_axes.rate_in_order, each)),
        ):
            args = {**common, "rate": rate, "path": across}
            found.append(Candidate(name, Apply(_BUCKETS[operation], args)))
    open_sides = _sides(axes, lengths, (False,) * len(axes), coefficient)
    for table, around in ((_RINGS, sides), (_PARTNERS, open_sides)):
        args = {**common, **_neighbours(around)}
        for name, formula in table.get(operation, {}).items():
            found.append(Candidate(name, Apply(formula, args)))
    return tuple(found)


def _mesh(operation: str, args: dict[str, Need]) -> Candidate:
    """One step, each rank to each other: an all-to-all of copies or of shards."""
    if operation == "all_reduce":
        args["size"] = Apply(gathered, {"size": "size", "ranks": "ranks"})
    return Candidate("mesh", Apply(over_axes.torus_all_to_all, args))


def _neighbours(sides: dict[str, Need]) -> dict[str, Need]:
    """Rate and latency of steps between neighbours: the slowest axis in use."""
    steps = {f"path_{slot}": sides[f"step_{slot}"] for slot in "xyz"}
    return {
        "rate": Apply(layout.rate_slowest, _pick(sides, "extent", "rate")),
        "latency": Apply(layout.path_longest, steps),
    }
