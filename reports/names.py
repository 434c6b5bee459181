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
    "system.price": "price of a system",
    "system.power": "power at the rack",
    "workload.prompt": "prompt length",
    "workload.output": "answer length",
    "workload.load": "load within the SLO",
}


def name_of(path: str, doc: str) -> str:
    """An input's name for readers.

    Args:
        path: as its scenario sees it, `system.item[host].price`.
        doc: its doc line, whose first clause is taken if it is short.
    """
    known = NAMES.get(re.sub(r"\[[^]]*\]", "", path))
    if known:
        return known
    item = re.fullmatch(r"system\.item\[([^]]*)\]\.price", path)
    if item:
        return f"price of a {item[1].replace('_', ' ')}"
    said = re.split(r"[;.:,(]", doc)[0].strip()
    if 0 < len(said) <= LONGEST:
        return f"{said[0].lower()}{said[1:]}" if said[1:2].islower() else said
    return path.replace("_", " ").replace(".", " ")


def listed(names: Sequence[str], comma: str = ", ") -> str:
    """Names as a sentence has them: `a, b and c`."""
    return comma.join(names[:-1]) + (" and " if names[:-1] else "") + names[-1]
