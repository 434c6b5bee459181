"""Scenarios that lack or state what no report expects: a report, or a plain no."""

import os
from pathlib import Path

import attrs
import pytest

from isocost.__main__ import main
from isocost.dsl.check import check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.dsl.starter import starter
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.reports import view as v
from isocost.reports.assemble import assemble, date_of, study_of
from isocost.reports.charts.stacked import Stacked
from isocost.reports.export.markdown import render_markdown
from isocost.reports.sections.performance import _where
from isocost.reports.study import Study, exceeding, interval, quantity

START = starter()
CHECK = 'check base.memory.fits > 0 "the model must fit"\n'
EXAMPLES = Path(__file__).parents[2] / "scenarios" / "examples"


def made(text: str, tmp_path: Path) -> tuple[Study, v.Report]:
    """The study and the report of a text."""
    path = tmp_path / "file.scn"
    path.write_text(text, "utf-8")
    checked = check(resolve(load(str(path))), table())
    study = study_of(Evaluation(checked, 64))
    return study, assemble(study)


def without(*lines: str) -> str:
    """The starter without some lines and the check that needs them."""
    text = START.replace(CHECK, "")
    for line in lines:
        assert line in text
        text = text.replace(line, "")
    return text


ODD = {
    "nothing": "edition 2026\nscenario x {\n}\n",
    "nothing compared": "edition 2026\nscenario x {\n}\nreport r {\n"
    "  compare = [x]\n}\n",
    "no software": without("  software = my_stack\n"),
    "no system": without("  system = hgx_h100\n", "  system = gb200_nvl72\n"),
    "no workload": without("  workload = chat\n"),
    "no money": without("  finance = my_terms\n"),
    "no site": without("  site = my_site\n"),
    "no size": without("  size = 256 chip\n"),
    "one without anything": START.replace("[base, nvl72]", "[base, other, nvl72]")
    + "\nscenario other {\n  site = my_site\n}\n",
    "an empty baseline": START.replace("[base, nvl72]", "[other, base, nvl72]").replace(
        "baseline = base", "baseline = other"
    )
    + "\nscenario other {\n}\n",
    "infinite power": START.replace("pue = 1.2 to 1.4", "pue := 1/0"),
    "no draws": START,
    "no tokens": START.replace("400 token", "0 token"),
    "no prompt": START.replace("2000 token", "0 token"),
    "no chips": START.replace("256 chip", "0 chip"),
    "no batch": START.replace("batch.instance = auto", "batch.instance = 0"),
    "no bandwidth": START.replace(
        "  size = 256 chip\n", "  size = 256 chip\n  chip.memory.bandwidth = 0 TB/s\n"
    ),
    "no life": START.replace("5 year", "0 year"),
    "nothing sold": START.replace("60% to 80%", "0%"),
    "an undefined claim": START + '\nclaim base.cost.per_Mtoken / 0 < 3 $/Mtoken "b"\n',
    "a month": START.replace("baseline = base", "baseline = base\n  as_of = 2025-01"),
}


@pytest.mark.parametrize("ending", [".json", ".xlsx"])
@pytest.mark.parametrize("name", ODD)
def test_a_report_or_a_message(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    ending: str,
) -> None:
    """Whatever a file lacks, `report` writes it, or says why not and returns 1."""
    path, out = tmp_path / "file.scn", tmp_path / f"file{ending}"
    path.write_text(ODD[name], "utf-8")
    found = main(["report", str(path), "-n", "32", "-o", str(out)])
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    assert found == 0 if out.exists() else (found == 1 and told.err)


def test_a_baseline_outside_the_comparison_joins_it(tmp_path: Path) -> None:
    study, _ = made(START.replace("[base, nvl72]", "[nvl72]"), tmp_path)
    assert [s.name for s in study.scenarios] == ["base", "nvl72"]


def test_options_are_told_apart(tmp_path: Path) -> None:
    """A title that is inherited, or that a list repeats, does not stand twice."""
    text = (EXAMPLES / "own_or_rent.scn").read_text("utf-8")
    study, report = made(text.replace('  title = "Rent"\n', ""), tmp_path)
    titles = [study.title(s) for s in study.scenarios]
    assert len(set(titles)) == len(titles) == 7
    page = render_markdown(report)
    assert "compares 7 options" in page
    assert "Not alike" in page
    assert "chip-hour" in page


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    """However its path is written, and from wherever: import order and names vary."""
    folder = tmp_path / "b" / "z"
    folder.mkdir(parents=True)
    (folder / "main.scn").write_text(
        'edition 2026\nimport "../a.scn"\nreport r {\n  compare = [base, nvl72]\n}\n',
        "utf-8",
    )
    (tmp_path / "b" / "isocost.toml").write_text("", "utf-8")
    (tmp_path / "b" / "a.scn").write_text(START, "utf-8")
    here = Path.cwd()
    found: list[bytes] = []
    try:
        for place, name in ((folder, "main.scn"), (tmp_path, "b/z/main.scn")):
            os.chdir(place)
            out = tmp_path / f"{len(found)}.pdf"
            main(["report", name, "-n", "32", "-o", str(out)])
            found.append(out.read_bytes())
    finally:
        os.chdir(here)
    assert found[0] == found[1]


@pytest.mark.parametrize("residual", ["0.8", "1", "1.25"])
def test_steps_add_up_to_the_latency_beside_them(tmp_path: Path, residual: str) -> None:
    line = "  layer_overhead ="
    text = START.replace(
        line, f'  residual = {residual} @assumed "calibrated"\n{line}', 1
    )
    study, report = made(text, tmp_path)
    (section,) = (s for s in report.sections if s.key == "performance")
    (steps,) = (
        b.scene
        for b in section.blocks
        if isinstance(b, v.Figure) and isinstance(b.scene, Stacked)
    )
    for stack, scenario in zip(steps.stacks, study.scenarios, strict=True):
        mean = study.value(scenario, "latency.tpot[mean]")
        assert mean is not None
        assert sum(stack.values) == pytest.approx(1e3 * mean)


def test_points_are_held_against_their_own_ridge() -> None:
    a, b, c, d = ("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")
    assert "left of every ridge" in _where({True: [a], False: []})
    assert "right of every ridge" in _where({True: [], False: [a]})
    mixed = _where({True: [a, b, ("e", "x")], False: [c, d]})
    assert "memory binds, except for c and d on y: right of the chip's ridge" in mixed


def test_more_than_all_of_the_hardware_is_marked(tmp_path: Path) -> None:
    study, _ = made(START, tmp_path)
    found = study.result(study.baseline, "mbu")
    assert found is not None
    over = attrs.evolve(found, low=0.4, high=1.04)
    assert interval(over).endswith("*")
    assert "100%" in exceeding([over])
    assert not exceeding([attrs.evolve(found, low=0.4, high=0.9), None])


def test_undefined_numbers_are_said_to_be() -> None:
    assert quantity(float("nan"), "W") == "undefined"
    assert quantity(float("inf"), "$") == "infinite"
    assert quantity(8.0, "chip", 4).startswith("8\u202f")


def test_claims_carry_the_unit_of_their_dimension(tmp_path: Path) -> None:
    text = START + '\nclaim base.cost.capex < nvl72.cost.capex * 2 "cheaper"\n'
    text += "\nlet slow := base.latency.tpot[mean] * 2\n"
    text += 'claim base.latency.tpot[mean] + base.latency.tpot[mean] < slow "a"\n'
    _, report = made(text, tmp_path)
    (section,) = (s for s in report.sections if s.key == "claims")
    (claims,) = (b for b in section.blocks if isinstance(b, v.Claims))
    assert claims.rows[0].said.startswith("$")
    assert claims.rows[1].said.endswith("s")


def test_a_month_is_a_date(tmp_path: Path) -> None:
    study, report = made(ODD["a month"], tmp_path)
    assert date_of(study).isoformat() == "2025-01-01"
    assert "Figures as of 1 January 2025" in str(report.cover.note)
