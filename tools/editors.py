"""Writes the grammars for editors below `editors/`, from the Lark grammar's own rules.

`python tools/editors.py` writes them; with `--check` it changes nothing and fails where
one is out of date. The TextMate grammar takes the patterns of the terminals; the
tree-sitter grammar is every rule of the language in tree-sitter's words.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from isocost.dsl.functions import DISTRIBUTIONS, FUNCTIONS
from isocost.dsl.parser import machine
from isocost.dsl.schema import KINDS
from isocost.grammar import text as grammar_text

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "editors"
STATEMENTS = ("edition", "import", "unit", "let", "check", "claim", "extends", "as")
WORDS = ("if", "then", "else", "and", "or", "not", "to", "at", "true", "false", "auto")


def terminals() -> dict[str, str]:
    """The pattern of every terminal by its name."""
    return {t.name: t.pattern.to_regexp() for t in machine().lark.terminals}


def textmate() -> dict[str, Any]:
    """The TextMate grammar, for VS Code, Sublime Text and forges."""
    known = terminals()
    words = "|".join
    calls = words(sorted({*FUNCTIONS, *DISTRIBUTIONS, "derived", "select"}))
    rules = [
        ("comment.line.documentation", known["DOC"]),
        ("comment.line.number-sign", known["COMMENT"]),
        ("string.quoted.double", known["STRING"]),
        ("keyword.other.unit", rf"\b{known['IN_UNIT']}"),
        ("entity.name.tag.source", known["CITE"]),
        ("constant.numeric.date", known["DATE"]),
        ("constant.numeric.quantity", rf"(?<![A-Za-z0-9_.\[]){known['QUANTITY']}"),
        ("keyword.control", rf"\b(?:{words(STATEMENTS)})\b"),
        ("storage.type.kind", rf"^(?:{words(sorted(KINDS))})\b(?=\s+\w)"),
        ("keyword.operator.word", rf"\b(?:{words(WORDS)})\b"),
        ("support.function", rf"\b(?:{calls})(?=\()"),
        ("keyword.operator.definition", ":="),
        ("keyword.operator", rf"{known['COMPARE']}|{known['PLUS_MINUS']}|[-+*/^=]"),
        ("variable.other.path", known["PATH"]),
    ]
    return {
        "name": "Isocost",
        "scopeName": "source.isocost",
        "fileTypes": ["scn"],
        "patterns": [{"name": f"{n}.isocost", "match": m} for n, m in rules],
    }


def package() -> dict[str, Any]:
    """The manifest of the VS Code extension that carries the grammar."""
    return {
        "name": "isocost",
        "displayName": "Isocost scenarios",
        "version": "2026.0.0",
        "license": "Apache-2.0",
        "engines": {"vscode": "^1.75.0"},
        "contributes": {
            "languages": [
                {
                    "id": "isocost",
                    "aliases": ["Isocost"],
                    "extensions": [".scn"],
                    "configuration": "./language-configuration.json",
                }
            ],
            "grammars": [
                {
                    "language": "isocost",
                    "scopeName": "source.isocost",
                    "path": "./syntaxes/isocost.tmLanguage.json",
                }
            ],
        },
    }


def configuration() -> dict[str, Any]:
    """Comments and brackets, for VS Code."""
    pairs = [["{", "}"], ["[", "]"], ["(", ")"]]
    return {
        "comments": {"lineComment": "#"},
        "brackets": pairs,
        "autoClosingPairs": [*pairs, ['"', '"']],
        "indentationRules": {
            "increaseIndentPattern": r"\{\s*(#.*)?$",
            "decreaseIndentPattern": r"^\s*\}",
        },
    }


_RULE = re.compile(
    r"^\??(?P<name>[A-Z_a-z]+)(?:\.\d+)?\s*:\s*(?P<body>.*(?:\n[ \t]+\|.*)*)",
    re.MULTILINE,
)
_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/|->\s*\w+|[A-Za-z_]+|[()\[\]|*+?]'
)


def tree_sitter() -> str:
    """The tree-sitter grammar: `grammar.js`."""
    text = re.sub(r"^//.*$", "", grammar_text(), flags=re.MULTILINE)
    rules = {m["name"]: m["body"] for m in _RULE.finditer(text)}
    out = [
        "// Generated from grammar/isocost.lark by tools/editors.py: change that one.",
        "module.exports = grammar({",
        '  name: "isocost",',
        "  extras: $ => [/[ \\t]/, $.COMMENT],",
        "  word: $ => $.PATH,",
        "  rules: {",
    ]
    for name, body in sorted(rules.items(), key=lambda item: item[0] != "start"):
        written = _SPECIAL.get(name) or _Translated(body).choice()
        written = written.replace("$.members", "optional($.members)")
        out.append(f"    {_name(name)}: $ => {written},")
    return "\n".join([*out, "  },", "});", ""])


#: A rule of tree-sitter's may not be empty.
_SPECIAL = {
    "members": "choice($._NL, seq(optional($._NL), $._member, "
    "repeat(seq($._NL, $._member)), optional($._NL)))"
}
#: Words that may follow a number, so that they are no units.
_AFTER = ("to", "in", "at", "and", "or", "if", "then", "else")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzµ$€£%"


def _without_lookahead(pattern: str) -> str:
    """A pattern in tree-sitter's words, which know no looking ahead."""
    word = re.fullmatch(r"/(\w+)\(\?!\[A-Za-z0-9_\]\)/", pattern)
    if word is not None:
        return json.dumps(word[1])
    refused = rf"(?!(?:{'|'.join(_AFTER)})\b)"
    unit = "(?:[A-Za-zµ$€£%]+(?:"
    other = _other_words(_AFTER)
    pattern = pattern.replace(rf"{refused}\/?{unit}", rf"\/?(?:{other}(?:")
    return re.sub(r"\(\?!\[[^\]]*\]\)", "", pattern)


def _other_words(words: tuple[str, ...], depth: int = 0) -> str:
    """A pattern for any word of letters but these."""
    following = sorted({w[depth] for w in words if len(w) > depth})
    rest = "".join(c for c in _LETTERS if c not in following)
    parts = [f"[{rest}][{_LETTERS}]*"]
    for letter in following:
        inner = tuple(w for w in words if w[depth : depth + 1] == letter)
        whole = any(len(w) == depth + 1 for w in inner)
        more = f"(?:{_other_words(inner, depth + 1)})"
        parts.append(letter + more + ("" if whole else "?"))
    return f"(?:{'|'.join(parts)})"


def _name(name: str) -> str:
    return "source_file" if name == "start" else name


class _Translated:
    """One rule's body, read from left to right."""

    def __init__(self, body: str) -> None:
        found = _PIECE.findall(body)
        self.pieces = [p for p in found if not p.startswith("->")]

    def _next(self) -> str:
        return self.pieces[0] if self.pieces else ""

    def choice(self) -> str:
        """Alternatives, parted by `|`."""
        options = [self._sequence()]
        while self._next() == "|":
            self.pieces.pop(0)
            options.append(self._sequence())
        return options[0] if len(options) == 1 else f"choice({', '.join(options)})"

    def _sequence(self) -> str:
        parts = []
        while self._next() and self._next() not in {"|", ")", "]"}:
            parts.append(self._item())
        return parts[0] if len(parts) == 1 else f"seq({', '.join(parts)})"

    def _item(self) -> str:
        piece = self.pieces.pop(0)
        if piece in {"(", "["}:
            inner = self.choice()
            self.pieces.pop(0)
            made = f"optional({inner})" if piece == "[" else inner
        elif piece[0] == '"':
            made = piece
        elif piece[0] == "/":
            made = _without_lookahead(piece)
        else:
            made = f"$.{_name(piece)}"
        wrap = {"*": "repeat", "+": "repeat1", "?": "optional"}
        while self._next() in wrap:
            made = f"{wrap[self.pieces.pop(0)]}({made})"
        return made


def documents() -> dict[str, str]:
    """The files below `editors/` by name."""
    return {
        "vscode/package.json": _json(package()),
        "vscode/language-configuration.json": _json(configuration()),
        "vscode/syntaxes/isocost.tmLanguage.json": _json(textmate()),
        "tree-sitter/grammar.js": tree_sitter(),
    }


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the grammars, or compare them."""
    stale = 0
    for name, text in documents().items():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"editors/{name} is out of date")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
