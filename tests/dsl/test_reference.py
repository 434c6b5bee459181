"""The reference is up to date, its examples run, and editors read what we read."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.dsl.export import exported, json_schema
from isocost.dsl.format import _pattern
from isocost.dsl.parser import parse
from isocost.dsl.schema import KINDS
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"```scn[^\n]*\n(.*?)```", re.DOTALL)


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name", ["reference", "parser_tables", "editors", "formula_pages"]
)
def test_generated_files_are_up_to_date(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    assert tool(name).main(["--check"]) == 0, f"run tools/{name}.py"


@pytest.mark.parametrize(
    "page", [p for p in PAGES if "errors" not in p.parts], ids=lambda p: p.stem
)
def test_scenarios_in_the_documentation(page: Path) -> None:
    """Whole files are checked, pieces of files are read."""
    for text in BLOCK.findall(page.read_text(encoding="utf-8")):
        found = check_file("page.scn", table(), text).diagnostics
        if not text.startswith("edition"):
            found = list(parse(text, "page.scn").diagnostics)
        assert [(d.code, dict(d.args)) for d in found if d.severity == "error"] == []


def test_the_example_of_every_topology_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    pages = tool("topology_pages")
    text = (ROOT / "docs" / "language" / "topologies.md").read_text(encoding="utf-8")
    pages.registry.load()
    for name in pages.registry.TOPOLOGIES:
        assert pages.file(name) in text
        evaluation = Evaluation(check_file("page.scn", table(), pages.file(name)), 16)
        assert [verdict.holds for verdict in evaluation.verdicts()] == [True], name
        assert evaluation.diagnostics == []


def test_every_kind_has_a_section_and_every_attribute_a_row() -> None:
    text = (ROOT / "docs" / "language" / "kinds.md").read_text(encoding="utf-8")
    for name, kind in KINDS.items():
        assert f"## {name}\n" in text
        for attribute in kind.attributes.values():
            assert attribute.doc.replace("|", "\\|") in text


def test_the_export_is_as_its_schema_says() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    path = ROOT / "tests" / "dsl" / "data" / "everything.scn"
    document = check_file(str(path), table()).document
    data = json.loads(json.dumps(exported(document)))
    jsonschema.Draft202012Validator.check_schema(json_schema())
    jsonschema.validate(data, json_schema())
    box = next(b for b in data["blocks"] if b["name"] == "box")
    assert box["facts"]["power"] | {"doc": ""} == {
        "text": "13 kW",
        "formula": False,
        "sources": [],
        "doc": "",
        "stated_by": "box",
        "si": 13_000.0,
        "unit": "kW",
    }


def scopes(line: str, patterns: list[tuple[str, re.Pattern[str]]]) -> list[str]:
    """A line as a TextMate engine reads it: the first rule that fits furthest left."""
    out, at = [], 0
    while at < len(line):
        fits = [
            (m.start(), i, m)
            for i, (_, p) in enumerate(patterns)
            if (m := p.search(line, at)) and m.end() > m.start()
        ]
        if not fits:
            break
        _, i, match = min(fits, key=lambda fit: fit[:2])
        out.append(f"{patterns[i][0]}|{match.group()}")
        at = match.end()
    return out


def test_the_textmate_grammar_reads_what_the_parser_reads() -> None:
    rules = json.loads(
        (ROOT / "editors/vscode/syntaxes/isocost.tmLanguage.json").read_text("utf-8")
    )["patterns"]
    patterns = [(r["name"].split(".isocost")[0], re.compile(r["match"])) for r in rules]
    wanted = {
        "STRING": "string.quoted.double",
        "CITE": "entity.name.tag.source",
        "DATE": "constant.numeric.date",
        "QUANTITY": "constant.numeric.quantity",
        "IN_UNIT": "keyword.other.unit",
    }
    for path in sorted((ROOT / "scenarios").rglob("*.scn"))[::6]:
        text = path.read_text(encoding="utf-8")
        tokens = [(m.lastgroup or "", m.group()) for m in _pattern().finditer(text)]
        theirs = [f"{wanted[kind]}|{t}" for kind, t in tokens if kind in wanted]
        ours = [s for line in text.split("\n") for s in scopes(line, patterns)]
        ours = [s for s in ours if s.split("|")[0] in wanted.values()]
        assert ours == theirs, path.name


def test_the_command_that_exports(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "tests" / "dsl" / "data" / "everything.scn")
    assert main(["export", path]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 1
    assert main(["export", "--schema", path]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()
