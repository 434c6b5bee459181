"""A supply chain over time: what dated volumes need, what binds and when.

Periods are equal (quarters, as a rule) and numbered from 0. Chips delivered in a
period take each resource its lead time earlier, so that with one lead time for each
resource the periods part: each is shared out on its own, late volume carried on.
Pure functions over tuples; no solver.
"""

import math
from collections.abc import Mapping
from typing import Literal

import attrs

Rule = Literal["proportional", "priority"]
#: Shares below this are rounding.
_TINY = 1e-12


@attrs.frozen
class Resource:
    """Something in short supply: wafers, interposers, memory, cables, MW.

    `cap` is what there is by period, empty for no limit; `lead` the periods between
    taking it and delivery; what is left of a `stored` one can be used later.
    """

    name: str
    unit: str
    cap: tuple[float, ...] = ()
    lead: int = 0
    stored: bool = False


@attrs.frozen
class Product:
    """A chip: the volume wanted by period and what one takes of each resource.

    Unmet volume is `late` (wanted in the next period too) or lost.
    """

    name: str
    volume: tuple[float, ...]
    needs: Mapping[str, float]
    late: bool = True


@attrs.frozen
class Line:
    """One product in one period; `binding` is the resource that held it back."""

    period: int
    product: str
    wanted: float
    delivered: float
    binding: str | None

    @property
    def unmet(self) -> float:
        """What was wanted and not delivered."""
        return self.wanted - self.delivered


@attrs.frozen
class Use:
    """One resource, for deliveries of one period, taken `lead` periods earlier.

    `room` is infinite without a cap and before the first period of the plan.
    """

    period: int
    taken_in: int
    resource: str
    used: float
    room: float

    @property
    def share(self) -> float:
        """Used over room."""
        return self.used / self.room if self.room else math.inf


@attrs.frozen
class Ramp:
    """The plan: deliveries, use of resources, and what binds when."""

    lines: tuple[Line, ...]
    uses: tuple[Use, ...]

    def delivered(self, product: str) -> tuple[float, ...]:
        """Deliveries of a product by period."""
        return tuple(line.delivered for line in self.lines if line.product == product)

    def backlog(self, product: str) -> tuple[float, ...]:
        """Unmet volume of a product by period."""
        return tuple(line.unmet for line in self.lines if line.product == product)

    def binding(self) -> tuple[tuple[int, str], ...]:
        """Period and resource, each once, wherever one held a product back."""
        found = {(line.period, line.binding) for line in self.lines if line.binding}
        return tuple(sorted(found))


def plan(
    products: tuple[Product, ...],
    resources: tuple[Resource, ...],
    *,
    rule: Rule = "proportional",
) -> Ramp:
    """Share resources out over products, period by period.

    Args:
        products: With `priority`, the first takes what it needs before the next.
        resources: Those with a cap must have one for each period that is taken from.
        rule: `proportional` raises all products alike until something runs out, then
            those that do not need it.

    Raises:
        ValueError: A product needs a resource that is not there, or a cap is short.
    """
    periods = max((len(product.volume) for product in products), default=0)
    _validate(products, resources, periods)
    stock = {resource.name: 0.0 for resource in resources if resource.stored}
    owed = {product.name: 0.0 for product in products}
    lines: list[Line] = []
    uses: list[Use] = []
    for period in range(periods):
        room = {r.name: _room(r, period) + stock.get(r.name, 0.0) for r in resources}
        wanted = {
            p.name: owed[p.name] + (p.volume[period] if period < len(p.volume) else 0.0)
            for p in products
        }
        shares, binding = share_out(products, wanted, room, rule=rule)
        used = _used(products, wanted, shares)
        for resource in resources:
            taken, there = used.get(resource.name, 0.0), room[resource.name]
            at = period - resource.lead
            uses.append(Use(period, at, resource.name, taken, there))
            if resource.stored and math.isfinite(there):
                stock[resource.name] = there - taken
        for product in products:
            name = product.name
            line = Line(
                period, name, wanted[name], wanted[name] * shares[name], binding[name]
            )
            owed[name] = line.unmet if product.late else 0.0
            lines.append(line)
    return Ramp(tuple(lines), tuple(uses))


def _validate(
    products: tuple[Product, ...], resources: tuple[Resource, ...], periods: int
) -> None:
    known = {resource.name for resource in resources}
    for product in products:
        for name in product.needs:
            if name not in known:
                message = f"{product.name} needs {name}, which is not there"
                raise ValueError(message)
    for resource in resources:
        if resource.cap and len(resource.cap) < periods - resource.lead:
            message = f"the cap of {resource.name} ends before the plan does"
            raise ValueError(message)


def _room(resource: Resource, period: int) -> float:
    at = period - resource.lead
    if not resource.cap or at < 0:
        return math.inf
    return resource.cap[at]


def _used(
    products: tuple[Product, ...],
    wanted: Mapping[str, float],
    shares: Mapping[str, float],
) -> dict[str, float]:
    used: dict[str, float] = {}
    for product in products:
        made = wanted[product.name] * shares[product.name]
        for resource, need in product.needs.items():
            used[resource] = used.get(resource, 0.0) + need * made
    return used


def share_out(
    products: tuple[Product, ...],
    wanted: Mapping[str, float],
    room: Mapping[str, float],
    *,
    rule: Rule,
) -> tuple[dict[str, float], dict[str, str | None]]:
    """The share of each product's wish that the room admits, and what held it back."""
    left = dict(room)
    shares = {product.name: 0.0 for product in products}
    binding: dict[str, str | None] = {product.name: None for product in products}
    groups = [[p] for p in products] if rule == "priority" else [list(products)]
    for group in groups:
        rising = [p for p in group if wanted[p.name] > 0]
        for product in group:
            if wanted[product.name] <= 0:
                shares[product.name] = 1.0
        while rising:
            step, scarce = _step(rising, wanted, shares, left)
            for product in rising:
                shares[product.name] += step
                for name, need in product.needs.items():
                    left[name] -= need * wanted[product.name] * step
            for product in rising:
                if scarce is not None and product.needs.get(scarce):
                    binding[product.name] = scarce
            rising = [
                p
                for p in rising
                if binding[p.name] is None and shares[p.name] < 1.0 - _TINY
            ]
    return shares, binding


def _step(
    rising: list[Product],
    wanted: Mapping[str, float],
    shares: Mapping[str, float],
    left: Mapping[str, float],
) -> tuple[float, str | None]:
    """How far all can rise together, and the resource that runs out first if any."""
    step, scarce = min(1.0 - shares[product.name] for product in rising), None
    pull: dict[str, float] = {}
    for product in rising:
        for name, need in product.needs.items():
            pull[name] = pull.get(name, 0.0) + need * wanted[product.name]
    for name in sorted(pull):
        if pull[name] > 0 and left[name] < pull[name] * step * (1.0 - _TINY):
            step, scarce = max(0.0, left[name] / pull[name]), name
    return step, scarce


def supplier_shares(
    bill: Mapping[str, float], suppliers: Mapping[str, str]
) -> dict[str, float]:
    """Each supplier's share of a bill, largest first; items without one are "".

    Args:
        bill: Money by item.
        suppliers: Supplier by item.
    """
    whole = math.fsum(bill.values())
    sums: dict[str, float] = {}
    for item, money in bill.items():
        name = suppliers.get(item, "")
        sums[name] = sums.get(name, 0.0) + money
    ordered = sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))
    return {name: money / whole if whole else 0.0 for name, money in ordered}
