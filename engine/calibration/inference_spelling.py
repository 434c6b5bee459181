"""Spellings of measurements: metrics, their units, precisions, drafts, models' names.

What a table calls a thing is brought to one word here; what the word means for the
formulas stands in `inference_rules`.
"""

import re
from collections.abc import Iterable, Mapping

from isocost.engine.calibration.measured_units import METRICS as KINDS
from isocost.engine.calibration.measured_units import (
    SHARES,
    TIMES,
    Unit,
    read_unit,
    stated,
)

Row = Mapping[str, str]
#: What is predicted, by spellings of a metric (letters and digits alone).
_METRICS = {
    "output_tokens_per_s": (
        *("outputtokenspers", "outputthroughput", "decodetokenspers", "tokenspers"),
        *("throughput", "outputtokenspersec", "tokenspersec", "generationthroughput"),
        *("outputtokenspersecond", "tokenspersecond", "tps", "decodethroughput"),
        *("outputtps", "tokenthroughput", "tokenspersperchip", "tokenspersgpu"),
        *("outputtokensperspergpu", "outputtokenspersperchip", "tokenspersperdevice"),
    ),
    "input_tokens_per_s": (
        *("inputtokenspers", "prefilltokenspers", "prompttokenspers"),
        *("inputthroughput", "prefillthroughput", "inputtps", "inputtokenspersec"),
        *("inputtokenspersperchip", "inputtokensperspergpu"),
    ),
    "total_tokens_per_s": (
        *("totaltokenspers", "totalthroughput", "totaltokenspersec", "totaltps"),
        *("totaltokenthroughput", "totaltokensperspergpu", "totaltokenspersperchip"),
    ),
    "requests_per_s": (
        *("requestspers", "requestthroughput", "requestspersec", "rps", "qps"),
        *("samplespers", "samplespersec", "queriespers", "queriespersec", "reqpers"),
    ),
    "tokens_per_s_per_user": (
        *("tokenspersperuser", "outputspeedperuser", "interactivity", "tpsperuser"),
        *("outputtokenspersperuser", "tokenspersuser", "tpsuser"),
    ),
    "ttft_ms": ("ttft", "timetofirsttoken", "prefilllatency", "prefilltime"),
    "tpot_ms": (
        *("tpot", "itl", "intertokenlatency", "timeperoutputtoken", "decodestep"),
        *("decodelatency", "pertokenlatency", "decodesteptime", "latencypertoken"),
    ),
    "e2e_latency_ms": (
        *("e2elatency", "latency", "requestlatency", "endtoendlatency", "e2e"),
        *("totallatency", "e2el"),
    ),
}
METRICS = {word: name for name, words in _METRICS.items() for word in words}
_MIDDLE = re.compile(r"(mean|avg|average|median|p50)")
_TAIL = re.compile(r"p\d\d+")
_WORDS = re.compile(r"[^a-z0-9]+")
#: Bits of weights in names that do not say a type: `W4A16`, `Q4_K_M`, `4-bit`.
_BITS = re.compile(r"\bw(\d+)a(\d+)|\bq(\d)[_k]|(\d+)[-_ ]?bit|\bint(\d+)|\buint(\d)")
_FLOATS = re.compile(r"f(?:p|loat)?8|e4m3|e5m2")


def is_tail(row: Row) -> bool:
    """Whether a row's metric is a percentile other than the median."""
    return bool(_TAIL.search(row["metric"].lower().replace("p50", "")))


def metric(row: Row) -> str:
    """The metric that a row states, in the words of what is predicted; empty if none.

    Means and medians are predicted, other percentiles are not.
    """
    if is_tail(row):
        return ""
    text = _MIDDLE.sub("", row["metric"].lower())
    words = [word for word in _WORDS.split(text) if word]
    whole = "".join(words)
    bare = "".join(words[:-1]) if words and words[-1] in TIMES else whole
    found = METRICS.get(whole) or METRICS.get(bare) or ""
    if found == "output_tokens_per_s" and per(row) == "user":
        return "tokens_per_s_per_user"
    return found


def unit(row: Row) -> Unit | str:
    """The unit of a row's value, or why it cannot be told; its metric is known."""
    return stated(row, KINDS["inference"][metric(row)])


def factor(row: Row) -> float:
    """What a predicted figure (ms, or a rate a second) is in the row's own unit."""
    found = unit(row) if metric(row) else ""
    if isinstance(found, str):
        return 1.0
    return (1e-3 if found.kind == "time" else 1.0) / found.size


def per(row: Row) -> str:
    """What a rate is of: chip, user, node, or the whole (empty)."""
    if row.get("per_chip", "").lower() in {"yes", "true", "1"}:
        return "chip"
    stated_as = read_unit(row.get("unit", ""))
    named = _WORDS.split(row["metric"].lower())[-1]
    of_name = next((one for one, words in SHARES.items() if named in words), "")
    return (stated_as.of if stated_as else "") or of_name


def precision(name: str) -> str:
    """The type that a column names, as in `WEIGHT_BYTES`; bf16 if none is known."""
    text = name.lower().split("(")[0] if "(w" in name.lower() else name.lower()
    for word in ("nvfp4", "mxfp4", "fp4", "mxfp6", "fp6", "awq", "gptq"):
        if word in text:
            return {"mxfp6": "fp6"}.get(word, word)
    bits = _BITS.search(text)
    narrow = bits is not None and bits.group(1) == "4"
    if _FLOATS.search(text) and "16" not in text.split("8")[0] and not narrow:
        return "fp8"
    if bits:
        width = int(next(group for group in bits.groups() if group))
        return {4: "int4", 8: "int8", 32: "fp32"}.get(width, _rounded(width))
    return "fp32" if re.search(r"(fp|float)32|tf32", text) else "bf16"


def _rounded(width: int) -> str:
    return "int4" if width < 6 else "int8" if width < 12 else "bf16"  # noqa: PLR2004


#: More tokens are drafted by nobody.
_MOST_DRAFTED = 16


def drafted(name: str) -> float:
    """Tokens drafted ahead: 3 of `MTP-3`, 4 of `draft 1B, k=4`, 0 of `none`.

    A method's own number (`EAGLE-3`, `Medusa-2`) is no count; it drafts 3.
    """
    text = name.lower().strip()
    if text in {"", "none", "no", "off", "false", "0", "-"}:
        return 0.0
    stated = re.search(r"(?:k|n|gamma|tokens?|steps?|drafts?)\s*[=:]\s*(\d+)", text)
    stated = stated or re.search(r"(\d+)\s*(?:draft|spec|token|step)", text)
    stated = stated or re.search(r"mtp[-_ ]?(\d+)?", text)
    if stated is None:
        return 3.0
    count = float(stated.group(1) or 1)
    return min(count, _MOST_DRAFTED)


_MODEL_NOISE = re.compile(r"^(meta|metallama|facebook|nvidia|openai|google)")


def model_key(name: str) -> str:
    """A model's name without its publisher, its letters and digits alone."""
    bare = re.sub(r"[^a-z0-9]", "", name.lower().rsplit("/", 1)[-1])
    return _MODEL_NOISE.sub("", bare)


#: Models of one shape, by how the names of later ones begin.
_SAME_SHAPE = {
    "llama3370b": "llama3170b",
    "llama370b": "llama3170b",
    "llama38b": "llama318b",
    "llama3405b": "llama31405b",
    "deepseekr1": "deepseekv3",
    "deepseekv31": "deepseekv3",
    "deepseekv32": "deepseekv3",
    "kimik25": "kimik2",
    "mistral7bv03": "mistral7b",
}


def known_as(name: str, known: Iterable[str]) -> str:
    """The name among those known that a model's name begins with; empty if none.

    `DeepSeek-R1-0528` is `deepseek-r1`; a distilled or a smaller model has another's
    shape and is none.
    """
    key = model_key(name)
    if re.search(r"distill|lite|mini(?!stral)|tiny", key):
        return ""
    by_key = {model_key(each): each for each in known}
    later = next((v for k, v in _SAME_SHAPE.items() if key.startswith(k)), "")
    fits = [each for each in by_key if key.startswith(each) or each == later]
    return by_key[max(fits, key=len)] if fits else ""
