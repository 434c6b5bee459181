"""The cash-flow table of a project, month by month, and what it returns.

Pure functions over lists of months. Returns are pre-tax, unlevered and nominal
unless the plan states tax or debt, and `CashTable.basis` says which. Called by the
derivation of `cost.npv`, `irr` and `payback`, and by the report's cash-flow table.
"""

import math
from collections.abc import Sequence
from typing import Literal

import attrs

from isocost.engine import returns
from isocost.engine.formulas.depreciation import MACRS_5

Method = Literal["straight_line", "double_declining", "sum_of_years", "macrs_5"]
_MONTHS = 12
#: A gain that is rounding of the book value, as a share of the price.
_NOISE = 1e-9


@attrs.frozen
class Asset:
    """Capital bought at the start of a month: what, when, how long it lasts.

    `salvage` comes in at the end of its life, if that is within the horizon; at the
    horizon what is left of the book value does, with `sold_at_end`. `method` is that of
    the tax; a sale at another value than its own books have is a gain or a loss.
    """

    name: str
    price: float
    life: int
    month: int = 0
    salvage: float = 0.0
    method: Method = "straight_line"


@attrs.frozen
class Debt:
    """A loan over a share of the capital, repaid in equal monthly payments."""

    share: float
    rate: float
    term: int


@attrs.frozen
class CashPlan:
    """A project: capital, income and cost by month, and the terms.

    `revenue` and `opex` hold a figure for each month of the horizon; `rate` is the
    nominal yearly rate at which NPV is taken, compounded monthly. `tax` is the rate
    on profit, losses carried forward.
    """

    assets: tuple[Asset, ...]
    revenue: tuple[float, ...]
    opex: tuple[float, ...]
    rate: float
    tax: float = 0.0
    debt: Debt | None = None
    sold_at_end: bool = False

    @property
    def months(self) -> int:
        """Length of the project."""
        return len(self.revenue)


@attrs.frozen
class CashRow:
    """One month; month 0 holds what is paid on the first day. Money out is negative."""

    month: int
    capex: float = 0.0
    revenue: float = 0.0
    opex: float = 0.0
    depreciation: float = 0.0
    salvage: float = 0.0
    interest: float = 0.0
    repayment: float = 0.0
    drawn: float = 0.0
    tax: float = 0.0
    cumulative: float = 0.0

    @property
    def net(self) -> float:
        """Cash of the month to the owner."""
        operating = self.capex + self.revenue + self.opex + self.salvage
        return operating + self.drawn + self.interest + self.repayment + self.tax


@attrs.frozen
class CashTable:
    """The table and its returns; rates a year.

    `rates` are all monthly rates of return; several mean that none says much.
    `cover` is the least debt service cover ratio, NaN without debt.
    """

    rows: tuple[CashRow, ...]
    basis: str
    npv: float
    irr: float
    irr_nominal: float
    rates: tuple[float, ...]
    payback: float
    payback_discounted: float
    cover: float

    @property
    def flows(self) -> tuple[float, ...]:
        """Net cash by month."""
        return tuple(row.net for row in self.rows)

    def by_year(self) -> tuple[CashRow, ...]:
        """The table with months added up to years; year 0 is the first day."""
        years = [self.rows[:1]]
        rest = self.rows[1:]
        years += [rest[i : i + _MONTHS] for i in range(0, len(rest), _MONTHS)]
        return tuple(_added(year, rows) for year, rows in enumerate(years))


_SUMMED = tuple(
    field.name
    for field in attrs.fields(CashRow)
    if field.name not in {"month", "cumulative"}
)


def _added(year: int, rows: Sequence[CashRow]) -> CashRow:
    sums = {name: math.fsum(getattr(row, name) for row in rows) for name in _SUMMED}
    return CashRow(month=year, cumulative=rows[-1].cumulative, **sums)


def depreciation_by_month(asset: Asset, months: int) -> list[float]:
    """Depreciation of each month 1 to `months`; a year's sum is spread evenly."""
    out = [0.0] * (months + 1)
    macrs = asset.method == "macrs_5"
    for age in range(len(MACRS_5) * _MONTHS if macrs else asset.life):
        at, year = asset.month + age + 1, age // _MONTHS
        if at > months:
            break
        if macrs:
            out[at] = asset.price * MACRS_5[year] / _MONTHS
        else:
            out[at] = _by_year(asset, year + 1) / _share_of_year(asset, age)
    return out


def _share_of_year(asset: Asset, age: int) -> int:
    """Months over which the year of an age is spread: fewer in a broken last year."""
    return min(_MONTHS, asset.life - age // _MONTHS * _MONTHS)


def _by_year(asset: Asset, year: int) -> float:
    """Depreciation of a year of the asset's life, counted from 1."""
    years = asset.life / _MONTHS
    base = asset.price - asset.salvage
    part = min(1.0, years - (year - 1))
    match asset.method:
        case "sum_of_years":
            whole = math.ceil(years - 1e-9)
            return base * 2 * (whole - year + 1) / (whole * (whole + 1))
        case "double_declining":
            keep = max(0.0, 1.0 - 2.0 / years)
            before = max(asset.salvage, asset.price * keep ** (year - 1))
            return before - max(asset.salvage, asset.price * keep**year)
        case _:
            return base / years * part


def _sold(plan: CashPlan, asset: Asset) -> int | None:
    """The month at whose end an asset goes: its life's, or the horizon's."""
    end = asset.month + asset.life
    if end <= plan.months:
        return end
    return plan.months if plan.sold_at_end and asset.month < plan.months else None


def _written(plan: CashPlan, asset: Asset) -> list[float]:
    """Depreciation of each month, as long as the asset is held."""
    found, sold = depreciation_by_month(asset, plan.months), _sold(plan, asset)
    return (
        found if sold is None else [*found[: sold + 1], *[0.0] * (plan.months - sold)]
    )


def _price_at_end(asset: Asset, months: int, depreciation: Sequence[float]) -> float:
    """What an asset that is not at its end brings: its book value.

    Tax tables write off faster than value is lost: there the straight line counts.
    """
    if asset.method != "macrs_5":
        return asset.price - math.fsum(depreciation)
    lost = (months - asset.month) / asset.life
    return asset.price - (asset.price - asset.salvage) * lost


def _gains(plan: CashPlan, written: Sequence[Sequence[float]], month: int) -> float:
    """What the month's sales bring over what the tax has not written off yet."""
    out = 0.0
    for asset, depreciation in zip(plan.assets, written, strict=True):
        if _sold(plan, asset) == month:
            left = asset.price - math.fsum(depreciation)
            gain = _proceeds(plan, asset, depreciation, month) - left
            out += gain if abs(gain) > _NOISE * asset.price else 0.0
    return out


def _loan(debt: Debt | None, capital: float, months: int) -> list[tuple[float, float]]:
    """Interest and repayment of each month 1 to `months`."""
    out = [(0.0, 0.0)] * (months + 1)
    if debt is None:
        return out
    rate, owed = debt.rate / _MONTHS, debt.share * capital
    paid = owed / debt.term
    if abs(rate) > 1e-12:  # noqa: PLR2004 (a rate that is no rate)
        paid = owed * rate / -math.expm1(-debt.term * math.log1p(rate))
    for month in range(1, min(debt.term, months) + 1):
        interest = owed * rate
        out[month] = (interest, paid - interest)
        owed -= paid - interest
    if debt.term > months and months:
        interest, repaid = out[months]
        out[months] = (interest, repaid + owed)
    return out


def cash_table(plan: CashPlan) -> CashTable:
    """Run a plan.

    Args:
        plan: Capital, income and terms; debt finances the capital of month 0.

    Raises:
        ValueError: `revenue` and `opex` are of unlike length.
    """
    months = plan.months
    if len(plan.opex) != months:
        message = f"{months} months of revenue, {len(plan.opex)} of cost"
        raise ValueError(message)
    written = [_written(plan, asset) for asset in plan.assets]
    capital = sum(asset.price for asset in plan.assets if asset.month == 0)
    loan = _loan(plan.debt, capital, months)
    rows: list[CashRow] = []
    carried = cumulative = 0.0
    for month in range(months + 1):
        row = CashRow(
            month=month,
            capex=-sum(a.price for a in plan.assets if a.month == month),
            revenue=plan.revenue[month - 1] if month else 0.0,
            opex=-plan.opex[month - 1] if month else 0.0,
            depreciation=sum(one[month] for one in written),
            salvage=_salvage(plan, written, month),
            interest=-loan[month][0],
            repayment=-loan[month][1],
            drawn=plan.debt.share * capital if plan.debt and not month else 0.0,
        )
        gain = _gains(plan, written, month)
        earned = row.revenue + row.opex + row.interest + gain
        profit = earned - row.depreciation + carried
        carried = min(0.0, profit)
        row = attrs.evolve(row, tax=-plan.tax * max(0.0, profit))
        cumulative += row.net
        rows.append(attrs.evolve(row, cumulative=cumulative))
    return _returned(plan, tuple(rows))


def _salvage(plan: CashPlan, written: Sequence[Sequence[float]], month: int) -> float:
    return sum(
        _proceeds(plan, asset, depreciation, month)
        for asset, depreciation in zip(plan.assets, written, strict=True)
        if _sold(plan, asset) == month
    )


def _proceeds(
    plan: CashPlan, asset: Asset, depreciation: Sequence[float], month: int
) -> float:
    """What a sold asset brings: its salvage value, before its end what it is worth."""
    if month == asset.month + asset.life:
        return asset.salvage
    return _price_at_end(asset, plan.months, depreciation)


def _returned(plan: CashPlan, rows: tuple[CashRow, ...]) -> CashTable:
    flows = tuple(row.net for row in rows)
    monthly = returns.irr(*flows)
    rate = plan.rate / _MONTHS
    discounted = [flow * (1.0 + rate) ** -month for month, flow in enumerate(flows)]
    return CashTable(
        rows=rows,
        basis=basis(plan),
        npv=returns.npv(rate, *flows),
        irr=(1.0 + monthly) ** _MONTHS - 1.0,
        irr_nominal=monthly * _MONTHS,
        rates=returns.internal_rates(flows, range(len(flows))),
        payback=returns.payback(*flows),
        payback_discounted=returns.payback(*discounted),
        cover=_cover(rows),
    )


def basis(plan: CashPlan) -> str:
    """On which terms the returns are: `pre-tax, unlevered, nominal` and their like."""
    return terms_in_words(plan.tax, plan.debt.share if plan.debt else 0.0)


def terms_in_words(tax: float, debt: float) -> str:
    """The terms of a return: tax rate and share of debt, 0 for none."""
    taxed = f"after tax at {tax:.3g}" if tax else "pre-tax"
    levered = f"levered, {debt:.3g} debt" if debt else "unlevered"
    return f"{taxed}, {levered}, nominal"


def _cover(rows: Sequence[CashRow]) -> float:
    ratios = [
        (row.revenue + row.opex) / -(row.interest + row.repayment)
        for row in rows
        if row.interest + row.repayment < 0
    ]
    return min(ratios, default=math.nan)


def level_plan(
    capex: float,
    revenue: float,
    opex: float,
    *,
    months: int,
    rate: float,
    decline: float = 0.0,
    salvage: float = 0.0,
) -> CashPlan:
    """A plan of one asset that earns from the first month on.

    Args:
        capex: Price of the asset.
        revenue: Income of the first month.
        opex: Cost of each month.
        months: Life of the asset and length of the project.
        rate: Nominal yearly rate for NPV.
        decline: Share by which the income falls in a year.
        salvage: What is left at the end.
    """
    fall = (1.0 - decline) ** (1.0 / _MONTHS)
    return CashPlan(
        assets=(Asset("capital", capex, months, salvage=salvage),),
        revenue=tuple(revenue * fall**month for month in range(months)),
        opex=(opex,) * months,
        rate=rate,
    )


def breakeven_price(plan: CashPlan) -> float:
    """Factor on revenue at which NPV is 0: NPV is affine in it before tax.

    Raises:
        ValueError: The plan states tax, with which NPV is not affine in revenue.
    """
    if plan.tax:
        message = "the break-even factor is defined before tax"
        raise ValueError(message)
    none = cash_table(attrs.evolve(plan, revenue=(0.0,) * plan.months)).npv
    full = cash_table(plan).npv
    return none / (none - full) if none != full else math.nan
