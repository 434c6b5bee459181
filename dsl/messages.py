"""The words of every diagnostic: title, help, and the page of its code.

A page is `errors/CODE.md`: a head with the templates, then what the mistake is, why
it is one, an example that gives it, and how to mend it. A template's `{name}` is
filled from the facts of the case; a part in `[[ ]]` goes where one of its facts is
missing or empty.
"""

import functools
import os
import re
from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.diagnostics import Diagnostic, Fix
from isocost.dsl.mending import dimension_notes, spelled
from isocost.dsl.units import PLAIN
from isocost.dsl.wording import CHARACTERS, EXPECTED, FIXES, FOUND, HINTS, LABELS

__all__ = [
    "Page",
    "codes",
    "did_you_mean",
    "dimension_notes",
    "fix_title",
    "help_text",
    "label_text",
    "page",
    "spelled",
    "title",
]

_FOLDER = os.path.join(os.path.dirname(__file__), "errors")
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]")
_FIELD = re.compile(r"\{(\w+)\}")
_SECTION = re.compile(r"^## (\w+)\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"```scn ?([^\n]*)\n(.*?)```", re.DOTALL)
_LONGEST_FACT = 60
_LONGEST_RING = 400
_MOST_NAMES = 16
#: Facts that list names, parted by commas.
_LISTS = {"readings", "options", "keys", "candidates"}


@attrs.frozen
class Page:
    """Everything that is written about one code.

    `examples` are the files of the example by name; the main one comes first and is
    called after the code.
    """

    code: str
    title: str
    severity: str
    help: str
    what: str
    why: str
    examples: Mapping[str, str]
    fix: str


def codes() -> tuple[str, ...]:
    """All codes that have a page, in order."""
    with os.scandir(_FOLDER) as entries:
        return tuple(sorted(e.name[:-3] for e in entries if e.name.endswith(".md")))


@functools.cache
def page(code: str) -> Page:
    """The page of a code.

    Raises:
        FileNotFoundError: A code without a page; a test makes sure that none is.
    """
    with open(os.path.join(_FOLDER, f"{code}.md"), encoding="utf-8") as file:
        text = file.read()
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    sections = {name: words.strip() for name, words in _SECTION.findall(body)}
    examples = {
        name.strip() or f"{code}.scn": example
        for name, example in _EXAMPLE.findall(sections["Example"])
    }
    return Page(
        code,
        fields["title"],
        fields["severity"],
        fields.get("help", ""),
        sections["What"],
        sections["Why"],
        examples,
        sections["Fix"],
    )


def title(diagnostic: Diagnostic) -> str:
    """What is wrong, in one line."""
    return _fill(page(diagnostic.code).title, _facts(diagnostic))


def help_text(diagnostic: Diagnostic) -> str | None:
    """What to do about it, in one line; None where nothing more can be said.

    In this order: what the case itself knows, the nearest names, the slip that the
    parser recognised, the advice for every case of the code.
    """
    if diagnostic.help:
        return diagnostic.help
    near = [n for n in diagnostic.args.get("near", "").split(", ") if n]
    if near:
        return did_you_mean(near)
    facts = _facts(diagnostic)
    hint = diagnostic.args.get("hint")
    if hint:
        meant = facts.get("meant", "")
        facts["meant"] = CHARACTERS.get(meant, f"`{meant}`")
        return HINTS[hint].format_map(facts)
    template = page(diagnostic.code).help
    return _fill(template, facts) or None if _filled(template, facts) else None


def did_you_mean(names: Iterable[str]) -> str | None:
    """The question that offers the nearest names; None where there are none."""
    offered = _either(names)
    return f"did you mean {offered}?" if offered else None


def label_text(text: str) -> str:
    """The words beside a place."""
    return LABELS.get(text, text)


def fix_title(diagnostic: Diagnostic, fix: Fix) -> str:
    """What a fix does, as an editor's menu shows it."""
    key = diagnostic.args.get("hint", diagnostic.code)
    if fix.title:
        return fix.title
    return FIXES.get(key, f"replace by `{fix.text.strip()}`")


def _facts(diagnostic: Diagnostic) -> dict[str, str]:
    """The facts in words, none of them so long that it hides the rest."""
    long = {"ring", "why", "reason", "target"}
    facts = {
        name: _shortened(text, _LONGEST_RING if name in long else _LONGEST_FACT)
        for name, text in diagnostic.args.items()
    }
    if diagnostic.code == "S001":
        found = facts.get("found", "")
        facts["found"] = FOUND.get(found, f"`{found}`")
        facts["expected"] = EXPECTED.get(
            facts.get("expected", ""), facts.get("expected", "")
        )
    for name in {"expected", "found"} & facts.keys():
        if facts[name] == str(PLAIN):
            facts[name] = f"a {facts[name]}"
    for name in _LISTS & facts.keys():
        facts[name] = _either(diagnostic.args[name].split(", "))
    if "path" in facts:
        facts["path"] = facts["path"].replace("[]", "[…]")
    if facts.get("above"):
        facts["range"] = f"above {facts['above']}"
    elif "low" in facts or "high" in facts:
        facts["range"] = _range(facts.get("low", ""), facts.get("high", ""))
    return facts


def _either(names: Iterable[str]) -> str:
    """`a`, `b` or `c`; the first ones of a long list."""
    quoted = [f"`{_shortened(name)}`" for name in names if name]
    if len(quoted) > _MOST_NAMES:
        return ", ".join(quoted[:_MOST_NAMES]) + " …"
    *others, last = quoted or [""]
    return f"{', '.join(others)} or {last}" if others else last


def _range(low: str, high: str) -> str:
    if low and high:
        return f"between {low} and {high}"
    return f"at least {low}" if low else f"at most {high}" if high else ""


def _shortened(text: str, limit: int = _LONGEST_FACT) -> str:
    line = text.split("\n", 1)[0]
    short = len(line) <= limit and line == text
    shown = line if short else line[:limit].rstrip() + "…"
    return "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in shown)


def _filled(template: str, facts: Mapping[str, str]) -> bool:
    """Whether every fact outside `[[ ]]` is there."""
    return all(facts.get(name) for name in _FIELD.findall(_OPTIONAL.sub("", template)))


def _fill(template: str, facts: Mapping[str, str]) -> str:
    def optional(match: re.Match[str]) -> str:
        names = _FIELD.findall(match[1])
        return match[1] if all(facts.get(name) for name in names) else ""

    text = _OPTIONAL.sub(optional, template)
    return _FIELD.sub(lambda match: facts.get(match[1], ""), text).strip()
