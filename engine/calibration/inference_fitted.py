"""Coefficients of inference stacks as fitted: written by `fitted_source`.

Value in base units and standard deviation of its logarithm; what each means
and its prior stand in `inference_stacks`. One whose spread equals that of
its prior was not moved by any measurement.
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
    "memory_share@gpu": (0.9058, 0.075),
    "cache_memory_share@gpu": (0.9513, 0.059),
    "base@gpu": (0.7623, 0.055),
    "slope@gpu": (0.2156, 0.17),
    "attention_share@gpu": (0.6188, 0.17),
    "traffic@gpu": (1.041, 0.23),
    "half_width@gpu": (3036, 0.11),
    "tile@gpu": (68.64, 0.18),
    "imbalance@gpu": (1.391, 0.063),
    "permute_traffic@gpu": (1.586, 0.43),
    "exchange_share@gpu": (0.5016, 0.26),
    "rate_share@gpu": (0.8092, 0.098),
    "cache_share@gpu": (0.9163, 0.013),
    "reserve@gpu": (3.327e09, 0.052),
    "step_overhead@gpu": (0.000206, 0.49),
    "prompt_gaps@gpu": (1.007, 0.049),
    "acceptance@gpu": (0.5859, 0.11),
    "layer_overhead@trtllm_2023": (0.0001214, 0.17),
    "sequence_overhead@trtllm_2023": (3.569e-06, 0.57),
    "reread@trtllm_2023": (0.5899, 0.2),
    "layer_overhead@trtllm_2025": (7.352e-05, 0.17),
    "sequence_overhead@trtllm_2025": (4.413e-06, 0.36),
    "layer_overhead@gpu_other": (7.823e-05, 0.5),
    "sequence_overhead@gpu_other": (8.591e-06, 0.7),
    "step_overhead@gpu_other": (0.001553, 0.7),
    "step_overhead@rocm": (0.002, 0.7),
    "layer_overhead@rocm": (0.00011, 0.5),
    "sequence_overhead@rocm": (8e-06, 0.7),
    "base@amd": (0.6, 0.25),
    "memory_share@amd": (0.8, 0.15),
    "cache_memory_share@amd": (0.7, 0.2),
    "attention_share@amd": (0.35, 0.4),
    "layer_overhead@tpu": (1.5e-05, 0.7),
    "sequence_overhead@tpu": (4e-06, 0.7),
    "base@google": (0.9, 0.15),
    "memory_share@google": (0.85, 0.12),
    "cache_memory_share@google": (0.65, 0.25),
    "attention_share@google": (0.4, 0.4),
    "layer_overhead@gaudi": (8e-05, 0.6),
    "step_overhead@gaudi": (0.0015, 0.7),
    "sequence_overhead@gaudi": (8e-06, 0.7),
    "memory_share@neuron": (0.774, 0.067),
    "cache_memory_share@neuron": (0.6118, 0.089),
    "base@neuron": (0.7606, 0.23),
    "rate_share@neuron": (0.2941, 0.16),
    "prompt_gaps@neuron": (2.452, 0.15),
    "attention_share@neuron_2_18_0": (0.009267, 0.13),
    "attention_share@neuron_2_18_1": (0.3337, 0.59),
    "layer_overhead@neuron_tnx": (0.0001401, 0.077),
    "layer_overhead@neuron_nxd": (0.0001117, 0.25),
    "sequence_overhead@neuron": (3.985e-06, 0.6),
}
#: Standard deviation of ln(predicted / measured), rows left out, by regime.
RESIDUAL: dict[str, float] = {
    "dense": 0.0621,
    "experts": 0.108,
    "ttft": 0.125,
    "ttft_neuron": 0.373,
}
#: Least and most sequences of a chip that each stack's rows had.
SEQUENCES: dict[str, tuple[float, float]] = {
    "trtllm_2023": (0.125, 1024),
    "trtllm_2025": (0.125, 4096),
    "neuron_tnx": (0.0625, 0.6667),
    "neuron_nxd": (0.0625, 0.0625),
    "gpu_other": (4, 481),
}
