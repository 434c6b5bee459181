"""`isocost diff` on files and on real repositories: revisions, imports, renames."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

FOLDER = Path(__file__).parent.parent / "golden" / "review"
TEXT = (FOLDER / "base.scn").read_text(encoding="utf-8")
DEARER = TEXT.replace("200_000 $ to 240_000 $", "230_000 $ to 280_000 $")
LIB = 'edition 2026\n\nsite hall {\n  pue = 1.2 @assumed "x"\n  electricity = 0.1 $/kWh @assumed "x"\n  colocation = 100 $/kW-month @assumed "x"\n}\n'  # noqa: E501
USER = """edition 2026

import "lib/site.scn"

system box {
  chips = 8 chip @assumed
  power = 6 kW @assumed
  price = 200_000 $ @assumed
}

finance own {
  tenure = own
  cost_of_capital = 9% @assumed
  life[server] = 5 year @assumed
}

scenario only {
  system = box
  size = 64 chip
  site = hall
  finance = own
}
"""


class Repo:
    """A repository in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "a@example.org")
        self.git("config", "user.name", "A")

    def git(self, *words: str) -> str:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={**environment, "GIT_CONFIG_GLOBAL": os.devnull},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def write(self, **files: str) -> None:
        for name, text in files.items():
            self.put(f"{name}.scn", text)

    def put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, message: str = "a change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    folder = tmp_path / "repo"
    folder.mkdir()
    made = Repo(folder)
    made.put("isocost.toml", "")
    monkeypatch.chdir(folder)
    return made


class Run:
    """Runs the command and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.err = ""

    def __call__(self, *words: str, status: int = 0, command: str = "diff") -> str:
        assert main([command, *words]) == status
        out, self.err = self.capsys.readouterr()
        return out

    def data(self, *words: str, status: int = 0) -> Any:
        return json.loads(self("--format", "json", *words, status=status))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)


# Files.


def test_two_files(tmp_path: Path, run: Run) -> None:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(TEXT)
    new.write_text(DEARER)
    text = run(str(old), str(new), status=1)
    assert text.startswith("Cost per chip-hour: small $0.")
    assert "refused: deny change(cost.per_chip_hour) > 5%" in text
    assert run(str(old), str(old)) == "nothing changed\n"
    assert run(str(old), str(old), "--format", "md") == ""


def test_the_shape_of_the_data(tmp_path: Path, run: Run) -> None:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(TEXT)
    new.write_text(DEARER)
    data = run.data(str(old), str(new), status=1)
    assert data["schema"] == 1
    first = data["changes"][0]
    assert first["path"] == "box.price"
    assert first["aspect"] == "input"
    assert first["reaches"] == ["small"]
    assert first["unit"] == "$"
    assert first["old"] == pytest.approx(219089.023)
    small = next(m for m in data["metrics"] if m["scenario"] == "small")
    keys = {"scenario", "metric", "unit", "old", "new", "delta_low", "delta_high"}
    assert keys | {"attribution", "verdict"} <= set(small)
    total = sum(cause["effect"] for cause in small["attribution"])
    assert total == pytest.approx(small["new"] - small["old"], rel=1e-9)


@pytest.mark.parametrize("suffix", [".md", ".json", ".txt", ".pdf"])
def test_the_review_as_a_file(tmp_path: Path, run: Run, suffix: str) -> None:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(TEXT)
    new.write_text(DEARER)
    out = tmp_path / f"review{suffix}"
    text = run(str(old), str(new), "-o", str(out), status=1)
    assert out.stat().st_size > 500
    assert f"wrote {out}" in run.err
    assert text == run(str(old), str(new), status=1).partition("\n")[0] + "\n"
    words = ("-o", str(out), "--format", "text")
    assert run(str(old), str(new), *words, status=1).count("\n") > 5


RENTS = """
edition 2026
import "isocost:systems/trn2"
import "isocost:systems/gpu"
finance book {
  tenure = rent
  term = "year"
  rental[trainium2, year] = 1.30 $/chip/h @assumed "a test"
  rental[h100, year] = 2.10 $/chip/h @assumed "a test"
}
chip binned extends h100 {
}
system box extends hgx_h100 {
  chip = binned
}
scenario on_trn2 {
  system = trn2_ultra
  size = 64 chip
  finance = book
}
scenario on_h100 extends on_trn2 {
  system = hgx_h100
}
scenario on_box extends on_trn2 {
  system = box
}
scenario beside extends on_h100 {
  let other := book.rental[trainium2, year]
}
"""


@pytest.mark.parametrize(
    ("rent", "reached"),
    [("1.30", ["on_trn2", "beside"]), ("2.10", ["on_h100", "on_box", "beside"])],
)
def test_a_rent_reaches_those_that_pay_it(
    tmp_path: Path, run: Run, rent: str, reached: list[str]
) -> None:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(RENTS)
    new.write_text(RENTS.replace(rent, "1.75"))
    (change,) = run.data(str(old), str(new))["changes"]
    assert change["reaches"] == reached


def test_nothing_is_written_where_nothing_changed(tmp_path: Path, run: Run) -> None:
    old, out = tmp_path / "old.scn", tmp_path / "out.md"
    old.write_text(TEXT)
    run(str(old), str(old), "-o", str(out))
    assert not out.exists()


def test_a_missing_side_as_git_names_it(tmp_path: Path, run: Run) -> None:
    new = tmp_path / "new.scn"
    new.write_text(TEXT)
    data = run.data("/dev/null", str(new))
    assert {m["verdict"] for m in data["metrics"]} == {"added"}
    data = run.data(str(new), "/dev/null")
    assert {m["verdict"] for m in data["metrics"]} == {"removed"}


def test_errors_after_are_shown_and_fail(tmp_path: Path, run: Run) -> None:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(TEXT)
    new.write_text(TEXT.replace("tenure = own", "tenur = own"))
    data = run.data(str(old), str(new), status=1)
    assert "tenur" in run.err
    assert data["metrics"] == []
    assert [c["path"] for c in data["changes"]] == ["own.tenure"]


def test_errors_before_do_not_fail(tmp_path: Path, run: Run) -> None:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(TEXT.replace("tenure = own", "tenur = own"))
    new.write_text(TEXT)
    text = run(str(old), str(new))
    assert "had errors before" in text
    assert "not comparable" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "there is no revision nope"),
        (["HEAD", "HEAD", "HEAD"], "files come after `--`"),
        (["HEAD", "-o", "x.doc"], "write to .pdf"),
        (["HEAD", "-n", "0"], "--draws"),
        (["HEAD", "-U", "-1"], "--context"),
    ],
)
def test_wrong_usage(repo: Repo, run: Run, words: list[str], said: str) -> None:
    repo.write(a1=TEXT)
    repo.commit()
    run(*words, status=2)
    assert said in run.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.scn", "b.scn"], "a.scn: there is no such file"),
        (["a1.scn", "b.scn"], "b.scn: there is no such file"),
        (["HEAD", "b.scn"], "b.scn: there is no such file"),
        (["a1.scn", "latin.scn"], "latin.scn: this is no UTF-8 text"),
        (["latin.scn", "a1.scn"], "latin.scn: this is no UTF-8 text"),
        (["folder.scn", "a1.scn"], "folder.scn: this is a folder"),
        (["HEAD", "--", "none.scn"], "none.scn is on neither side"),
        (["--", "-x.scn"], "-x.scn is on neither side"),
    ],
)
def test_a_file_that_cannot_be_read_is_at_fault(
    repo: Repo, run: Run, words: list[str], said: str
) -> None:
    repo.write(a1=TEXT)
    repo.commit()
    Path("latin.scn").write_bytes(b"edition 2026\n# \xe9\n")
    Path("folder.scn").mkdir()
    run(*words, status=1)
    assert said in run.err


def test_a_policy_that_says_nothing_is_wrong_usage(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    repo.commit()
    repo.write(a=DEARER)
    run("--fail-on", "change(cost.capx) > 1%", status=2)
    assert "cost.capx" in run.err


# Revisions.


def test_the_work_tree_and_the_last_commit(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    repo.commit()
    assert run() == "nothing changed\n"
    repo.write(a=DEARER)
    assert "Cost per chip-hour: small" in run(status=1)
    assert "Cost per chip-hour: small" in run("HEAD", status=1)
    assert "Cost per chip-hour: small" in run("a.scn", status=1)


def test_two_revisions_by_every_spelling(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    first = repo.commit()
    repo.write(a=DEARER)
    second = repo.commit()
    wanted = run(first, second, status=1)
    assert "small" in wanted
    for words in (
        ["HEAD~1", "HEAD"],
        [f"{first}..{second}"],
        ["HEAD~1.."],
        ["HEAD~1...HEAD"],
        ["HEAD~1", "--", "a.scn"],
        ["HEAD~1", "HEAD", "--", "a.scn"],
        ["HEAD~1", "HEAD", "--", "."],
    ):
        assert run(*words, status=1) == wanted


def test_three_dots_start_where_the_branches_parted(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    repo.commit()
    repo.git("checkout", "-q", "-b", "branch")
    repo.write(a=DEARER)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write(a=TEXT.replace("pue = 1.2 ", "pue = 1.4 "))
    repo.commit()
    data = run.data("main...branch", status=1)
    assert {c["path"] for c in data["changes"]} == {"box.price"}
    data = run.data("main", "branch", status=1)
    assert {c["path"] for c in data["changes"]} == {"box.price", "hall.pue"}


def test_imports_are_those_of_the_revision(repo: Repo, run: Run) -> None:
    """Never the work tree's, and the importer is found by what it imports."""
    repo.put("lib/site.scn", LIB)
    repo.write(user=USER)
    repo.commit()
    repo.put("lib/site.scn", LIB.replace("1.2", "1.5"))
    repo.commit()
    repo.put("lib/site.scn", "what is this")
    data = run.data("HEAD~1", "HEAD")
    assert [d["document"] for d in data["documents"]] == ["user.scn"]
    (change,) = data["changes"]
    assert (change["path"], change["old"], change["new"]) == ("hall.pue", 1.2, 1.5)
    assert (change["file"], change["line"]) == ("lib/site.scn", 4)
    assert change["reaches"] == ["only"]


def test_an_import_that_is_not_in_the_revision_is_missing_there(
    repo: Repo, run: Run
) -> None:
    repo.write(user=USER)
    repo.commit()
    repo.put("lib/site.scn", LIB)
    data = run.data("HEAD")
    assert {m["verdict"] for m in data["metrics"]} == {"not comparable"}


def test_added_deleted_and_renamed_documents(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT, b=USER.replace('import "lib/site.scn"\n', LIB[14:]))
    repo.commit()
    repo.git("mv", "a.scn", "c.scn")
    repo.git("rm", "-q", "b.scn")
    repo.write(d=TEXT)
    repo.commit()
    data = run.data("HEAD~1", "HEAD")
    notes = {d["document"]: d["note"] for d in data["documents"]}
    assert notes["b.scn"] == "this document is deleted"
    assert set(notes) == {"b.scn", "d.scn", "a.scn → c.scn"} or set(notes) == {
        "b.scn",
        "c.scn",
        "a.scn → d.scn",
    }
    moved = next(name for name in notes if "→" in name)
    assert not [c for c in data["changes"] if c["document"] == moved]
    assert "a new document" in notes.values()


def test_from_a_folder_below_the_top(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("lib/site.scn", LIB)
    repo.write(user=USER)
    repo.commit()
    repo.write(user=USER.replace("6 kW", "7 kW"))
    monkeypatch.chdir(repo.folder / "lib")
    assert run.data("HEAD", "--", "../user.scn")["changes"][0]["path"] == "box.power"
    assert run.data("HEAD")["changes"][0]["path"] == "box.power"


def test_in_a_second_work_tree(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.write(a=TEXT)
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "two"), "-b", "two")
    (tmp_path / "two" / "a.scn").write_text(DEARER)
    monkeypatch.chdir(tmp_path / "two")
    assert "small" in run(status=1)
    monkeypatch.chdir(repo.folder)
    assert run() == "nothing changed\n"


def test_in_a_shallow_clone(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.write(a=TEXT)
    first = repo.commit()
    repo.write(a=DEARER)
    repo.commit()
    address = f"file://{repo.folder}"
    repo.git("clone", "-q", "--depth=1", address, str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    assert run() == "nothing changed\n"
    run(first, status=2)
    assert "shallow" in run.err
    run("HEAD~1", "HEAD", status=2)
    assert "git fetch" in run.err


def test_in_a_bare_repository(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.write(a=TEXT)
    repo.commit()
    repo.write(a=DEARER)
    repo.commit()
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "bare"))
    monkeypatch.chdir(tmp_path / "bare")
    assert "small" in run("HEAD~1", "HEAD", status=1)
    run("HEAD~1", status=2)
    assert "bare repository" in run.err


def test_outside_of_a_repository(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    run("HEAD", status=2)
    assert "not a git repository" in run.err


def test_links_lead_nowhere_outside(repo: Repo, run: Run, tmp_path: Path) -> None:
    (tmp_path / "secret.scn").write_text(LIB)
    (repo.folder / "lib").mkdir()
    (repo.folder / "lib" / "site.scn").symlink_to("../../secret.scn")
    repo.write(user=USER)
    repo.commit()
    repo.write(user=USER.replace("6 kW", "7 kW"))
    repo.commit()
    run("HEAD~1", "HEAD", status=1)
    assert "R005" in run.err or "R001" in run.err
    run("HEAD~1", status=1)
    assert "R005" in run.err or "R001" in run.err


def test_links_in_a_ring_lead_nowhere(repo: Repo, run: Run) -> None:
    repo.write(user=USER)
    repo.commit()
    (repo.folder / "ring.scn").symlink_to("ring.scn")
    run()
    assert run.err == ""


def test_links_inside_are_followed(repo: Repo, run: Run) -> None:
    repo.put("real/site.scn", LIB)
    (repo.folder / "lib").symlink_to("real")
    repo.write(user=USER)
    repo.commit()
    repo.write(user=USER.replace("6 kW", "7 kW"))
    repo.commit()
    assert run.data("HEAD~1", "HEAD")["changes"][0]["path"] == "box.power"


def test_what_is_pinned_is_compared(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    repo.put("isocost.toml", 'engine = "0.1"\n[catalogue]\n"chips/aws" = "ab"\n')
    repo.commit()
    repo.put("isocost.toml", 'engine = "0.2"\n[catalogue]\n"chips/aws" = "ab"\n')
    (change,) = run.data()["changes"]
    assert (change["path"], change["old"], change["new"]) == (
        "isocost.toml engine",
        "0.1",
        "0.2",
    )


def test_a_catalogue_in_the_repository(repo: Repo, run: Run) -> None:
    repo.put("cat/sites/own.scn", LIB)
    repo.write(user=USER.replace("lib/site.scn", "isocost:sites/own"))
    repo.commit()
    repo.put("cat/sites/own.scn", LIB.replace("1.2", "1.3"))
    repo.commit()
    data = run.data("HEAD~1", "HEAD", "--catalog", "cat")
    (change,) = data["changes"]
    assert (change["path"], change["reaches"]) == ("hall.pue", ["only"])


def test_a_repository_cannot_make_us_run_anything(repo: Repo, run: Run) -> None:
    """Filters, textconv and external diffs of its own are left alone."""
    repo.write(a=TEXT)
    repo.put(".gitattributes", "*.scn diff=evil filter=evil\n")
    repo.commit()
    mark = repo.folder / "ran"
    repo.git("config", "diff.evil.textconv", f"touch {mark}; cat")
    repo.git("config", "diff.evil.command", f"touch {mark}; true")
    repo.git("config", "filter.evil.smudge", f"touch {mark}; cat")
    repo.git("config", "diff.external", f"touch {mark}; true")
    repo.write(a=DEARER)
    run(status=1)
    assert not mark.exists()


def test_fail_on(repo: Repo, run: Run) -> None:
    plain = TEXT[: TEXT.index("policy spending")]
    repo.write(a=plain)
    repo.commit()
    repo.write(a=plain.replace("200_000 $ to 240_000 $", "230_000 $ to 280_000 $"))
    assert "refused" not in run()
    assert "refused" in run("--fail-on", "5%", status=1)
    assert "kept" in run("--fail-on", "-5%")
    assert "refused" in run("--fail-on", "change(cost.capex) > 1M $", status=1)


def test_only_what_is_asked_for(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    repo.commit()
    repo.write(a=TEXT.replace("pue = 1.2 ", "pue = 1.3 "))
    data = run.data("-s", "large", "-m", "power.provisioned")
    assert [(m["scenario"], m["metric"]) for m in data["metrics"]] == [
        ("large", "power.provisioned")
    ]


def test_context_and_all(repo: Repo, run: Run) -> None:
    repo.write(a=TEXT)
    repo.commit()
    repo.write(a=TEXT.replace("pue = 1.2 ", "pue = 1.3 ").replace("500 W", "0.5 kW"))
    assert "electricity" not in run()
    assert "electricity" in run("-U", "1")
    assert "0.5 kW" not in run()
    assert "0.5 kW" in run("--all")
