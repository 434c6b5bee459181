"""Units of measurements: what kind a unit is of, its size, and what it is a share of.

One grammar for every family: a time (`ms`, `ms/token`), or an amount over a time
(`tok/s`, `k tok/min/GPU`, `req/s`, `GB/s`, `Gbit/s`, `TFLOP/s/chip`), or a share (`%`).
What each metric may be stated in stands in `METRICS`; a unit of another kind, or one
that this grammar does not read, refuses its row.
"""

import re
from collections.abc import Mapping

import attrs

TIMES: Mapping[str, float] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
#: What a rate is of, by the words for it.
SHARES: Mapping[str, tuple[str, ...]] = {
    "chip": ("chip", "gpu", "device", "accelerator", "tpu", "npu", "dev", "xpu"),
    "user": ("user", "request", "stream", "sequence"),
    "node": ("node", "system", "server", "host"),
}
_NOUNS: Mapping[str, tuple[str, ...]] = {
    "tokens": ("tok", "toks", "token", "tokens"),
    "jobs": (
        *("req", "reqs", "request", "requests", "seq", "seqs", "sequence", "sequences"),
        *("sample", "samples", "query", "queries", "prompt", "prompts"),
    ),
    "flop": ("flop", "flops"),
    "any": ("1",),
}
_NOUN = {word: kind for kind, words in _NOUNS.items() for word in words}
_PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
#: Short forms of a whole rate.
_SHORT = {"tps": "tok/s", "qps": "1/s", "rps": "1/s"}
#: Words that say which tokens, and change no size.
_WHICH = {"output", "input", "total", "generated", "prompt", "decode", "prefill"}
#: What a time may be of: `ms/token`, `s/step`.
_ONCE = {"token", "tok", "step", "iteration", "it", "iter", "request", "req"}
_PARTS = {"%": 0.01, "percent": 0.01, "pct": 0.01, "fraction": 1.0, "1": 1.0}
_BYTES = re.compile(r"([kmgt]?i?)(B|b|bit|bits|byte|bytes)(ps)?", re.IGNORECASE)
_BITS = {"bit", "bits", "b"}


@attrs.frozen
class Unit:
    """A unit: its kind, its size in base units (s, tok/s, 1/s, B/s, FLOP/s, 1).

    `of` is what a rate is a share of: `chip`, `node`, `user`, or the whole (empty).
    """

    kind: str
    size: float
    of: str = ""


def read_unit(text: str) -> Unit | None:
    """A unit as it is written; None if it is none that is read."""
    bare = re.sub(r"[()\[\]]", " ", text).strip()
    if bare.lower() in _PARTS:
        return Unit("share", _PARTS[bare.lower()])
    head = re.split(r"[/ ]", bare)[0]
    bare = _SHORT.get(head.lower(), head) + bare[len(head) :]
    parts = [part.strip() for part in re.split(r"[/*·]|\bper\b", bare)]
    first, rest = parts[0], [part.lower() for part in parts[1:]]
    if first.lower() in TIMES:
        once = all(part.split()[-1:] and part.split()[-1] in _ONCE for part in rest)
        return Unit("time", TIMES[first.lower()]) if once else None
    return _rate(first, rest)


def _rate(first: str, rest: list[str]) -> Unit | None:
    """An amount over a time, of a part or of the whole."""
    found = _amount(first)
    if found is None:
        return None
    kind, size, timed = found
    spans = [part for part in rest if part in TIMES]
    shares = [part for part in rest if part not in TIMES]
    of = [_share(part) for part in shares]
    twice = kind == "flop" and timed and len(spans) == 1  # `TFLOPS/s`, as often written
    if not all(of) or len(of) > 1 or (len(spans) + timed != 1 and not twice):
        return None
    return Unit(kind, size / (TIMES[spans[0]] if spans else 1.0), of[0] if of else "")


def _share(word: str) -> str:
    words = (name for name, all_ in SHARES.items() if word.removesuffix("s") in all_)
    return next(words, "")


def _amount(text: str) -> tuple[str, float, bool] | None:
    """Kind and size of an amount, and whether it has its second in its name."""
    words = [
        word for word in text.split() if word.lower() not in _WHICH
    ] or text.split()
    factor = 1.0
    if len(words) == 2 and words[0].lower() in _PREFIX:  # noqa: PLR2004 (`k tok`)
        factor, words = _PREFIX[words[0].lower()], words[1:]
    if len(words) != 1:
        return None
    word = words[0]
    if counted := re.fullmatch(r"([kmgtp]?)(.+)", word.lower()):
        for prefix, noun in (("", word.lower()), counted.groups()):
            if noun in _NOUN:
                kind = _NOUN[noun]
                timed = kind == "flop" and noun == "flops"
                return kind, factor * _PREFIX[prefix], timed
    return _bytes(word, factor)


def _bytes(word: str, factor: float) -> tuple[str, float, bool] | None:
    found = _BYTES.fullmatch(word)
    if found is None:
        return None
    prefix, noun, timed = found[1].lower(), found[2], bool(found[3])
    base = 1024.0 if prefix.endswith("i") else 1000.0
    steps = "kmgt".index(prefix[0]) + 1 if prefix.strip("i") else 0
    # `b` alone is a bit where the prefix is a capital (`Gb/s`), as on data sheets.
    small = noun == "b" and (timed or found[1][:1].isupper())
    each = 1 / 8 if noun.lower() in _BITS - {"b"} or small else 1.0
    return "bytes", factor * base**steps * each, timed


# What each metric is stated in.


@attrs.frozen
class Metric:
    """What a metric may be stated in.

    `of` are the shares that a rate may be of, `blank` the unit of one whose cell and
    name state none (empty where it must be stated), `like` what a reader is told.
    """

    kind: str
    like: tuple[str, ...]
    of: tuple[str, ...] = ("",)
    blank: str = ""


_TIME = Metric("time", ("us", "ms", "s"))
_BUS = Metric("bytes", ("GB/s", "Gbit/s"), ("", "chip"), "GB/s")
_SERVED = Metric(
    "tokens",
    ("token/s", "token/s/chip", "token/s/node"),
    ("", "chip", "node"),
    "token/s",
)
_TRAINED = Metric("tokens", ("token/s", "token/s/chip"), ("", "chip"), "token/s")
_EACH = Metric("jobs", ("1/s", "1/s/chip"), ("", "chip"), "1/s")
_SHARE = Metric("share", ("%",), blank="1")
#: Every metric that is predicted, by family: the one table of what it is stated in.
METRICS: Mapping[str, Mapping[str, Metric]] = {
    "collectives": {"time": _TIME, "busbw": _BUS, "algbw": _BUS},
    "inference": {
        "output_tokens_per_s": _SERVED,
        "input_tokens_per_s": _SERVED,
        "total_tokens_per_s": _SERVED,
        "tokens_per_s_per_user": attrs.evolve(
            _SERVED, like=("token/s", "token/s/user"), of=("", "user")
        ),
        "requests_per_s": attrs.evolve(
            _EACH, like=("1/s", "1/s/chip", "1/s/node"), of=("", "chip", "node")
        ),
        "ttft_ms": _TIME,
        "tpot_ms": _TIME,
        "e2e_latency_ms": _TIME,
    },
    "training": {
        "step_time": _TIME,
        "tokens_per_s": _TRAINED,
        "tokens_per_s_per_chip": _TRAINED,
        "samples_per_s": _EACH,
        "samples_per_s_per_chip": _EACH,
        "mfu": _SHARE,
        "mfu_causal": _SHARE,
        "tflops_per_chip": Metric(
            "flop", ("TFLOP/s", "TFLOP/s/chip"), ("", "chip"), "TFLOP/s/chip"
        ),
    },
}


def ending(name: str) -> str:
    """The unit of time that a metric's own name ends in: `ttft_ms`, `TTFT (s)`."""
    words = [word for word in re.split(r"[^a-z0-9µμ]+", name.lower()) if word]
    return words[-1] if words and words[-1] in TIMES else ""


def stated(row: Mapping[str, str], metric: Metric) -> Unit | str:
    """The unit that a row's value is in, or why it cannot be told.

    Args:
        row: A measurement.
        metric: What its metric may be stated in.
    """
    text = row.get("unit", "").strip()
    named = ending(row["metric"]) if metric.kind == "time" else ""
    like = ", ".join(f"`{one}`" for one in metric.like)
    if not text and not named and not metric.blank:
        return f"`unit` is blank and `{row['metric']}` names none: it may be {like}"
    found = read_unit(text or named or metric.blank)
    if found is None:
        return f"unit `{text}` is not one that is read; {like} are"
    fits = found.kind in {metric.kind, *_ANY.get(metric.kind, ())}
    if not fits or found.of not in metric.of:
        return f"`{row['metric']}` is not stated in `{text}`; it may be in {like}"
    if text and named and TIMES[named] != found.size:
        return f"`{row['metric']}` ends in `{named}`, its unit is `{text}`"
    return found


#: A bare `1/s` counts whatever its metric counts.
_ANY = {"tokens": ("any",), "jobs": ("any",)}
