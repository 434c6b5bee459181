"""Writes `grammar/tables.json`, the tables on which the parser runs, with Lark's help.

`python tools/parser_tables.py` writes them; with `--check` it changes nothing and fails
where they are not those of `grammar/isocost.lark`.
"""

import json
import sys
from pathlib import Path

from isocost.dsl.tables import KEPT, made
from isocost.grammar import text as grammar_text

PLACE = Path(__file__).resolve().parent.parent / "grammar" / KEPT


def main(arguments: list[str]) -> int:
    """Write the tables, or compare them."""
    text = json.dumps(made(grammar_text()), ensure_ascii=False, indent=0) + "\n"
    if PLACE.exists() and PLACE.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in arguments:
        print(f"grammar/{KEPT} is out of date")
        return 1
    PLACE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
