"""What capital earns: NPV and payback of level incomes, cover, margin, break-even.

Pre-tax, unlevered and nominal unless tax or debt is a parameter. Returns of uneven
flows (`irr`, `xirr`, `npv`) are kernels, since their number of arguments varies:
see `isocost.engine.kernels` and `isocost.engine.cashflow`.
"""

from isocost.dsl.expr import Expr, log
from isocost.engine.formula import formula, q
from isocost.engine.formulas.finance import annuity
from isocost.engine.formulas.money_symbols import take

_TEXTBOOK = "Brealey, Myers, Allen: Principles of Corporate Finance, chapter 5"
_LENDERS = "lenders' usage; Excel-style project finance models"


@formula(
    "$",
    take("capex net_income rate life salvage"),
    source=_TEXTBOOK,
    valid=(
        "rate > -100%/month; life > 0; equal net income each month, at its "
        "end; a twelfth of the rate a month"
    ),
    latex=r"\mathrm{NPV}",
)
def npv_of_level_income(
    capex: Expr, net_income: Expr, rate: Expr, life: Expr, salvage: Expr
) -> Expr:
    """Net present value of capital that earns a level income.

    NPV = -C + y (1 - (1 + j)^-m) / j + R (1 + j)^-m with j = i / 12.
    """
    month, months = rate * q("1 month"), life / q("1 month")
    income = net_income * q("1 month") / annuity(month, months)
    return income + salvage * (1 + month) ** (-months) - capex


@formula(
    "month",
    take("capex net_income"),
    source=_TEXTBOOK,
    valid="net_income > 0; level net income; no interest",
    latex=r"t_{\mathrm{pay}}",
)
def payback_time(capex: Expr, net_income: Expr) -> Expr:
    """Time until income has repaid the capital, interest aside: C / y."""
    return capex / net_income


@formula(
    "month",
    take("capex net_income rate"),
    source=_TEXTBOOK,
    valid="rate > 0; net_income > capex * rate; else it is never repaid",
    latex=r"t_{\mathrm{pay}}",
)
def payback_time_discounted(capex: Expr, net_income: Expr, rate: Expr) -> Expr:
    """Time until income has repaid capital and interest.

    t = -ln(1 - C j / y) / ln(1 + j) months with j = i / 12.
    """
    month = rate * q("1 month")
    share = capex * month / (net_income * q("1 month"))
    return -log(1 - share) / log(1 + month) * q("1 month")


@formula(
    "1",
    take("revenue opex debt_service"),
    source=_LENDERS,
    valid="debt_service > 0; all of the same month",
    latex=r"\mathrm{DSCR}",
)
def debt_service_cover(revenue: Expr, opex: Expr, debt_service: Expr) -> Expr:
    """How many times operating income covers interest and repayment: (V - O) / S."""
    return (revenue - opex) / debt_service


@formula(
    "/year",
    take("monthly_return"),
    source="compounding over twelve months",
    valid="monthly_return > -100%/month; twelve equal months",
    latex="r",
)
def annual_return(monthly_return: Expr) -> Expr:
    """A monthly rate of return as a yearly one: (1 + r_m)^12 - 1."""
    months = (1 + monthly_return * q("1 month")) ** (q("1 year") / q("1 month"))
    return (months - 1) / q("1 year")


@formula(
    "$/month",
    take("price chips availability sold"),
    source="hours sold times price",
    valid=("0 <= availability <= 1; 0 <= sold <= 1; one price for every hour sold"),
    latex="V",
)
def rental_revenue(price: Expr, chips: Expr, availability: Expr, sold: Expr) -> Expr:
    """What the chips earn: p N a u."""
    return price * chips * availability * sold


@formula(
    "$/chip-h",
    take("capex recovery opex chips availability sold"),
    source="levelised cost: the price at which NPV is 0 at the rate in `recovery`",
    valid=(
        "chips > 0; 0 < availability <= 1; 0 < sold <= 1; level price and "
        "cost over the life"
    ),
    latex="p^*",
)
def breakeven_price(
    capex: Expr,
    recovery: Expr,
    opex: Expr,
    chips: Expr,
    availability: Expr,
    sold: Expr,
) -> Expr:
    """Price of a sold chip-hour that earns exactly the cost of capital.

    p = (C k + O) / (N a u).
    """
    return (capex * recovery + opex) / (chips * availability * sold)


@formula(
    "1",
    take("chip_hour price"),
    source="equality of cost and revenue",
    valid="price > 0; `chip_hour` by available chips",
    latex="u^*",
)
def breakeven_sold(chip_hour: Expr, price: Expr) -> Expr:
    """Share of capacity to sell at a price to cover cost: h / p."""
    return chip_hour / price


@formula(
    "$/chip-h",
    take("chip_hour margin"),
    source="definition of gross margin",
    valid="margin < 1; cost and price of the same hours",
    latex="p",
)
def price_at_margin(chip_hour: Expr, margin: Expr) -> Expr:
    """Price that leaves a gross margin on a sold chip-hour: h / (1 - g)."""
    return chip_hour / (1 - margin)


@formula(
    "1",
    take("chip_hour price"),
    source="definition of gross margin",
    valid="price > 0; `chip_hour` by sold chips",
    latex="g",
)
def margin_of_price(chip_hour: Expr, price: Expr) -> Expr:
    """Gross margin at a price: 1 - h / p."""
    return 1 - chip_hour / price


@formula(
    "$/month",
    take("revenue opex depreciation interest tax"),
    source=_TEXTBOOK,
    valid=(
        "0 <= tax < 1; losses are credited at the same rate; repayment of "
        "debt not in it"
    ),
    latex="y",
)
def income_after_tax(
    revenue: Expr, opex: Expr, depreciation: Expr, interest: Expr, tax: Expr
) -> Expr:
    """Cash left after interest and tax: V - O - I - tau (V - O - D - I)."""
    earned = revenue - opex - interest
    return earned - tax * (earned - depreciation)
