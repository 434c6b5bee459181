"""How figures are written: one place, so that no two exhibits disagree.

Every function returns text that never breaks across lines: a real minus sign
(U+2212), a narrow no-break space between digit groups and before a unit, an en
dash between the ends of an interval. Three significant digits unless told
otherwise. Nothing here knows about scales of units: values arrive in the unit that
they are shown in.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from isocost.reports.traced import CLOSE, MIDDLE, OPEN, signed_mark, traced

MINUS = "\u2212"
THIN = "\u202f"
DASH = "\u2013"
NONE = "\u2014"

_PREFIXES = {
    -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T",
    15: "P", 18: "E", 21: "Z", 24: "Y",
}  # fmt: skip
_MONEY = {0: "", 3: "k", 6: "M", 9: "bn", 12: "tn"}
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _exponent(value: float, digits: int) -> int:
    """The decimal exponent of `value` after rounding to `digits`."""
    return int(f"{abs(value):.{digits - 1}e}".partition("e")[2])


def _group(digits: str) -> str:
    """`digits` before the point in groups of three, from five digits on."""
    if len(digits) < 5:  # noqa: PLR2004 - ISO 80000: four digits stay together
        return digits
    head = len(digits) % 3
    parts = [digits[:head]] if head else []
    parts += [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return THIN.join(parts)


@traced
def fixed(value: float, decimals: int) -> str:
    """`value` with a fixed number of decimals, grouped, with a real minus.

    Args:
        value: the number, in the unit shown.
        decimals: places after the point; zero prints no point.
    """
    if not math.isfinite(value):
        return NONE if math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
    text = f"{abs(value):.{max(decimals, 0)}f}"
    whole, _, rest = text.partition(".")
    body = _group(whole) + (f".{rest}" if rest else "")
    negative = value < 0 and any(c not in "0." for c in text)
    return (MINUS if negative else "") + body


@traced
def count(value: float) -> str:
    """A whole number in full: `4096`, `400 000`."""
    return fixed(round(value), 0) if math.isfinite(value) else fixed(value, 0)


@traced
def plain(value: float, digits: int = 3) -> str:
    """`value` to `digits` significant digits, without a prefix.

    Outside 1e-4 to 1e7 it is written as a power of ten.
    """
    if value == 0 or not math.isfinite(value):
        return fixed(value, 0)
    exponent = _exponent(value, digits)
    if not -5 < exponent < 7:  # noqa: PLR2004 - the range the docstring states
        mantissa = float(f"{value:.{digits - 1}e}".partition("e")[0])
        power = str(exponent).translate(_SUPERSCRIPT)
        return f"{fixed(mantissa, digits - 1)}×10{power}"
    rounded = float(f"{value:.{digits - 1}e}")
    return fixed(rounded, max(digits - 1 - exponent, 0))


def with_unit(text: str, unit: str) -> str:
    """`text` and its unit, held together; `%` and `×` stand close."""
    if not unit:
        return text
    gap = "" if unit[0] in "%×°" else THIN
    return f"{text}{gap}{unit}"


def _steps(value: float, digits: int, table: dict[int, str]) -> tuple[float, str]:
    """`value` scaled to one to three digits before the point, and the prefix."""
    if value == 0 or not math.isfinite(value):
        return value, ""
    power = 3 * math.floor(_exponent(value, digits) / 3)
    power = min(max(power, min(table)), max(table))
    # Divide by an exact integer power: 10.0**-power would not be exact.
    scaled = value / 10**power if power >= 0 else value * 10 ** (-power)
    return scaled, table[power]


@traced
def si(value: float, unit: str = "", digits: int = 3) -> str:
    """`value` with an SI prefix: `667 TFLOP/s`, `12.4 k`.

    Args:
        value: the number in `unit`.
        unit: a unit that takes a prefix; without one the prefix stands alone.
        digits: significant digits.
    """
    scaled, prefix = _steps(value, digits, _PREFIXES)
    return with_unit(plain(scaled, digits), prefix + unit)


@traced
def money(value: float, currency: str = "$", digits: int = 3) -> str:
    """An amount: `$0.360`, `$31.0k`, `−$1.24M`, `$3.20bn`."""
    scaled, suffix = _steps(value, digits, _MONEY)
    sign = MINUS if scaled < 0 else ""
    body = plain(abs(scaled), digits) + suffix
    if currency in {"$", "€", "£", "¥"}:
        return f"{sign}{currency}{body}"
    return f"{sign}{body}{THIN}{currency}"


@traced
def percent(share: float, digits: int = 3) -> str:
    """A share as a percentage: `12.6%`; 0.5 is `50.0%`."""
    return with_unit(plain(100 * share, digits), "%")


@traced
def ratio(value: float, digits: int = 3) -> str:
    """A multiple: `3.75×`."""
    return with_unit(plain(value, digits), "×")


def signed(text: str) -> str:
    """`text` with its sign always shown; a zero carries none."""
    if text.startswith(OPEN):
        shown = text[text.index(MIDDLE) + 1 : text.index(CLOSE)]
        made = signed(shown)
        return signed_mark(text).replace(MIDDLE + shown, MIDDLE + made, 1)
    if text.startswith((MINUS, "+")) or not any(c in "123456789∞" for c in text):
        return text
    return f"+{text}"


def decimals_of(low: float, high: float) -> int:
    """Places after the point that leave two significant digits of the width."""
    width = abs(high - low)
    if width == 0 or not math.isfinite(width):
        largest = max(abs(low), abs(high))
        if largest == 0 or not math.isfinite(largest):
            return 0
        return min(max(2 - _exponent(largest, 3), 0), 9)
    return min(max(1 - _exponent(width, 2), 0), 9)


@traced
def interval(low: float, high: float, unit: str = "") -> str:
    """A 90% interval, both ends to the same place: `0.30–0.41 $/Mtok`.

    Where an end is negative the dash would read as a minus, so `to` is used.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    places = decimals_of(low, high)
    ends = fixed(low, places), fixed(high, places)
    joint = f"{THIN}to{THIN}" if any(e[0] == MINUS for e in ends) else DASH
    return with_unit(joint.join(ends), unit)


@traced
def si_interval(low: float, high: float, unit: str = "") -> str:
    """As `interval`, with one SI prefix for both ends: `1.2–3.4 Mtok/s`."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    scaled, prefix = _steps(max(low, high, key=abs), 3, _PREFIXES)
    factor = scaled / max(low, high, key=abs) if scaled else 1.0
    return interval(low * factor, high * factor, prefix + unit)


@traced
def money_interval(low: float, high: float, currency: str = "$") -> str:
    """As `interval`, for amounts: `$0.30–0.41`, `$1.2–3.4M`."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    scaled, suffix = _steps(max(low, high, key=abs), 3, _MONEY)
    factor = scaled / max(low, high, key=abs) if scaled else 1.0
    text = interval(low * factor, high * factor)
    minus = MINUS if text.startswith(MINUS) else ""
    return f"{minus}{currency}{text.removeprefix(MINUS)}{suffix}"


def ticks(values: Sequence[float], unit: str = "") -> tuple[str, ...]:
    """Texts for the ticks of one axis: as few decimals as tell them apart.

    Args:
        values: the positions of the ticks.
        unit: printed after each of them when it is short (`%`, `×`).
    """
    span = [abs(b - a) for a, b in pairwise(values) if b != a]
    largest = max((abs(v) for v in values), default=0.0)
    if largest >= 1e5 or (0 < largest < 1e-3):  # noqa: PLR2004 - where digits crowd
        return tuple(_bare_si(v, unit) for v in values)
    places = 0
    for step in span:
        while places < 6 and abs(round(step, places) - step) > 1e-9 * step:  # noqa: PLR2004
            places += 1
    return tuple(with_unit(fixed(v, places), unit) for v in values)


def log_ticks(values: Sequence[float], unit: str = "") -> tuple[str, ...]:
    """Texts for the ticks of a logarithmic axis: `0.1`, `1`, `10`, `1 k`."""
    return tuple(_bare_si(v, unit, below=1e4) for v in values)


def _bare_si(value: float, unit: str, below: float = 1.0) -> str:
    """A round value as short as it goes: no zeros after the point."""
    if value == 0:
        return with_unit("0", unit)
    if 1e-3 <= abs(value) < below:  # noqa: PLR2004 - short enough in full
        return with_unit(_shortest(value), unit)
    scaled, prefix = _steps(value, 6, _PREFIXES)
    return with_unit(_shortest(scaled), prefix + unit)


def _shortest(value: float) -> str:
    """`value` to at most six digits, no trailing zeros."""
    text = fixed(value, max(5 - _exponent(value, 6), 0))
    return text.rstrip("0").rstrip(".") if "." in text else text
