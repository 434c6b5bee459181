"""What owned capital earns: revenue, NPV, rate of return, payback, break-even."""

import functools

import attrs

from isocost.dsl.expr import Expr
from isocost.engine.cashflow import terms_in_words
from isocost.engine.derive.cash_flows import (
    EARNS,
    LEVERED,
    SOLD,
    flows,
    horizon,
    level_depreciation,
    unpriced,
    value_at_point,
)
from isocost.engine.derive.common import INFERENCE, OWNED, add_up
from isocost.engine.even import EVEN_PRICE
from isocost.engine.formula import Formula, Param, p, q
from isocost.engine.formulas import cash, finance, returns, tco
from isocost.engine.kernels import Kernel
from isocost.engine.operators import applied
from isocost.engine.quantities import When, quantity
from isocost.engine.returns import IRR, NPV, PAYBACK
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]


# Income.


def _token_revenue(scope: Scope, price: str, throughput: str) -> int:
    return scope.apply(cash.token_revenue, token_price=price, throughput=throughput)


def _revenue(scope: Scope, _: Keys) -> int:
    if scope.has("finance.revenue.hour"):
        return scope.apply(
            returns.rental_revenue,
            price="finance.revenue.hour",
            chips="chips",
            availability="finance.availability",
            sold="finance.sold",
        )
    parts = [_token_revenue(scope, "finance.revenue", "throughput.delivered")]
    if scope.has("finance.revenue.input"):
        delivered = "throughput.delivered_input"
        parts.append(_token_revenue(scope, "finance.revenue.input", delivered))
    return add_up(scope, parts, "$/month")


# Returns.


def _flow_params(count: int) -> dict[str, Param]:
    return {f"flow_{i}": p("$", f"f_{{{i}}}", "cash of a month") for i in range(count)}


@functools.cache
def _rate_of(count: int) -> Formula:
    def body(**cash_: Expr) -> Expr:
        monthly = applied(IRR, tuple(cash_.values()))
        return ((1 + monthly) ** 12 - 1) / q("1 year")

    return _over_flows("irr", "/year", IRR, count, body)


@functools.cache
def _payback_of(count: int) -> Formula:
    def body(**cash_: Expr) -> Expr:
        return applied(PAYBACK, tuple(cash_.values())) * q("1 month")

    made = _over_flows("payback", "month", PAYBACK, count, body)
    return attrs.evolve(made, never="not paid back within the horizon")


@functools.cache
def _worth_of(count: int) -> Formula:
    def body(rate: Expr, **cash_: Expr) -> Expr:
        return applied(NPV, (rate * q("1 month"), *cash_.values()))

    made = _over_flows("npv", "$", NPV, count, body)
    rate = {"rate": p("/year", "i", "nominal cost of capital")}
    return attrs.evolve(made, params={**rate, **made.params})


def _over_flows(
    name: str, unit: str, kernel: Kernel, count: int, body: object
) -> Formula:
    return Formula(
        f"{name}_of_{count}",
        unit,
        _flow_params(count),
        body,  # type: ignore[arg-type]
        kernel.valid,
        kernel.source,
        kernel.doc,
        kernel.latex,
    )


def _noted(scope: Scope, node: int) -> int:
    """The node, with the terms on which it holds said beside it."""
    taxed = value_at_point(scope, "finance.tax") if scope.has("finance.tax") else 0.0
    debt = value_at_point(scope, "finance.debt") if scope.has("finance.debt") else 0.0
    scope.builder.notes[node] = terms_in_words(taxed, debt)
    return node


def _applied(scope: Scope, formula: Formula, **more: str) -> int:
    nodes = flows(scope)
    args = {f"flow_{i}": Node(node) for i, node in enumerate(nodes)}
    return _noted(scope, scope.apply(formula, **args, **more))


def _rate(scope: Scope) -> str:
    """What the owner's cash is discounted at: equity's return where there is debt."""
    equity = LEVERED.holds(scope)
    return "finance.equity.rate" if equity else "finance.cost_of_capital"


def _npv(scope: Scope, _: Keys) -> int:
    return _applied(scope, _worth_of(horizon(scope) + 1), rate=_rate(scope))


def _irr(scope: Scope, _: Keys) -> int:
    return _applied(scope, _rate_of(horizon(scope) + 1))


def _payback(scope: Scope, _: Keys) -> int:
    return _applied(scope, _payback_of(horizon(scope) + 1))


# Break-even.

#: Parts of the cost of an hour; where one is stated the hour's cost is the price.
_HOUR = frozenset(
    f"cost.{name}"
    for name in (
        "per_month",
        "capital",
        "installed_hour",
        "available_hour",
        "sold_hour",
        "per_chip_hour",
    )
)


@functools.cache
def _even_of(count: int) -> Formula:
    def body(rate: Expr, tax: Expr, **columns: Expr) -> Expr:
        months = (rate * q("1 month"), tax, *columns.values())
        return applied(EVEN_PRICE, months)

    columns = {
        f"{name}_{i}": p(unit, f"{letter}_{{{i}}}", doc)
        for name, unit, letter, doc in (
            ("hours", "chip-h", "H", "hours up, in those of the first month's price"),
            ("rest", "$", "c", "cash of a month but for income and tax"),
            ("deducted", "$", "D", "what the tax lets deduct in a month"),
        )
        for i in range(count)
    }
    params = {
        "rate": p("/year", "i", "nominal cost of capital"),
        "tax": p("1", r"\tau", "tax rate on profit"),
        **columns,
    }
    return Formula(
        f"even_price_of_{count}",
        "$/chip-h",
        params,
        body,
        EVEN_PRICE.valid,
        EVEN_PRICE.source,
        EVEN_PRICE.doc,
        EVEN_PRICE.latex,
    )


def _even_hour(scope: Scope) -> int:
    """The price of an hour that is up at which the owner's cash is worth nothing.

    A tenant lays out no capital, and his hour's cost is that price.
    """
    if not OWNED.holds(scope) or _HOUR & set(scope.replaced):
        return scope["cost.available_hour"]
    columns = zip(*unpriced(scope), strict=True)
    args: dict[str, Node | str | float] = {
        f"{name}_{i}": Node(node)
        for name, nodes in zip(("hours", "rest", "deducted"), columns, strict=True)
        for i, node in enumerate(nodes)
    }
    tax = "finance.tax" if scope.has("finance.tax") else 0.0
    made = _even_of(horizon(scope) + 1)
    return _noted(scope, scope.apply(made, rate=_rate(scope), tax=tax, **args))


def _even_price(scope: Scope, _: Keys) -> int:
    if "cost.sold_hour" in scope.replaced:
        return scope["cost.sold_hour"]
    hour = Node(_even_hour(scope))
    return scope.apply(tco.chip_hour_sold, chip_hour=hour, sold="finance.sold")


def _even_sold(scope: Scope, _: Keys) -> int:
    return scope.apply(
        returns.breakeven_sold,
        chip_hour=Node(_even_hour(scope)),
        price="finance.revenue.hour",
    )


QUANTITIES = (
    quantity(
        "finance.cost_of_capital",
        "%/year",
        "Cost of debt and equity by their shares, before tax.",
        finance.cost_of_capital,
        when=LEVERED,
        debt_share="finance.debt",
        debt_rate="finance.debt.rate",
        equity_rate="finance.equity.rate",
    ),
    quantity("revenue", "$/month", "What the systems earn.", _revenue, when=SOLD),
    quantity(
        "margin",
        "%",
        "Share of the revenue that all cost leaves.",
        cash.margin_of_month,
        when=SOLD,
        cost="cost.per_month",
        revenue="revenue",
    ),
    quantity(
        "depreciation",
        "$/month",
        "Loss of value of all assets, straight line.",
        lambda s, _: level_depreciation(s),
        when=EARNS,
    ),
    quantity(
        "cost.npv",
        "$",
        "Net present value at the cost of capital, of equity where there is debt.",
        _npv,
        when=EARNS,
        headline=True,
    ),
    quantity(
        "irr",
        "%/year",
        "Yearly rate of return of the owner's cash.",
        _irr,
        when=EARNS,
        headline=True,
    ),
    quantity(
        "payback",
        "month",
        "Time until the owner's cash has come back, interest aside.",
        _payback,
        when=EARNS,
        headline=True,
    ),
    quantity(
        "breakeven.price",
        "$/chip-h",
        "Price of a sold chip-hour at which `cost.npv` is 0; the first, if it falls.",
        _even_price,
    ),
    quantity(
        "breakeven.sold",
        "%",
        "Share of the hours to sell at the stated price for a `cost.npv` of 0.",
        _even_sold,
        when=When(
            "where the terms state `revenue.hour`",
            lambda s: s.has("finance.revenue.hour"),
        ),
    ),
    quantity(
        "price.chip_hour",
        "$/chip-h",
        "Price of a sold chip-hour that leaves the seller's margin.",
        returns.price_at_margin,
        when=When(
            "where the terms state a `margin`", lambda s: s.has("finance.margin")
        ),
        chip_hour="cost.sold_hour",
        margin="finance.margin",
    ),
    quantity(
        "price.per_Mtoken",
        "$/Mtoken",
        "Price of a million output tokens that leaves the seller's margin.",
        cash.token_price_at_margin,
        when=When(
            "in inference, where the terms state a `margin`",
            lambda s: INFERENCE.holds(s) and s.has("finance.margin"),
        ),
        cost_of_tokens="cost.of_output",
        margin="finance.margin",
    ),
)
