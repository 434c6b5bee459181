"""The variables of the network formulas: one name, one unit, one symbol.

Conventions, settled here once. A rate is one way (a data sheet's "bidirectional"
figure is halved by `one_way` before it gets here). `size` is the buffer of each
rank for an all-reduce, the whole gathered or unreduced array for an all-gather and
a reduce-scatter, each rank's send buffer (its own block included) for an
all-to-all, and the message for a broadcast or a point-to-point transfer;
`network_messages` converts every other convention.

An axis of a torus, a scale-up domain and the scale-out network are all "axes":
an axis has a length, and a group of ranks has an extent on it.
"""

from typing import TypeAlias

from isocost.dsl.expr import Expr
from isocost.engine.formula import Param, p

#: The type of a formula's arguments; short, since most formulas take seven.
E: TypeAlias = Expr

_MESSAGE = {
    "size": p("B", "S", "message, in the convention of the operation"),
    "ranks": p("1", "p", "ranks of the group"),
    "stride": p("1", "s", "ranks between neighbours of the group (1: innermost)"),
}
_LINK = {
    "bandwidth": p("B/s", "b", "data-sheet rate of a rank's link, one way"),
    "efficiency": p("1", r"\eta", "share of the rate that the library reaches"),
    "rate": p("B/s", "B", "rate that a rank reaches, one way"),
    "latency": p("s", r"\alpha", "time of one step between neighbours"),
    "path": p("s", r"\lambda", "latency across the group, end to end"),
}
_LIBRARY = {
    "launch": p("s", "a_0", "time to start a collective"),
    "cross": p("1", r"\kappa", "loss where latency and transfer are alike (0: none)"),
    "damping": p("1", r"\delta", "how soon that loss fades for small messages"),
    "own": p("1", r"\beta", "wire time of a block that a rank's own block costs it"),
    "overlap": p("1", r"\omega", "share of the shorter phase hidden by the longer"),
    "reduction": p("1", r"\eta_r", "share of the rate in in-network reduction"),
    "reduction_latency": p("s", r"\alpha_r", "latency of in-network reduction"),
    "arithmetic": p("B/s", r"\gamma^{-1}", "bytes that a rank reduces in a second"),
}
_AXIS = {
    "inner": p("1", "c", "product of the axes inside this one"),
    "length": p("1", "k", "endpoints along the axis"),
    "closes": p("1", "w", "1 if the axis closes to a ring, else 0"),
    "extent": p("1", "e", "ranks of the group along the axis"),
    "interleave": p("1", "i", "places between neighbours of the group on the axis"),
}
_PHASES = {
    "alpha": p("s", "A", "part of the time that does not depend on the size"),
    "wire": p("s", "W", "part of the time that is proportional to the size"),
    "scale_up": p("s", "t_i", "time inside a domain"),
    "scale_out": p("s", "t_o", "time between domains"),
}
#: Three axes, the innermost first: extent, rate and path of each.
AXES = {
    f"{what}_{axis}": p(unit, f"{latex}_{axis}", f"{doc} along {axis}")
    for axis in "xyz"
    for what, unit, latex, doc in (
        ("extent", "1", "e", "ranks of the group"),
        ("rate", "B/s", "B", "rate that a rank reaches, one way,"),
        ("path", "s", r"\lambda", "latency across the group"),
    )
}
SYMBOLS = _MESSAGE | _LINK | _LIBRARY | _AXIS | _PHASES | AXES


def take(names: str) -> dict[str, Param]:
    """The parameters of one formula, in the order of `names`."""
    return {name: SYMBOLS[name] for name in names.split()}


#: What every algorithm between equal links needs.
FLAT = take("size ranks rate latency launch cross damping")
#: The same with the latency across the group instead of that of a step.
SPREAD = take("size ranks rate path launch cross damping")
#: What every algorithm among a group asks of its group.
GROUP = "ranks >= 1; rate > 0; "
