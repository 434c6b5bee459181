"""Formats of numbers by their names: which are formats at all."""

import re

#: Words that leave a format open, or name a usual mix.
_OPEN = {
    *("", "-", "auto", "default", "none", "unknown", "native", "mixed", "half", "full"),
    *("not stated", "unspecified", "n/a", "na", "same", "same as weights", "quantized"),
}
#: Floating formats by width, integers by width; `e4m3` and the like are 8 bits or 6.
_FORMAT = re.compile(
    r"(?:mx|nv|b|t)?(?:fp|float|bfloat|bf|tf)[-_ ]?(?P<float>\d+)|"
    r"(?:u?int|w|a|kv|q)[-_ ]?(?P<whole>\d+)|(?P<bits>\d+)[-_ ]?bits?|"
    r"(?P<named>e4m3|e5m2|e3m2|e2m3|e2m1|awq|gptq|half|auto|mixed|aqt|smoothquant)"
)
_WIDTHS = {
    "float": {4, 6, 8, 16, 19, 32, 64},
    "whole": {1, 2, 3, 4, 5, 6, 8, 16, 32},
    "bits": {1, 2, 3, 4, 5, 6, 8, 16, 32},
}


def is_open(text: str) -> bool:
    """Whether a cell leaves its format open: blank, `auto`, `not stated`."""
    words = re.sub(r"\([^)]*\)", " ", text.lower()).strip()
    return words in _OPEN or text.lower().strip() in _OPEN


def strange(text: str) -> bool:
    """Whether a cell names a format that does not exist, or none in all its words.

    A cell that leaves its format open (blank, `auto`, `not stated`) is not strange.
    """
    if is_open(text):
        return False
    found = list(_FORMAT.finditer(text.lower()))
    if not found:
        return True
    kinds = [(m.lastgroup or "", m.group(m.lastgroup or 0)) for m in found]
    return any(k != "named" and int(n) not in _WIDTHS[k] for k, n in kinds)
