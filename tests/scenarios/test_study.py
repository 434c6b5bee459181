"""The Trainium2 study: the figures that must come out, topic by topic."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from isocost import scenarios
from isocost.dsl.check import Checked, check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.reports import view as v
from isocost.reports.assemble import assemble, study_of
from isocost.reports.study import Study

FOLDER = Path(scenarios.__path__[0]) / "trainium2"


@pytest.fixture(scope="module")
def checked() -> Checked:
    return check_file(str(FOLDER / "study.scn"), table())


@pytest.fixture(scope="module")
def study(checked: Checked) -> Study:
    return study_of(Evaluation(checked, 256))


@pytest.fixture(scope="module")
def report(study: Study) -> v.Report:
    return assemble(study)


def value(study: Study, path: str) -> float:
    """A figure of the study in its unit."""
    told = study.told(path)
    assert told is not None, path
    return told.value


def blocks(report: v.Report) -> Iterator[v.Block]:
    """Every block of a report, however deep."""

    def inside(items: tuple[v.Block, ...]) -> Iterator[v.Block]:
        for block in items:
            yield block
            if isinstance(block, v.Section):
                yield from inside(block.blocks)
            if isinstance(block, v.Columns):
                for column in block.columns:
                    yield from inside(column)

    yield from inside(report.sections)


def test_the_study_is_free_of_mistakes(checked: Checked) -> None:
    assert [one for one in checked.diagnostics if one.severity == "error"] == []


#: Topic of STUDY.md, path, the figure that is known, how near.
KNOWN = (
    (2, "then.domain_trn1", 16, 0.01),
    (2, "then.domain_inf2", 12, 0.01),
    (2, "trainium1.scale_up.bandwidth", 192, 0.01),
    (2, "inferentia2.scale_up.bandwidth", 96, 0.01),
    (3, "intensity.trainium2", 230, 0.1),
    (3, "intensity_2024.trainium2", 225.9, 0.1),
    (3, "sheet.h200", 206, 0.5),
    (4, "domain.nvl72_over_ultra", 3.1, 0.01),
    (5, "link.intra_raw", 128, 0.01),
    (5, "link.intra_coded", 126, 0.1),
    (5, "link.chip", 640, 0.01),
    (5, "link.all_links", 3.30, 0.01),
    (5, "link.ordered", 8.65, 0.01),
    (5, "link.exchange", 8.39, 0.01),
    (6, "efa.ultra", 25.6, 0.01),
    (6, "efa.trn2_as_sold", 20.5, 0.05),
    (6, "efa.trn2_ceiling", 5.12, 0.01),
    (6, "efa.article", 6.4, 0.01),
    (6, "efa.latency_v2", 9, 0.01),
    (6, "efa.latency_v3", 6.5, 0.01),
    (8, "watts.trn2", 844, 1),
    (8, "watts.ultra", 750, 1),
    (8, "watts.rack", 27, 0.01),
    (10, "blast.max_over_ultra", 4, 0.01),
    (11, "blast.ultra", 64, 0.01),
    (11, "blast.max_plus", 256, 0.01),
    (11, "blast.tpu_cube", 64, 0.01),
    (12, "bill.copper_trn2", 1200, 1),
    (12, "bill.copper_ultra", 950, 50),
    (12, "bill.trn2_connectors", 48, 0.01),
    (12, "bill.trn2_cables", 1536, 0.01),
    (13, "rainier.first", 200_000, 1),
    (13, "rainier.planned", 400_000, 1),
    (13, "rainier.running", 500_000, 1),
    (14, "campus.phase_1", 455, 0.01),
    (14, "campus.whole", 1040, 0.01),
    (15, "inferencex_hyperscaler.rental[h100, owner]", 1.30, 0.01),
    (15, "inferencex_neocloud.rental[h100, owner]", 1.69, 0.01),
    (15, "inferencex_hyperscaler.rental[gb200, owner]", 2.21, 0.01),
    (15, "inferencex_neocloud.rental[gb200, owner]", 2.75, 0.01),
    (15, "rent_three_years.rental[h100, y3]", 1.30, 0.01),
    (15, "rent_one_year.h100_2025_10", 1.70, 0.01),
    (15, "rent_one_year.rental[h100, y1]", 2.35, 0.01),
    (15, "buys.unlike", 1.5, 0.05),
    (15, "buys.like", 4.7, 0.05),
    (16, "decode.trn2_llama3_405b", 25.5, 0.01),
    (16, "decode.trn2_llama3_70b", 36.6, 0.01),
    (17, "mfu.trn3_dense_native", 0.43, 0.001),
    (17, "mfu.trn3_dense_nki", 0.60, 0.001),
)


@pytest.mark.parametrize(("topic", "path", "known", "near"), KNOWN)
def test_a_known_figure_comes_out(
    study: Study, topic: int, path: str, known: float, near: float
) -> None:
    told = study.told(path)
    assert told is not None, (topic, path)
    shown = told.central if told.unit == "%" else told.value
    assert shown == pytest.approx(known, abs=near), (topic, path)


def test_claims_that_fail_their_arithmetic_fail(study: Study) -> None:
    failing = {v.condition.why for v in study.verdicts if not v.holds}
    assert "400k Trainium2 have fewer raw FLOPs than 100k GB200" in failing
    assert "a GB200 is 3.85 times a Trainium2" in failing
    assert any("6.4" in why for why in failing)
    holding = {v.condition.why for v in study.verdicts if v.holds}
    assert "the same, read per two-GPU superchip" in holding
    checks = [v for v in study.verdicts if v.condition.kind == "check"]
    assert [v.condition.why for v in checks if not v.holds] == []


def test_an_owned_hour_is_near_what_analysts_say(study: Study) -> None:
    """None of InferenceX's figures goes into it."""
    h100 = value(study, "hour_h100[terms].cost.per_chip_hour[installed]")
    gb200 = value(study, "hour_gb200[terms].cost.per_chip_hour[installed]")
    assert h100 == pytest.approx(1.30, rel=0.1)
    assert gb200 == pytest.approx(2.21, rel=0.1)


def test_a_run_on_gpus_fills_them_once(study: Study) -> None:
    """Runs of one size are compared: no platform trains several models at once."""
    for name in ("train_ultra", "train_trn2", "train_h100", "train_gb200"):
        chips = value(study, f"{name}.chips")
        assert chips == pytest.approx(16_384, rel=0.01)
        assert value(study, f"{name}.job.chips") == pytest.approx(chips, rel=0.01)


def test_the_title_has_not_outlived_its_result(study: Study) -> None:
    fact = study.block.facts["holds"] if study.block else None
    assert fact is not None
    assert study.stories.holds(fact.expr)


def test_every_exhibit_has_its_source_line(report: v.Report) -> None:
    bare = [
        block.caption
        for block in blocks(report)
        if isinstance(block, v.Figure | v.Table | v.Claims) and not block.source
    ]
    assert bare == []


def test_every_exhibit_has_a_caption_with_a_finding(report: v.Report) -> None:
    captions = [
        block.caption
        for block in blocks(report)
        if isinstance(block, v.Figure | v.Table)
    ]
    assert all(captions)
    assert len(captions) > 40
    assert len(set(captions)) == len(captions)


def test_the_sections_stand_in_order(report: v.Report) -> None:
    keys = [section.key for section in report.sections]
    order = ["verdict", "scope", "hardware", "topology", "performance", "cost"]
    order += ["supply", "software", "sensitivity", "claims", "risks", "method"]
    assert keys[: len(order)] == order
