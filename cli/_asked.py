"""What the paths on a command line mean: read strictly, looked up, refused in words."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from isocost._shared import UsageError

if TYPE_CHECKING:
    from isocost.dsl.check import Checked
    from isocost.dsl.document import Block
    from isocost.dsl.lookup import Found, Target, Unknown
    from isocost.dsl.syntax import Path
    from isocost.engine.evaluate import Evaluation

_PART = r"\w+(\[[^\[\]]*[^\[\],\s][^\[\]]*\])?"
_PATH = re.compile(rf"{_PART}(\.{_PART})*")
_MOST_OFFERED = 12


def read(text: str) -> "Path":
    """A path as a file would write it.

    Raises:
        UsageError: It is none: a name is empty, a bracket does not close.
    """
    from isocost.dsl.syntax import parse_path

    if _PATH.fullmatch(text.strip()) is None:
        message = f"{text!r} is no path; write names parted by dots, as cost.per_Mtoken"
        raise UsageError(message)
    return parse_path(text.strip())


def parted(checked: "Checked", text: str) -> tuple[str | None, str]:
    """The scenario that a path names first, if it does, and the rest."""
    read(text)
    names = [b.name for b in checked.document.of_kind("scenario")]
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(f"{name}."):
            return name, text[len(name) + 1 :]
    return None, text


def find(checked: "Checked", text: str, scenario: str | None) -> "Found":
    """What a path means to a scenario (None: at the top)."""
    block = checked.document.blocks[scenario] if scenario else None
    return checked.lookup.find(read(text), block, block.file if block else "")


def refuse(text: str, found: "Unknown") -> UsageError:
    """The error for a path that leads nowhere, with the nearest ones."""
    if found.candidates:
        return UsageError(f"{text} may be {_either(found.candidates)}; name one")
    near = f"; did you mean {_either(found.near)}?" if found.near else ""
    return UsageError(f"there is no quantity {text}{near}")


def no_quantity(evaluation: "Evaluation", text: str, block: "Block") -> UsageError:
    """The error for a block where a quantity is meant, with what it offers."""
    kind = block.kind.name
    if kind == "scenario":
        offered = [f"{block.label}.{one}" for one in evaluation.headlines(block.name)]
    else:
        offered = [f"{block.label}.{path}" for path in _quantities(block)]
    more = f"; name one of its quantities: {_listed(offered)}" if offered else ""
    article = "an" if kind[0] in "aeiou" else "a"
    return UsageError(f"{text} is {article} {kind}{more}")


def _quantities(block: "Block") -> Iterable[str]:
    for path, fact in block.facts.items():
        if fact.let or (fact.attribute and fact.attribute.sort == "quantity"):
            yield path


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _listed(names: Sequence[str]) -> str:
    more = " …" if len(names) > _MOST_OFFERED else ""
    return ", ".join(names[:_MOST_OFFERED]) + more


def metrics(
    evaluation: "Evaluation",
    texts: Sequence[str],
    scenarios: Sequence[str],
    *,
    only: bool = False,
) -> list[tuple[str, str]]:
    """Scenario and path of every metric that is asked for, by scenario.

    Args:
        evaluation: The file's.
        texts: The metrics; one may name its scenario first.
        scenarios: Of which scenarios the others are meant.
        only: Whether just these scenarios are asked for.

    Raises:
        UsageError: No scenario knows one of them.
    """
    found: dict[str, list[str]] = {name: [] for name in scenarios}
    for text in texts:
        named, path = parted(evaluation.checked, text)
        if named and only and named not in scenarios:
            message = f"{text} is of {named}, and -s asks for {', '.join(scenarios)}"
            raise UsageError(message)
        for name in _knowing(evaluation, path, [named] if named else scenarios):
            found.setdefault(name, []).append(path)
    return [(name, path) for name, paths in found.items() for path in paths]


def _knowing(
    evaluation: "Evaluation", path: str, scenarios: Sequence[str]
) -> list[str]:
    """The scenarios that know a path, or lack only what it leads through."""
    from isocost.dsl.lookup import Unknown

    known: list[str] = []
    unknown: Unknown | None = None
    for name in scenarios:
        one = find(evaluation.checked, path, name)
        if isinstance(one, Unknown) and not one.role and not one.told:
            unknown = unknown or one
            continue
        if not isinstance(one, Unknown) and one.sort == "block" and one.block:
            raise no_quantity(evaluation, path, one.block)
        known.append(name)
    if not known and unknown is not None:
        raise refuse(path, unknown)
    return known


def target(
    evaluation: "Evaluation", text: str, scenario: str | None
) -> "Target | Unknown":
    """What one path means; a role that is left open is for the engine to tell.

    Raises:
        UsageError: It leads nowhere, or to a block.
    """
    from isocost.dsl.lookup import Unknown

    found = find(evaluation.checked, text, scenario)
    if isinstance(found, Unknown):
        if not found.role and not found.told:
            raise refuse(text, found)
    elif found.sort == "block" and found.block is not None:
        raise no_quantity(evaluation, text, found.block)
    return found
