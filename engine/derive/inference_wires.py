"""Wires of `serving_plan` as quantities: the graph's side of the one wiring."""

from collections.abc import Iterable

from isocost.engine.derive.common import INFERENCE
from isocost.engine.derive.inference_names import path_of, shown
from isocost.engine.formulas.serving_plan import Wire
from isocost.engine.quantities import Quantity, When, quantity
from isocost.engine.scope import Scope


def has_experts(scope: Scope) -> bool:
    """Whether the model is one of experts."""
    return scope.has("model.moe.experts")


def is_latent(scope: Scope) -> bool:
    """Whether attention keeps a compressed latent (MLA)."""
    return scope.word("model.attention") == "mla"


def _serves(scope: Scope) -> bool:
    return INFERENCE.holds(scope)


DENSE = When("of dense models", lambda s: not has_experts(s))
EXPERTS = When("of models of experts", has_experts)
HEADS = When("of attention by heads", lambda s: not is_latent(s))
LATENT = When("of latent attention", is_latent)


def serving(structure: When | None = None) -> When:
    """A condition on the model's structure, in serving."""
    if structure is None:
        return INFERENCE
    holds = structure.holds
    words = f"{INFERENCE.words} {structure.words}"
    return When(words, lambda s: _serves(s) and holds(s))


def wired(
    wires: Iterable[Wire], when: When | None = None, phase: str = ""
) -> tuple[Quantity, ...]:
    """A quantity for each wire.

    Args:
        wires: What to apply, in any order.
        when: When the quantities exist.
        phase: The pass that they belong to; empty for what all passes share.
    """
    out = []
    for each in wires:
        look = shown(each.target)
        args: dict[str, str | float] = {
            name: path_of(source, phase) for name, source in each.feeds().items()
        }
        path = path_of(each.target, phase)
        if each.sources.get("layer_overhead") or each.target == "layer_overhead":
            args["layer_overhead"] = "software.layer_overhead"
        out.append(
            quantity(path, look.unit, look.doc, each.formula, when=when, shared=args)
        )
    return tuple(out)
