"""Builds `build/typing/isocost`: the installed package's shape, as links to its files.

Static checkers do not follow setuptools' mapping of `isocost.dsl` to the folder
`dsl` and so on; over this tree mypy and import-linter see every module. Folders are
real and only files are links, because grimp does not walk into linked folders.
"""

import os
import shutil
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "typing"


def package_folders() -> dict[str, Path]:
    """The folder of each top-level package, as setuptools is told."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    mapping: dict[str, str] = project["tool"]["setuptools"]["package-dir"]
    return {package: ROOT / folder for package, folder in mapping.items()}


def build() -> None:
    """Make the tree anew; the links are relative, so that the checkout may move."""
    shutil.rmtree(TREE, ignore_errors=True)
    for package, folder in package_folders().items():
        target = TREE.joinpath(*package.split("."))
        modules = (
            source
            for source in folder.rglob("*.py")
            if (source.parent / "__init__.py").exists()
        )
        for source in [*modules, *folder.glob("py.typed")]:
            link = target / source.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.relpath(source, link.parent))


if __name__ == "__main__":
    build()
