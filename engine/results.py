"""What an evaluation hands to reports, commands and tests: plain values.

A `Result` is one metric of one scenario. Numbers are in SI base units unless a
unit is named beside them, and are rounded to 12 significant digits on the way
out, so that a printer's last bit never shows.
"""

import math
from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen
class Choice:
    """A settled `auto` or `{…}`: what was taken, and what came second.

    Values are in base units. `gap` is the runner-up's objective over the winner's, less
    one (0.04 = 4% worse). `best_share` and `feasible_share` are shares of draws; like
    the gap they belong to all choices of a scenario together.
    """

    path: str
    value: float
    unit: str = "1"
    scale: float = 1.0
    runner_up: float | None = None
    gap: float | None = None
    feasible_share: float = 1.0
    best_share: float = 1.0


@attrs.frozen
class Result:
    """One metric of one scenario with its 90% interval.

    `central` is the graph at point values; `low`, `median`, `high` are the 5th,
    50th and 95th percentiles of the draws. All four are in base units; multiply by
    `1 / scale` for `unit`. `branches` names the active branch of each piecewise
    formula on the way (`{"trn2.decode.step": "memory"}`). `feasible_share` is the
    share of draws in which every constraint holds.
    """

    scenario: str
    path: str
    doc: str
    unit: str
    scale: float
    dimension: str
    central: float
    low: float
    median: float
    high: float
    branches: Mapping[str, str] = attrs.field(factory=dict)
    feasible_share: float = 1.0
    flags: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The point value in `unit`."""
        return self.central / self.scale


def round_out(value: float, digits: int = 12) -> float:
    """`value` to significant digits: the last bits of a sum differ by back end."""
    return value if math.isnan(value) else float(f"{value:.{digits - 1}e}")


def plain(data: Any) -> Any:
    """Data as it leaves in JSON: numbers to 12 digits, what is none as None.

    Rounding comes last, after every change of units: 0.08 $/kWh that was rounded in
    base units would come out as 0.07999999999992.
    """
    if isinstance(data, float):
        return round_out(data) if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return data
