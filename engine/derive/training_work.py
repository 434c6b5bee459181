"""The workload as a training step takes it, and what it leaves to be filled in.

Words (formats, ZeRO, recomputation) become numbers; replicas fill the system, a
micro-batch follows a rule, and a plan of too many ranks is refused by name.
"""

import functools

from isocost.engine.derive.common import TRAINING, compute_format
from isocost.engine.derive.sizes import empty, figure, least_size
from isocost.engine.derive.training_inputs import Keys, number, stated_or, structural
from isocost.engine.formulas import parallelism, training_figures
from isocost.engine.quantities import quantity
from isocost.engine.scope import Node, Scope


def _of_precision(scope: Scope, _: Keys) -> int:
    path = f"software.training.precision[{compute_format(scope)}]"
    return stated_or(path, 1.0)(scope, ())


def is_low(scope: Scope) -> bool:
    """Whether matrices run in 8 bits or fewer."""
    return compute_format(scope) in {"fp8", "fp6", "fp4", "int8", "int4"}


def _kept(scope: Scope, _: Keys) -> int:
    low, adapters = is_low(scope), scope.flag("workload.adapters")
    shares = [
        f"software.training.kept.{name}"
        for name, holds in (("low", low), ("adapters", adapters))
        if holds
    ]
    if len(shares) == 2:  # noqa: PLR2004 (both)
        names = zip(("low", "adapters"), shares, strict=True)
        return scope.apply(training_figures.kept_of_both, **dict(names))
    return scope[shares[0]] if shares else scope.builder.constant(1.0)


_RECOMPUTED = {"none": 0.0, "selective": 0.0, "full": 1.0}


def _recompute(scope: Scope, _: Keys) -> int:
    if scope.has("workload.recompute.share"):
        return scope["workload.recompute.share"]
    word = scope.word("workload.recompute") or "none"
    return scope.builder.constant(_RECOMPUTED[word])


def _recompute_known(scope: Scope) -> bool:
    stated = ("workload.recompute.share", "workload.recompute")
    return any(scope.has(path) for path in stated)


def _micro(scope: Scope, _: Keys) -> int:
    paths = {
        "batch": "workload.batch.global",
        "dp": "workload.parallel.dp",
        "pp": "workload.parallel.pp",
        "sequence": "workload.sequence",
    }
    rule = training_figures.micro_batch_by_rule
    if not scope.flag("software.training.accumulates"):
        rule = training_figures.whole_share
    return scope.apply(rule, **{name: paths[name] for name in rule.params})


def fill(scope: Scope, _: Keys) -> int:
    """Replicas that fill the system as far as the batch divides, none being stated.

    Raises:
        MissingInputError: Not one fits.
    """
    micro: str | Node = "workload.batch.micro"
    if not scope.has("workload.batch.micro"):
        micro = Node(scope.builder.constant(1.0))  # the rule's divides any share
    degrees = {d: f"workload.parallel.{d}" for d in ("tp", "pp", "cp", "ep")}
    node = scope.apply(
        parallelism.replicas_that_divide,
        ranks="ranks.installed",
        batch="workload.batch.global",
        micro_batch=micro,
        chunks="workload.parallel.virtual",
        **degrees,
    )
    need_ranks(scope, "dp", node)
    return node


def need_ranks(scope: Scope, what: str, replicas: int) -> None:
    """Refuse a plan of more ranks than there are, unless it is still to be chosen.

    Raises:
        MissingInputError: It names the shortfall and the least that would do.
    """
    from isocost.engine.choices import open_inputs
    from isocost.engine.program import point

    graph = scope.builder.freeze()
    if open_inputs(graph, [replicas]):
        return
    degrees = {d: scope[f"workload.parallel.{d}"] for d in ("tp", "pp", "cp")}
    if what == "ranks":
        degrees["dp"] = scope["workload.parallel.dp"]
    there, by_chip = scope["ranks.installed"], scope["rank.chips"]
    by_system = scope["system.chips"]
    wanted = (replicas, there, by_chip, by_system, *degrees.values())
    values = point(scope.builder.freeze(), wanted)
    if values[replicas] >= 1:
        return
    asked = functools.reduce(lambda a, d: a * values[d], degrees.values(), 1.0)
    words = " · ".join(f"{d} {values[n]:g}" for d, n in degrees.items())
    least = least_size(asked * values[by_chip], values[by_system])
    short = f"of which {figure(asked - values[there])} are missing"
    reason = (
        f"{empty(scope, {}) or f'{words} = {figure(asked)} ranks, {short}'}: "
        f"the least that would do is size = {least:.10g} chip"
    )
    raise scope.fail("M003", reason=reason)


def _zero(scope: Scope, _: Keys) -> int:
    return scope.builder.constant(float(scope.word("workload.zero") or 1))


QUANTITIES = (
    quantity(
        "workload.parallel.dp",
        "1",
        "Data parallelism, where none is stated: the most that fits and divides.",
        fill,
        when=TRAINING,
    ),
    quantity(
        "workload.batch.micro",
        "sequence",
        "Sequences of a micro-batch, where none are stated: by a rule.",
        _micro,
        when=TRAINING,
    ),
    number("zero", "Stage of ZeRO.", _zero),
    structural(
        "weight_gradient",
        "1 if weights are trained, 0 for adapters.",
        lambda s: not s.flag("workload.adapters"),
    ),
    structural("low", "1 if matrices run in 8 bits or fewer.", is_low),
    structural(
        "plain_gradient",
        "1 if gradients of weights run in 16 bits all the same.",
        lambda s: compute_format(s) == "int8",
    ),
    number(
        "precision_share", "Share of the law in the operands' format.", _of_precision
    ),
    number("kept_share", "Share of 16-bit activations that is kept.", _kept),
    number("recompute_stated", "Recomputation that the workload states.", _recompute),
    structural(
        "recompute_known",
        "1 if the workload states its recomputation.",
        _recompute_known,
    ),
    structural(
        "selective",
        "1 if attention alone is recomputed by plan.",
        lambda s: s.word("workload.recompute") == "selective",
    ),
)
