"""`isocost catalog`: what it finds, shows, compares and cites."""

import json
from typing import Any

import pytest

from isocost.__main__ import main
from isocost.dsl.catalog import catalog_document, citing, entries, find, near


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["catalog", *words]) == 0
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> list[Any]:
    data = json.loads(printed(capsys, *words, "--format", "json"))
    assert data["schema"] == 1
    found: list[Any] = data["entries"]
    return found


def test_without_a_term_it_says_what_there_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = printed(capsys).splitlines()
    assert len(lines) < 30
    assert all(len(line) <= 120 for line in lines)
    kinds = {line.split()[0]: int(line.split()[1]) for line in lines[:-2]}
    for kind in ("chip", "finance"):
        listed = printed(capsys, "--kind", kind)
        assert listed.startswith(f"{kind} ({kinds[kind]})")


def test_a_list_in_a_pipe_cuts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--kind", "silicon")
    known = [e for e in entries(catalog_document()) if e.kind == "silicon"]
    assert all((e.title or e.doc).strip().split("\n")[0] in text for e in known)


def test_an_unknown_kind_names_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["catalog", "--kind", "finanse"]) == 2
    told = capsys.readouterr().err
    assert "did you mean finance?" in told
    assert "fabric" in told


def test_a_name_shows_its_values_and_sources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = printed(capsys, "trainium1")
    assert 'import "isocost:chips/aws"' in text
    assert "192 GB/s = 384 GB/s / 2" in text
    assert "@neuron_trn1_chip  AWS Neuron documentation: Trainium Architecture" in text
    assert "older edition" in text  # the figure that was not chosen


def test_several_names_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "trainium2", "gb200").splitlines()
    assert lines[0].split() == ["trainium2", "gb200"]
    row = next(line for line in lines if line.startswith("peak[bf16]"))
    assert row.split() == ["peak[bf16]", "667", "TFLOP/s", "2500", "TFLOP/s"]


def test_a_source_lists_what_cites_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "google_v5e")
    assert "tpu_v5e.peak[bf16]" in text
    assert "ici_v5e.bandwidth" in text


def test_words_find_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "torus", "thin")
    assert "trn2_ultra" in text
    assert "neuronlink_v3_inter" in printed(capsys, "--kind", "link", "neuronlink")


def test_nothing_found_offers_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "trainum2"]) == 1
    assert "did you mean trainium2" in capsys.readouterr().err


def test_json_has_numbers_units_and_sources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (entry,) = as_json(capsys, "intensity.h200")
    (value,) = entry["values"]
    assert value["value"] == pytest.approx(206.04, abs=0.01)
    assert value["unit"] == "FLOP/B"
    (chip,) = as_json(capsys, "h200")
    power = next(v for v in chip["values"] if v["path"] == "power")
    assert (power["value"], power["unit"]) == (700, "W")
    assert power["sources"][0]["kind"] == "press"


def test_json_of_a_search_has_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "neuronlink")
    assert len(found) > 1
    assert all("values" not in entry for entry in found)


def test_names_come_before_headings_before_words() -> None:
    known = entries(catalog_document())
    assert [entry.name for entry in find(known, "h100")] == ["h100"]
    names = [entry.name for entry in find(known, "ultra")]
    assert names.index("trn2_ultra") < names.index("trainium2")
    assert find(known, "no such thing at all") == []
    assert "h100" in near(known, "h10")


def test_a_statement_is_counted_once_where_it_is_stated() -> None:
    known = entries(catalog_document())
    owners = [entry.name for entry, _ in citing(known, "ai_infra_blackwell")]
    assert owners == ["gb300_nvl72"]
