"""What lies in `editors/tree-sitter/`: grammar, queries, manifest, and the C parser.

The parser is made by tree-sitter's own generator, where this machine has it; else the
one that was kept stays.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tree_sitter_grammar import NOTICE, Translation, grammar_js, read

from isocost.grammar import text as grammar_text


def words() -> tuple[list[str], list[str]]:
    """The texts that stand for themselves: words, and signs other than brackets."""
    found = Translation(read(grammar_text())).words()
    signs = [w for w in found if not w.isalpha() and w not in "()[]{},"]
    return [w for w in found if w.isalpha()], signs


def highlights() -> str:
    """The query `highlights.scm`: no node is named twice, so that no order matters."""
    names, signs = words()
    lines = [
        f"; {NOTICE}",
        "(comment) @comment",
        "(doc) @comment.documentation",
        "(string) @string",
        "(key) @attribute",
        "(date) @string.special",
        "[(number) (percent)] @number",
        "[(unit) (shown_unit)] @type.builtin",
        "(block kind: (path) @keyword.type)",
        "(block name: (path) @type.definition)",
        "(block base: (path) @type)",
        "(unit_decl name: (path) @type.definition)",
        "(import alias: (path) @module)",
        *(f"({n} name: (path) @property)" for n in ("value", "formula")),
        *(f"({n} name: (path) @variable)" for n in ("let", "let_value")),
        "(named name: (path) @variable.parameter)",
        "(call function: (path) @function)",
        f"[{_quoted(names)}] @keyword",
        f"[{_quoted(signs)}] @operator",
        '["(" ")" "[" "]" "{" "}"] @punctuation.bracket',
        '"," @punctuation.delimiter',
    ]
    return "\n".join([*lines, ""])


def _quoted(names: Iterable[str]) -> str:
    return " ".join(json.dumps(n, ensure_ascii=False) for n in names)


#: What can be folded, and what is listed as an outline.
FOLDS = "[(block) (list) (choice) (call)] @fold\n"
TAGS = """(block kind: (path) name: (path) @name) @definition.class
(block base: (path) @name) @reference.class
(unit_decl name: (path) @name) @definition.constant
"""


def manifest() -> dict[str, Any]:
    """What tree-sitter's tools want to know about the grammar: `tree-sitter.json`."""
    grammar = {
        "name": "isocost",
        "camelcase": "Isocost",
        "scope": "source.isocost",
        "path": ".",
        "file-types": ["scn"],
        "highlights": "queries/highlights.scm",
        "tags": "queries/tags.scm",
    }
    metadata = {
        "version": "2026.0.0",
        "license": "Apache-2.0",
        "description": "The scenario language of Isocost",
    }
    return {"grammars": [grammar], "metadata": metadata}


# What tree-sitter's generator makes of it.

#: The release whose output is kept; Debian 13 has it.
GENERATOR = "0.22.6"
MADE = ("parser.c", "grammar.json", "node-types.json")
HEADERS = ("alloc.h", "array.h", "parser.h")


def generator() -> str | None:
    """The `tree-sitter` of this machine; None if it or Node.js is missing."""
    if shutil.which("node") is None:
        return None
    own = os.path.join(os.path.dirname(sys.executable), "tree-sitter")
    return own if os.access(own, os.X_OK) else shutil.which("tree-sitter")


def parser_files(program: str) -> dict[str, str] | None:
    """The C parser and what goes with it; None from another release of the generator.

    Raises:
        subprocess.CalledProcessError: The grammar has conflicts or other faults.
    """
    version = subprocess.run(
        [program, "--version"], check=True, capture_output=True, text=True
    ).stdout.split()[1]
    if version != GENERATOR:
        return None
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "grammar.js").write_text(grammar_js(), encoding="utf-8")
        line = [program, "generate", "--no-bindings"]
        subprocess.run(line, cwd=folder, check=True, capture_output=True, text=True)
        names = [*MADE, *(f"tree_sitter/{name}" for name in HEADERS)]
        return {
            f"src/{name}": (place / "src" / name).read_text(encoding="utf-8")
            for name in names
        }


def documents() -> dict[str, str]:
    """The files below `editors/tree-sitter/`; the parser only with its generator."""
    program = generator()
    made = parser_files(program) if program else None
    return {
        "grammar.js": grammar_js(),
        "tree-sitter.json": json.dumps(manifest(), indent=2) + "\n",
        "queries/highlights.scm": highlights(),
        "queries/folds.scm": FOLDS,
        "queries/tags.scm": TAGS,
        **(made or {}),
    }
