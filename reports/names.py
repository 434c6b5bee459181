"""Short names of inputs for readers, where a path or its doc line is none.

By the path as a scenario sees it, without what stands in brackets. Every other input
goes by its doc line, if that is short.
"""

import re
from collections.abc import Sequence

#: Doc lines longer than this are no names.
LONGEST = 46
NAMES = {
    "software.residual": "actual over modelled step time",
    "software.residual.unseen": "model error off calibrated sizes",
    "software.residual.experts": "model error on mixtures of experts",
    "software.residual.foreign": "model error on an unseen vendor",
    "software.residual.ttft": "actual over modelled time to first token",
    "software.cache.reread": "KV cache re-read by query heads",
    "software.layer_overhead": "launch overhead of a layer",
    "software.matrix.base": "matrix efficiency at large sizes",
    "software.memory.sustained": "memory bandwidth reached, weights",
    "software.memory.cache_sustained": "memory bandwidth reached, KV cache",
    "software.elementwise.traffic": "memory traffic of elementwise kernels",
    "software.collective.efficiency": "link bandwidth reached by collectives",
    "finance.sold": "share of chip-hours sold",
    "finance.availability": "availability of chips",
    "chip.price": "chip price to the system's builder",
    "chip.memory.bandwidth": "peak memory bandwidth",
    "fabric.price": "network price by chip",
    "site.colocation": "colocation rent",
    "site.power.load": "power load at the site",
    "silicon.package.price": "price of the package",
    "system.price": "price of a system",
    "system.power": "power at the rack",
    "workload.prompt": "prompt length",
    "workload.output": "answer length",
    "workload.load": "load within the SLO",
    "workload.tokens": "tokens of the run",
    "workload.sequence": "length of a training sequence",
    "ettr": "productive share of wall time",
    "chip.power": "power of a chip",
    "software.attention.efficiency": "efficiency of attention",
    "software.matrix.slope": "how matrix efficiency grows with size",
    "software.training.exposed.tp": "tensor-parallel traffic left exposed",
    "software.training.exposed.ep": "expert-parallel traffic left exposed",
    "software.training.generation": "training efficiency of the chip's generation",
    "software.training.overlap.reduce": "gradient traffic hidden behind arithmetic",
    "software.training.reference": "arithmetic by energy of the reference chip",
    "software.training.traffic": "memory traffic of a training step",
}


#: Short names of metrics that a report may ask for, by path without keys; a brace
#: takes the keys.
METRICS = {
    "network.cost_per_chip": "network cost of a chip",
    "fabric.power": "network power of a chip",
    "network.count": "{plural} in the network",
    "collective": "{}",
    "bisection": "bisection bandwidth",
    "power.provisioned": "power provisioned",
    "cost.per_chip_hour": "cost of a chip-hour, {}",
}


def metric_name(path: str, doc: str) -> str:
    """A metric's name for readers, short enough for the head of a column.

    Args:
        path: as the report asks for it, `network.count[switch]`.
        doc: its doc line, whose first words are taken if they are short.
    """
    base, _, keys = path.partition("[")
    words = "" if keys == "total]" else keys.rstrip("]").replace("_", "-")
    if base in METRICS:
        plural = f"{words}{'es' if words.endswith('ch') else 's'}"
        return METRICS[base].format(words, plural=plural)
    said = re.split(r"[;:.,(]", doc)[0].strip()
    if not 0 < len(said) <= LONGEST:
        said = base.replace("_", " ").replace(".", " ")
    said = f"{said[0].lower()}{said[1:]}" if said[1:2].islower() else said
    return f"{said}, {words}" if words else said


def name_of(path: str, doc: str, origin: str = "") -> str:
    """An input's name for readers.

    Args:
        path: as its scenario sees it, `system.item[host].price`.
        doc: its doc line, whose first clause is taken if it is short.
        origin: the statement behind it, `transceiver_400g.price`.
    """
    known = NAMES.get(re.sub(r"\[[^]]*\]", "", path))
    if known:
        return known
    item = re.fullmatch(r"system\.item\[([^]]*)\]\.price", path)
    if item:
        return f"price of a {item[1].replace('_', ' ')}"
    item = re.fullmatch(r"(\w+)\.price", origin or path)
    if item:
        return f"price of a {item[1].replace('_', ' ')}"
    said = re.split(r"[;.:,(]", doc)[0].strip()
    if 0 < len(said) <= LONGEST and _tells(said, path):
        return f"{said[0].lower()}{said[1:]}" if said[1:2].islower() else said
    return path.replace("_", " ").replace(".", " ")


def _tells(said: str, path: str) -> bool:
    """Whether words name a quantity: one alone does if it is what the path ends in.

    A doc line such as `Site: what it draws` opens with the block, which names nothing.
    """
    last = re.sub(r"\[[^]]*\]", "", path).rpartition(".")[2]
    return " " in said or said.casefold() == last.replace("_", " ").casefold()


def told_apart(paths: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names of inputs, those that several share with the key of their path, or it all.

    Args:
        paths: as in `name_of`.
        names: what that gave for them.
    """
    out = []
    for path, name in zip(paths, names, strict=True):
        alike = [p for p, other in zip(paths, names, strict=True) if other == name]
        keys = {p: ", ".join(re.findall(r"\[([^]]*)\]", p)) for p in alike}
        apart = keys if len(set(keys.values())) == len(set(alike)) else {path: path}
        more = apart[path].replace("_", " ").replace(".", " ")
        out.append(f"{name} ({more})" if len(set(alike)) > 1 else name)
    return out


def opened(text: str) -> str:
    """A text as a sentence or a caption opens with it."""
    return f"{text[:1].upper()}{text[1:]}"


def quoted(name: str) -> str:
    """A name as a sentence can carry it: one with signs of its own in quotes."""
    return f"“{name}”" if re.search(r"[,;:·]", name) else name


def listed(names: Sequence[str], comma: str = ", ") -> str:
    """Names as a sentence has them: `a, b and c`."""
    return comma.join(names[:-1]) + (" and " if names[:-1] else "") + names[-1]
