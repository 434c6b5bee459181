"""Fitted coefficients of training stacks; `training_table` writes this file.

Calibrated on 690 runs of 5 sources: mlperf_training, mosaic_llmfoundry, nemo_megatron_bridge, tpu_recipes_v5p_v6e, vtrain_single.
Errors on runs left out of the fit, and the intervals that were learned without them:

one series left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        690    6.6%    6.5%    5.8%   -0.2%     90%    0.12    0.44
mlperf_training             94    9.1%    9.0%    8.7%   -0.6%     90%    0.14    0.54
mosaic_llmfoundry          138    3.4%    3.3%    2.1%   -0.9%     94%    0.10    0.30
nemo_megatron_bridge        76   14.8%   14.2%   11.9%   -1.6%     83%    0.29    0.91
tpu_recipes_v5p_v6e         22    6.6%    6.5%    4.6%   +0.2%     95%    0.18    0.43
vtrain_single              360    5.4%    5.5%    3.7%   +0.5%     89%    0.12    0.37

one source left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        690   10.5%   10.1%    9.0%   -6.2%     96%    0.23    0.58
mlperf_training             94   10.4%   10.4%    8.8%   +0.3%     97%    0.25    0.61
mosaic_llmfoundry          138    8.5%    8.0%    7.2%   -8.5%     97%    0.25    0.53
nemo_megatron_bridge        76   15.2%   14.8%   12.3%   -2.3%     78%    0.24    1.17
tpu_recipes_v5p_v6e         22    9.1%    9.5%    9.4%   +6.4%    100%    0.25    0.58
vtrain_single              360   10.4%    9.9%    9.7%   -8.6%    100%    0.23    0.46

one chip left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        690    9.5%    9.1%    7.8%   -5.2%     95%    0.23    0.52
A100-SXM-40GB               41    3.7%    3.5%    1.8%   -2.0%     88%    0.10    0.41
A100-SXM-80GB              393    9.8%    9.3%    5.8%   -7.6%     99%    0.23    0.45
B200-SXM                    25   12.4%   13.1%    8.9%   +5.1%     92%    0.23    0.61
B300-SXM                     9   32.5%   28.3%   23.4%  -15.4%     33%    0.27    3.06
GB200                       43    9.4%    8.9%   12.1%   -5.6%     86%    0.16    0.47
GB300                       31   12.1%   13.1%   10.1%   +9.7%     87%    0.15    0.55
Gaudi2                       1    5.5%    5.6%    5.5%   +5.5%    100%    0.39    0.78
H100-SXM-80GB               97    7.8%    7.4%    6.4%   -4.5%     96%    0.23    0.54
H200-NVL                     2   12.7%   13.5%   12.7%  +12.7%    100%    0.16    0.33
H200-SXM                     8    7.4%    6.1%    0.6%   -5.4%     88%    0.16    1.19
L40S                         2    4.5%    4.4%    4.5%   -4.5%    100%    0.41    0.82
MI300X                       1   28.1%   24.5%   28.1%  -28.1%      0%    0.15    2.85
MI325X                       1    8.9%    8.5%    8.9%   -8.9%    100%    0.16    0.33
MI350X                       2    1.2%    1.2%    1.2%   +0.6%    100%    0.16    0.33
MI355X                       2   15.0%   16.2%   15.0%  +15.0%    100%    0.16    0.33
TPU-v5p                     11    9.0%    8.9%   10.5%   -1.8%     91%    0.19    0.52
TPU-v6e                     21    7.3%    6.9%    4.6%   -3.9%     95%    0.15    0.45

one vendor left out, its chips named as nobody's
group                     rows    mean    mape  median    bias  inside    half   score
all                         39   11.1%   10.6%   10.6%   -2.6%     95%    0.48    1.11
amd                          6   25.8%   22.1%   23.4%  -25.8%     67%    0.24    1.64
google                      32    8.5%    8.6%    8.5%   +1.5%    100%    0.48    1.02
intel                        1    5.5%    5.6%    5.5%   +5.5%    100%    0.38    0.76
"""
# ruff: noqa: E501

from typing import Any

VALUES: dict[str, float] = {
    "chip_aws": 0.55,
    "fp4_share": 0.87,
    "attention_ampere": 1.2,
    "matrix_traffic": 0.4,
    "layer_host_fsdp": 0.0002,
    "layer_host_core": 0.0002,
    "layer_host_xla": 2e-05,
    "moe_decay": 0.85,
    "spill": 0.4,
    "latency": 1.5e-05,
    "straggle": 0.006,
    "matrix_base": 0.8651,
    "power_slope": 0.1773,
    "chip_blackwell": 0.8952,
    "chip_tpu": 1.026,
    "chip_amd": 0.6355,
    "chip_other": 0.9328,
    "attention": 0.5492,
    "attention_hopper": 0.6633,
    "attention_blackwell": 1.431,
    "traffic": 1.556,
    "traffic_fsdp": 1.787,
    "gather_overlap": 0.3362,
    "reduce_overlap": 0.7053,
    "nic_share": 0.6235,
    "ep_exposed": 0.2052,
    "tp_exposed": 0.7092,
    "tp_exposed_eager": 0.9542,
    "layer_host_eager": 0.0007924,
    "step_host_core": 0.03445,
    "step_host_eager": 0.003744,
    "slowdown": 1.646,
    "moe_passes": 8.077,
    "expert_host": 0.0002233,
    "latency_eager": 5.044e-05,
    "sharpness": 2.781,
    "loss_bytes_eager": 180.4,
    "unfused_host": 0.4795,
}
#: Standard errors of the logarithms, of those that were fitted.
ERRORS: dict[str, float] = {
    "matrix_base": 0.01983,
    "power_slope": 0.1138,
    "chip_blackwell": 0.03388,
    "chip_tpu": 0.02817,
    "chip_amd": 0.04293,
    "chip_other": 0.1247,
    "attention": 0.02998,
    "attention_hopper": 0.03814,
    "attention_blackwell": 0.1601,
    "traffic": 0.1045,
    "traffic_fsdp": 0.09904,
    "gather_overlap": 0.182,
    "reduce_overlap": 0.1061,
    "nic_share": 0.08115,
    "ep_exposed": 0.238,
    "tp_exposed": 0.07888,
    "tp_exposed_eager": 0.1731,
    "layer_host_eager": 0.02107,
    "step_host_core": 0.1117,
    "step_host_eager": 0.4064,
    "slowdown": 0.09519,
    "moe_passes": 0.4292,
    "expert_host": 0.07915,
    "latency_eager": 0.4168,
    "sharpness": 0.1008,
    "loss_bytes_eager": 0.1027,
    "unfused_host": 0.1609,
}
#: Half-widths of 90% intervals of ln(predicted / measured).
WIDTHS: dict[str, Any] = {
    "known": {"core": 0.1447, "eager": 0.1205, "fsdp": 0.1, "xla": 0.1},
    "new": 0.2288,
    "foreign": 0.3522,
    "experts": 0.2967,
    "assumed": 0.1343,
}
#: Stacks, generations and scale (several servers) that were calibrated.
PAIRS: tuple[tuple[str, str, bool], ...] = (
    ("core", "amd", False),
    ("core", "blackwell", False),
    ("core", "blackwell", True),
    ("core", "hopper", False),
    ("core", "hopper", True),
    ("core", "other", True),
    ("eager", "ampere", False),
    ("fsdp", "ampere", False),
    ("fsdp", "ampere", True),
    ("fsdp", "hopper", False),
    ("fsdp", "hopper", True),
    ("xla", "tpu", True),
)
SOURCES: tuple[str, ...] = (
    "mlperf_training",
    "mosaic_llmfoundry",
    "nemo_megatron_bridge",
    "tpu_recipes_v5p_v6e",
    "vtrain_single",
)
