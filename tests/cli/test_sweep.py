"""`isocost sweep`: the same numbers as `eval`, resumed after a kill, on a cluster."""

import csv
import importlib
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isocost.__main__ import main
from isocost.engine import sweep as module
from isocost.engine.sweep import rounded
from isocost.engine.sweep_parts import Parts

TEXT = """\
edition 2026

chip fast {
  power = 500 W @assumed "a test"
  price = 5_000 $ @assumed "a test"
}

system pod {
  chip = fast
  chips = 4 chip
}

scenario one {
  system = pod
  let heat := chip.power * system.chips in kW/system
  let worth := chip.price / chip.power in $/W
  let fixed := 3 $
}

scenario two extends one {
  chip.price = 7_000 $ @assumed "a test"
}
"""
EXAMPLES = Path(__file__).parents[2] / "scenarios" / "examples"
SERVING = str(EXAMPLES / "inference_comparison.scn")


ONE = ("--vary", "one.chip.power=1:2:3")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "made.scn"
    path.write_text(TEXT)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(["sweep", *args])
    out, err = capsys.readouterr()
    return status, out, err


def data(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    status, out, err = run(capsys, *args, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def test_the_grid_has_every_combination(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    vary = ("--vary", "fast.power=400:600:3", "--vary", "system.chips=4,8")
    found = data(capsys, file, "-s", "one", "-m", "heat", *vary)
    assert found["columns"] == [
        {"name": "fast.power", "unit": "W"},
        {"name": "system.chips", "unit": "chip"},
        {"name": "one.heat", "unit": "kW/system"},
    ]
    assert found["rows"] == [
        [watts, chips, pytest.approx(watts * chips / 1000)]
        for watts in (400, 500, 600)
        for chips in (4, 8)
    ]


def test_a_row_is_what_eval_says(capsys: pytest.CaptureFixture[str]) -> None:
    vary = ("--vary", "site.electricity=0.05,0.11 $/kWh")
    found = data(capsys, SERVING, "-m", "cost.per_Mtoken", *vary)
    names = [one["name"].partition(".")[0] for one in found["columns"][1:]]
    for price, *costs in found["rows"]:
        setting = f"site.electricity={price!r} $/kWh"
        assert main(["eval", SERVING, "--set", setting, "--format", "json"]) == 0
        made = json.loads(capsys.readouterr().out)["scenarios"]
        for name, cost in zip(names, costs, strict=True):
            one = made[name]["cost.per_Mtoken[output_only]"]["value"]
            assert cost == pytest.approx(one, rel=1e-9)


def test_metrics_that_do_not_move_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    vary = ("--vary", "site.electricity=0.05:0.11:2")
    found = data(capsys, SERVING, "-s", "on_h100", *vary)
    names = [one["name"] for one in found["columns"]]
    assert "on_h100.cost.per_Mtoken[output_only]" in names
    assert "on_h100.throughput.output" not in names


def test_a_scenario_that_is_named_is_meant(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = data(capsys, file, "--vary", "one.chip.power=1:2:2", "-m", "heat")
    same = data(capsys, file, "--vary", "fast.power=1:2:2", "-m", "one.heat")
    assert [one["name"] for one in own["columns"]] == ["one.chip.power", "one.heat"]
    assert [one["name"] for one in same["columns"]] == ["fast.power", "one.heat"]
    assert own["rows"] == same["rows"] == [[1, 0.004], [2, 0.008]]


def test_a_random_design_stays_in_its_ranges(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    vary = ("--vary", "fast.power=400:600", "--vary", "system.chips=4,8")
    args = (file, "-s", "one", "-m", "heat", *vary, "--random", "100")
    found = data(capsys, *args)
    watts = np.array([row[0] for row in found["rows"]])
    assert len(watts) == 100
    assert 400 <= watts.min() < 410
    assert 590 < watts.max() <= 600
    assert watts.mean() == pytest.approx(500, abs=3)
    assert {row[1] for row in found["rows"]} == {4, 8}
    assert data(capsys, *args) == found


def test_structure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "network_design.scn")
    for metric in ("network.cost", "network.cost_per_chip"):
        args = ("-s", "k4", "-m", metric, "--vary", "size=4096,16384")
        status, _, err = run(capsys, path, *args)
        assert status == 1
        assert "size: " in err
        assert "structure" in err


def read_csv(path: Path) -> list[list[float]]:
    with path.open(newline="") as lines:
        return [[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]]


GRID = ("-s", "one", "-m", "heat", "-m", "worth", "--vary", "fast.power=400:600:50")


def test_a_stopped_sweep_goes_on(
    file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PART", 8)
    whole, out = tmp_path / "whole.csv", tmp_path / "out.csv"
    assert run(capsys, file, *GRID, "-o", str(whole))[0] == 0
    add = Parts.add

    def stop(self: Parts, number: int, columns: Any) -> None:
        if number == 4:
            raise KeyboardInterrupt
        add(self, number, columns)

    with monkeypatch.context() as patch:
        patch.setattr(Parts, "add", stop)
        assert run(capsys, file, *GRID, "-o", str(out))[0] == 130
    assert not out.exists()
    other = (*GRID[:-1], "fast.power=400:700:50", "-o", str(out))
    status, _, err = run(capsys, file, *other)
    assert status == 1
    assert "--restart" in err
    found = data(capsys, file, *GRID, "-o", str(out))
    assert (found["rows"], found["kept"]) == (50, 32)
    assert out.read_bytes() == whole.read_bytes()
    assert len(read_csv(out)) == 50
    assert list(tmp_path.glob("*.parts")) == []
    assert run(capsys, file, *other, "--restart")[0] == 0


def test_parquet_has_the_rows_of_csv(
    file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    monkeypatch.setattr(module, "PART", 16)
    for name in ("out.csv", "out.parquet"):
        assert run(capsys, file, *GRID, "-o", str(tmp_path / name))[0] == 0
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["fast.power", "one.heat", "one.worth"]
    assert table.schema.field(1).metadata == {b"unit": b"kW/system"}
    columns = [column.to_pylist() for column in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    assert rows == read_csv(tmp_path / "out.csv")


def test_parquet_without_its_library_is_told(
    file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, err = run(capsys, file, *GRID, "-o", str(tmp_path / "out.parquet"))
    assert status == 1
    assert "isocost[sweep]" in err


def scheduler(folder: Path, workers: int) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """A cluster of processes on this machine: its address, and its workers."""
    note = folder / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    dask += ["--scheduler-file", str(note), "--port", "0", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen(dask, **quiet)]  # type: ignore[call-overload]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny"]
    worker += ["--scheduler-file", str(note), "--nthreads", "1", "--no-dashboard"]
    started += [
        subprocess.Popen(worker, cwd=folder, **quiet)  # type: ignore[call-overload]
        for _ in range(workers)
    ]
    for _ in range(600):
        if note.exists() and note.stat().st_size:
            break
        time.sleep(0.05)
    return json.loads(note.read_text())["address"], started


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_file(
    file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dask = pytest.importorskip("distributed")
    grid = (*GRID, "--vary", f"fast.price=1000:9000:{40 * module.PART // 50}")
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    address, processes = scheduler(tmp_path, 3)
    add = Parts.add
    seen: list[int] = []

    def kill(self: Parts, number: int, columns: Any) -> None:
        add(self, number, columns)
        seen.append(number)
        if len(seen) == 5:
            processes[1].kill()

    try:
        with dask.Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(3, timeout=60)
        with monkeypatch.context() as patch:
            patch.setattr(Parts, "add", kill)
            status, _, err = run(
                capsys, file, *grid, "-o", str(there), "--dask", address
            )
        assert status == 0, err
        assert processes[1].wait(10) != 0
        assert sorted(seen) == list(range(40))
    finally:
        for one in processes:
            one.kill()
            one.wait()
    assert run(capsys, file, *grid, "-o", str(here))[0] == 0
    assert there.read_bytes() == here.read_bytes()


def test_a_cluster_that_is_not_there_is_told(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, _, err = run(capsys, file, *GRID, "--dask", "tcp://127.0.0.1:9")
    assert status == 1
    assert "isocost[sweep]" in err


@pytest.mark.parametrize(
    ("args", "status", "word"),
    [
        (("--vary", "fast.powre=1:2:3"), 2, "fast.power"),
        (("--vary", "fast.power=1:2"), 2, "low:high:count"),
        (("--vary", "fast.power"), 2, "low:high:count"),
        (("--vary", "fast.power=1:2:3", "-o", "out.txt"), 2, ".parquet"),
        (("--vary", "fast.power=1:2:9_999"), 2, "-o"),
        (("--vary", "fast.power=0:2:3:log"), 2, "above 0"),
        (("--vary", "fast.power=1:2:3", "--random", "0"), 2, "--random"),
        (("--vary", "fast.power=1:2:3", "--random", "9"), 2, "--random"),
        (("--vary", "fast.power=1 s:2 s:3"), 2, "not in W"),
        (("--vary", "fast.power=1:2:3", "-m", "haet"), 2, "heat"),
        (("--vary", "fast.power=1:2:9_999_999_999_999", "-o", "o.csv"), 2, "too many"),
        (("--vary", "fast.power=1:1e400:3"), 2, "more than a number"),
        (("--vary", "fast.power=1:nan:3"), 2, "no number"),
        (("--vary", "fast.power=-1:2:3"), 2, "at least 0"),
        (("--vary", "pod.chips=2,2.5"), 2, "whole"),
        ((*ONE, "--vary", "fast.power=3,4"), 2, "same input"),
        ((*ONE, "-m", "one.heat", "-m", "two.heat"), 1, "two share"),
    ],
)
def test_a_mistake_is_explained(
    args: tuple[str, ...],
    status: int,
    word: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    metric = () if "-m" in args else ("-m", "heat")
    got, _, err = run(capsys, file, *args, *metric)
    assert got == status
    assert word in err
    assert "Traceback" not in err


def test_numbers_are_rounded_as_everywhere() -> None:
    values = np.array([1 / 3, -2e-30, 1.23456789012345e25, 0.0, math.inf, math.nan])
    got = rounded(values)
    wanted = [float(f"{value:.11e}") for value in values]
    assert got[:-1].tolist() == wanted[:-1]
    assert math.isnan(got[-1])
