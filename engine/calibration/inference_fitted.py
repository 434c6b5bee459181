"""Coefficients of inference stacks as fitted: written by `fitted_source`.

Value in base units and standard deviation of its logarithm; what each means
and its prior stand in `inference_stacks`. One whose spread equals that of its
prior was not moved by any measurement.
"""

ROWS = 502
SOURCES = (
    "aws_neuron_inf",
    "mlperf_inference_51",
    "nvidia_nim",
    "sglang_largescale_ep",
    "trtllm_2023",
    "trtllm_perf_overview",
    "trtllm_r1_guide",
)
COEFFICIENTS: dict[str, tuple[float, float]] = {
    "memory_share@gpu": (0.887, 0.076),
    "cache_memory_share@gpu": (0.9072, 0.057),
    "base@gpu": (0.7681, 0.056),
    "slope@gpu": (0.2066, 0.18),
    "attention_share@gpu": (0.5922, 0.16),
    "traffic@gpu": (1.048, 0.23),
    "half_width@gpu": (3186, 0.21),
    "tile@gpu": (63.25, 0.19),
    "imbalance@gpu": (1.179, 0.07),
    "permute_traffic@gpu": (1.49, 0.44),
    "exchange_share@gpu": (0.5285, 0.26),
    "rate_share@gpu": (0.8086, 0.098),
    "cache_share@gpu": (0.9157, 0.011),
    "reserve@gpu": (3.327e09, 0.054),
    "prompt_gaps@gpu": (1.01, 0.049),
    "acceptance@gpu": (0.621, 0.1),
    "layer_overhead@trtllm_2023": (0.0001202, 0.17),
    "sequence_overhead@trtllm_2023": (3.488e-06, 0.57),
    "reread@trtllm_2023": (0.5701, 0.19),
    "layer_overhead@trtllm_2025": (7.606e-05, 0.17),
    "sequence_overhead@trtllm_2025": (5.019e-06, 0.33),
    "layer_overhead@gpu_other": (7.815e-05, 0.5),
    "sequence_overhead@gpu_other": (8.609e-06, 0.7),
    "layer_overhead@rocm": (0.00011, 0.5),
    "sequence_overhead@rocm": (8e-06, 0.7),
    "base@amd": (0.6, 0.25),
    "memory_share@amd": (0.8, 0.15),
    "cache_memory_share@amd": (0.7, 0.2),
    "attention_share@amd": (0.35, 0.4),
    "layer_overhead@tpu": (1.5e-05, 0.7),
    "sequence_overhead@tpu": (4e-06, 0.7),
    "base@google": (0.75, 0.2),
    "memory_share@google": (0.8, 0.15),
    "cache_memory_share@google": (0.65, 0.25),
    "attention_share@google": (0.4, 0.4),
    "layer_overhead@gaudi": (8e-05, 0.6),
    "sequence_overhead@gaudi": (8e-06, 0.7),
    "memory_share@neuron": (0.7836, 0.067),
    "cache_memory_share@neuron": (0.6095, 0.089),
    "base@neuron": (0.7602, 0.22),
    "rate_share@neuron": (0.3065, 0.16),
    "prompt_gaps@neuron": (2.404, 0.14),
    "attention_share@neuron_2_18_0": (0.009171, 0.13),
    "attention_share@neuron_2_18_1": (0.3332, 0.59),
    "layer_overhead@neuron_tnx": (0.000146, 0.071),
    "layer_overhead@neuron_nxd": (0.0001135, 0.24),
    "sequence_overhead@neuron": (3.987e-06, 0.6),
}
#: Standard deviation of ln(predicted / measured), rows left out, by regime.
RESIDUAL: dict[str, float] = {
    "dense": 0.0617,
    "experts": 0.154,
    "ttft": 0.106,
    "ttft_neuron": 0.311,
}
