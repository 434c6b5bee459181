"""Why a fleet has no mix: the demands without a platform, the limits that conflict.

Limits are made soft and their violation is made small; the limits with a price at
that point are the candidates, and those that can be dropped one by one without
making room are dropped. What stays cannot be met together, and any one of it can.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from isocost.engine.fleet.model import Conflict, Fleet
from isocost.engine.fleet.program import Program

#: Prices and violations below this are rounding.
_TINY = 1e-7


@attrs.frozen
class _Soft:
    """A limit that may give way: a row of `under`, or a column's upper bound."""

    name: str
    amount: float
    row: int | None = None
    column: int | None = None


def explain(program: Program) -> Conflict:
    """The conflict of a program without a solution.

    Args:
        program: As built; fractional units decide, unless only whole ones fail.
    """
    fleet = program.fleet
    stranded = _stranded(fleet)
    program = _without(program, set(stranded))
    soft = _soft_limits(program)
    prices, demand_prices, violation = _elastic(program, soft, soft)
    if violation <= _TINY:
        return Conflict(stranded, (), (), {}, whole_units=not stranded)
    kept = [one for one in soft if prices[one.name] > _TINY]
    for candidate in list(kept):
        rest = [one for one in kept if one is not candidate]
        if _violation(program, soft, rest) > _TINY:
            kept = rest
    _, demand_prices, _ = _elastic(program, soft, kept)
    demands = tuple(
        demand.name
        for demand, price in zip(fleet.demands, demand_prices, strict=True)
        if abs(price) > _TINY and demand.name not in stranded
    )
    relief = {
        one.name: raised
        for one in kept
        if (raised := _raised(program, one)) is not None
    }
    return Conflict(stranded, tuple(one.name for one in kept), demands, relief)


def _stranded(fleet: Fleet) -> Mapping[str, Mapping[str, str]]:
    """Demands that no platform serves, with what each platform lacks."""
    out = {}
    for demand in fleet.demands:
        able = [p for p in fleet.platforms if fleet.serves.get((demand.name, p.name))]
        if not able and demand.penalty is None and demand.volume > 0:
            out[demand.name] = {
                p.name: fleet.reasons.get((demand.name, p.name), "")
                for p in fleet.platforms
            }
    return out


def _without(program: Program, stranded: set[str]) -> Program:
    """The program with stranded demands left out, so that the rest can be judged."""
    equal_to = program.equal_to.copy()
    for row, demand in enumerate(program.fleet.demands):
        if demand.name in stranded:
            equal_to[row] = 0.0
    return attrs.evolve(program, equal_to=equal_to)


def _soft_limits(program: Program) -> list[_Soft]:
    size = len(program.fleet.platforms)
    out = [
        _Soft(limit.name, limit.amount, row=size + i)
        for i, limit in enumerate(program.fleet.limits)
    ]
    return out + [
        _Soft(f"supply of {p.name}", p.cap, column=program.bought.start + i)
        for i, p in enumerate(program.fleet.platforms)
        if p.cap is not None
    ]


def _elastic(
    program: Program, soft: list[_Soft], hard: list[_Soft]
) -> tuple[dict[str, float], Any, float]:
    """Make the violation of `hard` least while all other soft limits are dropped.

    Violations count as shares of the amount. Returns the price of each limit, those
    of the demands, and the least violation.
    """
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    columns, held = len(program.cost), {one.name for one in hard}
    under_to, high = program.under_to.copy(), program.high.copy()
    rows: list[int] = []
    bound = np.zeros((len(hard), columns))
    bound_to = np.zeros(len(hard))
    for one in soft:
        if one.row is not None and one.name not in held:
            under_to[one.row] = np.inf
        if one.column is not None:
            high[one.column] = np.inf
    for i, one in enumerate(hard):
        rows.append(len(under_to) + i if one.row is None else one.row)
        if one.column is not None:
            bound[i, one.column], bound_to[i] = 1.0, one.amount
    give = csr_array(
        (
            [-max(abs(one.amount), 1.0) for one in hard],
            (rows, range(len(hard))),
        ),
        shape=(len(under_to) + len(hard), len(hard)),
    )
    under = hstack([vstack([program.under, csr_array(bound)]), give], format="csr")
    limits = np.concatenate([under_to, bound_to])
    finite = np.isfinite(limits)
    found = linprog(
        np.concatenate([np.zeros(columns), np.ones(len(hard))]),
        A_ub=under[finite],
        b_ub=limits[finite],
        A_eq=hstack([program.equal, csr_array((len(program.equal_to), len(hard)))]),
        b_eq=program.equal_to,
        bounds=np.column_stack(
            [
                np.concatenate([program.low, np.zeros(len(hard))]),
                np.concatenate([high, np.full(len(hard), np.inf)]),
            ]
        ),
        method="highs",
    )
    if found.x is None:
        return {one.name: 0.0 for one in hard}, np.zeros(len(program.equal_to)), np.inf
    prices = np.zeros(len(limits))
    prices[finite] = found.ineqlin.marginals
    scaled = {
        one.name: -float(prices[row]) * max(abs(one.amount), 1.0)
        for one, row in zip(hard, rows, strict=True)
    }
    return scaled, found.eqlin.marginals, float(found.fun)


def _violation(program: Program, soft: list[_Soft], hard: list[_Soft]) -> float:
    return _elastic(program, soft, hard)[2] if hard else 0.0


def _raised(program: Program, one: _Soft) -> float | None:
    """What a limit alone must be raised to while all others hold; None if no help."""
    import numpy as np

    under_to, high = program.under_to.copy(), program.high.copy()
    if one.row is not None:
        tight = attrs.evolve(program, under_to=under_to, high=high)
    else:
        high[one.column] = np.inf
        tight = attrs.evolve(program, under_to=under_to, high=high)
    _, _, violation = _elastic(tight, [one], [one])
    if not np.isfinite(violation):
        return None
    return one.amount + violation * max(abs(one.amount), 1.0)
