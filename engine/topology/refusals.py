"""Why a design does not fit, in words: the reason and the nearest that would do.

A `Refusal` is data; this is the one place that turns it into a sentence, for the
diagnostic that a scenario gets.
"""

from isocost.engine.topology.base import Refusal

#: By code; what a wording does not name follows it as a list of facts.
_REASONS = {
    "bounds": "`{name}` is {value}, and it lies between {least} and {most}",
    "axis_length": "an axis cannot have this length",
    "domains": "a group of {ranks} chips is larger than the domain of {domain}, and no "
    "network beyond it is stated (`scale_out.bandwidth` of the system, or a fabric)",
    "endpoints": "it cannot join this many endpoints",
    "installed": "a group of {ranks} chips is larger than the {chips} installed",
    "missing_parameter": "`{topology}` needs `{name}`",
    "no_ports": "a switch is left without a port down or up",
    "order": "there is no such design of this order",
    "ports": "it takes more ports than there are",
    "radix": "the switches have too few ports",
    "reach": "{medium} reaches {reach} m, and this run is {length} m",
    "tiers": "no tree has this many tiers",
    "unknown_parameter": "`{topology}` has no `{name}`; it has {known}",
    "whole": "`{name}` is {value}, and it is a whole number",
    "unknown_topology": "there is no topology `{name}`; there are {known}",
}


def reason(refusal: Refusal) -> str:
    """A refusal as the middle of a sentence."""
    args = {key: _shown(value) for key, value in refusal.args.items()}
    wording = _REASONS.get(refusal.code, refusal.code)
    said = wording.format_map(args)
    facts = [f"{k} = {v}" for k, v in args.items() if f"{{{k}}}" not in wording]
    if facts:
        said += f" ({', '.join(facts)})"
    if refusal.nearest:
        near = [f"{k} = {_shown(v)}" for k, v in refusal.nearest.items()]
        said += f"; the nearest that fits: {' or '.join(near)}"
    return said


def _shown(value: object) -> str:
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
