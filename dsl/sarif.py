"""Diagnostics as SARIF 2.1.0, for forges and editors that read it.

Section numbers are those of the standard. Names of files are relative to the folder in
which the tool ran, which forges take for the root of the repository; columns count code
points, which SARIF calls by name.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from isocost.dsl import messages
from isocost.dsl.diagnostics import Diagnostic, Fix, Label
from isocost.dsl.load import SHIPPED
from isocost.dsl.places import Text
from isocost.dsl.spans import Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
#: The beginning of what would be read as a link (3.11.6).
_LINK = re.compile(r"\[(?=[^\]]*\]\()")


def sarif(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]
) -> dict[str, Any]:
    """One run with the rules of the codes that occur."""
    codes = sorted({d.code for d in diagnostics})
    texts = {name: Text(text) for name, text in sources.items()}
    index = {code: number for number, code in enumerate(codes)}
    driver = {
        "name": "isocost",
        "version": _version(),
        "rules": [_rule(code) for code in codes],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    _ROOT: {"description": {"text": "where isocost was run"}}
                },
                "results": [_result(d, index[d.code], texts) for d in diagnostics],
            }
        ],
    }


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("isocost")
    except PackageNotFoundError:
        return "0"


def _rule(code: str) -> dict[str, Any]:
    page = messages.page(code)
    return {
        "id": code,
        "shortDescription": _message(_plain(page.what)),
        "fullDescription": _message(_plain(f"{page.what} {page.why}")),
        "help": _message(_plain(page.fix)),
        "defaultConfiguration": {"level": page.severity},
    }


def _plain(text: str) -> str:
    return " ".join(text.split())


def _message(text: str) -> dict[str, str]:
    """A text in which a reader finds neither placeholders (3.11.5) nor links."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return {"text": _LINK.sub(r"\\[", doubled)}


def _result(
    diagnostic: Diagnostic, index: int, texts: Mapping[str, Text]
) -> dict[str, Any]:
    words = [messages.title(diagnostic), *diagnostic.notes]
    help_ = messages.help_text(diagnostic)
    if help_:
        words.append(f"help: {help_}")
    first, *others = diagnostic.labels
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": _message("\n".join(words)),
        "locations": [_location(first, texts)],
    }
    if others:
        result["relatedLocations"] = [
            {"id": number, **_location(label, texts)}
            for number, label in enumerate(others, 1)
        ]
    if diagnostic.fixes:
        result["fixes"] = [_fix(diagnostic, fix, texts) for fix in diagnostic.fixes]
    return result


def _location(label: Label, texts: Mapping[str, Text]) -> dict[str, Any]:
    physical = {
        "artifactLocation": _artifact(label.span),
        "region": _region(label.span, texts),
    }
    words = messages.label_text(label.text)
    out: dict[str, Any] = {"physicalLocation": physical}
    return {**out, "message": _message(words)} if words else out


def _artifact(span: Span) -> dict[str, str]:
    """A file: shipped ones have a scheme of their own, others are relative or whole."""
    name = span.file.encode("utf-8", "replace")
    if span.file.startswith(SHIPPED):
        return {"uri": quote(name, safe="/:")}
    uri = quote(name, safe="/")
    if uri.startswith("/"):
        return {"uri": f"file://{uri}"}
    return {"uri": uri, "uriBaseId": _ROOT}


def _region(span: Span, texts: Mapping[str, Text]) -> dict[str, int]:
    place = texts.get(span.file, Text("")).place(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _fix(diagnostic: Diagnostic, fix: Fix, texts: Mapping[str, Text]) -> dict[str, Any]:
    replacement = {
        "deletedRegion": _region(fix.span, texts),
        "insertedContent": {"text": fix.text},
    }
    change = {
        "artifactLocation": _artifact(fix.span),
        "replacements": [replacement],
    }
    return {
        "description": _message(messages.fix_title(diagnostic, fix)),
        "artifactChanges": [change],
    }
