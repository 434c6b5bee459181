"""No text makes `check` fall over, hang or point outside: fuzzed and mutated files."""

import importlib.util
import random
import time
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.dsl.check import Checked, check_file
from isocost.dsl.diagnostics import Diagnostic
from isocost.dsl.fixes import apply, safe_fixes
from isocost.dsl.render import render
from isocost.engine.quantities import table

ROOT = Path(__file__).resolve().parents[2]
BASES = [
    (ROOT / "tests" / "dsl" / "data" / "everything.scn").read_text(encoding="utf-8"),
    (ROOT / "benchmarks" / "hundred_lines.scn").read_text(encoding="utf-8"),
]
#: A second for 10 kB on a quiet machine; the tests share theirs.
LIMIT = 5.0
FORMS = ("text", "plain", "json", "github", "sarif")
PIECES = [
    *("\n", " ", "{", "}", "(", ")", "[", "]", '"', "=", ":=", ",", ".", "#", "@"),
    *("let a := a\n", "let b := c\nlet c := b\n", " extends small", " to ", " ± 5%"),
    *("chip", "system", "scenario x {\n  system = [box, box]\n}\n", "first.", "small"),
    *("derived(", "sum(", "max(", "1e308", "9" * 400, "0", "-", "^ 9999", "in GB/s"),
    *("auto", "true", "2025-Q3", "2025-13-45", "€", "%", "TB/s/chip", "/chip^9"),
    *("unit W\n", "unit seat\n", 'import "f.scn"\n', 'import "isocost:chips/aws"\n'),
    *('import "../../etc/passwd"\n', "edition 2031\n", "check ", "at 90%", "\0"),
    *("  price[box, 2025] = 3 $\n", "  chip.chip.chip = 3\n", "peak[fp8]", "\ud800"),
    *('# allow L001 "x"', "  deny[x] = a < b\n", "site.pue = first.site.pue\n"),
]


def spans(diagnostic: Diagnostic) -> list[tuple[str, int, int]]:
    places = [label.span for label in diagnostic.labels]
    places += [fix.span for fix in diagnostic.fixes]
    return [(span.file, span.start, span.end) for span in places]


def checked(text: str) -> Checked:
    """The checked text, with all that must hold for whatever it is."""
    start = time.process_time()
    found = check_file("f.scn", table(), text)
    took = time.process_time() - start
    assert took < LIMIT * max(1.0, len(text) / 10_000), text
    texts = found.document.sources_text
    for diagnostic in found.diagnostics:
        for file, first, last in spans(diagnostic):
            assert file in texts, file
            assert 0 <= first <= last <= len(texts[file])
    for form in FORMS:
        render(found.diagnostics, texts, form, width=60).encode("utf-8", "replace")
    return found


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A right file with some of its text cut, moved, doubled or replaced."""
    text = draw(st.sampled_from(BASES))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 2, 8, 40, 300])))
        piece = draw(st.sampled_from(["", "again", *PIECES]))
        piece = text[start:end] * 2 if piece == "again" else piece
        text = text[:start] + piece + text[end:]
    return text


@settings(max_examples=150)
@given(damaged())
def test_damaged_files(text: str) -> None:
    checked(text)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_heaps_of_pieces(text: str) -> None:
    checked(text)


@settings(max_examples=40)
@given(damaged())
def test_safe_fixes_end(text: str) -> None:
    for _ in range(12):
        fixes = safe_fixes(checked(text).diagnostics, "f.scn", text)
        if not fixes:
            break
        text = apply(text, fixes)
    else:
        raise AssertionError(text)


BIG = 10_000


@pytest.mark.parametrize(
    "text",
    [
        "let a := " + "(" * BIG,
        "let a := " + "1 + " * (BIG // 4) + "1\n",
        "let a := " + "- " * (BIG // 2) + "1\n",
        "let a := " + "if 1 then 2 else " * (BIG // 17) + "3\n",
        "{" * BIG,
        "x = 1\n" * (BIG // 6),
        "chip a {\n" * (BIG // 9),
        "chip a {\n" + "  power = 5 W\n" * (BIG // 14) + "}\n",
        '"' * BIG,
        "a." * (BIG // 2),
        "let a = 1 " + "W-" * (BIG // 2) + "W\n",
        "let a" + "a" * BIG + " = 1\nlet b := a" + "b" * BIG + "\n",
        "".join(f"chip c{i} extends c{i + 1} {{\n}}\n" for i in range(BIG // 26)),
        "".join(f"let a{i} := b{i + 1}\n" for i in range(BIG // 16)),
        "".join(f"let a{i} := a{i + 1} + a{i + 1}\n" for i in range(BIG // 22)),
        "scenario s {\n  system = [" + "a, " * (BIG // 3) + "]\n}\n",
        "check a < b\n" * (BIG // 12),
        "# allow\n" * (BIG // 8),
        "@a " * (BIG // 3),
        "let x = " + "9" * BIG + "\n",
        "let x := 2 ^ 9 ^ 9 ^ 9 ^ 9 ^ 9\nlet y = 1 chip\nlet z := y ^ 99999999\n",
    ],
    ids=range(21),
)
def test_hostile_files(text: str) -> None:
    checked("edition 2026\n" + text)


@pytest.mark.parametrize("seed", range(6))
def test_shuffled_lines(seed: int) -> None:
    rng = random.Random(seed)
    lines = "\n".join(BASES).split("\n")
    rng.shuffle(lines)
    checked("\n".join(lines))


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    """The fuzzer, which also runs alone for as long as one likes."""
    path = ROOT / "tools" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("isocost_fuzz", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(30))
def test_damaged_catalogue_files_break_no_law(fuzz: ModuleType, seed: int) -> None:
    """`check`, `fmt` and what editors ask, on shipped files with damage."""
    rng = random.Random(seed)
    kind = fuzz.KINDS[seed % len(fuzz.KINDS)]
    fuzz.laws(kind(rng, fuzz.bases()), limit=LIMIT)
