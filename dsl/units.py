"""Units as exact exponent vectors: parsed once, never met by the numeric engine.

A unit is a dimension (exponents of base dimensions, as `Fraction`) and a scale to
base units. Base units: s, m, B (byte), FLOP, J, g (carbon), each currency, and one
for each countable. `Gb`, `TFLOPs`, `KB` and their like have two readings, so they
are refused with both readings offered.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs

COUNTABLES = (
    "token",
    "request",
    "sequence",
    "chip",
    "system",
    "server",
    "rack",
    "wafer",
    "package",
    "stack",
    "die",
    "layer",
    "part",
    "person",
)
CURRENCIES = ("USD", "EUR", "GBP", "CNY", "JPY", "TWD", "KRW")
#: Base dimensions in the order in which messages show them.
BASES = (
    *("money", "EUR", "GBP", "CNY", "JPY", "TWD", "KRW"),
    *("information", "compute", "energy", "carbon", "length"),
    *COUNTABLES,
    "time",
)
_ORDER = {name: index for index, name in enumerate(BASES)}


@attrs.frozen(cache_hash=True, repr=False)
class Dim:
    """A dimension: non-zero exponents of base dimensions, sorted by name."""

    exponents: tuple[tuple[str, Fraction], ...] = ()

    def __mul__(self, other: "Dim") -> "Dim":
        return dim(_add(self.exponents, other.exponents, 1))

    def __truediv__(self, other: "Dim") -> "Dim":
        return dim(_add(self.exponents, other.exponents, -1))

    def __pow__(self, power: Fraction | int) -> "Dim":
        return Dim(tuple((n, e * power) for n, e in self.exponents if e * power))

    def __str__(self) -> str:
        return show_dim(self)

    __repr__ = __str__

    @property
    def plain(self) -> bool:
        """Whether this is a bare number."""
        return not self.exponents

    @property
    def money(self) -> bool:
        """Whether this is money, or money per something."""
        return any(name in ("money", *CURRENCIES) for name, _ in self.exponents)


def dim(exponents: Mapping[str, Fraction | int]) -> Dim:
    """A `Dim` of a mapping; zeros are dropped."""
    items = ((name, Fraction(e)) for name, e in exponents.items() if e)
    return Dim(tuple(sorted(items)))


def _add(
    a: Iterable[tuple[str, Fraction]], b: Iterable[tuple[str, Fraction]], sign: int
) -> dict[str, Fraction]:
    out = dict(a)
    for name, e in b:
        out[name] = out.get(name, Fraction(0)) + sign * e
    return out


PLAIN = Dim()


def show_dim(d: Dim) -> str:
    """`money · chip / token`; a bare number reads `plain number`.

    Energy over time reads `power`, which is how analysts say it.
    """
    exponents = dict(d.exponents)
    names = sorted(exponents, key=lambda n: (_ORDER.get(n, 99), n))
    if exponents.get("energy") == 1 and exponents.get("time", Fraction(0)) <= -1:
        exponents["power"] = exponents.pop("energy")
        exponents["time"] += 1
        names = ["power", *(n for n in names if n != "energy" and exponents[n])]
    over = [_power(n, exponents[n]) for n in names if exponents[n] > 0]
    under = [_power(n, -exponents[n]) for n in names if exponents[n] < 0]
    if not over and not under:
        return "plain number"
    top = " · ".join(over) or "1"
    return top + (" / " + " / ".join(under) if under else "")


def _power(name: str, exponent: Fraction) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


@attrs.frozen
class Unit:
    """A unit as it was written: `GB/s/chip` with its dimension and exact scale."""

    text: str
    dim: Dim
    scale: Fraction

    @property
    def factor(self) -> float:
        """Multiply a number in this unit by it to get base units."""
        return float(self.scale)


@attrs.frozen
class UnitProblem:
    """Why a text is no unit: `kind` is `unknown` or `ambiguous`.

    `part` is the faulty piece; `readings` are spellings to offer.
    """

    kind: str
    part: str
    readings: tuple[str, ...] = ()


_SI = {
    "p": Fraction(1, 10**12),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "µ": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    "c": Fraction(1, 100),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Z": Fraction(10**21),
}
_BINARY = {f"{p}i": Fraction(2 ** (10 * (i + 1))) for i, p in enumerate("KMGTPE")}
_LARGE = tuple("kMGTPEZ")
_SMALL = ("p", "n", "u", "µ", "m")


def _table() -> dict[str, tuple[Dim, Fraction, tuple[str, ...]]]:
    """Every unit name: its dimension, scale and the prefixes it takes."""
    one = Fraction(1)
    time, energy = dim({"time": 1}), dim({"energy": 1})
    power = energy / time
    byte, flop = dim({"information": 1}), dim({"compute": 1})
    hour = Fraction(3600)
    binary = tuple(_BINARY)
    table: dict[str, tuple[Dim, Fraction, tuple[str, ...]]] = {
        "s": (time, one, _SMALL),
        "min": (time, Fraction(60), ()),
        "h": (time, hour, ()),
        "day": (time, 24 * hour, ()),
        "week": (time, 168 * hour, ()),
        "month": (time, 730 * hour, ()),
        "quarter": (time, 2190 * hour, ()),
        "year": (time, 8760 * hour, ()),
        "Hz": (PLAIN / time, one, _LARGE),
        "m": (dim({"length": 1}), one, (*_SMALL, "c", "k")),
        "inch": (dim({"length": 1}), Fraction(254, 10_000), ()),
        "B": (byte, one, (*_LARGE, *binary)),
        "bit": (byte, Fraction(1, 8), (*_LARGE, *binary)),
        "FLOP": (flop, one, _LARGE),
        "OP": (flop, one, _LARGE),
        "J": (energy, one, (*_LARGE, *_SMALL)),
        "W": (power, one, (*_LARGE, *_SMALL)),
        "Wh": (energy, hour, _LARGE),
        "g": (dim({"carbon": 1}), one, (*_LARGE, "m")),
        "t": (dim({"carbon": 1}), Fraction(10**6), ("k", "M", "G")),
        "tonne": (dim({"carbon": 1}), Fraction(10**6), ()),
        "$": (dim({"money": 1}), one, ("k", "M", "G")),
        "USD": (dim({"money": 1}), one, ()),
        "cent": (dim({"money": 1}), Fraction(1, 100), ()),
        "€": (dim({"EUR": 1}), one, ()),
        "£": (dim({"GBP": 1}), one, ()),
        "%": (PLAIN, Fraction(1, 100), ()),
        "pp": (PLAIN, Fraction(1, 100), ()),
        "GPU": (dim({"chip": 1}), one, ()),
        "TPU": (dim({"chip": 1}), one, ()),
        "superchip": (dim({"chip": 1}), Fraction(2), ()),
    }
    for code in CURRENCIES[1:]:
        table[code] = (dim({code: 1}), one, ())
    for name in COUNTABLES:
        table[name] = (dim({name: 1}), one, ("k", "M", "G", "T"))
    return table


UNITS = _table()
#: Spellings with two readings, or that hide what they count.
AMBIGUOUS: dict[str, tuple[str, ...]] = {
    "b": ("bit", "B"),
    "bps": ("bit/s", "B/s"),
    "FLOPs": ("FLOP", "FLOP/s"),
    "FLOPS": ("FLOP/s", "FLOP"),
    "OPs": ("OP", "OP/s"),
    "OPS": ("OP/s", "OP"),
    "Bps": ("B/s", "bit/s"),
    "bits": ("bit", "bit/s"),
}
_KILO_BYTES = {"KB": ("kB", "KiB"), "Kb": ("kbit", "Kibit"), "KBps": ("kB/s", "KiB/s")}
#: Words that people write for a unit, and the unit.
_SPELLED = {
    "sec": "s",
    "second": "s",
    "minute": "min",
    "hr": "h",
    "hour": "h",
    "d": "day",
    "wk": "week",
    "mo": "month",
    "yr": "year",
    "byte": "B",
    "watt": "W",
    "joule": "J",
    "dollar": "$",
    "euro": "€",
    "percent": "%",
    "tok": "token",
    "req": "request",
    "seq": "sequence",
    "meter": "m",
    "metre": "m",
    "ton": "tonne",
    "flop": "FLOP",
    "flops": "FLOP/s",
    "accelerator": "chip",
    "device": "chip",
}
_TERM = re.compile(r"(?P<name>[A-Za-zµ$€£%]+|1)(?:\^(?P<power>-?[0-9]))?")
#: A spelling longer than this, or a scale beyond this, is no unit of anything.
_LONGEST = 60
_LARGEST = Fraction(10**60)


def _piece(name: str, extra: Mapping[str, Dim]) -> tuple[Dim, Fraction] | UnitProblem:
    """One unit name with its prefix."""
    if name in extra:
        return extra[name], Fraction(1)
    if name in UNITS:
        found, scale, _ = UNITS[name]
        return found, scale
    if name in _KILO_BYTES:
        return UnitProblem("ambiguous", name, _KILO_BYTES[name])
    for prefix in sorted((*_SI, *_BINARY), key=len, reverse=True):
        rest = name[len(prefix) :]
        if not name.startswith(prefix) or not rest:
            continue
        if rest in UNITS and prefix in UNITS[rest][2]:
            found, scale, _ = UNITS[rest]
            return found, scale * {**_SI, **_BINARY}[prefix]
        if rest in AMBIGUOUS and prefix in (*_LARGE, *_BINARY):
            readings = tuple(prefix + reading for reading in AMBIGUOUS[rest])
            return UnitProblem("ambiguous", name, readings)
    if name in AMBIGUOUS:
        return UnitProblem("ambiguous", name, AMBIGUOUS[name])
    return UnitProblem("unknown", name, _nearest(name, extra))


def _nearest(name: str, extra: Mapping[str, Dim]) -> tuple[str, ...]:
    from isocost.dsl.suggest import nearest  # only on a mistake

    names = [*UNITS, *extra]
    names += [p + n for n, (_, _, prefixes) in UNITS.items() for p in prefixes]
    for word in (name, name.removesuffix("s")):
        if word in names:
            return (word,)
        if word.lower() in _SPELLED:
            return (_SPELLED[word.lower()],)
    return nearest(name, names)


@functools.lru_cache(maxsize=4096)
def _parse(text: str, extra: tuple[tuple[str, Dim], ...]) -> Unit | UnitProblem:
    more = dict(extra)
    found, scale = PLAIN, Fraction(1)
    if len(text) > _LONGEST:
        return UnitProblem("unknown", text[: _LONGEST // 2] + "…")
    for index, factor in enumerate(text.split("/")):
        if index == 0 and factor in {"", "1"}:
            continue
        for term in re.split(r"[-·](?!\d)", factor):
            match = _TERM.fullmatch(term)
            if match is None:
                return UnitProblem("unknown", term or text)
            if match["name"] == "1":
                continue
            piece = _piece(match["name"], more)
            if isinstance(piece, UnitProblem):
                return piece
            power = int(match["power"] or 1) * (1 if index == 0 else -1)
            found = found * piece[0] ** power
            scale = scale * piece[1] ** power
    if not 1 / _LARGEST < scale < _LARGEST:
        return UnitProblem("unknown", text)
    return Unit(text, found, scale)


def parse_unit(text: str, extra: Mapping[str, Dim] | None = None) -> Unit | UnitProblem:
    """Read a unit: `-` and `·` multiply and bind before `/`; `1` is a plain number.

    Args:
        text: The spelling, without spaces: `$/kW-month`, `GB/s/chip`, `/cm^2`.
        extra: Further countable units of the file, by name.
    """
    return _parse(text, tuple(sorted((extra or {}).items())))


def _is_own(problem: UnitProblem, known: Mapping[str, Dim]) -> bool:
    """Whether what is no unit may be the name of a file's own countable."""
    named = problem.part.isidentifier() and problem.part.isascii()
    return problem.kind == "unknown" and named and problem.part not in known


def unit(text: str) -> Unit:
    """`parse_unit` for units that are known to be right: our own, and those of results.

    A name that is no unit of the language is a file's own countable (`unit seat`),
    which was checked where it was written.

    Raises:
        ValueError: `text` is no unit; a bug of ours, never a user's mistake.
    """
    found = parse_unit(text)
    own: dict[str, Dim] = {}
    while isinstance(found, UnitProblem) and _is_own(found, own):
        own[found.part] = dim({found.part: 1})
        found = parse_unit(text, own)
    if isinstance(found, UnitProblem):
        message = f"{text!r} is no unit: {found}"
        raise ValueError(message)  # noqa: TRY004 (a bad value, not a bad type)
    return found
