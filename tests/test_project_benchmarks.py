"""The benchmark frame: ratios, limits and obstacles."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def frame(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The benchmarks' main module; the repository's folder leaves the path again."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import __main__ as module

    yield module
    for name in [n for n in sys.modules if n.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_an_outcome_is_told_with_its_ratio_and_limit(frame: ModuleType) -> None:
    outcome = frame.Outcome(
        what="x", value=0.2, unit="s", rival="y", rival_value=0.1, limit=0.1
    )
    assert frame.line("name", outcome) == (
        "name                 200 ms  x; 2.00 times y (100 ms); "
        "MISSES the limit of 100 ms"
    )
    assert not frame.is_fine(outcome)
    assert frame.record(outcome)["ratio"] == pytest.approx(2)


def test_a_rate_must_reach_its_limit(frame: ModuleType) -> None:
    outcome = frame.Outcome(
        what="x",
        value=2e6,
        unit="evaluations/s",
        rival="y",
        rival_value=1e6,
        limit=1e6,
        higher_is_better=True,
        notes={"nodes": 24},
    )
    assert outcome.kept
    assert frame.line("name", outcome).endswith(
        "within the limit of 1,000,000 evaluations/s; nodes 24"
    )


def test_skipped_is_fine_and_failed_is_not(frame: ModuleType) -> None:
    skip = frame.Skip("there is no file x yet")
    assert frame.is_fine(skip)
    assert frame.record(skip) == {"skipped": "there is no file x yet"}
    failure = subprocess.CalledProcessError(1, ["isocost"], "", "a\nno such file\n")
    assert not frame.is_fine(failure)
    assert frame.record(failure) == {"failed": "no such file"}


def test_every_benchmark_can_be_run(frame: ModuleType) -> None:
    """Each file states `run` and says in its docstring what it stands for."""
    import importlib

    for name in frame.names():
        module = importlib.import_module(f"benchmarks.{name}")
        assert module.__doc__
        assert callable(module.run)


@pytest.mark.usefixtures("frame")
def test_the_rivals_read_the_same_facts() -> None:
    """What other readers are timed on holds every fact of the catalogue."""
    import tomllib

    from benchmarks import _facts

    found = _facts.facts(_facts.texts())
    assert len(found) > 3000
    tables = tomllib.loads(_facts.as_toml(found))
    values = [fact["value"] for table in tables.values() for fact in table.values()]
    assert values == [fact.value for fact in found]
    for written in (_facts.as_yaml, _facts.as_hcl, _facts.as_beancount):
        text = written(found)
        assert text.count("\n") > len(found)
        assert all(fact.path in text for fact in found)


@pytest.mark.usefixtures("frame")
def test_the_large_file_is_as_large_as_promised() -> None:
    from benchmarks import megabyte

    text, number = megabyte.written()
    assert len(text) > 1_000_000
    assert number >= megabyte.FACTS
