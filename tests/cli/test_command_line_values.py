"""What the command line states is held to what a file may, and told once."""

import json
import re
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.engine.results import plain

Capsys = pytest.CaptureFixture[str]
STUDY = str(Path("scenarios/examples/own_or_rent.scn"))
RINGS = """edition 2026
import "isocost:systems/gpu"

scenario a {
  system = hgx_h100
  size = 4096 chip
  let top = 1
  let bottom := top * 2
}

scenario b extends a {
  size = 64 chip
}
"""


@pytest.mark.parametrize(
    ("setting", "ring"),
    [
        ("top=bottom", "a.top → a.bottom → a.top"),
        ("top := bottom", "a.top → a.bottom → a.top"),
        ("size = size", "a.size → a.size"),
        ("hgx_h100.power = hgx_h100.power", "hgx_h100.power → hgx_h100.power"),
        # Through what is derived: found while the graph is built.
        ("size := chips", "size → chips → systems → size"),
        (
            "system.power = power.provisioned",
            "system.power → power.provisioned → system.power",
        ),
    ],
)
def test_a_ring_by_a_setting_is_told_once(
    tmp_path: Path, capsys: Capsys, setting: str, ring: str
) -> None:
    """At the setting, whatever it goes through; nothing but the usage is wrong: 2."""
    file = tmp_path / "rings.scn"
    file.write_text(RINGS, encoding="utf-8")
    assert main(["eval", str(file), "--set", setting]) == 2
    told = capsys.readouterr().err
    assert re.findall(r"need each other: (.*)", told) == [ring]
    assert re.findall(r"--> (\S+):", told) == ["--set:2"]
    assert "1 error\n" in told


def test_a_ring_through_what_is_derived_stands_in_its_file(
    tmp_path: Path, capsys: Capsys
) -> None:
    text = RINGS.replace("size = 4096 chip", "size := chips")
    file = tmp_path / "rings.scn"
    file.write_text(text, encoding="utf-8")
    assert main(["eval", str(file), "-s", "a"]) == 1
    told = capsys.readouterr().err
    assert told.count("R008") == 1
    assert f"{file}:6:3" in told


@pytest.mark.parametrize(
    ("setting", "help_"),
    [
        ("nosuch.x=1", "state it, or import the file that does"),
        ("sytem.power=1", "did you mean `system.power`"),
    ],
)
def test_an_unknown_setting_is_no_suggestion_for_itself(
    capsys: Capsys, setting: str, help_: str
) -> None:
    assert main(["eval", STUDY, "--set", setting]) == 2
    assert help_ in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ["sweep", STUDY, "-s", "own", "--vary", "own.site.pue=0.5:2:3"],
            "`own.site.pue` must be at least 1, this is 0.5",
        ),
        (
            ["sweep", STUDY, "-s", "own", "--vary", "own.system.price=5,-1"],
            "`own.system.price` must be at least 0, this is -1",
        ),
        (
            [
                *("breakeven", STUDY),
                "own.cost.per_chip_hour = own_neocloud.cost.per_chip_hour",
                *("--vary", "own.site.pue=-1:5"),
            ],
            "`own.site.pue` must be at least 1, this is -1",
        ),
    ],
)
def test_what_is_varied_stays_within_what_a_file_may_state(
    capsys: Capsys, arguments: list[str], why: str
) -> None:
    assert main(arguments) == 2
    assert why in capsys.readouterr().err


def test_numbers_are_rounded_after_their_units(capsys: Capsys) -> None:
    for arguments in (
        ["sensitivity", STUDY, "own.cost.per_chip_hour"],
        ["eval", STUDY, "-s", "own"],
    ):
        assert main([*arguments, "--format", "json"]) == 0
        text = capsys.readouterr().out
        numbers = re.findall(r"-?\d+\.\d+(?:e[-+]\d+)?", text)
        assert numbers
        for one in numbers:
            digits = re.sub(r"e.*|[-.]", "", one).lstrip("0")
            assert len(digits) <= 12, one
        assert json.loads(text)["schema"]


def test_plain_data() -> None:
    found = plain({"a": (0.1 + 0.2, float("nan")), "b": [float("inf"), 3, "x", None]})
    assert found == {"a": [0.3, None], "b": [None, 3, "x", None]}


@pytest.mark.parametrize(
    "arguments",
    [
        ["sensitivity", "FILE", "a.power.provisioned"],
        ["sample", "FILE", "a.power.provisioned", "-n", "64"],
        ["sample", "FILE", "all", "-s", "a", "-n", "64"],
        ["sweep", "FILE", "-m", "a.power.provisioned", "--vary", "a.system.power=1,2"],
        ["search", "FILE", "-s", "a", "--goal", "cost.per_chip_hour"],
        [
            *("breakeven", "FILE", "a.power.provisioned = b.power.provisioned"),
            *("--vary", "b.system.power=1:20"),
        ],
    ],
)
def test_a_size_that_holds_no_system_is_said(
    tmp_path: Path, capsys: Capsys, arguments: list[str]
) -> None:
    """As `eval` says it: what is computed of no system would be taken for a finding."""
    file = tmp_path / "small.scn"
    text = RINGS.replace("size = 4096 chip", "size = 4 chip\n  site = us_colocation")
    text = text.replace('systems/gpu"', 'systems/gpu"\nimport "isocost:sites/us"')
    text += 'import "isocost:finance/books"\n'
    text = text.replace("  site =", "  finance = hyperscaler_captive\n  site =")
    file.write_text(text, encoding="utf-8")
    main([str(file) if one == "FILE" else one for one in arguments])
    told = capsys.readouterr().err
    assert "a, as it is stated: size = 4 chip holds no system (one is 8 chips)" in told
    assert "b, as it is stated" not in told
