"""The cash of one month: income, a loan's interest and repayment, tax, what is left.

A graph applies these month by month; `isocost.engine.cashflow` does the same with
plain numbers, and the tests hold the two together. Months count from 1; money moves
at their end.
"""

from collections.abc import Mapping

from isocost.dsl.expr import Expr, absolute, largest, smallest, where
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.finance import annuity
from isocost.engine.formulas.money_symbols import SYMBOLS

_LOAN = "annuity loan; Brealey, Myers, Allen: Principles of Corporate Finance"
_MONTH = q("1 month")
_YEAR = q("1 year")
_SMALL = 1e-8
_OWN: Mapping[str, Param] = {
    "month": p("1", "m", "month of the project, counted from 1"),
    "loan": p("$", "L", "sum borrowed"),
    "debt_term": p("year", "n_d", "time in which the loan is repaid"),
    "income": p("$", "V_m", "income of the month"),
    "interest": p("$", "I_m", "interest of the month"),
    "repayment": p("$", "S_m", "repayment of the month"),
    "taxes": p("$", "T_m", "tax of the month"),
    "profit": p("$", r"\pi_m", "profit of the month with losses carried into it"),
    "gains": p("$", "G_m", "taxed gains of the month's sales of equipment"),
    "carried": p("$", r"\ell_m", "losses carried into the month, 0 or below"),
    "back": p("$", "R_m", "value that comes back: what is sold, or drawn"),
    "bought": p("$", "C_m", "capital bought in the month"),
    "cost_of_tokens": p("$/Mtoken", "c_t", "cost of tokens of one kind"),
    "token_price": p("$/Mtoken", "p_t", "price of tokens of one kind"),
}
_ALL = {**SYMBOLS, **_OWN}


def take(names: str) -> dict[str, Param]:
    """The parameters of these names, in this order."""
    return {name: _ALL[name] for name in names.split()}


@formula(
    "$/month",
    take("token_price throughput"),
    source="volume times price",
    valid=("throughput >= 0; one price for all tokens of a kind, all of them sold"),
)
def token_revenue(token_price: Expr, throughput: Expr) -> Expr:
    """What tokens of one kind earn: p X."""
    return token_price * throughput


@formula(
    "$/Mtoken",
    take("cost_of_tokens margin"),
    source="definition of gross margin",
    valid="margin < 1; cost and price of the same tokens",
    latex="p_t",
)
def token_price_at_margin(cost_of_tokens: Expr, margin: Expr) -> Expr:
    """Price of tokens that leaves a gross margin: c / (1 - g)."""
    return cost_of_tokens / (1 - margin)


@formula(
    "1",
    take("cost revenue"),
    source="definition of gross margin",
    valid="revenue > 0; cost and revenue of the same month",
    latex="g",
)
def margin_of_month(cost: Expr, revenue: Expr) -> Expr:
    """Share of the revenue that all cost leaves: 1 - c / V."""
    return 1 - cost / revenue


@formula(
    "$",
    take("revenue decline month"),
    source="constant yearly decline",
    valid="decline < 100%/year; month >= 1; the first month at the full price",
    latex="V_m",
)
def income_of_month(revenue: Expr, decline: Expr, month: Expr) -> Expr:
    """Income of a month whose price falls: V (1 - d)^((m - 1) / 12)."""
    return revenue * _MONTH * (1 - decline * _YEAR) ** ((month - 1) / 12)


@formula(
    "$",
    take("capex debt_share"),
    source=_LOAN,
    valid="0 <= debt_share <= 1; later capital is not borrowed for",
    latex="L",
)
def loan_of(capex: Expr, debt_share: Expr) -> Expr:
    """The sum borrowed: a share of the first capital."""
    return capex * debt_share


def _balance(loan: Expr, rate: Expr, months: Expr, after: Expr) -> Expr:
    left = (1 - (1 + rate) ** (after - months)) / (1 - (1 + rate) ** (-months))
    closed = loan * left
    return where(absolute(rate) < _SMALL, loan * (1 - after / months), closed)


@formula(
    "$",
    take("loan debt_rate debt_term month"),
    source=_LOAN,
    valid=(
        "month >= 1; debt_term > 0; debt_rate > -100%/month; equal payments "
        "each month at a twelfth of the yearly rate"
    ),
    latex="I_m",
)
def interest_of_month(
    loan: Expr, debt_rate: Expr, debt_term: Expr, month: Expr
) -> Expr:
    """Interest of a month on what is owed at its start; none after the term."""
    rate, months = debt_rate * _MONTH, debt_term / _MONTH
    owed = _balance(loan, rate, months, month - 1)
    return where(month < months + 0.5, rate * owed, q("0 $"))


@formula(
    "$",
    take("loan debt_rate debt_term month"),
    source=_LOAN,
    valid=(
        "month >= 1; debt_term > 0; debt_rate > -100%/month; equal payments "
        "each month at a twelfth of the yearly rate"
    ),
    latex="S_m",
)
def repayment_of_month(
    loan: Expr, debt_rate: Expr, debt_term: Expr, month: Expr
) -> Expr:
    """What a month's payment repays; nothing after the term."""
    rate, months = debt_rate * _MONTH, debt_term / _MONTH
    repaid = loan * annuity(rate, months) * (1 + rate) ** (month - 1 - months)
    return where(month < months + 0.5, repaid, q("0 $"))


@formula(
    "$",
    take("loan debt_rate debt_term month"),
    source=_LOAN,
    valid=(
        "month >= 0; debt_term > 0; debt_rate > -100%/month; at the end of "
        "a month; paid off at once where a project ends early"
    ),
    latex="L_m",
)
def owed_after_month(loan: Expr, debt_rate: Expr, debt_term: Expr, month: Expr) -> Expr:
    """What is still owed at the end of a month."""
    rate, months = debt_rate * _MONTH, debt_term / _MONTH
    left = _balance(loan, rate, months, month)
    return where(month < months - 0.5, left, q("0 $"))


@formula(
    "$",
    take("income opex interest depreciation carried"),
    source="losses carried forward without limit",
    valid="carried <= 0; losses carried forward without limit",
    latex=r"\pi_m",
)
def profit_of_month(
    income: Expr, opex: Expr, interest: Expr, depreciation: Expr, carried: Expr
) -> Expr:
    """Taxed profit of a month, with the losses of earlier ones."""
    spent = (opex + depreciation) * _MONTH + interest
    return income - spent + carried


@formula(
    "$",
    take("opex interest depreciation gains"),
    source="what the tax lets deduct from an income",
    valid="all of one month; gains of what is sold count as income",
    latex="D_m",
)
def deducted_of_month(
    opex: Expr, interest: Expr, depreciation: Expr, gains: Expr
) -> Expr:
    """What a month's income is lowered by before tax, losses carried aside."""
    return (opex + depreciation) * _MONTH + interest - gains


@formula(
    "chip-h",
    take("chips availability decline month"),
    source="hours sold, weighed by the constant yearly decline of their price",
    valid="decline < 100%/year; month >= 1; the first month at the full price",
    latex="H_m",
)
def hours_of_month(chips: Expr, availability: Expr, decline: Expr, month: Expr) -> Expr:
    """Chip-hours that are up in a month, in those of the first month's price.

    H_m = N a t (1 - d)^((m - 1) / 12), t being a month.
    """
    fallen = (1 - decline * _YEAR) ** ((month - 1) / 12)
    return chips * availability * _MONTH * fallen


@formula(
    "$",
    take("profit"),
    source="losses carried forward without limit",
    valid="losses carried forward without limit, never back",
)
def loss_carried(profit: Expr) -> Expr:
    """The loss that a month hands on: min(0, profit)."""
    return smallest(gain=q("0 $"), loss=profit)


@formula(
    "$",
    take("profit tax"),
    source="share of profit",
    valid="0 <= tax < 1; one rate; a loss is carried, not refunded",
    latex="T_m",
)
def tax_of_month(profit: Expr, tax: Expr) -> Expr:
    """Tax of a month: a share of its profit, none on a loss."""
    return tax * largest(loss=q("0 $"), gain=profit)


@formula(
    "$",
    take("income opex interest repayment taxes back bought"),
    source="what comes in less what goes out",
    valid="all of one month; terms of payment and working capital aside",
    latex="f_m",
)
def cash_of_month(
    income: Expr,
    opex: Expr,
    interest: Expr,
    repayment: Expr,
    taxes: Expr,
    back: Expr,
    bought: Expr,
) -> Expr:
    """Cash of a month to the owner."""
    out = opex * _MONTH + interest + repayment + taxes + bought
    return income + back - out
