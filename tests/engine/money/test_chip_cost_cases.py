"""Every row of `chip_cost_cases.csv`: computed here, or listed with the reason."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.dsl.units import unit
from isocost.engine.formulas import carbon, packaging, silicon

DATA = Path(__file__).parents[2] / "data" / "cost" / "chip_cost_cases.csv"
TEXT = DATA.read_text(encoding="utf-8").splitlines()
ROWS = {row["case_id"]: row for row in csv.DictReader(TEXT)}

#: Rows that state inputs and no result.
NOT_COMPUTABLE = {
    "cset_wafer": "a table of wafer prices; the rows above use them as inputs",
}

#: Defects by cm^2 and wafer prices by node, as in the rows' own inputs.
NODES = {"5": (0.11, 16988.0), "7": (0.09, 9346.0), "14": (0.08, 3984.0)}
WAFER = {"diameter": 300.0, "edge": 5.0, "scribe": 0.2}


def si(value: float, name: str) -> float:
    return value * unit(name).factor


def printed(text: str) -> tuple[float, float]:
    """A number as printed and half of its last digit."""
    places = len(text.partition(".")[2])
    return float(text), 0.5000001 * 10.0**-places


def stated(row: dict[str, str]) -> dict[str, str]:
    """The results `name=number` of a row, as text."""
    return dict(re.findall(r"([A-Za-z_]+)=(\d+\.?\d*)", row["expected"]))


def assert_printed(got: dict[str, float], row: dict[str, str]) -> None:
    expected = stated(row)
    assert got.keys() == expected.keys()
    for name, text in expected.items():
        value, tolerance = printed(text)
        assert got[name] == pytest.approx(value, abs=tolerance, rel=0), name


def inputs(row: dict[str, str]) -> list[float]:
    return [float(text) for text in re.findall(r"\d+\.?\d*", row["inputs"])]


def wafer(area: float) -> float:
    lengths = (si(value, "mm") for value in WAFER.values())
    return float(silicon.dies_per_wafer_scribed(*lengths, si(area, "mm^2")))


def die(
    area: float, defects: float, price: float, clustering: float = 10.0
) -> tuple[float, float, float, float]:
    """Gross dies, yield, raw and good cost of a die."""
    gross = wafer(area)
    good = silicon.yield_negative_binomial(
        si(area, "mm^2"), si(defects, "/cm^2"), clustering
    )
    raw = silicon.raw_die_cost(price, gross)
    return gross, good, raw, silicon.good_die_cost(raw, good, 0.0)


def hennessy_dies(row: dict[str, str]) -> None:
    area = {"hp_dpw_1": 2.25, "hp_dpw_2": 1.0}[row["case_id"]]
    got = silicon.dies_per_wafer(si(300, "mm"), si(area, "cm^2"))
    whole, exact = re.findall(r"\d+\.?\d*", row["expected"])
    assert got == pytest.approx(float(exact), abs=0.05)
    assert round(got) == int(whole)


def hennessy_yield(row: dict[str, str]) -> None:
    defects, layers, large, small = 0.047, 12.0, 2.25, 1.0
    assert row["inputs"] == "D0=0.047/cm2; N=12; A=2.25 / 1.00"
    yields = [
        silicon.yield_bose_einstein(si(area, "cm^2"), si(defects, "/cm^2"), layers)
        for area in (large, small)
    ]
    assert yields == pytest.approx([0.2993, 0.5763], abs=5e-5)
    good = [
        silicon.dies_per_wafer(si(300, "mm"), si(area, "cm^2")) * share
        for area, share in zip((large, small), yields, strict=True)
    ]
    assert [round(count) for count in good] == [81, 369]
    assert "0.2993 / 0.5763; good dies 81 / 369" in row["expected"]


def actuary_die(row: dict[str, str]) -> None:
    _, area, _, defects, clustering, price, *_ = inputs(
        {"inputs": row["inputs"].replace("mm2", "mm").replace("cm2", "cm")}
    )
    gross, good, raw, known = die(area, defects, price, clustering)
    assert_printed({"N": gross, "Y": good, "raw": raw, "KGD": known}, row)


def chips(area: float, count: int, node: str, bump: float) -> tuple[float, float]:
    """Raw cost with bumps and cost of defects of the dies in a package.

    The published program pays for the bumps of each *kind* of chiplet once; in its
    own results the two chiplets are two kinds, so that nothing is left out.
    """
    defects, price = NODES[node]
    _, good, raw, _ = die(area, defects, price)
    silicon_area = packaging.silicon_area_of_package(si(area, "mm^2"), count)
    bumps = packaging.bump_cost(silicon_area, si(bump, "$/mm^2"))
    raws = packaging.dies_in_package(raw, count) + bumps
    lost = packaging.dies_in_package(silicon.die_defect_cost(raw, good), count)
    return raws, lost


def organic(area: float, count: int, node: str) -> dict[str, float]:
    raws, lost = chips(area, count, node, 0.005)
    silicon_area = packaging.silicon_area_of_package(si(area, "mm^2"), count)
    substrate = packaging.carrier_area(silicon_area, 4.0)
    raw = packaging.substrate_cost(
        substrate,
        si(0.005, "$/mm^2"),
        packaging.substrate_layers(substrate, count),
    )
    bonding = packaging.yield_of_bonding(0.99, count)
    return parts(
        raws,
        lost,
        raw,
        packaging.lost_package_organic(raw, bonding),
        packaging.lost_chips_organic(raws + lost, bonding),
    )


def on_interposer(
    area: float, count: int, node: str, carrier: tuple[float, ...]
) -> dict[str, float]:
    price, defects, clustering, scale, bond = carrier
    raws, lost = chips(area, count, node, 0.01)
    below = packaging.carrier_area(
        packaging.silicon_area_of_package(si(area, "mm^2"), count), scale
    )
    per_wafer = packaging.interposers_per_wafer(
        *(si(value, "mm") for value in WAFER.values()), below
    )
    interposer = packaging.interposer_cost(price, per_wafer, below, si(0.005, "$/mm^2"))
    substrate = packaging.substrate_cost(
        packaging.carrier_area(below, 4.0), si(0.005, "$/mm^2"), 1.0
    )
    first = packaging.yield_of_interposer(below, si(defects, "/cm^2"), clustering)
    second = packaging.yield_of_bonding(bond, count)
    return parts(
        raws,
        lost,
        interposer + substrate,
        packaging.lost_package_chip_last(interposer, substrate, first, second, 0.99),
        packaging.lost_chips_chip_last(raws + lost, second, 0.99),
    )


def parts(*five: float) -> dict[str, float]:
    names = ("raw_chips", "defect", "raw_pkg", "pkg_defect", "wasted_KGD")
    out = dict(zip(names, five, strict=True))
    return out | {"total": packaging.packaged_cost(*five)}


FAN_OUT = (1200.0, 0.05, 3.0, 1.2, 0.98)
SILICON = (1937.0, 0.06, 6.0, 1.1, 0.95)


def actuary_system(row: dict[str, str]) -> None:
    _, _, node, module, style = row["case_id"].split("_", 4)
    area = float(module)
    half = area / 2 * 1.1
    node = node.removesuffix("nm")
    if style == "SoC":
        assert_printed(organic(area, 1, node), row)
    elif style == "MCM2-OS":
        assert_printed(organic(half, 2, node), row)
    else:
        carrier = FAN_OUT if style.startswith("InFO") else SILICON
        assert_printed(on_interposer(half, 2, node, carrier), row)


def yields(row: dict[str, str]) -> None:
    faults = float(row["inputs"].partition("=")[2])
    area, density = si(100, "mm^2"), si(faults, "/cm^2")
    got = {
        "Poisson": silicon.yield_poisson(area, density),
        "Murphy": silicon.yield_murphy(area, density),
        "Seeds=1/(1+AD)": silicon.yield_seeds(area, density),
        "NB(2)": silicon.yield_negative_binomial(area, density, 2.0),
        "NB(3)": silicon.yield_negative_binomial(area, density, 3.0),
        "NB(10)": silicon.yield_negative_binomial(area, density, 10.0),
    }
    stated_yields = row["expected"].split("; ")
    for item in stated_yields[:-1]:
        name, text = item.rsplit("=", 1)
        assert got[name] == pytest.approx(float(text), abs=5e-7), name
    assert stated_yields[-1].startswith("Bose-Einstein n=10 layers")
    by_layer = silicon.yield_bose_einstein(area, density / 10, 10.0)
    assert by_layer == pytest.approx(got["NB(10)"], rel=1e-12)


def act_logic(row: dict[str, str]) -> None:
    got = carbon.die_carbon(
        si(145, "mm^2"),
        0.943543,
        si(583, "g/kWh"),
        si(1.475, "kWh/cm^2"),
        si(240, "g/cm^2"),
        si(500, "g/cm^2"),
    ) + carbon.packaging_carbon(si(150, "g"), 1.0)
    assert got == pytest.approx(2608.70, abs=0.01)
    assert row["expected"].startswith("2608.70 g")


def act_dram(row: dict[str, str]) -> None:
    memory = carbon.memory_embodied_carbon(si(10, "GB"), si(230, "g/GB"), 0.9)
    got = memory + carbon.packaging_carbon(si(150, "g"), 2.0)
    assert got == pytest.approx(2855.56, abs=0.005)
    assert row["expected"].startswith("2855.56 g")


def h100(row: dict[str, str]) -> None:
    area, density = si(814, "mm^2"), si(0.1, "/cm^2")
    gross = silicon.dies_per_wafer(si(300, "mm"), area)
    poisson = silicon.yield_poisson(area, density)
    clustered = silicon.yield_negative_binomial(area, density, 10.0)
    raw = silicon.raw_die_cost(16988.0, gross)
    costs = [silicon.good_die_cost(raw, y, 0.0) for y in (poisson, clustered)]
    got = f"gross {gross:.1f}; Poisson Y={poisson:.3f}; NB(10)={clustered:.3f}; "
    got += f"cost/good (Poisson)=${costs[0]:.0f}; NB10=${costs[1]:.0f}"
    assert got == row["expected"]


CASES: dict[str, Callable[[dict[str, str]], None]] = {
    "hp_dpw_1": hennessy_dies,
    "hp_dpw_2": hennessy_dies,
    "hp_y6_1": hennessy_yield,
    **dict.fromkeys((c for c in ROWS if c.startswith("ca_die_")), actuary_die),
    **dict.fromkeys((c for c in ROWS if c.startswith("ca_sys_")), actuary_system),
    "yield_AD0.5": yields,
    "yield_AD1.0": yields,
    "act_logic": act_logic,
    "act_dram": act_dram,
    "h100_illus": h100,
}


def test_every_row_is_computed_or_listed() -> None:
    assert CASES.keys() | NOT_COMPUTABLE.keys() == ROWS.keys()
    assert not CASES.keys() & NOT_COMPUTABLE.keys()


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    CASES[case](ROWS[case])


def test_the_headline_figures_of_the_chiplet_paper() -> None:
    assert organic(800.0, 1, "5")["total"] == pytest.approx(698.578, abs=5e-4)
    assert organic(440.0, 2, "5")["total"] == pytest.approx(516.236, abs=5e-4)
