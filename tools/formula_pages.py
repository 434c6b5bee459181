"""Writes the reference of formulas: `docs/formulas/`, a page a module and an index.

`python tools/formula_pages.py` writes the pages; with `--check` it changes nothing and
fails where a page is out of date. Everything comes from the formulas' own data.
"""

import importlib
import pkgutil
import sys
from pathlib import Path

import isocost.engine.formulas as package
from isocost.engine.formula import FORMULAS, Formula
from isocost.engine.printers.text import show
from isocost.engine.validity import clauses, is_condition

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "formulas"
HEAD = "<!-- Written by tools/formula_pages.py. -->\n"
#: A longer body is told by its docstring, and stands in the module.
LONGEST = 400


def modules() -> dict[str, tuple[str, list[Formula]]]:
    """The modules with formulas by name: what each is about, and its formulas."""
    found = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        own = [
            one
            for one in FORMULAS.values()
            if one.function and one.function.__module__ == module.__name__
        ]
        if own:
            found[info.name] = (module.__doc__ or "", own)
    return found


def entry(one: Formula) -> list[str]:
    """A formula: what it is, its body, variables, validity and source."""
    body = show(one.body)
    rows = [
        f"| `{name}` | {'-' if p.unit == '1' else f'`{p.unit}`'} | {p.doc} |"
        for name, p in one.params.items()
    ]
    unit = "" if one.unit == "1" else f" in `{one.unit}`"
    holds = [f"`{c}`" if is_condition(c) else c for c in clauses(one.valid)]
    return [
        f"## {one.name}",
        "",
        one.doc,
        "",
        *(["```text", f"{one.name} = {body}", "```", ""] * (len(body) <= LONGEST)),
        f"The result is{unit or ' a plain number'}.",
        "",
        "| variable | unit | what it is |",
        "|---|---|---|",
        *rows,
        "",
        f"- Valid: {'; '.join(holds)}",
        f"- Source: {one.source}",
        "",
    ]


def documents() -> dict[str, str]:
    """The generated pages by name."""
    out = {}
    index = []
    for name, (doc, own) in modules().items():
        parts = [f"# {name}", "", HEAD, doc.strip(), ""]
        for one in own:
            parts += entry(one)
            index.append(
                f"| [`{one.name}`]({name}.md#{one.name}) | {_first(one.doc)} |"
            )
        out[f"{name}.md"] = "\n".join(parts)
    out["README.md"] = "\n".join(
        [
            "# Formulas",
            "",
            HEAD,
            "Every formula of the engine, by name. A condition in `code` under",
            "*Valid* is checked wherever the formula is applied, and a result outside",
            "of it is flagged; the rest of the line is what the formula assumes.",
            "",
            "| formula | what it gives |",
            "|---|---|",
            *sorted(index),
            "",
        ]
    )
    return out


def _first(doc: str) -> str:
    return doc.partition("\n")[0].replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    wanted = documents()
    stale = [
        name
        for name, text in wanted.items()
        if not (FOLDER / name).exists()
        or (FOLDER / name).read_text(encoding="utf-8") != text
    ]
    left = [path for path in FOLDER.glob("*.md") if path.name not in wanted]
    if "--check" in arguments:
        for name in (*stale, *(path.name for path in left)):
            print(f"docs/formulas/{name} is out of date")
        return 1 if stale or left else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(wanted[name], encoding="utf-8")
    for path in left:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
