"""The numbers that an editor shows: computed when asked for, kept for one text."""

from typing import TYPE_CHECKING

from isocost.dsl.check import Checked
from isocost.dsl.diagnostics import failed
from isocost.dsl.editor.meanings import Meaning

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation


class Numbers:
    """The value of a name with its interval, in words; empty where there is none."""

    def __init__(self) -> None:
        self._last: tuple[Checked, Evaluation] | None = None

    def __call__(self, checked: Checked, found: Meaning) -> str:
        """The number of a derived quantity or of a formula; empty for any other."""
        formula = found.fact is not None and found.fact.formula
        if failed(checked.diagnostics) or not (found.entry or formula):
            return ""
        scenario = found.scenario
        if scenario is None and found.block and found.block.kind.name == "scenario":
            scenario = found.block
        path = found.path
        if scenario is None and found.block is not None:
            path = f"{found.block.label}.{path}"
        return self._shown(checked, scenario.name if scenario else "", path)

    def _shown(self, checked: Checked, scenario: str, path: str) -> str:
        from isocost._shared import digits
        from isocost.engine.scope import MissingInputError

        try:
            (result,) = self._evaluation(checked).results([(scenario, path)])
        except (MissingInputError, KeyError, ValueError):  # not to be had here
            return ""
        unit = "" if result.unit == "1" else f" {result.unit}"
        ends = [digits(x / result.scale, 4) for x in (result.low, result.high)]
        interval = f" [{ends[0]} to {ends[1]}]" if ends[0] != ends[1] else ""
        return f"{digits(result.central / result.scale, 4)}{unit}{interval}"

    def _evaluation(self, checked: Checked) -> "Evaluation":
        from isocost.engine.evaluate import Evaluation

        if self._last is None or self._last[0] is not checked:
            self._last = checked, Evaluation(checked)
        return self._last[1]
