"""Every row of `reliability_cases.csv`: computed here, or listed with the reason."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.dsl.units import unit
from isocost.engine.formulas import queueing, reliability
from isocost.engine.kernels import erlang_c

DATA = Path(__file__).parents[2] / "data" / "cost" / "reliability_cases.csv"
TEXT = DATA.read_text(encoding="utf-8").splitlines()
ROWS = {row["case_id"]: row for row in csv.DictReader(TEXT)}

NOT_COMPUTABLE = {
    "rsc2": "a measured failure rate, an input; its job MTTF is tested with rsc_16k",
}


def si(value: float, name: str) -> float:
    return value * unit(name).factor


def shown(value: float, name: str) -> float:
    return value / unit(name).factor


def stated(row: dict[str, str]) -> list[str]:
    """The numbers of a row's result, as text."""
    return re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", row["expected"])


def assert_printed(got: float, text: str) -> None:
    """Equal to a printed number within half of its last digit."""
    text = text.replace(",", "")
    half = 0.5000001 * 10.0 ** -len(text.partition(".")[2])
    assert got == pytest.approx(float(text), abs=half, rel=0)


def llama_interruptions(row: dict[str, str]) -> None:
    mttf = reliability.mttf_observed(si(54, "day"), 419)
    assert "47 planned + 419 unexpected" in row["expected"]
    assert_printed(shown(mttf, "h"), "3.093")


def llama_by_gpu(row: dict[str, str]) -> None:
    each = reliability.chip_hours_per_failure(si(54, "day"), 419, 16_384)
    hours, years, percent, *_ = stated(row)
    assert shown(each, "chip-h") == pytest.approx(float(hours.replace(",", "")), abs=1)
    # The row's year has 8766 h, ours 8760.
    assert shown(each, "chip-year") == pytest.approx(float(years), abs=0.006)
    assert 100 / shown(each, "chip-year") == pytest.approx(float(percent), abs=0.06)


def rsc(row: dict[str, str], chips: int, text: str) -> None:
    rate = reliability.chip_failure_rate(si(6.5e-3, "/server-day"), 8)
    mttf = reliability.job_mttf(reliability.job_failure_rate(0.0, rate, chips))
    assert text in row["expected"]
    assert_printed(shown(mttf, "h"), text)


def ettr(row: dict[str, str]) -> None:
    nodes = int(row["case_id"].rpartition("_")[2])
    rate = reliability.job_failure_rate(0.0, si(6.5e-3 / 8, "/chip-day"), 8 * nodes)
    got = reliability.ettr_expected(
        reliability.job_mttf(rate), si(5, "min"), si(1, "h"), si(5, "min")
    )
    assert_printed(got, row["expected"])


def checkpoints(row: dict[str, str]) -> None:
    save, mttf, restart = map(float, re.findall(r"=(\d+)s", row["inputs"]))
    young, daly, exact, first = re.findall(r"=(\d+\.\d+)", row["expected"])
    best = reliability.daly_interval(save, mttf)
    assert_printed(reliability.young_interval(save, mttf), young)
    assert_printed(best, daly)
    assert_printed(reliability.goodput_exact(best, save, restart, mttf), exact)
    at_young = reliability.young_interval(save, mttf)
    got = reliability.goodput_first_order(at_young, save, restart, mttf)
    assert_printed(got, first)


def first_link(row: dict[str, str]) -> None:
    got = reliability.first_failure(si(5, "year"), 100_000)
    assert_printed(shown(got, "min"), row["expected"])


def lost_work(row: dict[str, str]) -> None:
    got = reliability.chip_time_lost(1e5, si(2, "s"), 99)
    assert_printed(shown(got, "chip-day"), stated(row)[0])


def rdma(row: dict[str, str]) -> None:
    copy = reliability.recovery_by_copy(si(80, "GB"), si(400, "Gbit/s"))
    seconds, days, step = stated(row)[:3]
    assert_printed(copy, seconds)
    assert_printed(shown(reliability.blast_radius(1e5, copy), "chip-day"), days)
    assert_printed(shown(reliability.blast_radius(1e5, 2.0), "chip-day"), step)


def optical(row: dict[str, str]) -> None:
    got = reliability.share_in_repair(si(0.0008, "/day"), si(72, "h"))
    assert f"unavail {100 * got:.2f}%" in row["expected"]


def blast(row: dict[str, str]) -> None:
    assert row["formula"] == "A_domain = a^64"
    assert row["expected"] == "1 chip down -> 64 chips down"
    got = reliability.availability_of_domain(0.9995, 64, 1.0)
    assert got == pytest.approx(0.9995**64)
    lost = reliability.blast_radius(64.0, si(1, "h"))
    assert shown(lost, "chip-h") == pytest.approx(64.0)


def many_servers(row: dict[str, str]) -> None:
    servers, load = map(float, row["case_id"].split("_")[1:])
    use = queueing.server_use(load, 1.0, servers)
    queued = erlang_c(servers, queueing.offered_load(load, 1.0))
    texts = re.findall(r"=(\d+\.\d+)", row["expected"])
    assert_printed(queued, texts[0])
    assert_printed(queueing.wait_mean(queued, 1.0, servers, use), texts[1])
    got = queueing.wait_percentile(queued, 1.0, servers, use, 0.99)
    assert_printed(got, texts[2])


def one_server(row: dict[str, str]) -> None:
    use = float(row["case_id"].partition("_")[2])
    for squared, text in zip((0.0, 1.0, 4.0), stated(row), strict=True):
        got = queueing.wait_general_service(1.0, use, squared**0.5)
        assert_printed(got, text)


def distserve(row: dict[str, str]) -> None:
    texts = re.findall(r"1\.75|1\.1071|0\.7487", row["formula"] + row["expected"])
    got = [
        queueing.ttft_single(0.6, 1.0),
        queueing.ttft_two_stages(0.6, 1.0),
        queueing.ttft_tensor_parallel(0.6, 1.0, 1.7),
    ]
    assert len(texts) == 3
    for value, text in zip(got, texts, strict=True):
        assert_printed(value, text)


CASES: dict[str, Callable[[dict[str, str]], None]] = {
    "llama3_54d": llama_interruptions,
    "llama3_mtbf_gpu": llama_by_gpu,
    "rsc_16k": lambda row: rsc(row, 16_384, "1.803"),
    "rsc_131k": lambda row: rsc(row, 131_072, "0.225"),
    "ettr_256": ettr,
    "ettr_2048": ettr,
    "daly_60_10800": checkpoints,
    "daly_20_6490": checkpoints,
    "sa_link": first_link,
    "sa_lost": lost_work,
    "sa_rdma": rdma,
    "tpu_ocs": optical,
    "trn2u_blast": blast,
    "erlC_2_1.0": many_servers,
    "erlC_4_3.2": many_servers,
    "erlC_16_14.0": many_servers,
    "mg1_0.5": one_server,
    "mg1_0.95": one_server,
    "distserve": distserve,
}


def test_every_row_is_computed_or_listed() -> None:
    assert CASES.keys() | NOT_COMPUTABLE.keys() == ROWS.keys()
    assert not CASES.keys() & NOT_COMPUTABLE.keys()


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    CASES[case](ROWS[case])
