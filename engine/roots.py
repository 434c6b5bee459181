"""All roots of a function over a range, by a dense grid and vectorised bracketing.

The function is evaluated over columns, so a pass over thousands of points costs
little. Every cell in which the sign changes is cut finer until doubles end; cells in
which the function only comes near zero are searched for a touch, or for two roots
that lie closer than the grid. A change of sign across a step is a crossing too, one
across a pole is not.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Cells of the first grid, and into how many each is cut in a later pass.
CELLS = 2048
CUTS = 32
PASSES = 12
#: Passes at most until a bracket holds no double more: all of them, from 0 up.
DEEPEST = 450
#: A function that comes this near to zero, beside its size around, touches it.
TOUCH = 1e-12
#: So many brackets at most are followed: more is a function without end.
MOST = 4096


@attrs.frozen
class Root:
    """Where a function crosses zero.

    `kind` is `root` where it is zero, `jump` where it steps across zero, and `touch`
    where it is zero without a change of sign. `sign` is that of the function above.
    """

    value: float
    kind: str
    sign: int
    row: int = 0


def roots(
    function: "Callable[[Column, NDArray[Any]], Column]",
    low: float,
    high: float,
    *,
    rows: int = 1,
    cells: int = CELLS,
) -> list[Root]:
    """Every root between two ends, ascending within each row.

    Args:
        function: Takes points and the row of each, gives the function's values.
        low: The lower end.
        high: The upper end; where both are positive the grid is even in logarithms.
        rows: How many functions are looked at side by side.
        cells: How many cells the first grid has.
    """
    import numpy as np

    even = np.geomspace if low > 0 else np.linspace
    grid = np.asarray(even(low, high, cells + 1))
    grid[0], grid[-1] = low, high
    search = _Search(function)
    x = np.tile(grid, (rows, 1))
    row = np.repeat(np.arange(rows), cells + 1).reshape(x.shape)
    y = search.at(x, row)
    search.cells(x, y, row)
    return sorted(search.found.values(), key=lambda r: (r.row, r.value))


class _Search:
    """The brackets that are still open, and what was found."""

    def __init__(self, function: "Callable[[Column, NDArray[Any]], Column]") -> None:
        self.function = function
        self.found: dict[tuple[int, float], Root] = {}

    def at(self, x: "NDArray[Any]", row: "NDArray[Any]") -> "NDArray[Any]":
        return self.function(x.ravel(), row.ravel()).reshape(x.shape)

    def add(self, value: float, kind: str, sign: int, row: int) -> None:
        key = (row, float(f"{value:.11e}"))
        self.found.setdefault(key, Root(value, kind, sign, row))

    def cells(self, x: "NDArray[Any]", y: "NDArray[Any]", row: "NDArray[Any]") -> None:
        """Follow every cell of a grid; zeros on the grid itself are roots at once."""
        for line, i in zip(*(y == 0).nonzero(), strict=True):
            self._on_grid(x[line], y[line], int(i), int(row[line, 0]))
        self._narrow(*_changes(x, y, row))
        self._near(x, y, row)

    def _on_grid(self, x: "Column", y: "Column", i: int, row: int) -> None:
        """A zero on the grid; of a stretch of zeros only both ends are told."""
        left = float(y[i - 1]) if i else 0.0
        right = float(y[i + 1]) if i + 1 < len(y) else 0.0
        if left == right == 0 and 0 < i < len(y) - 1:
            return
        before = next((float(v) for v in y[:i][::-1] if v), 0.0)
        after = next((float(v) for v in y[i + 1 :] if v), 0.0)
        kind = "touch" if before * after > 0 else "root"
        value = float(x[i])
        if left and not right and i + 1 < len(y):
            value = self._edge(float(x[i - 1]), value, row)
        elif right and not left and i:
            value = self._edge(float(x[i + 1]), value, row)
        self.add(value, kind, 1 if after > 0 else -1 if after < 0 else 0, row)

    def _edge(self, off: float, on: float, row: int) -> float:
        """The end of a stretch of zeros, between a point off it and one on it."""
        import numpy as np

        for _ in range(PASSES):
            x = np.linspace(off, on, CUTS + 1)
            first = int((self.at(x, np.full(len(x), row)) == 0).argmax())
            off, on = float(x[max(first - 1, 0)]), float(x[first])
        return on

    def _narrow(
        self, low: "Column", high: "Column", y: "NDArray[Any]", row: "NDArray[Any]"
    ) -> None:
        """Cut brackets with a change of sign until they are as small as doubles."""
        import numpy as np

        start = np.abs(y).max(axis=1) if len(y) else y
        for _ in range(DEEPEST):
            closed = np.nextafter(low, high) >= high
            if closed.all() or len(low) > MOST:
                break
            x = np.linspace(low, high, CUTS + 1, axis=1)
            lines = np.broadcast_to(row[:, None], x.shape)
            values = self.at(x, lines)
            for line, i in zip(*(values == 0).nonzero(), strict=True):
                self._on_grid(x[line], values[line], int(i), int(row[line]))
            sizes = start
            low, high, y, row, kept = _changes(x, values, lines, index=True)
            start = sizes[kept]
        for a, b, ends, line, size in zip(low, high, y, row, start, strict=True):
            self._close(float(a), float(b), ends, int(line), float(size))

    def _close(self, a: float, b: float, ends: "Column", row: int, size: float) -> None:
        """What a closed bracket holds: a root, a step across zero, or a pole."""
        left, right = float(ends[0]), float(ends[1])
        if not (math.isfinite(left) and math.isfinite(right)):
            return  # a pole that a point stands on
        if max(abs(left), abs(right)) > size * (1 + 1e-6):
            return  # it grows towards the point: a pole
        kind = "root" if max(abs(left), abs(right)) <= 1e-6 * size else "jump"
        value = a - left * (b - a) / (right - left) if kind == "root" else b
        self.add(value, kind, 1 if right > 0 else -1, row)

    def _near(self, x: "NDArray[Any]", y: "NDArray[Any]", row: "NDArray[Any]") -> None:
        """Look for touches and close pairs where the size of the function dips."""
        import numpy as np

        size = np.abs(y)
        same = (y[:, :-2] * y[:, 1:-1] > 0) & (y[:, 1:-1] * y[:, 2:] > 0)
        dips = same & (size[:, 1:-1] <= size[:, :-2]) & (size[:, 1:-1] < size[:, 2:])
        lines, at = dips.nonzero()
        lines, at = lines[:MOST], at[:MOST]
        low, high = x[lines, at], x[lines, at + 2]
        scale, line = np.maximum(size[lines, at], size[lines, at + 2]), row[lines, 0]
        for _ in range(PASSES):
            if not len(low):
                return
            points = np.linspace(low, high, CUTS + 1, axis=1)
            wide = np.broadcast_to(line[:, None], points.shape)
            values = self.at(points, wide)
            crossed = (values[:, :-1] * values[:, 1:] < 0).any(axis=1)
            self._narrow(*_changes(points[crossed], values[crossed], wide[crossed]))
            best = np.abs(values).argmin(axis=1)
            touched = ~crossed & (np.abs(values).min(axis=1) <= TOUCH * scale)
            for i in touched.nonzero()[0]:
                sign = 1 if values[i, 0] > 0 else -1
                self.add(float(points[i, best[i]]), "touch", sign, int(line[i]))
            on = ~crossed & ~touched
            low = points[on, np.maximum(best[on] - 1, 0)]
            high = points[on, np.minimum(best[on] + 1, CUTS)]
            scale, line = scale[on], line[on]


def _changes(
    x: "NDArray[Any]", y: "NDArray[Any]", row: "NDArray[Any]", *, index: bool = False
) -> tuple[Any, ...]:
    """The cells of a grid in which the sign changes: ends, values there, and rows."""
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore"):
        changed = np.sign(y[:, :-1]) * np.sign(y[:, 1:]) < 0
    lines, at = changed.nonzero()
    out = (
        x[lines, at],
        x[lines, at + 1],
        np.stack([y[lines, at], y[lines, at + 1]], axis=1),
        row[lines, at],
    )
    return (*out, lines) if index else out
