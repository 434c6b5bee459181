"""`isocost calibrate` as a user runs it: a block to read, to diff and to take over."""

import difflib
import json
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.engine.quantities import table

DATA = Path(__file__).parents[1] / "data"
TRAINING = str(DATA / "validation" / "training_open.csv")
SMALL = str(DATA / "validation" / "training_small_a100_open.csv")
INFERENCE = str(DATA / "validation" / "inference_open.csv")
COLLECTIVES = str(DATA / "network" / "collectives_open.csv")
Captured = pytest.CaptureFixture[str]
MINE = """edition 2026

source lab "Our own runs" {
  date = 2026-01
  kind = measured
}

/// Ours.
software mine {
  framework = "Megatron-LM"
  chips = [ampere]
  matrix.base = 0.6 to 1 @assumed "before any run"
  layer_overhead = 300 us to 3000 us @lab "traces"
  step_overhead = 4 ms @lab "traces"
  training.fused_attention = false @assumed "by design"
  training.balanced = false @assumed "by design"
  residual = 0.5 to 2 @assumed "before any run"
}
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.scn"
    path.write_text(MINE, encoding="utf-8")
    return str(path)


def errors(text: str) -> list[str]:
    found = check_file("made.scn", table(), text)
    return [d.code for d in found.diagnostics if d.severity in {"error", "warning"}]


def test_the_block_is_on_standard_output_and_right(mine: str, capsys: Captured) -> None:
    assert main(["calibrate", mine, SMALL]) == 0
    captured = capsys.readouterr()
    assert errors(captured.out) == []
    assert "360 rows fitted, 0 refused" in captured.err
    assert "left out by series" in captured.err


def test_only_what_was_fitted_changes(mine: str, capsys: Captured) -> None:
    assert main(["calibrate", mine, SMALL]) == 0
    out = capsys.readouterr().out
    changed = [
        line[2:].split(" = ")[0].strip()
        for line in difflib.ndiff(MINE.splitlines(), out.splitlines())
        if line.startswith("- ")
    ]
    assert changed == ["matrix.base", "layer_overhead", "residual"]
    assert "step_overhead = 4 ms @lab" in out
    assert 'source lab "Our own runs"' in out


def test_a_file_is_written_whole(mine: str, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out.scn"
    assert main(["calibrate", mine, SMALL, "-o", str(out), "--name", "ours"]) == 0
    assert capsys.readouterr().out == ""
    text = out.read_text(encoding="utf-8")
    assert "software ours {" in text
    assert errors(text) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.scn", "out.scn"]
    assert main(["fmt", "--check", str(out)]) == 0


def test_json(mine: str, capsys: Captured) -> None:
    assert main(["calibrate", mine, SMALL, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["rows"] == 360
    assert data["sources"] == ["vtrain_single"]
    (host,) = [f for f in data["figures"] if f["path"] == "layer_overhead"]
    assert host["value"] == pytest.approx(8.4e-4, rel=0.05)
    assert host["standard_error"] < host["prior_spread"] / 5
    assert data["residual"] <= data["half_width"]
    assert len(data["left_out"]["mean_abs_log_error"]) == 6
    assert data["block"].startswith("edition 2026")


def test_rows_can_be_chosen(mine: str, capsys: Captured) -> None:
    assert (
        main(["calibrate", mine, SMALL, "--where", "series=g8", "--format", "json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["rows"] < 360


def test_a_wider_prior_gives_way(mine: str, capsys: Captured) -> None:
    spreads = []
    for factor in ("1", "4"):
        main(["calibrate", mine, SMALL, "--widen", factor, "--format", "json"])
        data = json.loads(capsys.readouterr().out)
        spreads.append(data["figures"][0]["standard_error"])
    assert spreads[1] >= spreads[0]


def test_a_stack_of_the_catalogue(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "mine.scn"
    path.write_text('edition 2026\nimport "isocost:software/training"\n', "utf-8")
    words = ["--software", "fsdp_hopper", "--where", "framework=foundry"]
    assert main(["calibrate", str(path), TRAINING, *words]) == 0
    captured = capsys.readouterr()
    assert errors(captured.out) == []
    assert "rows are of chips that fsdp_hopper does not list" in captured.err
    assert "calibrated.chips[most] = 512 chip" in captured.out


def test_inference(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "mine.scn"
    text = """edition 2026
    software served {
      framework = "TensorRT-LLM"
      memory.sustained = 60% to 95% @assumed "before"
      layer_overhead = 40 us to 200 us @assumed "before"
    }
    """
    path.write_text(text, "utf-8")
    words = ["--where", "framework=TensorRT-LLM v", "--where", "chip=H", "--format"]
    assert main(["calibrate", str(path), INFERENCE, *words, "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    found = {f["path"]: f["value"] for f in data["figures"]}
    assert 0.75 < found["memory.sustained"] < 0.97
    assert 50e-6 < found["layer_overhead"] < 110e-6
    assert errors(data["block"]) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--software", "mime"], "did you mean mine?"),
        (["--where", "colour=red"], "no column colour"),
        (["--where", "chip=abacus"], "no row can be read"),
    ],
)
def test_mistakes_are_named(
    mine: str, capsys: Captured, words: list[str], message: str
) -> None:
    assert main(["calibrate", mine, SMALL, *words]) == 1
    assert message in capsys.readouterr().err


def test_other_measurements_are_refused(mine: str, capsys: Captured) -> None:
    assert main(["calibrate", mine, COLLECTIVES]) == 1
    assert "collectives" in capsys.readouterr().err
    assert main(["calibrate", mine, mine]) == 1


def test_a_block_of_points_has_nothing_to_fit(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "points.scn"
    path.write_text(
        'edition 2026\nsoftware points {\n  matrix.base = 0.8 @assumed "so"\n}\n',
        "utf-8",
    )
    assert main(["calibrate", str(path), SMALL]) == 1
    assert "no figure as an interval" in capsys.readouterr().err


def test_a_factor_of_nothing_is_wrong_usage(mine: str, capsys: Captured) -> None:
    assert main(["calibrate", mine, SMALL, "--widen", "0"]) == 2
    assert capsys.readouterr().out == ""
