"""`isocost explain`: the closed form on request."""

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
