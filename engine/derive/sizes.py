"""What is said of a scenario's sizes: what is cut off, idle, too short to count.

Systems are whole, and so are copies of a model: what a scenario asks for and what it
gets differ where one does not divide the other. A rate for years holds for whoever
stays for years.
"""

import math
import re
from collections.abc import Mapping

from isocost.dsl.schema.pools import POOLS
from isocost.engine.derive.common import INFERENCE, RENTED, TRAINING
from isocost.engine.derive.structure import dimension_of_size
from isocost.engine.derive.tenure import rental_term
from isocost.engine.scope import MissingInputError, Scope

_EXACT = 1e-9
#: Hours of the units in which the names of terms count, by their first letter.
_HOURS = {"y": 8760.0, "q": 2190.0, "m": 730.0, "w": 168.0, "d": 24.0}
_UNITS = {"y": "year", "q": "quarter", "m": "month", "w": "week", "d": "day"}
_SPELLED = {"one": 1, "two": 2, "three": 3, "five": 5}
_TERM = re.compile(
    r"(?P<before>\d+|one|two|three|five)?_?"
    r"(?P<unit>y|q|m|w|d|years?|quarters?|months?|weeks?|days?)_?(?P<after>\d+)?"
)


def values_of(
    scope: Scope, settled: Mapping[int, float], *paths: str
) -> tuple[float, ...] | None:
    """Several quantities at a scenario's settled choices; None where one is not had."""
    from isocost.engine.program import point

    try:
        nodes = tuple(scope[path] for path in paths)
    except MissingInputError:
        return None
    values = point(scope.builder.freeze(), nodes, settled)
    return tuple(values[node] for node in nodes)


def figure(value: float) -> str:
    """A count or an amount in words: grouped, no digits that it does not have."""
    return f"{value:,.10g}"


def _rough(value: float) -> str:
    """An amount of money or power in words, to six digits or whole."""
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:,.6g}"  # noqa: PLR2004


def least_size(chips: float, by_system: float) -> float:
    """The least number of chips in whole systems that holds some chips."""
    return math.ceil(chips / by_system * (1 - _EXACT)) * by_system


def empty(scope: Scope, settled: Mapping[int, float]) -> str:
    """Why a size holds no system at all; empty where it holds one.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    found = values_of(scope, settled, "size", "systems") if scope.has("size") else None
    if found is None or found[1] >= 1:
        return ""
    asked, one = _asked(scope, settled, found[0])
    return f"size = {asked} holds no system ({one})"


def _counted(scope: Scope) -> str:
    """What the size counts: chip, system, money or power."""
    kinds = dict(dimension_of_size(scope).exponents)
    return next((k for k in ("chip", "system", "money") if k in kinds), "power")


def _asked(scope: Scope, settled: Mapping[int, float], size: float) -> tuple[str, str]:
    """A size in its unit, and what one system takes of it."""
    counted = _counted(scope)
    if counted == "system":
        return f"{size:.10g} system", "systems are whole"
    path = {"chip": "system.chips", "money": "price.system"}.get(
        counted, "system.power"
    )
    (one,) = values_of(scope, settled, path) or (math.nan,)
    if counted == "chip":
        return f"{size:.10g} chip", f"one is {figure(one)} chips"
    if counted == "money":
        return f"{_rough(size)} $", f"one costs {_rough(one)} $"
    return f"{_rough(size / 1e3)} kW", f"one takes {_rough(one / 1e3)} kW"


def rounded_size(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on a size that is no whole number of systems.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    if not scope.has("size"):
        return ()
    found = values_of(scope, settled, "size", "chips", "systems")
    if found is None or found[2] < 1:
        return ()
    asked, chips, systems = found
    match _counted(scope):
        case "chip" if asked > chips * (1 + _EXACT):
            each = figure(chips / systems)
            return (
                (
                    f"size is rounded down from {figure(asked)} to {figure(chips)} "
                    f"chips: whole systems of {each}"
                ),
            )
        case "system" if asked > systems * (1 + _EXACT):
            return (
                (
                    f"size is rounded down from {figure(asked)} to {figure(systems)} "
                    "systems: whole ones"
                ),
            )
        case "money":
            return _within(scope, settled, asked, systems, "price.system")
        case "power":
            return _within(scope, settled, asked, systems, "system.power")
    return ()


def _within(
    scope: Scope,
    settled: Mapping[int, float],
    asked: float,
    systems: float,
    path: str,
) -> tuple[str, ...]:
    """A remark on the systems that an amount of power or money is enough for.

    The size counts systems alone: what their network takes comes on top, and is told
    where it leads above what was asked for.
    """
    (one,) = values_of(scope, settled, path) or (math.nan,)
    scale, unit, verb, total = {
        "price.system": (1.0, "$", "cost", "cost.capex"),
        "system.power": (1e3, "kW", "take", "power.provisioned"),
    }[path]
    said = []
    if asked > systems * one * (1 + _EXACT):
        said.append(
            f"size is rounded down from {_rough(asked / scale)} to "
            f"{_rough(systems * one / scale)} {unit}: {figure(systems)} whole systems"
        )
    whole = values_of(scope, settled, total)
    if whole is not None and whole[0] > asked * (1 + _EXACT):
        said.append(
            f"size counts systems alone: with all that comes with them they {verb} "
            f"{_rough(whole[0] / scale)} {unit}, "
            f"above the {_rough(asked / scale)} asked for"
        )
    return tuple(said)


def unused_chips(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on chips of a service that no instance uses, in each pool.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    if not INFERENCE.holds(scope):
        return ()
    if scope.pooled:
        parts = [(f"{n}: ", scope.pool(n)) for n in POOLS]
    else:
        parts = [("", scope)]
    said = (_unused(name, part, settled) for name, part in parts)
    return tuple(words for words in said if words)


def _unused(name: str, scope: Scope, settled: Mapping[int, float]) -> str:
    paths = ("instances", "ranks", "rank.chips", "chips")
    found = values_of(scope, settled, *paths)
    if found is None:
        return ""
    instances, ranks, by_rank, chips = found
    each = ranks * by_rank
    idle = chips - instances * each
    if instances < 1 or idle <= _EXACT * chips:
        return ""
    return (
        f"{name}{figure(instances)} instances of {figure(each)} chips use "
        f"{figure(instances * each)} of {figure(chips)}; {figure(idle)} idle, "
        "and paid for"
    )


def term_hours(name: str) -> tuple[float, str] | None:
    """Hours that the name of a term of rent stands for, and the term in words.

    `y3`, `3y`, `year`, `m6`, `three_years`; None for one that counts no time.
    """
    found = _TERM.fullmatch(name.lower())
    if found is None:
        return None
    many, unit = found["before"] or found["after"], found["unit"]
    if many is None and len(unit) == 1:
        return None
    count = _SPELLED[many] if many in _SPELLED else int(many or 1)
    words = f"{count} {_UNITS[unit[0]]}" + "s" * (count > 1)
    return count * _HOURS[unit[0]], words


def outlasted(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on a run at a rate that is for longer than the run takes.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    if not TRAINING.holds(scope) or scope.block("finance") is None:
        return ()
    if not RENTED.holds(scope):
        return ()
    found = values_of(scope, settled, "time.train")
    try:
        term = term_hours(rental_term(scope))
    except MissingInputError:
        return ()
    if found is None or term is None or not found[0] < term[0] * 3600:
        return ()
    return (
        (
            f"rent of a term of {term[1]} for a run of {found[0] / 86_400:,.3g} days: "
            "the rest of the term is not in its cost"
        ),
    )


def no_second_token(scope: Scope, _: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on a service whose answers have no second token to wait for."""
    from isocost.engine.choices import one_token

    if not INFERENCE.holds(scope) or not one_token(scope):
        return ()
    limits = scope.keys("workload", "slo.tpot[]")
    left = "; slo.tpot is not applied" if limits else ""
    return (f"output is one token: latency.tpot has none to wait for{left}",)


REMARKS = (rounded_size, unused_chips, outlasted, no_second_token)
QUANTITIES = ()
