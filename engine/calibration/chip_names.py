"""What people call chips: spellings, form factors, slices and instances of clouds."""

import re

_NORM = re.compile(r"[^a-z0-9]")
#: A count before or after a name: `8xH100`, `H100 x8`, `4 x L40S`.
_COUNT = re.compile(r"^\s*\d+\s*[x×*]\s*|\s+[x×]\s*\d+\s*$", re.IGNORECASE)
#: Remarks in brackets, words that leave the chip open, and a TPU slice's size.
_REMARK = re.compile(r"\([^)]*\)")
_OPEN = re.compile(r"not stated|unknown|unspecified|undisclosed", re.IGNORECASE)
_SLICE = re.compile(r"\b(v\d+(?:e|p|x|i|litepod)?)-\d+\b", re.IGNORECASE)
#: A size of memory: `80GB`, `192 GiB`. Taken off where no chip has it in its name.
_MEMORY = re.compile(r"\b\d+\s*gi?b\b", re.IGNORECASE)
#: Words of a name that say nothing about the chip, and spellings that mean one.
_NOISE = (
    *("nvidia", "amd", "instinct", "google", "cloud", "intel", "aws", "tensorcore"),
    *("tesla", "geforce", "habana", "amazon", "accelerator", "edition", "server"),
    *("hbm3e", "hbm3", "hbm2e", "gpu", "nvl72", "superchip", "dgx", "hgx", "oam"),
    *("sxm4", "sxm5", "sxm6", "sxm", "blackwell", "hopper", "ampere"),
)
ALIAS = {
    "h100": "H100-SXM-80GB",
    "h200": "H200-SXM",
    "a100": "A100-SXM-80GB",
    "a10040gb": "A100-SXM-40GB",
    "a100pcie": "A100-PCIe-80GB",
    "a100pcie40gb": "A100-PCIe-40GB",
    "a10040gbpcie": "A100-PCIe-40GB",
    "h20141gb": "H20-141GB",
    "h203e": "H20-141GB",
    "a800": "A800",
    "b200": "B200-SXM",
    "b300": "B300-SXM",
    "v100": "V100-SXM-32GB",
    "v100sxm232gb": "V100-SXM-32GB",
    "gh20096gb": "GH200",
    "gh200480gb": "GH200",
    "trn132xlarge": "Trainium1",
    "trn1n32xlarge": "Trainium1",
    "trn248xlarge": "Trainium2",
    "trn2u48xlarge": "Trainium2",
    "h100pcie": "H100-PCIe",
    "rtxpro6000": "RTX-PRO-6000-SE",
    "rtxpro6000se": "RTX-PRO-6000-SE",
    "4090": "RTX-4090",
    "5090": "RTX-5090",
    "a6000": "RTX-A6000",
    "tpuv5lite": "TPU-v5e",
    "tpuv5litepod": "TPU-v5e",
    "v5litepod": "TPU-v5e",
    "v4": "TPU-v4",
    "v5e": "TPU-v5e",
    "v5p": "TPU-v5p",
    "v6e": "TPU-v6e",
    "tpuv7": "TPU-v7x",
    "tpu7x": "TPU-v7x",
    "v7x": "TPU-v7x",
    "ironwood": "TPU-v7x",
    "trillium": "TPU-v6e",
    "trn1": "Trainium1",
    "trn1n": "Trainium1",
    "trainium": "Trainium1",
    "trn2": "Trainium2",
    "trn2ultra": "Trainium2",
    "trainium2ultra": "Trainium2",
    "trn2u": "Trainium2",
    "trn3": "Trainium3",
    "inf2": "Inferentia2",
}


def key(name: str) -> str:
    """A name's letters and digits, which tell chips apart."""
    return _NORM.sub("", name.lower())


def _bare(name: str) -> str:
    short = key(name)
    for word in _NOISE:
        short = short.replace(word, "")
    return short


def spellings(name: str) -> tuple[str, ...]:
    """Keys that a name may mean, the closest to what is written first."""
    if _OPEN.search(name):
        return (key(name),)
    bare = _SLICE.sub(r"\1", _COUNT.sub("", _REMARK.sub("", name)))
    instance = bare.split(".")[0] if re.search(r"\.\d*x?(large|metal)", bare) else bare
    sized = key(instance), _bare(instance)
    less = _MEMORY.sub("", instance)
    found = (key(name), *sized, key(less), _bare(less))
    return tuple(key(ALIAS[each]) if each in ALIAS else each for each in found)
