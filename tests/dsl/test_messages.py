"""Every code has a page whose example gives it, and a golden of what is printed.

The examples stand in the pages (`dsl/errors`), so that documentation and test cannot
part. `tests/golden/diagnostics/*.scn` are further cases of the same codes.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl import messages
from isocost.dsl.building import Refused
from isocost.dsl.check import check_file
from isocost.dsl.diagnostics import Diagnostic, Fix, at, ordered
from isocost.dsl.parser import parse
from isocost.dsl.render import render
from isocost.dsl.spans import Span
from isocost.dsl.wording import EXPECTED, HINTS
from isocost.engine.quantities import table

Golden = Callable[[str, str | bytes], None]

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((ROOT / "tests" / "golden" / "diagnostics").glob("*.scn"))
#: Codes that only a computed file gives: `isocost check --evaluate`.
EVALUATED = ("C", "M", "L010")
HERE = Span("f.scn", 0, 1)


def found_in(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the example of a code and go where it is."""
    for name, text in messages.page(code).examples.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)


def diagnostics_of(code: str) -> list[Diagnostic]:
    return check_file(f"{code}.scn", table()).diagnostics


@pytest.mark.parametrize("code", messages.codes())
def test_the_example_of_a_page(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    found_in(code, tmp_path, monkeypatch)
    options = ["--evaluate"] if code.startswith(EVALUATED) else []
    main(["check", *options, f"{code}.scn"])
    printed = capsys.readouterr().out
    codes = re.findall(r"^(\w+)\[(\w+)\]", printed, re.MULTILINE)
    assert codes == [(messages.page(code).severity, code)]
    assert " = help: " in printed
    golden(f"diagnostics/{code}.out", printed)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_further_cases(path: Path, golden: Golden) -> None:
    text = path.read_text(encoding="utf-8")
    checked = check_file(path.name, table(), text)
    shown = render(checked.diagnostics, {path.name: text})
    assert path.stem.split("-")[0] in {d.code for d in checked.diagnostics}
    golden(f"diagnostics/{path.stem}.out", shown + "\n")


def emitted() -> set[str]:
    """The codes that stand in the sources."""
    files = [
        p for folder in ("dsl", "engine", "cli") for p in (ROOT / folder).rglob("*.py")
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r'"([SNUVRMCL]0\d\d)"', text))


def test_every_code_has_a_page() -> None:
    assert emitted() <= set(messages.codes())


@pytest.mark.parametrize("code", messages.codes())
def test_pages_are_whole_and_speak_plainly(code: str) -> None:
    page = messages.page(code)
    assert page.severity in {"error", "warning", "note"}
    assert page.severity == "error" or code[0] in "LRC"
    assert next(iter(page.examples)) == f"{code}.scn"
    for words in (page.title, page.what, page.why, page.fix, page.help):
        assert words.strip()
    words = f"{page.title} {page.help} {page.what} {page.why} {page.fix}".lower()
    for word in ("token type", "parse", "lexer", "syntax", "grammar", "terminal"):
        assert word not in words
    for name, text in page.examples.items():
        assert text.endswith("\n"), name
        assert max(map(len, text.splitlines())) <= 150


@pytest.mark.parametrize("code", messages.codes())
def test_titles_stand_without_any_facts(code: str) -> None:
    """A fact that is missing must not make a message of an error into a traceback."""
    diagnostic = at(code, HERE)
    assert messages.title(diagnostic)
    assert "{" not in messages.title(diagnostic).replace("`{`", "")
    messages.help_text(diagnostic)


def test_facts_fill_the_title_literally() -> None:
    diagnostic = at("N003", HERE, name="{evil} %s [[x]]")
    assert messages.title(diagnostic) == "nothing here is called `{evil} %s [[x]]`"


def test_long_and_unprintable_facts_are_cut() -> None:
    title = messages.title(at("N003", HERE, name="x" * 500))
    assert len(title) < 100
    assert title.endswith("…`")
    shown = messages.title(at("S001", HERE, found="\0", expected="value"))
    assert shown == "expected a value, found `U+0000`"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], None),
        (["a"], "did you mean `a`?"),
        (["a", "b"], "did you mean `a` or `b`?"),
        (["a", "b", "c"], "did you mean `a`, `b` or `c`?"),
    ],
)
def test_did_you_mean(names: list[str], words: str | None) -> None:
    assert messages.did_you_mean(names) == words


def test_help_is_what_the_case_knows_best() -> None:
    plain = at("N003", HERE, name="x")
    near = at("N003", HERE, name="x", near="y, z")
    own = at("N003", HERE, name="x", near="y", help="ask Ada")
    assert messages.help_text(plain) == "state it, or import the file that does"
    assert messages.help_text(near) == "did you mean `y` or `z`?"
    assert messages.help_text(own) == "ask Ada"


def test_bounds_in_words() -> None:
    both = at("V001", HERE, name="pue", value="0.9", low="1", high="3")
    low = at("V001", HERE, name="pue", value="0.9", low="1", high="")
    assert messages.title(both) == "`pue` must be between 1 and 3, this is 0.9"
    assert messages.title(low) == "`pue` must be at least 1, this is 0.9"


def test_a_plain_number_has_its_article() -> None:
    text = 'edition 2026\nsite a {\n  pue = 3 W @assumed "a"\n}\n'
    (one,) = check_file("f.scn", table(), text).diagnostics
    assert messages.title(one) == "`pue` is a plain number, this is power"


def test_fixes_have_titles() -> None:
    fix = Fix("", HERE, " = ")
    assert messages.fix_title(at("S002", HERE), fix) == "put in `=`"
    assert messages.fix_title(at("S001", HERE), Fix("", HERE, "^")) == "replace by `^`"
    assert messages.fix_title(at("S001", HERE), Fix("own", HERE, "^")) == "own"


def test_every_hint_and_expectation_of_the_parser_has_words() -> None:
    for name in ("faults.py", "recovery.py", "building.py"):
        source = (ROOT / "dsl" / name).read_text(encoding="utf-8")
        for hint in re.findall(r'hint(?:ed\(|=)"([\w-]+)"', source):
            assert hint in HINTS
        for key in re.findall(r'expected="([\w-]+)"', source):
            assert key in EXPECTED
    for hint in HINTS:
        facts = {"meant": "*", "number": "5", "unit": "W"}
        assert messages.help_text(at("S001", HERE, hint=hint, **facts))  # type: ignore[arg-type]


def test_refusals_carry_facts() -> None:
    error = Refused("S007", 0, 1, limit="64")
    assert error.args_ == {"limit": "64"}


def test_each_mistake_of_a_file_is_told_once_and_in_order() -> None:
    text = "chip a {\n  x 1\n  y 2\n}\n"
    found = parse(text, "f.scn").diagnostics
    assert ordered([*reversed(found), *found]) == list(found)


def test_the_pages_of_the_documentation_are_up_to_date() -> None:
    folder = ROOT / "docs" / "errors"
    for code in messages.codes():
        text = (folder / f"{code}.md").read_text(encoding="utf-8")
        page = messages.page(code)
        for part in (page.what, page.why, page.fix, *page.examples.values()):
            assert part.strip() in text, "run tools/error_pages.py"
