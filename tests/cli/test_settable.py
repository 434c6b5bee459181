"""What `sensitivity` lists can be set: one path for `--set`, `--vary` and `sweep`."""

from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import Checked, check, check_file
from isocost.dsl.edits import with_settings
from isocost.engine.equation import matching
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.engine.sensitivity import Influence, sensitivity

Capsys = pytest.CaptureFixture[str]
FOLDERS = (Path("scenarios/examples"), Path("scenarios/trainium2"))
FILES = sorted(str(path) for folder in FOLDERS for path in folder.glob("*.scn"))
#: What each scenario is asked for: the first of its headlines that begin so.
ASKED = ("cost.per_Mtoken", "cost.train", "latency", "cost.per_chip_hour")


def asked(evaluation: Evaluation, scenario: str) -> str | None:
    known = evaluation.headlines(scenario)
    return next((h for a in ASKED for h in known if h.startswith(a)), None)


def setting(scenario: str, one: Influence) -> str:
    unit = "" if one.unit == "1" else f" {one.unit}"
    return f"{scenario}.{one.path} = {one.value / one.scale!r}{unit}"


def restated(checked: Checked, settings: list[str]) -> Evaluation:
    again = check(with_settings(checked.document, settings), table())
    assert [d for d in again.diagnostics if d.severity == "error"] == []
    return Evaluation(again, 16)


@pytest.mark.parametrize("file", FILES)
def test_every_listed_input_can_be_set_and_varied(file: str) -> None:
    """Each input of a metric, stated anew at its value, leaves the metric as it was."""
    checked = check_file(file, table())
    evaluation = Evaluation(checked, 16)
    scenarios = checked.document.scenarios
    for block in dict.fromkeys(one.name for one in (*scenarios[:1], *scenarios[-1:])):
        metric = asked(evaluation, block)
        if metric is None:
            continue
        found = sensitivity(evaluation, block, metric)
        node = evaluation.node(block, metric)
        assert found is not None
        assert node is not None
        for one in found.inputs:
            assert one.node in matching(evaluation.graph, [node], one.path), one.path
        stated = [one for one in found.inputs if "#" not in one.origin]
        lines = list(dict.fromkeys(setting(block, one) for one in stated))
        (result,) = restated(checked, lines).results([(block, metric)])
        assert result.value == pytest.approx(found.value / found.scale, rel=1e-9)


@pytest.mark.parametrize(
    "path", ["load", "site.power.load[inference]", "chip.silicon.wafer.diameter"]
)
def test_defaults_are_set_and_varied_by_the_path_that_is_listed(
    path: str, capsys: Capsys
) -> None:
    file = "scenarios/examples/inference_comparison.scn"
    metric = "on_trn2.cost.per_Mtoken"
    assert main(["sensitivity", file, metric, "--top", "0"]) == 0
    listed = {line.split("  ")[0] for line in capsys.readouterr().out.splitlines()}
    assert path in listed
    ends = {"load": "50%,60%", "chip.silicon.wafer.diameter": "250 mm,300 mm"}
    values = ends.get(path, "60%,70%")
    assert main(["sweep", file, "-m", metric, "--vary", f"{path}={values}"]) == 0
    swept = capsys.readouterr().out.splitlines()[-2]
    value = values.split(",")[0]
    asked_for = ["eval", file, "-s", "on_trn2", "-m", "cost.per_Mtoken"]
    assert main([*asked_for, "--set", f"on_trn2.{path} = {value}"]) == 0
    row = capsys.readouterr().out.splitlines()[2].split()
    assert float(row[1]) == pytest.approx(float(swept.split()[-1]), rel=5e-3)


def test_a_setting_replaces_an_override_under_another_path(capsys: Capsys) -> None:
    file = "scenarios/examples/h200_neocloud.scn"
    line = ["-s", "h200_hour", "-m", "system.price"]
    for path in ("system.price", "hgx_h200.price", "h200_hour.system.price"):
        assert main(["eval", file, *line, "--set", f"{path} = 200_000 $"]) == 0
        assert " 200,000 " in capsys.readouterr().out
