"""From data to points: ticks at round numbers, and the map of one axis."""

import math

from isocost.reports import numbers
from isocost.reports.charts.plot import Axis, Tick


def nice_step(span: float, wanted: int) -> float:
    """The step of 1, 2, 2.5 or 5 times a power of ten nearest to `span / wanted`."""
    raw = span / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1, 2, 2.5, 5, 10):
        if raw <= factor * power * (1 + 1e-9):
            return factor * power
    return 10 * power


def nice_range(low: float, high: float, wanted: int = 5) -> tuple[float, float]:
    """The range widened to whole steps, so that both ends carry a tick."""
    # Closer than doubles can step between, they are one value.
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        pad = abs(low) * 0.1 or 1.0
        low, high = low - pad, high + pad
    step = nice_step(high - low, wanted)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def log_range(low: float, high: float) -> tuple[float, float]:
    """The range widened to the next 1, 2 or 5 times a power of ten."""

    def near(value: float, *, up: bool) -> float:
        power = 10.0 ** math.floor(math.log10(value))
        steps = [power * f for f in (1, 2, 5, 10)]
        if up:
            return next((s for s in steps if s >= value * (1 - 1e-9)), steps[-1])
        return next(s for s in reversed(steps) if s <= value * (1 + 1e-9))

    return near(low, up=False), near(high, up=True)


def ticks_of(axis: Axis, wanted: int) -> tuple[Tick, ...]:
    """The ticks of `axis`: its own, or round ones."""
    if axis.ticks is not None:
        return axis.ticks
    return _log_ticks(axis, wanted) if axis.log else _linear_ticks(axis, wanted)


def _linear_ticks(axis: Axis, wanted: int) -> tuple[Tick, ...]:
    """Ticks at round steps."""
    step = nice_step(axis.high - axis.low or 1.0, wanted)
    first = math.ceil(axis.low / step - 1e-9)
    last = math.floor(axis.high / step + 1e-9)
    # Round to kill the tail that a step of 0.1 leaves (0.30000000000000004).
    places = max(2 - math.floor(math.log10(step)), 0)
    values = [round(i * step, places) + 0.0 for i in range(first, last + 1)]
    return tuple(
        Tick(v, _money(t, axis.money))
        for v, t in zip(values, numbers.ticks(values, axis.unit), strict=True)
    )


def _money(text: str, sign: str) -> str:
    """The currency before a figure, after its minus."""
    if not sign:
        return text
    minus = numbers.MINUS if text.startswith(numbers.MINUS) else ""
    return f"{minus}{sign}{text.removeprefix(numbers.MINUS)}"


def _log_ticks(axis: Axis, wanted: int) -> tuple[Tick, ...]:
    """A tick a decade, with 2 and 5 named where there are few, fewer where many."""
    first = math.floor(math.log10(axis.low) + 1e-9)
    last = math.ceil(math.log10(axis.high) - 1e-9)
    decades = math.log10(axis.high / axis.low)
    named = {1, 2, 5} if 3 * decades <= 2 * wanted and decades <= 2 else {1}  # noqa: PLR2004
    # A label of a logarithmic axis may stand somewhat closer than elsewhere.
    every = max(math.ceil((last - first) / (2 * wanted)), 1)
    out = []
    for power in range(first, last + 1):
        for factor in range(1, 10):
            at = factor * 10.0**power
            if not axis.low * (1 - 1e-9) <= at <= axis.high * (1 + 1e-9):
                continue
            if factor in named and power % every == 0:
                text = _money(numbers.log_ticks([at], axis.unit)[0], axis.money)
                out.append(Tick(at, text))
            elif every == 1:
                out.append(Tick(at, minor=True))
    return tuple(out)


class Map:
    """The way of one axis: data to points."""

    __slots__ = ("_high", "_log", "_low", "_start", "_stop")

    def __init__(self, axis: Axis, start: float, stop: float) -> None:
        """Map `axis.low` to `start` and `axis.high` to `stop`."""
        self._log = axis.log
        self._low = math.log10(axis.low) if axis.log else axis.low
        self._high = math.log10(axis.high) if axis.log else axis.high
        if self._high == self._low:
            self._high += 1.0
        self._start, self._stop = start, stop

    def __call__(self, value: float) -> float:
        """The place of `value`."""
        if self._log:
            value = math.log10(max(value, 1e-300))
        share = (value - self._low) / (self._high - self._low)
        return self._start + share * (self._stop - self._start)
