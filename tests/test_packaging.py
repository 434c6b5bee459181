"""Wheel and sdist: complete, installable, and stated completely in pyproject.toml."""

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Files beside the modules that are for developers only and stay out of the wheel.
NOT_SHIPPED = {"reports/fonts/build.py"}


def settings() -> dict[str, Any]:
    """The table [tool.setuptools] of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, Any] = project["tool"]["setuptools"]
    return table


def tracked() -> list[str]:
    """The repository's files, or all of them where there is no repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(
            command, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [
            path.relative_to(ROOT).as_posix()
            for folder in settings()["package-dir"].values()
            for path in (ROOT / folder).rglob("*")
            if "__pycache__" not in path.parts
        ]
    return [name for name in listed if (ROOT / name).is_file()]


def shipped_files() -> dict[str, str]:
    """Each file of a package's folder, and its path once installed."""
    folders = {
        folder: package.replace(".", "/")
        for package, folder in settings()["package-dir"].items()
    }
    found = {}
    for name in tracked():
        top, _, rest = name.partition("/")
        if rest and top in folders and name not in NOT_SHIPPED:
            found[name] = f"{folders[top]}/{rest}"
    return found


def test_one_version() -> None:
    from isocost import __version__

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == __version__


@pytest.mark.parametrize("name", ["run", "dev"])
def test_the_lock_covers_what_is_asked_for(name: str) -> None:
    """Each dependency is locked to one version, with hashes, and names no host."""
    from packaging.requirements import Requirement

    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    locked = dict(
        line.removesuffix(" \\").split("==")
        for line in text.splitlines()
        if line and line[0] not in " #"
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(project["project"]["dependencies"])
    if name == "dev":
        wanted += project["project"]["optional-dependencies"]["dev"]
    for requirement in map(Requirement, wanted):
        assert requirement.name.lower() in locked, "run `make lock`"
        assert requirement.specifier.contains(locked[requirement.name.lower()])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and with the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    copy = folder / "source"
    for name in tracked():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    backend("build_sdist", copy, folder)
    (sdist,) = folder.glob("*.tar.gz")
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    subprocess.run(
        ["tar", "-xzf", sdist, "--strip-components=1", "-C", unpacked], check=True
    )
    backend("build_wheel", unpacked, folder)
    return folder


def backend(step: str, source: Path, folder: Path) -> None:
    """Run one step of the build backend in `source`, as pip would."""
    code = f"from setuptools import build_meta; build_meta.{step}({str(folder)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=source,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_wheel_carries_every_file(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    missing = sorted(
        name for name, installed in shipped_files().items() if installed not in packed
    )
    assert missing == [], (
        "not carried: data needs a pattern in tool.setuptools.package-data, "
        "a module an __init__.py in its folder"
    )
    extra = {name for name in packed if ".dist-info/" not in name}
    assert extra - set(shipped_files().values()) == set()


def test_the_installed_wheel_runs(built: Path, tmp_path: Path) -> None:
    """In an environment of its own: the script, the modules, and the data files."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    programs = tmp_path / "venv" / "bin"
    environment = {
        name: os.environ[name]
        for name in ("HOME", "PATH", "LANG")
        if name in os.environ
    }

    def run(*command: str | Path) -> str:
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    (wheel,) = built.glob("*.whl")
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel)
    version = run(programs / "isocost", "--version")
    assert version.startswith("isocost ")
    assert run(programs / "python", "-m", "isocost", "--version") == version

    data = [name for name in shipped_files().values() if not name.endswith(".py")]
    code = (
        "from importlib.resources import files\n"
        f"for name in {data}:\n"
        "    package, _, rest = name.removeprefix('isocost/').partition('/')\n"
        "    place = files('isocost.' + package) / rest if rest else files('isocost')\n"
        "    if rest and not place.is_file(): print(name)\n"
    )
    assert run(programs / "python", "-c", code) == ""
