"""Charts of performance: roofline, topologies, frontier."""

import math
import random

from isocost.reports.charts.agreement import Agreement, Pair
from isocost.reports.charts.frontier import Frontier, Limit, Option, Spot
from isocost.reports.charts.roofline import Ceiling, Roof, Roofline, Workload
from isocost.reports.charts.topology import Ring, Switched, Torus

ROOFLINE = Roofline(
    (
        Roof("Trainium2", 2.9e12, (Ceiling("FP8", 1299e12), Ceiling("BF16", 667e12))),
        Roof("H100", 3.35e12, (Ceiling("FP8", 1979e12), Ceiling("BF16", 989e12))),
        Roof("GB200", 8e12, (Ceiling("FP8", 5000e12), Ceiling("BF16", 2500e12))),
    ),
    (
        Workload("405B decode, batch 1", 1.9, "Trainium2"),
        Workload("70B decode, batch 64", 96, "Trainium2", 1.6e14),
        Workload("MoE decode, batch 256", 41, "GB200", 2.2e14),
        Workload("405B prefill, 8k", 1900, "Trainium2", 4.5e14),
        Workload("405B prefill, 8k", 1900, "GB200", 1.9e15),
        Workload("70B decode, batch 64", 96, "H100", 2.3e14),
    ),
)

TORUS_4X4 = Torus((Ring("x", 4, "128 GB/s"), Ring("y", 4, "128 GB/s")))
TORUS_4X4X4 = Torus(
    (Ring("x", 4, "128 GB/s"), Ring("y", 4, "128 GB/s"), Ring("z", 4, "64 GB/s"))
)
NVL72 = Switched(72, 18, "GPUs", "NVLink switches", "900 GB/s each GPU")


def _option(name: str, scale: float, floor: float, seed: int) -> Option:
    """Configurations of one platform: batch and parallelism spread them out."""
    draw = random.Random(seed)
    spots = []
    for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        for tp in (8, 16, 32):
            latency = (
                floor
                * (1 + batch / 44)
                * (0.8 + 8 / tp * 0.5)
                * draw.uniform(0.98, 1.2)
            )
            rate = scale * batch / latency / tp * 8 * (0.7 + 0.3 / math.log2(tp))
            label = (
                f"TP{tp}, batch {batch}" if (batch, tp) in {(256, 8), (16, 8)} else ""
            )
            spots.append(Spot(latency, rate, label))
    return Option(name, tuple(spots))


AGREEMENT = Agreement(
    tuple(
        Pair(10.0 * 1.4**i, 10.0 * 1.4**i * (1 + 0.1 * ((i * 7) % 5 - 2)), i % 6 != 0)
        for i in range(18)
    ),
    "ms",
)
FRONTIER = Frontier(
    (
        _option("Trn2-Ultra", 210, 14, 1),
        _option("H100", 260, 11, 2),
        _option("GB200", 560, 8, 3),
    ),
    "Time per output token, ms",
    "Output tokens per second and chip",
    limits=(Limit(50, "SLO 50 ms"),),
)
