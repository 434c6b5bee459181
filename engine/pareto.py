"""Points that nothing beats: the front of several goals, all to be made small."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Goals within this share of each other are level.
LEVEL = 1e-9


def front(scores: "NDArray[Any]") -> "NDArray[np.intp]":
    """The rows that no other row beats, level ones once, best of the first goal first.

    A row beats another if it is as small in every goal and smaller in one. Of rows
    that are level in all goals the first is kept.

    Args:
        scores: A row for each point, a column for each goal, all to be made small.
    """
    import numpy as np

    rounded = _rounded(scores)
    # Whoever is least in the sum of ranks is beaten by nobody, and beats the most.
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in rounded.T], axis=1)
    order = np.argsort(ranks.sum(axis=1), kind="stable")
    left, kept = order, []
    while len(left):
        best, left = left[0], left[1:]
        kept.append(best)
        left = left[(ranks[left] < ranks[best]).any(axis=1)]
    return np.array(sorted(kept, key=lambda i: (*ranks[i], i)), np.intp)


def _rounded(scores: "NDArray[Any]") -> "NDArray[Any]":
    """Scores to as many digits as count, so that rounding noise beats nobody."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log10(np.abs(scores)))
    unit = np.where(np.isfinite(exponent), 10.0 ** np.nan_to_num(exponent) * LEVEL, 1.0)
    out: NDArray[Any] = np.where(
        np.isfinite(scores), np.round(scores / unit) * unit, scores
    )
    return out
