"""Networks as objects: which links there are, and which a group of ranks uses.

`build("torus", x=4, y=4, z=4)` makes one, `stack(scale_up, scale_out)` puts domains
on a network between them, `collective_plan(op, topology)` hands out the algorithms
of a collective as formulas. Whatever depends on a rate or a size is a formula.
"""

from isocost.engine.topology.base import (
    ANY,
    OPERATIONS,
    Apply,
    Candidate,
    Group,
    Library,
    Plan,
    Refusal,
    Topology,
)
from isocost.engine.topology.plan import bisection_plan, collective_plan
from isocost.engine.topology.registry import TOPOLOGIES, build, load, parameters
from isocost.engine.topology.stack import stack

__all__ = [
    "ANY",
    "OPERATIONS",
    "TOPOLOGIES",
    "Apply",
    "Candidate",
    "Group",
    "Library",
    "Plan",
    "Refusal",
    "Topology",
    "bisection_plan",
    "build",
    "collective_plan",
    "parameters",
    "stack",
]

load()
