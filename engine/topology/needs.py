"""The coefficients of a library that plans ask for, and their neutral values."""

import attrs

from isocost.engine.formulas.collectives import reached_rate, ring_rate
from isocost.engine.topology import base
from isocost.engine.topology.base import Apply


@attrs.frozen
class Need:
    """A coefficient: its unit, what it is, and the value of an ideal library."""

    unit: str
    ideal: float
    doc: str


#: `library.COEF`: shared by every fabric of a platform.
SHARED = {
    "launch": Need("s", 0.0, "time to start a collective"),
    "cross": Need("1", 0.0, "loss where latency and transfer are alike"),
    "damping": Need("1", 0.0, "how soon that loss fades for small messages"),
    "overlap": Need("1", 1.0, "share of the shorter of two phases that is hidden"),
}
#: `library[AXIS].COEF`: of one fabric.
OF_FABRIC = {
    "efficiency": Need("1", 1.0, "share of the link's rate in rings and trees"),
    "own": Need("1", 0.0, "wire time of a block that a rank's own block costs it"),
    "exchange": Need("1", 1.0, "share of the link's rate in all-to-all"),
    "reduction": Need("1", 1.0, "share of the link's rate in in-network reduction"),
    "reduction_latency": Need("s", 0.0, "latency of in-network reduction"),
    "flows": Need("1", 1e12, "flows of a rank that a hash spreads over links"),
    "crowding": Need("1", 1.0, "ports down over ports up of a bridge between hosts"),
}


def library(*names: str) -> dict[str, str]:
    """The needs of shared coefficients, by parameter name."""
    return {name: f"library.{name}" for name in names}


#: The three that every transfer takes.
JOIN = library("launch", "cross", "damping")


def ringed(axis: str, ranks: base.Need) -> Apply:
    """The rate that the library reaches in rings over links of `axis`."""
    args: dict[str, base.Need] = {
        "bandwidth": f"link[{axis}].bandwidth",
        "efficiency": f"library[{axis}].efficiency",
        "ranks": ranks,
        "own": f"library[{axis}].own",
    }
    return Apply(ring_rate, args)


def reached(axis: str, coefficient: str = "efficiency") -> Apply:
    """The rate that the library reaches on a link of `axis`."""
    args = {
        "bandwidth": f"link[{axis}].bandwidth",
        "efficiency": f"library[{axis}].{coefficient}",
    }
    return Apply(reached_rate, args)


def ideal(axes: tuple[str, ...]) -> dict[str, float]:
    """Every coefficient of an ideal library on `axes`, by need."""
    values = {f"library.{name}": need.ideal for name, need in SHARED.items()}
    for axis in axes:
        for name, need in OF_FABRIC.items():
            values[f"library[{axis}].{name}"] = need.ideal
    return values
