"""A range that a stack was calibrated on: its variables, and what is beyond it."""

from isocost.dsl.expr import Expr, where
from isocost.engine.formula import Param, p

#: How far beyond the calibrated range is let pass: the figures are smooth in size.
SLACK = 2.0


def calibrated(unit: str, what: str) -> dict[str, Param]:
    """A value and the least and most of it that were calibrated on, all in `unit`."""
    return {
        "value": p(unit, "x", what),
        "least": p(unit, "x_0", "least that was calibrated on"),
        "most": p(unit, "x_1", "most that was calibrated on"),
    }


def beyond(value: Expr, least: Expr, most: Expr) -> Expr:
    """1 where a value is outside its calibrated range by more than the slack."""
    below = where(value * SLACK < least, 1, 0)
    return where(value > most * SLACK, 1, below)
