"""`hypercube(SYSTEM)`: whether a torus is a hypercube, proved link by link."""

import itertools

from isocost.dsl.syntax import call_arguments
from isocost.dsl.values import number_of
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.study import Study

SECTION = "topology"
#: Lengths of an axis that a Gray code maps onto bits, closing links included.
BITS = {1: 0, 2: 1, 4: 2}


def build(study: Study, call: Call) -> list[v.Block]:
    """A box for each system: the proof, or why there is none."""
    out: list[v.Block] = []
    for name in call.names:
        block = study.find(name, "system")
        fact = block.facts.get("topology") if block is not None else None
        if block is None or fact is None or fact.expr.op != "call":
            continue
        _, named = call_arguments(fact.expr)
        lengths = tuple(int(number_of(one) or 1) for one in named.values())
        out.append(v.Callout(f"{study.name(block)} as a hypercube", proof(lengths)))
    return out


def proof(lengths: tuple[int, ...]) -> str:
    """The proof in words: every link of the torus against one of the hypercube."""
    size = " × ".join(map(str, lengths))
    if any(length not in BITS for length in lengths):
        return f"The {size} torus is no hypercube: an axis is neither 1, 2 nor 4 long."
    links = torus_links(lengths)
    turned = {frozenset(_code(place, lengths) for place in link) for link in links}
    dims = sum(BITS[length] for length in lengths)
    cube = {
        frozenset((a, a ^ (1 << bit))) for a in range(1 << dims) for bit in range(dims)
    }
    if turned != cube:
        return f"The {size} torus has links that a hypercube has not."
    named = " × ".join("2" for _ in range(dims))
    return (
        f"Number the chips of each axis by a Gray code (0, 1, 3, 2). All "
        f"{n.count(len(links))} links of the {size} torus then join numbers that "
        f"differ in one bit, and they are all the {n.count(len(cube))} links of the "
        f"{named} hypercube: the two are the same graph, so that what is known of the "
        "hypercube's algorithms holds for the torus."
    )


def torus_links(lengths: tuple[int, ...]) -> set[frozenset[tuple[int, ...]]]:
    """The pairs of neighbours of a torus whose axes all close."""
    out = set()
    for place in itertools.product(*(range(length) for length in lengths)):
        for axis, length in enumerate(lengths):
            if length > 1:
                other = list(place)
                other[axis] = (place[axis] + 1) % length
                out.add(frozenset((place, tuple(other))))
    return out


def _code(place: tuple[int, ...], lengths: tuple[int, ...]) -> int:
    """A chip's number: the Gray codes of its coordinates, side by side."""
    code = 0
    for at, length in zip(place, lengths, strict=True):
        code = code << BITS[length] | (at ^ at >> 1)
    return code
