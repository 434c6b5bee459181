"""What all tests share: the golden runner and Hypothesis' settings.

A golden is a file below `tests/golden` that holds what a test printed when somebody
last read it and found it right. `golden("check/missing_unit.out", text)` compares;
`make golden` (or `pytest --update-golden`) accepts the new text, and the review of
the change shows it. A full run in which a golden was compared with nothing fails, so
that a renamed test leaves nothing behind; files of the suffixes in `INPUTS` are what
tests read, and are not counted.
"""

import difflib
import importlib
import os
import pkgutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from isocost.engine import formulas
from isocost.engine.quantities import registry

GOLDENS = Path(__file__).parent / "golden"
INPUTS = {".scn", ".csv", ".toml", ".md"}

Golden = Callable[[str, str | bytes], None]

USED = pytest.StashKey[set[str]]()
UNUSED = pytest.StashKey[list[str]]()

# The same examples on every machine: a red run can be repeated. To hunt for new
# ones, HYPOTHESIS_PROFILE=explore.
settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

# Tests over every formula must be the same ones in each worker, whatever the table of
# quantities that is kept between runs spared it from loading.
for _found in pkgutil.iter_modules(formulas.__path__):
    importlib.import_module(f"{formulas.__name__}.{_found.name}")
registry()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the tests print to tests/golden instead of comparing",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[USED] = set()
    config.stash[UNUSED] = []


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """A function that compares text or bytes with a file below `tests/golden`."""
    update = request.config.getoption("--update-golden")
    used = request.config.stash[USED]

    def compare(name: str, text: str | bytes) -> None:
        used.add(name)
        path = GOLDENS / name
        new = text.replace("\r\n", "\n").encode() if isinstance(text, str) else text
        if update:
            if not path.exists() or path.read_bytes() != new:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(new)
            return
        if not path.exists():
            pytest.fail(f"no golden {name}; `make golden` writes it", pytrace=False)
        old = path.read_bytes()
        if isinstance(text, str):
            old = old.replace(b"\r\n", b"\n")
        if old != new:
            pytest.fail(_difference(name, old, new), pytrace=False)

    return compare


def _difference(name: str, old: bytes, new: bytes) -> str:
    try:
        before, after = old.decode().splitlines(), new.decode().splitlines()
    except UnicodeDecodeError:
        at = next(
            (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
            min(len(old), len(new)),
        )
        return f"{name}: {len(old)} bytes, now {len(new)}; they part at byte {at}"
    lines = difflib.unified_diff(before, after, f"golden/{name}", "now", lineterm="")
    shown = "\n".join(lines) or "only the end of the last line differs"
    return f"{shown}\n\n`make golden` accepts the new text"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Gather the used goldens from all workers; in a full run, look for the rest."""
    config = session.config
    used: set[str] = config.stash[USED]
    if hasattr(config, "workeroutput"):
        config.workeroutput["goldens"] = list(used)
        return
    if exitstatus == pytest.ExitCode.OK and _is_full_run(config):
        unused = sorted(_goldens() - used)
        config.stash[UNUSED] = unused
        if unused:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Take over what a worker of pytest-xdist has used."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[USED].update(output.get("goldens", ()))  # type: ignore[attr-defined]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name the goldens that no test asked for."""
    for name in config.stash[UNUSED]:
        terminalreporter.write_line(f"ERROR tests/golden/{name}: no test uses it")


def _is_full_run(config: pytest.Config) -> bool:
    """Whether every test ran: no selection by path, name, mark or last failure."""
    chosen = ("keyword", "markexpr", "lf", "deselect", "ignore", "ignore_glob")
    if any(config.getoption(option, default=None) for option in chosen):
        return False
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


def _goldens() -> set[str]:
    return {
        path.relative_to(GOLDENS).as_posix()
        for path in GOLDENS.rglob("*")
        if path.is_file() and path.suffix not in INPUTS
    }


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Goldens hold no colours and no line breaks of somebody's terminal."""
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
