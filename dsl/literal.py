"""Literals as written: a number with its unit, before any conversion.

Kept apart from `Expr` so that the formatter can print them back as they stood.
"""

import attrs

from isocost.dsl.units import Unit


@attrs.frozen
class Literal:
    """A number and its unit; `text` is the spelling in the file.

    `number` is as written (45 for `45%`); `number * unit.factor` is in base units.
    """

    number: float
    unit: Unit | None
    text: str = attrs.field(eq=False)

    @property
    def base(self) -> float:
        """The number in base units."""
        return self.number if self.unit is None else self.number * self.unit.factor

    def __str__(self) -> str:
        return self.text
