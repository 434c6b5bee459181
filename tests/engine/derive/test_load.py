"""The load where requests arrive: cost, revenue and margin of what is asked for."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation

Evaluate = Callable[[str], Evaluation]
BASE = """
workload chat {
  task = inference
  model = llama3_8b
  prompt = 1000 token
  output = 250 token
  precision.weights = fp8
  parallel.tp = 1
  batch.instance = 64
  arrival = 40 request/s
}
software stack {
  memory.sustained = 0.9
  layer_overhead = 70 us
  residual = 1
}
finance rented {
  tenure = rent
  rental[h100, od] = 2.75 $/chip/h
  revenue = 0.60 $/Mtoken
  revenue.input = 0.10 $/Mtoken
}
scenario s {
  system = hgx_h100
  size = 8 chip
  workload = chat
  software = stack
  finance = rented
}
"""
#: Dollars of an hour of 8 chips; millions of tokens of 40 requests a second of 250.
HOUR = 22.0
TOKENS = 40 * 250 * 3600 / 1e6


def value(found: Evaluation, path: str) -> float:
    (result,) = found.results([("s", path)])
    return result.value


def said(found: Evaluation, path: str = "cost.per_Mtoken") -> str:
    (result,) = found.results([("s", path)])
    return "; ".join(result.flags)


def test_cost_is_of_the_tokens_that_are_asked_for(evaluate: Evaluate) -> None:
    found = evaluate(BASE)
    full = value(found, "throughput.output")
    assert full > 2 * 40 * 250
    assert value(found, "load") == pytest.approx(100 * 40 * 250 / full)
    assert value(found, "throughput.delivered") == pytest.approx(40 * 250)
    assert value(found, "cost.per_Mtoken") == pytest.approx(HOUR / TOKENS)
    income = 0.60 * TOKENS + 0.10 * 4 * TOKENS  # four prompt tokens to each of output
    assert value(found, "margin") == pytest.approx(100 * (1 - HOUR / income))
    assert "what arrives over what can be made" in said(found)


def test_chips_that_are_down_do_not_turn_requests_away(evaluate: Evaluate) -> None:
    terms = "tenure = rent\n  availability = 90%\n  sold = 80%"
    found = evaluate(BASE.replace("tenure = rent", terms))
    share = 0.9 * 0.8 * value(found, "throughput.output")
    assert value(found, "load") == pytest.approx(100 * 40 * 250 / share)
    assert value(found, "throughput.delivered") == pytest.approx(40 * 250)


def test_the_peak_sizes_and_the_mean_loads(evaluate: Evaluate) -> None:
    peaked = "arrival = 40 request/s\n  peak_to_mean = 2"
    found = evaluate(BASE.replace("arrival = 40 request/s", peaked))
    assert value(found, "queue.use") == pytest.approx(2 * value(found, "load"))
    assert value(found, "cost.per_Mtoken") == pytest.approx(HOUR / TOKENS)


def test_no_more_is_delivered_than_can_be_made(evaluate: Evaluate) -> None:
    found = evaluate(BASE.replace("40 request/s", "10_000 request/s"))
    assert value(found, "load") == 100
    full = value(found, "throughput.output")
    assert value(found, "throughput.delivered") == pytest.approx(full)
    assert "what arrives over" not in said(found)


def test_a_stated_load_holds_and_is_told_where_arrivals_deny_it(
    evaluate: Evaluate,
) -> None:
    follows = value(evaluate(BASE), "load")

    def stated(load: float) -> Evaluation:
        line = f"size = 8 chip\n  load = {load}%"
        return evaluate(BASE.replace("size = 8 chip", line))

    found = stated(follows / 2)
    assert value(found, "load") == pytest.approx(follows / 2)
    assert value(found, "cost.per_Mtoken") == pytest.approx(2 * HOUR / TOKENS)
    assert "cost follows the one stated" in said(found)
    assert "load is" not in said(stated(follows))


def test_of_configurations_that_keep_up_the_one_with_most_room(
    evaluate: Evaluate,
) -> None:
    free = "batch.instance = {16 sequence, 32 sequence, 64 sequence}"
    found = evaluate(BASE.replace("batch.instance = 64", free))
    assert value(found, "workload.batch.instance") == 64
    assert value(found, "cost.per_Mtoken") == pytest.approx(HOUR / TOKENS)
