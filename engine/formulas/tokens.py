"""What a token costs, and who pays: by output, by all tokens, by input and output.

Cost is for the whole cluster in its time; tokens are those delivered, after the
three fractions (up, sold, loaded), each used once. The rule that shares cost
between input and output tokens is a formula of its own and is named in print.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula
from isocost.engine.formulas.money_symbols import take

_RATIO = "as model vendors price: an output token at a fixed multiple of an input one"
_TIME = "by the machine's time in prefill and in decode"


@formula(
    "token/s",
    take("peak_throughput availability sold load"),
    source="capacity times the shares up, sold and loaded",
    valid=(
        "0 <= availability <= 1; 0 <= sold <= 1; 0 <= load <= 1; each "
        "fraction counted here and nowhere else"
    ),
    latex="X",
)
def delivered_throughput(
    peak_throughput: Expr, availability: Expr, sold: Expr, load: Expr
) -> Expr:
    """Tokens delivered: what the cluster can do within its SLO, times a u l."""
    return peak_throughput * availability * sold * load


@formula(
    "$/Mtoken",
    take("cost throughput"),
    source="InferenceX: $/h over tokens/h; SemiAnalysis",
    valid="throughput > 0; all cost and all tokens of the same time",
    latex="c_t",
)
def cost_per_token(cost: Expr, throughput: Expr) -> Expr:
    """All cost over the tokens of one kind: c / X.

    Over output tokens it is the bare $/Mtok of most publications; over input and
    output tokens together it is the cost of a processed token.
    """
    return cost / throughput


@formula(
    "$/Mtoken",
    take("chip_hour chip_throughput"),
    source="InferenceX-app constants: rate / (tokens/s x 3600) x 1e6",
    valid=(
        "chip_throughput > 0; both for the same chips; fractions already in one of them"
    ),
    latex="c_t",
)
def cost_per_token_of_chip(chip_hour: Expr, chip_throughput: Expr) -> Expr:
    """Cost of a chip-hour over the tokens of a chip-hour: h / x."""
    return chip_hour / chip_throughput


@formula(
    "$/Mtoken",
    take("cost input_tokens output_tokens output_weight"),
    source=_RATIO,
    valid=(
        "input_tokens + output_weight * output_tokens > 0; one ratio for all requests"
    ),
    latex=r"c_{\mathrm{in}}",
)
def input_cost_by_ratio(
    cost: Expr, input_tokens: Expr, output_tokens: Expr, output_weight: Expr
) -> Expr:
    """Cost of an input token if an output token bears r times as much.

    c_in = c / (X_in + r X_out).
    """
    return cost / (input_tokens + output_weight * output_tokens)


@formula(
    "$/Mtoken",
    take("cost input_tokens output_tokens output_weight"),
    source=_RATIO,
    valid=(
        "input_tokens + output_weight * output_tokens > 0; one ratio for all requests"
    ),
    latex=r"c_{\mathrm{out}}",
)
def output_cost_by_ratio(
    cost: Expr, input_tokens: Expr, output_tokens: Expr, output_weight: Expr
) -> Expr:
    """Cost of an output token that bears r times an input token's: r c_in."""
    share = input_tokens + output_weight * output_tokens
    return output_weight * cost / share


@formula(
    "$/Mtoken",
    take("cost input_tokens prefill_share"),
    source=_TIME,
    valid="input_tokens > 0; 0 <= prefill_share <= 1; time is what costs",
    latex=r"c_{\mathrm{in}}",
)
def input_cost_by_time(cost: Expr, input_tokens: Expr, prefill_share: Expr) -> Expr:
    """Cost of an input token that bears the time of prefill: c phi / X_in."""
    return cost * prefill_share / input_tokens


@formula(
    "$/Mtoken",
    take("cost output_tokens prefill_share"),
    source=_TIME,
    valid="output_tokens > 0; 0 <= prefill_share <= 1; time is what costs",
    latex=r"c_{\mathrm{out}}",
)
def output_cost_by_time(cost: Expr, output_tokens: Expr, prefill_share: Expr) -> Expr:
    """Cost of an output token that bears the time of decode: c (1 - phi) / X_out."""
    return cost * (1 - prefill_share) / output_tokens


@formula(
    "chip-h",
    take("chips time"),
    source="count times time",
    valid="time >= 0; every chip held for the whole run",
    latex="H",
)
def chip_hours_of_run(chips: Expr, time: Expr) -> Expr:
    """Chip-hours of a run: N T."""
    return chips * time


@formula(
    "$",
    take("chip_hours chip_hour"),
    source="DeepSeek-V3 report, table 1: GPU-hours times rent",
    valid=("chip_hours >= 0; `chip_hour` by chips of the run, not by chips installed"),
    latex=r"C_{\mathrm{train}}",
)
def cost_of_chip_hours(chip_hours: Expr, chip_hour: Expr) -> Expr:
    """Cost of a run by its chip-hours: H h."""
    return chip_hours * chip_hour


@formula(
    "$",
    take("cost ideal_time availability ettr"),
    source="cost of the cluster over the time it is held",
    valid="0 < availability <= 1; 0 < ettr <= 1; the whole cluster trains",
    latex=r"C_{\mathrm{train}}",
)
def cost_to_train(cost: Expr, ideal_time: Expr, availability: Expr, ettr: Expr) -> Expr:
    """Cost of a training run on a cluster of one's own.

    The run holds the cluster for T_0 / ettr; of what is paid for, the share a is up.
    """
    return cost * ideal_time / (availability * ettr)


@formula(
    "$/Mtoken",
    take("chip_hour chip_throughput availability ettr"),
    source="SemiAnalysis, H100 vs GB200 NVL72 Training Benchmarks",
    valid=(
        "chip_throughput > 0; 0 < availability <= 1; 0 < ettr <= 1; "
        "`chip_hour` by installed chips, throughput without failures"
    ),
    latex="c_t",
)
def cost_per_trained_token(
    chip_hour: Expr, chip_throughput: Expr, availability: Expr, ettr: Expr
) -> Expr:
    """Cost of a token of training: h / (x a ettr)."""
    return chip_hour / (chip_throughput * availability * ettr)
