"""Draws of uncertain inputs: one stratified column each, seeded by the input's origin.

A column depends on the origin and the number of draws alone. So scenarios, copies
and both sides of a diff share the draws of an input that they share, and editing one
line moves no other input's column. Inputs with a stated rank correlation keep their
columns in another order (`correlation`).
"""

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from isocost.dsl.correlate import Group
from isocost.engine.correlation import order
from isocost.engine.graph import Graph, Input, Spread
from isocost.engine.spreads import Z95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

DRAWS = 4096
#: Draws that are held in memory at once; a run of more goes by batches.
BATCH = 1 << 16


@functools.lru_cache(maxsize=1024)
def column(what: Input, group: Group | None, count: int) -> "Column":
    """The draws of one input; kept, since results ask for the same inputs again."""
    out = quantile(what.spread, place(what.origin, group, count), what.central)
    out.flags.writeable = False
    return out


def place(origin: str, group: Group | None, count: int, mark: str = "") -> "Column":
    """Where the draws of an input stand among all it may be, from 0 to 1."""
    if group is None:
        return uniform(origin + mark, count)
    return order(group, count, mark, uniform)[origin]


def places(graph: Graph, what: Input, count: int) -> "Column":
    """The places of the draws of all batches, one after the other."""
    import numpy as np

    group = graph.group(what.origin)
    return np.concatenate(
        [
            place(what.origin, group, size, mark)
            if mark is not None
            else np.roll(place(what.origin, group, size), turn(what, group, number))
            for number, (size, mark) in enumerate(sizes(count))
        ]
    )


def sizes(count: int) -> list[tuple[int, str | None]]:
    """The batches of so many draws: their sizes, and by what their columns are marked.

    The first has the columns of a run of its size; further full ones pair the same
    draws anew (None: each column is turned by as much as its origin and the number of
    the batch say); a last one that is not full has columns of its own.
    """
    full, rest = divmod(count, BATCH)
    out: list[tuple[int, str | None]] = [
        (BATCH, "" if not i else None) for i in range(full)
    ]
    return [*out, (rest, f" {full}" if full else "")] if rest else out


def turn(what: Input, group: Group | None, number: int) -> int:
    """By how much the column of an input is turned in a batch, as is its group."""
    text = f"{group.key if group else what.origin} {number}"
    seed = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(seed, "big") % BATCH


def uniform(origin: str, count: int) -> "Column":
    """A stratified column in (0, 1): a draw in each of `count` cells, shuffled."""
    import numpy as np

    seed = hashlib.blake2b(origin.encode(), digest_size=16).digest()
    generator = np.random.Generator(np.random.Philox(key=int.from_bytes(seed, "big")))
    cells = generator.permutation(count)
    out: Column = (cells + generator.random(count)) / count
    return out


def quantile(spread: Spread, u: "Column", central: float) -> "Column":
    """The draws of a spread at uniform draws, cut at its bounds."""
    import numpy as np
    from scipy.special import ndtri

    p = spread.params
    match spread.shape:
        case "lognormal":
            mean = (np.log(p[0]) + np.log(p[1])) / 2
            sd = (np.log(p[1]) - np.log(p[0])) / (2 * Z95)
            out = np.exp(mean + sd * ndtri(u))
        case "logitnormal":
            a, b = (np.log(x / (1 - x)) for x in p)
            out = 1 / (1 + np.exp(-((a + b) / 2 + (b - a) / (2 * Z95) * ndtri(u))))
        case "normal":
            out = p[0] + p[1] * ndtri(u)
        case "uniform":
            out = p[0] + (p[1] - p[0]) * u
        case "triangular":
            out = _triangular(p, u)
        case "one_of":
            out = np.asarray(p)[np.minimum((u * len(p)).astype(int), len(p) - 1)]
        case _:
            out = np.full(len(u), central)
    if spread.low is not None or spread.high is not None:
        out = np.clip(out, spread.low, spread.high)
    result: Column = np.asarray(out, float)
    return result


def _triangular(p: tuple[float, ...], u: "Column") -> "Column":
    import numpy as np

    a, mode, b = p
    split = (mode - a) / (b - a)
    below = a + np.sqrt(u * (b - a) * (mode - a))
    above = b - np.sqrt((1 - u) * (b - a) * (b - mode))
    out: Column = np.where(u < split, below, above)
    return out


def draws(
    graph: Graph, inputs: Iterable[int], count: int = DRAWS
) -> dict[int, "Column"]:
    """A column for every uncertain input among some nodes.

    Args:
        graph: The graph.
        inputs: The nodes to look at; points and formulas are passed over.
        count: How many draws.
    """
    out: dict[int, Column] = {}
    for node in inputs:
        what = graph.nodes[node].what
        if isinstance(what, Input) and what.uncertain:
            out[node] = column(what, graph.group(what.origin), count)
    return out


def batched(
    graph: Graph, inputs: Mapping[int, Input], count: int
) -> "Iterator[dict[int, Column]]":
    """The columns of so many draws, a batch at a time."""
    import numpy as np

    groups = {node: graph.group(what.origin) for node, what in inputs.items()}
    base: dict[int, Column] = {}
    for number, (size, mark) in enumerate(sizes(count)):
        if mark is None:
            yield {
                node: np.roll(base[node], turn(what, groups[node], number))
                for node, what in inputs.items()
            }
            continue
        made = {
            node: quantile(
                what.spread,
                place(what.origin, groups[node], size, mark),
                what.central,
            )
            for node, what in inputs.items()
        }
        base = base or made
        yield made
