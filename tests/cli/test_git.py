"""`isocost git` and `isocost merge`, with a git that uses them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from isocost.__main__ import main

TEXT = """edition 2026

chip a {
  power = 500 W @assumed "x"
  price = 20_000 $ @assumed "x"
}
"""


def git(folder: Path, *words: str, status: int = 0) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**environment, "GIT_CONFIG_GLOBAL": os.devnull},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with an `isocost` on the path that is this one."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.email", "a@example.org")
    git(folder, "config", "user.name", "A")
    (folder / "a.scn").write_text(TEXT)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    tools = tmp_path / "bin"
    tools.mkdir()
    script = tools / "isocost"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m isocost "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    return folder


def state(folder: Path) -> dict[str, str]:
    """Every file that set-up might touch."""
    names = [folder / ".git" / "config", *(folder / ".git" / "info").iterdir()]
    names += (folder / ".git" / "hooks").iterdir()
    return {str(path): path.read_text() for path in names}


def test_set_up_and_undone_leaves_no_trace(repo: Path) -> None:
    before = state(repo)
    assert main(["git", "setup"]) == 0
    assert state(repo) != before
    assert main(["git", "unset"]) == 0
    assert state(repo) == before


def test_set_up_twice_is_set_up_once(repo: Path) -> None:
    main(["git", "setup"])
    once = state(repo)
    main(["git", "setup"])
    assert state(repo) == once


def test_what_was_there_stays(repo: Path) -> None:
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho mine\n")
    attributes = repo / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.png binary")
    before = state(repo)
    main(["git", "setup"])
    assert "echo mine" in hook.read_text()
    assert "isocost check" in hook.read_text()
    assert "*.png binary\n" in attributes.read_text()
    main(["git", "unset"])
    assert state(repo) == before


def test_a_hook_in_another_language_is_left_alone(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/usr/bin/env python3\nprint(1)\n")
    main(["git", "setup"])
    assert hook.read_text() == "#!/usr/bin/env python3\nprint(1)\n"
    assert "left alone" in capsys.readouterr().out


def test_hooks_kept_elsewhere_are_left_alone(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(repo, "config", "core.hooksPath", "hooks")
    main(["git", "setup"])
    assert not (repo / "hooks").exists()
    assert "the hooks are in hooks" in capsys.readouterr().out


def test_unset_where_nothing_was_set(repo: Path) -> None:
    before = state(repo)
    assert main(["git", "unset"]) == 0
    assert state(repo) == before


def test_the_hook_stops_a_wrong_file(repo: Path) -> None:
    main(["git", "setup"])
    mode = (repo / ".git" / "hooks" / "pre-commit").stat().st_mode
    assert mode & stat.S_IXUSR
    (repo / "a.scn").write_text(TEXT.replace("500 W", "500 Wx"))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "wrong", status=1)
    (repo / "a.scn").write_text(TEXT.replace("500 W", "501 W"))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "right")


def test_gits_diff_shows_statements(repo: Path) -> None:
    main(["git", "setup"])
    spread = TEXT.replace("chip a {\n", "chip a {\n  # a comment\n\n")
    (repo / "a.scn").write_text(spread.replace("500 W", "501 W"))
    shown = git(repo, "diff")
    assert '-a.power = 500 W @assumed "x"' in shown
    assert '+a.power = 501 W @assumed "x"' in shown
    assert "a comment" not in shown


def test_gits_merge_is_by_facts(repo: Path) -> None:
    """Two neighbouring lines, each changed on one side."""
    main(["git", "setup"])
    git(repo, "checkout", "-q", "-b", "other")
    (repo / "a.scn").write_text(TEXT.replace("500 W", "501 W"))
    git(repo, "commit", "-q", "-a", "-m", "power")
    git(repo, "checkout", "-q", "main")
    (repo / "a.scn").write_text(TEXT.replace("20_000", "21_000"))
    git(repo, "commit", "-q", "-a", "-m", "price")
    git(repo, "merge", "-q", "other", "-m", "both")
    assert (repo / "a.scn").read_text() == TEXT.replace("500 W", "501 W").replace(
        "20_000", "21_000"
    )


def test_one_fact_changed_twice_stays_a_conflict(repo: Path) -> None:
    main(["git", "setup"])
    git(repo, "checkout", "-q", "-b", "other")
    (repo / "a.scn").write_text(TEXT.replace("500 W", "501 W"))
    git(repo, "commit", "-q", "-a", "-m", "one")
    git(repo, "checkout", "-q", "main")
    (repo / "a.scn").write_text(TEXT.replace("500 W", "502 W"))
    git(repo, "commit", "-q", "-a", "-m", "two")
    said = git(repo, "merge", "-q", "other", status=1)
    assert "1 conflict left in a.scn" in said
    text = (repo / "a.scn").read_text()
    assert "<<<<<<< ours\n  power = 502 W" in text
    assert '=======\n  power = 501 W @assumed "x"\n>>>>>>> theirs\n' in text
    assert "||||||| base\n  power = 500 W" in text
    assert text.count("price") == 1


def test_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert main(["git", "setup"]) == 1


# The merge by itself.


def merged(tmp_path: Path, *texts: str, words: tuple[str, ...] = ()) -> tuple[int, str]:
    names = []
    for name, text in zip(("base", "ours", "theirs"), texts, strict=True):
        path = tmp_path / f"{name}.scn"
        path.write_text(text)
        names.append(str(path))
    out = tmp_path / "out.scn"
    status = main(["merge", *names, "-o", str(out), *words])
    return status, out.read_text()


def test_a_block_on_each_side(tmp_path: Path) -> None:
    more = "\nchip {} {{\n  power = 1 W @assumed\n}}\n"
    ours, theirs = TEXT + more.format("b"), TEXT + more.format("c")
    status, text = merged(tmp_path, TEXT, ours, theirs)
    assert status == 0
    assert text.count("chip ") == 3


def test_the_order_of_the_other_side_is_taken(tmp_path: Path) -> None:
    lines = TEXT.splitlines(keepends=True)
    moved = "".join([*lines[:3], lines[4], lines[3], *lines[5:]])
    status, text = merged(tmp_path, TEXT, TEXT.replace("500 W", "501 W"), moved)
    assert status == 0
    assert text == moved.replace("500 W", "501 W")


def test_a_fact_deleted_here_and_changed_there_is_a_conflict(tmp_path: Path) -> None:
    ours = TEXT.replace('  power = 500 W @assumed "x"\n', "")
    status, text = merged(tmp_path, TEXT, ours, TEXT.replace("500 W", "501 W"))
    assert status == 1
    assert "<<<<<<< ours\n||||||| base\n" in text


def test_a_text_that_is_no_scenario_is_merged_by_lines(tmp_path: Path) -> None:
    base = "one {\ntwo\nthree\nfour\nfive\n"
    ours, theirs = base.replace("two", "2"), base.replace("five", "5")
    status, text = merged(tmp_path, base, ours, theirs)
    assert (status, text) == (0, "one {\n2\nthree\nfour\n5\n")


def test_labels_and_sizes_of_markers(tmp_path: Path) -> None:
    ours, theirs = TEXT.replace("500", "501"), TEXT.replace("500", "502")
    words = ("--marker-size", "9", "--label", "HEAD", "--label", "root")
    _, text = merged(tmp_path, TEXT, ours, theirs, words=words)
    assert "<" * 9 + " HEAD\n" in text
    assert "|" * 9 + " root\n" in text


def test_a_missing_file_is_a_file_at_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["merge", *[str(tmp_path / n) for n in "abc"]]) == 1
    assert "no such file" in capsys.readouterr().err
