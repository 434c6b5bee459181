"""A training step by mlsysim, with what it takes as given, timed; JSON.

Runs under the rivals' own environment; see `benchmarks/estimate.py`.
"""

import json
import sys
import time

CALLS = 100


def main() -> None:
    """Print the step and the seconds of one call."""
    case = json.loads(sys.argv[1])
    from mlsysim import Models, Systems
    from mlsysim.engine.solvers.distributed import DistributedModel
    from mlsysim.systems.types import Fleet

    node = Systems.Nodes.DGX_H100
    fleet = Fleet(
        name="case",
        node=node,
        count=case["chips"] // node.accelerators_per_node,
        fabric=Systems.Fabrics.InfiniBand_NDR,
    )
    model = DistributedModel()

    def step() -> float:
        found = model.solve(
            model=Models.Language.GPT3,
            fleet=fleet,
            batch_size=case["batch"],
            precision="fp8",
            tp_size=case["tp"],
            pp_size=case["pp"],
            microbatch_count=case["batch"] // case["dp"] // case["micro"],
            seq_len=case["sequence"],
            overlap_comm=True,
        )
        return float(found.step_latency_total.to("s").magnitude)

    seconds = step()
    start = time.perf_counter()
    for _ in range(CALLS):
        step()
    print(json.dumps({"step": seconds, "call": (time.perf_counter() - start) / CALLS}))


if __name__ == "__main__":
    main()
