"""The workbook: it computes what the engine computes, and opens without a question."""

import io
import math
import random
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from isocost.engine.graph import Input
from isocost.engine.program import point
from isocost.reports.assemble import date_of
from isocost.reports.export import xlsx
from isocost.reports.export.xlsx import render_xlsx

OFFICE = shutil.which("soffice")
#: LibreOffice computes a file anew only where its settings say so.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


@pytest.fixture(scope="module")
def data(made_study: Any) -> bytes:
    study = made_study.study
    return render_xlsx(study, date=date_of(study))


@pytest.fixture(scope="module")
def book(data: bytes, sheets: ModuleType) -> Any:
    return sheets.Workbook(data)


def test_two_runs_write_the_same_bytes(data: bytes, made_study: Any) -> None:
    study = made_study.study
    assert render_xlsx(study, date=date_of(study)) == data


def test_formulas_are_as_the_library_would_write_them(
    data: bytes, made_study: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "_sheet_class", lambda: None)
    study = made_study.study
    assert xlsx.render_xlsx(study, date=date_of(study)) == data


def test_the_sheets_are_there(book: Any) -> None:
    assert book.sheets == ["Start", "Results", "Inputs", "Model", "Sources"]
    for number in range(2, 6):
        sheet = book.parts[f"xl/worksheets/sheet{number}.xml"]
        assert 'state="frozen"' in sheet, number


def test_computed_anew_it_equals_the_engine(book: Any, sheets: ModuleType) -> None:
    calculator = sheets.Calculator(book, {})
    engine = book.column("Model", "C")
    assert len(engine) > 300
    for row, wanted in engine.items():
        if not isinstance(wanted, float):
            continue
        found = calculator.cell("Model", f"B{row}")
        assert math.isclose(found, wanted, rel_tol=1e-9), book.cells["Model", f"A{row}"]
    live = sum(1 for sheet, place in book.formulas if sheet == "Model" and "B" in place)
    assert live > 0.97 * len(engine)


def test_results_follow_changed_inputs(
    book: Any, sheets: ModuleType, made_study: Any
) -> None:
    study = made_study.study
    evaluation = study.evaluation
    graph = evaluation.graph
    rows = {origin: row for row, origin in book.column("Inputs", "A").items()}
    inputs = [
        (node, what)
        for node, what, _ in study.inputs
        if what.uncertain and what.origin in rows
    ]
    results = list(study.results.values())
    nodes = [graph.names[f"{r.scenario}.{r.path}"] for r in results]
    places = {
        (book.cells["Results", f"A{row}"], path): row
        for row, path in book.column("Results", "B").items()
    }
    titles = {s.name: study.title(s) for s in study.scenarios}
    for seed in range(5):
        draw = random.Random(seed)
        chosen = draw.sample(inputs, 8)
        moved = {node: what.central * draw.uniform(0.8, 1.25) for node, what in chosen}
        given = {
            ("Inputs", f"B{rows[what.origin]}"): moved[node] / what.scale
            for node, what in chosen
        }
        calculator = sheets.Calculator(book, given)
        wanted = point(graph, nodes, {**evaluation.choices, **moved})
        for node, result in zip(nodes, results, strict=True):
            row = places[titles[result.scenario], result.path]
            found = calculator.cell("Results", f"C{row}") * result.scale
            assert math.isclose(found, wanted[node], rel_tol=1e-9), result.path


def test_inputs_are_named_and_explained(book: Any, made_study: Any) -> None:
    graph = made_study.study.evaluation.graph
    origins = list(book.column("Inputs", "A").values())
    assert len(set(origins)) >= 0.9 * len(origins)
    known = {
        node.what.origin.removeprefix("default.")
        for node in graph.nodes
        if isinstance(node.what, Input)
    }
    assert set(origins) <= known
    names = [n for n, place in book.names.items() if place.startswith("Inputs!J")]
    assert len(names) == len(origins)
    comments = book.parts["xl/comments1.xml"]
    assert comments.count("<comment ") == len(origins)
    assert "chip.price" in comments


def test_names_are_such_as_a_spreadsheet_takes(book: Any) -> None:
    plain = {n: p for n, p in book.names.items() if not n.startswith("_xlnm.")}
    assert len({name.lower() for name in plain}) == len(plain)
    for name in plain:
        assert re.fullmatch(r"(in|m)_[A-Za-z0-9_]+|all_checks", name), name
        assert len(name) <= 255
    for (sheet, place), formula in book.formulas.items():
        assert len(formula) < 8192, (sheet, place)


def test_a_choice_says_whether_it_still_leads(book: Any) -> None:
    column = book.column("Results", "I")
    words = [book.cells["Results", f"I{row}"] for row in column]
    assert words
    assert set(words) == {"the choice is still ahead of the runner-up"}
    labels = book.column("Model", "A").values()
    assert any(label.startswith("runner-up of ") for label in labels)


def test_numbers_have_formats_and_widths(book: Any) -> None:
    styles = book.parts["xl/styles.xml"]
    for form in ("#,##0.0000", "0.0000E+00"):
        assert f'formatCode="{form}"' in styles
    assert "<cols>" in book.parts["xl/worksheets/sheet3.xml"]


def test_only_the_date_of_the_report_is_in_it(data: bytes, made_study: Any) -> None:
    date = date_of(made_study.study).isoformat()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        core = archive.read("docProps/core.xml").decode()
        assert all(entry.date_time[0] == 1980 for entry in archive.infolist())
    assert set(re.findall(r"\d{4}-\d\d-\d\d", core)) == {date}


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="needs Debian's libreoffice-calc")
def test_libreoffice_computes_the_same(
    data: bytes, sheets: ModuleType, tmp_path: Path
) -> None:
    assert OFFICE is not None
    profile = tmp_path / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(SETTINGS)
    source = tmp_path / "in.xlsx"
    source.write_bytes(data)
    out = tmp_path / "out"
    subprocess.run(
        [
            OFFICE,
            f"-env:UserInstallation={profile.parent.as_uri()}",
            "--headless",
            "--convert-to",
            "xlsx:Calc MS Excel 2007 XML",
            "--outdir",
            str(out),
            str(source),
        ],
        check=True,
        capture_output=True,
        timeout=240,
    )
    found = sheets.Workbook((out / "in.xlsx").read_bytes())
    for row, wanted in found.column("Model", "C").items():
        if isinstance(wanted, float):
            value = found.cells["Model", f"B{row}"]
            assert math.isclose(value, wanted, rel_tol=1e-9), row
    assert found.cells["Start", "B9"] == "every number equals the engine's"
