"""The owner's cash of a scenario, month by month, as nodes of its graph.

The horizon is a whole number of months, fixed at its point value. An asset that ends
before it is bought again at its price; at the end every asset is sold at its book
value, straight line. `isocost.engine.cash_of` makes the same table in plain numbers,
for reports.
"""

from isocost.dsl.expr import Expr
from isocost.engine.derive.common import OWNED, add_up
from isocost.engine.derive.cost import CLASSES, life_of, residual_of
from isocost.engine.formula import Formula, p
from isocost.engine.formulas import cash, depreciation
from isocost.engine.program import point
from isocost.engine.quantities import When
from isocost.engine.scope import Node, Scope

MONTH = 2_628_000.0
#: Classes of equipment, five-year property of the tax; the rest is straight line.
FIVE_YEAR = frozenset(CLASSES) - {"facility"}
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


def salvage_of(scope: Scope, name: str) -> int:
    """What a class of asset is worth at the end of its life."""
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
    valid="residual <= 1; one share of the price for the whole class",
    source="definition",
    doc="Value left at the end of life: C s.",
)


def _book_value(scope: Scope, name: str, age: int) -> int:
    return scope.apply(
        depreciation.book_value_straight_line,
        capex=f"cost.capex[{name}]",
        salvage=Node(salvage_of(scope, name)),
        life=life_of(scope, name),
        elapsed=age * MONTH,
    )


def _bought(scope: Scope, month: int, months: int) -> int:
    names = [n for n in held(scope) if month in purchases(scope, n, months)]
    return add_up(scope, [scope[f"cost.capex[{name}]"] for name in names], "$")


def _back(scope: Scope, month: int, months: int) -> list[int]:
    """What comes back at the end of a month: ended assets, and all at the end."""
    parts = []
    for name in held(scope):
        bought = purchases(scope, name, months)
        if month in bought and month:
            parts.append(salvage_of(scope, name))
        if month == months:
            parts.append(_book_value(scope, name, months - bought[-1]))
    return parts


def by_table(scope: Scope) -> bool:
    """Whether the tax writes equipment off by its table and not in a straight line."""
    return bool(scope.word("finance.tax.depreciation") == "macrs_5")


def level_depreciation(scope: Scope) -> int:
    """Loss of value of all assets in a month, straight line."""
    parts = [
        scope.apply(
            depreciation.straight_line,
            capex=f"cost.capex[{name}]",
            salvage=Node(salvage_of(scope, name)),
            life=life_of(scope, name),
        )
        for name in held(scope)
    ]
    return add_up(scope, parts, "$/month")


def _written(scope: Scope, month: int, months: int) -> int:
    """What the tax writes off in a month: equipment by its table, the rest level."""
    parts = []
    for name in held(scope):
        capex, life = f"cost.capex[{name}]", life_of(scope, name)
        if name not in FIVE_YEAR:
            level = scope.apply(
                depreciation.straight_line,
                capex=capex,
                salvage=Node(salvage_of(scope, name)),
                life=life,
            )
            parts.append(level)
            continue
        bought = max(m for m in purchases(scope, name, months) if m < month)
        year = (month - bought - 1) // 12 + 1
        if year <= len(depreciation.MACRS_5):
            parts.append(
                scope.apply(
                    depreciation.macrs_five_monthly, capex=capex, age=float(year)
                )
            )
    return add_up(scope, parts, "$/month")


def _gains(scope: Scope, month: int, months: int) -> list[int]:
    """The taxed gains of a month's sales of equipment."""
    parts = []
    for name in held(scope):
        bought = purchases(scope, name, months)
        ended = month in bought or month == months
        if name not in FIVE_YEAR or not ended or not month:
            continue
        age = month - max(m for m in bought if m < month)
        proceeds = _book_value(scope, name, age)
        parts.append(
            scope.apply(
                depreciation.gain_on_sale,
                proceeds=Node(proceeds),
                capex=f"cost.capex[{name}]",
                written=depreciation.macrs_written(age),
            )
        )
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

    def _deductions(self, month: int) -> tuple[list[int], int]:
        """The month's taxed gains, and what the tax writes off."""
        if not by_table(self.scope):
            return [], level_depreciation(self.scope)
        gains = _gains(self.scope, month, self.months)
        return gains, _written(self.scope, month, self.months)

    def _taxes(self, income: int, interest: int, month: int) -> int:
        if not self.scope.has("finance.tax"):
            return self.zero
        gains, written = self._deductions(month)
        profit = self.scope.apply(
            cash.profit_of_month,
            income=Node(add_up(self.scope, [income, *gains], "$")),
            opex="cost.opex",
            interest=Node(interest),
            depreciation=Node(written),
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
        taxes = self._taxes(income, interest, month)
        return self._cash(
            income=Node(income), taxes=Node(taxes), **self._without(interest, month)
        )

    def _without(self, interest: int, month: int) -> dict[str, Node | str | float]:
        """The parts of a month's cash that no price moves."""
        repaid = [self._of_loan(cash.repayment_of_month, month)]
        if month == self.months and self.loan:
            repaid.append(self._of_loan(cash.owed_after_month, month))
        back = _back(self.scope, month, self.months)
        bought = _bought(self.scope, month, self.months) if month < self.months else 0
        return {
            "opex": "cost.opex",
            "interest": Node(interest),
            "repayment": Node(add_up(self.scope, repaid, "$")),
            "back": Node(add_up(self.scope, back, "$")),
            "bought": Node(bought) if bought else 0.0,
        }

    def unpriced(self, month: int) -> tuple[int, int, int]:
        """Of one month: hours to sell, cash but for income and tax, deductions."""
        falls = self.scope.has("finance.revenue.decline")
        hours = self.scope.apply(
            cash.hours_of_month,
            chips="chips",
            availability="finance.availability",
            decline="finance.revenue.decline" if falls else 0.0,
            month=float(month) if falls else 1.0,
        )
        interest = self._of_loan(cash.interest_of_month, month)
        rest = self._cash(**self._without(interest, month))
        if not self.scope.has("finance.tax"):
            return hours, rest, self.zero
        gains, written = self._deductions(month)
        deducted = self.scope.apply(
            cash.deducted_of_month,
            opex="cost.opex",
            interest=Node(interest),
            depreciation=Node(written),
            gains=Node(add_up(self.scope, gains, "$")),
        )
        return hours, rest, deducted


def flows(scope: Scope) -> list[int]:
    """The nodes of the owner's cash, month by month; month 0 is the first day."""
    made = _Flows(scope)
    return [made.first(), *(made.month(m) for m in range(1, made.months + 1))]


def unpriced(scope: Scope) -> list[tuple[int, int, int]]:
    """By month: chip-hours to sell, cash but for income and tax, deductions."""
    made = _Flows(scope)
    first = (made.zero, made.first(), made.zero)
    return [first, *(made.unpriced(m) for m in range(1, made.months + 1))]
