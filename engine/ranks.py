"""Quantiles of more draws than are held: what lies near a quantile is kept, no more.

The first draws say about where each quantile lies; of the rest only those in a bracket
around it are kept, and the others counted. The quantile is then the very draw that all
of them sorted would have at its rank, and so is its standard error.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.results import round_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: The quantiles that are told.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Half the width of a bracket in standard errors of the first draws' quantile.
WIDE = 5.0


@attrs.frozen
class Quantile:
    """A quantile of a metric in base units, with its standard error."""

    share: float
    value: float
    error: float


def quantiles(
    column: "Column", shares: Sequence[float] = QUANTILES
) -> tuple[Quantile, ...]:
    """Quantiles with standard errors, from the order statistics around each.

    The error is that of independent draws (Maritz and Jarrett would weigh more of
    them; half the width of the interval of one standard error around the rank is as
    good at these sizes); stratified draws do better, so it is on the safe side. Where
    that interval runs past the draws there are, the error is not known.
    """
    import numpy as np

    ordered = np.sort(column[np.isfinite(column)])

    def at(ranks: "Column") -> "Column":
        low = np.floor(ranks).astype(int)
        high = np.minimum(low + 1, len(ordered) - 1)
        return _between(ordered[low], ordered[high], ranks - low)

    return _told(at, len(ordered), shares)


def _between(low: "Column", high: "Column", share: "Column") -> "Column":
    return low + (high - low) * share


def _told(at: Any, count: int, shares: Sequence[float]) -> tuple[Quantile, ...]:
    """Quantiles and errors, given what stands at (fractional) ranks from 0."""
    import numpy as np

    if not count:
        return tuple(Quantile(share, math.nan, math.nan) for share in shares)
    out = []
    for share in shares:
        half = math.sqrt(count * share * (1 - share))
        middle = (count - 1) * share
        wanted = np.array([count * share - half, count * share + half])
        ends = np.clip(wanted, 0, count - 1)
        value, low, high = at(np.array([middle, *ends])).tolist()
        known = count > 1 and wanted[0] > -1 and wanted[1] < count
        error = round_out((high - low) / 2) if known else math.nan
        out.append(Quantile(share, round_out(value), error))
    return tuple(out)


class Ranks:
    """Quantiles of a column that comes in parts.

    Args:
        first: The first part, from which the brackets are; it is added like the rest.
        shares: The quantiles, ascending.
    """

    def __init__(self, first: "Column", shares: Sequence[float] = QUANTILES) -> None:
        import numpy as np

        self.shares = shares
        self.total = self.count = 0
        self.sum = 0.0
        self.brackets = _brackets(first[np.isfinite(first)], shares)
        self._below = [0] * len(self.brackets)
        self._level = [0] * len(self.brackets)
        self._inside: list[list[Column]] = [[] for _ in self.brackets]

    def add(self, part: "Column") -> None:
        """Count a part and keep of it what lies in a bracket."""
        import numpy as np

        self.total += len(part)
        finite = np.isfinite(part)
        if not finite.all():
            part = part[finite]
        self.count += len(part)
        self.sum += float(part.sum())
        for i, (low, high) in enumerate(self.brackets):
            reached = part >= low
            self._below[i] += len(part) - int(np.count_nonzero(reached))
            inside = part[reached & (part <= high)]
            if low == high:  # one value that many draws have
                self._level[i] += len(inside)
            else:
                self._inside[i].append(inside)

    @property
    def mean(self) -> float:
        """The mean of what is defined."""
        return round_out(self.sum / self.count) if self.count else math.nan

    @property
    def defined(self) -> float:
        """The share of draws in which there is a value."""
        return round_out(self.count / self.total)

    def quantiles(self) -> tuple[Quantile, ...] | None:
        """The quantiles; None where a bracket missed one, so that all are needed."""
        import numpy as np

        inside = [np.sort(np.concatenate([[], *parts])) for parts in self._inside]

        def one(rank: int) -> float:
            for i, (below, kept) in enumerate(zip(self._below, inside, strict=True)):
                if below <= rank < below + self._level[i]:
                    return self.brackets[i][0]
                if below <= rank < below + len(kept):
                    return float(kept[rank - below])
            raise LookupError

        def at(ranks: "Column") -> "Column":
            low = np.floor(ranks).astype(int).tolist()
            high = [min(rank + 1, self.count - 1) for rank in low]
            ends = np.array([list(map(one, low)), list(map(one, high))])
            return _between(ends[0], ends[1], ranks - low)

        try:
            return _told(at, self.count, self.shares)
        except LookupError:
            return None


def _brackets(column: "Column", shares: Sequence[float]) -> list[tuple[float, float]]:
    """An interval around each quantile, those that meet made one."""
    import numpy as np

    count = len(column)
    ends = []
    for share in shares:
        half = WIDE * math.sqrt(count * share * (1 - share)) + 1
        ends.append((math.floor(count * share - half), math.ceil(count * share + half)))
    ranks = sorted({r for pair in ends for r in pair if 0 < r < count - 1})
    ordered = np.partition(column, ranks) if ranks else column
    largest = float(np.finfo(float).max)
    out: list[tuple[float, float]] = []
    for first, last in ends:
        low = float(ordered[first]) if first > 0 else -largest
        high = float(ordered[last]) if last < count - 1 else largest
        if out and low <= out[-1][1]:
            low, _ = out.pop()
        out.append((low, high))
    return out
