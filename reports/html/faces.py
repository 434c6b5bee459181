"""The house's faces within the page, cut down to the signs that it shows."""

import base64
import io
from functools import cache

from isocost.reports.charts.metrics import FONTS

#: Family, weight, style and file of each face that a page uses.
FACES = (
    ("Isocost Sans", 400, "normal", "IsocostSans-Regular"),
    ("Isocost Sans", 500, "normal", "IsocostSans-Medium"),
    ("Isocost Sans", 600, "normal", "IsocostSans-SemiBold"),
    ("Isocost Serif", 400, "normal", "IsocostSerif-Regular"),
    ("Isocost Serif", 400, "italic", "IsocostSerif-Italic"),
    ("Isocost Serif", 600, "normal", "IsocostSerif-SemiBold"),
    ("Isocost Display", 600, "normal", "IsocostDisplay-SemiBold"),
    ("Isocost Mono", 400, "normal", "IsocostMono-Regular"),
)
#: Signs that a recomputed number may need.
ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "\u202f\u2212–—×∞µ⁰¹²³⁴⁵⁶⁷⁸⁹⁻…·↺"
_FEATURES = ["kern", "liga", "tnum", "lnum", "calt", "ccmp", "locl", "mark", "mkmk"]


def font_sheet(text: str) -> str:
    """`@font-face` rules that carry each face with the signs of a text."""
    signs = "".join(sorted(set(text) | set(ALWAYS)))
    rules = []
    for family, weight, style, name in FACES:
        data = base64.b64encode(cut(name, signs)).decode()
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-weight: {weight}; '
            f"font-style: {style}; font-display: block; "
            f'src: url("data:font/woff2;base64,{data}") format("woff2") }}\n'
        )
    return "".join(rules)


@cache
def cut(name: str, signs: str) -> bytes:
    """One face with some of its signs, compressed."""
    from fontTools import subset

    options = subset.Options(
        flavor="woff2", layout_features=_FEATURES, notdef_outline=True
    )
    out = io.BytesIO()
    with subset.load_font(str(FONTS / f"{name}.ttf"), options) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(text=signs)
        cutter.subset(font)
        subset.save_font(font, out, options)
    return out.getvalue()
