"""Which signs a document may show: those of the shipped faces, and no others.

A sign that our faces lack would be fetched from whatever font a machine happens to
have, and the same report would come out differently elsewhere. Controls, and the
marks that turn the direction of writing, never reach a document.
"""

import re
import unicodedata
from functools import cache

from isocost.reports.charts.metrics import SANS, face_codes

#: Zero-width and direction marks: they could make a text read as another.
_UNSEEN = {
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
}
#: Stands for a sign that we cannot print.
MISSING = "\u25a1"


@cache
def _allowed() -> frozenset[int]:
    """The code points that the sans serif, the last of every font stack, has."""
    return frozenset(face_codes(SANS[400])) - _UNSEEN


@cache
def _others() -> re.Pattern[str]:
    """Matches each sign that may not pass as it is."""
    codes = sorted(_allowed() | {0x0A})
    runs: list[list[int]] = []
    for code in codes:
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    inside = "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in runs)
    return re.compile(f"[^{inside}]")


def _stand_in(match: re.Match[str]) -> str:
    """The same letter without its accent, or the sign for a missing one."""
    sign = match.group()
    if sign == "\t":
        return " "
    if ord(sign) in _UNSEEN or unicodedata.category(sign) in {"Cc", "Cf", "Cs"}:
        return ""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", sign) if ord(c) in _allowed()
    )
    return plain or MISSING


def clean(text: str) -> str:
    """`text` with nothing left that our faces cannot show."""
    return _others().sub(_stand_in, text)
