"""Every code points at the very characters that its page's example has wrong.

The table names, for each code, the places of the primary label and of all further ones
as an editor shows them (line, first column, column behind the last), with the text
that stands there. A code without an entry fails.
"""

import json
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl import messages

#: Codes that only a computed file gives.
EVALUATED = ("C", "M", "L010")

PLACES: dict[str, tuple[tuple[str, str], ...]] = {
    "C001": (("3:7-12", "2 < 1"),),
    "C002": (("3:7-12", "2 < 1"),),
    "C003": (("20:10-17", "hurried"),),
    "C004": (("22:11-38", "first.power.average < 10 kW"),),
    "L001": (("4:3-8", "power"),),
    "L002": (("5:7-15", "headroom"),),
    "L003": (("3:8-14", "letter"),),
    "L004": (("7:6-11", "other"),),
    "L005": (
        ("8:3-6", "pue"),
        ("4:3-6", "pue"),
    ),
    "L006": (("4:9-19", "1.1 to 1.1"),),
    "L007": (("3:15-22", "10% + 1"),),
    "L008": (("4:21-27", "128 GB"),),
    "L009": (
        ("8:3-8", "price"),
        ("8:19-26", "@letter"),
    ),
    "L010": (("5:3-9", "carbon"),),
    "L011": (("3:22-34", "# allow L001"),),
    "L012": (("3:42-76", '# allow L006 "agreed with finance"'),),
    "M001": (
        ("22:7-38", "first.cost.capex[server] < 1M $"),
        ("16:10-15", "first"),
    ),
    "M002": (
        ("11:7-33", "first.latency.tpot < 50 ms"),
        ("7:10-15", "first"),
    ),
    "M003": (
        ("31:7-46", "first.bill[not_itemised] < 10k $/system"),
        ("25:10-15", "first"),
    ),
    "M004": (
        ("28:7-27", "apart.mfu[6nd] > 20%"),
        ("17:10-15", "apart"),
    ),
    "M005": (
        ("18:7-33", "first.power.average < 1 MW"),
        ("13:10-15", "first"),
    ),
    "M006": (
        ("23:7-33", "first.power.average < 1 MW"),
        ("14:3-44", 'pue = {1.2, 1.1} @assumed "two buildings"'),
    ),
    "N001": (("3:1-5", "chpi"),),
    "N002": (("4:3-18", "memory.bandwith"),),
    "N003": (("7:13-25", "my_chp.power"),),
    "N004": (("8:17-28", "@vendor_doc"),),
    "N005": (
        ("7:6-10", "home"),
        ("3:6-10", "home"),
    ),
    "N006": (
        ("5:3-8", "power"),
        ("4:3-8", "power"),
    ),
    "N007": (("18:3-17", "link.bandwidth"),),
    "N008": (
        ("8:12-16", "home"),
        ("8:3-9", "system"),
        ("3:6-10", "home"),
    ),
    "N009": (("4:3-7", "peak"),),
    "N010": (("4:3-12", "peak[fp9]"),),
    "N011": (
        ("17:3-7", "site"),
        ("13:3-19", "site.electricity"),
    ),
    "N012": (
        ("13:13-26", "trident.power"),
        ("3:6-13", "trident"),
        ("7:8-15", "trident"),
    ),
    "N013": (("4:14-20", "tourus"),),
    "N014": (
        ("4:35-39", "tier"),
        ("4:14-22", "fat_tree"),
    ),
    "R001": (("3:8-28", '"no_such_prices.scn"'),),
    "R002": (("prices.scn:2:8-18", '"R002.scn"'),),
    "R003": (
        ("3:16-17", "b"),
        ("6:16-17", "a"),
    ),
    "R004": (
        ("7:19-26", "my_chip"),
        ("3:6-13", "my_chip"),
    ),
    "R005": (("3:8-39", '"../../../elsewhere/prices.scn"'),),
    "R006": (("1:9-13", "2030"),),
    "R007": (("1:1-1", ""),),
    "R008": (
        ("3:5-6", "a"),
        ("4:5-6", "b"),
    ),
    "R009": (("4:16-28", "system.power"),),
    "R010": (("3:10-14", "wide"),),
    "R011": (("isocost.toml:1:1-7", "editon"),),
    "R012": (("isocost.toml:4:2-11", "chips/aws"),),
    "R013": (("1:9-13", "2020"),),
    "S001": (("4:14-15", "W"),),
    "S002": (("4:9-14", "500 W"),),
    "S003": (
        ("3:14-15", "{"),
        ("4:54-54", ""),
    ),
    "S004": (("4:19-20", "("),),
    "S005": (("3:15-42", '"A letter of the supplier {'),),
    "S006": (("6:1-2", "}"),),
    "S007": (("3:77-78", "("),),
    "S008": (("4:38-39", "\u202e"),),
    "U001": (("4:24-28", "GiBs"),),
    "U002": (
        ("6:27-51", "memory.bandwidth / power"),
        ("6:55-59", "GB/s"),
    ),
    "U003": (("4:19-23", "Gbps"),),
    "U004": (
        ("4:22-28", "2.9 TB"),
        ("4:3-19", "memory.bandwidth"),
    ),
    "U005": (
        ("6:24-29", "price"),
        ("6:16-21", "power"),
    ),
    "U006": (("5:20-25", "power"),),
    "U007": (
        ("5:24-34", "100 €/chip"),
        ("5:16-21", "price"),
    ),
    "V001": (
        ("4:9-12", "0.9"),
        ("4:3-6", "pue"),
    ),
    "V002": (
        ("5:12-18", "copper"),
        ("5:3-9", "medium"),
    ),
    "V003": (
        ("4:10-22", '"March 2025"'),
        ("4:3-7", "date"),
    ),
    "V004": (("4:11-25", "550 W to 450 W"),),
    "V005": (("5:13-37", "chips / (16 chip/server)"),),
    "V006": (("4:12-19", "64 chip"),),
    "V007": (("5:16-38", "ceil(power / 100 W, 2)"),),
    "V008": (
        ("9:29-41", "my_chip.sram"),
        ("5:3-7", "sram"),
    ),
    "V009": (
        ("15:10-13", "0.6"),
        ("10:10-13", "0.5"),
    ),
    "V010": (("11:10-14", "-0.7"),),
    "V011": (("8:13-19", "larger"),),
    "V012": (
        ("9:3-13", "colocation"),
        ("5:3-11", "facility"),
    ),
    "V013": (
        ("24:3-11", "software"),
        ("18:10-20", "bolt_stack"),
    ),
}


def places_of(diagnostic: dict[str, object], folder: Path, main_file: str) -> object:
    """The places of a diagnostic's labels, cut from the files as an editor would."""
    found = []
    labels = diagnostic["labels"]
    assert isinstance(labels, list)
    for label in labels:
        lines = (folder / label["file"]).read_text(encoding="utf-8").split("\n")
        assert label["line"] == label["end_line"]
        start, end = label["column"] - 1, label["end_column"] - 1
        text = lines[label["line"] - 1][start:end]
        file = "" if label["file"] == main_file else f"{label['file']}:"
        found.append((f"{file}{label['line']}:{start + 1}-{end + 1}", text))
    return tuple(found)


@pytest.mark.parametrize("code", messages.codes())
def test_the_places_of_a_code(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert code in PLACES, f"state where {code} points"
    for name, text in messages.page(code).examples.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = ["--evaluate"] if code.startswith(EVALUATED) else []
    main(["check", "--format", "json", *options, f"{code}.scn"])
    diagnostics = json.loads(capsys.readouterr().out)["diagnostics"]
    (one,) = [d for d in diagnostics if d["code"] == code]
    assert places_of(one, tmp_path, f"{code}.scn") == PLACES[code]


def test_the_table_names_no_code_that_is_gone() -> None:
    assert set(PLACES) == set(messages.codes())
