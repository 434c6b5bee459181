"""The answer to a fleet: the mix, what its prices mean, what would turn it.

Plain values for the command and for reports; the sentences are made here, so that
both say the same.
"""

from collections.abc import Mapping

import attrs

from isocost.engine.fleet.model import Conflict, Mix, ShadowPrice
from isocost.engine.fleet.prices import price_ranges, turning_prices, winning_costs
from isocost.engine.fleet.solve import cheapest_mix
from isocost.engine.fleet_case import MONTH, FleetCase, PlatformFigures

#: Prices and shares below this are rounding.
_TINY = 1e-6


@attrs.frozen
class Priced:
    """A shadow price with its meaning; 0 where the limit does not bind."""

    price: ShadowPrice
    meaning: str


@attrs.frozen
class Turns:
    """Up to which cost of a month, and which price of a system, a platform is bought.

    `wins` holds, for each demand that it could serve, the cost of a system's month at
    which it would. Prices are None where nothing is bought (rent).
    """

    platform: str
    bought: bool
    cost: float
    threshold: float
    price: float | None
    price_threshold: float | None
    wins: Mapping[str, float]


@attrs.frozen
class FleetAnswer:
    """Everything that is said of one fleet."""

    case: FleetCase
    mix: Mix
    prices: tuple[Priced, ...] = ()
    turns: tuple[Turns, ...] = ()
    conflict: tuple[str, ...] = ()


def answer(case: FleetCase) -> FleetAnswer:
    """Solve a fleet and explain the solution, or why there is none."""
    mix = cheapest_mix(case.fleet)
    if mix.status == "infeasible":
        said = explained(case, mix.conflict) if mix.conflict else ()
        return FleetAnswer(case, mix, conflict=said)
    ranged = {(p.kind, p.name): p for p in price_ranges(case.fleet)}
    prices = tuple(
        Priced(found := ranged.get((p.kind, p.name), p), meaning(found))
        for p in mix.shadow_prices
    )
    return FleetAnswer(case, mix, prices, _turns(case))


def meaning(price: ShadowPrice) -> str:
    """What a shadow price says, in a sentence."""
    if price.kind == "demand":
        by_token = price.price / MONTH * 1e6
        return f"one more token/s costs this; {by_token:.3g} $/Mtoken at the margin"
    if abs(price.price) < _TINY:
        what = "is not all used" if price.kind == "limit" else "are not all used"
        return f"{what}: more would save nothing"
    saved = f"{-price.price:,.0f} $ a month"
    if price.kind == "owned":
        return f"one more system that is there already would save {saved}"
    if price.name == "budget":
        return f"one more dollar would save {-price.price:.3g} $ a month"
    unit = price.unit.partition(" per ")[2]
    return f"one more {unit} would save {saved}"


def _turns(case: FleetCase) -> tuple[Turns, ...]:
    out = []
    for turning in turning_prices(case.fleet):
        figures = case.figures[turning.platform]
        price, limit = _as_price(figures, turning.cost, turning.threshold)
        out.append(
            Turns(
                platform=turning.platform,
                bought=turning.bought,
                cost=turning.cost,
                threshold=turning.threshold,
                price=price,
                price_threshold=limit,
                wins=winning_costs(case.fleet, turning.platform),
            )
        )
    return tuple(out)


def _as_price(
    figures: PlatformFigures, cost: float, threshold: float
) -> tuple[float | None, float | None]:
    """A system's price now, and at the threshold, all else the same."""
    if not figures.price or not figures.recovery:
        return None, None
    return figures.price, figures.price + (threshold - cost) / figures.recovery


def explained(case: FleetCase, conflict: Conflict) -> tuple[str, ...]:
    """Why there is no mix, a sentence for each thing that is wrong."""
    out = []
    for demand, reasons in conflict.stranded.items():
        why = "; ".join(f"{p}: {text or 'cannot'}" for p, text in reasons.items())
        out.append(f"no platform serves {demand} ({why})")
    if conflict.whole_units:
        out.append("a mix exists with fractions of systems only: whole ones do not fit")
    if conflict.limits:
        names = " and ".join(conflict.limits)
        demands = ", ".join(conflict.demands) or "the demands"
        together = "together " if len(conflict.limits) > 1 else ""
        out.append(f"{names} {together}cannot hold with {demands}")
    limits = {limit.name: limit.unit for limit in case.fleet.limits}
    for name, amount in conflict.relief.items():
        unit = limits.get(name, "system")
        out.append(f"{name} alone would have to be {amount:,.4g} {unit}")
    return tuple(out)
