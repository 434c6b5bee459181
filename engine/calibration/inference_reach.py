"""On what each inference stack was calibrated: the ranges that its block states."""

from collections.abc import Mapping

import attrs

from isocost.engine.calibration.inference_arrays import Array
from isocost.engine.calibration.inference_blocks import digits
from isocost.engine.calibration.inference_fit import Measurements
from isocost.engine.calibration.inference_spread import sequences
from isocost.engine.calibration.inference_stacks import Stack


@attrs.frozen
class Reach:
    """Least and most of what a stack's rows had; `sequences` are those of a chip.

    `experts` says whether any had a model of experts.
    """

    rows: int
    parameters: tuple[float, float]
    sequences: tuple[float, float]
    ep: tuple[float, float]
    experts: bool


def _ends(values: list[float]) -> tuple[float, float]:
    return min(values), max(values)


def reaches(data: Measurements, theta: Array) -> Mapping[str, Reach]:
    """The reach of each stack by its name.

    Args:
        data: The measurements that were fitted.
        theta: Logarithms of the coefficients, for batches that rows leave open.
    """
    found = sequences(data, theta)
    out: dict[str, Reach] = {}
    names = [case.stack.name for case in data.first_case]
    for name in dict.fromkeys(names):
        mine = [i for i, other in enumerate(names) if other == name and data.tuned[i]]
        if mine:
            out[name] = _reach(data, found, mine)
    return out


def _reach(data: Measurements, found: Array, mine: list[int]) -> Reach:
    cases = [data.first_case[i] for i in mine]
    return Reach(
        len(mine),
        _ends([float(p) * 1e9 for i in mine if (p := data.rows[i]["params_b"])]),
        _ends([float(found[i]) for i in mine if found[i] > 0]),
        _ends([case.numbers["ep"] for case in cases]),
        any(case.experts for case in cases),
    )


def range_lines(reach: Reach, source: str) -> list[str]:
    """The lines of a block that state a reach."""
    billion = 1e9
    ranges = (
        ("parameters", [f"{x / billion:.4g}G" for x in reach.parameters]),
        ("sequences", [f"{digits(x)} sequence/chip" for x in reach.sequences]),
        ("ep", [f"{x:g}" for x in reach.ep]),
    )
    return [
        f'calibrated.{name}[{end}] = {text} @{source} "its rows"'
        for name, both in ranges
        for end, text in zip(("least", "most"), both, strict=True)
    ]


def of_stack(found: Mapping[str, Reach], made: Stack) -> Reach | None:
    """What a stack's own rows reach; None for one that no row was fitted on."""
    return found.get(made.name) if made.measured else None
