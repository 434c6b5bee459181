"""What the benchmarks share: outcomes, and fair timing of whole processes."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
ISOCOST = str(Path(sys.executable).with_name("isocost"))


class Skip(Exception):  # noqa: N818  # it is no error
    """What a benchmark measures is not there; the text says what is missing."""


@attrs.frozen
class Outcome:
    """One measured figure beside what it is held against.

    `limit` is what we promise, in the same unit; `None` where nothing is promised.
    Lower is better unless `higher_is_better`. `notes` are further figures for the
    reader, such as the number of nodes behind a rate.
    """

    what: str
    value: float
    unit: str
    rival: str
    rival_value: float
    limit: float | None = None
    higher_is_better: bool = False
    notes: Mapping[str, float | str] = attrs.field(factory=dict)

    @property
    def ratio(self) -> float:
        """Ours over the rival's."""
        return self.value / self.rival_value

    @property
    def kept(self) -> bool:
        """Whether the limit holds."""
        if self.limit is None:
            return True
        if self.higher_is_better:
            return self.value >= self.limit
        return self.value <= self.limit


def race(
    ours: Callable[[], object], rival: Callable[[], object], *, runs: int
) -> tuple[float, float]:
    """Median seconds of each, in turns, after one run of each that does not count."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(runs + 1):
        for taken, action in zip(seconds, (ours, rival), strict=True):
            start = time.perf_counter()
            action()
            if turn:
                taken.append(time.perf_counter() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def race_processes(
    ours: Sequence[str], rival: Sequence[str], *, runs: int
) -> tuple[float, float]:
    """Median seconds of two whole processes, from their start to their end."""
    return race(lambda: _finish(ours), lambda: _finish(rival), runs=runs)


def command(name: str, *arguments: str) -> list[str]:
    """The command line `isocost NAME ARGUMENT...`; skips where there is no such yet."""
    if not (ROOT / "cli" / f"{name}.py").exists():
        raise Skip(f"there is no command '{name}' yet")
    return [ISOCOST, name, *arguments]


def scenario(path: str) -> str:
    """The path of a file of this repository; skips where it is not there yet."""
    if not (ROOT / path).exists():
        raise Skip(f"there is no file {path} yet")
    return str(ROOT / path)


def _finish(line: Sequence[str]) -> None:
    subprocess.run(line, check=True, capture_output=True, text=True)
