"""Small mistakes put into right files: the right code on the right line.

Each mutator states the code that its mistake should give, and where. Seeds are fixed;
`ISOCOST_SEED` in the environment runs others.
"""

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from isocost.dsl.check import check_file
from isocost.dsl.places import Text
from isocost.engine.quantities import table

ROOT = Path(__file__).resolve().parents[2]
BASES = [
    ROOT / "benchmarks" / "hundred_lines.scn",
    ROOT / "scenarios" / "examples" / "h200_neocloud.scn",
    ROOT / "scenarios" / "examples" / "inference_comparison.scn",
    Path(__file__).parent / "data" / "everything.scn",
    ROOT / "scenarios" / "catalog" / "chips" / "aws.scn",
]
FACT = r"^  (?!let )([\w.]+(?:\[[^]]*\])?) = (?=[0-9])"


@attrs.frozen
class Mistake:
    """A pattern on a line, what it becomes, and what must be said.

    `line` is where, counted from the changed line; None for the block's header.
    """

    name: str
    pattern: str
    becomes: str | Callable[[re.Match[str]], str]
    codes: str
    line: int | None = 0


MISTAKES = [
    Mistake("no equals", FACT, r"  \1 ", "S002"),
    Mistake("a colon", FACT, r"  \1: ", "S002 S001"),
    Mistake("two equals", FACT, r"  \1 == ", "S001"),
    Mistake("an open text", r'^(  \w+ = "[^"]*)"$', r"\1", "S005"),
    Mistake("a closing brace lost", r"^}$", "", "S003", None),
    Mistake("a closing brace too many", r"^}$", "}\n}", "S006", 1),
    Mistake("an open bracket", r"^(  [\w.]+ = \w+\([^()]*)\)$", r"\1", "S004"),
    Mistake("an opening brace lost", r"^(\w+ \w+ .*) \{$", r"\1", "S001"),
    Mistake("a kind misspelt", r"^(c)(h)(ip \w+.*\{)$", r"\2\1\3", "N001"),
    Mistake("a system misspelt", r"^sys(tem \w+.*\{)$", r"syst\1", "N001"),
    Mistake("a member misspelt", r"^  power = ", "  pwoer = ", "N002"),
    Mistake("a long member misspelt", r"^  memory\.bandw", "  memory.badnw", "N002"),
    Mistake("a role misspelt", r"^  system = ", "  sytem = ", "N003"),
    Mistake("an unknown source", r"@(\w+_\w+)", r"@\1x", "N004"),
    Mistake("an unknown unit", r"(?<=[0-9] )TB/s", "TBB/s", "U001"),
    Mistake("a plural unit", r"(?<=[0-9] )kW\b", "kWs", "U001"),
    Mistake("a unit of two readings", r"(?<=[0-9] )GB/s", "Gbps", "U003"),
    Mistake("kilobytes", r"(?<=[0-9] )GiB\b", "KB", "U003"),
    Mistake(
        "another dimension",
        r"^(  (?!let)[\w.]*bandwidth = [0-9.]+) [GT]B/s",
        r"\1 GB",
        "U004",
    ),
    Mistake("no unit", r"^(  power = [0-9]+) k?W(?!.* to )", r"\1", "U004"),
    Mistake("no space", r"^(  [\w.]+ = [0-9.]+) ([GT]B/s|W|GiB)", r"\1\2", "S001"),
    Mistake("two spaces", r"^(  [\w.]+ = [0-9.]+) ([GT]B/s|W|GiB)", r"\1   \2", "S001"),
    Mistake("a comma in a number", r"= ([0-9])([0-9]{3})\b", r"= \1,\2", "S001"),
    Mistake("a big K", r"([0-9])k ", r"\1K ", "S001 U001"),
    Mistake("a fact twice", rf"{FACT}(.*)$", r"  \1 = \2\n  \1 = \2", "N006", 1),
    Mistake(
        "a block twice",
        r"^(site|finance) (\w+)(.*)\{$",
        r"\1 \2 {\n}\n\1 \2\3{",
        "N005",
        2,
    ),
    Mistake(
        "a role misspelt in front", r"^  chip\.price = ", "  chpi.price = ", "N003"
    ),
    Mistake("a workload misspelt", r"^  workload = ", "  wrokload = ", "N003"),
    Mistake("a software misspelt", r"^  software = ", "  sofware = ", "N003"),
    Mistake("a site misspelt", r"^  site = ", "  stie = ", "N003"),
    Mistake("a kind in place of a name", r"^(system|chip) (\w+) ", r"\1 ", "S001"),
    Mistake("an unknown chip", r"^  chip = (\w+)", r"  chip = \1zz", "N003"),
    Mistake("an unknown site", r"^  site = (\w+)", r"  site = zz\1", "N003"),
    Mistake("a word for a block", r"^  chip = \w+", '  chip = "it"', "V003"),
    Mistake("an unknown base", r" extends (\w+) \{", r" extends \1q {", "N003"),
    Mistake("its own base", r"^(site|finance) (\w+) \{", r"\1 \2 extends \2 {", "R003"),
    Mistake(
        "another kind's base",
        r"^(site) (\w+) \{",
        "chip c0 {\n}\nsite \\2 extends c0 {",
        "R004",
        2,
    ),
    Mistake(
        "ends the wrong way round",
        r"= ([0-9.]+ ?[^ @]*) to ([0-9.]+ ?[^ @]*)",
        r"= \2 to \1",
        "V004",
    ),
    Mistake(
        "one end without its unit", r"= ([0-9.]+) ([^ @%]+) to ", r"= \1 to ", "V004"
    ),
    Mistake(
        "a formula as a value", r"^(  power = [0-9]+ k?W)(?!.* to )", r"\1 * 2", "V005"
    ),
    Mistake(
        "a value as a formula",
        r"^  power = ([0-9]+ k?W)(?= @| ±|$)(?! ±)",
        r"  power := \1",
        "V006",
    ),
    Mistake("out of bounds", r"^  pue = [0-9.]+.*", "  pue = 0.5", "V001"),
    Mistake("a share above 1", r"^  (availability|sold) = .*", r"  \1 = 180%", "V001"),
    Mistake("an unknown word", r"^  task = (\w+)", r"  task = \1e", "V002"),
    Mistake("a number for a word", r"^  tenure = \w+", "  tenure = 5 W", "V003"),
    Mistake("a number for a text", r'^  vendor = ".*"', "  vendor = 5", "V003"),
    Mistake(
        "a text for a number", r"^  power = [0-9]+ k?W.*", '  power = "high"', "V003"
    ),
    Mistake("no quotes", r'^  vendor = "(\w+)[^"]*"', r"  vendor = \1", "V003 S001"),
    Mistake("curly quotes", r'^  title = "(.*)"', r"  title = “\1”", "S001"),
    Mistake("an unknown key", r"^  peak\[bf16\]", "  peak[bf61]", "N010"),
    Mistake("a key lost", r"^  peak\[bf16\]", "  peak", "N009"),
    Mistake("a key too many", r"^  power = ", "  power[x] = ", "N009"),
    Mistake("a later edition", r"^edition 2026", "edition 2031", "R006"),
    Mistake("an edition of three digits", r"^edition 2026", "edition 202", "S001"),
    Mistake("a lost file", r'^import "isocost:(\w+)', r'import "isocost:\1x', "R001"),
    Mistake(
        "an unknown metric", r"^(check|claim) (.*)\.cost\.", r"\1 \2.csot.", "N003"
    ),
    Mistake(
        "a condition of two dimensions", r"< ([0-9k.]+) \$/sys\w+", r"< \1 W", "U005"
    ),
    Mistake(
        "no condition", r"^(check|claim) ([\w.]+\[\w+\]) [<>/*] .*", r"\1 \2", "V003"
    ),
    Mistake(
        "a chained condition",
        r"^(check|claim) ([\w.]+) (<) (.*)",
        r"\1 1 < \2 < \4",
        "S001",
    ),
    Mistake("another unit shown", r" in \$/\w+$", " in GB/s", "U002"),
    Mistake("a source without a name", r"@[a-z]\w+ \"", '@ "', "S001"),
    Mistake("a semicolon", rf"{FACT}(.*)$", r"  \1 = \2;", "S001"),
    Mistake("a broken formula", r" := (.*)$", r" := \1 *", "S001"),
    Mistake("an unknown function", r"\bmax\(", "mx(", "N003"),
    Mistake(
        "no such day", r"= 20([0-9]{2})-[0-9]{2}-[0-9]{2}", r"= 20\1-13-45", "V003"
    ),
    Mistake(
        "two facts on a line",
        rf"{FACT}([0-9.]+ [\w/%]+)$",
        r"  \1 = \2 \1 = \2",
        "S001",
    ),
    Mistake("a word processor's minus", r" - (?=\w)", " – ", "S001"),
    Mistake("a multiplication sign", r" \* ", " × ", "S001"),
    Mistake("a comment of another language", r" @assumed", " // @assumed", "S001"),
]


def mutated(mistake: Mistake, text: str, rng: random.Random) -> tuple[str, int] | None:
    """The text with the mistake in it, and the line that must be named."""
    lines = text.split("\n")
    found = [(i, re.search(mistake.pattern, line)) for i, line in enumerate(lines)]
    fitting = [i for i, match in found if match and _in_code(lines[i], match)]
    if not fitting:
        return None
    i = rng.choice(fitting)
    changed = re.sub(mistake.pattern, mistake.becomes, lines[i], count=1)
    expected = i + 1 + (mistake.line or 0)
    if mistake.line is None:
        expected = 1 + max(j for j in range(i) if lines[j].endswith("{"))
    return "\n".join([*lines[:i], changed, *lines[i + 1 :]]), expected


def _in_code(line: str, match: re.Match[str]) -> bool:
    """Whether a mistake would stand in code: in no comment and in no text."""
    before = line[: match.start()]
    return (
        "#" not in before + line[:3]
        and "///" not in line
        and before.count('"') % 2 == 0
    )


def said(text: str, path: Path) -> list[tuple[str, int]]:
    checked = check_file(str(path), table(), text)
    places = Text(text)
    return [
        (d.code, places.place(d.span).line)
        for d in checked.diagnostics
        if d.severity == "error" and d.span.file == str(path)
    ]


def outcomes() -> list[tuple[str, str, list[tuple[str, int]], tuple[str, int]]]:
    seed = int(os.environ.get("ISOCOST_SEED", "2026"))
    out = []
    for mistake in MISTAKES:
        for path in BASES:
            rng = random.Random(f"{seed} {mistake.name} {path.name}")
            text = path.read_text(encoding="utf-8")
            made = mutated(mistake, text, rng)
            if made is not None:
                where = (mistake.codes, made[1])
                out.append((mistake.name, path.name, said(made[0], path), where))
    return out


def test_the_bases_are_right() -> None:
    for path in BASES:
        assert said(path.read_text(encoding="utf-8"), path) == []


def test_mistakes_get_their_code_and_line() -> None:
    results = outcomes()
    assert {name for name, *_ in results} == {m.name for m in MISTAKES}
    wrong = [
        (name, file, found, wanted)
        for name, file, found, wanted in results
        if not (
            len(found) == 1
            and found[0][0] in wanted[0].split()
            and found[0][1] == wanted[1]
        )
    ]
    listed = "\n".join(map(str, wrong))
    assert len(wrong) <= 0.05 * len(results), f"{len(results)} in all:\n{listed}"


@pytest.mark.parametrize("seed", range(20))
def test_five_mistakes_give_five_diagnostics(seed: int) -> None:
    """Five mistakes in five blocks of a file that has more of them."""
    rng = random.Random(seed)
    single = [
        ("power = 500 W", "pwoer = 500 W"),
        ("power = 500 W", "power 500 W"),
        ("power = 500 W", "power = 500 Wx"),
        ("power = 500 W", "power = 500 GB"),
        ("power = 500 W", "power = 500 W @nobody"),
        ("power = 500 W", "power = 500W"),
        ("power = 500 W", "power := 500 W"),
        ("power = 500 W", "power = 2 * 500 W"),
        ("power = 500 W", "power = 500 W to 400 W"),
        ("power = 500 W", "power = 500 to 600 W"),
        ("power = 500 W", "peak[fp7] = 500 TFLOP/s"),
        ("power = 500 W", 'power = "500 W'),
        ("power = 500 W", "power = (500 W"),
        ("chip ", "chpi "),
    ]
    blocks = []
    for i, change in enumerate(rng.sample(single, 5)):
        right = f"chip c{i} {{\n  power = 500 W\n  price = 4 $\n}}\n"
        blocks.append(right.replace(*change, 1))
    fine = [f"chip d{i} {{\n  power = 1 W\n}}\n" for i in range(3)]
    parts = [*blocks, *fine]
    rng.shuffle(parts)
    found = said("edition 2026\n\n" + "\n".join(parts), Path("f.scn"))
    assert len(found) == 5, found
