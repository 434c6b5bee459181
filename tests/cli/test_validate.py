"""`isocost validate` as a user runs it: text, JSON, faults."""

import json
from pathlib import Path

import pytest

from isocost.__main__ import main

DATA = Path(__file__).parents[1] / "data"
COLLECTIVES = DATA / "network" / "collectives_open.csv"
Captured = pytest.CaptureFixture[str]


def test_text(capsys: Captured) -> None:
    assert main(["validate", str(COLLECTIVES)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("collectives: 228 rows, 220 predicted, 8 refused, 220 count")
    assert "ln(predicted / measured)" in out
    assert "farthest off" in out
    assert "errors on others are larger" in out
    assert "\n\nchips" in out


def test_every_row_by_metric(capsys: Captured) -> None:
    path = DATA / "validation" / "training_open.csv"
    assert main(["validate", str(path), "--rows", "--by", "metrics"]) == 0
    out = capsys.readouterr().out
    assert "\n\nmetrics" in out
    assert out.count("\nT0") >= 333


def test_json(capsys: Captured) -> None:
    path = DATA / "validation" / "inference_open.csv"
    assert main(["validate", str(path), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["family"] == "inference"
    assert data["summary"]["rows"] == len(data["rows"]) == 502
    row = data["rows"][0]
    assert row["refused"] is None
    assert row["low"] < row["predicted"] < row["high"]


def test_a_file_that_is_no_table(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("name,price\na,1\n", encoding="utf-8")
    assert main(["validate", str(path)]) == 1
    assert "no table of measurements" in capsys.readouterr().err
    assert main(["validate", str(tmp_path / "none.csv")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_column_that_nothing_reads_is_named(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    head = "chip,n_chips,operation,size_bytes,time_us,colour,interconect\n"
    path.write_text(head + "H100,8,all_reduce,1e6,30,red,x\n", encoding="utf-8")
    assert main(["validate", str(path)]) == 0
    err = capsys.readouterr().err
    assert "nothing reads the column `colour`" in err
    assert "`interconect`; did you mean `interconnect`?" in err


def test_nothing_that_can_be_predicted_is_a_fault(
    capsys: Captured, tmp_path: Path
) -> None:
    path = tmp_path / "own.csv"
    head = "chip,n_chips,operation,size_bytes,time_us\n"
    path.write_text(head + "abacus,8,all_reduce,1e6,30\n", encoding="utf-8")
    assert main(["validate", str(path)]) == 1
    assert "neither chip nor interconnect" in capsys.readouterr().out


def test_architectures_of_ones_own(capsys: Captured, tmp_path: Path) -> None:
    bad = tmp_path / "models.csv"
    bad.write_text("model,layers\nmine,8\n", encoding="utf-8")
    path = DATA / "validation" / "training_open.csv"
    assert main(["validate", str(path), "--models", str(bad)]) == 1
    assert "no table of architectures: it lacks" in capsys.readouterr().err
    good = DATA / "validation" / "models.csv"
    assert main(["validate", str(path), "--models", str(good)]) == 0
    assert main(["validate", str(path), "--models", str(tmp_path / "none.csv")]) == 1


def test_rows_as_scenarios(capsys: Captured, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    assert main(["validate", str(COLLECTIVES), "--write", str(folder)]) == 0
    assert len(list(folder.glob("*.scn"))) == 220
    capsys.readouterr()
    assert main(["check", str(folder / "N0022.scn")]) == 0
    assert main(["validate", str(COLLECTIVES), "--write", str(COLLECTIVES)]) == 1


def test_training_rows_as_scenarios(capsys: Captured, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    path = DATA / "validation" / "training_open.csv"
    assert main(["validate", str(path), "--write", str(folder)]) == 0
    assert len(list(folder.glob("*.scn"))) == 333
    capsys.readouterr()
    assert main(["check", "--evaluate", str(folder / "T0001.scn")]) == 0
    assert main(["fmt", "--check", str(folder / "T0001.scn")]) == 0


def test_serving_rows_as_scenarios(capsys: Captured, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    path = DATA / "validation" / "inference_open.csv"
    assert main(["validate", str(path), "--write", str(folder)]) == 0
    assert "no steady state of one instance, and not written" in capsys.readouterr().err
    assert len(list(folder.glob("*.scn"))) == 483
    for name in ("I0001.scn", "I0254.scn"):
        assert main(["check", "--evaluate", str(folder / name)]) == 0
        assert main(["fmt", "--check", str(folder / name)]) == 0


def test_rows_that_are_refused_are_named_and_not_written(
    capsys: Captured, tmp_path: Path
) -> None:
    path = tmp_path / "own.csv"
    head = "chip,n_chips,operation,size_bytes,metric,value,unit\n"
    rows = [f"H100,8,all_reduce,{size},busbw,460,GB/s\n" for size in ("1GiB", "1e9")]
    path.write_text(head + "".join(rows), encoding="utf-8")
    folder = tmp_path / "rows"
    assert main(["validate", str(path), "--write", str(folder)]) == 0
    told = capsys.readouterr()
    assert "wrote 1 scenario to" in told.err
    assert "1 row is refused" in told.err
    assert [one.name for one in folder.iterdir()] == ["line_3.scn"]
    assert "`size_bytes` is no number: 1GiB  line 2" in told.out


@pytest.mark.parametrize("ending", [".md", ".html", ".pdf"])
def test_a_document_of_predicted_against_measured(
    ending: str, capsys: Captured, tmp_path: Path
) -> None:
    output = tmp_path / f"errors{ending}"
    assert main(["validate", str(COLLECTIVES), "-o", str(output)]) == 0
    assert f"wrote {output}" in capsys.readouterr().err
    data = output.read_bytes()
    if ending == ".pdf":
        assert data.startswith(b"%PDF-")
        return
    text = data.decode()
    assert "Predicted against measured" in text
    assert "Rows that were refused" in text
    assert "N0022" in text or "neither chip" in text or "Trainium" in text
    if ending == ".html":
        assert text.count("<figure") >= 2


def test_a_document_of_another_kind_is_none(capsys: Captured, tmp_path: Path) -> None:
    output = tmp_path / "errors.docx"
    assert main(["validate", str(COLLECTIVES), "-o", str(output)]) == 2
    assert "it is written as .pdf, .html, .md" in capsys.readouterr().err
    nothing = tmp_path / "none.csv"
    nothing.write_text(
        "chip,n_chips,operation,size_bytes,metric,value,unit\n"
        "abacus,8,all_reduce,1e6,time,3,us\n",
        encoding="utf-8",
    )
    assert main(["validate", str(nothing), "-o", str(tmp_path / "x.pdf")]) == 1
    assert not (tmp_path / "x.pdf").exists()
