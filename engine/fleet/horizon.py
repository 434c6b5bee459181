"""A fleet over dates: what is ready when, and one mix for each period.

Periods are solved in order; what one buys is owned by the next until its life ends.
That is how capacity is planned in practice, and it cannot see that waiting for a
platform would pay: compare runs with and without the early purchase.
"""

import datetime as dt
from collections.abc import Mapping

import attrs

from isocost.engine.fleet.model import Fleet, Mix
from isocost.engine.fleet.solve import cheapest_mix

Pair = tuple[str, str]


@attrs.frozen
class Period:
    """A date, the volumes of demands from then on, and limits that differ by then."""

    start: dt.date
    volumes: Mapping[str, float]
    limits: Mapping[str, float] = attrs.field(factory=dict)


def ready_on(fleet: Fleet, ready: Mapping[Pair, dt.date], day: dt.date) -> Fleet:
    """The fleet without pairs that are not ready on a day.

    Args:
        fleet: The fleet.
        ready: From when software serves a demand on a platform; pairs left out are
            ready.
        day: The day.

    Returns:
        The fleet; `reasons` names the date from which each missing pair is ready.
    """
    late = {
        pair: date.isoformat()
        for pair, date in ready.items()
        if date > day and pair in fleet.serves
    }
    serves = {pair: rate for pair, rate in fleet.serves.items() if pair not in late}
    return attrs.evolve(fleet, serves=serves, reasons={**fleet.reasons, **late})


def mixes(
    fleet: Fleet,
    periods: tuple[Period, ...],
    ready: Mapping[Pair, dt.date],
    *,
    lives: Mapping[str, float],
) -> tuple[Mix, ...]:
    """The cheapest mix of each period, given what earlier ones bought.

    Args:
        fleet: Platforms, rates and limits; `owned` is what is there at the start.
        periods: In order of their dates.
        ready: As in `ready_on`.
        lives: Years for which a new unit of a platform lasts; for ever if left out.

    Returns:
        One mix for each period; porting paid in one is free in the next.
    """
    bought: list[tuple[dt.date, Mapping[str, float]]] = []
    ported: set[Pair] = set()
    out = []
    for period in periods:
        platforms = tuple(
            attrs.evolve(p, owned=p.owned + _alive(p.name, period.start, bought, lives))
            for p in fleet.platforms
        )
        demands = tuple(
            attrs.evolve(d, volume=period.volumes.get(d.name, d.volume))
            for d in fleet.demands
        )
        limits = tuple(
            attrs.evolve(limit, amount=period.limits.get(limit.name, limit.amount))
            for limit in fleet.limits
        )
        porting = {p: cost for p, cost in fleet.porting.items() if p not in ported}
        now = attrs.evolve(
            fleet, platforms=platforms, demands=demands, limits=limits, porting=porting
        )
        mix = cheapest_mix(ready_on(now, ready, period.start))
        out.append(mix)
        bought.append(
            (
                period.start,
                {holding.platform: holding.bought for holding in mix.holdings},
            )
        )
        ported |= {(one.demand, one.platform) for one in mix.assignments}
    return tuple(out)


def _alive(
    platform: str,
    day: dt.date,
    bought: list[tuple[dt.date, Mapping[str, float]]],
    lives: Mapping[str, float],
) -> float:
    """Units bought earlier that still run on a day."""
    return sum(
        units.get(platform, 0.0)
        for date, units in bought
        if (day - date).days < 365.25 * lives.get(platform, float("inf"))
    )
