"""Topologies by call name: a new one is one file with one decorated function."""

import functools
import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Mapping

import attrs

from isocost.engine.topology.base import Refusal, Topology

Builder = Callable[..., Topology | Refusal]

#: Every builder by the name that a file calls it.
TOPOLOGIES: dict[str, Builder] = {}


def topology(function: Builder) -> Builder:
    """Register a builder under its own name; its parameters are those of the call."""
    if function.__name__ in TOPOLOGIES:
        message = f"two topologies are named {function.__name__}"
        raise ValueError(message)
    TOPOLOGIES[function.__name__] = function
    return function


@functools.cache
def load() -> None:
    """Import every module of the package, so that each registers its topologies."""
    package = importlib.import_module("isocost.engine.topology")
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")


def parameters(kind: str) -> dict[str, int | bool | None]:
    """The parameters of a topology with their defaults (None: must be given)."""
    found = _declared(TOPOLOGIES[kind])
    return {p.name: None if p.default is p.empty else p.default for p in found}


@functools.cache
def _declared(builder: Builder) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(builder).parameters.values())


#: Parameters that say yes or no, as 1 or 0.
FLAGS = frozenset({"even", "rail_only", "reduces", "wrap_x", "wrap_y", "wrap_z"})
#: Counts beyond this are no network; a ratio lies between its inverse and it.
MOST_COUNT = 10**7
MOST_RATIO = 1000.0


@attrs.frozen
class Bounds:
    """What a parameter may be: from `least` to `most`, and if it is a count."""

    least: float
    most: float
    whole: bool

    def nearest(self, value: float) -> int | float:
        """The admissible value next to this one (`least` for what is no number)."""
        if math.isnan(value):
            value = self.least
        inside = min(max(value, self.least), self.most)
        return round(inside) if self.whole else inside


def bounds(kind: str) -> dict[str, Bounds]:
    """What each parameter of a topology may be, as its declaration says.

    A `float` is a ratio, any other parameter a count; a count starts at 1, or at 0
    where 0 is its default and stands for "as the rest says".
    """
    return {param.name: _bounds(param) for param in _declared(TOPOLOGIES[kind])}


def _bounds(param: inspect.Parameter) -> Bounds:
    if param.name in FLAGS:
        return Bounds(0, 1, whole=True)
    if param.annotation is float:
        return Bounds(1 / MOST_RATIO, MOST_RATIO, whole=False)
    least = 0 if param.default == 0 or param.name == "dimensions" else 1
    return Bounds(least, MOST_COUNT, whole=True)


def out_of_bounds(kind: str, params: Mapping[str, float]) -> Refusal | None:
    """The first parameter that is none of what its declaration allows."""
    for name, limits in bounds(kind).items():
        if name not in params:
            continue
        value = params[name]
        near = limits.nearest(value)
        if limits.whole and math.isfinite(value) and value != int(value):
            return Refusal("whole", {"name": name, "value": value}, {name: near})
        if not limits.least <= value <= limits.most:
            args: dict[str, int | float | str] = {"name": name, "value": value}
            args |= {"least": limits.least, "most": limits.most}
            return Refusal("bounds", args, {name: near})
    return None


def build(kind: str, **params: float) -> Topology | Refusal:
    """A topology from its call name and parameters.

    Args:
        kind: The call name.
        **params: Counts (whole), ratios, and flags that are 0 or 1.

    Returns:
        The topology, or why there is none such.
    """
    if kind not in TOPOLOGIES:
        names = ", ".join(sorted(TOPOLOGIES))
        return Refusal("unknown_topology", {"name": kind, "known": names})
    known = parameters(kind)
    for name in params:
        if name not in known:
            args = {"topology": kind, "name": name, "known": ", ".join(known)}
            return Refusal("unknown_parameter", args)
    for name, default in known.items():
        if default is None and name not in params:
            return Refusal("missing_parameter", {"topology": kind, "name": name})
    refusal = out_of_bounds(kind, params)
    if refusal is not None:
        return refusal
    limits = bounds(kind)
    given = {k: int(v) if limits[k].whole else v for k, v in params.items()}
    return TOPOLOGIES[kind](**given)
