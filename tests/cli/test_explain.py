"""`isocost explain`: the closed form on request."""

import json
from pathlib import Path

import pytest

from isocost.__main__ import main

TEXT = """\
edition 2026

chip slow {
  power = 500 W @assumed "a test"
  price = 5_000 $ @assumed "a test"
}

system pod {
  chip = slow
}

scenario one {
  system = pod
  let twice := 2 * chip.price
  let ratio := twice / chip.power
}
"""

EARNS = """\
edition 2026

chip slow {
  power = 500 W @assumed "a test"
}

system pod {
  chip = slow
  chips = 4 chip @assumed "a test"
  servers = 1 server @assumed "a test"
  power = 3 kW @assumed "a test"
  price = 40_000 $ @assumed "a test"
}

site hall {
  electricity = 0.1 $/kWh @assumed "a test"
  pue = 1.2 @assumed "a test"
}

finance book {
  cost_of_capital = 10%/year @assumed "a test"
  life[server] = 3 year @assumed "a test"
  revenue.hour = 1 $/chip/h @assumed "a test"
  revenue.decline = 10%/year @assumed "a test"
}

scenario one {
  system = pod
  size = 8 chip
  site = hall
  finance = book
}
"""


def test_the_closed_form_has_inputs_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made.scn"
    path.write_text(TEXT)
    assert main(["explain", str(path), "one.ratio", "--closed-form"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "closed form: 2 * one.chip.price / one.chip.power"


def test_a_sum_is_called_a_sum_not_by_a_count_of_parts_that_are_not_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = Path(__file__).parents[2] / "scenarios" / "examples" / "own_or_rent.scn"
    main(["explain", str(path), "own.cost.per_chip_hour"])
    out = capsys.readouterr().out
    assert "  sum: definition" in out
    assert "sum_of_" not in out


def test_months_are_a_sum_over_an_index(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first two months and the last are opened; JSON has every one."""
    path = tmp_path / "f.scn"
    path.write_text(EARNS, encoding="utf-8")
    assert main(["explain", str(path), "one.cost.npv", "--depth", "2"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1].strip() == "= Σ_t flow_t / (1 + rate * 1 month)^t, t = 0 to 36"
    assert sum("flow_t, t = 0 to 36: cash of a month" in line for line in told) == 1
    flows = [line.split()[0] for line in told if line.startswith("  flow_")]
    assert flows == ["flow_t,", "flow_0", "flow_1", "flow_36"]
    for line in told:
        if line.endswith("(as above)"):
            assert told.index(line) > told.index(line.replace("  (as above)", ""))
    assert main(["explain", str(path), "one.cost.npv", "--format", "json"]) == 0
    parts = json.loads(capsys.readouterr().out)["explanation"]["parts"]
    assert [one["name"] for one in parts][-37:] == [f"flow_{i}" for i in range(37)]
