"""Lines of a price book under names that blocks of other kinds have as well."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation

Evaluated = Callable[..., Evaluation]
BOOK = """
import "isocost:systems/gpu"
import "isocost:sites/us"
finance book {{
  tenure = {tenure}
  cost_of_capital = 8 %/year
  life[server] = 5 year
  term = "year"
  rental[h100, year] = 2.10 $/chip/h
  rental[h100, on_demand] = 3.10 $/chip/h
  committed = 256 chip
  price[hgx_h100] = 250_000 $/system
}}
scenario {name} {{
  system = hgx_h100
  size = 512 chip
  site = us_hyperscale
  finance = book
}}
{more}
"""
MORE = """
workload h100 { task = training }
fabric h100 { bandwidth = 1 TB/s/chip }
model hgx_h100 { layers = 2 }
site h100 { pue = 1.1 }
"""


@pytest.mark.parametrize(
    ("tenure", "path"),
    [("rent", "cost.rent"), ("reserved", "cost.rent"), ("own", "price.system")],
)
@pytest.mark.parametrize("name", ["plain", "h100", "hgx_h100"])
def test_a_line_is_found_by_its_kind(
    evaluated: Evaluated, tenure: str, path: str, name: str
) -> None:
    more = "" if name == "plain" else MORE
    one = evaluated(BOOK.format(tenure=tenure, name=name, more=more))
    (found,) = one.results([(name, path)])
    hours = 730.5
    wanted = {
        "cost.rent": 256 * (2.10 + 3.10) * hours,
        "price.system": 250_000,
    }
    assert found.value == pytest.approx(wanted[path], rel=1e-3)
