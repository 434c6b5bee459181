"""NPV, IRR, XIRR and payback of uneven cash flows, with their derivatives.

A rate of return is where the present value crosses zero; its derivative by a flow
follows from the implicit function theorem. Where the flows change sign more than
once there may be several such rates: `internal_rates` gives all of them, `irr` the
one nearest to zero, and NaN where there is none.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from isocost.engine.kernels import Kernel

#: Rates are looked for between -99.9% and +99,900% a period, evenly in ln(1 + r).
_REACH = math.log(1000.0)
_STEPS = 480
#: Newton stops when a step is below this; so near the reach there is no rate.
_CLOSE, _EDGE = 1e-15, 1e-6
#: Below these rates annuities, and their slopes, are taken from their series.
_SMALL, _SMALL_SLOPE = 1e-8, 1e-6


def npv(rate: float, *flows: float) -> float:
    """Worth of flows at the first one's date: the first is not discounted."""
    return present_value(rate, flows, range(len(flows)))


def npv_of_arrays(rate: Any, *flows: Any) -> Any:
    """`npv` for every element of broadcast arrays, by Horner's rule."""
    worth: Any = 0.0
    for flow in reversed(flows):
        worth = worth / (1.0 + rate) + flow
    return worth


def npv_partials(rate: float, *flows: float) -> tuple[float, ...]:
    """By the rate, then by each flow."""
    times = range(len(flows))
    return _slope(rate, flows, times), *((1.0 + rate) ** -t for t in times)


def npv_spreadsheet(rate: float, *flows: float) -> float:
    """NPV as spreadsheets have it: the first flow, too, is one period away."""
    return npv(rate, *flows) / (1.0 + rate)


def present_value(rate: float, flows: Sequence[float], times: Sequence[float]) -> float:
    """Worth today of flows at times in periods of the rate."""
    return math.fsum(
        flow * (1.0 + rate) ** -time for flow, time in zip(flows, times, strict=True)
    )


def _slope(rate: float, flows: Sequence[float], times: Sequence[float]) -> float:
    """Derivative of the present value by the rate."""
    return math.fsum(
        -time * flow * (1.0 + rate) ** (-time - 1.0)
        for flow, time in zip(flows, times, strict=True)
    )


def _scaled(growth: float, flows: Sequence[float], times: Sequence[float]) -> float:
    """The present value at ln(1 + r) times a positive number, free of overflow."""
    shift = times[0] if growth >= 0 else times[-1]
    return math.fsum(
        flow * math.exp(-growth * (time - shift))
        for flow, time in zip(flows, times, strict=True)
    )


def internal_rates(flows: Sequence[float], times: Sequence[float]) -> tuple[float, ...]:
    """All rates of return a period, smallest first.

    Args:
        flows: Money, out negative.
        times: When, in periods, in order.
    """
    changes = _sign_changes(flows)
    if changes <= 1:
        only = _only_rate(flows, times) if changes else math.nan
        return () if math.isnan(only) else (only,)
    grid = [_REACH * (2.0 * i / _STEPS - 1.0) for i in range(_STEPS + 1)]
    values = [_scaled(growth, flows, times) for growth in grid]
    found = [grid[i] for i, value in enumerate(values) if value == 0]
    for (a, b), (fa, fb) in zip(
        itertools.pairwise(grid), itertools.pairwise(values), strict=True
    ):
        if fa * fb < 0:
            found.append(_bisect(a, b, fa, flows, times))
    return tuple(_polish(math.expm1(g), flows, times) for g in sorted(found))


def _sign_changes(flows: Sequence[float]) -> int:
    """How often the flows change sign, which bounds the number of rates."""
    signs = [flow > 0 for flow in flows if flow]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _only_rate(flows: Sequence[float], times: Sequence[float]) -> float:
    """The rate of flows that change sign once: Newton in ln(1 + r), kept bracketed."""
    low, high, growth = -_REACH, _REACH, 0.0
    rising = next(flow for flow in flows if flow) > 0
    for _ in range(100):
        value, slope = _scaled(growth, flows, times), 0.0
        if (value > 0) == rising:
            high = growth
        else:
            low = growth
        shift = times[0] if growth >= 0 else times[-1]
        slope = math.fsum(
            -(time - shift) * flow * math.exp(-growth * (time - shift))
            for flow, time in zip(flows, times, strict=True)
        )
        step = growth - value / slope if slope else math.inf
        following = step if low < step < high else (low + high) / 2.0
        if abs(following - growth) <= _CLOSE * max(1.0, abs(growth)):
            break
        growth = following
    return math.nan if abs(following) > _REACH - _EDGE else math.expm1(following)


def _bisect(
    low: float,
    high: float,
    at_low: float,
    flows: Sequence[float],
    times: Sequence[float],
) -> float:
    for _ in range(60):
        middle = (low + high) / 2.0
        if _scaled(middle, flows, times) * at_low > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _polish(rate: float, flows: Sequence[float], times: Sequence[float]) -> float:
    """One Newton step, kept if it is an improvement."""
    slope = _slope(rate, flows, times)
    if not slope:
        return rate
    value = present_value(rate, flows, times)
    better = rate - value / slope
    if better <= -1.0 or abs(better - rate) > abs(rate) * 1e-3 + 1e-6:
        return rate
    near = abs(present_value(better, flows, times)) <= abs(value)
    return better if near else rate


def irr(*flows: float) -> float:
    """Rate of return a period at which NPV is 0, the one nearest to 0; NaN if none."""
    return _nearest(internal_rates(flows, range(len(flows))))


def irr_partials(*flows: float) -> tuple[float, ...]:
    """Implicit function theorem: dr/df_t = -(1 + r)^-t / (dNPV/dr)."""
    return _implicit(irr(*flows), flows, range(len(flows)))


def irr_of_arrays(*flows: Any) -> Any:
    """`irr` for every element of broadcast arrays.

    Flows that change sign once are bisected together in ln(1 + r), by Horner's rule on
    the side of zero where the root is; for others the root nearest to zero is looked
    for first, outward on the grid of `internal_rates`.
    """
    import numpy as np

    table = np.array(np.broadcast_arrays(*flows), dtype=float)
    shape, table = table.shape[1:], table.reshape(len(flows), -1)
    signs = np.sign(table)
    last = np.zeros(table.shape[1])
    changes = np.zeros(table.shape[1], dtype=int)
    for row in signs:
        changes += (row != 0) & (last != 0) & (row != last)
        last = np.where(row != 0, row, last)
    out = np.full(table.shape[1], np.nan)
    once = (changes == 1) & np.isfinite(table).all(axis=0)
    out[once] = np.expm1(_bisected(table[:, once], last[once]))
    often = (changes > 1) & np.isfinite(table).all(axis=0)
    out[often] = _nearest_of_many(table[:, often])
    return out.reshape(shape)


def _nearest_of_many(table: Any) -> Any:
    """The rate nearest to zero of columns whose flows change sign more than once.

    The grid is walked outward from zero on both sides until each column has a change
    of sign. Where that is at a rate above a half, a negative one may be nearer: those
    few columns go one by one.
    """
    import numpy as np

    count, width = table.shape[1], 2.0 * _REACH / _STEPS
    found = np.full(count, np.nan)
    for turned, sign in ((table, 1.0), (table[::-1], -1.0)):
        open_ = np.ones(count, dtype=bool)
        before, growth = _horner(turned, np.zeros(count)), 0.0
        while growth < _REACH - width / 2 and open_.any():
            growth += width
            here = np.flatnonzero(open_)
            value = _horner(turned[:, here], np.full(len(here), growth))
            crossed = before[here] * value <= 0
            hit = here[crossed]
            root = _refined(turned[:, hit], growth - width, growth, before[hit])
            rate = np.expm1(sign * root)
            nearer = ~(np.abs(found[hit]) <= np.abs(rate))
            found[hit] = np.where(nearer, rate, found[hit])
            before[here] = value
            open_[hit] = False
            open_ &= ~(np.abs(found) < abs(np.expm1(sign * growth)))
    for i in np.flatnonzero(np.abs(found) > 0.5):  # noqa: PLR2004 (see the docstring)
        found[i] = irr(*table[:, i])
    return found


def _horner(table: Any, growth: Any) -> Any:
    """The present value of columns of flows, each at its own ln(1 + r) of 0 or more."""
    import numpy as np

    step, value = np.exp(-growth), np.zeros(table.shape[1])
    for row in table[::-1]:
        value = value * step + row
    return value


def _refined(table: Any, low: float, high: float, at_low: Any) -> Any:
    """Bisect columns between two values of ln(1 + r) that bracket a root of each."""
    import numpy as np

    below, above = np.full(table.shape[1], low), np.full(table.shape[1], high)
    for _ in range(52):
        middle = (below + above) / 2.0
        same = _horner(table, middle) * at_low > 0
        below, above = np.where(same, middle, below), np.where(same, above, middle)
    return (below + above) / 2.0


def _bisected(table: Any, last: Any) -> Any:
    """ln(1 + r) of columns of flows that change sign once; NaN out of reach.

    `last` is the sign of the last flow: that of the present value at low rates.
    """
    import numpy as np

    negative = np.sign(table.sum(axis=0)) != last
    turned = np.where(negative, table[::-1], table)
    at_end = np.where(negative, last, -last)
    low, high = np.zeros(table.shape[1]), np.full(table.shape[1], _REACH)
    for _ in range(56):
        middle = (low + high) / 2.0
        step, value = np.exp(-middle), np.zeros(table.shape[1])
        for row in turned[::-1]:
            value = value * step + row
        beyond = np.sign(value) == at_end
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    growth = np.where(negative, -low, low)
    return np.where(low > _REACH - _EDGE, np.nan, growth)


def xirr(flows: Sequence[float], days: Sequence[float]) -> float:
    """Yearly rate of return of dated flows, by actual days over 365; NaN if none."""
    return _nearest(internal_rates(flows, [day / 365.0 for day in days]))


def xirr_partials(flows: Sequence[float], days: Sequence[float]) -> tuple[float, ...]:
    """By each flow, by the implicit function theorem."""
    times = [day / 365.0 for day in days]
    return _implicit(xirr(flows, days), flows, times)


def _nearest(rates: tuple[float, ...]) -> float:
    return min(rates, key=abs, default=math.nan)


def _implicit(
    rate: float, flows: Sequence[float], times: Sequence[float]
) -> tuple[float, ...]:
    if math.isnan(rate):
        return (math.nan,) * len(flows)
    slope = _slope(rate, flows, times)
    return tuple(-((1.0 + rate) ** -time) / slope for time in times)


def irr_level(capex: float, income: float, periods: float, salvage: float) -> float:
    """Rate of return a period of capital that earns a level income; NaN if none."""
    if capex <= 0 or income * periods + salvage <= 0 or periods <= 0:
        return math.nan
    low, high = math.log1p(-0.999), math.log1p(max(income / capex, 0.0) + 1.0)
    high = max(high, math.log1p(salvage / capex) / periods + 1.0)
    for _ in range(200):
        middle = (low + high) / 2.0
        if _level(math.expm1(middle), capex, income, periods, salvage) > 0:
            low = middle
        else:
            high = middle
    return math.expm1((low + high) / 2.0)


def _annuity(rate: float, periods: float) -> float:
    """Worth of 1 a period; its series near 0."""
    if abs(rate) < _SMALL:
        return periods * (1.0 - rate * (periods + 1.0) / 2.0)
    return -math.expm1(-periods * math.log1p(rate)) / rate


def _level(
    rate: float, capex: float, income: float, periods: float, salvage: float
) -> float:
    kept = math.exp(-periods * math.log1p(rate))
    return income * _annuity(rate, periods) + salvage * kept - capex


def irr_level_partials(
    capex: float, income: float, periods: float, salvage: float
) -> tuple[float, float, float, float]:
    """Implicit function theorem on -C + y a(r, m) + R (1 + r)^-m = 0."""
    rate = irr_level(capex, income, periods, salvage)
    if math.isnan(rate):
        return (math.nan,) * 4
    worth, kept = _annuity(rate, periods), (1.0 + rate) ** -periods
    if abs(rate) < _SMALL_SLOPE:
        worth_slope, by_time = -periods * (periods + 1.0) / 2.0, 1.0
    else:
        worth_slope = (periods * kept / (1.0 + rate) - worth) / rate
        by_time = kept * math.log1p(rate) / rate
    slope = income * worth_slope - salvage * periods * kept / (1.0 + rate)
    by_periods = income * by_time - salvage * kept * math.log1p(rate)
    return 1.0 / slope, -worth / slope, -by_periods / slope, -kept / slope


def payback(*flows: float) -> float:
    """Periods until the flows so far add up to 0, within a period in proportion.

    Infinite where they never do; 0 where nothing was laid out.
    """
    running = 0.0
    for period, flow in enumerate(flows):
        if running < 0 <= running + flow:
            return period - 1.0 - running / flow
        running += flow
    return 0.0 if running >= 0 else math.inf


def payback_of_arrays(*flows: Any) -> Any:
    """`payback` for every element of broadcast arrays."""
    import numpy as np

    table = np.broadcast_arrays(*flows)
    running = np.zeros(table[0].shape)
    out = np.full(table[0].shape, np.nan)
    for period, flow in enumerate(table):
        now = np.isnan(out) & (running < 0) & (running + flow >= 0)
        out = np.where(now, period - 1.0 - running / np.where(now, flow, 1.0), out)
        running = running + flow
    never = np.where(running >= 0, 0.0, np.inf)
    return np.where(np.isnan(out), never, out)


def payback_partials(*flows: float) -> tuple[float, ...]:
    """By each flow: those before the period of payback move it alike."""
    running, out = 0.0, [0.0] * len(flows)
    for period, flow in enumerate(flows):
        if running < 0 <= running + flow:
            before = [-1.0 / flow] * period
            return (*before, running / flow**2, *out[period + 1 :])
        running += flow
    return tuple(out)


_BOOK = "Brealey, Myers, Allen: Principles of Corporate Finance, chapter 5"
NPV = Kernel(
    "npv",
    ("rate", "flows"),
    npv,
    npv_partials,
    source=_BOOK,
    valid="flows one period apart, the first one now",
    latex=r"\mathrm{NPV}",
    variadic=True,
    set_as=r"\sum_{t=0}^{<last>} \frac{<1>}{\left(1 + <0>\right)^{t}}",
    said_as="Σ_t <1> / (1 + <0>)^t, t = 0 to <last>",
    arrays=npv_of_arrays,
)
IRR = Kernel(
    "irr",
    ("flows",),
    irr,
    irr_partials,
    source=_BOOK,
    valid="flows one period apart; unique where they change sign once",
    latex=r"\mathrm{IRR}",
    variadic=True,
    set_as=r"\mathrm{root}_{r} "
    r"\left(\sum_{t=0}^{<last>} \frac{<0>}{\left(1 + r\right)^{t}}\right)",
    said_as="root_r(Σ_t <0> / (1 + r)^t, t = 0 to <last>)",
    arrays=irr_of_arrays,
)
IRR_LEVEL = Kernel(
    "irr_level",
    ("capex", "income", "periods", "salvage"),
    irr_level,
    irr_level_partials,
    source=_BOOK,
    valid="capital first, then a level income",
    latex=r"\mathrm{IRR}",
)
PAYBACK = Kernel(
    "payback",
    ("flows",),
    payback,
    payback_partials,
    source=_BOOK,
    valid="flows one period apart, the first one now; infinite where never repaid",
    latex=r"t_{\mathrm{pay}}",
    variadic=True,
    set_as=r"\min\left\{T : \sum_{t=0}^{T} <0> \ge 0\right\}",
    said_as="min(T: Σ_t <0> ≥ 0, t = 0 to T)",
    arrays=payback_of_arrays,
)
