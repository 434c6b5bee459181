"""Writes the generated pages of the language reference, and the schema of its export.

`python tools/reference.py` writes `docs/language/`; with `--check` it changes nothing
and fails where a page is out of date. Kinds come from the schema, units from their
table, quantities from what the engine derives, topologies from their registry, the
grammar from its own file.
"""

import json
import sys
from pathlib import Path

from isocost.dsl.export import json_schema
from isocost.dsl.functions import DISTRIBUTIONS, FUNCTIONS
from isocost.dsl.keys import by_position
from isocost.dsl.schema import KINDS, Attribute, Kind
from isocost.dsl.units import AMBIGUOUS, BASES, COUNTABLES, CURRENCIES, UNITS
from isocost.engine.quantities import table
from isocost.grammar import text as grammar_text

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "language"
HEAD = "<!-- Written by tools/reference.py. -->\n"
#: Values that an example states, by the sort of the attribute.
_VALUES = {
    "text": '"…"',
    "date": "2025-01-01",
    "flag": "true",
}
_MOST = 6


def kinds_page() -> str:
    """One section a kind: what it is, an example, its attributes."""
    parts = ["# Kinds of block", "", HEAD]
    parts += [f"- [`{name}`](#{name})" for name in sorted(KINDS)]
    for name in sorted(KINDS):
        parts += ["", *_kind(KINDS[name])]
    return "\n".join(parts) + "\n"


def _kind(kind: Kind) -> list[str]:
    counts = f" One of it is counted in `{kind.counts}`." if kind.counts else ""
    rows = [_row(a) for _, a in sorted(kind.attributes.items())]
    return [
        f"## {kind.name}",
        "",
        kind.doc + counts,
        "",
        "```scn",
        example(kind),
        "```",
        "",
        "| attribute | holds | what it is | default |",
        "|---|---|---|---|",
        *rows,
    ]


def _row(attribute: Attribute) -> str:
    path = attribute.path
    if attribute.keys:
        keys = attribute.keys
        inside = ", ".join(k.strip("*") or "name" for k in keys)
        inside = inside if by_position(attribute) else " or ".join(keys)
        path = path.replace("[]", f"[{inside}]", 1)
    default = f"`{attribute.default}`" if attribute.default is not None else ""
    if attribute.default_source:
        default += f" ({attribute.default_source})"
    cells = (f"`{path}`", _holds(attribute), attribute.doc, default)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


#: Attributes that hold something true or false, written as a formula.
_CONDITIONS = {"holds", "deny[]"}


def _holds(attribute: Attribute) -> str:
    match attribute.sort:
        case "quantity":
            low, high = attribute.low, attribute.high
            bounds = [f"≥ {low:g}"] if low is not None else []
            bounds = ["> 0"] if attribute.positive and not low else bounds
            bounds += [f"≤ {high:g}"] if high is not None else []
            whole = ["whole"] if attribute.whole else []
            flow = [f"dated {attribute.flow}"] if attribute.flow else []
            plain = attribute.unit == "1"
            unit = "number" if plain else f"`{attribute.unit}`"
            left = ["or `auto`"] if attribute.chosen else []
            return ", ".join([unit, *bounds, *whole, *flow, *left])
        case "word":
            return " or ".join(f"`{word}`" for word in attribute.words) or "a word"
        case "block":
            return "a " + " or ".join(f"`{name}`" for name in attribute.of)
        case "list" if attribute.path in _CONDITIONS:
            return "a condition"
        case "list":
            return "a list"
        case sort:
            return f"a {sort}"


#: Blocks of kinds that mean nothing without others, written by hand.
_WRITTEN = {
    "correlation": """\
edition 2026

chip my_chip {
  power = 400 W to 600 W @assumed "an example"
  sram = 150 MB to 250 MB @assumed "an example"
}

correlation example {
  between = [my_chip.power, my_chip.sram]
  rank = 0.5 @assumed "an example"
}"""
}


def example(kind: Kind) -> str:
    """A block of a kind with some of its attributes, right as it stands."""
    if kind.name in _WRITTEN:
        return _WRITTEN[kind.name]
    lines, more = [], []
    barred = {path for a in kind.exclusive for path in a.excludes}
    whole = kind.attributes.values()
    simple = [a for a in whole if _value(a) is not None and a.path not in barred]
    for attribute in simple[:_MOST]:
        value = _value(attribute)
        if attribute.sort == "block":
            other = f"my_{attribute.of[0]}"
            more.append(f"{attribute.of[0]} {other} {{\n}}\n")
            value = other
        keys = ["2025-01-01" if k.startswith("date") else k for k in attribute.keys]
        inside = ", ".join(keys) if by_position(attribute) else keys[0]
        path = attribute.path.replace("[]", f"[{inside}]")
        cited = attribute.sort == "quantity" and not attribute.decision
        source = ' @assumed "an example"' if cited else ""
        lines.append(f"  {path} = {value}{source}")
    blocks = "\n".join(dict.fromkeys(more))
    body = "\n".join([f"{kind.name} example {{", *lines, "}"])
    return f"edition 2026\n\n{blocks}" + ("\n" if more else "") + body


def _value(attribute: Attribute) -> str | None:
    """A value for an attribute; None where an example would need too much beside it."""
    free = all(k == "date" or k[0] not in "<*d" for k in attribute.keys)
    if attribute.keys and not free:
        return None
    match attribute.sort:
        case "quantity" if not attribute.free:
            number = f"{max(1.0, attribute.low or 0):g}"
            unit = attribute.unit
            if attribute.high is not None and attribute.high <= 1:
                return "90%"
            return number if unit == "1" else f"{number} {unit}".replace(" %", "%")
        case "word" if attribute.words:
            return attribute.words[0]
        case "block" if attribute.of and attribute.of[0] != "scenario":
            return attribute.of[0]
        case sort:
            return _VALUES.get(sort)


def units_page() -> str:
    """Every unit with its dimension, its scale and its prefixes."""
    rows = [
        f"| `{name}` | {dim} | {_scale(scale)} | {' '.join(prefixes)} |"
        for name, (dim, scale, prefixes) in UNITS.items()
    ]
    refused = [
        f"| `{name}` | {' or '.join(f'`{r}`' for r in readings)} |"
        for name, readings in AMBIGUOUS.items()
    ]
    return "\n".join(
        [
            "# Units",
            "",
            HEAD,
            "`-` and `·` multiply and bind before `/`: `$/kW-month` is $/(kW·month).",
            "Powers are written `mm^2`; a unit may begin with `/`.",
            "",
            f"Base dimensions: {', '.join(BASES)}.",
            "",
            f"Things that are counted: {', '.join(f'`{c}`' for c in COUNTABLES)}; a",
            "file declares further ones with `unit NAME`.",
            "",
            f"Currencies: {', '.join(CURRENCIES)}. Money is counted in USD (`$`);",
            "another currency needs an `exchange` block with a dated rate.",
            "",
            "```scn",
            "edition 2026",
            "",
            "unit seat",
            "",
            'let price = 20 $/seat/month @assumed "a list price"',
            "let revenue := price * 1_000 seat in $/year",
            "```",
            "",
            "| unit | dimension | in base units | prefixes |",
            "|---|---|---|---|",
            *rows,
            "",
            "## Spellings with two readings",
            "",
            "These are errors; the message offers the readings.",
            "",
            "| spelling | write |",
            "|---|---|",
            *refused,
            "",
        ]
    )


def _scale(scale: object) -> str:
    return str(scale)


def quantities_page() -> str:
    """What the engine derives for a scenario."""
    rows = [
        f"| `{_open(path)}` | `{entry.unit}` | {entry.doc} | {entry.when} |"
        for path, entry in sorted(table().items())
    ]
    head = ["# Derived quantities", "", HEAD]
    text = [
        "Any of them may be asked for (`isocost eval -m PATH`), used in a formula or a",
        "check, and replaced in a scenario by a value or a formula.",
        "",
        "| path | unit | what it is | when |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *text, *rows]) + "\n"


def _open(path: str) -> str:
    return path.replace("[]", "[…]")


def grammar_page() -> str:
    """The grammar itself, and the functions that it calls by name."""
    shown = {**FUNCTIONS, **DISTRIBUTIONS}
    rows = [
        f"| `{name}` | {'one or more' if count is None else count} |"
        for name, count in shown.items()
    ]
    return "\n".join(
        [
            "# Grammar",
            "",
            HEAD,
            "```lark",
            grammar_text().rstrip(),
            "```",
            "",
            "## Functions and distributions",
            "",
            "| name | arguments |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def documents() -> dict[str, str]:
    """The generated files by name."""
    from topology_pages import page as topologies_page

    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    return {
        "kinds.md": kinds_page(),
        "units.md": units_page(),
        "quantities.md": quantities_page(),
        "grammar.md": grammar_page(),
        "topologies.md": topologies_page(),
        "export.schema.json": schema,
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    stale = 0
    for name, text in documents().items():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"docs/language/{name} is out of date")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
