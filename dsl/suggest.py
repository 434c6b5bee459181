"""Did you mean: the names most like one that is not known.

Used for members, kinds, names, units and sources alike. A long name is nobody's slip
of the finger, so the work is bounded by the number of candidates alone.
"""

from collections.abc import Iterable

_LONGEST = 80
_AT_MOST = 3
#: A candidate that is so much further off than the best one is not shown.
_SLACK = 1.5


def nearest(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Up to three candidates that `name` may have been meant for, the best first.

    Args:
        name: What the user wrote.
        candidates: What would have been right; dotted paths are welcome.

    Returns:
        An empty tuple where nothing is near: a far-fetched hint is worse than none.
    """
    if not name or len(name) > _LONGEST:
        return ()
    ranked = sorted(
        (rank, abs(len(other) - len(name)), other)
        for other in dict.fromkeys(candidates)
        if other != name and (rank := _rank(name, other)) is not None
    )
    near = [other for rank, _, other in ranked if rank <= ranked[0][0] + _SLACK]
    return tuple(near[:_AT_MOST])


def _rank(name: str, other: str) -> float | None:
    """How far apart two names are; None where they have nothing to do with another."""
    a, b = _folded(name), _folded(other)
    if a == b:
        return 0.0
    allowed = max(1, min(len(a), len(b)) // 3)
    if abs(len(a) - len(b)) <= allowed:
        found = distance(a, b, allowed)
        if found <= allowed and found < len(a):
            return float(found)
    return _partial(a, b)


def _partial(a: str, b: str) -> float | None:
    """Names of which one is the other's last or first piece: `bandwidth`."""
    pieces = b.split(".")
    last = a.rsplit(".", 1)[-1]
    if len(pieces) > 1 and last == pieces[-1]:
        return 1.5
    if len(a) > 2 and (b.startswith(a) or (a.startswith(b) and len(b) > 2)):  # noqa: PLR2004
        return 2.5
    if len(pieces) > 1 and len(last) > 3 and distance(last, pieces[-1], 1) <= 1:  # noqa: PLR2004
        return 2.5
    return None


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_").replace("_", "")


def distance(a: str, b: str, limit: int) -> int:
    """Edits between two words, a swap of neighbours being one; `limit + 1` if more."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                best = min(best, above[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return limit + 1
    return row[-1]
