"""The import rules hold, and the linter that enforces them really catches a breach."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """What `make lint` runs for the imports, in the checkout `root`."""
    subprocess.run(
        [sys.executable, str(root / "tools" / "typing_tree.py")], check=True, cwd=root
    )
    code = (
        "import sys; sys.path[:0] = ['build/typing', 'tools']\n"
        "from importlinter.cli import lint_imports_command as run; run(['--no-cache'])"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the modules, to break."""
    for name in ("cli", "dsl", "engine", "grammar", "reports", "scenarios", "tools"):
        ignore = shutil.ignore_patterns("__pycache__", "*.ttf", "*.scn")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_rules_hold(checkout: Path) -> None:
    linted = lint_imports(checkout)
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize(
    ("module", "line", "complaint"),
    [
        ("grammar", "import isocost.dsl", "isocost.grammar is not allowed to import"),
        ("dsl", "import isocost.engine", "isocost.dsl is not allowed to import"),
        ("engine", "from isocost import reports", "isocost.engine is not allowed"),
        ("dsl", "import numpy", "isocost.dsl is not allowed to import numpy"),
        ("dsl", "import sympy.core", "isocost.dsl is not allowed to import sympy"),
        ("reports", "import isocost.__main__", "isocost.reports.breach imports"),
        ("dsl", "def f():\n    import isocost.engine", "isocost.dsl is not allowed"),
    ],
)
def test_a_breach_is_caught(
    checkout: Path, module: str, line: str, complaint: str
) -> None:
    (checkout / module / "breach.py").write_text(line + "\n")
    linted = lint_imports(checkout)
    assert linted.returncode == 1
    assert complaint in linted.stdout


def test_the_checks_of_a_file_load_no_numbers() -> None:
    """Neither the language nor the table of quantities loads numpy or sympy."""
    modules = [
        ".".join(["isocost", *path.relative_to(ROOT).with_suffix("").parts])
        for folder in ("dsl", "grammar")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name != "__init__.py" and (path.parent / "__init__.py").exists()
    ]
    if importlib.util.find_spec("isocost.engine.quantities"):
        modules.append("isocost.engine.quantities")
    code = (
        "import importlib, sys\n"
        f"for name in {modules}:\n"
        "    importlib.import_module(name)\n"
        "    loaded = {'numpy', 'scipy', 'sympy'}.intersection(sys.modules)\n"
        "    assert not loaded, f'{name} loads {loaded}'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
