"""A training step by llm-analysis, with what it takes as given, timed; JSON.

Runs under the rivals' own environment; see `benchmarks/estimate.py`.
"""

import contextlib
import io
import json
import sys
import time

CALLS = 100


def main() -> None:
    """Print the step and the seconds of one call."""
    case = json.loads(sys.argv[1])
    from llm_analysis.analysis import train

    def step() -> float:
        found = train(
            model_name="megatron-lm-175b",
            gpu_name="h100-sxm-80gb",
            dtype_name="w8a8e16",
            log_level="CRITICAL",
            global_batch_size=case["batch"],
            batch_size_per_gpu=case["micro"],
            seq_len=case["sequence"],
            total_num_tokens=300e9,
            activation_recomputation=2,
            dp_size=case["dp"],
            tp_size=case["tp"],
            pp_size=case["pp"],
            sp_size=case["tp"],
            total_num_gpus=case["chips"],
        )
        return float(found["latency_per_iter"])

    with contextlib.redirect_stdout(io.StringIO()):
        seconds = step()
        start = time.perf_counter()
        for _ in range(CALLS):
            step()
        spent = (time.perf_counter() - start) / CALLS
    print(json.dumps({"step": seconds, "call": spent}))


if __name__ == "__main__":
    main()
