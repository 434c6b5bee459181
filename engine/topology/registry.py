"""Topologies by call name: a new one is one file with one decorated function."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable

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


def load() -> None:
    """Import every module of the package, so that each registers its topologies."""
    package = importlib.import_module("isocost.engine.topology")
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")


def parameters(kind: str) -> dict[str, int | bool | None]:
    """The parameters of a topology with their defaults (None: must be given)."""
    found = inspect.signature(TOPOLOGIES[kind]).parameters.items()
    return {
        name: None if param.default is param.empty else param.default
        for name, param in found
    }


def build(kind: str, **params: int) -> Topology | Refusal:
    """A topology from its call name and parameters.

    Args:
        kind: The call name.
        **params: Whole numbers; a flag is 0 or 1.

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
    return TOPOLOGIES[kind](**params)
