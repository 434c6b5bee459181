"""Laws of the language, over programs that Hypothesis writes."""

import re
from fractions import Fraction
from typing import Any

import attrs
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from isocost.dsl.diagnostics import ordered
from isocost.dsl.format import format_text, lay_out, placeless, same_meaning
from isocost.dsl.mending import dimension_notes, spelled
from isocost.dsl.parser import parse
from isocost.dsl.places import Text
from isocost.dsl.render import render
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Block, File
from isocost.dsl.units import BASES, PLAIN, UNITS, Dim, Unit, dim, parse_unit, unit

KEYWORDS = {
    *("if", "then", "else", "and", "or", "not", "to", "in", "at", "let", "check"),
    *("claim", "deny", "edition", "import", "unit", "extends", "as"),
}
names = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True).filter(
    lambda name: name not in KEYWORDS
)
keys = st.sampled_from(["", "[fp8]", "[ x ,y]", "[2025-Q1]"])
paths = st.lists(st.builds("{}{}".format, names, keys), min_size=1, max_size=3).map(
    ".".join
)
written_units = st.sampled_from(
    [
        "",
        " W",
        " GB/s",
        " $/kW-month",
        "%",
        " Gbit/s/chip",
        " /cm^2",
        "%/year",
        "k chip",
    ]
)
numbers = st.sampled_from(["0", "1", "42", "1_000", "2.9", "1e3", "0.045"])
quantities = st.builds("{}{}".format, numbers, written_units)
spaces = st.sampled_from(["", " ", "   "])
texts = st.text(
    st.characters(exclude_characters='"\\\r\n', codec="utf-8"),
    max_size=8,
).map(lambda words: f'"{words}"')


@st.composite
def compounds(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    """An operator, call, list or condition around smaller expressions."""
    a, b, c = draw(inner), draw(inner), draw(inner)
    s, t = draw(spaces), draw(spaces)
    form = draw(st.integers(0, 9))
    op = draw(st.sampled_from(["+", "-", "*", "/", "^", "<", ">=", "=="]))
    simple = [
        f"({a}) {op}{s}({b})",
        f"({a}){s}{op} ({b})",
        f"-{s}({a})",
        f"not{s}({a})",
        f"({a}) and{s}({b})",
        f"if ({a}) then{s}({b}) else {c}",
        f"max({s}{a},{t}{b} )",
        f"torus(x{s}={t}{a}, {b})",
        f"[{s}{a},{t}{b}{s}]",
        f"{{{a}{s},{t}{b}}}",
    ]
    return simple[form]


leaves = st.one_of(quantities, paths, texts, st.just("2025-03-01"), st.just("auto"))
expressions = st.recursive(leaves, compounds, max_leaves=6)
comments = st.text(
    st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=8
).map(lambda words: "#" + words)
ends = st.one_of(
    st.just(""), st.builds("{}{}".format, st.sampled_from(["", "  "]), comments)
)
gaps = st.lists(st.one_of(st.just(""), st.just("   "), comments), max_size=3).map(
    lambda lines: "".join(line + "\n" for line in lines)
)
cites = st.lists(
    st.builds("@{} {}".format, names, st.one_of(st.just(""), texts)), max_size=2
).map(" ".join)


@st.composite
def members(draw: st.DrawFn) -> str:
    """One fact with its doc comment, sources and comment."""
    doc = draw(st.sampled_from(["", "/// words\n", "///tight\n\n///  two\n"]))
    sign = draw(st.sampled_from(["=", " = ", ":=", "  :=  "]))
    head = draw(paths)
    if draw(st.booleans()):
        head = f"let {head}"
    value = draw(expressions)
    shown = draw(st.sampled_from(["", " in GB/s", "  in   /cm^2"]))
    indent = draw(st.sampled_from(["", "  ", "\t"]))
    end = draw(ends)
    return f"{doc}{indent}{head}{sign}{value}{shown} {draw(cites)}{end}\n"


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """A block with gaps between its members."""
    title = draw(st.one_of(st.just(""), texts))
    base = draw(st.sampled_from(["", " extends other"]))
    inside = "".join(
        draw(gaps) + member for member in draw(st.lists(members(), max_size=4))
    )
    head = f"{draw(names)}  {draw(names)} {title}{base}{draw(spaces)}{{"
    return f"{head}{draw(ends)}\n{inside}{draw(gaps)}}}{draw(ends)}\n"


statements = st.one_of(
    st.just("edition  2026\n"),
    st.builds("import {} as p\n".format, texts),
    st.just("unit  seat\n"),
    st.builds("let {}:={}\n".format, paths, expressions),
    st.builds('check ({})  at 90%   "why"\n'.format, expressions),
    st.builds("claim ({}) @{}\n".format, expressions, names),
)
programs = st.lists(
    st.builds("{}{}".format, gaps, st.one_of(statements, blocks())), max_size=5
).map("".join)


def read(text: str) -> File:
    """A file that the generator above wrote, which is always right."""
    file = parse(text, "f.scn")
    assert file.diagnostics == ()
    return file


@given(programs)
@example("let x := + -a\n")
@example("let x := a - -b +- 1\n")
@example("chip a{x=1 # c\n}# d\n")
def test_the_layout_keeps_meaning_and_comments(text: str) -> None:
    file = read(text)
    out = lay_out(text)
    again = parse(out, "f.scn")
    assert placeless(again.items) == placeless(file.items)
    assert [c.text.rstrip() for c in again.comments] == [
        c.text.rstrip() for c in file.comments
    ]
    assert same_meaning(file, again)


@given(programs)
def test_the_layout_is_idempotent_and_plain(text: str) -> None:
    read(text)
    out = lay_out(text)
    assert lay_out(out) == out
    assert format_text(text, "f.scn") == out
    assert "\n\n\n" not in out
    assert not out.startswith("\n")
    assert all(line == line.rstrip() for line in out.split("\n"))


def spans_of(node: object) -> list[Span]:
    """Every place below a syntax node."""
    if isinstance(node, Span):
        return [node]
    if isinstance(node, tuple):
        return [span for one in node for span in spans_of(one)]
    if attrs.has(type(node)):
        kind: Any = type(node)
        values = [getattr(node, field.name) for field in attrs.fields(kind)]
        return [span for value in values for span in spans_of(value)]
    return []


@given(programs)
def test_places_lie_in_the_text(text: str) -> None:
    file = parse(text, "f.scn")
    for span in spans_of(file.items):
        assert 0 <= span.start <= span.end <= len(text)
    for comment in file.comments:
        assert text[comment.span.start : comment.span.end] == comment.text


BROKEN = [
    "bad 5 W",
    "bad: 5 W",
    "bad =",
    "bad = 5W",
    "bad = (1",
    "bad = [1, 2",
    'bad = "abc',
    "bad = 5 )",
    "bad = “abc”",
    "bad = 1 2",
    "bad := 1 +",
    "bad = 5 W @a because",
    "bad == 5",
    "5 = bad",
    "bad = \0",
]
facts = st.builds(
    "{} = {} @src".format,
    st.from_regex(r"good[a-z]{1,4}", fullmatch=True),
    st.sampled_from(["1", "2.9 TB/s", "45% to 65%", '"text"', "torus(x = 4, y = 4)"]),
)


@given(st.lists(facts, max_size=6), st.sampled_from(BROKEN), st.data())
def test_recovery_keeps_the_good_members(
    good: list[str], broken: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(good)))
    lines = [*good[:at], broken, *good[at:]]
    inside = "".join(f"  {line}  # {i}\n" for i, line in enumerate(lines))
    inside = inside.replace(f'"abc  # {at}', '"abc')
    text = f"chip a {{\n{inside}}}\n\nlink b {{\n  y = 1\n}}\n"
    file = parse(text, "f.scn")
    assert len(file.diagnostics) == 1
    assert Text(text).position(file.diagnostics[0].span.start)[0] == at + 2
    first, second = (item for item in file.items if isinstance(item, Block))
    kept = [str(m.path) for m in first.members if str(m.path).startswith("good")]
    assert kept == [line.split(" ")[0] for line in good]
    assert [str(m.path) for m in second.members] == ["y"]
    quote = "abc" in broken and '"' in broken
    assert len(file.comments) == len(lines) - quote


@given(st.lists(st.sampled_from(BROKEN), max_size=6))
def test_as_many_diagnostics_as_mistakes(broken: list[str]) -> None:
    inside = "".join(f"  {line}\n  fine_{i} = 1\n" for i, line in enumerate(broken))
    file = parse(f"chip a {{\n{inside}}}\n", "f.scn")
    assert len(file.diagnostics) == len(broken)


fragments = st.sampled_from(
    [
        *(
            "chip a {\n",
            "}\n",
            "}",
            "{",
            "(",
            ")",
            "[",
            "]",
            '"',
            "\n",
            "\r\n",
            " ",
            "\t",
        ),
        *(
            "x = 5 W\n",
            "  y := a + b\n",
            "let ",
            "=",
            ":=",
            ",",
            "+",
            "-",
            "*",
            "^",
            "@a",
        ),
        *("edition 2026\n", "/// d\n", "# c\n", "if ", " then ", " else ", " to ", "±"),
        *(
            "5",
            "W",
            "GB/s",
            "2025-01-01",
            "a.b[c]",
            "\0",
            "\ud800",
            "é",
            "日",
            "\u202e",
        ),
        *(
            "check ",
            "claim ",
            " in ",
            " at ",
            "%",
            "extends ",
            "import ",
            "unit ",
            "\\",
        ),
    ]
)
anything = st.one_of(
    st.text(max_size=60), st.lists(fragments, max_size=25).map("".join), programs
)


@given(anything)
def test_no_text_gives_a_traceback(text: str) -> None:
    file = parse(text, "f.scn")
    for diagnostic in file.diagnostics:
        for label in diagnostic.labels:
            assert 0 <= label.span.start <= label.span.end <= len(text)
        for fix in diagnostic.fixes:
            assert 0 <= fix.span.start <= fix.span.end <= len(text)
    for span in spans_of(file.items):
        assert 0 <= span.start <= span.end <= len(text)
    for form in ("text", "plain", "json", "github", "sarif"):
        shown = render(ordered(file.diagnostics), {"f.scn": text}, form, width=60)
        shown.encode("utf-8")
    out = format_text(text, "f.scn")
    assert isinstance(out, str) == (not file.diagnostics)


@given(anything)
def test_reading_is_a_function_of_the_text(text: str) -> None:
    """No state of an earlier parse shows in a later one."""
    first = parse(text, "f.scn")
    parse("chip z {\n  x 1 # c\n", "g.scn")
    assert parse(text, "f.scn") == first


@given(anything)
def test_a_fix_that_is_safe_brings_nothing_new(text: str) -> None:
    """Applying one fix leaves at most the other mistakes."""
    file = parse(text, "f.scn")
    for diagnostic in file.diagnostics[:1]:
        for fix in diagnostic.fixes:
            fixed = text[: fix.span.start] + fix.text + text[fix.span.end :]
            assert len(parse(fixed, "f.scn").diagnostics) <= len(file.diagnostics) + 1


exponents = st.dictionaries(
    st.sampled_from(BASES), st.integers(-3, 3).map(Fraction), max_size=4
)
dims = exponents.map(dim)


@given(dims, dims, dims)
def test_dimensions_are_a_commutative_group(a: Dim, b: Dim, c: Dim) -> None:
    assert (a * b) * c == a * (b * c)
    assert a * b == b * a
    assert a * PLAIN == a
    assert a / a == PLAIN
    assert a / b == a * (PLAIN / b)
    assert hash(a * b) == hash(b * a)


@given(dims, dims, st.integers(-3, 3), st.integers(-3, 3))
def test_powers_of_dimensions(a: Dim, b: Dim, m: int, n: int) -> None:
    assert a**m * a**n == a ** (m + n)
    assert (a * b) ** m == a**m * b**m
    assert a**0 == PLAIN
    assert (a ** Fraction(1, 2)) ** 2 == a


simple_units = st.sampled_from(sorted(UNITS))


@given(simple_units, simple_units, simple_units, st.integers(1, 3))
def test_units_multiply_and_divide(a: str, b: str, c: str, power: int) -> None:
    whole = unit(f"{a}-{b}/{c}^{power}")
    parts = [unit(name) for name in (a, b, c)]
    assert whole.dim == parts[0].dim * parts[1].dim / parts[2].dim ** power
    assert whole.scale == parts[0].scale * parts[1].scale / parts[2].scale ** power


@given(st.sampled_from(sorted(n for n, u in UNITS.items() if u[2])), st.data())
def test_prefixes_scale(name: str, data: st.DataObject) -> None:
    prefix = data.draw(st.sampled_from(UNITS[name][2]))
    assert unit(prefix + name).dim == unit(name).dim
    ratio = unit(prefix + name).scale / unit(name).scale
    assert ratio != 1
    assert ratio > 1 or prefix in "pnuµmc"


@given(st.text(max_size=20))
def test_any_text_is_a_unit_or_a_problem(text: str) -> None:
    found = parse_unit(text)
    if isinstance(found, Unit):
        assert found.scale > 0
    else:
        assert all(isinstance(parse_unit(one), Unit) for one in found.readings)


@given(dims)
def test_a_dimension_can_be_written_as_a_unit(a: Dim) -> None:
    text = spelled(a)
    assert text is not None
    assert len(text) > 60 or unit(text or "1").dim == a


@given(dims, dims)
def test_the_factor_that_is_offered_mends(expected: Dim, found: Dim) -> None:
    assume(expected != found)
    notes, help_ = dimension_notes(expected, found)
    assert len(notes) == 2
    match = re.fullmatch(r"(divide|multiply) by a quantity in `(.*)`", help_ or "")
    if match is not None:
        assume(len(match[2]) <= 60)
        factor = unit(match[2]).dim
        mended = found / factor if match[1] == "divide" else found * factor
        assert mended == expected


@given(
    st.text("abcd._", min_size=1, max_size=8), st.lists(st.text("abcd._", min_size=1))
)
def test_suggestions_are_candidates(name: str, candidates: list[str]) -> None:
    found = nearest(name, candidates)
    assert len(found) <= 3
    assert set(found) <= set(candidates) - {name}


@pytest.mark.parametrize("text", ["Gb", "Gbps", "TFLOPs", "KB"])
def test_two_readings(text: str) -> None:
    found = parse_unit(text)
    assert not isinstance(found, Unit)
    assert len(found.readings) == 2
