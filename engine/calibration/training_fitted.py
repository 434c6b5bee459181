"""Fitted coefficients of training stacks; `training_table` writes this file.

Calibrated on 690 runs of 5 sources: mlperf_training, mosaic_llmfoundry, nemo_megatron_bridge, tpu_recipes_v5p_v6e, vtrain_single.
Errors on runs left out of the fit, and the intervals that were learned without them:

one series left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        690    6.7%    6.6%    6.2%   -0.2%     90%    0.12    0.44
mlperf_training             94    9.8%    9.7%    9.9%   -0.6%     87%    0.14    0.55
mosaic_llmfoundry          138    3.5%    3.4%    2.3%   -0.9%     94%    0.10    0.30
nemo_megatron_bridge        76   14.9%   14.3%   12.1%   -1.6%     84%    0.29    0.91
tpu_recipes_v5p_v6e         22    6.5%    6.5%    4.8%   +0.3%     95%    0.18    0.44
vtrain_single              360    5.3%    5.5%    3.7%   +0.5%     90%    0.12    0.37

one source left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        690   10.7%   10.2%    8.6%   -6.4%     96%    0.23    0.59
mlperf_training             94   10.8%   10.7%    8.8%   -0.1%     95%    0.25    0.65
mosaic_llmfoundry          138    8.7%    8.2%    7.8%   -8.7%     97%    0.25    0.54
nemo_megatron_bridge        76   15.3%   14.9%   13.9%   -2.8%     78%    0.24    1.19
tpu_recipes_v5p_v6e         22    8.4%    8.8%    8.3%   +5.6%    100%    0.25    0.60
vtrain_single              360   10.5%    9.9%    9.9%   -8.7%    100%    0.23    0.47

one chip left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        690    9.8%    9.3%    8.3%   -5.3%     95%    0.23    0.53
A100-SXM-40GB               41    3.8%    3.6%    2.2%   -1.6%     88%    0.10    0.41
A100-SXM-80GB              393    9.9%    9.4%    5.5%   -7.8%     99%    0.23    0.46
B200-SXM                    25   12.3%   12.9%    9.1%   +4.9%     92%    0.22    0.61
B300-SXM                     9   32.7%   28.3%   23.3%  -15.6%     33%    0.27    3.04
GB200                       43    9.5%    9.0%   12.2%   -5.4%     86%    0.16    0.48
GB300                       31   11.9%   12.9%    9.3%   +9.5%     87%    0.15    0.55
Gaudi2                       1   23.4%   26.3%   23.4%  +23.4%    100%    0.47    0.94
H100-SXM-80GB               97    8.4%    8.0%    6.6%   -4.4%     96%    0.24    0.55
H200-NVL                     2   11.0%   11.6%   11.0%  +11.0%    100%    0.16    0.31
H200-SXM                     8    8.0%    6.8%    1.5%   -5.1%     88%    0.16    1.13
L40S                         2   24.0%   21.4%   24.0%  -24.0%    100%    0.44    0.87
MI300X                       1   28.1%   24.5%   28.1%  -28.1%      0%    0.15    2.95
MI325X                       1    8.5%    8.1%    8.5%   -8.5%    100%    0.16    0.31
MI350X                       2    1.1%    1.1%    1.1%   +0.1%    100%    0.16    0.31
MI355X                       2   15.0%   16.2%   15.0%  +15.0%    100%    0.16    0.31
TPU-v5p                     11    8.7%    8.8%    9.5%   -1.0%     91%    0.19    0.54
TPU-v6e                     21    7.2%    6.8%    4.9%   -4.6%     95%    0.15    0.46

one vendor left out, its chips named as nobody's
group                     rows    mean    mape  median    bias  inside    half   score
all                         39   12.5%   12.5%   10.7%   +1.9%    100%    0.49    1.03
amd                          6   23.2%   20.1%   21.1%  -23.2%    100%    0.49    0.98
google                      32   10.1%   10.6%    7.4%   +6.0%    100%    0.49    1.04
intel                        1   23.4%   26.3%   23.4%  +23.4%    100%    0.46    0.91
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
    "matrix_base": 0.8796,
    "power_slope": 0.1581,
    "chip_blackwell": 0.8811,
    "chip_tpu": 1.008,
    "chip_amd": 0.6139,
    "chip_other": 0.8618,
    "attention": 0.5489,
    "attention_hopper": 0.6663,
    "attention_blackwell": 1.37,
    "traffic": 1.629,
    "traffic_fsdp": 1.778,
    "gather_overlap": 0.3164,
    "reduce_overlap": 0.7139,
    "nic_share": 0.6235,
    "ep_exposed": 0.2053,
    "tp_exposed": 0.9321,
    "tp_exposed_eager": 0.9514,
    "layer_host_eager": 0.0007925,
    "step_host_core": 0.03454,
    "step_host_eager": 0.00375,
    "slowdown": 1.639,
    "moe_passes": 8.036,
    "expert_host": 0.0002235,
    "latency_eager": 4.973e-05,
    "sharpness": 2.781,
    "loss_bytes_eager": 180.7,
    "unfused_host": 0.4796,
}
#: Standard errors of the logarithms, of those that were fitted.
ERRORS: dict[str, float] = {
    "matrix_base": 0.02063,
    "power_slope": 0.1334,
    "chip_blackwell": 0.03508,
    "chip_tpu": 0.02907,
    "chip_amd": 0.04447,
    "chip_other": 0.1297,
    "attention": 0.02995,
    "attention_hopper": 0.03806,
    "attention_blackwell": 0.1567,
    "traffic": 0.1016,
    "traffic_fsdp": 0.09585,
    "gather_overlap": 0.1926,
    "reduce_overlap": 0.104,
    "nic_share": 0.08,
    "ep_exposed": 0.2377,
    "tp_exposed": 0.08671,
    "tp_exposed_eager": 0.1731,
    "layer_host_eager": 0.02105,
    "step_host_core": 0.1099,
    "step_host_eager": 0.4062,
    "slowdown": 0.09627,
    "moe_passes": 0.4292,
    "expert_host": 0.07916,
    "latency_eager": 0.4202,
    "sharpness": 0.1007,
    "loss_bytes_eager": 0.1026,
    "unfused_host": 0.1608,
}
#: Half-widths of 90% intervals of ln(predicted / measured).
WIDTHS: dict[str, Any] = {
    "known": {"core": 0.1414, "eager": 0.1202, "fsdp": 0.1, "xla": 0.1},
    "new": 0.2347,
    "foreign": 0.4394,
    "experts": 0.3097,
    "assumed": 0.1066,
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
