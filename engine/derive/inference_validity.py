"""What a serving stack leaves unexplained, and how much more outside its rows.

As in training: a range that a stack states and a scenario leaves is flagged and
widened; a stack that states none was calibrated on nothing, and its own residual
says how wide that is.
"""

from isocost.engine.derive.common import INFERENCE, compute_format
from isocost.engine.derive.inference import number
from isocost.engine.derive.inference_wires import DENSE, EXPERTS, serving
from isocost.engine.formula import Formula
from isocost.engine.formulas import (
    serving_pass,
    serving_validity,
    training_validity,
)
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
#: Ways in which a scenario may lie outside a calibration.
_WAYS = ("size", "batch", "ep", "stages", "format", "chip", "all")
_DEGREES = {name: f"workload.parallel.{name}" for name in ("tp", "dp", "ep")}
_LOW = {"fp8", "fp6", "fp4", "int8", "int4"}


def _listed(scope: Scope, path: str) -> list[str]:
    """The words of a list, or none."""
    fact = scope.fact(path)
    return [str(arg.value) for arg in fact.expr.args] if fact is not None else []


def _new_chip(scope: Scope, _: Keys) -> int:
    known, family = _listed(scope, "software.chips"), scope.word("chip.family")
    new = bool(known) and family is not None and family not in known
    return scope.apply(training_validity.outside_chip, unknown=float(new))


def _new_format(scope: Scope, _: Keys) -> int:
    known, used = _listed(scope, "software.precisions"), compute_format(scope)
    new = bool(known) and used not in known and used in _LOW
    return scope.apply(training_validity.outside_format, unknown=float(new))


def _range(formula: Formula, ends: str, value: str) -> Build:
    """Whether a value is beyond a range that the stack states."""

    def build(scope: Scope, _: Keys) -> int:
        least, most = (f"software.calibrated.{ends}[{k}]" for k in ("least", "most"))
        if not (scope.has(least) and scope.has(most)):
            return scope.builder.constant(0.0)
        return scope.apply(formula, value=value, least=least, most=most)

    return build


def _of_nothing(scope: Scope, _: Keys) -> int:
    """1 for a stack that states no rows that it was calibrated on."""
    known = scope.has("software.calibrated.parameters[least]")
    return scope.apply(training_validity.outside_all, unknown=float(not known))


def _outside(name: str, doc: str, build: Build) -> tuple[str, str, str, Build]:
    return f"serving.outside.{name}", "1", doc, build


QUANTITIES = (
    quantity(
        "serving.divides",
        "1",
        "1 if ranks of experts divide the others, and every group has a sequence.",
        serving_pass.serving_divides,
        when=serving(EXPERTS),
        experts="model.moe.experts",
        expert_ffn="model.moe.ffn",
        spare="rank.spare_experts",
        batch="workload.batch.instance",
        shared=_DEGREES,
    ),
    quantity(
        "serving.divides",
        "1",
        "1 if every group of attention has a sequence.",
        serving_pass.groups_seated,
        when=serving(DENSE),
        batch="workload.batch.instance",
        dp="workload.parallel.dp",
    ),
    quantity(
        *_outside(
            "size",
            "1 far from the sizes of model that the stack was calibrated on.",
            _range(training_validity.outside_size, "parameters", "model.params.total"),
        ),
        when=INFERENCE,
    ),
    quantity(
        *_outside(
            "batch",
            "1 far from the batches that the stack was calibrated on.",
            _range(
                serving_validity.outside_sequences,
                "sequences",
                "serving.sequences_by_chip",
            ),
        ),
        when=INFERENCE,
    ),
    quantity(
        *_outside(
            "ep",
            "1 far from the ranks of experts that the stack was calibrated on.",
            _range(serving_validity.outside_expert_ranks, "ep", "workload.parallel.ep"),
        ),
        when=serving(EXPERTS),
    ),
    quantity(
        *_outside("ep", "1 far from ranks of experts: there are none.", number(0.0)),
        when=serving(DENSE),
    ),
    quantity(
        *_outside(
            "stages",
            "1 for deeper pipelines than were predicted well.",
            lambda s, _: s.apply(
                serving_validity.deep_pipeline, pp="workload.parallel.pp"
            ),
        ),
        when=INFERENCE,
    ),
    quantity(
        *_outside(
            "format",
            "1 for a number format that the stack was not calibrated on.",
            _new_format,
        ),
        when=INFERENCE,
    ),
    quantity(
        *_outside(
            "chip",
            "1 for a family of chips that the stack was not calibrated on.",
            _new_chip,
        ),
        when=INFERENCE,
    ),
    quantity(
        *_outside("all", "1 for a stack that was calibrated on nothing.", _of_nothing),
        when=INFERENCE,
    ),
    quantity(
        "serving.sequences_by_chip",
        "sequence/chip",
        "Sequences that a chip decodes.",
        serving_validity.sequences_by_chip,
        when=INFERENCE,
        batch="workload.batch.instance",
        ranks="ranks",
        rank_chips="rank.chips",
    ),
    quantity(
        "serving.outside",
        "1",
        "Further doubt outside what the stack was calibrated on.",
        serving_validity.outside_serving,
        when=INFERENCE,
        unseen="software.residual.unseen",
        foreign="software.residual.foreign",
        shared={f"{name}_out": f"serving.outside.{name}" for name in _WAYS},
    ),
    quantity(
        "serving.experts_residual",
        "1",
        "Further doubt on models of experts.",
        lambda s, _: s["software.residual.experts"],
        when=serving(EXPERTS),
    ),
    quantity(
        "serving.experts_residual",
        "1",
        "Further doubt on models of experts: none without.",
        number(1.0),
        when=serving(DENSE),
    ),
    quantity(
        "serving.residual",
        "1",
        "Factor on the time of a step that is left unexplained.",
        training_validity.whole_residual,
        when=INFERENCE,
        stack="software.residual",
        experts="serving.experts_residual",
        outside="serving.outside",
    ),
)
