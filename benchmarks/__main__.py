"""Runs the benchmarks and prints one line each; see the package's docstring."""

import argparse
import importlib
import json
import platform
import subprocess
import sys
from pathlib import Path

import attrs

from benchmarks._frame import Outcome, Skip

FOLDER = Path(__file__).parent
SCHEMA = 1

Measured = Outcome | Skip | subprocess.CalledProcessError


def names() -> list[str]:
    """The benchmarks, sorted."""
    return sorted(p.stem for p in FOLDER.glob("*.py") if not p.stem.startswith("_"))


def measure(name: str) -> Measured:
    """The outcome of one benchmark, or what came in its way."""
    module = importlib.import_module(f"benchmarks.{name}")
    try:
        outcome: Outcome = module.run()
    except (Skip, subprocess.CalledProcessError) as reason:
        return reason
    return outcome


def obstacle(reason: Skip | subprocess.CalledProcessError) -> tuple[str, str]:
    """Whether a benchmark was skipped or has failed, and why."""
    if isinstance(reason, Skip):
        return "skipped", str(reason)
    output = (reason.stderr or reason.stdout or "").strip().splitlines()
    return "failed", output[-1] if output else str(reason)


def line(name: str, outcome: Measured) -> str:
    """One benchmark as a line of text."""
    if not isinstance(outcome, Outcome):
        return f"{name:<16} {': '.join(obstacle(outcome))}"
    unit = outcome.unit
    text = (
        f"{name:<16} {number(outcome.value, unit):>10}  {outcome.what}; "
        f"{outcome.ratio:.2f} times {outcome.rival} "
        f"({number(outcome.rival_value, unit)})"
    )
    if outcome.limit is not None:
        verdict = "within" if outcome.kept else "MISSES"
        text += f"; {verdict} the limit of {number(outcome.limit, unit)}"
    notes = ", ".join(f"{key} {value}" for key, value in outcome.notes.items())
    return f"{text}; {notes}" if notes else text


def number(value: float, unit: str) -> str:
    """A figure with its unit; seconds below one as milliseconds."""
    if unit == "s" and value < 1:
        return f"{value * 1e3:.3g} ms"
    return f"{value:,.3g} {unit}" if value < 1e3 else f"{value:,.0f} {unit}"


def record(outcome: Measured) -> dict[str, object]:
    """One benchmark as JSON."""
    if not isinstance(outcome, Outcome):
        return dict([obstacle(outcome)])
    return {**attrs.asdict(outcome), "ratio": outcome.ratio, "kept": outcome.kept}


def is_fine(outcome: Measured) -> bool:
    """Whether a benchmark kept its limit or had nothing to measure."""
    return outcome.kept if isinstance(outcome, Outcome) else isinstance(outcome, Skip)


def main() -> int:
    """Exit status: 0 fine, 1 a limit is missed or a run failed, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures too")
    args = parser.parse_args()
    if unknown := sorted(set(args.names) - set(names())):
        parser.error(f"no benchmark '{unknown[0]}'; there are: {', '.join(names())}")
    outcomes: dict[str, Measured] = {}
    for name in args.names or names():
        outcomes[name] = measure(name)
        print(line(name, outcomes[name]), flush=True)
    if args.json:
        document = {
            "schema": SCHEMA,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "benchmarks": {name: record(found) for name, found in outcomes.items()},
        }
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0 if all(map(is_fine, outcomes.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
