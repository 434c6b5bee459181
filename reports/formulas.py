"""Typeset formulas: LaTeX in, SVG with a known baseline out.

Glyphs come out as paths of the STIX Two Math face that ziamath carries, so that no
viewer needs the font. A formula wider than the page is broken before a `+` or `-`
at its top level; each term is measured once.
"""

import html
import re
import warnings
from functools import lru_cache
from typing import Any

import attrs

from isocost.reports import kept
from isocost.reports.charts.plot import INK

#: Longer input is no formula anybody reads, and costs time.
LONGEST = 6000
LEADING = 1.35
INDENT = 2.0
#: Points by which a line may be wider than asked for: the drawing's own margin.
_SLACK = 1.0


class FormulaError(ValueError):
    """The LaTeX could not be set; its text says why."""


@attrs.frozen
class Typeset:
    """A formula as SVG; sizes in points, `depth` is what lies below the baseline."""

    svg: str
    width: float
    height: float
    depth: float
    lines: int = 1


@lru_cache(maxsize=1)
def _engine() -> Any:
    """The typesetter, told to write plain paths (ids would collide in a page)."""
    with warnings.catch_warnings():
        # It opens its face in a way that Python has come to warn about.
        warnings.simplefilter("ignore", DeprecationWarning)
        import ziamath
        from ziamath.config import config

    config.svg2 = False
    config.precision = 3
    return ziamath


@lru_cache(maxsize=4096)
def typeset(
    latex: str, size: float = 10.0, width: float = 0.0, *, inline: bool = False
) -> Typeset:
    """Set one formula.

    Args:
        latex: the formula.
        size: of the letters, in points.
        width: break lines to fit within this many points; 0 never breaks.
        inline: set it as part of a line of text.

    Raises:
        FormulaError: if it cannot be set.
    """
    if len(latex) > LONGEST:
        message = f"a formula of {len(latex)} characters (the limit is {LONGEST})"
        raise FormulaError(message)
    key = kept.key_of(latex, size, width, inline)
    found = kept.find(key)
    if found is not None:
        return Typeset(*found)
    made = _typeset(latex, size, width, inline=inline)
    kept.keep(key, list(attrs.astuple(made)))
    return made


def _typeset(latex: str, size: float, width: float, *, inline: bool) -> Typeset:
    """Set one formula anew."""
    whole = _set(latex, size, inline=inline)
    if not width or _width(whole) <= width:
        return _draw([(whole, 0.0)], size)
    lines = _fill(latex, size, width)
    made = _draw(
        [(_set(t, size), INDENT * size if i else 0.0) for i, t in enumerate(lines)],
        size,
    )
    # A term that cannot be broken is set smaller: nothing leaves the text.
    return _shrunk(made, width) if made.width > width + _SLACK else made


def _shrunk(made: Typeset, width: float) -> Typeset:
    """A formula drawn to a scale at which it is as wide as the text."""
    scale = width / made.width
    wide, high, deep = (
        round(one * scale, 2) for one in (made.width, made.height, made.depth)
    )
    root = re.sub(
        r'(?<= )(width|height)="([\d.]+)pt"',
        lambda found: f'{found[1]}="{float(found[2]) * scale:.2f}pt"',
        made.svg.partition(">")[0],
    )
    svg = root + made.svg[len(made.svg.partition(">")[0]) :]
    return Typeset(svg, wide, high, deep, made.lines)


def _set(latex: str, size: float, *, inline: bool = False) -> Any:
    """One line as the typesetter's own object."""
    # A line that opens with an operator still needs its space: an empty operand.
    body = f"{{}}{latex}" if latex.startswith(("+", "-")) else latex
    try:
        made = _engine().Latex(body, size=size, color=INK, inline=inline, margin=0)
        made.node.bbox  # noqa: B018 - raises for what cannot be laid out
    except Exception as error:  # the library raises whatever its parser meets
        message = f"cannot set {latex[:80]!r}: {error}"
        raise FormulaError(message) from error
    return made


def _width(made: Any) -> float:
    """How long a set line is."""
    return float(made.node.bbox.xmax - made.node.bbox.xmin)


def terms(latex: str) -> list[str]:
    """`latex` cut before every `+` or `-` outside brackets and fractions."""
    cuts = [0]
    depth = 0
    operand = False  # whether a sign here would be binary
    sized = False  # whether this token is the bracket of a `\\left` or `\\right`
    for match in re.finditer(r"\\[a-zA-Z]+|\\.|\S", latex):
        token = match.group()
        if sized:
            sized = False
            continue
        if token in {"{", "(", "[", r"\left", r"\{"}:
            depth += 1
        elif token in {"}", ")", "]", r"\right", r"\}"}:
            depth -= 1
        elif token in {"+", "-"} and depth == 0 and operand:
            cuts.append(match.start())
        sized = token in {r"\left", r"\right"}
        operand = token not in {"=", "+", "-", r"\cdot", r"\times", "(", "["}
    ends = [*cuts[1:], len(latex)]
    return [latex[a:b].strip() for a, b in zip(cuts, ends, strict=True)]


def _fill(latex: str, size: float, width: float) -> list[str]:
    """Terms gathered into lines of at most `width` points."""
    lines: list[str] = []
    room, used = width, 0.0
    for term in terms(latex):
        need = _width(_set(term, size)) + 0.25 * size
        if lines and used + need <= room:
            lines[-1] += " " + term
            used += need
        else:
            lines.append(term)
            room = width - (INDENT * size if len(lines) > 1 else 0.0)
            used = need
    return lines


def _draw(rows: list[tuple[Any, float]], size: float) -> Typeset:
    """Rows of set lines below each other, as one SVG."""
    import xml.etree.ElementTree as ET

    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg"})
    left = min(m.node.bbox.xmin + shift for m, shift in rows)
    right = max(m.node.bbox.xmax + shift for m, shift in rows)
    top, baseline, bottom = 0.0, 0.0, 0.0
    for i, (made, shift) in enumerate(rows):
        box = made.node.bbox
        if i == 0:
            top = -box.ymax
        else:
            # Tall terms push the next baseline further down.
            baseline = max(baseline + LEADING * size, bottom + box.ymax + 0.35 * size)
        made.drawon(root, shift, baseline)
        bottom = baseline - box.ymin
    pad = 0.3
    width, height = right - left + 2 * pad, bottom - top + 2 * pad
    root.set("width", f"{width:.2f}pt")
    root.set("height", f"{height:.2f}pt")
    root.set("viewBox", f"{left - pad:.2f} {top - pad:.2f} {width:.2f} {height:.2f}")
    svg = ET.tostring(root, encoding="unicode")
    depth = bottom + pad if len(rows) == 1 else bottom - baseline + pad
    return Typeset(svg, round(width, 2), round(height, 2), round(depth, 2), len(rows))


def spoken(latex: str) -> str:
    """A formula's alternative text: its LaTeX without the layout commands."""
    text = re.sub(
        r"\\(left|right|mathrm|mathit|text|operatorname|,|;|!|quad)\b\s*", "", latex
    )
    text = text.replace(r"\cdot", "·").replace(r"\times", "×").replace(r"\frac", "frac")
    text = re.sub(r"\\([a-zA-Z]+)", r"\1", text)
    return html.unescape(re.sub(r"\s+", " ", text.replace("\\", ""))).strip()
