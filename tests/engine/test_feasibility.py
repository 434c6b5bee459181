"""Limits are looked at always: what breaks one says so, what is refused has none."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.dsl.diagnostics import Diagnostic
from isocost.engine.choices import Constraint, sign_of
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

Evaluated = Callable[..., Evaluation]

BASE = """
edition 2026
import "isocost:systems/gpu"
import "isocost:models/llama"
import "isocost:software/gpu"
import "isocost:sites/us"
import "isocost:finance/books"

workload chat {{
  task = inference
  model = llama3_70b
  prompt = 1024 token @assumed "a test"
  output = 512 token @assumed "a test"
  precision.weights = fp8
  precision.cache = fp8
  parallel.tp = 2
  batch.instance = 16
}}

scenario b {{
  system = hgx_h100
  size = 64 chip
  workload = chat
  software = trtllm
  site = us_colocation
  finance = hyperscaler
  {lines}
}}
"""
COST = "cost.per_Mtoken[output_only]"
TPOT = "latency.tpot[mean]"


def text(*lines: str) -> str:
    """The base file with further lines in its scenario; each replaces its own path."""
    out = BASE
    for line in lines:
        path = line.split("=")[0].strip(" :")
        kept = [x for x in out.splitlines() if not x.startswith(f"  {path} = ")]
        out = "\n".join(kept)
    return out.format(lines="\n  ".join(lines))


def mistakes(*lines: str) -> list[Diagnostic]:
    checked = check_file("b.scn", table(), text(*lines))
    return [d for d in checked.diagnostics if d.severity == "error"]


def made(*lines: str) -> Evaluation:
    checked = check_file("b.scn", table(), text(*lines))
    assert not [d for d in checked.diagnostics if d.severity == "error"]
    return Evaluation(checked, 64)


def flags(evaluation: Evaluation, *paths: str) -> list[tuple[str, ...]]:
    """The flags of some results, but for what is said of every scenario like this."""
    every = evaluation.results([("b", path) for path in paths])
    return [tuple(f for f in one.flags if "fabric" not in f) for one in every]


def test_a_design_that_fits_carries_no_flag() -> None:
    assert made().breaches("b") == ()


def test_what_memory_does_not_hold_is_said_of_every_result() -> None:
    evaluation = made("workload.parallel.tp = 1", "workload.precision.weights = bf16")
    every = flags(evaluation, COST, TPOT, "chip.price", "latency.ttft[solo]")
    assert len(every) == 4
    for one in every:
        said = re.fullmatch(
            r"does not fit: short of (\S+) GB on each rank; tp 2.*", one[0]
        )
        assert said, one[0]
        assert 60 < float(said[1]) < 80  # 141 GB of weights and a cache on 80 GB
    assert evaluation.diagnostics == []


@pytest.mark.parametrize("path", ["workload.slo.tpot[mean]", "chat.slo.tpot[mean]"])
def test_an_slo_that_only_the_scenario_states_counts(path: str) -> None:
    slow = made(f"{path} = 10 ms")
    (mean,) = slow.results([("b", TPOT)])
    missed = f"slo.tpot[mean] 10 ms is missed: {mean.central * 1e3:.3g} ms"
    assert [one[0] for one in flags(slow, COST, "chips")] == [missed] * 2
    assert made(f"{path} = 50 ms").breaches("b") == ()
    evaluation = made(f"{path} = 30 ms", "workload.batch.instance = auto")
    (picked,) = evaluation.results([("b", TPOT)])
    assert picked.central <= 0.03
    ((kept,),) = flags(evaluation, TPOT)
    assert kept.startswith("within 30 ms in ")


def test_more_ranks_than_there_are_names_the_least_that_would_do() -> None:
    evaluation = made("workload.parallel.pp = 40")
    (one,) = evaluation.breaches("b")
    assert one.endswith("the least that would do is size = 80 chip")


def test_heads_that_tensor_parallelism_does_not_divide() -> None:
    (one,) = made("workload.parallel.tp = 3").breaches("b")
    assert one == "tp 3 does not divide 64 heads: 2 or 4 would"


def test_check_warns_and_eval_is_a_what_if(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "b.scn"
    file.write_text(text("workload.slo.tpot[mean] = 10 ms"), encoding="utf-8")
    assert main(["check", "--evaluate", str(file)]) == 0
    assert "warning[C003]" in capsys.readouterr().out
    assert main(["eval", str(file), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    shown = found["scenarios"]["b"].values()
    assert shown
    assert all("slo.tpot[mean] 10 ms is missed" in str(m["flags"]) for m in shown)
    assert found["refused"] == {}
    report = tmp_path / "b.md"
    assert main(["report", str(file), "-o", str(report)]) == 0
    assert "breaks its limits" in report.read_text(encoding="utf-8")


def test_a_refused_scenario_has_no_number_that_rests_on_the_choice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "b.scn"
    lines = ("workload.batch.instance = auto", "workload.slo.tpot[mean] = 1 ms")
    file.write_text(text(*lines), encoding="utf-8")
    assert main(["eval", str(file), "--format", "json"]) == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert "error[M003]" in printed.err
    assert "none of" in found["refused"]["b"]
    assert COST not in found["scenarios"]["b"]
    assert found["scenarios"]["b"]["chips"]["value"] == 64


def test_a_condition_on_a_refused_scenario_is_not_decided() -> None:
    lines = ("workload.batch.instance = auto", "workload.slo.tpot[mean] = 1 ms")
    source = text(*lines) + '\ncheck b.latency.tpot[mean] < 1 s "quick"\n'
    evaluation = Evaluation(check_file("b.scn", table(), source), 64)
    assert evaluation.verdicts() == []
    assert [d.code for d in evaluation.diagnostics] == ["M003"]


@pytest.mark.parametrize("options", ["auto", "{1, 2, 4, 40}"])
def test_an_option_that_is_too_large_is_left_out_and_counted(options: str) -> None:
    evaluation = made(f"workload.parallel.pp = {options}")
    settled = evaluation.settled("b")
    assert evaluation.diagnostics == []
    assert settled.excluded["instances"] == 1
    assert settled.admissible == settled.tried - 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("site.pue = 0.5", "V001"),
        ("llama3_70b.layers = 0", "V001"),
        ("llama3_70b.layers = 80.5", "V003"),
        ("workload.parallel.tp = 2.5", "V003"),
        ("workload.parallel.tp = {1, 2.5}", "V003"),
        ("workload.batch.instance = 1.5", "V003"),
        ("workload.batch.instance = 0", "V001"),
        ("workload.prompt = 0 token", "V001"),
        ("workload.output = 0 token", "V001"),
        ("h100.memory.bandwidth = 0 TB/s", "V001"),
        ("h100.peak[fp8] = 0 TFLOP/s", "V001"),
        ("finance.life[server] = 0 year", "V001"),
        ("finance.sold = 0%", "V001"),
        ("size = 8 GB", "U004"),
        ("size = 0 chip", "V001"),
        ("objective = nonsense", "N003"),
        ("objective = throughput.per_chop", "N003"),
    ],
)
def test_impossible_inputs_are_refused(line: str, code: str) -> None:
    assert [d.code for d in mistakes(line)] == [code]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("site.pue := 1 - 0.5", "0.5"),
        ("finance.sold := 300% * 2", "6"),
        ("workload.batch.instance := 3 / 2 * 1 sequence", "1.5 sequence"),
        ("workload.prompt := 5 token - 5 token", "0 token"),
    ],
)
def test_a_formula_out_of_bounds_is_told_at_its_place(line: str, value: str) -> None:
    evaluation = made(line)
    assert evaluation.results([("b", COST)]) == []
    (one,) = evaluation.diagnostics
    assert (one.code, one.labels[0].span.file) == (one.code, "b.scn")
    assert one.code in {"V001", "V003"}
    assert value in {one.args.get("value"), one.args.get("found")}


def test_draws_are_cut_at_the_bounds() -> None:
    evaluation = made("finance.sold = 80% ± 50%")
    node = evaluation.node("b", "finance.sold")
    assert node is not None
    (column,) = evaluation.columns([node])
    assert (column.min() >= 0, column.max()) == (True, 1)


def test_a_share_of_draws_is_never_said_to_be_none() -> None:
    found = Evaluation._flags(1.0, 1.0, 1.0, 0.9999)
    assert found == ("undefined in less than 0.1% of draws",)


@pytest.mark.parametrize(
    ("share", "unending", "said"),
    [
        (0.0, 1.0, ("never",)),
        (0.75, 0.25, ("never in 25.0% of draws",)),
        (0.5, 0.25, ("never in 25.0% of draws", "undefined in 25.0% of draws")),
    ],
)
def test_what_an_infinite_value_means_is_said_in_its_place(
    share: float, unending: float, said: tuple[str, ...]
) -> None:
    """No interval holds an infinite value, and it is not undefined."""
    nothing = math.nan if not share else 1.0
    found = Evaluation._flags(math.inf, nothing, nothing, share, unending, "never")
    assert found == said


def test_a_size_counts_systems() -> None:
    whole, chips = made("size = 8 system"), made("size = 64 chip")
    (a,), (b,) = (one.results([("b", COST)]) for one in (whole, chips))
    assert a.central == b.central
    (installed,) = whole.results([("b", "chips")])
    assert (installed.central, flags(whole, "chips")) == (64, [()])


def test_rounding_down_is_said() -> None:
    (one,) = flags(made("size = 100 chip"), "chips")
    assert one == ("size is rounded down from 100 to 96 chips: whole systems of 8",)


def test_more_of_some_metrics_is_better() -> None:
    free = "workload.batch.instance = auto"
    most = made(free, "objective = throughput.per_chip").settled("b")
    small = made(free, "objective = latency.tpot[mean]").settled("b")
    assert most.objective == "throughput.per_chip"
    assert max(most.values.values()) > max(small.values.values()) == 1
    assert [sign_of(p) for p in ("mfu[causal]", "mbu", COST)] == [-1, -1, 1]


def test_a_stated_result_names_what_does_not_follow_it() -> None:
    evaluation = made("throughput.per_chip = 5 token/s/chip")
    one, cost = flags(evaluation, "throughput.per_chip", COST)
    assert "nothing else rests on the stated throughput.per_chip" in one[-1]
    assert COST in one[-1]
    assert cost[-1] == "does not follow the stated throughput.per_chip"
    followed = flags(made("throughput.output = 5000 token/s"), "throughput.output")
    assert followed == [()]


def test_what_is_not_finite_keeps_no_limit() -> None:
    limit = Constraint("slo.tpot[mean]", 0, high=1.0)
    assert [limit.kept(x) for x in (1.0, 1.1, float("nan"))] == [True, False, False]


LONE = """
system lone {
  chip = h100
  chips = 8 chip @assumed "a test"
  topology = switch(reduces = 1) @assumed "a test"
  topology.link[port] = nvlink4
  power = 10 kW @assumed "a test"
  price = 250k $ @assumed "a test"
}
"""


def test_an_option_that_leaves_a_lone_domain_is_left_out() -> None:
    source = text("system = lone", "workload.parallel.pp = {1, 2, 8}") + LONE
    evaluation = Evaluation(check_file("b.scn", table(), source), 64)
    settled = evaluation.settled("b")
    assert evaluation.diagnostics == []
    assert (settled.admissible, settled.excluded) == (2, {"domain": 1})
