"""Writes the grammars for editors below `editors/`, from the Lark grammar's own rules.

`python tools/editors.py` writes them; with `--check` it changes nothing and fails where
one is out of date. The TextMate grammar takes the patterns of the terminals; for the
tree-sitter grammar see `tree_sitter_grammar`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import tree_sitter_files

from isocost.dsl.functions import DISTRIBUTIONS, FUNCTIONS
from isocost.dsl.parser import reader
from isocost.dsl.schema import KINDS

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "editors"
STATEMENTS = ("edition", "import", "unit", "let", "check", "claim", "extends", "as")
WORDS = ("if", "then", "else", "and", "or", "not", "to", "at", "true", "false", "auto")


def terminals() -> dict[str, str]:
    """The pattern of every terminal by its name."""
    return reader().tables.terminals


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
    """The manifest of the VS Code extension: the grammar, and the server's client."""
    return {
        "name": "isocost",
        "publisher": "isocost",
        "displayName": "Isocost scenarios",
        "version": "2026.0.0",
        "license": "Apache-2.0",
        "engines": {"vscode": "^1.82.0"},
        "main": "./extension.js",
        "activationEvents": ["onLanguage:isocost"],
        "dependencies": {"vscode-languageclient": "^9.0.1"},
        "contributes": {
            "configuration": {
                "title": "Isocost",
                "properties": {
                    "isocost.command": {
                        "type": "array",
                        "items": {"type": "string"},
                        "default": ["isocost", "lsp"],
                        "description": "The command that runs the editor server.",
                        "scope": "machine",
                    }
                },
            },
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


def documents() -> dict[str, str]:
    """The files below `editors/` by name."""
    return {
        "vscode/package.json": _json(package()),
        "vscode/language-configuration.json": _json(configuration()),
        "vscode/syntaxes/isocost.tmLanguage.json": _json(textmate()),
        **{f"tree-sitter/{n}": t for n, t in tree_sitter_files.documents().items()},
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
