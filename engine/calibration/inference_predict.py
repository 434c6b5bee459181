"""Predictions of many cases at once, from one vector of coefficients.

Cases of one structure (attention, experts, mode) are stacked into arrays and run
through the wiring together; a stack of coefficient vectors broadcasts over them, so
that a numerical Jacobian is one pass.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Array, Values, apply
from isocost.engine.calibration.inference_chain import rank_values, run, step_values
from isocost.engine.calibration.inference_rows import Case
from isocost.engine.calibration.inference_stacks import INDEX
from isocost.engine.formulas import (
    attention,
    inference,
    serving,
    serving_load,
    serving_plan,
)

VARIABLES = sorted({name.split("@")[0] for name in INDEX})
_MOST = 4096.0
#: Limits above this are none.
_NEVER = 1e9


@attrs.frozen
class Stacked:
    """Cases of one structure as arrays; `where` are their places in the whole."""

    mla: bool
    experts: bool
    mode: str
    where: Array
    numbers: dict[str, Array]
    picks: dict[str, Any]
    metrics: tuple[str, ...]


def stack(cases: Sequence[Case]) -> list[Stacked]:
    """Cases grouped by structure."""
    groups: dict[tuple[bool, bool, str], list[int]] = defaultdict(list)
    for place, case in enumerate(cases):
        groups[case.mla, case.experts, case.mode].append(place)
    return [_stacked(key, places, cases) for key, places in groups.items()]


def _stacked(
    key: tuple[bool, bool, str], places: list[int], cases: Sequence[Case]
) -> Stacked:
    chosen = [cases[place] for place in places]
    names = chosen[0].numbers
    numbers = {n: np.array([case.numbers[n] for case in chosen]) for n in names}
    picks = {
        variable: np.array([_pick(case, variable) for case in chosen])
        for variable in VARIABLES
    }
    metrics = tuple(case.metric for case in chosen)
    return Stacked(*key, np.array(places), numbers, picks, metrics)


def _pick(case: Case, variable: str) -> int:
    """The coefficient's place; -1 is nothing at all, -2 is one."""
    if variable == "reread" and case.stack.reread is not None:
        return -2 if case.stack.reread else -1
    return INDEX[case.stack.coefficient(variable)]


def predict(groups: Sequence[Stacked], coefficients: Array, size: int) -> Array:
    """The metric of every case.

    Args:
        groups: What `stack` made of the cases.
        coefficients: Values in the order of `COEFFICIENTS`, the last axis; a leading
            axis stacks several vectors.
        size: Number of cases.
    """
    out = np.full((*coefficients.shape[:-1], size), np.nan)
    for group in groups:
        out[..., group.where.astype(int)] = _metric(group, _values(group, coefficients))
    return out


def decode_step(group: Stacked, coefficients: Array) -> Values:
    """Everything about a decode step of a group's cases, for reports and tests."""
    values = _values(group, coefficients)
    return _decode(values, group, _batch(values))


def running_batch(group: Stacked, coefficients: Array) -> Any:
    """The batch that runs in each of a group's cases, where a row states none."""
    return _batch(_values(group, coefficients))


def _values(group: Stacked, coefficients: Array) -> Values:
    edge = np.ones((*coefficients.shape[:-1], 2))
    edge[..., 1] = 0.0
    padded = np.concatenate([coefficients, edge], axis=-1)
    values: Values = dict(group.numbers)
    for variable, picks in group.picks.items():
        values[variable] = padded[..., picks]
    values["rate"] = values["rate_share"] * values["link"]
    values["computed"] = values["prompt"]
    values["accepted"] = apply(serving_load.speculative_tokens, values)
    return rank_values(values, mla=group.mla, experts=group.experts)


def _batch(values: Values) -> Any:
    """The batch that runs: the stated one, at most what fits."""
    fits = np.minimum(values["largest"], _MOST * values["dp"])
    stated = np.where(values["batch"] > 0, values["batch"], np.inf)
    return np.minimum(np.minimum(stated, fits), values["requests"])


def _step(
    values: Values, group: Stacked, batch: Any, decode: Any, prompts: Any, context: Any
) -> Values:
    """One step: `decode` and `prompts` are tokens of a pass on a rank."""
    named = dict(values)
    named["read"] = np.where(
        values["bucketed"] > 0, apply(serving_load.bucket_length, values), context
    )
    named["sequence_tokens"] = decode
    named["batch"] = np.where(np.asarray(decode) > 0, batch, 0.0)
    run(serving_plan.DECODING[1:], named)
    named["batch"] = batch
    named["attended"] = apply(attention.prefill_span, named)
    named["prefill_tokens"] = prompts
    return step_values(named, mla=group.mla, experts=group.experts)


def _decode(values: Values, group: Stacked, batch: Any) -> Values:
    tokens = apply(inference.decode_pass_tokens, {**values, "batch": batch})
    context = apply(serving.mean_context, values)
    return _step(values, group, batch, tokens, 0.0, context)


def _prefill(values: Values, group: Stacked, batch: Any) -> Values:
    prompts = apply(inference.prefill_pass_tokens, {**values, "batch": batch})
    gaps = values["layer_overhead"] * values["prompt_gaps"]
    named = {**values, "layer_overhead": gaps}
    return _step(named, group, batch, 0.0, prompts, values["prompt"])


def _mixed(values: Values, group: Stacked, batch: Any) -> Values:
    named = {**values, "batch": batch}
    tokens = apply(inference.decode_pass_tokens, named)
    prompts = apply(inference.mixed_prefill_tokens, named)
    context = apply(serving.mean_context, values)
    return _step(values, group, batch, tokens, prompts, context)


def _metric(group: Stacked, values: Values) -> Any:
    if group.mode == "static":
        found = _static(group, values)
    elif group.mode == "prefill":
        found = _prefill_only(group, values)
    elif group.mode == "decode":
        stated = values["batch"]
        batch = np.where(stated > 0, stated, _batch(values))
        found = _serving(values, _decode(values, group, batch)["step"], batch)
    else:
        found = _continuous(group, values)
    scale = values["instances"] / values["of"]
    out = np.full(np.shape(next(iter(found.values()))), np.nan)
    for name, value in found.items():
        chosen = np.array([metric == name for metric in group.metrics])
        rate = scale if name.endswith("_per_s") else 1.0
        out = np.where(chosen, value * rate, out)
    return np.where(out > 0, out * values["factor"], np.nan)


def _static(group: Stacked, values: Values) -> dict[str, Any]:
    batch = np.where(values["batch"] > 0, values["batch"], _batch(values))
    prefill = _prefill(values, group, batch)["step"]
    decode = _decode(values, group, batch)["step"] / _accepted(values)
    named = {**values, "batch": batch, "prefill": prefill, "decode": decode}
    named["request"] = apply(serving.static_request_time, named)
    rate = apply(serving.static_throughput, named)
    return _all(values, rate, prefill, decode)


def _prefill_only(group: Stacked, values: Values) -> dict[str, Any]:
    step = _prefill(values, group, values["batch"])["step"]
    return {"input_tokens_per_s": values["batch"] * values["prompt"] / step}


def _serving(values: Values, step: Any, batch: Any) -> dict[str, Any]:
    tpot = step / _accepted(values)
    rate = apply(
        serving.continuous_throughput, {**values, "batch": batch, "step": tpot}
    )
    return _all(values, rate, tpot, tpot)


def _continuous(group: Stacked, values: Values) -> dict[str, Any]:
    """Continuous batching: a mixed step in the steady state, waves where a run ends."""
    batch = _limited(group, values, _batch(values))
    mixed = _mixed(values, group, batch)["step"]
    one = np.ones_like(values["prompt"])
    named = {
        **values,
        "batch": batch,
        "mixed": mixed,
        "step": _decode(values, group, batch)["step"],
        "prefill": _prefill(values, group, one)["step"],
        "users": values["batch"],
    }
    tpot = mixed / _accepted(values)
    named["throughput"] = apply(serving.continuous_throughput, {**named, "step": tpot})
    rate = _within_limit(values, named, _run_rate(group, values, named))
    load = apply(serving_load.prefill_load, {**named, "step": tpot})
    ttft = apply(serving_load.ttft_loaded, {**named, "load": load})
    ttft = ttft + apply(serving_load.admission_wait, named)
    return _all(values, np.where(batch > 0, rate, np.nan), ttft, tpot)


def _run_rate(group: Stacked, values: Values, named: Values) -> Any:
    """Output tokens a second of a run that ends, where one does, else the steady rate.

    Requests of one length start and end together, so they proceed in waves.
    """
    finite = values["requests"] < _NEVER
    if not np.any(finite):
        return named["throughput"]
    batch = named["batch"]
    waves = np.floor(values["requests"] / np.maximum(batch, 1))
    left = np.maximum(values["requests"] - waves * batch, 1.0)
    full = _wave(values, group, batch)
    rest = _wave(values, group, np.where(finite, left, batch))
    run = apply(serving_load.finite_run_time, {**named, "full": full, "rest": rest})
    whole = values["requests"] * values["output"] / run
    return np.where(finite, whole, named["throughput"])


def _wave(values: Values, group: Stacked, batch: Any) -> Any:
    """Time of a batch that starts and ends together."""
    prefill = _prefill(values, group, batch)["step"]
    decode = _decode(values, group, batch)["step"] / _accepted(values)
    named = {**values, "prefill": prefill, "decode": decode}
    return apply(serving.static_request_time, named)


def _within_limit(values: Values, named: Values, rate: Any) -> Any:
    """The rate at which a limit on the time to first token still holds."""
    each = {**named, "prefill": apply(serving_load.prompt_share_of_steps, named)}
    load = apply(serving_load.load_within_limit, each)
    bound = apply(serving_load.prefill_bound_throughput, {**each, "load": load})
    return np.where(values["limit"] < _NEVER, np.minimum(rate, bound), rate)


def _limited(group: Stacked, values: Values, batch: Any) -> Any:
    """A batch whose step keeps a limit: a few steps of bisection on its logarithm."""
    if not np.any(values["step_limit"] < _NEVER):
        return batch
    low, high = np.ones_like(batch), np.maximum(batch, 1.0)
    for _ in range(10):
        middle = np.sqrt(low * high)
        slow = _mixed(values, group, middle)["step"] > values["step_limit"]
        low, high = np.where(slow, low, middle), np.where(slow, middle, high)
    fast = _mixed(values, group, batch)["step"] <= values["step_limit"]
    return np.where(fast, batch, low)


def _accepted(values: Values) -> Any:
    return values["accepted"]


def _all(values: Values, rate: Any, ttft: Any, tpot: Any) -> dict[str, Any]:
    """Every metric that a row may ask for, in its unit."""
    outputs = values["output"]
    return {
        "output_tokens_per_s": rate,
        "input_tokens_per_s": rate * values["prompt"] / outputs,
        "total_tokens_per_s": rate * (1 + values["prompt"] / outputs),
        "requests_per_s": rate / outputs,
        "tokens_per_s_per_user": 1 / tpot + 0 * rate,
        "ttft_ms": 1e3 * ttft + 0 * rate,
        "tpot_ms": 1e3 * tpot + 0 * rate,
        "e2e_latency_ms": 1e3 * (ttft + (outputs - 1) * tpot) + 0 * rate,
    }
