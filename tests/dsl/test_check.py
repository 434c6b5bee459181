"""What `check` says of small files: the right code at the right place, each once."""

import time
from pathlib import Path

import pytest

from isocost.dsl.check import Checked, check_file
from isocost.dsl.places import Text
from isocost.dsl.vendors import same_vendor
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

HEAD = "edition 2026\n"


def checked(text: str) -> Checked:
    return check_file("f.scn", table(), HEAD + text)


def found(text: str, *, warnings: bool = False) -> list[tuple[str, int]]:
    """The codes and their lines, counted without the edition's."""
    places = Text(HEAD + text)
    return [
        (d.code, places.place(d.span).line - 1)
        for d in checked(text).diagnostics
        if warnings or d.severity == "error"
    ]


def test_a_ring_of_lets_is_told_once() -> None:
    assert found("let a := b + 1\nlet b := a * 2\ncheck a < 1\n") == [("R008", 1)]
    (ring,) = checked("let b := a * 2\nlet a := b + 1\n").diagnostics
    assert ring.args["ring"] == "b → a → b"


def test_rings_inside_blocks_and_of_one() -> None:
    text = "chip c {\n  let x := y * 2\n  let y := x * 2\n}\ncheck c.x > 3\n"
    assert found(text) == [("R008", 2)]
    assert found("let x := x * 2\n") == [("R008", 1)]
    text = "chip c {\n  power := price / 2 $ * 1 W\n  price := power * 2 $/W\n}\n"
    assert found(text) == [("R008", 2)]


CHIP = "chip c {\n  power = 5 W\n}\nsystem s {\n  chip = c\n  chips = 4 chip\n}\n"


def test_a_ring_through_an_override() -> None:
    ring = CHIP + "scenario z {\n  system = s\n  c.power := chip.power * 1.1\n}\n"
    assert found(ring) == [("R008", 10)]


def test_what_an_override_replaces_is_no_ring() -> None:
    text = CHIP + "scenario z {\n  system = s\n  system.price := 2 * derived(%s)\n}\n"
    assert found(text % "system.price") == []
    assert found(text % "system.chips") == [("V003", 10)]
    assert found(text % "4 $") == [("V003", 10)]
    assert found("let a := derived(system.price)\n") == [("V003", 1)]


def test_rings_meet_no_recursion_when_evaluated() -> None:
    one = checked("let a := b + 1\nlet b := a * 2\ncheck a < 1\n")
    Evaluation(one).verdicts()


@pytest.mark.parametrize("count", [10_000])
def test_long_chains(count: int, tmp_path: Path) -> None:
    start = time.process_time()
    lets = "".join(f"let a{i + 1} := a{i} * 1.0001\n" for i in range(count))
    assert found(f"let a0 = 1 W\n{lets}let b := a{count} in GB\n") == [
        ("U002", count + 2)
    ]
    bases = "".join(
        f"site s{i + 1} extends s{i} {{\n  pue = 1.2\n}}\n" for i in range(count)
    )
    assert found(f"site s0 {{\n  pue = 1.1\n}}\n{bases}") == []
    for i in range(count // 10):
        path = tmp_path / f"{i}.scn"
        path.write_text(f'{HEAD}import "{i + 1}.scn"\n')
    (tmp_path / f"{count // 10}.scn").write_text(f"{HEAD}let x = 1\n")
    assert check_file(str(tmp_path / "0.scn"), table()).document.lets.keys() == {"x"}
    assert time.process_time() - start < 60


def test_a_long_chain_is_evaluated() -> None:
    lets = "".join(f"let a{i + 1} := a{i} + 1\n" for i in range(3000))
    one = checked(f"let a0 = 1\n{lets}check a3000 > 3000\n")
    (verdict,) = Evaluation(one).verdicts()
    assert verdict.holds


def test_shared_lets_cost_no_more_than_their_number() -> None:
    lets = "".join(f"let a{i + 1} := a{i} * 0.5 + a{i} * 0.5\n" for i in range(60))
    one = checked(f"let a0 = 1 W\n{lets}check a60 < 2 W\n")
    assert one.diagnostics == []
    assert all(verdict.holds for verdict in Evaluation(one).verdicts())


def test_a_block_that_extends_itself() -> None:
    text = "site a extends b {\n}\nsite b extends a {\n}\nsite c extends b {\n}\n"
    assert [code for code, _ in found(text)] == ["R003"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("chp c {\n}\nsystem s {\n  chip = c\n  power := c.power\n}\n", [("N001", 1)]),
        ("scenario z {\n  system = trn\n}\ncheck z.chip.price < 3 $\n", [("N003", 2)]),
        ("scenario z {\n  system = trn\n  chip.price = 3 W\n}\n", [("N003", 2)]),
        ("let a = 2 * 25k $ to 45k $\n", [("V004", 1)]),
        ("let a = 1 to 2 us\n", [("V004", 1)]),
        ("let a = 1 us to 2\n", [("V004", 1)]),
        ("let a = 45 to 65%\n", [("V004", 1)]),
        ("let a = 0 to 2 us\n", []),
        ("let a = 0.4 to 65%\n", []),
        ("let a = 1 uszz to 2 us\n", [("U001", 1)]),
        ("let a = 3 us to 2 us\n", [("V004", 1)]),
        ("let a = 3 us to 2 W\n", [("U005", 1)]),
        ("system s {\n  chips := 64 chip\n}\n", [("V006", 2)]),
        (
            'import "none.scn"\nsystem s {\n  chip = c\n}\nlet a := b * 2\n',
            [("R001", 1)],
        ),
        (
            (
                "scenario z {\n  sytem = s\n  link.bandwidth = 3 GB/s\n"
                "  chip.price = 3 $\n  sofware = x\n}\n"
            ),
            [("N003", 2), ("N003", 5)],
        ),
        (
            "site a {\n  pue = 1.2\n}\ncheck a.pue\ncheck 3\n",
            [("V003", 4), ("V003", 5)],
        ),
        ("let a := 2 < 3\ncheck a\ncheck true\ncheck not a\n", []),
        ("chip {\n}\nsystem s {\n  chip = c\n}\n", [("S001", 1)]),
        ('chip "C" {\n}\nsystem s {\n  chip = c\n}\n', [("S001", 1)]),
        ("let a := 3 W in GB/s\nlet b := a + 2 W\n", [("U002", 1)]),
        ("site a {\n}\nsite a {\n  let x = 3\n}\nlet b := a.x\n", [("N005", 3)]),
        ("source s {\n  date = 2,024-07-31\n}\n", [("S001", 2)]),
        ("let a = 60/chip to 130 W/chip\n", [("V004", 1)]),
        (
            'import "none.scn" as p\nsystem s {\n  chip = p.c\n}\nlet a := b * 2\n',
            [("R001", 1), ("N003", 5)],
        ),
    ],
)
def test_one_mistake_one_diagnostic(text: str, codes: list[tuple[str, int]]) -> None:
    assert found(text) == codes


def test_both_ends_get_the_unit() -> None:
    text = "let a = 1 to 2 us\n"
    (fault,) = checked(text).diagnostics
    (fix,) = fault.fixes
    whole = HEAD + text
    assert (
        whole[: fix.span.start] + fix.text + whole[fix.span.end :]
        == HEAD + "let a = 1 us to 2 us\n"
    )


RATIOS = """chip t {
  power = 5 W
  memory.bandwidth = 5 TB/s
  let intensity := memory.bandwidth / power
  let idle := power - 2 W
  let twice := 2 * idle
  let trays = 4
  let fit := 10 kW / power
  let shown := memory.bandwidth / power in GB/s/W
  let least := min(power, 3 W)
  let root := sqrt(power * power)
}
"""


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("intensity", "GB/s/W"),
        ("idle", "W/chip"),
        ("twice", "W/chip"),
        ("trays", "/chip"),
        ("fit", "chip"),
        ("shown", "GB/s/W"),
        ("least", "W/chip"),
        ("root", "W/chip"),
    ],
)
def test_a_let_from_outside(path: str, unit: str) -> None:
    assert found(f"{RATIOS}let a := t.{path} in {unit}\n") == []


def test_a_product_of_too_many() -> None:
    many = ", ".join(["x"] * 11)
    text = f"scenario w {{\n  system = [{many}]\n  site = [{many}]\n"
    text += f"  finance = [{many}]\n}}\ncheck w.cost.capex < 1 $\n"
    assert found(text) == [("R010", 1)]


def test_much_inherited() -> None:
    lets = "".join(f"  let x{i} = 1\n" for i in range(4000))
    more = "".join(f"site s{i} extends s {{\n}}\n" for i in range(300))
    assert [code for code, _ in found(f"site s {{\n{lets}}}\n{more}")] == ["R010"]


LINKS = """link near {
  bandwidth = 1 GB/s
}
link far {
  bandwidth = 2 GB/s
}
system s {
  topology.link[x] = near
  topology.link[y] = %s
}
scenario z {
  system = s
  link.bandwidth = 3 GB/s
}
"""


def test_a_shorthand_means_one_thing() -> None:
    assert found(LINKS % "near") == []
    assert found(LINKS % "far") == [("N007", 13)]


SITES = """site a {
  pue = 1.1
}
site b {
  pue = 1.2
}
"""


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ("scenario y extends x {\n  site = b\n}\n", ["N011"]),
        ("scenario y extends x {\n  site = b\n  site.pue = 1.4\n}\n", []),
        ('scenario y extends x {\n  title = "same"\n}\n', []),
    ],
)
@pytest.mark.parametrize("path", ["site.pue", "a.pue"])
def test_an_inherited_override_of_a_replaced_block(
    path: str, more: str, codes: list[str]
) -> None:
    more = more.replace("site.pue", path)
    text = f"{SITES}scenario x {{\n  site = a\n  {path} = 1.3\n}}\n{more}"
    assert [code for code, _ in found(text)] == codes


def test_two_settings_of_one_quantity() -> None:
    text = SITES + "scenario x {\n  site = a\n  site.pue = 1.3\n  a.pue = 1.4\n}\n"
    assert found(text) == [("N006", 10)]


def test_an_override_of_what_is_not_used() -> None:
    text = SITES + "scenario x {\n  site = a\n  b.pue = 1.4\n}\n"
    assert ("L010", 9) in found(text, warnings=True)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("chip c {\n  peak[fp9] = 3 TFLOP/s\n}\n", [("N010", 2)]),
        ("chip c {\n  peak[bf16, fp8] = 3 TFLOP/s\n}\n", [("N009", 2)]),
        ("finance f {\n  price[s, 2025, x] = 3 $/system\n}\n", [("N009", 2)]),
        ("site s {\n}\nfinance f {\n  price[s] = 3 $/system\n}\n", [("N008", 4)]),
        (
            "system trn2 {\n}\nfinance f {\n  price[trn3] = 3 $/system\n}\n",
            [("N003", 4)],
        ),
        ("finance f {\n  price[trn2, 2025-Q9] = 3 $/system\n}\n", [("V003", 2)]),
        ("scenario x {\n}\ncheck x.cost.capex[servers] < 3 $\n", [("N003", 3)]),
    ],
)
def test_keys(text: str, codes: list[tuple[str, int]]) -> None:
    assert found(text) == codes


VENDORS = """chip quick {
  vendor = "Acme"
  family = "q2"
}
system rack {
  chip = quick
}
software bolt_stack {
  vendor = "Bolt Inc"
}
software acme_stack {
  vendor = "ACME Corporation"
}
scenario a {
  system = rack
  software = STACK
}
scenario b extends a {
  size = 8 chip
}
"""


def test_a_stack_of_another_vendor_is_told_once() -> None:
    """Where it is bound, with the stacks that fit; a scenario that inherits is not."""
    text = VENDORS.replace("STACK", "bolt_stack")
    assert found(text) == [("V013", 16)]
    (fault,) = (one for one in checked(text).diagnostics if one.code == "V013")
    assert fault.help == "bind a stack of Acme: `software = acme_stack`"
    assert found(VENDORS.replace("STACK", "acme_stack")) == []


def test_a_stack_may_be_meant_for_a_chip_of_another_vendor() -> None:
    """It lists the chip's family, is restated for the vendor, or names none."""
    text = VENDORS.replace("STACK", "bolt_stack")
    assert found(text.replace('Inc"', 'Inc"\n  chips = [q2]')) == []
    assert found(text.replace('  vendor = "Bolt Inc"\n', "")) == []
    mine = '\nsoftware mine extends bolt_stack {\n  vendor = "Acme"\n}\n'
    assert found(VENDORS.replace("STACK", "mine") + mine) == []


def test_each_pool_has_a_stack_of_its_chip() -> None:
    pools = (
        VENDORS.replace("STACK", "acme_stack")
        + "scenario apart extends a {\n  decode.software = bolt_stack\n"
        + "  prefill.systems = 1 system\n  decode.systems = 1 system\n}\n"
    )
    assert found(pools) == [("V013", 21)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("AWS", "Amazon Web Services", True),
        ("Amazon Web Services", "aws", True),
        ("Intel", "INTEL Habana", True),
        ("NVIDIA", "AMD", False),
        ("Amazon", "AWS", False),
        ("", "AMD", True),
    ],
)
def test_vendors_by_their_spellings(one: str, other: str, same: bool) -> None:
    assert same_vendor(one, other) is same
