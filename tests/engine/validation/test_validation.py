"""Tables told apart, rows refused with a reason, and the open data within bounds."""

import csv
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from isocost.engine.validation import collective_cases, collectives
from isocost.engine.validation.frame import Prediction, Summary, reasons, summary
from isocost.engine.validation.run import by_model, predict, shape
from isocost.engine.validation.seen import fitted_sources, seen
from isocost.engine.validation.tables import (
    FAMILIES,
    Problem,
    Row,
    Table,
    blank,
    family_of,
    read,
)

DATA = Path(__file__).parents[2] / "data"
FILES = {
    "collectives": "network/collectives_open.csv",
    "inference": "validation/inference_open.csv",
    "training": "validation/training_open.csv",
    "small": "validation/training_small_a100_open.csv",
}
SHIPPED = Path(__file__).parents[3] / "scenarios" / "measured" / "models.csv"


def models() -> dict[str, Row]:
    return by_model(csv.DictReader(SHIPPED.read_text("utf-8").splitlines()))


def table(name: str) -> Table:
    found = read(DATA / FILES[name])
    assert isinstance(found, Table)
    return found


def own(tmp_path: Path, text: str) -> Table | Problem:
    path = tmp_path / "own.csv"
    path.write_text(text, encoding="utf-8")
    return read(path)


def judged(name: str) -> tuple[list[Prediction], Summary]:
    found = predict(table(name), models())
    return found, summary(found)


def test_the_shipped_architectures_are_those_of_the_data() -> None:
    stated = (DATA / "validation" / "models.csv").read_text("utf-8")
    assert SHIPPED.read_text("utf-8") == stated


@pytest.mark.parametrize("name", FILES)
def test_open_tables_are_told_apart_and_every_column_is_known(name: str) -> None:
    found = table(name)
    assert found.family.name == {"small": "training"}.get(name, name)
    assert not found.unknown


#: Bounds that a change must not make worse: mean, median over series.
BOUNDS = {
    "collectives": (0.100, 0.063),
    "inference": (0.100, 0.080),
    "training": (0.075, 0.060),
    "small": (0.060, 0.040),
}


@pytest.mark.parametrize("name", FILES)
def test_accuracy_on_the_open_tables(name: str) -> None:
    found, one = judged(name)
    assert one.rows == len(found) == len(table(name).rows)
    mean, median = BOUNDS[name]
    assert one.mean_abs_log_error <= mean
    assert one.median_abs_log_error <= median
    assert 0.85 <= one.coverage_90 <= 0.97
    assert one.interval_score < 0.8


def test_only_links_of_no_known_rate_are_refused() -> None:
    for name in FILES:
        refused = reasons(judged(name)[0])
        assert len(refused) == (name == "collectives"), refused
    found, one = judged("collectives")
    assert one.refused == 8
    assert all("Trainium" in row.refused for row in found if row.refused)


def test_all_open_rows_take_less_than_thirty_seconds() -> None:
    start = time.process_time()  # of this process: other work does not count
    for name in FILES:
        judged(name)
    assert time.process_time() - start < 15


def test_across_nodes_every_row_is_within_a_factor_of_two() -> None:
    across = [row for row in table("collectives").rows if row["nodes"] != "1"]
    found = collectives.predict(across, {})
    assert len(found) == 12
    assert all(abs(one.error or 9.0) < math.log(2) for one in found)


def test_rows_of_quality_c_and_from_memory_count_in_nothing() -> None:
    found, one = judged("training")
    assert one.counted == 310
    assert {row.row_id for row in found if not row.counts} >= {"T0373"}


def test_columns_tell_what_is_missing() -> None:
    slip = family_of(["chip", "n_chips", "model", "islen", "osl"])
    assert isinstance(slip, Problem)
    assert slip.message.endswith("it lacks `isl` (is it `islen`?)")
    nothing = family_of(["name", "price"])
    assert isinstance(nothing, Problem)
    assert "no table of measurements" in nothing.message
    assert all(family.name in nothing.message for family in FAMILIES)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    for content, words in (
        (b"\xff\xfe\x00chip", "UTF-8"),
        (b"", "no table of measurements"),
        (b"chip,n_chips,model,isl,osl\n", "no row"),
    ):
        path = tmp_path / "file.csv"
        path.write_bytes(content)
        found = read(path)
        assert isinstance(found, Problem)
        assert words in found.message
    missing = read(tmp_path / "none.csv")
    assert isinstance(missing, Problem)
    assert "No such file" in missing.message
    assert isinstance(read(tmp_path), Problem)


def test_a_rate_of_a_message_is_read_in_its_unit(tmp_path: Path) -> None:
    row = "H100-SXM-80GB,8,all_reduce,1073741824,busbw"
    head = "chip,n_chips,operation,size_bytes,metric,value,unit\n"
    found = own(
        tmp_path,
        f"{head}{row},470,GB/s\n{row},3760,Gbit/s\n{row},470,kg\n"
        "H100-SXM-80GB,8,all_reduce,1048576,joy,4,ms\n"
        "H100-SXM-80GB,1,all_reduce,1048576,time,4,ms\n",
    )
    assert isinstance(found, Table)
    bytes_, bits, weight, joy, alone = predict(found, models())
    assert joy.refused == "metric joy is not predicted; a time, algbw and busbw are"
    assert alone.refused == "a collective takes two chips or more"
    assert bytes_.error == pytest.approx(bits.error, rel=1e-9)
    assert weight.predicted is None
    assert "`kg`" in weight.refused


def test_a_table_of_ones_own_needs_few_columns(tmp_path: Path) -> None:
    found = own(
        tmp_path,
        "chip,n_chips,model,isl,osl,tpp,tp,batch,metric,value,unit\n"
        "H100-SXM-80GB,8,llama3.1-70b,1000,500,8,8,32,output_tokens_per_s,900,tok/s\n"
        "H100-SXM-80GB,8,llama3.1-70b,many,500,8,8,32,output_tokens_per_s,900,tok/s\n"
        "H100-SXM-80GB,8,llama3.1-70b,-1,500,8,8,32,output_tokens_per_s,900,tok/s\n"
        "H100-SXM-80GB,8,llama3.1-70b,1000,500,8,8,32,output_tokens_per_s,0,tok/s\n"
        "H100-SXM-80GB,8,llama3.1-70b,1000,500,8,8,32,happiness,5,smiles\n"
        "H100-SXM-80GB,8,llama3.1-70b,1000,500,8,8,32,output_tokens_per_s,9,kg\n"
        "H100-SXM-80GB,7.5,llama3.1-70b,1000,500,8,8,32,tpot,20,ms\n"
        "abacus,8,llama3.1-70b,1000,500,8,8,32,output_tokens_per_s,900,tok/s\n",
    )
    assert isinstance(found, Table)
    assert found.unknown["tpp"] in {("pp",), ("tp",), ("tp", "pp"), ("pp", "tp")}
    made = predict(found, models())
    assert [one.row_id for one in made] == [f"line {n}" for n in range(2, 10)]
    assert made[0].predicted is not None
    assert [one.refused for one in made[1:]] == [
        "`isl` is no number: many",
        "`isl` cannot be -1",
        "what was measured is not above 0",
        "metric happiness is not predicted",
        (
            "unit `kg` is not one that is read; "
            "`token/s`, `token/s/chip`, `token/s/node` are"
        ),
        "`n_chips` is no count that a cluster has: 7.5",
        "unknown chip abacus",
    ]


def test_a_repeated_name_is_told_apart(tmp_path: Path) -> None:
    found = own(
        tmp_path, "row_id,chip,n_chips,operation,size_bytes\n" + "a,x,8,o,1\n" * 3
    )
    assert isinstance(found, Table)
    assert [row["row_id"] for row in found.rows] == ["a", "a#2", "a#3"]


def test_a_row_that_breaks_an_adapter_is_refused_alone() -> None:
    def fragile(rows: Sequence[Row], models: Mapping[str, Row]) -> list[Prediction]:
        del models
        if any(row["row_id"] == "N0024" for row in rows):
            message = "broken"
            raise ValueError(message)
        return collectives.predict(rows, {})

    found = predict(table("collectives"), {}, fragile)
    broken = [one for one in found if "broken" in one.refused]
    assert [one.row_id for one in broken] == ["N0024"]
    assert summary(found).predicted == 219


def test_an_impossible_prediction_is_refused() -> None:
    def mad(rows: Sequence[Row], models: Mapping[str, Row]) -> list[Prediction]:
        import attrs

        del models
        return [
            attrs.evolve(blank(row), predicted=math.inf, low=1.0, high=2.0)
            for row in rows
        ]

    found = predict(table("collectives"), {}, mad)
    assert set(reasons(found)) == {"no finite prediction: outside the formulas"}


COLLECTIVE = "chip,n_chips,nodes,interconnect,operation,size_bytes,metric,value,unit\n"


@pytest.mark.parametrize(
    "line",
    [
        "GB200,72,1,,all_reduce,1e9,time_us,3000,us",
        "GB200,144,2,,all_reduce,1e9,busbw_gbps,700,GB/s",
        "MI300X,8,1,,allgather,1e9,algbw_gbps,200,GB/s",
        "Trainium2,16,1,,all-reduce,1e9,time_us,9000,us",
        "Trainium2,64,1,,alltoall,1e8,time_us,900,us",
        "H100-SXM-80GB,64,8,400Gb InfiniBand,sendrecv,1e6,time_us,50,us",
        "H100-SXM-80GB,64,8,400Gb InfiniBand,broadcast,1e6,time_ms,0.2,ms",
    ],
)
def test_collectives_of_other_machines(tmp_path: Path, line: str) -> None:
    found = own(tmp_path, COLLECTIVE + line)
    assert isinstance(found, Table)
    (one,) = predict(found, {})
    assert not one.refused
    assert one.error is not None
    assert abs(one.error) < 1.7, one
    assert one.flags == ("link as its data sheet has it", *one.flags[1:])


def test_trays_of_a_rack_are_one_domain(tmp_path: Path) -> None:
    found = own(
        tmp_path,
        COLLECTIVE
        + "GB200,72,18,,all_reduce,1e9,time_us,3000,us\n"
        + "GB200,72,1,,all_reduce,1e9,time_us,3000,us\n"
        + "B200-SXM,16,2,P6-B200 EFAv4,all_reduce,1e9,time_us,3000,us\n",
    )
    assert isinstance(found, Table)
    trays, rack, servers = predict(found, {})
    assert trays.predicted == rack.predicted
    assert "domain as its data sheet has it" in trays.flags
    case = collective_cases.read(found.rows[2])
    assert not isinstance(case, str)
    assert (case.fabric, case.per_node) == ("nvlink5", 8)
    assert (servers.predicted or 0) > (rack.predicted or 0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("abacus,8,1,,all_reduce,1e9,time_us,3,us", "neither chip nor interconnect"),
        ("H100-SXM-80GB,8,1,,gossip,1e9,time_us,3,us", "gossip is not modelled"),
        ("H100-SXM-80GB,,1,,all_reduce,1e9,time_us,3,us", "chips is not stated"),
        ("H100-SXM-80GB,8,1,,all_reduce,1e9,time_us,,us", "no time and no rate"),
        ("TPU-v5p,64,1,,all_reduce,1e9,time_us,900,us", "shape of a slice"),
    ],
)
def test_collectives_that_are_refused(tmp_path: Path, line: str, why: str) -> None:
    found = own(tmp_path, COLLECTIVE + line)
    assert isinstance(found, Table)
    (one,) = predict(found, {})
    assert why in one.refused


def test_the_shape_that_scripts_rely_on() -> None:
    found, one = judged("collectives")
    data = shape(found, schema=1)
    assert list(data)[:3] == ["schema", "summary", "series"]
    told = data["summary"]
    assert isinstance(told, dict)
    assert told["mean_abs_log_error"] == one.mean_abs_log_error
    assert {"rows", "predicted", "refused", "coverage_90", "median_width"} < set(told)
    rows = data["rows"]
    assert isinstance(rows, list)
    wanted = {"row_id", "metric", "measured", "predicted", "low", "high"}
    assert wanted | {"error", "refused"} <= set(rows[0])


def test_rows_of_the_fit_are_named_as_such() -> None:
    for name, share in (("collectives", 1.0), ("inference", 1.0), ("training", 0.9)):
        found, one = judged(name)
        assert seen(found, name) >= share * one.predicted
    assert fitted_sources("training") != fitted_sources("inference")
