"""What the optimum of a fleet says: ranges of prices, entry and exit, who wins what.

All of it is exact for the program with fractional units. The range over which a
shadow price holds is one linear program a side (how far can the amount move while
the cost stays on its tangent); the price at which a platform enters or leaves is a
linear-fractional one.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from isocost.engine.fleet.model import Fleet, ShadowPrice, Turning
from isocost.engine.fleet.program import Program, build
from isocost.engine.fleet.solve import Solution, shadow_prices, solve_fractional

#: How far the cost may leave its tangent, as a share of it, and still count as on it.
_ON_TANGENT = 1e-12
#: Entry is asked for with at least this many units, which keeps the answer stable.
_LEAST_UNITS = 1e-3


def price_ranges(fleet: Fleet, names: tuple[str, ...] = ()) -> tuple[ShadowPrice, ...]:
    """Shadow prices with the range of the amount over which each holds.

    Args:
        fleet: One for which there is a mix.
        names: Of demands, limits, platforms owned or `supply of P`; empty: all but
            the demands, which cost two programs each.

    Raises:
        ValueError: There is no mix.
    """
    program = build(fleet)
    solution = _solved(program)
    out = []
    for price in shadow_prices(program, solution):
        wanted = price.name in names if names else price.kind != "demand"
        if wanted:
            low, high = _range(program, solution, price)
            out.append(attrs.evolve(price, low=low, high=high))
    return tuple(out)


def _solved(program: Program) -> Solution:
    solution = solve_fractional(program)
    if solution.x is None:
        message = "there is no mix to explain"
        raise ValueError(message)
    return solution


def _range(
    program: Program, solution: Solution, price: ShadowPrice
) -> tuple[float, float]:
    """Lowest and highest amount at which the price is the same."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    move = _Move.of(program, price)
    columns = len(program.cost)
    # One more column t, the amount as a multiple of what it is; rows move with it.
    under = hstack([program.under, csr_array(-move.under[:, None])])
    equal = hstack([program.equal, csr_array(-move.equal[:, None])])
    bound = np.zeros((len(move.bounds), columns + 1))
    for row, (column, amount) in enumerate(move.bounds):
        bound[row, column], bound[row, columns] = 1.0, -amount
    slope = price.price * price.amount
    scale = max(1.0, abs(solution.cost))
    tangent = np.concatenate([program.cost, [-slope]]) / scale
    rows = vstack([under, csr_array(bound), csr_array(tangent[None, :])])
    under_to = np.concatenate(
        [
            program.under_to - move.under,
            np.zeros(len(move.bounds)),
            [(solution.cost - slope) / scale + _ON_TANGENT],
        ]
    )
    high = program.high.copy()
    for column, _ in move.bounds:
        high[column] = np.inf
    bounds = np.column_stack([np.append(program.low, 0.0), np.append(high, np.inf)])
    found = []
    for sign in (1.0, -1.0):
        goal = np.zeros(columns + 1)
        goal[columns] = sign
        end = linprog(
            goal,
            A_ub=rows,
            b_ub=under_to,
            A_eq=equal,
            b_eq=program.equal_to - move.equal,
            bounds=bounds,
            method="highs",
        )
        open_end = 0.0 if sign > 0 else np.inf
        found.append(float(end.x[columns]) if end.x is not None else open_end)
    return found[0] * price.amount, found[1] * price.amount


@attrs.frozen(eq=False)
class _Move:
    """How right-hand sides and bounds grow with a multiple of an amount."""

    under: Any
    equal: Any
    bounds: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, program: Program, price: ShadowPrice) -> "_Move":
        """What the amount of a shadow price moves."""
        import numpy as np

        fleet = program.fleet
        under = np.zeros(len(program.under_to))
        equal = np.zeros(len(program.equal_to))
        bounds: tuple[tuple[int, float], ...] = ()
        platforms = [platform.name for platform in fleet.platforms]
        limits = [limit.name for limit in fleet.limits]
        if price.kind == "demand":
            equal[[demand.name for demand in fleet.demands].index(price.name)] = 1.0
        elif price.kind == "owned":
            column = program.owned.start + platforms.index(price.name)
            bounds = ((column, price.amount),)
        elif price.name in limits:
            row = len(platforms) + limits.index(price.name)
            under[row] = program.under_to[row]
        else:
            name = price.name.removeprefix("supply of ")
            bounds = ((program.bought.start + platforms.index(name), price.amount),)
        return cls(under, equal, bounds)


def turning_prices(fleet: Fleet, names: tuple[str, ...] = ()) -> tuple[Turning, ...]:
    """For each platform the cost of a new unit at which it enters or leaves the mix.

    Args:
        fleet: The fleet.
        names: Of platforms; empty: all.
    """
    program = build(fleet)
    return tuple(
        Turning(
            platform.name,
            platform.cost,
            _threshold(program, i),
            f"$/month per {platform.unit}",
        )
        for i, platform in enumerate(fleet.platforms)
        if not names or platform.name in names
    )


def _threshold(program: Program, index: int) -> float:
    """The highest cost of a unit at which buying some still saves money.

    With V the least cost without it, that is the maximum of (V - other cost) / units
    over all mixes: a linear program in mixes over units, by Charnes and Cooper.
    """
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity, vstack

    column = program.bought.start + index
    high = program.high.copy()
    high[column] = 0.0
    without = solve_fractional(attrs.evolve(program, high=high))
    if without.x is None:
        return float("inf")
    columns = len(program.cost)
    other = program.cost.copy()
    other[column] = 0.0
    capped = np.flatnonzero(np.isfinite(program.high))
    bound = identity(columns, format="csr")[capped]
    under = vstack(
        [
            hstack([program.under, csr_array(-program.under_to[:, None])]),
            hstack([bound, csr_array(-program.high[capped][:, None])]),
        ]
    )
    equal = hstack([program.equal, csr_array(-program.equal_to[:, None])])
    fixed = np.zeros((1, columns + 1))
    fixed[0, column] = 1.0
    found = linprog(
        np.append(other, -without.cost),
        A_ub=under,
        b_ub=np.zeros(under.shape[0]),
        A_eq=vstack([equal, csr_array(fixed)]),
        b_eq=np.append(np.zeros(equal.shape[0]), 1.0),
        bounds=[(0, None)] * columns + [(0, 1.0 / _LEAST_UNITS)],
        method="highs",
    )
    return float(-found.fun) if found.x is not None else 0.0


def winning_costs(fleet: Fleet, platform: str) -> Mapping[str, float]:
    """For each demand the cost of a unit at which a platform would win it.

    At the shadow prices of the present optimum: what a unit would save on the demand,
    less porting, energy and what it takes of the limits. Demands that the platform
    cannot serve are left out.
    """
    import numpy as np

    program = build(fleet)
    solution = _solved(program)
    names = [one.name for one in fleet.platforms]
    index = names.index(platform)
    mine = np.flatnonzero(program.pair_platform == index)
    limits = solution.limit_prices[len(names) :]
    taken = sum(
        -float(price) * limit.use.get(platform, 0.0)
        for limit, price in zip(fleet.limits, limits, strict=True)
    )
    return {
        fleet.demands[program.pair_demand[i]].name: float(
            (solution.demand_prices[program.pair_demand[i]] - program.cost[i])
            / program.load[i]
            - taken
        )
        for i in mine
        if program.load[i] > 0
    }
