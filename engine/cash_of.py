"""The cash-flow table of a scenario at point values, for reports and tests.

`engine.derive.cash_flows` builds the same flows as nodes; here they are rows with a
name for each part, by `engine.cashflow`.
"""

from typing import TYPE_CHECKING

from isocost.engine.cashflow import (
    Asset,
    CashPlan,
    CashTable,
    Debt,
    Method,
    cash_table,
)
from isocost.engine.derive.cash_flows import (
    EARNS,
    FIVE_YEAR,
    LEVERED,
    MONTH,
    by_table,
    held,
    horizon,
    months_of,
    purchases,
)
from isocost.engine.derive.cost import life_of, residual_of

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation

YEAR = 12 * MONTH


class _Figures:
    def __init__(self, evaluation: "Evaluation", scenario: str) -> None:
        self.evaluation = evaluation
        self.scope = evaluation.scope(scenario)

    def value(self, path: str) -> float:
        node = self.scope[path]
        return self.evaluation.point((node,))[node]

    def stated(self, path: str) -> float:
        return self.value(path) if self.scope.has(path) else 0.0


def earns(evaluation: "Evaluation", scenario: str) -> bool:
    """Whether a scenario has cash flows: owned systems and a stated revenue."""
    return EARNS.holds(evaluation.scope(scenario))


def cash_plan(evaluation: "Evaluation", scenario: str) -> CashPlan:
    """The plan of a scenario at point values.

    Raises:
        MissingInputError: It owns nothing, or its terms state no revenue.
    """
    figures = _Figures(evaluation, scenario)
    months = horizon(figures.scope)
    fall = (1.0 - figures.stated("finance.revenue.decline") * YEAR) ** (1.0 / 12)
    first = figures.value("revenue") * MONTH
    levered = LEVERED.holds(figures.scope)
    rate = "finance.equity.rate" if levered else "finance.cost_of_capital"
    return CashPlan(
        assets=tuple(
            asset
            for name in held(figures.scope)
            for asset in _assets(figures, name, months)
        ),
        revenue=tuple(first * fall**month for month in range(months)),
        opex=(figures.value("cost.opex") * MONTH,) * months,
        rate=figures.value(rate) * YEAR,
        tax=figures.stated("finance.tax"),
        debt=_debt(figures, months),
        sold_at_end=True,
    )


def cash_flow(evaluation: "Evaluation", scenario: str) -> CashTable:
    """The table of a scenario at point values, with its returns."""
    return cash_table(cash_plan(evaluation, scenario))


def _assets(figures: _Figures, name: str, months: int) -> list[Asset]:
    price = figures.value(f"cost.capex[{name}]")
    residual = residual_of(figures.scope, name)
    share = residual if isinstance(residual, float) else figures.value(residual)
    life = months_of(figures.scope, life_of(figures.scope, name))
    table = by_table(figures.scope) and name in FIVE_YEAR
    method: Method = "macrs_5" if table else "straight_line"
    return [
        Asset(name, price, life, month, salvage=price * share, method=method)
        for month in purchases(figures.scope, name, months)
    ]


def _debt(figures: _Figures, months: int) -> Debt | None:
    share = figures.stated("finance.debt")
    if not share:
        return None
    term = months
    if figures.scope.has("finance.debt.term"):
        term = round(figures.value("finance.debt.term") / MONTH)
    return Debt(share, figures.value("finance.debt.rate") * YEAR, term)
