"""What users get wrong, on the command line and in files, and what they are told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.starter import starter

Capsys = pytest.CaptureFixture[str]

LETS = """
let work := 3 kW * 2 h
let shown := 3 kW * 2 h in kWh
let half := shown / 2
let plain = 3 kW @assumed "a test"

chip slow {
  power = 3 W @assumed "a test"
  let twice := 2 * power
}

scenario more extends base {
  let double := 2 * power.average
}
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "my.scn"
    path.write_text(starter())
    return str(path)


@pytest.fixture
def lets(tmp_path: Path) -> str:
    path = tmp_path / "lets.scn"
    path.write_text(starter() + LETS)
    return str(path)


def run(capsys: Capsys, *args: str) -> tuple[int, str, str]:
    status = main(list(args))
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out, err


@pytest.mark.parametrize(
    ("metric", "offered"),
    [
        ("latency.tpot[foo]", "latency.tpot[p99]"),
        ("mfu[bar]", "mfu[causal], mfu[6nd] or mfu[full]"),
        ("mfu[causal, full]", "mfu[causal]"),
        ("latency.ttft[x]", "latency.ttft[solo]"),
        ("cost.opex[typo]", "cost.opex[energy]"),
        ("cost.per_Mtoken[foo]", "cost.per_Mtoken[output]"),
        ("cost.recovery[x]", "cost.recovery[server]"),
        ("cost.per_Mtokn", "cost.per_Mtoken"),
        ("cost.per_Mtoken[", "is no path"),
        ("", "is no path"),
        (".", "is no path"),
        ("base.", "is no path"),
        ("base", "base is a scenario; name one of its quantities: base.cost.capex"),
        ("hgx_h100", "hgx_h100 is a system; name one of its quantities: hgx_h100."),
        ("nosuch", "there is no quantity nosuch"),
    ],
)
def test_a_metric_that_is_none_is_refused_once(
    metric: str, offered: str, mine: str, capsys: Capsys
) -> None:
    for command in (("eval", mine, "-m"), ("explain", mine), ("sensitivity", mine)):
        status, out, err = run(capsys, *command, metric)
        assert status == 2
        assert out == ""
        assert len(err.splitlines()) == 1
        assert offered in err


def test_a_metric_may_name_its_scenario(mine: str, capsys: Capsys) -> None:
    status, out, _ = run(capsys, "eval", mine, "-m", "base.cost.per_Mtoken")
    assert status == 0
    assert "nvl72" not in out
    both = ("-s", "nvl72", "-m", "base.cost.per_Mtoken")
    assert run(capsys, "eval", mine, *both)[0] == 2


def test_a_key_of_a_limit_is_enforced_or_refused(
    tmp_path: Path, capsys: Capsys
) -> None:
    path = tmp_path / "slo.scn"
    metric = ("eval", str(path), "-s", "base", "--format", "json", "-m")
    path.write_text(
        starter().replace("slo.tpot[mean] = 40 ms", "slo.tpot[p99] = 30 ms")
    )
    found = json.loads(run(capsys, *metric, "latency.tpot[p99]")[1])
    assert found["scenarios"]["base"]["latency.tpot[p99]"]["value"] <= 30
    path.write_text(starter().replace("slo.tpot[mean]", "slo.tpot[p98]"))
    assert "N010" in run(capsys, "check", str(path))[1]
    path.write_text(starter().replace("life[server]", "life[banana]"))
    assert "N010" in run(capsys, "check", str(path))[1]


@pytest.mark.parametrize(
    ("path", "name", "value", "unit"),
    [
        ("work", "work", 21.6e6, "J"),
        ("shown", "shown", 6, "kWh"),
        ("half", "half", 10.8e6, "J"),
        ("slow.twice", "slow.twice", 6, "W"),
        ("base.work", "work", 21.6e6, "J"),
    ],
)
def test_lets_are_read_everywhere(
    path: str, name: str, value: float, unit: str, lets: str, capsys: Capsys
) -> None:
    status, out, _ = run(capsys, "explain", lets, path, "--format", "json")
    found = json.loads(out)["explanation"]
    assert (status, found["name"], found["unit"]) == (0, name, unit)
    assert found["value"] == pytest.approx(value)
    status, out, _ = run(capsys, "eval", lets, "-m", path, "--format", "json")
    metric = json.loads(out)["scenarios"]["base"][path.removeprefix("base.")]
    assert (status, metric["unit"]) == (0, unit)
    assert metric["value"] == pytest.approx(value)
    status, out, _ = run(capsys, "sensitivity", lets, path)
    assert status == 0
    assert unit in out.splitlines()[0]


def test_a_let_of_a_scenario_is_read(lets: str, capsys: Capsys) -> None:
    status, out, _ = run(capsys, "explain", lets, "more.double")
    assert status == 0
    assert out.startswith("more.double = ")
    assert out.splitlines()[0].endswith(" W")
    status, out, _ = run(capsys, "eval", lets, "-m", "double")
    assert status == 0
    assert out.startswith("more\n")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("eval", "-s", "nosuch"), "there is base, nvl72"),
        (("eval", "-n", "999999999999"), "10,000,000"),
        (("eval", "-n", "0"), "--draws"),
        (("eval", "--set", "nonsense"), "nonsense"),
        (("eval", "--set", "a.b=3"), "a.b"),
        (("report", "-n", "0", "-o", "x.md"), "--draws"),
        (("report", "--name", "nosuch", "-o", "x.md"), "it has my_report"),
        (("report", "--theme", "nosuch", "-o", "x.pdf"), "no such folder"),
        (("report", "-o", "nosuch/x.md"), "no such folder"),
        (("report", "-o", "folder.md"), "this is a folder"),
        (("explain", "base.cost.per_Mtoken", "--depth", "-1"), "--depth"),
        (("explain", "base.cost.per_Mtoken", "-s", "nvl72"), "-s asks for nvl72"),
        (("sensitivity", "base.cost.per_Mtoken", "--top", "-1"), "--top"),
    ],
)
def test_wrong_usage_has_its_own_status(
    options: tuple[str, ...],
    word: str,
    mine: str,
    capsys: Capsys,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(Path(mine).parent)
    Path("folder.md").mkdir()
    status, out, err = run(capsys, options[0], mine, *options[1:])
    assert status == 2
    assert out == ""
    assert word in err


@pytest.mark.parametrize("target", ["full", "closed"])
def test_an_output_that_takes_nothing_is_told(target: str, mine: str) -> None:
    if target == "full" and not os.path.exists("/dev/full"):
        pytest.skip("there is no device that is full")
    where = ">/dev/full" if target == "full" else ">&-"
    command = f'"{sys.executable}" -m isocost eval "{mine}" -s base -m chips {where}'
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "standard output" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_without_the_letters_gets_escapes(tmp_path: Path) -> None:
    path = tmp_path / "letters.scn"
    path.write_text("edition 2026\nlet ä := müß\n", encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "isocost", "check", str(path)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    assert done.returncode == 1
    assert "\\xe4" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_missing_role_is_named(tmp_path: Path, capsys: Capsys) -> None:
    path = tmp_path / "roles.scn"
    path.write_text("edition 2026\nscenario x { }\n")
    status, out, err = run(capsys, "eval", str(path))
    assert (status, out) == (1, "")
    assert "scenario x binds no" in err
    other = 'software others { vendor = "AMD"\n}\n'
    own = 'software zown {\n  vendor = "NVIDIA"\n}\n'
    path.write_text(
        starter().replace("  software = my_stack\n", "")
        + other.replace("{ ", "{\n  ")
        + own
    )
    status, out, err = run(
        capsys, "eval", str(path), "-s", "base", "-m", "cost.per_Mtoken"
    )
    assert (status, out) == (1, "")
    words = "scenario base binds no software; it needs one for cost.per_Mtoken"
    assert words in err
    assert "bind one: `software = zown` or `software = my_stack`" in err


def test_constants_are_named_by_their_part(mine: str, capsys: Capsys) -> None:
    _, out, _ = run(capsys, "explain", mine, "base.cost.opex")
    assert "mixed" not in out
    assert "staff_by_chip" in out
    assert "rent_on_demand" not in out
    sums = out.splitlines()[1]
    assert sums == (
        "  = cost.opex[energy] + cost.opex[colocation] + cost.opex[maintenance]"
        " + cost.opex[staff]"
    )


def test_files_that_cannot_be_read_are_counted(mine: str, capsys: Capsys) -> None:
    status, out, _ = run(capsys, "check", "nosuch.scn")
    assert (status, out) == (1, "")
    status, out, _ = run(capsys, "check", "nosuch.scn", mine)
    assert (status, out) == (1, "1 file is fine\n")
    _, out, _ = run(capsys, "check", "nosuch.scn", "--format", "json")
    assert [d["code"] for d in json.loads(out)["diagnostics"]] == ["R001"]
    _, out, _ = run(capsys, "check", "nosuch.scn", "--format", "sarif")
    (found,) = json.loads(out)["runs"][0]["results"]
    assert found["ruleId"] == "R001"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("let a = 5 W to 6 s", "`to` needs two of the same dimension"),
        ("let a = {1, 2 W}", "`{ }` needs two of the same dimension"),
        ("let a = 5 W ± 3 s", "`±` needs two of the same dimension"),
        ("let a = 5 W ± -10%", "half-width"),
        ("let a := max()", "`max` takes at least one value"),
        ("let a := sqrt()", "`sqrt` takes one value"),
        ("let a := ceil(1, 2)", "`ceil` takes one value"),
        ('import "folder"', "is a folder"),
        ('import "binary.scn"', "is no UTF-8 text"),
        ('import "nosuch.scn"', "is not there"),
        ("let a := trn2_ultra.power", 'import "isocost:systems/trn2"'),
        ("scenario b extends base {\n  software = trtllm\n}", "isocost:software/gpu"),
        ('site b {\n  electricity = 0.1 @assumed "x"\n}', "`$/kWh`"),
    ],
)
def test_mistakes_in_a_file_are_called_what_they_are(
    line: str, said: str, mine: str, capsys: Capsys
) -> None:
    path = Path(mine)
    (path.parent / "folder").mkdir()
    (path.parent / "binary.scn").write_bytes(b"\xff\xfe")
    path.write_text(starter() + line + "\n")
    status, out, _ = run(capsys, "check", mine)
    assert status == 1
    assert said in out
    assert "`max` needs" not in out


def test_a_table_that_makes_wrong_lines_is_refused(
    tmp_path: Path, capsys: Capsys
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "kind,block,attribute,value\nsystem,a,chips,8 chip\nsystem,a,banana,3 W\n"
    )
    status, out, err = run(capsys, "new", "--from", str(path))
    assert (status, out) == (1, "")
    assert "table.csv, row 3: " in err
    assert "banana" in err
    for name, word in (("none.csv", "no such file"), ("a.txt", ".csv or .xlsx")):
        status, _, err = run(capsys, "new", "--from", str(tmp_path / name))
        assert status == 1
        assert word in err


def test_a_workbook_makes_blocks(tmp_path: Path, capsys: Capsys) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "table.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["kind", "block", "attribute", "value", "unit"])
    book.active.append(["system", "Pod", "chips", 8, "chip"])
    book.save(path)
    status, out, _ = run(capsys, "new", "--from", str(path))
    assert status == 0
    assert "chips = 8 chip" in out
    path.write_text("no workbook")
    status, _, err = run(capsys, "new", "--from", str(path))
    assert status == 1
    assert "cannot be read as a workbook" in err


def test_no_fabric_is_remarked(mine: str, capsys: Capsys) -> None:
    metric = ("-s", "base", "-m", "cost.per_Mtoken")
    assert "fabric" not in run(capsys, "eval", mine, *metric)[1]
    path = Path(mine)
    path.write_text(path.read_text().replace("  fabric = hgx_h100_network\n", ""))
    assert "no fabric is bound" in run(capsys, "eval", mine, *metric)[1]


def test_a_bill_may_not_cost_more_than_its_total(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Told by `check --evaluate` even where nothing asks for the bill."""
    text = (
        'edition 2026\nchip c {\n  power = 5 W @assumed "a"\n}\n'
        'system s {\n  chip = c\n  chips = 4 chip @assumed "a"\n'
        '  price = %s $ @assumed "a"\n  item[host].count = 4 @assumed "a"\n'
        '  item[host].price = 35k $ @assumed "a"\n}\n'
        "scenario z {\n  system = s\n}\n"
    )
    path = tmp_path / "f.scn"
    for price, status in (("200k", 0), ("100k", 1)):
        path.write_text(text % price, "utf-8")
        assert main(["check", "--evaluate", str(path)]) == status
        assert ("error[M003]" in capsys.readouterr().out) == bool(status)


def test_a_check_is_told_in_units_and_an_unused_block_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        'edition 2026\nchip c {\n  power = 5 W @assumed "a"\n}\n'
        'site h {\n  pue = 1.2 @assumed "a"\n}\n'
        "system s {\n  chip = c\n  chips = 4 chip\n}\nscenario z {\n  system = s\n}\n"
        "check 4 chip * c.power < 3 chip * c.power\ncheck c.power * 1 chip < 4e-3 kW\n"
    )
    path = tmp_path / "f.scn"
    path.write_text(text, "utf-8")
    assert main(["check", "--evaluate", str(path)]) == 1
    told = capsys.readouterr().out
    assert "left side is 20 W, the right side 15 W" in told
    assert "left side is 0.005 kW, the right side 0.004 kW" in told
    assert "L010" not in told


def test_a_metric_asked_for_that_has_no_design_says_why(
    mine: str, capsys: Capsys
) -> None:
    asked = ("eval", mine, "-s", "base", "--set", "base.size = 7 chip")
    metrics = ("-m", "cost.capex[server]", "-m", "irr", "-m", "mfu[causal]")
    status, out, err = run(capsys, *asked, *metrics)
    assert status == 1
    assert "error[M00" in err
    assert "irr" in out
    assert "none" in out
    status, out, _ = run(capsys, *asked, *metrics, "--format", "json")
    found = json.loads(out)
    lost = found["scenarios"]["base"]["irr"]
    assert lost["value"] is None
    assert lost["flags"] == [f"no value: {lost['refused']}"]
    assert "holds no system" in found["refused"]["base"]  # of the scenario, first
    assert set(found["scenarios"]["base"]) >= {"cost.capex[server]", "irr"}
    whole = ("eval", mine, "-s", "base", "-m", "irr", "--format", "json")
    found = json.loads(run(capsys, *whole)[1])
    assert found["refused"]["base"] == lost["refused"]


@pytest.mark.parametrize(
    ("name", "why", "help_"),
    [
        ("latin.scn", "no UTF-8 text", "save it as UTF-8"),
        ("folder.scn", "a folder, and not a file", "name a file in it"),
        ("none.scn", "not there", "name a file that is there"),
        ("large.scn", "too large for a scenario file", "at most 4 MB"),
    ],
)
def test_a_file_that_cannot_be_read_has_its_own_help(
    name: str, why: str, help_: str, tmp_path: Path, capsys: Capsys
) -> None:
    (tmp_path / "latin.scn").write_bytes(b"edition 2026\n# \xe9\n")
    (tmp_path / "large.scn").write_bytes(b"#" * 4_000_001)
    (tmp_path / "folder.scn").mkdir()
    path = str(tmp_path / name)
    status, out, _ = run(capsys, "check", path, "--format", "json")
    (found,) = json.loads(out)["diagnostics"]
    assert (status, found["code"]) == (1, "R001")
    assert found["message"] == f"the file `{path}` is {why}"
    assert help_ in found["help"]
    imports = tmp_path / "main.scn"
    imports.write_text(f'edition 2026\nimport "{name}"\n')
    status, out, _ = run(capsys, "check", str(imports), "--format", "json")
    (found,) = json.loads(out)["diagnostics"]
    assert (status, found["message"]) == (1, f"the file `{name}` is {why}")
    shipped = "`isocost catalog` lists the shipped files"
    assert (shipped if name == "none.scn" else help_) in found["help"]
