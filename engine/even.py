"""The price at which a project's cash, after tax, is worth nothing today.

The cash of each month is linear in the price but for the tax, which is none on a loss,
carries the loss on, and is convex in the price; the worth of it all is concave and
rises. Newton's step from the untaxed answer then never passes the root, and the pieces
are finite, so that a few steps end on it exactly.
"""

import math
from collections.abc import Sequence
from typing import Any

from isocost.engine.kernels import Kernel

#: Steps at most; one for each month in which a profit turns up would do.
_STEPS = 200
_CLOSE = 1e-15

Months = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


def _parted(columns: Sequence[Any]) -> Months:
    """Hours, cash without income and deductions, as many months of each."""
    n = len(columns) // 3
    return columns[:n], columns[n : 2 * n], columns[2 * n :]


def even_price(rate: float, tax: float, *columns: float) -> float:
    """Price of an hour at which the present value after tax is 0; NaN if there is none.

    `columns` are three of equal length: the hours sold in each period, the cash but
    for income and tax, and what the tax lets deduct from the income.
    """
    hours, rest, _ = months = _parted(columns)
    worth = [(1.0 + rate) ** -t for t in range(len(hours))]
    sold = math.fsum(v * h for v, h in zip(worth, hours, strict=True))
    if not sold > 0:
        return math.nan
    price = -math.fsum(v * c for v, c in zip(worth, rest, strict=True)) / sold
    for _ in range(_STEPS if tax else 0):
        profits = _profits(price, months)
        moved = _by_profit(worth, tax, profits)
        taxes = math.fsum(v * max(0.0, p) for v, p in zip(worth, profits, strict=True))
        cash = math.fsum(
            v * (price * h + c) for v, h, c in zip(worth, hours, rest, strict=True)
        )
        slope = math.fsum(
            h * (v + g) for h, v, g in zip(hours, worth, moved, strict=True)
        )
        step = (cash - tax * taxes) / slope
        price -= step
        if not abs(step) > _CLOSE * abs(price):
            break
    return price


def _profits(price: float, months: Months) -> list[float]:
    """The taxed profit of each month, with the losses carried into it."""
    carried, out = 0.0, []
    for hours, _, deducted in zip(*months, strict=True):
        out.append(price * hours - deducted + carried)
        carried = min(0.0, out[-1])
    return out


def _by_profit(
    worth: Sequence[float], tax: float, profits: Sequence[float]
) -> list[float]:
    """What one more of taxed profit in a month is worth: less tax, then or later."""
    out, later = [0.0] * len(profits), 0.0
    for t in reversed(range(len(profits))):
        later = -tax * worth[t] if profits[t] > 0 else later
        out[t] = later
    return out


def even_price_partials(rate: float, tax: float, *columns: float) -> tuple[float, ...]:
    """Implicit function theorem on the present value, of which the price is a root."""
    price = even_price(rate, tax, *columns)
    if math.isnan(price):
        return (math.nan,) * (2 + len(columns))
    hours, rest, _ = months = _parted(columns)
    worth = [(1.0 + rate) ** -t for t in range(len(hours))]
    profits = _profits(price, months)
    taxes = [max(0.0, profit) for profit in profits]
    flows = [
        price * h + c - tax * t for h, c, t in zip(hours, rest, taxes, strict=True)
    ]
    moved = _by_profit(worth, tax, profits)
    each = [v + g for v, g in zip(worth, moved, strict=True)]
    slope = math.fsum(h * e for h, e in zip(hours, each, strict=True))
    by_rate = math.fsum(
        -t * v * f for t, (v, f) in enumerate(zip(worth, flows, strict=True))
    )
    by_tax = -math.fsum(v * t for v, t in zip(worth, taxes, strict=True))
    by = (
        by_rate / (1.0 + rate),
        by_tax,
        *(price * e for e in each),
        *worth,
        *(-g for g in moved),
    )
    return tuple(-one / slope for one in by)


def even_price_of_arrays(rate: Any, tax: Any, *columns: Any) -> Any:
    """`even_price` for every element of broadcast arrays, steps taken together."""
    import numpy as np

    whole = np.array(np.broadcast_arrays(rate, tax, *columns), dtype=float)
    shape, whole = whole.shape[1:], whole.reshape(2 + len(columns), -1)
    rate, tax = whole[0], whole[1]
    n = len(columns) // 3
    hours, rest, deducted = (
        whole[2 : 2 + n],
        whole[2 + n : 2 + 2 * n],
        whole[2 + 2 * n :],
    )
    worth = (1.0 + rate) ** -np.arange(n)[:, None]
    sold = (worth * hours).sum(axis=0)
    price = -(worth * rest).sum(axis=0) / np.where(sold > 0, sold, np.nan)
    for _ in range(_STEPS if (tax != 0).any() else 0):
        profits, carried = np.empty_like(hours), np.zeros_like(price)
        for t in range(n):
            profits[t] = price * hours[t] - deducted[t] + carried
            carried = np.minimum(0.0, profits[t])
        slope, later = np.zeros_like(price), np.zeros_like(price)
        for t in reversed(range(n)):
            later = np.where(profits[t] > 0, -tax * worth[t], later)
            slope += hours[t] * (worth[t] + later)
        flows = price * hours + rest - tax * np.maximum(0.0, profits)
        step = (worth * flows).sum(axis=0) / slope
        price = price - step
        if not (np.abs(step) > _CLOSE * np.abs(price)).any():
            break
    return price.reshape(shape)


EVEN_PRICE = Kernel(
    "even_price",
    ("rate", "tax", "columns"),
    even_price,
    even_price_partials,
    source="Brealey, Myers, Allen: Principles of Corporate Finance, chapter 5",
    valid="0 <= tax < 1; rate >= 0; the first period is now; a loss is carried",
    latex="p^*",
    variadic=True,
    set_as=r"\mathrm{root}_{p} \left(\sum_{t=0}^{<last>} "
    r"\frac{p\,<2> + <3> - <1> \max\left(0, \pi_t\right)}"
    r"{\left(1 + <0>\right)^{t}}\right) "
    r"\quad \pi_t = p\,<2> - <4> + \min\left(0, \pi_{t-1}\right)",
    said_as="root_p(Σ_t (p <2> + <3> - <1> max(0, profit_t)) / (1 + <0>)^t, "
    "t = 0 to <last>), profit_t = p <2> - <4> + min(0, profit_(t-1))",
    arrays=even_price_of_arrays,
)
