"""How long a text is in our faces: advance widths read from the shipped files.

Read once a process and face. Kerning is left out: it shortens a text by a percent
at most, so that a measured box never comes out too small.
"""

from functools import cache
from pathlib import Path

from isocost.reports.traced import bare

FONTS = Path(__file__).parent.parent / "fonts"
SANS = {
    400: "IsocostSans-Regular",
    500: "IsocostSans-Medium",
    600: "IsocostSans-SemiBold",
}
#: Of the font size: from baseline up to the tallest sign, and down to the lowest.
ASCENT = 0.76
DESCENT = 0.22


@cache
def advances(face: str) -> tuple[dict[int, int], int, int]:
    """Of a face: code point → advance, that of a missing sign, units per em."""
    from fontTools.ttLib import TTFont

    with TTFont(FONTS / f"{face}.ttf", lazy=True) as font:
        advances = font["hmtx"].metrics
        codes = {code: advances[name][0] for code, name in font.getBestCmap().items()}
        return codes, advances[".notdef"][0], font["head"].unitsPerEm


def face_codes(face: str) -> tuple[int, ...]:
    """The code points for which `face` has a sign."""
    return tuple(advances(face)[0])


@cache
def text_width(text: str, size: float, weight: int = 400) -> float:
    """The width of `text` in points, set in our sans serif."""
    codes, missing, em = advances(SANS[weight])
    text = bare(text)
    return sum(codes.get(ord(c), missing) for c in text) * size / em


def balanced_width(text: str, size: float, face: str, width: float) -> float:
    """The least width, up to `width`, that sets `text` in as few lines."""
    codes, missing, em = advances(face)
    words = [
        sum(codes.get(ord(c), missing) for c in w) * size / em for w in text.split()
    ]
    space = codes.get(32, missing) * size / em

    def lines(room: float) -> int:
        count, at = 1, 0.0
        for word in words:
            if at and at + space + word > room:
                count, at = count + 1, word
            else:
                at += (space if at else 0.0) + word
        return count

    best, low = width, max(words, default=0.0)
    while best - low > 1:
        middle = (best + low) / 2
        best, low = (middle, low) if lines(middle) == lines(width) else (best, middle)
    # A little more than measured: kerning and rounding must not break a line early.
    return min(best + 0.02 * width, width)


def cut(text: str, width: float, size: float, weight: int = 400) -> str:
    """`text`, ended by an ellipsis where it is longer than `width`."""
    if text_width(text, size, weight) <= width:
        return text
    text = kept = bare(text)
    while kept and text_width(kept.rstrip() + "…", size, weight) > width:
        kept = kept[:-1]
    return kept.rstrip() + "…"


@cache
def wrap(
    text: str, width: float, size: float, weight: int = 400, lines: int = 2
) -> tuple[str, ...]:
    """`text` in at most `lines` lines of at most `width` points, evenly filled."""
    if text_width(text, size, weight) <= width:
        return (text,)
    text = bare(text)
    rows = _fill(text, width, size, weight, lines)
    # The narrowest block with as many lines has no last line of one short word.
    low, high = 0.0, width
    while high - low > 1:
        middle = (low + high) / 2
        tried = _fill(text, middle, size, weight, lines)
        if len(tried) == len(rows) and not any(row.endswith("…") for row in tried):
            rows, high = tried, middle
        else:
            low = middle
    return rows


def _fill(
    text: str, width: float, size: float, weight: int, lines: int
) -> tuple[str, ...]:
    """Words into lines, each as full as it goes; the last takes what is left."""
    words = text.split()
    out: list[str] = []
    while words and len(out) < lines - 1:
        taken = 1
        while taken < len(words) and (
            text_width(" ".join(words[: taken + 1]), size, weight) <= width
        ):
            taken += 1
        out.append(cut(" ".join(words[:taken]), width, size, weight))
        words = words[taken:]
    if words:
        out.append(cut(" ".join(words), width, size, weight))
    return tuple(out) or ("",)
