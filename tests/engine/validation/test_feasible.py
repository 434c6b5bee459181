"""What no cluster can have run is refused; units and metrics are one table."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from isocost.engine.calibration import inference_spelling, training_measured
from isocost.engine.calibration.measured_units import METRICS, read_unit, stated
from isocost.engine.calibration.precision_names import strange
from isocost.engine.validation import collectives
from isocost.engine.validation.feasible import RULES
from isocost.engine.validation.run import faults_of, predict
from isocost.engine.validation.tables import FAMILIES, Row, Table

from .test_validation import FILES, models, table

PAGE = Path(__file__).parents[3] / "docs" / "validation.md"
FAMILY = {family.name: family for family in FAMILIES}
#: A row of each family that is right.
RIGHT: dict[str, dict[str, str]] = {
    "inference": {
        "chip": "H200",
        "n_chips": "8",
        "model": "llama3.1-70b",
        "tp": "8",
        "isl": "1024",
        "osl": "512",
        "batch": "8",
        "weight_precision": "fp8",
        "framework": "vLLM",
        "metric": "tpot",
        "value": "20",
        "unit": "ms",
    },
    "training": {
        "chip": "H100",
        "n_chips": "512",
        "model": "llama3.1-70b",
        "seq": "8192",
        "global_batch_seqs": "512",
        "micro_batch": "1",
        "tp": "4",
        "pp": "4",
        "dp": "32",
        "precision": "bf16",
        "framework": "NeMo",
        "metric": "tokens_per_s_per_chip",
        "value": "900",
        "unit": "tok/s",
    },
    "collectives": {
        "chip": "H100",
        "n_chips": "8",
        "nodes": "1",
        "operation": "all_reduce",
        "size_bytes": "1e9",
        "metric": "busbw",
        "value": "450",
        "unit": "GB/s",
    },
}


def row_of(family: str, **cells: str) -> Row:
    empty = dict.fromkeys(FAMILY[family].columns, "")
    named = {"row_id": "own", "source_id": "own", "series": "own"}
    return {**empty, **named, **RIGHT[family], **cells}


def refusal(family: str, **cells: str) -> str:
    row = row_of(family, **cells)
    return predict(Table(FAMILY[family], (row,), {}), models())[0].refused


IMPOSSIBLE = [
    ("inference", {"tp": "16"}, "tp 16 takes more ranks than 8 chips"),
    ("inference", {"dp": "8"}, "tp 8 x dp 8 takes more ranks than 8 chips"),
    ("inference", {"ep": "64"}, "ep 64 takes more ranks"),
    ("inference", {"tp": "1", "pp": "8", "layers": "4"}, "more stages than 4 layers"),
    (
        "inference",
        {"n_chips": "96", "tp": "1", "pp": "81"},
        "more stages than 80 layers",
    ),
    ("inference", {"tp": "3"}, "64 heads do not divide among tp 3"),
    ("inference", {"tp": "0"}, "`tp` cannot be 0"),
    ("inference", {"batch": "0"}, "`batch` cannot be 0"),
    ("inference", {"chip": ""}, "blank: `chip`"),
    ("inference", {"value": "1e-320"}, "what was measured cannot be 1e-320"),
    ("inference", {"osl": "1"}, "no token is written after the first"),
    ("inference", {"batch": "2.5"}, "no count"),
    ("inference", {"batch": "1e12"}, "no count"),
    ("inference", {"osl": "0"}, "`osl` is 0: no token is written"),
    ("inference", {"osl": "", "metric": "e2e_latency_ms"}, "`osl` is blank"),
    ("inference", {"isl": "1e9"}, "`isl` cannot be 1e9"),
    ("inference", {"weight_precision": "fp3"}, "no format of numbers"),
    ("inference", {"kv_precision": "banana"}, "`kv_precision` is no format"),
    ("inference", {"unit": "tok/s"}, "`tpot` is not stated in `tok/s`"),
    ("inference", {"unit": ""}, "`unit` is blank"),
    ("inference", {"metric": "tpot_ms", "unit": "s"}, "ends in `ms`"),
    ("inference", {"value": ""}, "nothing was measured"),
    ("inference", {"metric": ""}, "blank: `metric`"),
    (
        "inference",
        {"batch_kind": "static batch", "batch": "90000"},
        "of a batch of 90000, memory holds",
    ),
    ("training", {"tp": "100000"}, "takes more ranks than 512 chips"),
    ("training", {"dp": "64"}, "tp 4 x pp 4 x dp 64 takes more ranks"),
    ("training", {"micro_batch": "1e9"}, "more than the batch, 512"),
    ("training", {"micro_batch": "32"}, "on 32 replicas are more than the batch"),
    ("training", {"global_batch_seqs": "51.5"}, "no count"),
    ("training", {"precision": "fp3"}, "no format of numbers"),
    ("training", {"precision": "int4"}, "no peak of H100-SXM-80GB in int4"),
    ("training", {"tp": "3", "dp": ""}, "64 heads do not divide among tp 3"),
    ("training", {"micro_batch": "0"}, "`micro_batch` is no count"),
    ("training", {"chip": "", "model": ""}, "blank: `chip`, `model`"),
    ("training", {"metric": "step_time", "unit": ""}, "`unit` is blank"),
    ("training", {"metric": "step_time"}, "is not stated in `tok/s`"),
    ("training", {"metric": "mfu", "unit": "%", "value": "141"}, "an MFU of 141%"),
    ("training", {"unit": "tok/s/core"}, "not one that is read"),
    ("collectives", {"nodes": "16"}, "16 nodes have more than 8 chips"),
    ("collectives", {"size_bytes": "0"}, "`size_bytes` cannot be 0"),
    ("collectives", {"operation": ""}, "blank: `operation`"),
    ("collectives", {"value": "", "time_us": "1e-320"}, "what was measured cannot be"),
    ("collectives", {"metric": "time", "unit": ""}, "`unit` is blank"),
    ("collectives", {"unit": "ms"}, "`busbw` is not stated in `ms`"),
]


@pytest.mark.parametrize(("family", "cells", "why"), IMPOSSIBLE)
def test_what_no_cluster_can_have_run(
    family: str, cells: dict[str, str], why: str
) -> None:
    assert why in refusal(family, **cells)


@pytest.mark.parametrize(
    ("family", "cells"),
    [
        *((family, {}) for family in RIGHT),
        ("inference", {"osl": "0", "metric": "ttft"}),
        ("inference", {"tp": "1", "pp": "3"}),
        ("inference", {"tp": "3", "framework": "llama.cpp"}),
        ("inference", {"chip": "Trainium1", "n_chips": "12", "tp": "24"}),
        ("training", {"precision": "auto"}),
        ("training", {"pp": "3", "dp": ""}),
        ("inference", {"chip": "Trainium2", "n_chips": "1", "tp": "8"}),
        ("inference", {"n_chips": "", "tp": "16"}),
        ("training", {"micro_batch": "not stated", "tp": "", "dp": ""}),
        ("collectives", {"metric": "", "value": "", "unit": "", "time_us": "4000"}),
    ],
)
def test_what_one_can_have_run_is_predicted(family: str, cells: dict[str, str]) -> None:
    assert refusal(family, **cells) == ""


@pytest.mark.parametrize("name", FILES)
def test_no_open_row_is_refused_or_scaled(name: str) -> None:
    """The rules change no open row: each is possible, in units that are base ones."""
    found = table(name)
    assert faults_of(found.rows, found.family, models()) == {}
    for row in found.rows:
        if found.family.name == "inference":
            assert inference_spelling.factor(row) == 1
        elif found.family.name == "training" and training_measured.metric(row):
            unit = training_measured.unit(row)
            assert not isinstance(unit, str)
            assert unit.size == 1


def test_a_rate_of_training_is_of_the_whole_or_of_a_chip() -> None:
    """A total in `tok/s/chip` is each chip's, whatever its name says."""
    made = [
        predict(Table(FAMILY["training"], (row_of("training", **cells),), {}), models())
        for cells in (
            {},
            {"metric": "tokens_per_s", "unit": "tok/s/chip"},
            {"metric": "tokens_per_s", "unit": "ktok/s", "value": "460.8"},
            {
                "metric": "tokens_per_s_per_gpu",
                "unit": "tokens per minute",
                "value": "54000",
            },
        )
    ]
    errors = [one[0].error for one in made]
    assert errors[0] is not None
    assert errors == pytest.approx([errors[0]] * 4)


def test_dp_within_tp_is_attention_s() -> None:
    """`--tp 8 --dp 8` on 8 chips, as SGLang has it: eight ranks, not 64."""
    cells = {"model": "deepseek-v3", "experts": "256", "framework": "SGLang"}
    wide = row_of("inference", **cells, tp="8", dp="8", ep="8", batch="64")
    same = row_of("inference", **cells, tp="1", dp="8", ep="8", batch="64")
    made, plain = (
        predict(Table(FAMILY["inference"], (row,), {}), models())[0]
        for row in (wide, same)
    )
    assert made.predicted is not None
    assert made.predicted == plain.predicted
    assert any("within `tp`" in flag for flag in made.flags)


def page_rows() -> Iterator[tuple[str, list[str], list[str]]]:
    """Family, metrics and units of each line of the page's table."""
    names = {"serving": "inference"}
    text = PAGE.read_text("utf-8").partition("| family | `metric` |")[2]
    family = ""
    for line in text.splitlines()[2:]:
        if not line.startswith("|"):
            return
        first, metrics, units = (cell.strip() for cell in line.strip("|").split("|"))
        family = names.get(first, first) or family
        yield family, quoted(metrics), quoted(units)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def metric_of(family: str, name: str) -> str:
    row = {"metric": name, "unit": "", "value": "1", "time_us": ""}
    if family == "collectives":
        return collectives.metric(row)
    if family == "training":
        return training_measured.metric(row)
    return inference_spelling.metric(row)


def test_the_page_lists_every_metric_and_unit() -> None:
    seen: dict[str, set[str]] = {family: set() for family in METRICS}
    for family, metrics, units in page_rows():
        for name in metrics:
            made = metric_of(family, name)
            assert made, name
            seen[family].add(made)
            assert units == list(METRICS[family][made].like), name
    assert seen == {family: set(found) for family, found in METRICS.items()}


def test_what_a_reader_is_told_is_read() -> None:
    for found in METRICS.values():
        for name, metric in found.items():
            for text in metric.like:
                row = {"metric": name.partition("_ms")[0], "unit": text}
                assert not isinstance(stated(row, metric), str), (name, text)


@pytest.mark.parametrize(
    ("text", "kind", "size", "of"),
    [
        ("Gb/s", "bytes", 1.25e8, ""),
        ("Gbps", "bytes", 1.25e8, ""),
        ("GBps", "bytes", 1e9, ""),
        ("GiB/s", "bytes", 2.0**30, ""),
        ("gb/s", "bytes", 1e9, ""),
        ("tokens per second per GPU", "tokens", 1, "chip"),
        ("k tok/min/GPU", "tokens", 1000 / 60, "chip"),
        ("tok/(s*gpu)", "tokens", 1, "chip"),
        ("TFLOPS/GPU", "flop", 1e12, "chip"),
        ("PFLOP/s", "flop", 1e15, ""),
        ("ms per output token", "time", 1e-3, ""),
        ("QPS", "any", 1, ""),
        ("prompts/min", "jobs", 1 / 60, ""),
    ],
)
def test_units_by_their_spelling(text: str, kind: str, size: float, of: str) -> None:
    found = read_unit(text)
    assert found is not None
    assert (found.kind, found.of) == (kind, of)
    assert found.size == pytest.approx(size)


@pytest.mark.parametrize(
    "text", ["", "kg", "tok", "tok/kg", "tok/s/s", "ms/kg", "GB", "tok/s/core", "/s"]
)
def test_what_is_no_unit(text: str) -> None:
    assert read_unit(text) is None


def test_formats_that_exist() -> None:
    for text in ("", "auto", "W4A16", "fp8_e4m3", "int8 (AQT)", "tf32", "Q4_K_M"):
        assert not strange(text), text
    for text in ("fp3", "float5", "int7", "banana", "bf15"):
        assert strange(text), text


def test_every_family_has_its_rule() -> None:
    assert RULES.keys() == FAMILY.keys() == METRICS.keys()
