"""Where formulas hold: conditions are read, checked at the point and told of."""

import json
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.expr import Expr, smallest, where
from isocost.engine.formula import Formula, p
from isocost.engine.formulas import queueing, serving_load, training
from isocost.engine.validity import (
    broken,
    clauses,
    conditions,
    in_print,
    is_condition,
    live,
)
from isocost.reports.sections.method import equation

#: A die far too large for the count of dies on a wafer, in a chip that is made of it.
TEXT = """\
edition 2026

silicon slab {
  die[logic].area = 3_000 mm^2 @assumed "a test"
  die[logic].count = 1 @assumed "a test"
  die[logic].wafer = 10_000 $/wafer @assumed "a test"
  die[logic].defects = 0.1 /cm^2 @assumed "a test"
  yield.clustering = 10 @assumed "a test"
  package.kind = organic @assumed "a test"
}

chip whole {
  silicon = slab
}

system pod {
  chip = whole
  chips = 1 chip @assumed "a test"
}

scenario one {
  system = pod
}
"""
FLAG = (
    "outside the validity of dies per wafer scribed: "
    "0 < area <= 0.03 * diameter ** 2, here area = 3000 mm^2, diameter = 300 mm"
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "slab.scn"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def made(valid: str, unit: str = "1") -> Formula:
    params = {name: p(unit, name, "a number") for name in ("a", "b")}
    return Formula("made", unit, params, lambda a, b: a + b, valid=valid)


@pytest.mark.parametrize(
    ("valid", "point", "failing"),
    [
        ("a >= 1; the rest in prose", (1, 0), 0),
        ("a >= 1; the rest in prose", (0.5, 0), 1),
        ("0 <= a < 1", (1, 0), 1),
        ("0 <= a <= 1", (1 + 1e-12, 0), 0),
        ("a > 0; b > 0", (0, -1), 2),
        ("a + b == 3", (1, 2 + 1e-13), 0),
        ("a == 1 or b / 2 == floor(b / 2)", (3, 4), 0),
        ("a == 1 or b / 2 == floor(b / 2)", (3, 5), 1),
        ("a <= 0.1 * b ** 2", (1, 3), 1),
        ("a > -100%", (-0.5, 0), 0),
        ("a >= 1", (float("nan"), 0), 0),
    ],
)
def test_a_condition_is_checked(
    valid: str, point: tuple[float, float], failing: int
) -> None:
    assert len(broken(made(valid), point)) == failing


def test_a_condition_has_units() -> None:
    one = made("a >= 2 min", "s")
    assert broken(one, (120, 0)) == []
    assert broken(one, (90, 0)) == [
        "outside the validity of made: a >= 2 min, here a = 90 s"
    ]


@pytest.mark.parametrize("valid", ["c > 1", "a > 1 furlong", "a > ", "a > f(b)"])
def test_what_compares_must_be_a_condition(valid: str) -> None:
    with pytest.raises(ValueError, match="is no condition"):
        conditions(made(valid))


def test_a_queue_without_end_is_outside() -> None:
    use = dict.fromkeys(queueing.wait_mean.params, 1.0) | {"use": 1.1}
    (words,) = broken(queueing.wait_mean, list(use.values()))
    assert words == "outside the validity of wait mean: 0 <= use < 1, here use = 1.1"


def test_only_the_branch_that_is_taken_decides() -> None:
    names = ("a", "b", "c")
    a, b, c = (Expr("symbol", value=name) for name in names)
    tree = where(a > 0, smallest(b, c), c)
    point = dict(zip(names, (1.0, 2.0, 3.0), strict=True))
    assert set(live(tree, point)) == {"a", "b"}
    assert set(live(tree, point | {"a": 0.0})) == {"a", "c"}
    assert set(live(tree, point | {"b": 3.0})) == {"a", "b", "c"}


def test_eval_flags_it(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", file, "-m", "silicon.cost", "-n", "16"]) == 0
    assert FLAG in capsys.readouterr().out
    asked = ["eval", file, "-m", "silicon.cost", "-n", "16", "--format", "json"]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)["scenarios"]["one"]["silicon.cost"]
    assert found["flags"] == [FLAG]
    assert main([*asked, "--set", "chip.silicon.die[logic].area=800 mm^2"]) == 0
    found = json.loads(capsys.readouterr().out)["scenarios"]["one"]["silicon.cost"]
    assert found["flags"] == []


def test_explain_shows_it(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["explain", file, "one.silicon.dies_per_wafer[logic]"]
    assert main(asked) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert any(line.startswith("valid: 0 < area <= 0.03") for line in lines)
    assert f"! {FLAG}" in lines
    assert main([*asked, "--format", "json"]) == 0
    step = json.loads(capsys.readouterr().out)
    step = step.get("explanation", step)
    assert step["outside"] == [FLAG]
    assert "square dies" in step["valid"]


def test_the_method_section_prints_it() -> None:
    shown = equation(queueing.wait_mean)
    assert str(shown.source).endswith(
        "Valid: 0 ≤ use < 1; servers ≥ 1; Poisson arrivals, exponential service, "
        "one queue."
    )
    assert in_print("kv_heads >= 1; a_b in prose") == "kv heads ≥ 1; a_b in prose"


def test_clauses_are_told_apart() -> None:
    found = clauses("0 < x <= 1; identical servers; `n` of 2 or more")
    assert [is_condition(one) for one in found] == [True, False, False]


def test_a_window_longer_than_the_sequence_hides_nothing() -> None:
    attended = training.attended_tokens
    for causal in (0.0, 0.5, 1.0):
        whole = attended(2048.0, 1.0, 0.0, causal)
        assert attended(2048.0, 4096.0, 1.0, causal) == pytest.approx(whole)
        assert attended(2048.0, 2048.0, 1.0, causal) == pytest.approx(whole)
    # Counted one by one: token i of a sequence of 8 sees min(i + 1/2, 3) of a window.
    counted = sum(min(i + 0.5, 3.0) for i in range(8)) / 8
    assert attended(8.0, 3.0, 1.0, 1.0) == pytest.approx(counted)


def test_drafts_that_are_never_rejected_all_count() -> None:
    gained = serving_load.speculative_tokens
    assert gained(3.0, 1.0) == 4
    assert gained(3.0, 1 - 1e-9) == pytest.approx(4)
