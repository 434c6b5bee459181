"""Fitted coefficients of training stacks; `training_table` writes this file.

Calibrated on 670 runs of 5 sources: mlperf_training, mosaic_llmfoundry, nemo_megatron_bridge, tpu_recipes_v5p_v6e, vtrain_single.
Errors on runs left out of the fit, and the intervals that were learned without them:

one series left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        670    6.2%    6.2%    5.2%   -0.1%     90%    0.12    0.41
mlperf_training             74    8.6%    8.3%    8.6%   -0.9%     88%    0.15    0.51
mosaic_llmfoundry          138    3.8%    3.7%    3.0%   -0.8%     94%    0.10    0.31
nemo_megatron_bridge        76   11.7%   11.6%   10.4%   +0.0%     87%    0.35    0.72
tpu_recipes_v5p_v6e         22    5.7%    5.7%    4.8%   -0.5%     91%    0.18    0.45
vtrain_single              360    5.5%    5.6%    4.1%   +0.2%     90%    0.12    0.36

one source left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        670    9.8%    9.3%    7.0%   -6.4%     92%    0.20    0.54
mlperf_training             74    8.8%    8.5%    7.3%   -0.9%     99%    0.23    0.61
mosaic_llmfoundry          138    5.1%    4.9%    3.5%   -3.7%     98%    0.25    0.53
nemo_megatron_bridge        76   11.7%   11.6%    9.4%   -0.1%     97%    0.47    0.78
tpu_recipes_v5p_v6e         22    5.3%    5.1%    6.8%   -2.8%    100%    0.45    0.95
vtrain_single              360   11.6%   10.9%   10.8%  -10.2%     88%    0.20    0.46

one chip left out
group                     rows    mean    mape  median    bias  inside    half   score
all                        670    9.9%    9.4%    7.2%   -6.2%     91%    0.21    0.50
A100-SXM-40GB               41    4.4%    4.2%    3.7%   -1.6%     88%    0.10    0.44
A100-SXM-80GB              393   11.0%   10.3%    5.7%   -9.2%     92%    0.21    0.44
B200-SXM                    18   10.9%   11.9%    8.8%   +7.8%     94%    0.27    0.59
B300-SXM                     7   18.6%   16.1%   16.4%  -12.0%     71%    0.35    1.34
GB200                       42    9.5%    9.2%   11.5%   -5.1%     83%    0.16    0.50
GB300                       31   11.0%   12.0%    7.6%   +9.1%     90%    0.15    0.52
Gaudi2                       1    9.6%   10.0%    9.6%   +9.6%    100%    0.43    0.86
H100-SXM-80GB               97    8.1%    7.5%    6.5%   -5.4%     96%    0.23    0.57
H200-NVL                     2   13.3%   14.2%   13.3%  +13.3%    100%    0.16    0.31
H200-SXM                     8    7.9%    6.6%    1.0%   -4.6%     88%    0.16    1.19
L40S                         2   14.7%   13.6%   14.7%  -14.7%    100%    0.40    0.80
MI300X                       1   28.0%   24.4%   28.0%  -28.0%      0%    0.15    2.88
MI325X                       1    8.5%    8.1%    8.5%   -8.5%    100%    0.16    0.31
MI350X                       2    1.3%    1.3%    1.3%   +0.7%    100%    0.16    0.31
MI355X                       2   15.1%   16.3%   15.1%  +15.1%     50%    0.16    0.33
TPU-v5p                      5    8.0%    8.2%    5.7%   +0.6%     80%    0.37    0.79
TPU-v6e                     17    4.3%    4.1%    5.4%   -3.3%    100%    0.15    0.38

one vendor left out, its chips named as nobody's
group                     rows    mean    mape  median    bias  inside    half   score
all                         29   11.9%   11.6%   10.3%   +0.7%     97%    0.45    0.98
amd                          6   24.2%   20.8%   21.9%  -24.2%     83%    0.40    1.10
google                      22    8.7%    9.2%    8.8%   +7.1%    100%    0.45    0.95
intel                        1    9.6%   10.0%    9.6%   +9.6%    100%    0.41    0.82
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
    "matrix_base": 0.8397,
    "power_slope": 0.1737,
    "variant": 0.5172,
    "chip_blackwell": 0.903,
    "chip_tpu": 1.051,
    "chip_amd": 0.6456,
    "chip_other": 0.9205,
    "attention": 0.5502,
    "attention_hopper": 0.6647,
    "attention_blackwell": 1.18,
    "traffic": 1.491,
    "traffic_fsdp": 1.369,
    "gather_overlap": 0.3634,
    "reduce_overlap": 0.7056,
    "nic_share": 0.6156,
    "ep_exposed": 0.3463,
    "tp_exposed": 0.6789,
    "tp_exposed_eager": 0.9664,
    "layer_host_eager": 0.0007915,
    "step_host_core": 0.03295,
    "step_host_eager": 0.004153,
    "slowdown": 1.214,
    "half_load": 383.1,
    "moe_passes": 8.305,
    "expert_host": 0.0002167,
    "latency_eager": 4.41e-05,
    "sharpness": 2.72,
    "loss_bytes_torch": 159.5,
    "unfused_host": 0.4737,
}
#: Standard errors of the logarithms, of those that were fitted.
ERRORS: dict[str, float] = {
    "matrix_base": 0.02253,
    "power_slope": 0.1307,
    "variant": 0.2432,
    "chip_blackwell": 0.03888,
    "chip_tpu": 0.03225,
    "chip_amd": 0.04934,
    "chip_other": 0.1244,
    "attention": 0.03615,
    "attention_hopper": 0.04594,
    "attention_blackwell": 0.1576,
    "traffic": 0.1266,
    "traffic_fsdp": 0.1155,
    "gather_overlap": 0.1998,
    "reduce_overlap": 0.1214,
    "nic_share": 0.08989,
    "ep_exposed": 0.256,
    "tp_exposed": 0.09598,
    "tp_exposed_eager": 0.1754,
    "layer_host_eager": 0.02444,
    "step_host_core": 0.1348,
    "step_host_eager": 0.4176,
    "slowdown": 0.1104,
    "half_load": 0.5072,
    "moe_passes": 0.4128,
    "expert_host": 0.08304,
    "latency_eager": 0.4731,
    "sharpness": 0.1116,
    "loss_bytes_torch": 0.1295,
    "unfused_host": 0.1917,
}
#: Half-widths of 90% intervals of ln(predicted / measured).
WIDTHS: dict[str, Any] = {
    "known": {"core": 0.1518, "eager": 0.1237, "fsdp": 0.1, "xla": 0.1022},
    "new": 0.2259,
    "foreign": 0.4,
    "experts": 0.3165,
    "assumed": 0.09082,
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
