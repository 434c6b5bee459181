"""SARIF output is valid against the schema of the standard, and says what is meant."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest

from isocost.__main__ import main
from isocost.dsl import messages
from isocost.dsl.check import check_file
from isocost.dsl.diagnostics import Diagnostic, Fix, Label, at
from isocost.dsl.render import render
from isocost.dsl.spans import Span
from isocost.engine.quantities import table

SCHEMA = Path(__file__).parent / "data" / "sarif" / "sarif-schema-2.1.0.json"
VALIDATOR = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
#: What RFC 3986 lets stand in a URI without `%`.
URI = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-F]{2})*")
EVALUATED = ("C", "M", "L010")


def log(found: list[Diagnostic], sources: dict[str, str]) -> dict[str, Any]:
    """The parsed output, after its validation."""
    data: dict[str, Any] = json.loads(render(found, sources, "sarif"))
    VALIDATOR.validate(data)
    return data


def results(data: dict[str, Any]) -> list[dict[str, Any]]:
    (run,) = data["runs"]
    found: list[dict[str, Any]] = run["results"]
    return found


def places(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Every location of a result, related ones among them."""
    all_of = [*result["locations"], *result.get("relatedLocations", [])]
    return [location["physicalLocation"] for location in all_of]


def slice_of(region: dict[str, int], text: str) -> tuple[int, int]:
    """What a reader that counts code points makes of a region."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return (
        starts[region["startLine"] - 1] + region["startColumn"] - 1,
        starts[region["endLine"] - 1] + region["endColumn"] - 1,
    )


@pytest.mark.parametrize("code", messages.codes())
def test_the_examples_of_all_codes(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, text in messages.page(code).examples.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = ["--evaluate"] if code.startswith(EVALUATED) else []
    main(["check", *options, "--format", "sarif", f"{code}.scn"])
    data = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(data)
    for result in results(data):
        for place in places(result):
            assert URI.fullmatch(place["artifactLocation"]["uri"])


def test_labels_and_fixes_lie_where_their_spans_do() -> None:
    """Behind letters beyond ASCII and beyond 16 bits, and over several lines."""
    text = "edition 2026\nchip a {\n  # 𝔘𝔫𝔦 · é\n  power = 5W\n  powr = 5 W\n}\n"
    found = list(check_file("f.scn", table(), text).diagnostics)
    assert any(diagnostic.fixes for diagnostic in found)
    emoji = text.index("𝔘")
    made = at(
        "N006",
        Span("f.scn", emoji, emoji + 3),
        also=[Label(Span("f.scn", emoji - 8, emoji + 9), "two lines")],
        fixes=[Fix("change", Span("f.scn", emoji + 1, emoji + 2), "Ü\n")],
        name="y",
    )
    every = [*found, made]
    shown = results(log(every, {"f.scn": text}))
    for result, diagnostic in zip(shown, every, strict=True):
        spans = [label.span for label in diagnostic.labels]
        for place, span in zip(places(result), spans, strict=True):
            assert slice_of(place["region"], text) == (span.start, span.end)
        for fix, meant in zip(result.get("fixes", []), diagnostic.fixes, strict=True):
            (change,) = fix["artifactChanges"]
            (replacement,) = change["replacements"]
            start, end = slice_of(replacement["deletedRegion"], text)
            assert (start, end) == (meant.span.start, meant.span.end)
            assert replacement["insertedContent"]["text"] == meant.text


def test_names_of_files_are_uris() -> None:
    """Relative to the root, whole, shipped; with blanks, colons and other letters."""
    names = {
        "a b/ç:1%.scn": ("a%20b/%C3%A7%3A1%25.scn", True),
        "../x.scn": ("../x.scn", True),
        "/srv/data#1.scn": ("file:///srv/data%231.scn", False),
        "isocost:chips/aws": ("isocost:chips/aws", False),
        "\udcff.scn": ("%3F.scn", True),
    }
    found = [at("N003", Span(name, 0, 1), name="x") for name in names]
    data = log(found, dict.fromkeys(names, "x\n"))
    (run,) = data["runs"]
    for result, (name, (uri, relative)) in zip(
        run["results"], names.items(), strict=True
    ):
        (place,) = places(result)
        artifact = place["artifactLocation"]
        assert artifact["uri"] == uri
        assert ("uriBaseId" in artifact) == relative
        if relative:
            assert artifact["uriBaseId"] in run["originalUriBaseIds"]
            assert urlsplit(uri).scheme == ""
        if "\udcff" not in name:
            assert unquote(uri).endswith(name)


def test_several_files_in_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.scn", "b é.scn"):
        Path(name).write_text("edition 2026\nchip a {\n  powr = 5 W\n}\n", "utf-8")
    assert main(["check", "a.scn", "b é.scn", "none.scn", "--format", "sarif"]) == 1
    data = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(data)
    uris = {places(r)[0]["artifactLocation"]["uri"] for r in results(data)}
    assert uris == {"a.scn", "b%20%C3%A9.scn", "none.scn"}


def test_braces_and_links_in_messages_stand_for_themselves() -> None:
    """Sections 3.11.5 and 3.11.6: `{0}` and `[a](1)` would mean something else."""
    note = "one of {1, 2}, or peak[fp8](1)"
    found = at("N003", Span("f.scn", 0, 1), name="x", notes=[note], label="{0}")
    (result,) = results(log([found], {"f.scn": "x\n"}))
    assert r"one of {{1, 2}}, or peak\[fp8](1)" in result["message"]["text"]
    assert result["locations"][0]["message"]["text"] == "{{0}}"


def test_the_validation_can_fail() -> None:
    data = log([at("N003", Span("f.scn", 0, 1), name="x")], {"f.scn": "x\n"})
    data["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(data)


def test_nothing_found_is_valid_too() -> None:
    assert results(log([], {})) == []
