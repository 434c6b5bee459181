"""What owned capital earns: flows month by month, NPV, rate of return, payback.

The horizon is a whole number of months, fixed at its point value. An asset that ends
before it is bought again at its price; at the end every asset is sold at its book
value, straight line. `isocost.engine.cash_of` makes the same table in plain numbers,
for reports.
"""

import functools

from isocost.dsl.expr import Expr
from isocost.engine.cashflow import terms_in_words
from isocost.engine.derive.common import INFERENCE, OWNED, add_up
from isocost.engine.derive.cost import CLASSES, life_of, residual_of
from isocost.engine.formula import Formula, Param, p, q
from isocost.engine.formulas import cash, depreciation, finance, returns
from isocost.engine.kernels import Kernel
from isocost.engine.operators import applied
from isocost.engine.program import point
from isocost.engine.quantities import When, quantity
from isocost.engine.returns import IRR, NPV, PAYBACK
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
MONTH = 2_628_000.0
#: A project is looked at for no longer than this.
MOST_MONTHS = 600


def sells(scope: Scope) -> bool:
    """Whether the terms say what the systems earn."""
    return scope.has("finance.revenue") or scope.has("finance.revenue.hour")


SOLD = When("where the terms state a `revenue`", sells)
EARNS = When(
    "where systems are owned and the terms state a `revenue`",
    lambda s: OWNED.holds(s) and sells(s),
)
LEVERED = When(
    "where the terms state debt and what debt and equity cost",
    lambda s: all(
        s.has(f"finance.{name}") for name in ("debt", "debt.rate", "equity.rate")
    ),
)


def value_at_point(scope: Scope, path: str) -> float:
    """The point value of a quantity that a structure depends on."""
    node = scope[path]
    return point(scope.builder.freeze(), (node,))[node]


def months_of(scope: Scope, path: str) -> int:
    """A time as whole months, at its point value.

    Raises:
        MissingInputError: It is shorter than a month, or absurdly long.
    """
    found = round(value_at_point(scope, path) / MONTH)
    if not 1 <= found <= MOST_MONTHS:
        reason = f"{path} is {found} months; between 1 and {MOST_MONTHS} are looked at"
        raise scope.fail("M003", reason=reason)
    return found


def horizon(scope: Scope) -> int:
    """Months looked at: as stated, else the servers' life."""
    stated = scope.has("finance.horizon")
    return months_of(scope, "finance.horizon" if stated else life_of(scope, "server"))


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


# Assets over the horizon.


def held(scope: Scope) -> list[str]:
    """The classes of asset that there are."""
    out = []
    for name in CLASSES:
        what = scope.builder.nodes[scope[f"cost.capex[{name}]"]].what
        if getattr(what, "value", None) != 0.0:
            out.append(name)
    return out


def purchases(scope: Scope, name: str, months: int) -> range:
    """The months at whose end a class is bought; month 0 is the first day."""
    return range(0, months, months_of(scope, life_of(scope, name)))


def _salvage(scope: Scope, name: str) -> int:
    return scope.apply(
        _SALVAGE, capex=f"cost.capex[{name}]", residual=residual_of(scope, name)
    )


def _salvaged(capex: Expr, residual: Expr) -> Expr:
    return capex * residual


_SALVAGE = Formula(
    "salvage_value",
    "$",
    {
        "capex": p("$", "C", "capital spent"),
        "residual": p("1", "s", "value left at the end of life over the price"),
    },
    _salvaged,
    source="definition",
    doc="Value left at the end of life: C s.",
)


def _book_value(scope: Scope, name: str, age: int) -> int:
    return scope.apply(
        depreciation.book_value_straight_line,
        capex=f"cost.capex[{name}]",
        salvage=Node(_salvage(scope, name)),
        life=life_of(scope, name),
        elapsed=age * MONTH,
    )


def _depreciation(scope: Scope, _: Keys) -> int:
    parts = [
        scope.apply(
            depreciation.straight_line,
            capex=f"cost.capex[{name}]",
            salvage=Node(_salvage(scope, name)),
            life=life_of(scope, name),
        )
        for name in held(scope)
    ]
    return add_up(scope, parts, "$/month")


def _bought(scope: Scope, month: int, months: int) -> int:
    names = [n for n in held(scope) if month in purchases(scope, n, months)]
    return add_up(scope, [scope[f"cost.capex[{name}]"] for name in names], "$")


def _back(scope: Scope, month: int, months: int) -> list[int]:
    """What comes back at the end of a month: ended assets, and all at the end."""
    parts = []
    for name in held(scope):
        bought = purchases(scope, name, months)
        if month in bought and month:
            parts.append(_salvage(scope, name))
        if month == months:
            parts.append(_book_value(scope, name, months - bought[-1]))
    return parts


# Flows.


class _Flows:
    """The months of one scenario, built in order."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.months = horizon(scope)
        self.zero = scope.builder.constant(0.0)
        self.carried = self.zero
        self.loan: dict[str, Node | str] | None = None
        if scope.has("finance.debt"):
            loan = scope.apply(
                cash.loan_of,
                capex=Node(_bought(scope, 0, self.months)),
                debt_share="finance.debt",
            )
            term = scope.has("finance.debt.term")
            years = scope.builder.constant(self.months * MONTH)
            self.loan = {
                "loan": Node(loan),
                "debt_rate": "finance.debt.rate",
                "debt_term": "finance.debt.term" if term else Node(years),
            }

    def first(self) -> int:
        """The first day: capital, and what is borrowed for it."""
        drawn = self.loan["loan"] if self.loan else Node(self.zero)
        return self._cash(
            back=drawn, bought=Node(_bought(self.scope, 0, self.months)), opex=0.0
        )

    def _cash(self, **given: "Node | str | float") -> int:
        args: dict[str, Node | str | float] = dict.fromkeys(
            cash.cash_of_month.params, 0.0
        )
        return self.scope.apply(cash.cash_of_month, **{**args, **given})

    def _of_loan(self, formula: Formula, month: int) -> int:
        if self.loan is None:
            return self.zero
        return self.scope.apply(formula, month=float(month), **self.loan)

    def _income(self, month: int) -> int:
        """The first month's income, less the decline since; one node if level."""
        falls = self.scope.has("finance.revenue.decline")
        return self.scope.apply(
            cash.income_of_month,
            revenue="revenue",
            decline="finance.revenue.decline" if falls else 0.0,
            month=float(month) if falls else 1.0,
        )

    def _taxes(self, income: int, interest: int) -> int:
        if not self.scope.has("finance.tax"):
            return self.zero
        profit = self.scope.apply(
            cash.profit_of_month,
            income=Node(income),
            opex="cost.opex",
            interest=Node(interest),
            depreciation="depreciation",
            carried=Node(self.carried),
        )
        self.carried = self.scope.apply(cash.loss_carried, profit=Node(profit))
        return self.scope.apply(
            cash.tax_of_month, profit=Node(profit), tax="finance.tax"
        )

    def month(self, month: int) -> int:
        """The cash of one month."""
        income = self._income(month)
        interest = self._of_loan(cash.interest_of_month, month)
        repaid = [self._of_loan(cash.repayment_of_month, month)]
        if month == self.months and self.loan:
            repaid.append(self._of_loan(cash.owed_after_month, month))
        back = _back(self.scope, month, self.months)
        bought = _bought(self.scope, month, self.months) if month < self.months else 0
        return self._cash(
            income=Node(income),
            opex="cost.opex",
            interest=Node(interest),
            repayment=Node(add_up(self.scope, repaid, "$")),
            taxes=Node(self._taxes(income, interest)),
            back=Node(add_up(self.scope, back, "$")),
            bought=Node(bought) if bought else 0.0,
        )


def flows(scope: Scope) -> list[int]:
    """The nodes of the owner's cash, month by month; month 0 is the first day."""
    made = _Flows(scope)
    return [made.first(), *(made.month(m) for m in range(1, made.months + 1))]


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

    return _over_flows("payback", "month", PAYBACK, count, body)


@functools.cache
def _worth_of(count: int) -> Formula:
    def body(rate: Expr, **cash_: Expr) -> Expr:
        return applied(NPV, (rate * q("1 month"), *cash_.values()))

    made = _over_flows("npv", "$", NPV, count, body)
    rate = {"rate": p("/year", "i", "nominal cost of capital")}
    return Formula(
        made.name, "$", {**rate, **made.params}, body, made.valid, made.source, made.doc
    )


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


def _npv(scope: Scope, _: Keys) -> int:
    equity = LEVERED.holds(scope)
    rate = "finance.equity.rate" if equity else "finance.cost_of_capital"
    return _applied(scope, _worth_of(horizon(scope) + 1), rate=rate)


def _irr(scope: Scope, _: Keys) -> int:
    return _applied(scope, _rate_of(horizon(scope) + 1))


def _payback(scope: Scope, _: Keys) -> int:
    return _applied(scope, _payback_of(horizon(scope) + 1))


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
        _depreciation,
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
        "Price of a sold chip-hour that earns exactly the cost of capital.",
        lambda s, _: s["cost.sold_hour"],
    ),
    quantity(
        "breakeven.sold",
        "%",
        "Share of the hours to sell at the stated price to cover all cost.",
        returns.breakeven_sold,
        when=When(
            "where the terms state `revenue.hour`",
            lambda s: s.has("finance.revenue.hour"),
        ),
        chip_hour="cost.available_hour",
        price="finance.revenue.hour",
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
