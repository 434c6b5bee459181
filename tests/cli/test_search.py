"""`isocost search`: counts and reasons, the front, near-optima, a steady choice."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

TEXT = """\
edition 2026

chip slow {
  power = {100 W, 200 W, 400 W}
  price = 4_000 $ to 6_000 $ @assumed "a test"
}

system pod {
  chip = slow
  chips = {2 chip, 4 chip, 8 chip}
}

scenario one {
  system = pod
  objective = cost
  let heat := chip.power * system.chips
  let cost := chip.price * (1 + system.chips / 400 chip/system) / chip.power
}

scenario two extends one {
  system.chips = 16 chip
}
"""
EXAMPLE = Path(__file__).parents[2] / "scenarios" / "examples"
SERVING = str(EXAMPLE / "inference_comparison.scn")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "made.scn"
    path.write_text(TEXT)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(["search", *args])
    out, err = capsys.readouterr()
    return status, out, err


def data(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    status, out, err = run(capsys, *args, "--format", "json")
    assert status == 0, err
    return json.loads(out)


LINES = [f"workload.precision.weights={word}" for word in ("bf16", "fp8")]
GOALS = ("--goal", "cost", "--goal", "heat")


def test_the_front_of_two_goals(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, file, "-s", "one", *GOALS)
    assert (found["tried"], found["admissible"], found["excluded"]) == (9, 9, {})
    assert [plan["choices"] for plan in found["front"]] == [
        {"chip.power": power, "system.chips": 2} for power in (400, 200, 100)
    ]
    assert found["units"]["chip.power"] == "W"
    best, *_, last = found["front"]
    assert best["trade"] == {"cost": 0, "heat": 0}
    assert last["trade"] == {"cost": pytest.approx(3), "heat": pytest.approx(-0.75)}


def test_near_ones_say_what_they_trade(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    near = data(capsys, file, "-s", "one", *GOALS)["near"]
    assert [plan["choices"]["system.chips"] for plan in near] == [4, 8]
    trades = [plan["trade"]["cost"] for plan in near]
    assert trades == pytest.approx([404 / 402 - 1, 408 / 402 - 1])
    assert all(plan["trade"]["heat"] > 0 for plan in near)


def test_the_settled_choice_is_steady(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = data(capsys, file, "-s", "one", "--goal", "cost")["choices"]["one"]
    assert chosen["chip.power"]["value"] == 400
    assert chosen["system.chips"]["runner_up"] == 4
    assert chosen["system.chips"]["gap"] == pytest.approx(404 / 402 - 1)
    # The price scales all configurations alike, so the best stays the best.
    assert chosen["chip.power"]["feasible_share"] == 1
    assert chosen["chip.power"]["best_share"] == 1


def test_scenarios_join_one_front(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = data(capsys, file, "--goal", "cost", "--goal", "max:heat")
    assert found["scenarios"] == ["one", "two"]
    assert {plan["scenario"] for plan in found["front"]} == {"one", "two"}
    assert found["goals"][1]["better"] == "more"
    status, out, _ = run(capsys, file, "--goal", "cost", "--goal", "max:heat")
    assert status == 0
    assert "scenario" in out


def test_reasons_of_exclusion_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, SERVING, "-s", "on_h100", "--top", "3")
    assert status == 0
    assert "memory.fits" in out
    assert "slo.tpot[mean]" in out
    assert "more; --top 0 shows all" in out
    found = data(capsys, SERVING, "-s", "on_h100")
    assert found["tried"] == found["admissible"] + sum(found["excluded"].values())
    assert found["goals"][0]["unit"] == "$/Mtoken"
    costs = [plan["goals"]["cost.per_Mtoken[output_only]"] for plan in found["front"]]
    assert costs == sorted(costs)
    taken = found["choices"]["on_h100"]
    assert found["front"][0]["choices"] == {p: c["value"] for p, c in taken.items()}


def test_words_and_blocks_are_tried(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A precision and a system make models of their own, which join one front."""
    weights = ("--try", "workload.precision.weights=bf16,fp8")
    found = data(capsys, SERVING, "-s", "on_h100", *weights)
    names = ["on_h100_bf16", "on_h100_fp8"]
    assert found["scenarios"] == names
    assert {plan["scenario"] for plan in found["front"]} == {"on_h100_fp8"}
    alone = [data(capsys, SERVING, "-s", "on_h100", "--set", line) for line in LINES]
    assert found["tried"] == sum(one["tried"] for one in alone)
    assert found["admissible"] == sum(one["admissible"] for one in alone)
    assert found["front"][0]["goals"] == alone[1]["front"][0]["goals"]
    cheap = "chip quick extends slow {\n  price = 2_000 $\n}\n"
    Path(file).write_text(
        f"{TEXT}{cheap}system rack extends pod {{\n  chip = quick\n}}\n"
    )
    args = ("-s", "two", "--goal", "cost", "--try", "system=pod,rack")
    both = data(capsys, file, *args, "--try", "system.chips=2 chip,4 chip")
    assert both["scenarios"] == [
        *("two_pod_2_chip", "two_pod_4_chip", "two_rack_2_chip", "two_rack_4_chip")
    ]
    assert both["front"][0]["scenario"] == "two_rack_2_chip"


def test_what_has_no_value_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.scn"
    odd = "  let odd := 1 $ / (system.chips - 4 chip/system)\n}\n\nscenario two"
    path.write_text(TEXT.replace("}\n\nscenario two", odd))
    found = data(capsys, str(path), "-s", "one", "--goal", "min:odd")
    assert (found["tried"], found["admissible"]) == (3, 2)
    assert found["excluded"] == {"odd undefined": 1}


def test_a_choice_that_no_goal_rests_on(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, file, "-s", "one", "--goal", "min:chip.price")
    assert out.startswith("1 configuration, 1 admissible\nno goal rests on a choice")


def test_nothing_admissible_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    limit = ("--set", "workload.slo.tpot[mean]=1 ms")
    status, out, err = run(capsys, SERVING, "-s", "on_h100", *limit)
    assert status == 1
    assert "0 admissible" in out
    assert "none of" in err


def test_what_is_left_out_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("scenarios/examples/training_run.scn", "-s", "h100_free")
    _, out, _ = run(
        capsys, *asked, "--set", "pretrain_free.batch.global = 1999 sequence"
    )
    assert re.search(r"\d  do not divide the batch, .* \(train.divides\)\n", out)


def test_choices_keep_the_limits_that_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    limit = ("--limit", "latency.tpot[mean] <= 25 ms", "--format", "json")
    free = data(capsys, SERVING, "-s", "on_h100")
    kept = json.loads(run(capsys, SERVING, "-s", "on_h100", *limit)[1])
    taken = kept["choices"]["on_h100"]
    assert {p: c["value"] for p, c in taken.items()} == kept["best"]["choices"]
    assert kept["best"]["goals"]["latency.tpot[mean]"] <= 25
    settled = {p: c["value"] for p, c in free["choices"]["on_h100"].items()}
    assert free["best"]["choices"] == settled != kept["best"]["choices"]


def test_eval_says_how_steady_a_choice_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", SERVING, "-s", "on_h100", "--format", "json"]) == 0
    chosen = json.loads(capsys.readouterr().out)["choices"]["on_h100"]
    for one in chosen.values():
        assert set(one) == {
            "value", "unit", "runner_up", "gap", "feasible_share", "best_share"
        }  # fmt: skip
        assert 0 < one["best_share"] <= one["feasible_share"] <= 1


@pytest.mark.parametrize(
    ("args", "status", "word"),
    [
        (("-s", "oen"), 2, "one"),
        (("-s", "one", "--goal", "cots"), 2, "cost"),
        (("-s", "three"), 1, "--goal"),
        (("--goal", "min:heat", "--goal", "max:heat"), 2, "both small and large"),
        (("--try", "chip"), 2, "PATH=VALUE"),
        (("--try", "chip=slow,,slow"), 2, "PATH=VALUE"),
        (("--try", "chip=slow,quack"), 2, "quack"),
        (("--try", "chpi=slow,slow"), 2, "chpi"),
        (("--try", "system.chips=" + ",".join(["2 chip"] * 999)), 2, "more than 1,000"),
    ],
)
def test_a_mistake_is_explained(
    args: tuple[str, ...],
    status: int,
    word: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Path(file).open("a") as more:
        more.write("scenario three {\n  let odd := 3\n}\n")
    got, _, err = run(capsys, file, *args)
    assert got == status
    assert word in err
    assert "Traceback" not in err


# Networks: each design is another graph ---------------------------------------------

FABRICS = str(EXAMPLE / "cheapest_fabric.scn")
PRICE = "network.cost_per_chip[total]"
SPREAD = "collective[all_to_all, 64 MiB, 4096]"
REDUCE = "collective[all_reduce, 1 GiB, 4096]"
LIMITS = ("--limit", f"{SPREAD} <= 2 ms", "--limit", f"{REDUCE} <= 10 ms")
#: Designs that do not reach a size.
REFUSED = {
    "at_4k": {"two_tiers"},
    "at_32k": {"two_tiers"},
    "at_98k": {"two_tiers", "rails", "tapered", "hashed", "two_planes"},
}


def fabrics(capsys: pytest.CaptureFixture[str], name: str, *more: str) -> Any:
    goals = ("--goal", "network.cost_per_chip", "--goal", SPREAD, "--goal", REDUCE)
    return data(capsys, FABRICS, "-s", name, *goals, *more)


@pytest.mark.parametrize("name", REFUSED)
def test_the_cheapest_fabric(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = fabrics(capsys, name, *LIMITS)
    assert set(found["refused"]) == {f"{name}[{d}]" for d in REFUSED[name]}
    for why in found["refused"].values():
        assert "too few ports" in why
        assert "the nearest that fits: endpoints = " in why
    plans = [*found["front"], *found["near"]]
    assert all(plan["goals"][SPREAD] <= 2000 for plan in plans)
    assert all(plan["goals"][REDUCE] <= 10_000 for plan in plans)
    # Without limits the front has the cheap ones that break them, and dearer ones pay.
    free = fabrics(capsys, name)
    prices = [plan["goals"][PRICE] for plan in free["front"]]
    assert prices == sorted(prices)
    front = [(plan["goals"][SPREAD], plan["goals"][REDUCE]) for plan in free["front"]]
    for (a, b), (c, d) in itertools.pairwise(front):
        assert c < a or d < b
    kept = [
        plan
        for plan in free["front"]
        if plan["goals"][SPREAD] <= 2000 and plan["goals"][REDUCE] <= 10_000
    ]
    assert found["front"][0]["scenario"] == kept[0]["scenario"]
    assert found["tried"] + len(found["refused"]) == 7


def test_a_taper_is_cheap_and_too_slow(capsys: pytest.CaptureFixture[str]) -> None:
    free = fabrics(capsys, "at_4k")
    assert free["front"][0]["scenario"] == "at_4k[tapered]"
    assert fabrics(capsys, "at_4k", *LIMITS)["excluded"] == {f"{SPREAD} <= 2 ms": 2}


def test_no_design_that_fits(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(
        capsys, FABRICS, "-s", "at_98k[two_tiers]", "--goal", "network.cost_per_chip"
    )
    assert (status, out) == (1, "")
    assert "M003" in err
    assert "tiers = 4" in err


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("network.cost_per_chip", "no condition"),
        ("network.cost_per_chip <= 2 ms", "is in $/chip"),
        ("network.cost_per_chip <= 2 potatoes", "is in $/chip"),
        ("network.cots <= 2 $/chip", "network.cost"),
    ],
)
def test_a_limit_that_says_nothing(
    limit: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ("--goal", "network.cost_per_chip", "--limit", limit)
    status, out, err = run(capsys, FABRICS, "-s", "at_4k", *wanted)
    assert status in {1, 2}
    assert not out
    assert said in err


def test_the_last_word_is_on_the_best_that_keeps_the_limit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    limit = ("--limit", "latency.tpot[mean] <= 20 ms", "--goal", "cost.per_Mtoken")
    status, out, _ = run(capsys, SERVING, "-s", "on_h100", *limit)
    last = out.rstrip("\n").splitlines()[-1]
    assert status == 0
    assert last.startswith("best cost.per_Mtoken")
    assert "on_h100 takes" not in out
