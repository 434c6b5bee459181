"""Every mistake gives one diagnostic at its place; everything else is kept."""

import time

import pytest

from isocost.dsl.diagnostics import Diagnostic, ordered
from isocost.dsl.parser import parse
from isocost.dsl.syntax import Block, File, Member

AROUND = "chip a {{\n  before = 1 W  # one\n{}\n  after = 2 W  # two\n}}\n"


def mistakes(file: File) -> list[tuple[str, str]]:
    """Code and marked text of each diagnostic, in order."""
    return [
        (d.code, file.text[d.span.start : d.span.end])
        for d in ordered(file.diagnostics)
    ]


def names(file: File, block: int = 0) -> list[str]:
    found = [item for item in file.items if isinstance(item, Block)]
    return [str(member.path) for member in found[block].members]


def fixed(text: str, diagnostic: Diagnostic) -> str:
    (fix,) = diagnostic.fixes
    return text[: fix.span.start] + fix.text + text[fix.span.end :]


MEMBERS = [
    ("power 500 W", "S002", "500 W"),
    ("power: 500 W", "S002", ":"),
    ("power", "S002", ""),
    ("let y 5", "S002", "5"),
    ("power == 500 W", "S001", "="),
    ("power =", "S001", ""),
    ("power := a +", "S001", ""),
    ("power = ", "S001", ""),
    ("power = 500W", "S001", "W"),
    ("power = 500  W", "S001", "W"),
    ("power = 2.9TB/s", "S001", "TB/s"),
    ("prompt = 1024token", "S001", "token"),
    ("prompt = 4ands", "S001", "ands"),
    ("x := a tob", "S001", "tob"),
    ("exhibits [tornado(a), b]", "S002", "["),
    ("url = https://example.org", "S001", ":"),
    ("vendor = Amazon Web", "S001", "Web"),
    ("price = 5K $", "S001", "K"),
    ("price = 5k$", "S001", "$"),
    ("price = 1,000 $", "S001", ","),
    ("price = 5 $;", "S001", ";"),
    ("t = torus(x = 4, y = 4", "S004", "("),
    ("t = [1, 2", "S004", "["),
    ("t = {1, 2", "S004", "{"),
    ("t = (1 +", "S004", "("),
    ("t = 5 )", "S006", ")"),
    ("t = 5 ]", "S006", "]"),
    ('s = "abc', "S005", '"abc'),
    ("s = “abc”", "S001", "“"),
    ("s = 'abc'", "S001", "'"),
    ("x = 5 ≤ 6", "S001", "≤"),
    ("x = 4 × 5", "S001", "×"),
    ("x = 45–65", "S001", "–"),
    ("x = 45 – 65", "S001", "–"),
    ("x =\u00a05 W", "S001", "\u00a0"),
    ("x := a && b", "S001", "&"),
    ("x := a || b", "S001", "|"),
    ("x := !a", "S001", "!"),
    ("x := 2**3", "S001", "**"),
    ("x = y = 5", "S001", "="),
    ("x = 5 W @assumed because", "S001", "because"),
    ("x = 5 W @", "S001", "@"),
    ("x = 5 W 6 W", "S001", "6 W"),
    ("x = 5 W, 6 W", "S001", ","),
    ("x = 1 to 3 to 5", "S001", "to"),
    ("x := a < b < c", "S001", "<"),
    ("x := if a then b", "S001", ""),
    ("x = f(,)", "S001", ","),
    ("p[] = 3", "S001", "["),
    ("p[fp 8] = 3", "S001", "["),
    ("my-power = 3", "S001", "my-power"),
    ("memory {", "S001", "memory {"),
    ("memory {\n    capacity = 4 GB\n  }", "S001", "memory {"),
    ("= 5", "S001", "="),
    ("5 W", "S001", "5 W"),
    ("x = \0", "S001", "\0"),
    ("x = \ud800", "S001", "\ud800"),
    ("x = 1e999", "S001", "1e999"),
    ("}", "S006", "}"),
]


@pytest.mark.parametrize(("line", "code", "marked"), MEMBERS)
def test_a_faulty_member(line: str, code: str, marked: str) -> None:
    file = parse(AROUND.format("  " + line), "f.scn")
    assert mistakes(file) == [(code, marked)]
    kept = names(file)
    assert "before" in kept
    assert line == "memory {" or "after" in kept
    assert [c.text for c in file.comments] == ["# one", "# two"]


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("power 500 W", "power = 500 W"),
        ("power: 500 W", "power = 500 W"),
        ("power == 500 W", "power = 500 W"),
        ("power = 500W", "power = 500 W"),
        ("power = 500   W", "power = 500 W"),
        ("price = 5K $", "price = 5k $"),
        ("prompt = 1024token", "prompt = 1024 token"),
        ("exhibits [a, b]", "exhibits = [a, b]"),
        ("x = 5 W)", "x = 5 W"),
        ("x = 5 W;", "x = 5 W"),
        ("price = 1,000 $", "price = 1_000 $"),
        ("s = “abc”", 's = "abc"'),
        ("s = 'abc'", 's = "abc"'),
        ("x = 5 ≤ 6", "x = 5 <= 6"),
        ("x = 45–65", "x = 45 to 65"),
        ("x = 45 – 65", "x = 45 to 65"),
        ("x := a && b", "x := a and b"),
        ("x := 2**3", "x := 2^3"),
        ("my-power = 3", "my_power = 3"),
        ("x = 5 W @assumed because", 'x = 5 W @assumed "because"'),
    ],
)
def test_a_fix_mends_it(line: str, right: str) -> None:
    text = AROUND.format("  " + line)
    (diagnostic,) = parse(text, "f.scn").diagnostics
    assert fixed(text, diagnostic) == AROUND.format("  " + right)
    assert parse(fixed(text, diagnostic), "f.scn").diagnostics == ()


@pytest.mark.parametrize(
    "line",
    ["power 500 W @a", "power: 500 W @a", "power = 500W @a", "power  =  500  W @a"],
)
def test_a_mended_member_stands_where_it_stood(line: str) -> None:
    file = parse(AROUND.format("  " + line), "f.scn")
    (block,) = file.items
    assert isinstance(block, Block)
    member = block.members[1]
    assert str(member.path) == "power"
    assert file.text[member.span.start : member.span.end] == line
    assert file.text[member.cites[0].span.start : member.cites[0].span.end] == "@a"


def test_a_fact_that_cannot_be_read_is_not_missing() -> None:
    file = parse(AROUND.format("  power = ) 5"), "f.scn")
    assert names(file) == ["before", "power", "after"]
    (block,) = file.items
    assert isinstance(block, Block)
    assert block.members[1].value.op == "unreadable"


FILES = [
    # A brace that is missing is shown where it was opened.
    ("chip a {\n  x = 1\n\nchip b {\n  y = 2\n}\n", [("S003", "{")], ["a", "b"]),
    ("chip a {\n  x = 1\n", [("S003", "{")], ["a"]),
    ("chip a {\n  x = 1\nlet y := 2\n", [("S003", "{")], ["a"]),
    ("chip a {\n  x = 1\n/// doc\nchip b {\n}\n", [("S003", "{")], ["a", "b"]),
    ("chip a\n  x = 1\n}\n", [("S001", "")], ["a"]),
    ("chip a {\n  x = 1\n}\n}\nchip b {\n}\n", [("S006", "}")], ["a", "b"]),
    ("chip a {\n  x = 1\n  }\n  y = 2\n}\n", [("S006", "}")], ["a"]),
    ("}\n", [("S006", "}")], []),
    ("chip {\n  x = 1\n}\n", [("S001", "{")], []),
    ("chip my-chip {\n  x = 1\n}\n", [("S001", "my-chip")], ["my_chip"]),
    ("chip a extends {\n  x = 1\n}\n", [("S001", "{")], ["a"]),
    ('source a "words {\n  date = 1\n}\n', [("S005", '"words {')], ["a"]),
    ("  x = 1 W\n  y = 2 W\n}\nchip b {\n}\n", [("S001", "=")], ["b"]),
    (
        "chip a {\n  x = 1\n} chip b {\n}\n",
        [("S001", "chip b {"), ("S006", "}")],
        ["a"],
    ),
    ("edition\nchip a {\n}\n", [("S001", "")], ["a"]),
    ("import prices\nchip a {\n}\n", [("S001", "prices")], ["a"]),
    ("check a = b\nchip a {\n}\n", [("S001", "=")], ["a"]),
    ("let x := 1 +\nlet y := 2\nchip a {\n}\n", [("S001", "")], ["a"]),
    ("/// nothing below\n", [("S001", "")], []),
    ("foo\nchip a {\n}\n", [("S001", "")], ["a"]),
]


@pytest.mark.parametrize(("text", "found", "blocks"), FILES)
def test_a_faulty_file(
    text: str, found: list[tuple[str, str]], blocks: list[str]
) -> None:
    file = parse(text, "f.scn")
    assert mistakes(file) == found
    named = [item.name.text for item in file.items if isinstance(item, Block)]
    assert named == blocks


def test_a_bracket_does_not_swallow_the_lines_below() -> None:
    text = "report r {\n  metrics = [a,\n    b\n  title = 1\n  x = (2\n  y = 3\n}\n"
    file = parse(text, "f.scn")
    assert mistakes(file) == [("S004", "["), ("S004", "(")]
    assert names(file) == ["metrics", "title", "x", "y"]


def test_five_mistakes_are_five_diagnostics() -> None:
    text = (
        "edition 2026\nchip a {\n  x 1 W\n  y = 2W\n  z = (1\n}\n"
        "let good := 1\nchip b {\n  v = “a”\n\nlink c {\n  w = 3 W\n}\n"
    )
    file = parse(text, "f.scn")
    assert [code for code, _ in mistakes(file)] == [
        "S002",
        "S001",
        "S004",
        "S003",
        "S001",
    ]
    assert [i.name.text for i in file.items if isinstance(i, Block)] == ["a", "b", "c"]
    assert any(isinstance(i, Member) and i.let for i in file.items)


GOOD = 'chip c{} {{\n  power = 500 W @a "x"\n  price = 1 $ to 2 $ @b\n}}\n'
HOSTILE = {
    "round brackets": "let x := " + "(" * 100_000,
    "round brackets, closed": "let x := " + "(" * 20_000 + "1" + ")" * 20_000,
    "square brackets": "let x := " + "[" * 20_000 + "]" * 20_000,
    "braces": "let x := " + "{" * 20_000 + "1" + "}" * 20_000,
    "blocks in blocks": "chip a {\n" * 10_000,
    "blocks in blocks on a line": "chip a {" * 10_000,
    "closing braces": "}" * 100_000,
    "one word": "a" * 1_000_000,
    "one path": "let x := a" + ".a" * 100_000,
    "one list": "let x := [" + "1, " * 50_000,
    "one key": "let x := a[" + "a," * 50_000,
    "a sum": "let x := 1" + " + 1" * 20_000,
    "signs": "let x := " + "-" * 20_000 + "1",
    "not not": "let x := " + "not " * 20_000 + "a",
    "powers": "let x := 2" + "^2" * 20_000,
    "conditions": "let x := " + "if a then b else " * 5_000 + "c",
    "digits": "let x := " + "9" * 1_000_000,
    "a unit": "let x := 1 " + "B-" * 50_000 + "B",
    "a unit's power": "let x := 1 B^" + "9" * 100_000,
    "quotation marks": '"' * 100_000,
    "backslashes": 'let x := "' + "\\" * 100_001,
    "zero bytes": "\0" * 10_000,
    "zero bytes in facts": "chip a {\n  x = 5 W\0\n}\n" * 200,
    "half characters": 'let x = "\ud800"\nlet y \udfff\n' * 200,
    "docs": "/// d\n" * 20_000,
    "open lists": "chip a {\n" + "x = [\n" * 5_000,
    "faulty facts": "chip a {\n" + "  power 500 W\n" * 2_000 + "}\n",
    "one fault in many facts": "".join(map(GOOD.format, range(1000)))
    + "chip z {\n  p 1\n}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends_quickly(name: str) -> None:
    """Under a second per 10 kB (and never more than it takes on a busy machine)."""
    text = HOSTILE[name]
    start = time.process_time()
    file = parse(text, "f.scn")
    seconds = time.process_time() - start
    assert seconds < 2 + len(text) / 10_000
    for diagnostic in file.diagnostics:
        for label in diagnostic.labels:
            assert 0 <= label.span.start <= label.span.end <= len(text)


@pytest.mark.parametrize("character", ["\u202a", "\u202e", "\u2066", "\u2069"])
@pytest.mark.parametrize("where", ["# {}", 'x = 1 @assumed "a{}b"', "x = {}1", "y = ("])
def test_what_turns_the_direction_is_told_wherever_it_stands(
    character: str, where: str
) -> None:
    """Right or wrong beside it; once a line; a word of another script is no fault."""
    line = where.format(character) + f" # {character}{character}"
    text = f'chip a {{\n  {line}\n  z = 2 @assumed "שלום"\n}}\n'
    found = [d for d in parse(text, "a.scn").diagnostics if d.code == "S008"]
    assert [d.labels[0].span.start for d in found] == [text.index(character)]
    assert not found[0].fixes[0].safe
