"""Rank correlation between inputs: their columns of draws, put in another order.

Each input keeps its stratified column, value for value; only the order changes, so
that ranks go together as stated (Iman and Conover 1982, with normal scores). The
orders are made from the columns of all that a group names, sorted by origin: they
depend on nothing else, so that scenarios, copies and both sides of a diff share them,
and the first of a group is not moved at all.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from isocost.dsl.correlate import Group, scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


@functools.lru_cache(maxsize=64)
def order(
    group: Group, count: int, mark: str, uniform: "Callable[[str, int], Column]"
) -> "dict[str, Column]":
    """The columns of a group in (0, 1), in the order that the ranks ask for.

    Args:
        group: The group.
        count: How many draws.
        mark: What is added to each origin to seed its column.
        uniform: The column of an origin, before it is put in order.
    """
    import numpy as np
    from scipy.special import ndtri

    columns = [uniform(origin + mark, count) for origin in group.origins]
    ranks = [column.argsort().argsort() for column in columns]
    normal = ndtri((np.stack(ranks) + 0.5) / count)
    drawn = np.linalg.cholesky(_full(normal, count))
    asked = np.linalg.cholesky(np.array(scores(group.ranks)))
    moved = asked @ np.linalg.solve(drawn, normal)
    out = {}
    for origin, column, score in zip(group.origins, columns, moved, strict=True):
        made = np.empty(count)
        made[score.argsort(kind="stable")] = np.sort(column)
        out[origin] = made
    return out


def together(
    group: Group, origins: tuple[str, ...], places: "NDArray[Any]"
) -> "NDArray[Any]":
    """Independent places of some of a group, a column each, as ranks that go together.

    A Gaussian copula: for designs of quasi-random points, whose order must stay.
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    at = [group.origins.index(origin) for origin in origins]
    asked = np.linalg.cholesky(np.array(scores(group.ranks))[np.ix_(at, at)])
    out: NDArray[Any] = np.clip(ndtr(ndtri(places) @ asked.T), 2.0**-53, 1 - 2.0**-53)
    return out


def _full(normal: "NDArray[Any]", count: int) -> "NDArray[Any]":
    """The correlation of the drawn scores; too few draws count as uncorrelated."""
    import numpy as np

    if count <= 2 * len(normal):
        return np.eye(len(normal))
    found: NDArray[Any] = np.corrcoef(normal)
    return found
