"""Run a fleet's program on HiGHS: fractional for prices, whole where asked."""

from typing import Any

import attrs

from isocost.engine.fleet.model import (
    Assignment,
    Fleet,
    Holding,
    Mix,
    ShadowPrice,
    Status,
)
from isocost.engine.fleet.program import Program, build

#: HiGHS' statuses, as scipy numbers them.
_OPTIMAL, _INFEASIBLE = 0, 2
#: Shares and units below this are rounding.
_TINY = 1e-9


@attrs.frozen(eq=False)
class Solution:
    """A point of a program: its columns, cost, and (fractional only) its prices.

    `demand_prices` are by row of `equal`: money for a whole demand; `limit_prices`
    by row of `under`, 0 or below; `bound_prices` by column at its upper bound;
    `reduced` is what a column at 0 would add to the cost, by unit.
    """

    status: Status
    x: Any
    cost: float
    demand_prices: Any = None
    limit_prices: Any = None
    bound_prices: Any = None
    reduced: Any = None
    gap: float = 0.0


def solve_fractional(program: Program) -> Solution:
    """The program with fractional units, by the simplex method, with its prices."""
    import numpy as np
    from scipy.optimize import linprog

    found = linprog(
        program.cost,
        A_ub=program.under,
        b_ub=program.under_to,
        A_eq=program.equal,
        b_eq=program.equal_to,
        bounds=np.column_stack([program.low, program.high]),
        method="highs",
    )
    if found.status == _INFEASIBLE or found.x is None:
        return Solution("infeasible", None, np.inf)
    return Solution(
        "optimal" if found.status == _OPTIMAL else "stopped",
        found.x,
        float(found.fun),
        found.eqlin.marginals,
        found.ineqlin.marginals,
        found.upper.marginals,
        found.lower.marginals,
    )


def _choices(program: Program) -> Any:
    """Share columns that need a yes-or-no choice, and of those that are one."""
    import numpy as np

    fleet = program.fleet
    whole = np.array([demand.whole for demand in fleet.demands], dtype=bool)
    is_whole = whole[program.pair_demand]
    ported = np.zeros(program.pairs, dtype=bool)
    if fleet.integer and fleet.porting:
        names = [
            (fleet.demands[d].name, fleet.platforms[p].name)
            for d, p in zip(program.pair_demand, program.pair_platform, strict=True)
        ]
        ported = np.array([fleet.porting.get(pair, 0.0) > 0 for pair in names])
    return is_whole, ported & ~is_whole


def solve_whole(
    program: Program, *, gap: float = 1e-4, nodes: int = 20_000
) -> Solution:
    """The program with whole units, whole demands and porting paid in full.

    Args:
        program: With fractional units.
        gap: Stop when the cost is proved to be within this share of the least.
        nodes: Stop after this many; the best mix so far is marked `stopped`.
    """
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, vstack

    is_whole, ported = _choices(program)
    extra = np.flatnonzero(ported)
    columns = len(program.cost)
    cost = np.concatenate([program.cost, np.zeros(len(extra))])
    paid = _porting_of(program)[extra]
    cost[extra] -= paid
    cost[columns:] = paid
    integral = np.zeros(len(cost))
    integral[: program.pairs][is_whole] = 1
    integral[columns:] = 1
    if program.fleet.integer:
        integral[program.bought] = 1
    pad = csr_array((program.under.shape[0], len(extra)))
    under = hstack([program.under, pad])
    each = np.arange(len(extra))
    ones = np.ones(len(extra))
    link = csr_array(
        (
            np.concatenate([ones, -ones]),
            (np.concatenate([each, each]), np.concatenate([extra, columns + each])),
        ),
        shape=(len(extra), len(cost)),
    )
    equal = hstack([program.equal, csr_array((program.equal.shape[0], len(extra)))])
    constraints = [
        LinearConstraint(
            vstack([under, link]),
            -np.inf,
            np.concatenate([program.under_to, np.zeros(len(extra))]),
        ),
        LinearConstraint(equal, program.equal_to, program.equal_to),
    ]
    found = milp(
        cost,
        integrality=integral,
        bounds=Bounds(
            np.concatenate([program.low, np.zeros(len(extra))]),
            np.concatenate([program.high, ones]),
        ),
        constraints=constraints,
        options={"mip_rel_gap": gap, "node_limit": nodes},
    )
    if found.x is None:
        status: Status = "infeasible" if found.status == _INFEASIBLE else "stopped"
        return Solution(status, None, np.inf)
    done: Status = "optimal" if found.status == _OPTIMAL else "stopped"
    reached = float(found.mip_gap) if found.mip_gap is not None else 0.0
    return Solution(done, found.x[:columns], float(found.fun), gap=reached)


def _whole(program: Program, fractional: Solution, gap: float) -> Solution:
    """`solve_whole` on the pairs that can be in an optimum.

    A mix on the pairs of the fractional optimum bounds the cost from above; a pair
    whose reduced cost is more than what is left above the fractional cost is in no
    better mix.
    """
    import numpy as np

    pairs = program.pairs
    first = np.flatnonzero(fractional.x[:pairs] > _TINY)
    trial = _on_pairs(program, first, gap)
    if trial.x is None:
        return solve_whole(program, gap=gap)
    room = trial.cost - fractional.cost
    able = np.flatnonzero(fractional.reduced[:pairs] <= room + _TINY * abs(trial.cost))
    found = _on_pairs(program, able, gap)
    return found if found.x is not None else trial


def _on_pairs(program: Program, kept: Any, gap: float) -> Solution:
    """`solve_whole` with all pairs but `kept` left out; columns as in the program."""
    import numpy as np

    size = len(program.fleet.platforms)
    rest = np.arange(program.pairs, program.pairs + 2 * size + len(program.penalised))
    columns = np.concatenate([kept, rest])
    smaller = attrs.evolve(
        program,
        pair_demand=program.pair_demand[kept],
        pair_platform=program.pair_platform[kept],
        load=program.load[kept],
        cost=program.cost[columns],
        equal=program.equal[:, columns],
        under=program.under[:, columns],
        low=program.low[columns],
        high=program.high[columns],
    )
    found = solve_whole(smaller, gap=gap)
    if found.x is None:
        return found
    x = np.zeros(len(program.cost))
    x[columns] = found.x
    return attrs.evolve(found, x=x)


def _porting_of(program: Program) -> Any:
    import numpy as np

    fleet = program.fleet
    pairs = zip(program.pair_demand, program.pair_platform, strict=True)
    names = [(fleet.demands[d].name, fleet.platforms[p].name) for d, p in pairs]
    return np.array([fleet.porting.get(pair, 0.0) for pair in names])


def cheapest_mix(fleet: Fleet, *, gap: float = 1e-4) -> Mix:
    """The mix of platforms that serves the demands at the least cost.

    Args:
        fleet: Demands, platforms and limits.
        gap: How near to the least cost a mix of whole units must be proved to be.

    Returns:
        The mix; with status `infeasible` its `conflict` says why.
    """
    from isocost.engine.fleet.conflict import explain

    program = build(fleet)
    fractional = solve_fractional(program)
    if fractional.x is None:
        return _none(explain(program))
    whole = fleet.integer or any(demand.whole for demand in fleet.demands)
    chosen = _whole(program, fractional, gap) if whole else fractional
    if chosen.x is None:
        return _none(explain(program))
    return Mix(
        status=chosen.status,
        cost=chosen.cost,
        fractional_cost=fractional.cost,
        holdings=_holdings(program, chosen.x),
        assignments=_assignments(program, chosen.x),
        unserved=_unserved(program, chosen.x),
        shadow_prices=shadow_prices(program, fractional),
        gap=chosen.gap,
    )


def _none(conflict: Any) -> Mix:
    nan = float("nan")
    return Mix("infeasible", nan, nan, (), (), {}, (), conflict=conflict)


def _holdings(program: Program, x: Any) -> tuple[Holding, ...]:
    import numpy as np

    used = np.bincount(
        program.pair_platform,
        weights=x[: program.pairs] * program.load,
        minlength=len(program.fleet.platforms),
    )
    spent = np.bincount(
        program.pair_platform,
        weights=x[: program.pairs] * program.cost[: program.pairs],
        minlength=len(program.fleet.platforms),
    )
    bought, owned = x[program.bought], x[program.owned]
    held = bought * program.cost[program.bought] + owned * program.cost[program.owned]
    return tuple(
        Holding(p.name, float(b), float(o), float(u), float(c))
        for p, b, o, u, c in zip(
            program.fleet.platforms, bought, owned, used, held + spent, strict=True
        )
    )


def _assignments(program: Program, x: Any) -> tuple[Assignment, ...]:
    fleet = program.fleet
    shares = x[: program.pairs]
    return tuple(
        Assignment(
            fleet.demands[program.pair_demand[i]].name,
            fleet.platforms[program.pair_platform[i]].name,
            float(shares[i]),
            float(shares[i] * program.load[i]),
        )
        for i in range(program.pairs)
        if shares[i] > _TINY
    )


def _unserved(program: Program, x: Any) -> dict[str, float]:
    shares = x[program.unserved]
    return {
        program.fleet.demands[i].name: float(share)
        for i, share in zip(program.penalised, shares, strict=True)
        if share > _TINY
    }


def shadow_prices(program: Program, solution: Solution) -> tuple[ShadowPrice, ...]:
    """Prices of demands, limits, caps and owned units at a fractional optimum."""
    fleet = program.fleet
    out = []
    for demand, whole in zip(fleet.demands, solution.demand_prices, strict=True):
        price = float(whole) / demand.volume if demand.volume else 0.0
        unit = f"$/month per {demand.unit}"
        out.append(ShadowPrice("demand", demand.name, price, unit, demand.volume))
    limits = solution.limit_prices[len(fleet.platforms) :]
    for limit, price in zip(fleet.limits, limits, strict=True):
        unit = f"$/month per {limit.unit}"
        out.append(ShadowPrice("limit", limit.name, float(price), unit, limit.amount))
    caps, owned = solution.bound_prices[program.bought], solution.bound_prices
    for platform, price in zip(fleet.platforms, caps, strict=True):
        unit = f"$/month per {platform.unit}"
        if platform.cap is not None:
            name = f"supply of {platform.name}"
            made = ShadowPrice("limit", name, float(price), unit, platform.cap)
            out.append(made)
    for platform, price in zip(fleet.platforms, owned[program.owned], strict=True):
        unit = f"$/month per {platform.unit}"
        if platform.owned:
            made = ShadowPrice(
                "owned", platform.name, float(price), unit, platform.owned
            )
            out.append(made)
    return tuple(out)
