"""What the parser makes of right text: nodes, their places, their limits."""

from pathlib import Path

import pytest

from isocost.dsl.parser import parse
from isocost.dsl.spans import Span
from isocost.dsl.syntax import (
    Block,
    Edition,
    File,
    Import,
    Member,
    Statement,
    UnitDecl,
    call_arguments,
    parse_path,
)

EXAMPLE = Path(__file__).parent.parent / "golden" / "format" / "trainium2.scn"


def read(text: str) -> File:
    file = parse(text, "f.scn")
    assert file.diagnostics == ()
    return file


def only(text: str) -> Member:
    """The one member of a block around a line."""
    (block,) = read(f"chip a {{\n{text}\n}}\n").items
    assert isinstance(block, Block)
    (member,) = block.members
    return member


def cut(file: File, span: Span | None) -> str:
    assert span is not None
    return file.text[span.start : span.end]


def test_the_example_of_the_specification() -> None:
    file = read(EXAMPLE.read_text(encoding="utf-8"))
    blocks = [item for item in file.items if isinstance(item, Block)]
    assert [b.name.text for b in blocks][:3] == ["aws_docs", "sa_trn2", "trainium2"]
    chip = blocks[2]
    assert chip.doc.startswith("Two compute dies")
    assert [str(m.path) for m in chip.members][:2] == ["peak[bf16]", "peak[fp8]"]
    power = chip.members[-1]
    assert power.value.op == "tolerance"
    assert power.cites[0].key == "sa_trn2"
    assert power.cites[0].locator == "section 3"


def test_every_statement() -> None:
    text = (
        'edition 2026\nimport "isocost:chips/aws" as aws\nunit seat\n'
        "let gain := 1 - a / b\nlet rate = 3 %\n"
        'check a < b at 90% "why"\nclaim a < b "words" @src "p. 3"\n'
    )
    edition, imported, unit, gain, rate, check, claim = read(text).items
    assert isinstance(edition, Edition)
    assert edition.year == 2026
    assert isinstance(imported, Import)
    assert (imported.target, imported.alias) == ("isocost:chips/aws", "aws")
    assert isinstance(unit, UnitDecl)
    assert unit.name.text == "seat"
    assert isinstance(gain, Member)
    assert gain.let
    assert gain.formula
    assert isinstance(rate, Member)
    assert not rate.formula
    assert isinstance(check, Statement)
    assert check.share is not None
    assert check.share.value.base == 0.9
    assert isinstance(claim, Statement)
    assert claim.cites[0].locator == "p. 3"


@pytest.mark.parametrize(
    ("value", "op"),
    [
        ("2.9 TB/s", "literal"),
        ("130 $/kW-month", "literal"),
        ("0.1 /cm^2", "literal"),
        ("400k chip", "literal"),
        ("15%/year", "literal"),
        ("45% to 65%", "interval"),
        ("500 W ± 10%", "tolerance"),
        ("500 W +- 10%", "tolerance"),
        ("triangular(1, 2, 3)", "call"),
        ("{1, 2, 4}", "choice"),
        ("auto", "path"),
        ('"text"', "text"),
        ("2024-12-03", "date"),
        ("2025-Q1", "date"),
        ("2025-03", "date"),
        ("[a, b]", "list"),
        ("[]", "list"),
        ("-5 W", "neg"),
        ("not a", "not"),
        ("if a < b then 1 else 2", "if"),
        ("a and b or c", "or"),
        ("(a + b)", "+"),
    ],
)
def test_every_form_of_value(value: str, op: str) -> None:
    member = only(f"  x = {value}")
    assert member.value.op == op
    file = read(f"chip a {{\n  x = {value}\n}}\n")
    (block,) = file.items
    assert isinstance(block, Block)
    assert cut(file, block.members[0].value.span) == value


@pytest.mark.parametrize(
    ("text", "number"),
    [("1_000", 1000.0), ("3.1M $", 3.1e6), ("2e3 W", 2000.0), ("25k $", 25_000.0)],
)
def test_numbers(text: str, number: float) -> None:
    assert only(f"x = {text}").value.value.number == number


def test_places() -> None:
    file = read('chip a {\n  let b := c + 2 in GB/s @src "p. 1"  # note\n}\n')
    (block,) = file.items
    assert isinstance(block, Block)
    (member,) = block.members
    assert cut(file, member.path_span) == "b"
    assert cut(file, member.span) == 'b := c + 2 in GB/s @src "p. 1"'
    assert member.unit is not None
    assert cut(file, member.unit.span) == member.unit.text == "GB/s"
    assert cut(file, member.value.args[1].span) == "2"
    assert cut(file, member.cites[0].span) == '@src "p. 1"'
    assert cut(file, block.span) == file.text.rstrip()
    assert [c.text for c in file.comments] == ["# note"]
    assert cut(file, file.comments[0].span) == "# note"


def test_places_count_code_points() -> None:
    file = read('let a = "日本 🚀"\nlet b := a + c\n')
    second = file.items[1]
    assert isinstance(second, Member)
    assert cut(file, second.value.args[1].span) == "c"


def test_a_statement_goes_on_after_an_operator_and_in_brackets() -> None:
    long = only("  x :=\n    a +\n    b")
    short = only("  x := a + b")
    assert long.value == short.value
    assert only("  x = f(\n  a,\n\n  # note\n  b = 2\n  )").value.op == "call"


def test_calls() -> None:
    plain, named = call_arguments(only("x = torus(3, x = 4, y = 5)").value)
    assert [e.value.number for e in plain] == [3]
    assert {k: v.value.number for k, v in named.items()} == {"x": 4, "y": 5}


def test_docs_belong_to_the_next_item() -> None:
    (block,) = read("/// one\n\n# between\n/// two\nchip a {\n}\n").items
    assert isinstance(block, Block)
    assert block.doc == "one\ntwo"


def test_line_ends_of_other_systems() -> None:
    unix = read("chip a {\n  x = 1  # c\n}\n")
    windows = read("chip a {\r\n  x = 1  # c\r\n}\r\n")
    assert [c.text for c in windows.comments] == [c.text for c in unix.comments]
    first, second = unix.items[0], windows.items[0]
    assert isinstance(first, Block)
    assert isinstance(second, Block)
    assert first.members[0].value == second.members[0].value


def test_an_empty_file() -> None:
    assert read("").items == ()
    assert read("# only a comment").items == ()


@pytest.mark.parametrize(
    "text",
    ["a", "a.b.c", "peak[fp8]", "rental[trainium2, y3]", "a[x].b[y]", "v[2025-Q1]"],
)
def test_paths_print_as_they_are_read(text: str) -> None:
    assert str(parse_path(text)) == text


def test_path_parts() -> None:
    path = parse_path("topology.link[x]")
    assert path.pattern == "topology.link[]"
    assert path.keys == ("x",)
    assert path.head == "topology"
    assert str(path.rest) == "link[x]"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("let x := " + "(" * 65 + "1" + ")" * 65, "S007"),
        ("let x := " + " + ".join(["a"] * 300), "S007"),
        ("let x := " + "not " * 300 + "a", "S007"),
        ("let x = 1e999", "S001"),
        ("edition 2026.5", "S001"),
        ("edition 1e999", "S001"),
        ("unit gpu_hour", "S001"),
        ("chip a.b {\n}", "S001"),
    ],
)
def test_what_is_refused(line: str, code: str) -> None:
    assert [d.code for d in parse(line, "f").diagnostics] == [code]


def test_words_after_a_value_are_whole_words() -> None:
    """`to` is no word of `1024token`, nor `or` of `a order`."""
    for line in ("let x = 1024token", "let x := a order", "let x := a andes"):
        assert [d.code for d in parse(line, "f").diagnostics] == ["S001"]
    assert only("to = 5").path.head == "to"
    assert only("x := to + in + at").value.op == "+"


def test_a_long_sum_is_fine() -> None:
    read("let x := " + " + ".join(["a"] * 150))
