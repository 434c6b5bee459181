"""Parallel plans of measurements: what a row states, or candidates where it is silent.

A row that states a batch, or a latency, is one instance on all its chips; one that
asks for the most that can be served may be several. Without experts a plan is tensor
parallel to 8, with pipelines beyond; with experts, attention may be data parallel and
the experts spread over all its ranks. Neuron counts cores.
"""

from collections.abc import Iterator, Mapping

from isocost.engine.calibration.inference_chips import Chip
from isocost.engine.calibration.inference_rules import number
from isocost.engine.calibration.inference_spelling import metric

Row = Mapping[str, str]
_NAMES = ("tp", "pp", "dp", "ep")
#: Widest tensor parallelism of GPUs and TPUs that is tried, and expert parallelism.
_WIDEST_TP, _WIDEST_EP = 8.0, 64.0
#: Cores of a Neuron chip as frameworks count them.
_CORES = {"Inferentia2": 2.0, "Trainium1": 2.0, "Trainium2": 4.0, "Trainium3": 4.0}
#: The most ranks of a chip: its cores, where programs see each of them.
_MOST_RANKS = {"Trainium2": 8.0, "Trainium3": 8.0, "TPU-v7x": 2.0, "MI250X": 2.0}


def most_ranks(chip: Chip) -> float:
    """The most ranks that a chip can hold."""
    return _MOST_RANKS.get(chip.name, _CORES.get(chip.name, 1.0))


def shares_ranks(row: Row, chip: Chip) -> bool:
    """Whether `dp` counts groups of attention inside `tp`, as SGLang's options do.

    Its `--tp 8 --dp 8` is eight ranks that split the experts and share out attention.
    Taken so where the degrees multiply to more ranks than there are, for experts alone.
    """
    tp, pp, dp, ep, chips = (
        number(row.get(name), 1.0) or 1.0 for name in (*_NAMES, "n_chips")
    )
    several = ep > 1 or row.get("experts", "") not in {"", "1"}
    ranks = chips * most_ranks(chip)
    fits = tp * pp <= ranks < tp * pp * dp and tp % dp == 0
    return bool(row.get("n_chips")) and fits and several


def cores_of_chip(chip: Chip, ranks: float, chips: float) -> float:
    """Ranks that a chip holds: 1, of Neuron the cores, all of them if ranks are many.

    Args:
        chip: The chip.
        ranks: Ranks of the plan.
        chips: Chips of the measurement; 0 where it states none.
    """
    usual = _CORES.get(chip.name, 1.0)
    return max(usual, ranks / chips) if chips else usual


def plans(row: Row, chip: Chip, *, experts: bool) -> list[dict[str, float]]:
    """The row's plan, or the candidates where it names none.

    Raises:
        ValueError: A column is no number.
    """
    plan = {name: number(row.get(name), 1.0) or 1.0 for name in _NAMES}
    if shares_ranks(row, chip):
        plan["tp"] /= plan["dp"]
    chips = max(number(row.get("n_chips"), 1.0), 1.0)
    ranks = chips * (_CORES.get(chip.name, 1.0) if chip.vendor == "aws" else 1.0)
    if not row.get("tp") and any(row.get(name) for name in ("dp", "ep", "pp")):
        wide = plan["dp"] if row.get("dp") else 1.0
        plan["tp"] = max(ranks // (plan["pp"] * wide), 1.0)
    elif not row.get("tp"):
        found = list(_candidates(chip, ranks, experts=experts))
        whole = [one for one in found if _ranks(one) == ranks]
        one = row.get("batch") or metric(row).endswith("_ms")
        return whole if one and whole else found
    if not row.get("ep") and plan["dp"] > 1 and experts:
        plan["ep"] = plan["tp"] * plan["dp"]
    return [plan]


def _ranks(plan: Mapping[str, float]) -> float:
    return plan["tp"] * plan["pp"] * plan["dp"]


def _candidates(
    chip: Chip, ranks: float, *, experts: bool
) -> Iterator[dict[str, float]]:
    """Plans that a row may mean: tensor parallel, pipelined, experts spread."""
    one = dict.fromkeys(_NAMES, 1.0)
    if chip.vendor == "aws":
        widths = {width for width in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0) if width < ranks}
        yield from ({**one, "tp": width} for width in (*sorted(widths), ranks))
        return
    for width in (1.0, 2.0, 4.0, 8.0):
        if width <= ranks:
            yield {**one, "tp": width}
    if ranks > _WIDEST_TP and ranks % _WIDEST_TP == 0 and not experts:
        yield {**one, "tp": _WIDEST_TP, "pp": ranks / _WIDEST_TP}
    if experts:
        for width in (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, ranks):
            if width <= min(ranks, _WIDEST_EP) or width == ranks:
                yield {**one, "dp": width, "ep": width}


def notes(row: Row, chip: Chip) -> tuple[str, ...]:
    """What the row left open and was assumed."""
    out = []
    if not row.get("tp"):
        out.append("the parallel plan is not stated: the best of several was taken")
    chips = number(row.get("n_chips"))
    if not chips:
        out.append("the number of chips is not stated: that of the plan was taken")
    split = row.get("disagg", "").lower()
    if split not in {"", "no", "none", "false", "prefill-only", "decode-only"}:
        out.append("prefill and decode apart were predicted as one pool")
    if shares_ranks(row, chip):
        out.append("`dp` was read as groups of attention within `tp`")
    return tuple(out)
