"""The time value of money: capital recovery, annuities, discounting, cost of capital.

Two conventions for capital recovery stand side by side, since they are 3.5% apart
over six years: payments each month at a twelfth of the yearly rate (what lenders
and the published neocloud models do), and payments once a year. Rates are nominal
unless a name says otherwise.
"""

from isocost.dsl.expr import Expr, absolute, where
from isocost.engine.formula import formula, q
from isocost.engine.formulas.money_symbols import take

_TEXTBOOK = "Brealey, Myers, Allen: Principles of Corporate Finance, chapter 2"
#: Below this rate a period the annuity is taken from its series.
_SMALL = 1e-8


def annuity(rate: Expr, periods: Expr) -> Expr:
    """The payment a period that repays 1: i / (1 - (1 + i)^-n), and 1/n at i = 0."""
    series = (1 + rate * (periods + 1) / 2) / periods
    closed = rate / (1 - (1 + rate) ** (-periods))
    return where(absolute(rate) < _SMALL, series, closed)


@formula(
    "/month",
    take("rate life residual"),
    source="SemiAnalysis AI TCO model (monthly payments at WACC/12); " + _TEXTBOOK,
    valid=(
        "rate > -100%/month; life > 0; residual <= 1; payments at the end of each month"
    ),
    latex="k",
)
def capital_recovery_monthly(rate: Expr, life: Expr, residual: Expr) -> Expr:
    """Monthly payment for 1 of capital, at a twelfth of the yearly rate a month.

    k = (1 - s) j / (1 - (1 + j)^-m) + s j with j = i / 12 and m the life in months:
    what is left at the end bears interest and is not repaid.
    """
    month = rate * q("1 month")
    paid = annuity(month, life / q("1 month"))
    return ((1 - residual) * paid + residual * month) / q("1 month")


@formula(
    "/month",
    take("rate life residual"),
    source="Hennessy, Patterson: Computer Architecture, chapter 6; " + _TEXTBOOK,
    valid=(
        "rate > -100%/year; life > 0; residual <= 1; payments at the end of each year"
    ),
    latex="k",
)
def capital_recovery_annual(rate: Expr, life: Expr, residual: Expr) -> Expr:
    """Yearly payment for 1 of capital, spread over the year.

    k = (1 - s) i / (1 - (1 + i)^-n) + s i a year, n being the life in years.
    """
    year = rate * q("1 year")
    paid = annuity(year, life / q("1 year"))
    return ((1 - residual) * paid + residual * year) / q("1 year")


@formula(
    "$/month",
    take("capex recovery"),
    source=_TEXTBOOK,
    valid="capex >= 0; one class of asset with one life",
    latex="K",
)
def capital_charge(capex: Expr, recovery: Expr) -> Expr:
    """What capital costs a month: K = C k. Excel's PMT is its negative."""
    return capex * recovery


@formula(
    "$",
    take("payment rate life"),
    source=_TEXTBOOK,
    valid=("rate > -100%/month; life > 0; equal payments at the end of each month"),
    latex=r"\mathrm{PV}",
)
def present_value_of_payments(payment: Expr, rate: Expr, life: Expr) -> Expr:
    """Worth today of equal monthly payments: the payment over the recovery factor."""
    paid = annuity(rate * q("1 month"), life / q("1 month"))
    return payment * q("1 month") / paid


@formula(
    "$",
    take("payment decline rate life"),
    source="growing annuity; " + _TEXTBOOK,
    valid=(
        "decline < 100%/year; rate > -100%/month; life > 0; payments at the "
        "end of each month"
    ),
    latex=r"\mathrm{PV}",
)
def present_value_of_declining_payments(
    payment: Expr, decline: Expr, rate: Expr, life: Expr
) -> Expr:
    """Worth today of monthly payments that fall by the share d in a year.

    PV = p (1 - (g / (1 + j))^m) / (1 + j - g), j = i / 12, g = (1 - d)^(1/12); where
    the two rates meet, p m / (1 + j).
    """
    months = life / q("1 month")
    growth = (1 - decline * q("1 year")) ** (q("1 month") / q("1 year"))
    interest = 1 + rate * q("1 month")
    level = months / interest
    closed = (1 - (growth / interest) ** months) / (interest - growth)
    near = absolute(interest - growth) < _SMALL
    return payment * q("1 month") * where(near, level, closed)


@formula(
    "1",
    take("rate elapsed"),
    source=_TEXTBOOK,
    valid="rate > -100%/year; compounded once a year",
    latex="v",
)
def discount_factor(rate: Expr, elapsed: Expr) -> Expr:
    """Worth today of 1 paid after t: v = (1 + i)^-t."""
    return (1 + rate * q("1 year")) ** (-elapsed / q("1 year"))


@formula(
    "$",
    take("amount rate elapsed"),
    source=_TEXTBOOK,
    valid="rate > -100%/year; compounded once a year",
    latex=r"\mathrm{PV}",
)
def present_value(amount: Expr, rate: Expr, elapsed: Expr) -> Expr:
    """Worth today of a sum paid after t: PV = X (1 + i)^-t."""
    factor: Expr = discount_factor(rate, elapsed)
    return amount * factor


@formula(
    "/year",
    take("rate"),
    source=_TEXTBOOK,
    valid="rate > -100%/month; a nominal rate compounded monthly",
    latex=r"i_{\mathrm{eff}}",
)
def effective_rate(rate: Expr) -> Expr:
    """The yearly rate that monthly compounding amounts to: (1 + i/12)^12 - 1."""
    months = (1 + rate * q("1 month")) ** (q("1 year") / q("1 month"))
    return (months - 1) / q("1 year")


@formula(
    "/year",
    take("effective"),
    source=_TEXTBOOK,
    valid="effective > -100%/year; compounded monthly",
    latex="i",
)
def nominal_rate(effective: Expr) -> Expr:
    """The nominal rate that compounds monthly to an effective one."""
    month = (1 + effective * q("1 year")) ** (q("1 month") / q("1 year"))
    return (month - 1) / q("1 month")


@formula(
    "/year",
    take("rate inflation"),
    source="Fisher, The Theory of Interest, 1930",
    valid="inflation > -100%/year; both over the same year",
    latex="i_r",
)
def real_rate(rate: Expr, inflation: Expr) -> Expr:
    """The rate above inflation: (1 + i) / (1 + pi) - 1."""
    year = q("1 year")
    return ((1 + rate * year) / (1 + inflation * year) - 1) / year


@formula(
    "/year",
    take("debt_share debt_rate equity_rate"),
    source="SemiAnalysis AI TCO model (75% debt at 7%, equity at 20%: 10.25%)",
    valid="0 <= debt_share <= 1; before tax; shares by market value",
    latex=r"\mathrm{WACC}",
)
def cost_of_capital(debt_share: Expr, debt_rate: Expr, equity_rate: Expr) -> Expr:
    """Weighted cost of debt and equity: w_d k_d + (1 - w_d) k_e."""
    return debt_share * debt_rate + (1 - debt_share) * equity_rate


@formula(
    "/year",
    take("debt_share debt_rate equity_rate tax"),
    source="Brealey, Myers, Allen: Principles of Corporate Finance, chapter 17",
    valid=(
        "0 <= debt_share <= 1; 0 <= tax < 1; interest lowers the taxed profit in full"
    ),
    latex=r"\mathrm{WACC}",
)
def cost_of_capital_after_tax(
    debt_share: Expr, debt_rate: Expr, equity_rate: Expr, tax: Expr
) -> Expr:
    """Weighted cost of capital with debt's tax shield: interest counts (1 - tax)."""
    shielded = debt_share * debt_rate * (1 - tax)
    return shielded + (1 - debt_share) * equity_rate
