"""Inputs and results of a fleet: plain values, no solver.

Money is by month. A demand's volume is in its own unit (`token/s`, `request/s`); what
one unit of a platform serves is in the same. Units are whole systems where the
fleet says `integer`.
"""

from collections.abc import Mapping
from typing import Literal

import attrs

Kind = Literal["demand", "limit", "owned"]
Status = Literal["optimal", "infeasible", "stopped"]


@attrs.frozen
class Demand:
    """What must be served.

    `volume` is the mean, `peak` its peak over the mean: capacity is bought for the
    product. A `whole` demand (a training run) goes to one platform alone. Without a
    `penalty` (money a month for each unit of volume left unserved) it must be met.
    """

    name: str
    volume: float
    unit: str = "token/s"
    peak: float = 1.0
    whole: bool = False
    penalty: float | None = None

    @property
    def sized(self) -> float:
        """The volume that capacity is bought for."""
        return self.volume * self.peak


@attrs.frozen
class Platform:
    """Something that serves demands, in units (systems, or instances).

    `cost` is a month of a new unit with its capital; `running` a month of an owned
    one, sunk capital left out; `energy` a month of a unit at full load, on top of
    both. `cap` is the most that can be bought.
    """

    name: str
    cost: float
    owned: float = 0.0
    running: float = 0.0
    energy: float = 0.0
    cap: float | None = None
    unit: str = "system"


@attrs.frozen
class Limit:
    """A cap on something that units use: power of a site, a budget, shared supply.

    `use` is the amount for each unit by platform; `bought_only` leaves out what is
    owned (a budget does, power does not).
    """

    name: str
    amount: float
    unit: str
    use: Mapping[str, float]
    bought_only: bool = False


@attrs.frozen
class Fleet:
    """Demands, platforms, what each unit serves of each, porting cost, limits.

    `serves[demand, platform]` is the volume that one unit serves; a pair that is
    missing cannot be used, and `reasons` may say why (not ready, does not fit).
    `porting` is money a month for serving a demand on a platform at all. With
    `integer`, units bought are whole and porting is paid in full; without, porting is
    paid in proportion to the share served.
    """

    demands: tuple[Demand, ...]
    platforms: tuple[Platform, ...]
    serves: Mapping[tuple[str, str], float]
    porting: Mapping[tuple[str, str], float] = attrs.field(factory=dict)
    limits: tuple[Limit, ...] = ()
    reasons: Mapping[tuple[str, str], str] = attrs.field(factory=dict)
    integer: bool = False


@attrs.frozen
class Holding:
    """How much of a platform: bought, owned and in use, used, and its cost a month."""

    platform: str
    bought: float
    owned: float
    used: float
    cost: float


@attrs.frozen
class Assignment:
    """The share of a demand that a platform serves, and the units that this takes."""

    demand: str
    platform: str
    share: float
    units: float


@attrs.frozen
class ShadowPrice:
    """What one more unit of a demand or a limit changes in the cost of a month.

    Positive: more of it costs more (a demand, its porting in proportion). Negative:
    more of it saves (a limit). `unit` is that of the price. It holds while `amount`
    stays within `low` and `high`, where those have been asked for.
    """

    kind: Kind
    name: str
    price: float
    unit: str
    amount: float
    low: float | None = None
    high: float | None = None


@attrs.frozen
class Mix:
    """The cheapest mix.

    `shadow_prices` are of the program with fractional units: long-run prices.
    `fractional_cost` is its optimum; the rest of `cost` is the price of whole units.
    """

    status: Status
    cost: float
    fractional_cost: float
    holdings: tuple[Holding, ...]
    assignments: tuple[Assignment, ...]
    unserved: Mapping[str, float]
    shadow_prices: tuple[ShadowPrice, ...]
    gap: float = 0.0
    conflict: "Conflict | None" = None


@attrs.frozen
class Conflict:
    """Why there is no mix.

    `stranded` demands have no platform, with the reason for each that refuses.
    `limits` and `demands` cannot hold together; without any one of the limits there
    would be a mix. `relief` is what each limit alone would have to be raised to, where
    that is enough. `whole_units` says that a mix exists with fractional units only.
    """

    stranded: Mapping[str, Mapping[str, str]]
    limits: tuple[str, ...]
    demands: tuple[str, ...]
    relief: Mapping[str, float]
    whole_units: bool = False


@attrs.frozen
class Turning:
    """The price of a new unit up to which a platform is in the mix.

    Below `threshold` (money a month) it is bought, above it is not; `cost` is what it
    costs now. Infinite where there is no mix without it.
    """

    platform: str
    cost: float
    threshold: float
    unit: str

    @property
    def bought(self) -> bool:
        """Whether it is in the mix at its present cost."""
        return self.cost < self.threshold
