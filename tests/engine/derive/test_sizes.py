"""What a size asks for and does not get is told of every result that rests on it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.engine.derive.sizes import least_size, term_hours
from isocost.engine.evaluate import Evaluation

Evaluated = Callable[..., Evaluation]
TEXT = """
edition 2026
import "isocost:systems/gpu"
import "isocost:fabrics/scale_out"
import "isocost:models/llama"
import "isocost:software/training"
import "isocost:software/gpu"
import "isocost:sites/us"
import "isocost:finance/rates"
import "isocost:finance/books"
workload run {
  task = training
  model = llama3_8b
  tokens = 15G token
  sequence = 8192 token
  batch.global = 128 sequence
  batch.micro = 1 sequence
  parallel.tp = 8
}
workload chat {
  task = inference
  model = llama3_8b
  prompt = 1024 token
  output = 512 token
  precision.weights = fp8
  precision.cache = fp8
  parallel.tp = 3
  batch.instance = 16
}
scenario train {
  system = hgx_h100
  fabric = hgx_h100_network
  size = 64 chip
  software = megatron_hopper
  workload = run
  site = us_hyperscale
  finance = rent_three_years
  objective = cost.train
}
scenario serve extends train {
  software = trtllm
  workload = chat
  finance = hyperscaler
  objective = cost.per_Mtoken
}
scenario whole extends serve {
  workload.parallel.tp = 4
}
"""


def flags(evaluation: Evaluation, scenario: str, path: str) -> list[str]:
    (found,) = evaluation.results([(scenario, path)])
    return [flag for flag in found.flags if "does not divide" not in flag]


def sized(evaluated: Evaluated, size: str) -> Evaluation:
    return evaluated(TEXT.replace("64 chip", size))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("260 chip", "from 260 to 256 chips: whole systems of 8"),
        ("8.5 chip", "from 8.5 to 8 chips: whole systems of 8"),
        ("2.5 system", "from 2.5 to 2 systems: whole ones"),
        ("100 kW", "from 100 to 91.8 kW: 9 whole systems"),
        ("3M $", "from 3,000,000 to 2,850,000 $: 15 whole systems"),
    ],
)
def test_what_is_cut_off_a_size_is_told_of_all_that_rests_on_it(
    evaluated: Evaluated, size: str, said: str
) -> None:
    evaluation = sized(evaluated, size)
    for path in ("cost.train", "chips", "systems", "cost.per_month", "power.average"):
        assert f"size is rounded down {said}" in flags(evaluation, "train", path)
    assert flags(evaluation, "train", "chip.power") == []


@pytest.mark.parametrize("size", ["256 chip", "32 system", "4096 chip"])
def test_whole_systems_are_not_remarked_on(evaluated: Evaluated, size: str) -> None:
    every = flags(sized(evaluated, size), "train", "cost.per_chip_hour")
    assert not [flag for flag in every if "rounded" in flag]


def test_a_power_that_the_network_exceeds_is_told(evaluated: Evaluated) -> None:
    evaluation = sized(evaluated, "1 MW")
    (found,) = evaluation.results([("train", "power.provisioned")])
    assert found.central > 1e6
    (told,) = (flag for flag in found.flags if "above" in flag)
    assert told.endswith(f"{found.central / 1e3:,.6g} kW, above the 1,000 asked for")


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("7 chip", "size = 7 chip holds no system (one is 8 chips)"),
        ("0.5 system", "size = 0.5 system holds no system (systems are whole)"),
        ("5 kW", "size = 5 kW holds no system (one takes 10.2 kW)"),
        ("100k $", "size = 100,000 $ holds no system (one costs 190,000 $)"),
    ],
)
def test_a_size_that_holds_no_system_says_so(
    evaluated: Evaluated, size: str, said: str
) -> None:
    evaluation = sized(evaluated, size)
    assert said in flags(evaluation, "train", "chips")
    assert said in flags(evaluation, "serve", "cost.capex")
    assert evaluation.node("train", "cost.train") is None
    reason = str(evaluation.diagnostics[-1].args["reason"])
    assert reason == f"{said}: the least that would do is size = 8 chip"


def test_the_least_that_would_do_is_in_whole_systems(evaluated: Evaluated) -> None:
    assert (least_size(9, 8), least_size(8, 8), least_size(1 << 20, 72)) == (
        16,
        8,
        1048608,
    )
    text = TEXT.replace("64 chip", "16 chip").replace(
        "tp = 3", "tp = 4\n  parallel.pp = 5"
    )
    (told,) = evaluated(text).breaches("serve")[:1]
    assert "takes 20 chips of the 16" in told
    assert told.endswith("size = 24 chip")


def test_chips_that_no_instance_uses_are_told(evaluated: Evaluated) -> None:
    evaluation = evaluated(TEXT)
    told = "16 instances of 3 chips use 48 of 64; 16 idle, and paid for"
    assert told in flags(evaluation, "serve", "cost.per_Mtoken[output_only]")
    assert not flags(evaluation, "whole", "cost.per_Mtoken[output_only]")


def test_a_run_shorter_than_its_term_of_rent_is_told(evaluated: Evaluated) -> None:
    evaluation = evaluated(TEXT)
    (told,) = flags(evaluation, "train", "cost.train")
    assert told.startswith("rent of a term of 3 years for a run of 0.34")
    long = evaluated(TEXT.replace("15G token", "90T token"))
    assert not flags(long, "train", "cost.train")
    short = evaluated(TEXT.replace("rent_three_years", "neocloud_on_demand"))
    assert not flags(short, "train", "cost.train")


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        *[(name, 3 * 8760) for name in ("y3", "3y", "three_years", "years_3", "Y3")],
        *[("year", 8760), ("m6", 6 * 730), ("month", 730), ("d10", 240)],
        *[(name, None) for name in ("block", "spot", "on_demand", "y", "may", "owner")],
    ],
)
def test_terms_are_read_by_their_names(name: str, hours: float | None) -> None:
    found = term_hours(name)
    assert (found and found[0]) == hours


def test_the_command_tells_it_in_text_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.scn"
    file.write_text(TEXT.replace("64 chip", "260 chip"), encoding="utf-8")
    said = "size is rounded down from 260 to 256 chips: whole systems of 8"
    asked = ["eval", str(file), "-s", "serve", "-m", "cost.capex[server]"]
    assert main(asked) == 0
    assert f"note: {said}" in capsys.readouterr().out
    assert main([*asked, "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["scenarios"]["serve"].values()
    assert said in one["flags"]


def test_an_answer_of_one_token_misses_no_limit_between_tokens(
    evaluated: Evaluated,
) -> None:
    limit = "  slo.tpot[mean] = 1 us\n"
    text = TEXT.replace("  output = 512 token\n", "  output = 1 token\n" + limit)
    evaluation = evaluated(text)
    assert evaluation.breaches("whole") == ()
    (told,) = flags(evaluation, "whole", "latency.tpot[mean]")
    assert told.endswith("has none to wait for; slo.tpot is not applied")
    more = evaluated(text.replace("output = 1 ", "output = 2 "))
    assert "slo.tpot[mean] 0.001 ms is missed" in more.breaches("whole")[0]


def test_a_plan_left_to_be_chosen_names_the_size_that_holds_no_system(
    evaluated: Evaluated,
) -> None:
    text = TEXT.replace("parallel.tp = 3", "parallel.tp = auto")
    evaluation = evaluated(text.replace("64 chip", "7 chip"))
    evaluation.scope("serve")
    reason = evaluation.refused["serve"].args["reason"]
    assert reason.endswith("size = 7 chip holds no system (one is 8 chips)")
    evaluation = evaluated(text.replace("batch.instance = 16", "batch.instance = 9999"))
    evaluation.scope("serve")
    reason = evaluation.refused["serve"].args["reason"]
    assert "do not fit into memory (memory.fits)" in reason
