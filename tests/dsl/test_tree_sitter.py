"""The tree-sitter grammar, compiled, reads what the Lark grammar reads, and no more."""

import ctypes
import functools
import importlib.util
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tree_sitter
from hypothesis import given, settings

from isocost.dsl.building import Refused, Unread
from isocost.dsl.format import _pattern
from isocost.dsl.parser import parse_piece

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "editors" / "tree-sitter"
SCENARIOS = sorted((ROOT / "scenarios").rglob("*.scn"))
EXAMPLES = [
    example
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for example in re.findall(
        r"```scn[^\n]*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
]
COMPILER = shutil.which(os.environ.get("CC", "gcc"))
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


def texts() -> Iterator[str]:
    for path in SCENARIOS:
        yield path.read_text(encoding="utf-8")


@functools.cache
def language() -> tree_sitter.Language:
    """The kept parser, compiled with every warning an error."""
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/parser.so"
        sources = [str(FOLDER / "src" / name) for name in ("parser.c", "scanner.c")]
        flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        flags += ["-Wno-unused-parameter", f"-I{FOLDER / 'src'}"]
        assert COMPILER is not None
        subprocess.run([COMPILER, *flags, *sources, "-o", library], check=True)
        function = ctypes.CDLL(library).tree_sitter_isocost
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(capsule(function(), b"tree_sitter.Language", None))


def tree(text: str) -> tree_sitter.Node:
    return tree_sitter.Parser(language()).parse(text.encode()).root_node


def lark_reads(text: str) -> bool | None:
    """Whether the Lark grammar can read a text; None where the builder refused it."""
    try:
        parse_piece(text, "f.scn")
    except Refused:
        return None
    except Unread:
        return False
    return True


def test_the_parser_is_what_its_generator_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the generator is on this machine: `tools/tree_sitter_cli.sh` gets it."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import tree_sitter_files

    program = tree_sitter_files.generator()
    made = tree_sitter_files.parser_files(program) if program else None
    if made is None:
        pytest.skip("no tree-sitter of the release whose output is kept")
    for name, text in made.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_every_rule_of_the_grammar_gives_a_node() -> None:
    """The catalogue, and one line with what no scenario there happens to use."""
    known = {
        name
        for number in range(language().node_kind_count)
        if language().node_kind_is_named(number)
        and language().node_kind_is_visible(number)
        and (name := language().node_kind_for_id(number)) != "ERROR"
    }
    rest = "unit u\nlet x := if not -1 < 2 or y then [{1, 2}] else f()\n"
    rest += "policy p {\n  deny a\n}\n"
    found = (node for text in (*texts(), rest) for node in nodes(tree(text)))
    met = {node.type for node in found if node.is_named}
    assert known == met


def nodes(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_shipped_scenarios(path: Path) -> None:
    """No error, and the same tokens at the same places as ours."""
    text = path.read_bytes().decode()
    root = tree(text)
    assert not root.has_error
    assert tokens_of(root) == [
        (match.group(), len(text[: match.start()].encode()))
        for match in _pattern().finditer(text)
        if match.lastgroup in {*TOKENS.values(), "COMMENT", "DOC"}
    ]


TOKENS = {
    "string": "STRING",
    "key": "CITE",
    "date": "DATE",
    "quantity": "QUANTITY",
    "shown_unit": "IN_UNIT",
}


def tokens_of(root: tree_sitter.Node) -> list[tuple[str, int]]:
    out = []
    for node in nodes(root):
        if node.type in {*TOKENS, "comment", "doc"} and node.is_named:
            assert node.text is not None
            out.append((node.text.decode(), node.start_byte))
    return out


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_the_documentation(text: str) -> None:
    """Those that are right have no error, those that show a mistake in syntax one."""
    reads = lark_reads(text)
    if reads is not None:
        assert tree(text).has_error != reads


PIECES = [
    *("{", "}", "(", ")", "[", "]", "=", ":=", "+", "-", "^", ",", '"', "#", "///"),
    *(" to ", " in ", " at ", "GB/s", "5", " ", "\n", "\r\n", "@a", "±", "%", "let "),
    *("if ", " then ", "not ", "edition 2026\n", "x", "2025-01", "10 to 20", "·", "Q"),
]


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_block_is_an_error_in_both_or_in_none(seed: int) -> None:
    """Pieces of the catalogue with characters lost, put in or turned round."""
    chance = random.Random(seed)
    pieces = [piece + "\n" for text in texts() for piece in text.split("\n\n")]
    wrong = 0
    for _ in range(400):
        text = chance.choice(pieces)
        at = chance.randrange(len(text))
        if chance.random() < 0.4:
            text = text[:at] + text[at + chance.randint(1, 4) :]
        else:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        reads = lark_reads(text)
        if reads is not None:
            assert tree(text).has_error != reads, text
            wrong += not reads
    assert wrong > 100


def test_words_and_dates_that_only_looking_ahead_can_tell() -> None:
    for value in (
        *("10 to 20 GB", "10 tokens", "5 in", "1 1/s", "1 /cm^2", "2 GB^x", "2 to2"),
        *("3 or 4", "1 $/kW-month", "1 kW-", "2025-01-0", "2025-1201", "2025-Q12"),
        *("2025-Q1", "2025-01-02.5", "45%/year", "45% GB", "5  GB", "5kB", "5 to$"),
        *("(1\n+ 2)", "1 +\n\n# c\n 2", "1\n+ 2", "[1,\n2,\n]", "{\n1}", "{1,\n}"),
    ):
        text = f"let x := {value}\n"
        reads = lark_reads(text)
        assert reads is not None
        assert tree(text).has_error != reads, value


def test_a_mistake_spoils_no_other_line() -> None:
    text = "chip a {\n  x = (1 +\n  y = 3 W\n}\n\nlink b {\n  z = 4\n}\n"
    found = [node for node in nodes(tree(text)) if node.type == "block"]
    assert [b.child_by_field_name("name").text for b in found] == [b"a", b"b"]  # type: ignore[union-attr]


def programs() -> Any:
    """The module of laws, for the programs that it generates."""
    path = ROOT / "tests" / "props" / "test_language.py"
    spec = importlib.util.spec_from_file_location("laws_of_language", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@given(programs().anything)
@settings(deadline=None)
def test_generated_programs_are_errors_in_both_or_in_none(text: str) -> None:
    """A NUL is the end of a text for tree-sitter's lexer, so there is none here."""
    clean = text.replace("\0", "").encode("utf-8", "ignore").decode()
    reads = lark_reads(clean)
    if reads is not None:
        assert tree(clean).has_error != reads


def captures(name: str, root: tree_sitter.Node) -> dict[str, list[tree_sitter.Node]]:
    source = (FOLDER / "queries" / f"{name}.scm").read_text(encoding="utf-8")
    query = tree_sitter.Query(language(), source)
    return tree_sitter.QueryCursor(query).captures(root)


def test_the_highlights_show_every_token_once() -> None:
    """Only a path within a formula stays as it is."""
    for text in (*texts(), *EXAMPLES):
        root = tree(text)
        if root.has_error:
            continue
        shown = [n.id for found in captures("highlights", root).values() for n in found]
        assert len(shown) == len(set(shown))
        leaves = [
            n for n in nodes(root) if not n.child_count and (n.text or b"").strip()
        ]
        left = {n.type for n in leaves if n.id not in set(shown)}
        assert left <= {"path"}


def test_the_highlights_know_what_is_what() -> None:
    text = (
        "chip a extends b {\n  /// doc\n  peak[bf16] = max(5 TB/s, f(x = 2%)) @k # c\n"
        "  let h := if a then 2025-01-02 else 3 in W\n}\n"
    )
    found = {
        name: [
            n.text.decode() for n in sorted(many, key=lambda n: n.start_byte) if n.text
        ]
        for name, many in captures("highlights", tree(text)).items()
    }
    assert {k: v for k, v in found.items() if "punct" not in k and k != "operator"} == {
        "keyword.type": ["chip"],
        "type.definition": ["a"],
        "type": ["b"],
        "keyword": ["extends", "let", "if", "then", "else"],
        "comment.documentation": ["/// doc"],
        "property": ["peak[bf16]"],
        "function": ["max", "f"],
        "variable.parameter": ["x"],
        "variable": ["h"],
        "number": ["5", "2%", "3"],
        "type.builtin": ["TB/s", "in W"],
        "string.special": ["2025-01-02"],
        "attribute": ["@k"],
        "comment": ["# c"],
    }


def test_folds_and_the_outline() -> None:
    root = tree("chip a extends b {\n  x = 1\n}\nunit seat\n")
    assert [n.type for n in captures("folds", root)["fold"]] == ["block"]
    names = [n.text for n in captures("tags", root)["name"]]
    assert sorted(n for n in names if n) == [b"a", b"b", b"seat"]
