"""A stack runs on the chips of its vendor: what a scenario binds of another's.

What a stack reaches was measured on its own chips. Figures of one vendor's stack on
another's chip would look as good as right ones, and win comparisons.
"""

from collections.abc import Iterable, Iterator

from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Block, Fact
from isocost.dsl.lookup import Lookup, Target
from isocost.dsl.pools import has_pools, pool_of
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.syntax import parse_path

_MOST_OFFERED = 6


def vendor_faults(scenarios: Iterable[Block], lookup: Lookup) -> Iterator[Diagnostic]:
    """Scenarios, or pools of them, whose stack is of another vendor than their chip.

    Two that inherit the same bindings are told of once.
    """
    told: set[tuple[object, ...]] = set()
    for scenario in scenarios:
        pools = POOLS if has_pools(scenario) else ()
        for view in [pool_of(scenario, pool) for pool in pools] or [scenario]:
            facts = [_fact(view, path, lookup) for path in ("software", "system")]
            key = tuple(fact.origin for fact in facts if fact is not None)
            found = _fault(view, scenario, facts, lookup)
            if found is not None and key not in told:
                told.add(key)
                yield found


def same_vendor(one: str, other: str) -> bool:
    """Whether two spellings mean one vendor: `NVIDIA Corporation`, `AWS`."""
    first, second = (name.casefold().split() for name in (one, other))
    if not first or not second or first[0] == second[0]:
        return True
    initials = ["".join(word[0] for word in words) for words in (first, second)]
    return initials[0] == "".join(second) or initials[1] == "".join(first)


def _fact(view: Block, path: str, lookup: Lookup) -> Fact | None:
    own = view.facts.get(path)
    if own is not None:
        return own
    found = lookup.find(parse_path(path), view)
    return found.fact if isinstance(found, Target) else None


def _text(view: Block, path: str, lookup: Lookup) -> str:
    fact = _fact(view, path, lookup)
    return str(fact.expr.value) if fact is not None else ""


def _families(block: Block) -> list[str]:
    fact = block.facts.get("chips")
    return [str(arg.value) for arg in fact.expr.args] if fact is not None else []


def _fault(
    view: Block, scenario: Block, bound: list[Fact | None], lookup: Lookup
) -> Diagnostic | None:
    stack = lookup.reference(view, parse_path("software"))
    chip = _chip(view, lookup)
    if stack is None or chip is None:
        return None
    of_stack = _text(view, "software.vendor", lookup)
    of_chip = _text(view, "chip.vendor", lookup)
    family = _text(view, "chip.family", lookup)
    if same_vendor(of_stack, of_chip) or family in _families(stack):
        return None
    own = [fact for fact in bound if fact and str(fact.path) in scenario.own]
    place = own[0].path_span if own else scenario.span
    also = (Label(stack.span, f"for chips of {of_stack}"),)
    facts = {
        "software": stack.label,
        "of_stack": of_stack,
        "chip": chip.label,
        "of_chip": of_chip,
    }
    offered = _offered(of_chip, family, lookup)
    return at("V013", place, also=also, facts=facts, help=offered)


def _chip(view: Block, lookup: Lookup) -> Block | None:
    system = lookup.reference(view, parse_path("system"))
    return lookup.reference(system, parse_path("chip")) if system else None


def _offered(vendor: str, family: str, lookup: Lookup) -> str | None:
    """The stacks at hand for a chip, those measured on its family first."""
    known = [
        block
        for block in lookup.document.of_kind("software")
        if (fact := block.facts.get("vendor")) is not None
        and same_vendor(str(fact.expr.value), vendor)
    ]
    known.sort(key=lambda block: family not in _families(block))
    if not known:
        return None
    names = ", ".join(f"`software = {one.label}`" for one in known[:_MOST_OFFERED])
    return f"bind a stack of {vendor}: {names}"
