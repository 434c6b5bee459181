"""`config.*`: the configuration that a scenario runs in, chosen or stated."""

from isocost.engine.derive.common import INFERENCE, TRAINING
from isocost.engine.quantities import Build, Quantity, quantity
from isocost.engine.scope import Scope


def _of(path: str) -> Build:
    def build(scope: Scope, _: tuple[str, ...]) -> int:
        return scope[path]

    return build


_DEGREES = {
    "tp": "Tensor parallelism",
    "pp": "Pipeline stages",
    "cp": "Context parallelism",
    "dp": "Data parallelism",
    "ep": "Expert parallelism",
    "virtual": "Interleaved pieces of a pipeline stage",
}


def _degree(name: str, words: str) -> Quantity:
    doc = f"{words} of the configuration that is run, chosen or stated."
    return quantity(f"config.{name}", "1", doc, _of(f"workload.parallel.{name}"))


QUANTITIES = [
    *(_degree(name, words) for name, words in _DEGREES.items()),
    quantity(
        "config.batch",
        "sequence",
        "Sequences that one instance decodes at once, chosen or stated.",
        _of("workload.batch.instance"),
        when=INFERENCE,
    ),
    quantity(
        "config.batch",
        "sequence",
        "Sequences of one step, chosen or stated.",
        _of("workload.batch.global"),
        when=TRAINING,
    ),
    quantity(
        "config.micro",
        "sequence",
        "Sequences of one micro-batch, chosen or stated.",
        _of("workload.batch.micro"),
        when=TRAINING,
    ),
]
