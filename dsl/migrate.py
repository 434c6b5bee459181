"""From one edition of the language to the next: rewritten texts, step by step.

A later edition adds the step from the one before it. A step takes and gives a text;
it may rely on the older edition's grammar, which it brings along.
"""

import re
from collections.abc import Callable, Mapping

from isocost.dsl.load import EDITION, FIRST_EDITION

Step = Callable[[str], str]
#: The step that leads away from each edition.
STEPS: Mapping[int, Step] = {}
_EDITION = re.compile(
    r"^(?P<head>[ \t]*edition[ \t]+)(?P<year>[0-9]{4})\b", re.MULTILINE
)


def edition_of(text: str) -> int | None:
    """The edition that a text states; None if it states none."""
    match = _EDITION.search(text)
    return int(match["year"]) if match else None


def migrate(
    text: str,
    *,
    steps: Mapping[int, Step] = STEPS,
    first: int = FIRST_EDITION,
    last: int = EDITION,
) -> str | None:
    """A text in the last edition; None where it needs a later one.

    Args:
        text: The text of a file; without an edition it is taken for the first.
        steps: The step away from each edition.
        first: The first edition.
        last: The edition to reach.
    """
    stated = edition_of(text)
    if stated is not None and stated > last:
        return None
    if stated is None:
        text = f"edition {first}\n{text}"
    year = max(stated or first, first)
    for before in sorted(steps):
        if year <= before < last:
            text = steps[before](text)
    return _EDITION.sub(lambda match: f"{match['head']}{last}", text, count=1)
