"""A fleet as a linear program in sparse arrays.

Columns: the share of each demand on each platform that can serve it, units bought,
units owned in use, and the unserved share of demands that have a penalty. Rows:
each demand is shared out in full; what is used of a platform is bought or owned;
each limit holds.
"""

from typing import Any

import attrs

from isocost.engine.fleet.model import Fleet


@attrs.frozen(eq=False)
class Program:
    """min c x, A_eq x = b_eq, A_ub x <= b_ub, low <= x <= high.

    `pair_demand` and `pair_platform` hold the indices of each share column;
    `load` the units that a whole share takes. Columns follow in the order shares,
    bought, owned, unserved; rows of A_ub are platforms, then limits, then (for whole
    demands and porting paid in full) the links of shares to choices.
    """

    fleet: Fleet
    pair_demand: Any
    pair_platform: Any
    load: Any
    cost: Any
    equal: Any
    equal_to: Any
    under: Any
    under_to: Any
    low: Any
    high: Any
    penalised: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """Number of share columns."""
        return len(self.load)

    @property
    def bought(self) -> slice:
        """Columns of units bought."""
        return slice(self.pairs, self.pairs + len(self.fleet.platforms))

    @property
    def owned(self) -> slice:
        """Columns of owned units in use."""
        start = self.pairs + len(self.fleet.platforms)
        return slice(start, start + len(self.fleet.platforms))

    @property
    def unserved(self) -> slice:
        """Columns of unserved shares."""
        start = self.pairs + 2 * len(self.fleet.platforms)
        return slice(start, start + len(self.penalised))


def build(fleet: Fleet) -> Program:
    """The program of a fleet with fractional units.

    Args:
        fleet: Every name in `serves`, `porting` and `use` is one of its own.

    Raises:
        ValueError: A name is unknown, or a figure is negative.
    """
    import numpy as np

    _validate(fleet)
    at_d = {demand.name: i for i, demand in enumerate(fleet.demands)}
    at_p = {platform.name: i for i, platform in enumerate(fleet.platforms)}
    pairs = [(d, p) for (d, p), served in fleet.serves.items() if served > 0]
    pair_demand = np.array([at_d[d] for d, _ in pairs], dtype=int)
    pair_platform = np.array([at_p[p] for _, p in pairs], dtype=int)
    sized = np.array([demand.sized for demand in fleet.demands])
    volume = np.array([demand.volume for demand in fleet.demands])
    served = np.array([fleet.serves[pair] for pair in pairs])
    load = sized[pair_demand] / served if pairs else served
    energy = np.array([platform.energy for platform in fleet.platforms])
    porting = np.array([fleet.porting.get(pair, 0.0) for pair in pairs])
    penalised = tuple(
        i for i, demand in enumerate(fleet.demands) if demand.penalty is not None
    )
    working = volume[pair_demand] / served * energy[pair_platform] if pairs else load
    cost = np.concatenate(
        [
            working + porting,
            [platform.cost for platform in fleet.platforms],
            [platform.running for platform in fleet.platforms],
            [(fleet.demands[i].penalty or 0.0) * volume[i] for i in penalised],
        ]
    )
    equal, equal_to = _demand_rows(fleet, pair_demand, penalised)
    under, under_to = _capacity_rows(fleet, pair_platform, load, len(penalised))
    high = np.full(len(cost), np.inf)
    size = len(fleet.platforms)
    caps = [np.inf if p.cap is None else p.cap for p in fleet.platforms]
    high[len(pairs) : len(pairs) + size] = caps
    high[len(pairs) + size : len(pairs) + 2 * size] = [
        platform.owned for platform in fleet.platforms
    ]
    return Program(
        fleet=fleet,
        pair_demand=pair_demand,
        pair_platform=pair_platform,
        load=load,
        cost=cost,
        equal=equal,
        equal_to=equal_to,
        under=under,
        under_to=under_to,
        low=np.zeros(len(cost)),
        high=high,
        penalised=penalised,
    )


def _demand_rows(
    fleet: Fleet, pair_demand: Any, penalised: tuple[int, ...]
) -> tuple[Any, Any]:
    """Each demand's shares, with the unserved one, add up to 1."""
    import numpy as np
    from scipy.sparse import csr_array

    pairs, platforms = len(pair_demand), len(fleet.platforms)
    columns = np.concatenate(
        [np.arange(pairs), pairs + 2 * platforms + np.arange(len(penalised))]
    )
    rows = np.concatenate([pair_demand, np.array(penalised, dtype=int)])
    shape = (len(fleet.demands), pairs + 2 * platforms + len(penalised))
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    return matrix, np.ones(len(fleet.demands))


def _capacity_rows(
    fleet: Fleet, pair_platform: Any, load: Any, penalised: int
) -> tuple[Any, Any]:
    """Used <= bought + owned for each platform; then each limit."""
    import numpy as np
    from scipy.sparse import csr_array

    pairs, size = len(pair_platform), len(fleet.platforms)
    each = np.arange(size)
    rows = [pair_platform, each, each]
    columns = [np.arange(pairs), pairs + each, pairs + size + each]
    values = [load, -np.ones(size), -np.ones(size)]
    for i, limit in enumerate(fleet.limits):
        use = np.array([limit.use.get(p.name, 0.0) for p in fleet.platforms])
        for start in (pairs,) if limit.bought_only else (pairs, pairs + size):
            rows.append(np.full(size, size + i))
            columns.append(start + each)
            values.append(use)
    shape = (size + len(fleet.limits), pairs + 2 * size + penalised)
    entries = (np.concatenate(rows), np.concatenate(columns))
    matrix = csr_array((np.concatenate(values), entries), shape=shape)
    amounts = [limit.amount for limit in fleet.limits]
    return matrix, np.concatenate([np.zeros(size), amounts])


def _validate(fleet: Fleet) -> None:
    demands = {demand.name for demand in fleet.demands}
    platforms = {platform.name for platform in fleet.platforms}
    if len(demands) < len(fleet.demands) or len(platforms) < len(fleet.platforms):
        message = "two demands or two platforms share a name"
        raise ValueError(message)
    for table in (fleet.serves, fleet.porting):
        for (demand, platform), figure in table.items():
            if demand not in demands or platform not in platforms or figure < 0:
                message = f"{demand} on {platform}: unknown, or a negative figure"
                raise ValueError(message)
    for limit in fleet.limits:
        for platform, use in limit.use.items():
            if platform not in platforms or use < 0:
                message = f"{limit.name}: {platform} is unknown, or its use negative"
                raise ValueError(message)
