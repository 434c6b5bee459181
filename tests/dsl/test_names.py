"""Blocks of different kinds that share a name: which is meant, and where none is."""

from pathlib import Path

import pytest

from isocost.dsl.check import Checked, check_file
from isocost.dsl.diff import diff
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

CHIP = 'chip x {\n  power = 500 W ± 10% @assumed "a"\n  sram = 8 MiB @assumed "a"\n}\n'
SYSTEM = 'system x {\n  chip = x\n  chips = 16 chip @assumed "a"\n}\n'
SITE = 'site x {\n  pue = 1.2 @assumed "a"\n}\n'
SCENARIO = "scenario x {\n  system = x\n  site = x\n  size = 64 chip\n}\n"
PARTS = (CHIP, SYSTEM, SITE, SCENARIO)


def checked(*parts: str) -> Checked:
    return check_file("f.scn", table(), "edition 2026\n" + "".join(parts))


def said(*parts: str) -> list[tuple[str, str]]:
    return [(d.code, d.args.get("name", "")) for d in checked(*parts).diagnostics]


@pytest.mark.parametrize("parts", [PARTS, PARTS[::-1]], ids=["down", "up"])
def test_roles_extends_and_paths_say_which_one_is_meant(parts: tuple[str, ...]) -> None:
    more = [
        'chip y extends x {\n  power = 400 W @assumed "a"\n}\n',
        "system y extends x {\n  chip = y\n}\n",
        "scenario y extends x {\n  system = y\n}\n",
        "let a := x.sram * 2\n",
        "check x.power.provisioned > 1 kW\n",
        "check y.system.chips > 15 chip/system\n",
        'finance f {\n  price[x] = 3 $/system @assumed "a"\n}\n',
        "scenario z extends y {\n  finance = f\n}\n",
    ]
    run = checked(*parts, *more)
    assert run.diagnostics == []
    evaluation = Evaluation(run)
    assert all(verdict.holds for verdict in evaluation.verdicts())
    bases = {name: block.base for name, block in run.document.blocks.items()}
    assert bases["y"] == "x"
    assert {"x", "chip x", "system x", "site x"} <= set(bases)


def test_an_override_by_name_goes_to_the_block_that_has_it() -> None:
    line = 'scenario q extends x {\n  x.pue = 1.5 @assumed "a"\n}\n'
    run = checked(*PARTS, line)
    assert run.diagnostics == []
    scope = Evaluation(run).scope("q")
    site = scope.block("site")
    assert site is not None
    fact = scope.stated(site, "pue")
    assert fact is not None
    assert fact.owner == "q"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ('system x {\n  power = 9 kW @assumed "a"\n}\n', "system or the chip"),
        ('part x {\n  power = 9 W @assumed "a"\n}\n', "chip or the part"),
        ("scenario x {\n  let sram := 2\n}\n", "scenario or the chip"),
    ],
)
def test_where_two_have_it_the_path_is_at_fault(text: str, kinds: str) -> None:
    path = "sram" if "sram" in text else "power"
    found = checked(CHIP, text, f"let a := x.{path} * 2\n").diagnostics
    (one,) = [d for d in found if d.severity == "error"]
    assert (one.code, set(one.args["kinds"].split(" or the "))) == (
        "N012",
        set(kinds.split(" or the ")),
    )
    assert {label.text for label in one.labels[1:]} == {
        f"the {kind}" for kind in kinds.split(" or the ")
    }


def test_one_kind_has_each_name_once() -> None:
    assert said(CHIP, CHIP) == [("N005", "x")]
    assert said(CHIP, SYSTEM, SYSTEM) == [("N005", "x")]
    assert said(CHIP, SYSTEM, "fabric q extends x {\n}\n") == [("R004", "x")]


def test_names_are_shared_across_files(tmp_path: Path) -> None:
    (tmp_path / "parts.scn").write_text(f"edition 2026\n{CHIP}{SYSTEM}", "utf-8")
    main = tmp_path / "main.scn"
    text = 'edition 2026\nimport "parts.scn" as p\n'
    text += "system x extends p.x {\n}\nscenario x {\n  system = x\n}\n"
    text += "let a := p.x.sram * p.x.chips\n"
    main.write_text(text, "utf-8")
    assert check_file(str(main), table()).diagnostics == []


def test_a_namesake_moves_no_draw_and_is_no_rename() -> None:
    use = "scenario s {\n  system = x\n  site = x\n}\n"
    old, new = checked(*PARTS[:3], use), checked(*PARTS, use)
    draws = []
    for run in (old, new):
        chip = run.document.find("x", kinds=("chip",))
        assert chip is not None
        draws.append(chip.facts["power"].origin)
    assert draws == ["x.power", "x.power"]
    changes = diff(old.document, new.document).changes
    assert {change.path.partition(".")[0] for change in changes} <= {"x", "scenario x"}
    assert not any("pue" in c.path or "chips" in c.path for c in changes), changes


def test_equal_paths_of_namesakes_have_draws_of_their_own() -> None:
    other = 'part x {\n  power = 9 W ± 10% @assumed "a"\n}\n'
    blocks = checked(CHIP, other).document.named("x")
    assert len({block.facts["power"].origin for block in blocks}) == 2
