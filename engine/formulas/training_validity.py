"""Where a training stack's figures hold, and how much wider a result is elsewhere.

Each formula is 1 outside what the stack was calibrated on, and its flag is said of
every result that rests on it. A factor of two beyond the calibrated range is let
pass: the figures are smooth in size.
"""

from isocost.dsl.expr import Expr, floor, largest, total, where
from isocost.engine.formula import formula, p
from isocost.engine.formulas.training_symbols import EACH
from isocost.engine.formulas.validity_range import beyond, calibrated

_SOURCE = "docs: accuracy of training"
#: What training and serving share.
_BOTH = "docs: accuracy of training and of serving"
_UNKNOWN = {"unknown": p("1", r"\bar k", "1 if never calibrated on, else 0")}
_SNAP = 1e-9


@formula(
    "1",
    calibrated("chip", "chips at work"),
    source=_SOURCE,
    valid="least <= most; figures smooth in size: twice the range is let pass",
    flag="far from the number of chips that the stack was calibrated on",
)
def outside_scale(value: Expr, least: Expr, most: Expr) -> Expr:
    """1 where chips at work are beyond twice the calibrated range."""
    return beyond(value, least, most)


@formula(
    "1",
    calibrated("1", "parameters of the model"),
    source=_BOTH,
    valid="least <= most; figures smooth in size: twice the range is let pass",
    flag="far from the sizes of model that the stack was calibrated on",
)
def outside_size(value: Expr, least: Expr, most: Expr) -> Expr:
    """1 where the model's parameters are beyond twice the calibrated range."""
    return beyond(value, least, most)


@formula(
    "1",
    calibrated("token/chip", "tokens of a step on each chip"),
    source=_SOURCE,
    valid="least <= most; figures smooth in size: twice the range is let pass",
    flag="far from the batches that the stack was calibrated on",
)
def outside_batch(value: Expr, least: Expr, most: Expr) -> Expr:
    """1 where tokens of a step and chip are beyond twice the calibrated range."""
    return beyond(value, least, most)


@formula(
    "1",
    _UNKNOWN,
    source=_BOTH,
    valid="0 <= unknown <= 1; formats as the stack lists them",
    flag="a number format that the stack was not calibrated on",
)
def outside_format(unknown: Expr) -> Expr:
    """1 for a number format never calibrated on."""
    return unknown * 1


@formula(
    "1",
    _UNKNOWN,
    source=_BOTH,
    valid="0 <= unknown <= 1; families of chips as the stack lists them",
    flag="a chip that the stack was not calibrated on",
)
def outside_chip(unknown: Expr) -> Expr:
    """1 for a family of chips never calibrated on."""
    return unknown * 1


@formula(
    "1",
    _UNKNOWN,
    source=_BOTH,
    valid=("0 <= unknown <= 1; what the stack lists is all that it was fitted on"),
    flag="a stack that states no runs that it was calibrated on",
)
def outside_all(unknown: Expr) -> Expr:
    """1 for a stack that was calibrated on nothing."""
    return unknown * 1


@formula(
    "token/chip",
    {
        "tokens": p("token", "B s", "tokens of one step"),
        "chips": p("chip", "n", "chips at work"),
    },
    source="definition",
    valid="chips > 0; chips at work, idle ones aside",
)
def step_tokens_by_chip(tokens: Expr, chips: Expr) -> Expr:
    """Tokens of a step on each chip."""
    return tokens / chips


@formula(
    "1",
    {
        "scale": p("1", "o_n", "1 outside the calibrated scale"),
        "size": p("1", "o_p", "1 outside the calibrated sizes"),
        "batch": p("1", "o_b", "1 outside the calibrated batches"),
        "format": p("1", "o_f", "1 for a format not calibrated"),
        "chip": p("1", "o_c", "1 for a chip not calibrated"),
        "unseen": p("1", r"\epsilon_u", "factor outside size, scale, batch, format"),
        "foreign": p("1", r"\epsilon_f", "factor on a chip not calibrated"),
    },
    source=_SOURCE,
    valid=("unseen > 0; foreign > 0; a chip never seen weighs more than all else"),
    latex=r"\epsilon_o",
)
def outside_factor(
    scale: Expr,
    size: Expr,
    batch: Expr,
    format: Expr,  # noqa: A002 (the parameter's name in the formula)
    chip: Expr,
    unseen: Expr,
    foreign: Expr,
) -> Expr:
    """Further doubt on a time outside what the stack was calibrated on; 1 inside."""
    any_of = largest(scale=scale, size=size, batch=batch, format=format)
    return where(chip > 0, foreign, where(any_of > 0, unseen, 1))


@formula(
    "1",
    {
        "stack": p("1", r"\epsilon", "factor of the stack"),
        "experts": p("1", r"\epsilon_e", "factor of models of experts; 1 without"),
        "outside": p("1", r"\epsilon_o", "factor outside the calibration; 1 inside"),
    },
    source=_BOTH,
    valid="stack > 0; experts > 0; outside > 0; independent factors",
    latex=r"\epsilon",
)
def whole_residual(stack: Expr, experts: Expr, outside: Expr) -> Expr:
    """What the model leaves unexplained: independent factors, 1 in the median."""
    return stack * experts * outside


@formula(
    "1",
    {
        "batch": p("sequence", "B", "sequences of one step"),
        "micro_batch": p("sequence", "b", "sequences of a micro-batch"),
        "dp": p("1", r"\delta", "data-parallel replicas"),
        "micro_batches": p("1", "m", "micro-batches of a replica in one step"),
    },
    source="definition",
    valid=(
        "micro_batch > 0; dp >= 1; micro_batches >= 1; sequences that fill "
        "a micro-batch alike"
    ),
)
def batch_left_over(
    batch: Expr, micro_batch: Expr, dp: Expr, micro_batches: Expr
) -> Expr:
    """Share of the last micro-batches that has no sequence; 0 where all divides."""
    places = micro_batch * dp * micro_batches * EACH
    left = 1 - batch * EACH / places
    return where(left > _SNAP, left, 0)


@formula(
    "1",
    {
        "left_over": p("1", "u", "share of the last micro-batches without a sequence"),
        "layers": p("1", "L", "transformer layers"),
        "pp": p("1", r"\pi", "pipeline stages"),
        "chunks": p("1", "v", "model chunks of a stage"),
        "micro_batches": p("1", "m", "micro-batches of a replica in one step"),
        "tp": p("1", "t", "tensor-parallel ranks"),
        "cp": p("1", r"\kappa", "context-parallel ranks"),
        "dp": p("1", r"\delta", "data-parallel replicas"),
        "ep": p("1", r"\epsilon", "expert-parallel ranks"),
    },
    source="Megatron core's checks of its arguments",
    valid="pp >= 1; ep >= 1; chunks >= 1; layers over stages may be uneven",
)
def plan_divides(
    left_over: Expr,
    layers: Expr,
    pp: Expr,
    chunks: Expr,
    micro_batches: Expr,
    tp: Expr,
    cp: Expr,
    dp: Expr,
    ep: Expr,
) -> Expr:
    """1 where a plan divides without a rest, else 0.

    The batch over replicas and micro-batches, ranks of experts over the others; an
    interleaved pipeline has stages and a round of micro-batches for each.
    """
    rounds = micro_batches / pp
    experts = tp * cp * dp / ep
    broken = total(
        where(left_over > 0, 1, 0),
        where(experts - floor(experts) > _SNAP, 1, 0),
        where(pp * chunks > layers + 2, 1, 0),
        where(
            chunks > 1, where(pp > 1, where(rounds - floor(rounds) > _SNAP, 1, 0), 1), 0
        ),
    )
    return where(broken > 0, 0, 1)
