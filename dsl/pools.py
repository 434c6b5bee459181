"""The view that a pool has of its scenario: `prefill.X` where it is stated, else X."""

import attrs

from isocost.dsl.document import Block, Fact
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.syntax import Path, parse_path

_WORK = ("parallel", "batch")
#: What a path behind a pool's name may begin with; others are quantities of a pass.
_OWN = (*_WORK, "system", "systems", "fabric", "software", "chip", "workload", "model")


def has_pools(scenario: Block | None) -> bool:
    """Whether a scenario splits its service into two pools."""
    if scenario is None or scenario.kind.name != "scenario":
        return False
    return any(is_of_pool(fact) for fact in scenario.facts.values())


def is_of_pool(fact: Fact) -> bool:
    """Whether a statement is about one pool: its system, its stack, its plan."""
    return not fact.let and inner_path(fact.path) is not None


def inner_path(path: Path) -> Path | None:
    """A pool's path as the pool itself sees it; None for what is no pool's own."""
    if path.head not in POOLS or len(path.parts) < 2:  # noqa: PLR2004 (head and rest)
        return None
    rest = path.rest
    if rest.head in _WORK:
        return Path((*parse_path("workload").parts, *rest.parts))
    return rest if rest.head in _OWN else None


def pool_of(scenario: Block, pool: str) -> Block:
    """The scenario as a pool sees it: a block of its own name."""
    facts: dict[str, Fact] = {}
    mine: dict[str, Fact] = {}
    for text, fact in scenario.facts.items():
        if not is_of_pool(fact):
            facts[text] = fact
        elif fact.path.head == pool:
            moved = _moved(fact, pool, scenario)
            mine[str(moved.path)] = moved
    name = f"{scenario.name}.{pool}"
    return attrs.evolve(scenario, name=name, facts={**facts, **mine}, written=None)


def _moved(fact: Fact, pool: str, scenario: Block) -> Fact:
    path = inner_path(fact.path)
    assert path is not None  # noqa: S101 (the caller looked)
    attribute = scenario.kind.attributes.get(path.pattern)
    return attrs.evolve(
        fact, path=path, attribute=attribute, owner=f"{fact.owner}.{pool}"
    )
