"""What two inputs do together, beyond what each does alone.

Both go from the low to the high end of their own intervals; the interaction is how
much more the metric moves when both do than the sum of the single moves says:
f(high, high) - f(high, low) - f(low, high) + f(low, low). All pairs are one pass.
"""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from isocost.engine.evaluate import Evaluation
from isocost.engine.program import program
from isocost.engine.results import round_out
from isocost.engine.sensitivity import Influence, Sensitivity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: How many of the largest influences are paired.
LARGEST = 12


@attrs.frozen
class Interaction:
    """Two inputs by path, and their interaction in the metric's base unit.

    `share` is the interaction over the larger of the two swings: 0 where the inputs
    add up.
    """

    first: str
    second: str
    effect: float
    share: float


def interactions(
    evaluation: Evaluation, found: Sensitivity, *, largest: int = LARGEST
) -> tuple[Interaction, ...]:
    """The interactions of the inputs with the largest swings, the strongest first.

    Args:
        evaluation: The evaluated document.
        found: The sensitivities of the metric.
        largest: How many of the inputs are paired.
    """
    moving = [one for one in found.inputs if one.swing > 0][:largest]
    pairs = list(itertools.combinations(moving, 2))
    node = evaluation.node(found.scenario, found.metric)
    if not pairs or node is None:
        return ()
    values = _corners(evaluation, node, moving, pairs)
    out = []
    for (a, b), (ll, lh, hl, hh) in zip(pairs, values, strict=True):
        effect = hh - hl - lh + ll
        share = effect / max(a.swing, b.swing)
        out.append(Interaction(a.path, b.path, round_out(effect), round_out(share)))
    return tuple(sorted(out, key=lambda one: (-abs(one.effect), one.first, one.second)))


def _corners(
    evaluation: Evaluation,
    node: int,
    moving: Sequence[Influence],
    pairs: Sequence[tuple[Influence, Influence]],
) -> "list[list[float]]":
    """The metric at the four corners of each pair: low-low, low-high, and so on."""
    import numpy as np

    count = 4 * len(pairs)
    columns = {one.node: np.full(count, one.value) for one in moving}
    for i, (a, b) in enumerate(pairs):
        columns[a.node][4 * i : 4 * i + 4] = (a.low, a.low, a.high, a.high)
        columns[b.node][4 * i : 4 * i + 4] = (b.low, b.high, b.low, b.high)
    made = program(evaluation.graph, (node,), columns, evaluation.choices)
    (column,) = made.run(columns)
    out: list[list[float]] = column.reshape(len(pairs), 4).tolist()
    return out
