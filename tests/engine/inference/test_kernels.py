"""The laws of one rank against published kernel measurements, which tuned nothing."""

import pytest

from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_chips import Chip, find_chip
from isocost.engine.formulas import chip as law

from .measured import table

VALUES = shipped().values


def known(name: str) -> Chip:
    found = find_chip(name)
    assert found is not None
    return found


def test_the_matrix_law_meets_a_kernel_on_gb200() -> None:
    gb200 = known("GB200")
    share = law.matrix_share(
        gb200.peak("fp8") * 1e12, gb200.power, VALUES["base@gpu"], VALUES["slope@gpu"]
    )
    rows = table("kernels.csv")
    (measured,) = (row for row in rows if row["kernel"] == "gemm_fp8")
    reached = share * gb200.peak("fp8")
    assert reached == pytest.approx(float(measured["value"]), rel=0.10)


def test_sustained_bandwidth_is_that_of_a_pure_read_within_its_spread() -> None:
    rows = table("kernels.csv")
    (measured,) = (row for row in rows if row["kernel"] == "hbm_read")
    read = float(measured["value"]) / 1e3 / known("GB200").bandwidth
    for name in ("memory_share@gpu", "cache_memory_share@gpu"):
        assert VALUES[name] == pytest.approx(read, rel=shipped().spreads[name])


def test_priors_of_a_chip_nobody_measured_stay_below_its_kernels() -> None:
    """Large kernels bound what a whole model reaches; no prior may beat them."""
    ironwood = known("TPU-v7x")
    share = law.matrix_share(
        ironwood.bf16 * 1e12,
        ironwood.power,
        VALUES["base@google"],
        VALUES["slope@gpu"],
    )
    rows = table("kernels.csv")
    matrices = [float(row["value"]) for row in rows if row["kernel"] == "gemm_bf16"]
    copies = [float(row["value"]) for row in rows if row["kernel"] == "hbm_copy"]
    assert 0.8 * max(matrices) <= share * 1153.5 <= max(matrices)
    assert VALUES["memory_share@google"] <= max(copies) / 7370
