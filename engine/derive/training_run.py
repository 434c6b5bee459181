"""A training run: utilisation, throughput, time, chip-hours, cost and energy."""

from isocost.engine.derive.common import TRAINING
from isocost.engine.formulas import (
    power,
    serving,
    tokens,
    training,
    training_figures,
    training_run,
    training_validity,
    transformer,
)
from isocost.engine.formulas import plan as counts
from isocost.engine.quantities import Quantity, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
CONVENTIONS = ("6nd", "causal", "full")
_ROUTED = {
    "layers": "model.layers",
    "attention": "train.attention",
    "router": "train.params.router",
    "dense_layers": "train.dense_layers",
    "mlp": "train.mlp",
    "moe_layers": "train.moe_layers",
    "shared_experts": "train.shared_experts",
    "expert": "train.expert",
}
_TABLES = {
    "embedding": "model.params.embedding",
    "head": "model.params.head",
    "norms": "model.params.norms",
}


def _attended(name: str, doc: str, causal: float) -> Quantity:
    return quantity(
        f"train.attended.{name}",
        "token",
        doc,
        training.attended_tokens,
        when=TRAINING,
        sequence="workload.sequence",
        window="train.window",
        window_share="train.window_share",
        causal=causal,
    )


def _flops(scope: Scope, keys: Keys) -> int:
    """Arithmetic of a token by one convention."""
    if keys[0] == "6nd":
        return scope.apply(
            training.model_flops_6nd, active_params="train.params.active"
        )
    return scope.apply(
        training.model_flops,
        matrix_params="train.params.matrix",
        layers="model.layers",
        score_width="train.score_width",
        attended=f"train.attended.{keys[0]}",
    )


PARAMS = (
    quantity(
        "train.params.router",
        "1",
        "Parameters of one router.",
        training_figures.router_params,
        when=TRAINING,
        hidden="model.hidden",
        experts="train.experts",
    ),
    quantity(
        "train.params.total",
        "1",
        "Parameters in all.",
        transformer.moe_total_params,
        when=TRAINING,
        experts="train.experts",
        **_ROUTED,
        **_TABLES,
    ),
    quantity(
        "train.params.active",
        "1",
        "Parameters that one token meets, tables included.",
        transformer.moe_active_params,
        when=TRAINING,
        top_k="train.top_k",
        **_ROUTED,
        **_TABLES,
    ),
    quantity(
        "train.params.matrix",
        "1",
        "Parameters that multiply each token.",
        transformer.moe_matrix_params,
        when=TRAINING,
        top_k="train.top_k",
        vocabulary="model.vocabulary",
        hidden="model.hidden",
        **_ROUTED,
    ),
)
USE = (
    _attended("causal", "Tokens that a token looks at under a causal mask.", 1.0),
    _attended("full", "Tokens that a token looks at, the masked ones counted.", 0.0),
    quantity(
        "flops.train[]",
        "GFLOP/token",
        "Training arithmetic of a token: by the rule of six, with causal attention, "
        "or with all of it.",
        _flops,
        when=TRAINING,
        keys=CONVENTIONS,
        bare="causal",
    ),
    quantity(
        "flops.hardware",
        "GFLOP/token",
        "Arithmetic that the chips do for a token, recomputation included.",
        training.hardware_flops,
        when=TRAINING,
        matrix_params="train.params.matrix",
        layers="model.layers",
        score_width="train.score_width",
        attended="train.attended.causal",
        recompute="train.recompute",
        weight_gradient="train.weight_gradient",
    ),
    quantity(
        "train.chips",
        "chip",
        "Chips of one job that compute.",
        training_run.chips_at_work,
        when=TRAINING,
        ranks="ranks",
        rank_chips="rank.chips",
    ),
    quantity(
        "train.batch_by_chip",
        "token/chip",
        "Tokens of a step on each chip.",
        training_validity.step_tokens_by_chip,
        when=TRAINING,
        tokens="train.step_tokens",
        chips="train.chips",
    ),
    quantity(
        "train.left_over",
        "%",
        "Share of the last micro-batches that has no sequence.",
        training_validity.batch_left_over,
        when=TRAINING,
        batch="workload.batch.global",
        micro_batch="workload.batch.micro",
        dp="workload.parallel.dp",
        micro_batches="train.micro_batches",
    ),
    quantity(
        "mfu[]",
        "%",
        "Arithmetic that the tokens need, over the data-sheet peak of the ranks.",
        training.flops_utilization,
        when=TRAINING,
        keys=CONVENTIONS,
        bare="causal",
        headline=True,
        flops="flops.train[{}]",
        throughput="throughput.instance",
        chips="train.chips",
        peak="rank.peak",
    ),
    quantity(
        "hfu",
        "%",
        "Arithmetic that the chips do, recomputation included, over their peak.",
        training.flops_utilization,
        when=TRAINING,
        headline=True,
        flops="flops.hardware",
        throughput="throughput.instance",
        chips="train.chips",
        peak="rank.peak",
    ),
)
RUN = (
    quantity(
        "throughput.instance",
        "token/s",
        "Tokens that one job trains on in a second, without failures.",
        training.training_throughput,
        when=TRAINING,
        step="time.step",
        step_tokens="train.step_tokens",
    ),
    quantity(
        "throughput.train",
        "token/s",
        "Tokens that all jobs train on in a second, without failures.",
        serving.fleet_throughput,
        when=TRAINING,
        headline=True,
        instances="instances",
        throughput="throughput.instance",
    ),
    quantity(
        "throughput.per_chip",
        "token/s/chip",
        "Tokens trained on in a second for each installed chip.",
        counts.throughput_by_chip,
        when=TRAINING,
        headline=True,
        throughput="throughput.train",
        chips="chips",
    ),
    quantity(
        "throughput.per_MW",
        "token/s/MW",
        "Tokens trained on in a second for each MW provisioned.",
        power.throughput_per_power,
        when=TRAINING,
        headline=True,
        throughput="throughput.train",
        provisioned="power.provisioned",
    ),
    quantity(
        "throughput.kept",
        "token/s",
        "Tokens trained on in a second of wall time, failures included.",
        training_run.tokens_kept,
        when=TRAINING,
        throughput="throughput.train",
        ettr="ettr",
    ),
    quantity(
        "time.ideal",
        "day",
        "Time of the run without failures.",
        training.training_time,
        when=TRAINING,
        tokens_total="workload.tokens",
        throughput="throughput.instance",
        ettr=1.0,
    ),
    quantity(
        "time.train",
        "day",
        "Wall time of the run: without failures, over `ettr`.",
        training.training_time,
        when=TRAINING,
        headline=True,
        tokens_total="workload.tokens",
        throughput="throughput.instance",
        ettr="ettr",
    ),
    quantity(
        "job.chips",
        "chip",
        "Chips that one job holds, idle ones included.",
        training_run.chips_of_job,
        when=TRAINING,
        chips="chips",
        instances="instances",
    ),
    quantity(
        "chip_hours",
        "chip-h",
        "Chip-hours that the run holds, idle chips and failures included.",
        tokens.chip_hours_of_run,
        when=TRAINING,
        headline=True,
        chips="job.chips",
        time="time.train",
    ),
)
MONEY = (
    quantity(
        "job.cost",
        "$/month",
        "Cost of the cluster that one job bears.",
        training_run.cost_of_job,
        when=TRAINING,
        cost="cost.per_month",
        instances="instances",
    ),
    quantity(
        "cost.train",
        "$",
        "All cost of the run: the cluster's over the time that the run holds it.",
        tokens.cost_to_train,
        when=TRAINING,
        headline=True,
        cost="job.cost",
        ideal_time="time.ideal",
        availability="finance.availability",
        ettr="ettr",
    ),
    quantity(
        "cost.per_trained_Mtoken",
        "$/Mtoken",
        "Cost of a million tokens of training.",
        tokens.cost_per_trained_token,
        when=TRAINING,
        headline=True,
        chip_hour="cost.installed_hour",
        chip_throughput="throughput.per_chip",
        availability="finance.availability",
        ettr="ettr",
    ),
    quantity(
        "job.power",
        "MW",
        "Mean power at the meter that one job bears.",
        training_run.power_of_job,
        when=TRAINING,
        average_power="power.average",
        instances="instances",
    ),
    quantity(
        "energy.train",
        "MWh",
        "Energy at the meter of the run.",
        power.energy_used,
        when=TRAINING,
        headline=True,
        average_power="job.power",
        time="time.train",
    ),
    quantity(
        "energy.per_token",
        "J/token",
        "Energy at the meter of one token of training.",
        power.energy_of_token,
        when=TRAINING,
        headline=True,
        average_power="power.average",
        throughput="throughput.kept",
    ),
)
QUANTITIES = (*PARAMS, *USE, *RUN, *MONEY)
