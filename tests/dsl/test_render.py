"""Renderings: carets under what is meant, and forms that machines can read."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from isocost.dsl.diagnostics import Diagnostic, Fix, Label, at
from isocost.dsl.parser import parse
from isocost.dsl.places import Place, Text
from isocost.dsl.render import MOST_ANNOTATIONS, MOST_SHOWN, as_json, render
from isocost.dsl.spans import Span

Golden = Callable[[str, str | bytes], None]
FILE = "f.scn"


def span(text: str, part: str, file: str = FILE) -> Span:
    start = text.index(part)
    return Span(file, start, start + len(part))


def shown(text: str, diagnostic: Diagnostic, **options: Any) -> list[str]:
    return render([diagnostic], {FILE: text}, **options).split("\n")


def columns(lines: list[str], mark: str = "^") -> tuple[str, str]:
    """The source line above the first row of carets, and what they stand under."""
    index = next(i for i, line in enumerate(lines) if mark in line and " | " in line)
    source, carets = lines[index - 1], lines[index]
    start, end = carets.index(mark), carets.rindex(mark) + 1
    return source, source[start:end]


def test_the_example_of_the_specification(golden: Golden) -> None:
    text = (
        "edition 2026\n" + "\n" * 25 + "  let cost := system.price * chips / throughput"
        "  in $/Mtoken\n"
    )
    diagnostic = at(
        "U002",
        span(text, "system.price * chips / throughput"),
        also=[Label(span(text, "$/Mtoken"), "wanted here")],
        notes=("expected:  money        / token", "   found:  money · chip / token"),
        help="divide by a quantity in `chip`",
        unit="$/Mtoken",
    )
    golden(
        "diagnostics/render_two_labels.out", render([diagnostic], {FILE: text}) + "\n"
    )


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("let a := b + cde", "cde"),
        ("let é := ü + cde", "cde"),
        ("let a := e\u0301 + cde", "cde"),
    ],
)
def test_carets_stand_under_the_part(line: str, part: str) -> None:
    lines = shown(line, at("N003", span(line, part), name=part))
    _, marked = columns([line.replace("e\u0301", "e") for line in lines])
    assert marked == part


def test_carets_after_wide_characters() -> None:
    line = 'let a = "日本" + cde'
    source, carets = shown(line, at("N003", span(line, "cde"), name="cde"))[3:5]
    assert source.endswith("+ cde")
    # Two of the characters before the mark take two columns each.
    assert carets.index("^") == source.index("cde") + 2


def test_tabs_are_shown_as_spaces() -> None:
    line = "\tx\t=\tcde"
    source, marked = columns(shown(line, at("N003", span(line, "cde"), name="cde")))
    assert "\t" not in source
    assert marked == "cde"


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("place", [0, 10, 300, 600, 995])
def test_long_lines_are_cut_around_the_caret(width: int, place: int) -> None:
    line = "a" * place + "cde" + "b" * (1000 - place)
    lines = shown(line, at("N003", span(line, "cde"), name="cde"), width=width)
    assert max(map(len, lines[1:5])) <= width
    _, marked = columns(lines)
    assert marked == "cde"


def test_a_long_mark_is_cut_with_its_line() -> None:
    line = "x = " + "c" * 500
    lines = shown(line, at("N003", span(line, "c" * 500), name="c"), width=50)
    assert max(map(len, lines[2:5])) <= 50


def test_the_end_of_a_line_has_a_caret_behind_it() -> None:
    text = "let a := 1 +\nlet b := 2\n"
    (diagnostic,) = parse(text, FILE).diagnostics
    lines = render([diagnostic], {FILE: text}).split("\n")
    assert lines[3].endswith("1 +")
    assert lines[4].rstrip().endswith("^")
    assert lines[4].index("^") == len(lines[3])


def test_a_mark_over_lines_stops_at_the_first() -> None:
    text = "let a := f(\n  b\n)\n"
    lines = shown(text, at("N003", span(text, "f(\n  b\n)"), name="f"))
    assert columns(lines)[1] == "f("
    record = as_json([at("N003", span(text, "f(\n  b\n)"), name="f")], {FILE: text})
    (found,) = record["diagnostics"]
    assert (found["line"], found["end_line"], found["end_column"]) == (1, 3, 2)


def test_labels_on_other_lines_and_in_other_files(golden: Golden) -> None:
    one = "chip a {\n  power = 1 W\n  sram = 2 MB\n  power = 3 W\n}\n"
    two = "chip b {\n  power = 4 W\n}\n"
    diagnostic = at(
        "N006",
        Span(FILE, one.rindex("power"), one.rindex("power") + 5),
        also=[
            Label(span(one, "power"), "first stated here"),
            Label(span(two, "power", "g.scn"), "and here"),
        ],
        name="power",
    )
    text = render([diagnostic], {FILE: one, "g.scn": two})
    golden("diagnostics/render_files.out", text + "\n")


def test_labels_of_one_line_hang_below_each_other(golden: Golden) -> None:
    line = "let wrong := first + second * third\n"
    diagnostic = at(
        "U005",
        span(line, "second"),
        also=[
            Label(span(line, "first"), "this is money"),
            Label(span(line, "third"), "this is power"),
        ],
        label="this is time",
        op="+",
        expected="money",
        found="time",
    )
    golden("diagnostics/render_labels.out", render([diagnostic], {FILE: line}) + "\n")


def test_colour_changes_nothing_but_colour() -> None:
    import re

    text = "chip a {\n  x 1\n}\n"
    found = parse(text, FILE).diagnostics
    coloured = render(found, {FILE: text}, color=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(found, {FILE: text})


@pytest.mark.parametrize("char", ["\x1b", "\0", "\u202e", "\ud800", "\x7f", "\u200b"])
@pytest.mark.parametrize("form", ["text", "plain", "json", "github", "sarif"])
def test_a_terminal_is_never_steered(char: str, form: str) -> None:
    text = f'let x = "{char}" y\n'
    found = [at("N003", span(text, "y"), name=f"y{char}", found=char)]
    shown = render(found, {FILE: text}, form)
    assert char not in shown
    shown.encode("utf-8")


def test_only_so_many_are_shown_to_a_person() -> None:
    text = "chip a {\n" + "  x 1\n" * 80 + "}\n"
    found = parse(text, FILE).diagnostics
    out = render(found, {FILE: text})
    assert out.count("error[") == MOST_SHOWN
    assert out.endswith("80 errors; 50 are shown")
    lines = render(found, {FILE: text}, "github").split("\n")
    assert len(lines) == MOST_ANNOTATIONS + 1
    assert lines[-1] == "::notice::and 70 more"
    data = json.loads(render(found, {FILE: text}, "json"))
    assert len(data["diagnostics"]) == 80


def test_nothing_to_show() -> None:
    assert render([], {}) == ""
    assert json.loads(render([], {}, "json")) == {"schema": 1, "diagnostics": []}
    assert json.loads(render([], {}, "sarif"))["runs"][0]["results"] == []


def test_an_unknown_form_is_our_bug() -> None:
    with pytest.raises(ValueError, match="no form"):
        render([], {}, "yaml")


def test_plain_is_one_line_each() -> None:
    text = "chip a {\n  x 1\n}\n"
    assert render(parse(text, FILE).diagnostics, {FILE: text}, "plain") == (
        "f.scn:2:5: error[S002]: no `=` after `x` "
        "(write `=` before a value, `:=` before a formula)"
    )


def test_json_keeps_the_contract() -> None:
    text = "chip a {\n  power = 500W\n}\n"
    data = json.loads(render(parse(text, FILE).diagnostics, {FILE: text}, "json"))
    (record,) = data["diagnostics"]
    contract = {
        "code": "S001",
        "severity": "error",
        "message": "expected an operator or the end of the line, found `W`",
        "file": FILE,
        "line": 2,
        "column": 14,
        "end_line": 2,
        "end_column": 15,
        "help": "put one space between a number and its unit: `500 W`",
    }
    assert {key: record[key] for key in contract} == contract
    (fix,) = record["fixes"]
    assert (fix["line"], fix["column"], fix["text"], fix["safe"]) == (2, 14, " ", True)


def test_columns_count_code_points() -> None:
    text = 'let a = "🚀µ" b\n'
    (record,) = as_json(parse(text, FILE).diagnostics, {FILE: text})["diagnostics"]
    assert text.split("\n", maxsplit=1)[0][record["column"] - 1] == "b"


def test_annotations_are_escaped() -> None:
    text = "a, b\n"
    diagnostic = at("N003", Span("a,b:c.scn", 0, 1), name="100%", notes=["one", "two"])
    out = render([diagnostic], {"a,b:c.scn": text}, "github")
    assert out.startswith(
        "::error file=a%2Cb%3Ac.scn,line=1,endLine=1,col=1,endColumn=2,"
    )
    assert "`100%25`%0Aone%0Atwo%0Ahelp: " in out
    assert "\n" not in out


def test_sarif_has_what_the_standard_requires() -> None:
    text = "chip a {\n  x 1\n  y = 2W\n  y = 3\n}\n"
    found = [
        *parse(text, FILE).diagnostics,
        at(
            "N006",
            Span(FILE, 20, 21),
            severity="warning",
            also=[Label(Span(FILE, 0, 4), "first")],
            name="y",
            fixes=[Fix("remove it", Span(FILE, 20, 21), "")],
        ),
    ]
    log = json.loads(render(found, {FILE: text}, "sarif"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "isocost"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == sorted(set(ids))
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert region["startColumn"] >= 1
        assert region["endLine"] >= region["startLine"]
        for fix in result.get("fixes", ()):
            for change in fix["artifactChanges"]:
                assert change["replacements"][0]["deletedRegion"]["startLine"] >= 1
    related = run["results"][-1]["relatedLocations"]
    assert related[0]["message"]["text"] == "first"


@pytest.mark.parametrize(
    ("offset", "place"),
    [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (4, (2, 2)), (99, (3, 1)), (-1, (1, 1))],
)
def test_lines_and_columns(offset: int, place: tuple[int, int]) -> None:
    assert Text("ab\nc\n").position(offset) == place


def test_places_and_lines() -> None:
    text = Text("ab\r\ncd")
    assert text.line(1) == "ab"
    assert text.line(2) == "cd"
    assert text.place(Span(FILE, 0, 5)) == Place(1, 1, 2, 2)
