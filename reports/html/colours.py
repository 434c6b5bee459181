"""Colours of a page by day and by night.

Drawings and style sheets name colours as variables; each has a counterpart for dark
mode with its lightness turned over, so that what reads on paper reads on ink.
"""

import colorsys
import re

from isocost.reports.charts.plot import INK, PAPER

#: The ground of a page by night, and the lightest text on it.
NIGHT, BRIGHT = 0.09, 0.96
HEX = re.compile(r"#[0-9A-Fa-f]{6}\b")


def variable(colour: str) -> str:
    """The CSS variable that stands for a colour."""
    return f"--c{colour[1:].lower()}"


def use(colour: str) -> str:
    """A colour as a drawing refers to it."""
    return f"var({variable(colour)})" if HEX.fullmatch(colour) else colour


def by_night(colour: str) -> str:
    """The counterpart of a colour on a dark ground."""
    r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(r, g, b)
    turned = BRIGHT - (BRIGHT - NIGHT) * light
    # Mid-tones, which letters have, stand off a dark ground a little further.
    if 0.45 < turned < 0.78:  # noqa: PLR2004 (neither ground nor full ink)
        turned = min(turned + 0.06, 0.8)
    made = colorsys.hls_to_rgb(hue, turned, saturation * 0.85)
    return "#" + "".join(f"{round(255 * c):02x}" for c in made)


def luminance(colour: str) -> float:
    """The relative luminance that WCAG defines."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    low = 0.04045
    r, g, b = (c / 12.92 if c <= low else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21."""
    a, b = sorted((luminance(one), luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def on(ground: str) -> str:
    """The colour of letters on a coloured ground, as a drawing refers to it."""
    return f"var(--on{ground[1:].lower()})" if HEX.fullmatch(ground) else use(INK)


def _best(ground: str, *inks: str) -> str:
    return max(inks, key=lambda ink: contrast(ground, ink))


def sheet(text: str) -> str:
    """Definitions of every colour that a text refers to, for both modes."""
    found = sorted(set(re.findall(r"var\(--c([0-9a-f]{6})\)", text)))
    day = " ".join(f"--c{c}: #{c};" for c in found)
    night = " ".join(f"--c{c}: {by_night('#' + c)};" for c in found)
    for c in sorted(set(re.findall(r"var\(--on([0-9a-f]{6})\)", text))):
        ground = f"#{c}"
        day += f" --on{c}: {_best(ground, INK, PAPER)};"
        night += f" --on{c}: {_best(by_night(ground), by_night(INK), by_night(PAPER))};"
    return (
        f":root {{ {day} }}\n"
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-mode="light"]) '
        f"{{ {night} }} }}\n"
        f':root[data-mode="dark"] {{ {night} }}\n'
    )
