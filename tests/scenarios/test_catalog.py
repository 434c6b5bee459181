"""Every file of the catalogue is right by itself, and all of them together."""

import functools

import pytest

from isocost.dsl.catalog import catalog_document, catalog_files, entries
from isocost.dsl.check import Checked, check, check_file
from isocost.dsl.document import Document
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

FILES = catalog_files()
#: Kinds whose figures are facts of the world, so that each needs a source.
SOURCED = {"chip", "link", "part", "system", "fabric", "model", "software"}
SOURCED |= {"site", "finance", "silicon", "supply"}
#: Attributes that are names and references, not figures.
NAMES = {"vendor", "family", "stack", "chips", "precisions", "framework", "term"}
NAMES |= {"tenure", "start", "released", "class", "supplier", "generation"}


@functools.cache
def checked(name: str) -> Checked:
    return check_file(name, table())


@functools.cache
def whole() -> Document:
    return catalog_document()


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_neither_errors_nor_warnings(name: str) -> None:
    found = checked(name).diagnostics
    assert [(d.code, dict(d.args)) for d in found] == []


@pytest.mark.parametrize("name", FILES)
def test_its_checks_hold(name: str) -> None:
    evaluation = Evaluation(checked(name), count=64)
    verdicts = evaluation.verdicts()
    assert [v.condition.why for v in verdicts if not v.holds] == []
    assert evaluation.diagnostics == []
    assert len(verdicts) == len(checked(name).document.conditions)


def test_all_files_go_together() -> None:
    found = check(whole(), table()).diagnostics
    assert [(d.code, dict(d.args)) for d in found if d.severity == "error"] == []


def test_checks_of_an_imported_file_stay_its_own() -> None:
    text = 'edition 2026\nimport "isocost:chips/aws"\n'
    found = check_file("mine.scn", table(), text)
    assert found.document.conditions == ()
    assert checked("isocost:chips/aws").document.conditions


@pytest.mark.parametrize("name", FILES)
def test_every_figure_has_a_source(name: str) -> None:
    bare = [
        f"{entry.name}.{fact.path}"
        for entry in entries(checked(name).document)
        for fact in entry.facts
        if entry.file == name
        and entry.kind in SOURCED
        and not (fact.cites or fact.formula)
        and fact.path.head not in NAMES
        and (fact.attribute is None or fact.attribute.sort in {"quantity", "text"})
    ]
    assert bare == []


def test_every_source_says_who_when_and_what_kind() -> None:
    for source in whole().sources.values():
        assert {"date", "kind"} <= set(source.facts), source.label
        assert source.title, source.label
        assert "url" in source.facts or "note" in source.facts, source.label


def test_every_source_is_cited() -> None:
    cited = {
        cite.key
        for entry in entries(whole())
        for fact in entry.facts
        for cite in fact.cites
    }
    assert (
        sorted(b.label for b in whole().sources.values() if b.label not in cited) == []
    )


def test_an_assumption_gives_its_reason() -> None:
    silent = [
        f"{entry.name}.{fact.path}"
        for entry in entries(whole())
        for fact in entry.facts
        for cite in fact.cites
        if cite.assumed and not cite.locator
    ]
    assert silent == []


#: What the first study imports by name.
NAMED = {
    "chip": "trainium1 inferentia2 trainium2 trainium3 a100 h100 h200 b200 b300 gb200 "
    "gb300 mi300x mi325x mi355x tpu_v5e tpu_v5p tpu_v6e tpu_v7",
    "system": "trn1 inf2 trn2 trn2_ultra trn3_gen1 trn3_gen2 hgx_h100 hgx_h200 "
    "hgx_b200 gb200_nvl72 gb300_nvl72 mi300x_8 mi355x_8 tpu_v6e_pod tpu_v7_cube",
    "model": "llama3_8b llama3_70b llama3_405b deepseek_v3 gpt_oss_120b "
    "qwen3_235b_a22b",
    "finance": "hyperscaler neocloud inferencex_hyperscaler inferencex_neocloud "
    "rent_three_years aws_on_demand aws_capacity_block",
    "site": "indiana us_hyperscale us_colocation",
    "software": "neuron_trn2 trtllm",
}


@pytest.mark.parametrize(("kind", "names"), NAMED.items())
def test_blocks_that_others_build_on_are_there(kind: str, names: str) -> None:
    found = {block.name for block in whole().of_kind(kind)}
    assert set(names.split()) <= found


@pytest.mark.parametrize(
    "system", [b.name for b in catalog_document().of_kind("system")]
)
def test_a_system_of_the_catalogue_can_be_built(system: str) -> None:
    document = whole()
    file = document.blocks[system].file
    text = f'edition 2026\nimport "{file}"\nscenario s {{\n  system = {system}\n}}\n'
    evaluation = Evaluation(check_file("s.scn", table(), text), count=64)
    for metric in ("bisection", "chips"):
        assert evaluation.node("s", metric) is not None
    price = evaluation.node("s", "price.system")
    assert evaluation.diagnostics == []
    assert price is not None
    assert evaluation.point((price,))[price] > 0
