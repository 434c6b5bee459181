"""Our reader and Lark's own parser, which runs the same grammar, say the same."""

import importlib.util
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken
from lark.exceptions import VisitError

from isocost.dsl import tables
from isocost.dsl.building import Builder, Refused, Unread
from isocost.dsl.parser import parse_piece, reader
from isocost.dsl.reader import GOES_ON
from isocost.grammar import text as grammar_text

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted((ROOT / "scenarios").rglob("*.scn"))


class LineEnds:
    """Drops line ends inside brackets, after operators and after doc comments."""

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depth = 0
        last = "_NL"
        for token in stream:
            if token.type == "_NL" and (depth or last in GOES_ON):
                continue
            if token.type in {"LPAR", "LSQB"}:
                depth += 1
            elif token.type in {"RPAR", "RSQB"}:
                depth = max(0, depth - 1)
            last = token.type
            yield token
        if last != "_NL":
            yield Token("_NL", "\n")


class Reference:
    """Lark's parser with our builder as its transformer."""

    def __init__(self, *, strict: bool = False) -> None:
        self.builder = Builder()
        self.builder.file = "f.scn"
        self.comments: list[str] = []
        self.lark = Lark(
            grammar_text(),
            parser="lalr",
            lexer="contextual",
            postlex=LineEnds(),
            maybe_placeholders=True,
            transformer=self.builder,
            lexer_callbacks={"COMMENT": self._comment},
            strict=strict,
        )

    def _comment(self, token: Token) -> Token:
        self.comments.append(str(token))
        return token

    def says(self, text: str) -> Any:
        """The items and comments; what is wrong where, and what was wanted."""
        self.comments = []
        try:
            return self.lark.parse(text), self.comments
        except (Refused, VisitError):
            return "refused"
        except UnexpectedToken as error:
            token = error.token
            wanted = frozenset(error.expected)
            if token.type in {"_NL", "$END"}:
                return token.type, wanted
            return token.type, token.start_pos, token.end_pos, wanted
        except UnexpectedCharacters as error:
            at = error.pos_in_stream or 0
            return "", at, at + 1, frozenset(error.allowed)


REFERENCE = Reference()


def ours(text: str) -> Any:
    reader().comments.clear()
    try:
        items = parse_piece(text, "f.scn")
    except Refused:
        return "refused"
    except Unread as error:
        if error.kind in {"_NL", "$END"}:
            return error.kind, error.wanted
        return error.kind, error.start, error.end, error.wanted
    return items, [words for words, _, _ in reader().comments]


def test_the_grammar_has_no_conflicts() -> None:
    Reference(strict=True)


def test_the_kept_tables_are_those_of_the_grammar() -> None:
    kept = json.loads((ROOT / "grammar" / tables.KEPT).read_text(encoding="utf-8"))
    assert kept == tables.made(grammar_text()), "run tools/parser_tables.py"


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_shipped_scenarios(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ours(text) == REFERENCE.says(text)


PIECES = [
    *("{", "}", "(", ")", "[", "]", "=", ":=", "+", "-", "^", ",", '"', "#", "///"),
    *(" to ", " in ", " at ", "GB/s", "5", " ", "\n", "\r\n", "@a", "±", "%", "let "),
    *("if ", " then ", "not ", "edition 2026\n", "x", "2025-01", "10 to 20", "é", "$"),
]


@pytest.mark.parametrize("seed", range(4))
def test_mutated_blocks(seed: int) -> None:
    """The same tree, or the same token at the same place with the same wishes."""
    chance = random.Random(seed)
    pieces = [
        piece + "\n"
        for path in SCENARIOS
        for piece in path.read_text(encoding="utf-8").split("\n\n")
    ]
    wrong = 0
    for _ in range(300):
        text = chance.choice(pieces)
        at = chance.randrange(len(text))
        if chance.random() < 0.4:
            text = text[:at] + text[at + chance.randint(1, 4) :]
        else:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        said = ours(text)
        assert said == REFERENCE.says(text), text
        wrong += not isinstance(said[0], tuple)
    assert wrong > 80


def programs() -> Any:
    """The module of laws, for the programs that it generates."""
    path = ROOT / "tests" / "props" / "test_language.py"
    spec = importlib.util.spec_from_file_location("laws_of_reading", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@given(programs().anything)
def test_generated_programs(text: str) -> None:
    assert ours(text) == REFERENCE.says(text)


def test_a_text_that_begins_with_another_grammar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kept tables that are out of date are not used."""
    changed = grammar_text().replace('"claim"', '"claims"')
    monkeypatch.setattr(tables, "grammar_text", lambda: changed)
    assert tables.kept().words["claims"] == "CLAIMS"
