"""Templates for forges run as they are; the worked review is as it comes out."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.__main__ import command_names, main

ROOT = Path(__file__).parent.parent.parent
CI = ROOT / "docs" / "ci"
BASE = (ROOT / "tests" / "golden" / "review" / "base.scn").read_text(encoding="utf-8")
Golden = Callable[[str, str | bytes], None]


def scripts(text: str) -> list[str]:
    """The shell scripts of a template: what stands indented below `|`."""
    found = re.findall(r"^( *)(?:- |run: )\|\n((?:\1 +.*\n)+)", text, re.MULTILINE)
    return [textwrap.dedent(body) for _, body in found]


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository in which the last commit is a merge of a dearer branch."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.email", "a@example.org")
    git(folder, "config", "user.name", "A")
    (folder / "a.scn").write_text(BASE)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    (folder / "a.scn").write_text(BASE.replace("240_000 $", "280_000 $"))
    git(folder, "commit", "-q", "-a", "-m", "two")
    tools = tmp_path / "bin"
    tools.mkdir()
    script = tools / "isocost"
    # The template posts; here the same words without that.
    script.write_text(
        "#!/bin/sh\n"
        f'for word; do shift; case "$word" in --post|github|gitlab) ;; *) '
        'set -- "$@" "$word";; esac; done\n'
        f'exec {sys.executable} -m isocost "$@"\n'
    )
    script.chmod(0o755)
    return folder


def shell(repo: Path, script: str, **more: str) -> subprocess.CompletedProcess[str]:
    path = f"{repo.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=repo,
        env={**os.environ, "PATH": path, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_github_action(repo: Path) -> None:
    (script,) = scripts((CI / "github" / "action.yml").read_text(encoding="utf-8"))
    more = {"BASE": "HEAD~1", "HEAD": "HEAD", "TAG": "review"}
    done = shell(repo, script, FAIL_ON="", **more)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("<!-- isocost:review -->")
    done = shell(repo, script, FAIL_ON="50%\nfailed_checks", **more)
    assert done.stdout.count("deny abs(change(") == 2
    assert "deny failed_checks > 0" in done.stdout


def test_the_gitlab_job(repo: Path) -> None:
    (script,) = scripts((CI / "gitlab.yml").read_text(encoding="utf-8"))
    base = git(repo, "rev-parse", "HEAD~1").strip()
    more = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    done = shell(repo, script, ISOCOST_FAIL_ON="1%", **more)
    assert done.returncode == 1, done.stderr
    assert (repo / "review.md").read_text().startswith("<!-- isocost:review -->")


@pytest.mark.parametrize("name", ["github/action.yml", "gitlab.yml", "check.yml"])
def test_templates_name_commands_that_there_are(name: str) -> None:
    text = (CI / name).read_text(encoding="utf-8")
    used = set(re.findall(r"(?:^|xargs -0 |\s)isocost ([a-z]+) ", text, re.MULTILINE))
    assert used
    assert used <= set(command_names())


def test_hooks_name_commands_that_there_are() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    used = re.findall(r"entry: isocost (\w+)", text)
    assert used == ["check", "fmt"]
    assert set(used) <= set(command_names())


def test_the_worked_review(
    golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT / "docs" / "review")
    assert main(["comment", "before.scn", "after.scn"]) == 1
    text = capsys.readouterr().out
    golden("../../docs/review/comment.md", text)
    assert text.count("**refused**") == 2
    assert "pod.topology.link[x]" in text


def test_the_policies_of_the_docs_are_right(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```scn\n(.*?)```", text, re.DOTALL)
    assert blocks
    for i, block in enumerate(blocks):
        path = tmp_path / f"{i}.scn"
        path.write_text(block, encoding="utf-8")
        assert main(["check", str(path)]) == 0
