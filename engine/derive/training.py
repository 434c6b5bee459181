"""The training step: every node of `training_plan` as a quantity of the scenario.

The plan is walked as data, so that graph and calibration cannot disagree; only
paths, units and words of what readers meet are chosen here. `train.step.ideal` is
the step by the formulas alone, of which the parts make up the whole; `time.step` has
what the stack leaves unexplained.
"""

from isocost.engine.derive.common import TRAINING, compute_format
from isocost.engine.derive.training_inputs import source_of
from isocost.engine.derive.training_model import has_experts
from isocost.engine.derive.training_work import is_low, need_ranks
from isocost.engine.formula import Formula
from isocost.engine.formulas import plan, training_validity
from isocost.engine.formulas.training_plan import PARTS, STEP, Use
from isocost.engine.quantities import Build, Quantity, When, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]

#: Paths of nodes that readers meet under a name of their own.
PATHS = {
    "step": "train.step.ideal",
    "step_matrix": "train.step.matrix",
    "step_attention": "train.step.attention",
    "step_memory": "train.step.memory",
    "step_network": "train.step.network",
    "step_launch": "train.step.host",
    "step_waiting": "train.step.waiting",
    "weights_memory": "memory.weights",
    "gradients_memory": "memory.gradients",
    "state_memory": "memory.state",
    "activations_memory": "memory.activations",
    "room": "memory.room",
    "memory_used": "memory.used",
    "memory_fits": "memory.fits",
    "memory_shortfall": "memory.shortfall",
}
#: Words for nodes that share a formula with others.
DOCS = {
    "share": "Share of the peak that large matrices reach by the law.",
    "plain_share": "The same in 16 bits.",
    "plain_arithmetic": "Sustained arithmetic of a rank in 16 bits.",
    "tp_bandwidth": "Sustained bus bandwidth between tensor-parallel ranks.",
    "cp_bandwidth": "Sustained bus bandwidth between context-parallel ranks.",
    "dp_bandwidth": "Sustained bus bandwidth between replicas.",
    "expert_bandwidth": "Sustained bus bandwidth between replicas of experts.",
    "send_bandwidth": "Sustained bandwidth between pipeline stages.",
    "expert_forward": "One pass of the routed experts' matrices.",
    "expert_plain": "All passes of the routed experts, were they plain matrices.",
    "last_stage": "Time of a micro-batch on the stage with the output head.",
    "gather": "Gathers and scatters of sharded weights in a micro-batch.",
    "gather_exposed": "What of them nothing hides.",
    "exchange": "Exchange of gradients and weights in a step.",
    "exchange_exposed": "What of it nothing hides.",
    "step": "Time of a step by the formulas alone.",
    "recompute": "Share of the forward pass that is done again.",
}
#: Units in which nodes are shown, by the unit of the formula.
_SHOWN = {"s": "ms", "B": "GB", "B/s": "GB/s", "FLOP/s": "TFLOP/s"}
#: Made from the step with its residual, below.
_LATER = {"throughput"}
_MADE = {use.name for use in (*STEP, *PARTS)}


def path_of(name: str) -> str:
    """The path of a node or an input of the plan."""
    if name in PATHS:
        return PATHS[name]
    return f"train.{name}" if name in _MADE else source_of(name)


def _node(use: Use) -> Quantity:
    """The quantity of one node of the plan."""
    args: dict[str, str | float] = {
        parameter: path_of(source) if isinstance(source, str) else source
        for parameter, source in use.inputs()
    }
    first = use.formula.doc.partition("\n")[0]
    return quantity(
        path_of(use.name),
        _SHOWN.get(use.formula.unit, use.formula.unit),
        DOCS.get(use.name, first),
        use.formula,
        when=TRAINING,
        headline=use.name == "memory_fits",
        shared=args,
    )


WITH_EXPERTS = When(
    "in training a model of experts",
    lambda s: TRAINING.holds(s) and has_experts(s),
)


def _one(scope: Scope, _: Keys) -> int:
    return scope.builder.constant(1.0)


def _listed(scope: Scope, path: str) -> list[str]:
    """The words of a list, or none."""
    fact = scope.fact(path)
    return [str(arg.value) for arg in fact.expr.args] if fact is not None else []


def _new_chip(scope: Scope, _: Keys) -> int:
    """1 for a family of chips that the stack does not list, 0 where it lists none."""
    known, family = _listed(scope, "software.chips"), scope.word("chip.family")
    return scope.apply(
        training_validity.outside_chip,
        unknown=float(bool(known) and family not in known),
    )


def _new_format(scope: Scope, _: Keys) -> int:
    known = _listed(scope, "software.precisions")
    new = bool(known) and compute_format(scope) not in known and is_low(scope)
    return scope.apply(training_validity.outside_format, unknown=float(new))


def _range(formula: Formula, ends: str, value: str) -> Build:
    """Whether a value is beyond what a stack was calibrated on; said of no range once.

    A stack that states no number of chips was calibrated on nothing.
    """

    def build(scope: Scope, _: Keys) -> int:
        least, most = (f"software.calibrated.{ends}[{k}]" for k in ("least", "most"))
        if scope.has(least) and scope.has(most):
            return scope.apply(formula, value=value, least=least, most=most)
        unknown = float(ends == "chips")
        return scope.apply(training_validity.outside_all, unknown=unknown)

    return build


def _step(scope: Scope, _: Keys) -> int:
    need_ranks(scope, "ranks", scope["instances"])
    return scope.apply(
        plan.with_residual, time="train.step.ideal", residual="train.residual"
    )


_OUTSIDE = (
    ("scale", "chips", "train.chips", training_validity.outside_scale),
    ("size", "parameters", "train.params.total", training_validity.outside_size),
    ("batch", "batch", "train.batch_by_chip", training_validity.outside_batch),
)
RESIDUAL = (
    *(
        quantity(
            f"train.outside.{name}",
            "1",
            f"1 if the {name} is far from what the stack was calibrated on.",
            _range(formula, ends, value),
            when=TRAINING,
        )
        for name, ends, value, formula in _OUTSIDE
    ),
    quantity(
        "train.outside.format",
        "1",
        "1 if the stack was not calibrated on the number format.",
        _new_format,
        when=TRAINING,
    ),
    quantity(
        "train.outside.chip",
        "1",
        "1 if the stack was not calibrated on the family of chips.",
        _new_chip,
        when=TRAINING,
    ),
    quantity(
        "train.outside",
        "1",
        "Further doubt outside what the stack was calibrated on.",
        training_validity.outside_factor,
        when=TRAINING,
        unseen="software.residual.unseen",
        foreign="software.residual.foreign",
        shared={
            name: f"train.outside.{name}"
            for name in ("scale", "size", "batch", "format", "chip")
        },
    ),
    quantity(
        "train.experts_residual",
        "1",
        "Further doubt on models of experts.",
        lambda s, _: s["software.residual.experts"],
        when=WITH_EXPERTS,
    ),
    quantity(
        "train.experts_residual",
        "1",
        "Further doubt on models of experts: none without.",
        _one,
        when=TRAINING,
    ),
    quantity(
        "train.residual",
        "1",
        "Factor on the step's time that is left unexplained.",
        training_validity.whole_residual,
        when=TRAINING,
        stack="software.residual",
        experts="train.experts_residual",
        outside="train.outside",
    ),
    quantity(
        "time.step",
        "s",
        "Time of one optimizer step.",
        _step,
        when=TRAINING,
        headline=True,
    ),
)
QUANTITIES = (
    *(_node(use) for use in (*STEP, *PARTS) if use.name not in _LATER),
    *RESIDUAL,
)
