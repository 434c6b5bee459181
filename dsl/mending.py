"""Two dimensions that should have been one: shown lined up, and how to mend it.

The wording of the unit codes that needs arithmetic on exponents; `messages` hands it
on under one name.
"""

from collections.abc import Mapping
from fractions import Fraction

from isocost.dsl.literal import Literal
from isocost.dsl.units import BASES, CURRENCIES, Dim, Unit, dim, parse_unit

#: What an analyst writes for one of each base dimension.
_WRITTEN = {
    "money": "$",
    "information": "B",
    "compute": "FLOP",
    "energy": "J",
    "carbon": "g",
    "length": "m",
    "time": "s",
    "power": "W",
}
_ORDER = {name: index for index, name in enumerate(("power", *BASES))}


def dimension_notes(expected: Dim, found: Dim) -> tuple[tuple[str, str], str | None]:
    """The two lines that line the exponents up, and the one factor that would mend it.

    Args:
        expected: The dimension that is wanted here.
        found: The dimension that stands here.

    Returns:
        Notes and help, as `diagnostics.at(…, notes=, help=)` takes them.
    """
    upper, lower = _lined_up(_spoken(expected), _spoken(found))
    return (f"expected:  {upper}", f"   found:  {lower}"), _mend(expected, found)


def per_one(
    value: Literal | None, wanted: Dim, found: Dim, shown: str = ""
) -> str | None:
    """How a figure with a unit is stated per one of what its unit lacks.

    Args:
        value: The figure as it stands.
        wanted: The dimension that is wanted.
        found: Its own.
        shown: The unit in which it is usually written, whose divisor is preferred.

    Returns:
        None where more than a whole divisor, such as `/chip`, is lacking.
    """
    lacking = spelled(found / wanted)
    if not lacking or "/" in lacking or value is None or value.unit is None:
        return None
    usual = shown.rpartition("/")[2]
    known = parse_unit(usual) if usual and usual != shown else None
    if isinstance(known, Unit) and known.dim == found / wanted:
        lacking = usual
    return (
        f"it is per `{lacking}`: write `{value.number:g} {value.unit.text}/{lacking}`"
    )


def spelled(d: Dim) -> str | None:
    """A unit of this dimension as one would write it: `$/token`; None if there is none.

    Fractional exponents have no spelling.
    """
    exponents = _spoken(d)
    if any(e.denominator != 1 for e in exponents.values()):
        return None
    names = _sorted(exponents)
    over = "-".join(_term(n, exponents[n]) for n in names if exponents[n] > 0)
    under = "".join("/" + _term(n, -exponents[n]) for n in names if exponents[n] < 0)
    return over + under


def _term(name: str, exponent: Fraction) -> str:
    written = _WRITTEN.get(name, name)
    return written if exponent == 1 else f"{written}^{exponent}"


def _spoken(d: Dim) -> dict[str, Fraction]:
    """Exponents by base, energy over time being power."""
    exponents = dict(d.exponents)
    energy, time = (exponents.get(name, Fraction(0)) for name in ("energy", "time"))
    if abs(energy) == 1 and energy * time <= -1:
        del exponents["energy"]
        exponents["power"] = energy
        exponents["time"] = time + energy
    return {name: e for name, e in exponents.items() if e}


def _sorted(names: Mapping[str, Fraction]) -> list[str]:
    return sorted(names, key=lambda n: (_ORDER.get(n, len(_ORDER)), n))


def _lined_up(a: dict[str, Fraction], b: dict[str, Fraction]) -> tuple[str, str]:
    names = _sorted({**a, **b})
    tops = [n for n in names if a.get(n, 0) > 0 or b.get(n, 0) > 0]
    bottoms = [n for n in names if a.get(n, 0) < 0 or b.get(n, 0) < 0]
    rows = ([_top(tops, a, b)], [_top(tops, b, a)])
    width = max(len(rows[0][0]), len(rows[1][0]))
    for row, own, other in ((rows[0], a, b), (rows[1], b, a)):
        row[0] = row[0].ljust(width)
        row += [_cell(n, own, other, -1, " / ") for n in bottoms]
    return "".join(rows[0]).rstrip(), "".join(rows[1]).rstrip()


def _top(names: list[str], own: dict[str, Fraction], other: dict[str, Fraction]) -> str:
    if not any(own.get(n, 0) > 0 for n in names):
        return "1" if own else "plain number"
    text = ""
    for index, name in enumerate(names):
        dot = " · " if text.strip() else "   "
        text += _cell(name, own, other, 1, dot if index else "")
    return text


def _cell(
    name: str,
    own: dict[str, Fraction],
    other: dict[str, Fraction],
    sign: int,
    separator: str,
) -> str:
    """One base dimension's column, blank where this side lacks it."""
    texts = [_shown(name, side.get(name, Fraction(0)) * sign) for side in (own, other)]
    width = max(map(len, texts))
    blank = " " * len(separator)
    return (separator if texts[0] else blank) + texts[0].ljust(width)


def _shown(name: str, exponent: Fraction) -> str:
    if exponent <= 0:
        return ""
    return name if exponent == 1 else f"{name}^{exponent}"


def _mend(expected: Dim, found: Dim) -> str | None:
    """What to do to the faulty side."""
    factor = found / expected
    moneys = [n for n, _ in factor.exponents if n == "money" or n in CURRENCIES]
    if len(moneys) > 1:
        code = next(name for name in moneys if name != "money")
        name, sign = f"{code.lower()}_usd", spelled(dim({"money": 1, code: -1}))
        return f"state the rate: `exchange {name} {{ rate[DATE] = … {sign or '$'} }}`"
    wanted = spelled(expected)
    if found.plain and wanted:
        return f"a unit is missing: write it in `{wanted}` or a multiple of that"
    if not found.plain and found * expected == Dim():
        return "the fraction stands on its head: divide the other way round"
    shared = {n for n, _ in expected.exponents} & {n for n, _ in found.exponents}
    if not shared and not expected.plain:
        return None  # a factor would make one thing into quite another
    over, under = spelled(factor), spelled(Dim() / factor)
    if over is None or under is None:
        return None
    if over.startswith("/") or len(under) < len(over):
        return f"multiply by a quantity in `{under}`"
    return f"divide by a quantity in `{over}`"
