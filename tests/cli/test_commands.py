"""The commands' contract: JSON shapes, exit statuses, no traceback for a mistake."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

STUDY = str(Path(__file__).parents[2] / "scenarios" / "trainium2" / "study.scn")
HERE = Path(__file__).parent


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """The exit status and what was printed."""
    status = main(list(args))
    out, err = capsys.readouterr()
    return status, out, err


def data(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    """The JSON that a command prints."""
    status, out, _ = run(capsys, *args, "--format", "json")
    assert status == 0
    return json.loads(out)


def test_ten_mistakes_give_ten_diagnostics(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = HERE / "ten_mistakes.scn"
    marked = [
        number
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"# \d+:", line)
    ]
    status, out, _ = run(capsys, "check", str(path), "--format", "json")
    found = json.loads(out)
    errors = [d for d in found["diagnostics"] if d["severity"] == "error"]
    assert status == 1
    assert found["schema"] == 1
    assert [d["line"] for d in errors] == marked
    assert len({d["code"] for d in errors}) >= 8
    assert all(d["help"] for d in errors)
    keys = {"code", "severity", "message", "file", "line", "column"}
    keys |= {"end_line", "end_column", "help"}
    assert all(keys <= set(d) for d in errors)


def test_eval_follows_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, "eval", STUDY, "-s", "trn2_70b")
    metrics = found["scenarios"]["trn2_70b"]
    assert {"cost.per_Mtoken[output_only]", "throughput.output", "mbu"} <= set(metrics)
    keys = {"value", "unit", "si", "low", "median", "high", "dimension", "flags"}
    for path, one in metrics.items():
        assert keys <= set(one), path
        assert one["unit"], path
        assert one["low"] <= one["median"] <= one["high"], path


SERVED = """\
edition 2026
import "isocost:systems/gpu"
import "isocost:models/llama"
import "isocost:software/gpu"
import "isocost:sites/us"
finance book {
  tenure = rent
  term = "year"
  rental[h200, year] = 2.10 $/chip/h
}
workload chat {
  task = inference
  model = llama3_70b
  prompt = 2048 token
  output = 512 token
  parallel.tp = 8
  batch.instance = 32
  slo.tpot[mean] = 30 ms
}
scenario served {
  system = hgx_h100
  size = 512 chip
  workload = chat
  software = trtllm
  site = us_colocation
  finance = book
}
"""


def test_eval_says_why_there_is_no_cost_and_how_often_a_limit_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "served.scn"
    path.write_text(SERVED, encoding="utf-8")
    found = data(capsys, "eval", str(path))
    assert "rental[h100, year]" in found["left_out"]["served"]
    middle = found["scenarios"]["served"]["latency.tpot[mean]"]["median"]
    path.write_text(
        SERVED.replace("h200", "h100").replace("30 ms", f"{middle:.4g} ms"),
        encoding="utf-8",
    )
    found = data(capsys, "eval", str(path))
    assert not found["left_out"]
    flags = found["scenarios"]["served"]["latency.tpot[mean]"]["flags"]
    said = [flag for flag in flags if flag.startswith("within ")]
    assert len(said) == 1
    assert said[0].endswith("in 50% of draws")
    _, out, _ = run(capsys, "eval", str(path))
    assert said[0] in out


def test_a_setting_is_a_line_of_the_scenario(
    capsys: pytest.CaptureFixture[str],
) -> None:
    metric = ("-s", "trn2_70b", "-m", "cost.opex[energy]")
    before = data(capsys, "eval", STUDY, *metric)
    after = data(capsys, "eval", STUDY, *metric, "--set", "site.electricity=0.18 $/kWh")
    a, b = (
        found["scenarios"]["trn2_70b"]["cost.opex[energy]"]["value"]
        for found in (before, after)
    )
    assert b / a == pytest.approx(0.18 / 0.0929)


def test_a_setting_is_one_value_and_cannot_close_its_block(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for text in ("size=1 chip\n}\nchip z {", "size=1 chip\nsite.pue=1", "chip {"):
        status, out, err = run(capsys, "eval", STUDY, "--set", text)
        assert status == 2, text
        assert not out
        assert "error[" in err


def test_a_wrong_setting_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "eval", STUDY, "--set", "chip.powre=400 W")
    assert status == 2
    assert "powre" in err
    assert "power" in err


def test_explain_ends_in_cited_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, "explain", STUDY, "trn2_ultra_70b.cost.per_Mtoken")

    def leaves(step: Any) -> list[Any]:
        if not step["parts"]:
            return [step]
        return [leaf for part in step["parts"] for leaf in leaves(part)]

    ends = [s for s in leaves(found["explanation"]) if not s["repeated"]]
    grades = {s["grade"] for s in ends}
    assert grades <= {"stated", "assumed", "default", "chosen", "constant", "derived"}
    assert any(s["cites"] and s["grade"] == "stated" for s in ends)
    derived = [s["name"] for s in ends if s["grade"] == "derived"]
    assert derived == []


def test_sensitivity_follows_the_contract(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = data(capsys, "sensitivity", STUDY, "trn2_ultra_70b.cost.per_Mtoken")
    keys = {"path", "value", "derivative", "elasticity", "low", "high", "swing"}
    assert {"schema", "metric", "value", "inputs"} <= set(found)
    assert all(keys <= set(one) for one in found["inputs"])
    by_path = {one["path"]: one for one in found["inputs"]}
    assert by_path["finance.sold"]["elasticity"] == pytest.approx(-1, abs=1e-9)
    price = by_path["chip.price"]
    step = 1e-4 * price["value"]
    sides = []
    for value in (price["value"] - step, price["value"] + step):
        made = data(
            capsys, "eval", STUDY, "-s", "trn2_ultra_70b", "-m", "cost.per_Mtoken",
            "--set", f"chip.price={value!r} $",
        )  # fmt: skip
        metrics = made["scenarios"]["trn2_ultra_70b"]
        sides.append(metrics["cost.per_Mtoken[output_only]"]["value"])
    slope = (sides[1] - sides[0]) / (2 * step)
    assert price["derivative"] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(
    ("args", "expected", "word"),
    [
        (("eval", "nowhere.scn"), 1, "no such file"),
        (("eval", STUDY, "-s", "trn2_70"), 2, "trn2_70b"),
        (("explain", STUDY, "trn2_70b.cost.per_Mtokn"), 2, "cost.per_Mtoken"),
        (("sensitivity", STUDY, "trn2_70b.throughputs"), 2, "throughput"),
        (("report", "nowhere.scn", "-o", "x.pdf"), 1, "no such file"),
    ],
)
def test_a_mistake_on_the_command_line_is_explained(
    args: tuple[str, ...],
    expected: int,
    word: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, _, err = run(capsys, *args)
    assert status == expected
    assert word in err
    assert "Traceback" not in err


def test_a_new_file_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.scn"
    assert run(capsys, "new", str(path))[0] == 0
    path.write_text("edition 2026\n")
    assert run(capsys, "new", str(path))[0] == 1
    assert path.read_text() == "edition 2026\n"
    assert run(capsys, "new", str(path), "--force")[0] == 0
    assert run(capsys, "check", str(path), "--evaluate")[0] == 0


def test_a_table_of_facts_becomes_blocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "kind,block,attribute,value,unit,source,note\n"
    rows += 'chip,My "Chip",peak[bf16],500,TFLOP/s,Data sheet,"dense, says ""p. 2"""\n'
    rows += "chip,My Chip,power,700,W,,\n"
    (tmp_path / "facts.csv").write_text(rows)
    target = tmp_path / "facts.scn"
    status, _, _ = run(
        capsys, "new", str(target), "--from", str(tmp_path / "facts.csv")
    )
    assert status == 0
    assert run(capsys, "check", str(target))[0] == 0
    assert "peak[bf16] = 500 TFLOP/s @data_sheet" in target.read_text()


@pytest.mark.parametrize(
    "text", ["", "kind,block\nchip,a\n", "kind,block,attribute,value\nchop,a,b,1\n"]
)
def test_a_wrong_table_is_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "facts.csv").write_text(text)
    status, _, err = run(capsys, "new", "--from", str(tmp_path / "facts.csv"))
    assert status == 1
    assert "facts.csv" in err
