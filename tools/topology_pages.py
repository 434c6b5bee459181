"""The page of topologies: what each joins, its parameters, an example that runs.

`tools/reference.py` writes it. Everything comes from the registry: a topology's
docstring, the declared parameters with their bounds, and what its example builds.
"""

import inspect
import re

from isocost.engine.topology import registry
from isocost.engine.topology.base import Refusal, Topology

HEAD = "<!-- Written by tools/reference.py. -->\n"
#: Parameters that a fabric's other statements give where the call leaves them out.
BESIDE = frozenset({"endpoints", "radix", "rails", "planes", "oversubscription"})
#: A link for the axes of the examples.
LINK = "nvlink4"
_PLACE = re.compile(r"^    (\w+): (.*?)(?=^    \w+: |\Z)", re.MULTILINE | re.DOTALL)


def page() -> str:
    """One section a topology."""
    registry.load()
    names = sorted(registry.TOPOLOGIES)
    parts = [
        "# Topologies",
        "",
        HEAD,
        "A `system` states the network of its domain as a call,",
        "`topology = torus(x = 4, y = 4)`, and a `fabric` the one between domains.",
        "What the call of a fabric leaves out is taken from what stands beside it:",
        "the chips (`endpoints`), the radix of the leaf's switch, `rails`, `planes`,",
        "and `oversubscription`; in a system only the chips are. What follows from a",
        "design is told under [networks](../networks.md).",
        "",
        *(f"- [`{name}`](#{name}): {_said(name)[0]}" for name in names),
    ]
    for name in names:
        parts += ["", *section(name)]
    return "\n".join(parts) + "\n"


def _said(name: str) -> tuple[str, str, dict[str, str], str]:
    """A topology's first line, further words, parameters, and its example."""
    doc = inspect.getdoc(registry.TOPOLOGIES[name]) or ""
    prose, _, rest = doc.partition("Args:\n")
    listed, _, example = rest.partition("Example:\n")
    first, _, more = prose.partition("\n")
    words = {m[1]: " ".join(m[2].split()) for m in _PLACE.finditer(listed)}
    return first, more.strip(), words, example.strip()


def section(name: str) -> list[str]:
    """What a topology is, its parameters, and a file that uses it."""
    first, more, words, example = _said(name)
    bounds = registry.bounds(name)
    rows = []
    for param, default in registry.parameters(name).items():
        limits = bounds[param]
        kind = "whole" if limits.whole else "ratio"
        holds = f"{kind}, {limits.least:g} to {limits.most:,.10g}"
        usual = f"{default:g}" if default is not None else "must be given"
        if default is None and param in BESIDE:
            usual = "as stated beside"
        rows.append(f"| `{param}` | {words[param]} | {holds} | {usual} |")
    return [
        f"## {name}",
        "",
        *([first] if not more else [first, "", more]),
        "",
        "| parameter | what it is | may be | default |",
        "|---|---|---|---|",
        *rows,
        "",
        f"`{example}`: {_counts(built(name))}.",
        "",
        "```scn",
        file(name).rstrip(),
        "```",
    ]


def built(name: str) -> Topology:
    """What the example of a topology builds."""
    call = _said(name)[3]
    kind, _, inside = call.partition("(")
    pairs = (part.split("=") for part in inside.rstrip(")").split(","))
    made = registry.build(kind, **{key.strip(): float(v) for key, v in pairs})
    if isinstance(made, Refusal):
        message = f"the example of {name} does not fit: {made}"
        raise TypeError(message)
    return made


def _counts(made: Topology) -> str:
    """What a design joins and with what."""
    said = [f"{made.endpoints:,} endpoints"]
    said += [f"{count:,} {role} switches" for role, count in made.switches.items()]
    return f"{', '.join(said)}, at most {made.diameter} links between two endpoints"


def file(name: str) -> str:
    """A whole file with the example as a system's domain."""
    made = built(name)
    links = "".join(f"  topology.link[{axis}] = {LINK}\n" for axis in made.axes)
    return f"""edition 2026

import "isocost:systems/gpu"

system example {{
  chip = h100
  chips = {made.endpoints} chip @assumed "an example"
  topology = {_said(name)[3]} @assumed "an example"
{links}}}

scenario one {{
  system = example
}}

check one.bisection > 0 TB/s "the design carries something"
"""
