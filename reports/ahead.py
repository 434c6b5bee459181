"""Sensitivities worked out on another core while the sections are being written.

A sensitivity reads the graph and adds nothing to it, so it may be computed by a copy
of the process; one that does add something is left to the process itself, which keeps
the graph, and with it every byte of a report, the same on one core as on many.
"""

from collections.abc import Iterator, Sequence

import attrs

from isocost.engine.evaluate import Evaluation
from isocost.engine.program import cores
from isocost.engine.sensitivity import Sensitivity, sensitivity
from isocost.reports.apart import apart

#: A scenario's name and the path of its metric.
Wanted = tuple[str, str]


@attrs.define(eq=False)
class Ahead:
    """Sensitivities that are under way elsewhere, or computed when asked for."""

    evaluation: Evaluation
    _found: dict[Wanted, Sensitivity | None] = attrs.field(factory=dict, init=False)
    _coming: Iterator[tuple[Wanted, Sensitivity | None]] = attrs.field(
        factory=lambda: iter(()), init=False
    )

    def begin(self, wanted: Sequence[Wanted]) -> None:
        """Begin with some sensitivities, if there is a core to spare for them."""
        wanted = tuple(dict.fromkeys(wanted))
        if wanted and cores() > 1:
            self._coming = apart(lambda: self._made(wanted))

    def sensitivity(self, scenario: str, metric: str) -> Sensitivity | None:
        """What drives a metric; None, with a diagnostic, if it cannot be had."""
        key = (scenario, metric)
        while key not in self._found:
            found = next(self._coming, None)
            if found is None:
                self._found[key] = sensitivity(self.evaluation, scenario, metric)
            elif found[1] is not None:
                self._found.setdefault(*found)
        return self._found[key]

    def _made(
        self, wanted: Sequence[Wanted]
    ) -> Iterator[tuple[Wanted, Sensitivity | None]]:
        before = self._size()
        for key in wanted:
            found = sensitivity(self.evaluation, *key)
            if self._size() != before:
                return
            yield key, found

    def _size(self) -> tuple[int, int, int]:
        """What grows where something is added to an evaluation."""
        builder = self.evaluation.builder
        return len(builder.nodes), len(builder.names), len(self.evaluation.diagnostics)
