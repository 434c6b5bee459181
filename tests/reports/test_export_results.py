"""JSON after its published schema, with the engine's numbers and the printed words."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from isocost.reports import outputs
from isocost.reports.assemble import date_of
from isocost.reports.export.results import document, render_json, schema


@pytest.fixture(scope="module")
def found(made_study: Any) -> dict[str, Any]:
    study = made_study.study
    made: dict[str, Any] = document(study, made_study.report, date=date_of(study))
    return made


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_the_report_keeps_the_schema(found: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema()).validate(found)


def test_a_wrong_one_is_told(found: dict[str, Any]) -> None:
    wrong = {**found, "schema": 2}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema()).validate(wrong)


def test_numbers_are_the_engines(found: dict[str, Any], made_study: Any) -> None:
    compared = 0
    for (scenario, _), one in made_study.study.results.items():
        told = found["scenarios"][scenario][one.path]
        assert told["si"] == one.central
        assert told["value"] == pytest.approx(one.central / one.scale, rel=1e-11)
        assert told["low"] <= told["median"] <= told["high"]
        compared += 1
    assert compared > 50


def test_text_is_plain_and_repeats(made_study: Any) -> None:
    study = made_study.study
    texts = {
        render_json(study, made_study.report, date=date_of(study)) for _ in range(2)
    }
    (text,) = texts
    assert not any(chr(code) in text for code in range(0xE000, 0xE006))
    json.loads(text, parse_constant=pytest.fail)


def test_it_has_every_exhibit(found: dict[str, Any]) -> None:
    kinds: dict[str, int] = {}

    def walk(blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            kinds[block["type"]] = kinds.get(block["type"], 0) + 1
            walk(block.get("blocks", []))

    for section in found["sections"]:
        walk(section["blocks"])
    assert kinds["table"] > 5
    assert kinds["figure"] > 5
    assert kinds["equation"] > 5


def test_inputs_name_their_sources(found: dict[str, Any]) -> None:
    known = {source["key"] for source in found["sources"]}
    for one in found["inputs"]:
        assert {s["key"] for s in one["sources"]} <= known, one["origin"]
        assert one["low"] <= one["high"]


TASKSET = shutil.which("taskset")


def cores_of_this() -> set[int]:
    """The cores that this process may use."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}


WRITE_ALL = """
import hashlib, sys
from isocost._shared import ready
from isocost.engine.evaluate import Evaluation
from isocost.reports import outputs
from isocost.reports.assemble import assemble
evaluation = Evaluation(ready(sys.argv[1]), 16)
for ending in sorted(outputs.WRITERS):
    study = outputs.study_for(ending, evaluation, None)
    data = outputs.draft(ending, study, assemble(study)).written()
    print(ending, len(data) > 10_000, hashlib.sha256(data).hexdigest())
"""


@pytest.mark.slow
def test_two_processes_write_the_same(tmp_path: Path) -> None:
    """Whatever the hashes, with nothing kept and with all, on one core and more."""
    study = Path(__file__).parents[2] / "scenarios" / "trainium2" / "study.scn"
    cold = {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1", "TZ": "UTC9", "LC_ALL": "C"}
    warm = {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "2"}
    kept = {"XDG_CACHE_HOME": str(tmp_path)}
    one_core = ["taskset", "-c", f"{min(cores_of_this())}"] * bool(TASKSET)
    said = []
    for how, where in ((cold, one_core), (warm, [])):
        done = subprocess.run(
            [*where, sys.executable, "-c", WRITE_ALL, str(study)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **kept, **how},
        )
        said.append(done.stdout.splitlines())
        assert list(tmp_path.rglob("*.json")), "what is derived is kept here"
    assert said[0] == said[1]
    assert len(said[0]) == len(outputs.WRITERS)
    assert all(" True " in line for line in said[0])


def test_the_command_writes_it(tmp_path: Path) -> None:
    study = Path(__file__).parents[2] / "scenarios" / "trainium2" / "study.scn"
    out = tmp_path / "report.md"
    done = _report(str(study), "-o", str(out), "-n", "16")
    assert done.returncode == 0, done.stderr
    assert out.read_text("utf-8").startswith("# ")


def _report(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "isocost", "report", *args],
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_unknown_ending_is_wrong_usage() -> None:
    done = _report("x.scn", "-o", "x.doc")
    assert done.returncode == 2
    for ending in outputs.WRITERS:
        assert ending in done.stderr
