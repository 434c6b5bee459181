"""Book value and price by age: straight line, DDB, SYD, MACRS, falling prices.

A year of the asset's life is counted from 1, as accountants do. Depreciation by
year is money in that year.
"""

import math
import operator

from isocost.dsl.expr import Expr, exp, largest, log, same, where
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.money_symbols import take

_EXCEL = "spreadsheet functions SLN, DDB, SYD"
_IRS = "IRS Publication 946, table A-1 (5-year property, half-year convention)"
#: Shares of the price in years 1 to 6 of a five-year asset.
MACRS_5 = (0.2, 0.32, 0.192, 0.1152, 0.1152, 0.0576)


@formula(
    "$/year",
    take("capex salvage life"),
    source=_EXCEL,
    valid="life > 0; salvage <= capex; within the life",
    latex="D",
)
def straight_line(capex: Expr, salvage: Expr, life: Expr) -> Expr:
    """Depreciation in equal parts: (C - R) / n."""
    return (capex - salvage) / life


@formula(
    "$",
    take("capex salvage life elapsed"),
    source=_EXCEL,
    valid="life > 0; elapsed >= 0; the salvage value after the life",
    latex="B",
)
def book_value_straight_line(
    capex: Expr, salvage: Expr, life: Expr, elapsed: Expr
) -> Expr:
    """Book value at an age: C - (C - R) t / n, not below R."""
    left = capex - (capex - salvage) * elapsed / life
    return largest(written_off=salvage, in_life=left)


@formula(
    "$",
    take("capex salvage years age"),
    source=_EXCEL,
    valid=("years >= 2; age >= 0; whole years, factor 2, no switch to straight line"),
    latex="B_j",
)
def book_value_double_declining(
    capex: Expr, salvage: Expr, years: Expr, age: Expr
) -> Expr:
    """Book value at the end of a year: C (1 - 2/n)^j, not below R."""
    return largest(written_off=salvage, declining=capex * (1 - 2 / years) ** age)


@formula(
    "$",
    take("capex salvage years age"),
    source=_EXCEL,
    valid=("years >= 2; age >= 1; whole years, factor 2, no switch to straight line"),
    latex="D_j",
)
def double_declining(capex: Expr, salvage: Expr, years: Expr, age: Expr) -> Expr:
    """Depreciation of a year at twice the straight rate on what is left."""
    before: Expr = book_value_double_declining(capex, salvage, years, age - 1)
    after: Expr = book_value_double_declining(capex, salvage, years, age)
    return before - after


@formula(
    "$",
    take("capex salvage years age"),
    source=_EXCEL,
    valid="1 <= age <= years; whole years",
    latex="D_j",
)
def sum_of_years(capex: Expr, salvage: Expr, years: Expr, age: Expr) -> Expr:
    """Depreciation of a year by the years left: 2 (C - R)(n - j + 1) / (n (n + 1))."""
    weight = 2 * (years - age + 1) / (years * (years + 1))
    return (capex - salvage) * weight


@formula(
    "$",
    take("capex age"),
    source=_IRS,
    valid="age >= 1; United States tax; whole years; 0 after year 6",
    latex="D_j",
)
def macrs_five(capex: Expr, age: Expr) -> Expr:
    """Tax depreciation of a five-year asset: 20, 32, 19.2, 11.52, 11.52, 5.76%."""
    share: Expr | float = 0.0
    for year in range(len(MACRS_5), 0, -1):
        share = where(same(age, year), MACRS_5[year - 1], share)
    return capex * share


@formula(
    "$/month",
    take("capex age"),
    source=_IRS,
    valid="age >= 1; the first day is the first of a tax year; 0 after year 6",
    latex="D_m",
)
def macrs_five_monthly(capex: Expr, age: Expr) -> Expr:
    """A month's part of the tax depreciation of a five-year asset's year."""
    year: Expr = macrs_five(capex, age)
    return year / q("12 month")


def macrs_written(months: int) -> float:
    """The share of a five-year asset that its first months have written off."""
    years = [min(1.0, max(0.0, months / 12 - year)) for year in range(len(MACRS_5))]
    return math.fsum(map(operator.mul, MACRS_5, years))


@formula(
    "$",
    {
        "proceeds": p("$", "P", "what the sale brings"),
        "capex": p("$", "C", "price of the asset"),
        "written": p("1", "w", "share of the price written off for tax"),
    },
    source="IRS Publication 544, chapter 3: gain over the adjusted basis, section 1245",
    valid="0 <= written <= 1; equipment, whose whole gain is ordinary income",
    latex="G",
)
def gain_on_sale(proceeds: Expr, capex: Expr, written: Expr) -> Expr:
    """Taxed gain of a sale, below 0 a loss: P - C (1 - w)."""
    return proceeds - capex * (1 - written)


@formula(
    "$",
    take("amount decline elapsed"),
    source="constant yearly decline",
    valid="decline < 100%/year; one pace over the whole time",
    latex="X_t",
)
def price_after(amount: Expr, decline: Expr, elapsed: Expr) -> Expr:
    """A price that falls by the same share each year: X (1 - d)^t."""
    return amount * (1 - decline * q("1 year")) ** (elapsed / q("1 year"))


_BETWEEN = {
    "earlier": p("$", "X_0", "price at the earlier date"),
    "later": p("$", "X_1", "price at the later date"),
    "share": p("1", "f", "share of the time between the two that has passed"),
}


@formula(
    "$",
    _BETWEEN,
    source="log-linear interpolation",
    valid="earlier > 0; later > 0; 0 <= share <= 1; between the dates",
    latex="X_t",
)
def price_between(earlier: Expr, later: Expr, share: Expr) -> Expr:
    """A price between two dated ones, at a steady relative rate: X_0 (X_1/X_0)^f."""
    return earlier * (later / earlier) ** share


_LEARNING = {
    "first_price": p("$/chip", "p_0", "price at the first volume"),
    "volume": p("chip", "V", "units made so far"),
    "first_volume": p("chip", "V_0", "units made when the price was `first_price`"),
    "learning": p("1", "b", "price decline for each doubling of volume"),
}


@formula(
    "$/chip",
    _LEARNING,
    source="Wright, Factors Affecting the Cost of Airplanes, 1936",
    valid="volume > 0; first_volume > 0; learning < 1",
    latex="p",
)
def price_by_learning(
    first_price: Expr, volume: Expr, first_volume: Expr, learning: Expr
) -> Expr:
    """Price that falls by the same share with each doubling of units made.

    p = p_0 (V / V_0)^(log2(1 - b)).
    """
    slope = log(1 - learning) / log(2)
    return first_price * exp(slope * log(volume / first_volume))
