"""What the cost of an owned cluster leaves out is said beside it."""

from collections.abc import Callable

import pytest

from isocost.engine.comparison import unlike
from isocost.engine.evaluate import Evaluation

Evaluate = Callable[[str], Evaluation]
BASE = """
site bare {
  electricity = 0.08 $/kWh
  pue = 1.2
}
site hall extends bare {
  colocation = 130 $/kW-month
}
finance owned {
  tenure = own
  life[server] = 5 year
  cost_of_capital = 10%
}
scenario a {
  system = hgx_h100
  size = 8 chip
  site = bare
  finance = owned
}
scenario b extends a {
  site = hall
}
"""
MORE = """  life[server] = 5 year
  installation = 0 $/chip
  storage = 900 $/chip
  {}
"""


def said(found: Evaluation, scenario: str) -> list[str]:
    (result,) = found.results([(scenario, "cost.per_chip_hour")])
    return [flag for flag in result.flags if "not counted" in flag]


def test_what_nothing_states_is_named_in_one_line(evaluate: Evaluate) -> None:
    found = evaluate(BASE)
    rest = "installation, storage network, operation"
    assert said(found, "a") == [f"not stated, so not counted: building, {rest}"]
    assert said(found, "b") == []  # with the building, the rest is small
    (power,) = found.results([("a", "power.provisioned")])
    assert power.flags == ()  # money alone leaves money out
    assert unlike(found, ["a", "b"]) == ["building is not counted for a"]


@pytest.mark.parametrize(
    "operation",
    ["staff = 0.02 $/chip/h", "maintenance = 0%/year", "fee[hands] = 9 $/server/month"],
)
def test_a_stated_figure_counts_even_if_it_is_none(
    evaluate: Evaluate, operation: str
) -> None:
    stated = MORE.format(operation)
    found = evaluate(BASE.replace("  life[server] = 5 year\n", stated))
    assert said(found, "b") == []
    assert said(found, "a") == ["not stated, so not counted: building"]


def test_a_tenant_s_rent_holds_all(evaluate: Evaluate) -> None:
    rented = "tenure = rent\n  rental[h100, od] = 2 $/chip/h"
    assert said(evaluate(BASE.replace("tenure = own", rented)), "a") == []
