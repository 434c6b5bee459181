"""Hunts for texts on which the language falls over, hangs or points outside the file.

`python tools/fuzz.py --minutes 45` damages the shipped files and heaps of pieces with
fresh seeds and holds every text to `laws`; a text that breaks one is kept below
`build/fuzz` and told. `tests/props` runs a bounded number with fixed seeds.
"""

import argparse
import random
import sys
import time
import traceback
from pathlib import Path

from isocost.dsl.check import Checked, check_file
from isocost.dsl.diagnostics import Diagnostic, failed, ordered
from isocost.dsl.editor import names
from isocost.dsl.editor.completion import complete
from isocost.dsl.editor.hover import hover
from isocost.dsl.editor.outline import outline
from isocost.dsl.editor.positions import Lines
from isocost.dsl.format import format_text, same_meaning
from isocost.dsl.parser import parse
from isocost.dsl.render import render
from isocost.dsl.spans import Span
from isocost.engine.quantities import table

ROOT = Path(__file__).resolve().parent.parent
FORMS = ("text", "plain", "json", "github", "sarif")
#: Seconds of this process' own time that a text of 10 kB may take.
LIMIT = 1.0
UNIT = 10_000
PIECES = [
    *(
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        '"',
        "\\",
        "=",
        ":=",
    ),
    *(",", ".", "#", "@", "///", "\ufeff", "\u2028", "\x85", "\x0c", "\x00", "\ud800"),
    *("😀", "é", "±", "€", "µ", "–", "“", "×", "\u00a0", "²"),
    *("let a := a\n", "let b := c\nlet c := b\n", " extends small", " to ", " ± 5%"),
    *("chip", "system", "scenario x {\n  system = [box, box]\n}\n", "first.", "small"),
    *("derived(", "sum(", "max(", "1e308", "9" * 400, "0", "-", "^ 9999", "in GB/s"),
    *("auto", "true", "2025-Q3", "2025-13-45", "%", "TB/s/chip", "/chip^9", "W^-1"),
    *("unit W\n", "unit seat\n", 'import "f.scn"\n', 'import "isocost:chips/aws"\n'),
    *('import "../../etc/passwd"\n', "edition 2031\n", "check ", "at 90%", "claim "),
    *("  price[box, 2025] = 3 $\n", "  chip.chip.chip = 3\n", "peak[fp8]", "prefill."),
    *('# allow L001 "x"', "  deny[x] = a < b\n", "site.pue = first.site.pue\n"),
    *("if a then b else c", "{1, 2, 4}", "triangular(1, 2, 3)", "one_of(1, 2)", "-1"),
    *("exchange e {\n  rate[2025-06] = 1.08 $/€\n}\n", "report r {\n", "policy p {\n"),
    *(
        "fleet f {\n  demand[d].workload = w\n}\n",
        "  let x := 1\n",
        " in chip",
        "link.",
    ),
]


class BrokenLawError(Exception):
    """What does not hold of a text."""


def bases() -> list[str]:
    """The right files that are damaged."""
    places = [ROOT / "tests" / "dsl" / "data", ROOT / "benchmarks", ROOT / "scenarios"]
    paths = sorted(path for place in places for path in place.rglob("*.scn"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return [text for text in texts if len(text) <= UNIT]


def damaged(rng: random.Random, texts: list[str]) -> str:
    """A right text with some of it cut, moved, doubled or replaced."""
    text = rng.choice(texts)
    for _ in range(rng.randint(1, 6)):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice([0, 0, 1, 2, 8, 40, 300]))
        piece = rng.choice(["", text[start:end] * 2, _elsewhere(rng, text), *PIECES])
        text = text[:start] + piece + text[end:]
    return text


def _elsewhere(rng: random.Random, text: str) -> str:
    start = rng.randint(0, len(text))
    return text[start : start + rng.choice([1, 5, 20, 80])]


def heap(rng: random.Random, texts: list[str]) -> str:
    """Pieces, lines and characters in no order."""
    lines = rng.choice(texts).split("\n")
    parts = [rng.choice([*PIECES, rng.choice(lines) + "\n"]) for _ in range(40)]
    return "".join(parts[: rng.randint(0, 40)])


def noise(rng: random.Random, texts: list[str]) -> str:
    """Bytes of no meaning, or some of them within a right text."""
    raw = bytearray(rng.choice(texts).encode() if rng.random() < 0.7 else b"")  # noqa: PLR2004
    for _ in range(rng.randint(1, 30)):
        start = rng.randint(0, len(raw))
        raw[start : start + rng.randint(0, 3)] = rng.randbytes(rng.randint(0, 4))
    return raw.decode("utf-8", "replace")


KINDS = (damaged, damaged, damaged, heap, noise)


def spans_of(diagnostic: Diagnostic) -> list[Span]:
    """Every place that a diagnostic names."""
    labels = [label.span for label in diagnostic.labels]
    return labels + [fix.span for fix in diagnostic.fixes]


def check_law(text: str, limit: float = LIMIT) -> Checked:
    """`check` ends in time; its places lie in their files; each is told once, sorted.

    Raises:
        BrokenLawError: One of these does not hold.
    """
    start = time.process_time()
    found = check_file("f.scn", table(), text)
    took = time.process_time() - start
    if took > limit * max(1.0, len(text) / UNIT):
        raise BrokenLawError(f"check took {took:.2f} s for {len(text)} characters")
    texts = found.document.sources_text
    for diagnostic in found.diagnostics:
        for span in spans_of(diagnostic):
            if span.file not in texts:
                raise BrokenLawError(f"{diagnostic.code}: no file {span.file!r}")
            if not 0 <= span.start <= span.end <= len(texts[span.file]):
                raise BrokenLawError(f"{diagnostic.code}: outside: {span}")
    if ordered(found.diagnostics) != list(found.diagnostics):
        raise BrokenLawError("not sorted, or told twice")
    for form in FORMS:
        render(found.diagnostics, texts, form, width=60).encode("utf-8", "replace")
    return found


def format_law(text: str, limit: float = LIMIT) -> None:
    """`fmt` ends in time, keeps the meaning and the comments, and changes only once.

    Raises:
        BrokenLawError: One of these does not hold.
    """
    start = time.process_time()
    out = format_text(text, "f.scn")
    took = time.process_time() - start
    if took > limit * max(1.0, len(text) / UNIT):
        raise BrokenLawError(f"fmt took {took:.2f} s for {len(text)} characters")
    parsed = parse(text, "f.scn")
    if isinstance(out, list):
        if not failed(parsed.diagnostics):
            raise BrokenLawError("fmt refuses what can be read")
        return
    if not same_meaning(parsed, parse(out, "f.scn")):
        raise BrokenLawError("fmt changes the meaning")
    if format_text(out, "f.scn") != out:
        raise BrokenLawError("fmt changes its own output")


def editor_law(text: str, found: Checked, rng: random.Random) -> None:
    """What an editor may ask of any place has an answer, and its places are right.

    Editors keep a byte order mark to themselves.

    Raises:
        BrokenLawError: A place is outside its file.
    """
    text = text.removeprefix("\ufeff")
    texts = found.document.sources_text
    for offset in (0, len(text), *(rng.randint(0, len(text)) for _ in range(6))):
        items, span = complete(found, "f.scn", text, offset)
        shown = hover(found, "f.scn", offset)
        wanted = names.meaning_at(found, "f.scn", offset)
        spans = [span, *([shown[1]] if shown else [])]
        spans += names.references([found], wanted) if wanted else []
        place = names.definition(found, "f.scn", offset)
        for one in (*spans, *([place] if place else [])):
            if not 0 <= one.start <= one.end <= len(texts[one.file]):
                raise BrokenLawError(f"{len(items)} items, outside: {one}")
    outline(found.document.files["f.scn"])
    lines = Lines(text)
    for offset in {rng.randint(0, len(text)) for _ in range(6)}:
        where = lines.position(offset)
        back = lines.offset(where.line, where.character)
        if back != offset and text[back : offset + 1] not in {"\r\n", "\r", "\n"}:
            raise BrokenLawError(f"place {offset} comes back as {back}")


def laws(text: str, limit: float = LIMIT) -> None:
    """Everything that holds for whatever text.

    Raises:
        BrokenLawError: Something does not.
    """
    found = check_law(text, limit)
    format_law(text, limit)
    editor_law(text, found, random.Random(len(text)))  # noqa: S311 (a fuzzer's)


def main(arguments: list[str] | None = None) -> int:
    """Run for some minutes; 1 if any text broke a law."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_007)
    args = parser.parse_args(arguments)
    texts, out = bases(), ROOT / "build" / "fuzz"
    end = time.monotonic() + 60 * args.minutes
    runs, kept = 0, set()
    while time.monotonic() < end:
        name = f"{args.seed}-{runs}"
        rng = random.Random(name)  # noqa: S311 (a fuzzer's)
        text = rng.choice(KINDS)(rng, texts)
        runs += 1
        try:
            laws(text)
        except Exception as error:  # noqa: BLE001 (that is what it looks for)
            frames = traceback.extract_tb(error.__traceback__)
            print(f"{name}: {error!r} at {frames[-1].name}:{frames[-1].lineno}")
            kept.add(name)
            out.mkdir(parents=True, exist_ok=True)
            raw = text.encode("utf-8", "surrogatepass")
            (out / f"{name}.scn").write_bytes(raw)
    print(f"seed {args.seed}: {runs} texts, {len(kept)} broke a law")
    return 1 if kept else 0


if __name__ == "__main__":
    sys.exit(main())
