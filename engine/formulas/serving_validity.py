"""Where a serving stack's figures hold, and how much wider a result is elsewhere.

Each formula is 1 outside what the stack was calibrated on, and its flag is said of
every result that rests on it. A factor of two beyond the range is let pass.
"""

from isocost.dsl.expr import Expr, largest, where
from isocost.engine.formula import formula, p
from isocost.engine.formulas.inference_symbols import take
from isocost.engine.formulas.validity_range import beyond, calibrated

_SOURCE = "docs: accuracy of serving"
#: Stages up to which pipelines were predicted well.
_STAGES = 4


@formula(
    "1",
    calibrated("sequence/chip", "sequences of a chip"),
    source=_SOURCE,
    valid="least <= most; figures smooth in size: twice the range is let pass",
    flag="far from the batches that the stack was calibrated on",
)
def outside_sequences(value: Expr, least: Expr, most: Expr) -> Expr:
    """1 where the sequences of a chip are beyond twice the calibrated range."""
    return beyond(value, least, most)


@formula(
    "1",
    calibrated("1", "expert-parallel ranks"),
    source=_SOURCE,
    valid="least <= most; figures smooth in size: twice the range is let pass",
    flag="far from the expert parallelism that the stack was calibrated on",
)
def outside_expert_ranks(value: Expr, least: Expr, most: Expr) -> Expr:
    """1 where expert-parallel ranks are beyond twice the calibrated range."""
    return beyond(value, least, most)


@formula(
    "1",
    take("pp"),
    source=_SOURCE,
    valid="pp >= 1; pipelines of up to 4 stages were measured",
    flag="pipelines of more than 4 stages ran slower than predicted",
)
def deep_pipeline(pp: Expr) -> Expr:
    """1 for a pipeline of more stages than were predicted well."""
    return where(pp > _STAGES, 1, 0)


@formula(
    "sequence/chip",
    take("batch ranks rank_chips"),
    source="definition",
    valid="ranks >= 1; rank_chips > 0; sequences spread evenly",
)
def sequences_by_chip(batch: Expr, ranks: Expr, rank_chips: Expr) -> Expr:
    """Sequences that a chip of an instance decodes."""
    return batch / (ranks * rank_chips)


@formula(
    "1",
    {
        "size_out": p("1", "o_p", "1 outside the calibrated sizes"),
        "batch_out": p("1", "o_b", "1 outside the calibrated batches"),
        "ep_out": p("1", r"o_\epsilon", "1 outside the calibrated ranks of experts"),
        "stages_out": p("1", r"o_\pi", "1 for a deep pipeline"),
        "format_out": p("1", "o_f", "1 for a format not calibrated"),
        "chip_out": p("1", "o_c", "1 for a chip not calibrated"),
        "all_out": p("1", "o_a", "1 for a stack calibrated on nothing"),
        "unseen": p("1", r"\epsilon_u", "factor outside size, batch, ranks, format"),
        "foreign": p("1", r"\epsilon_f", "factor on a chip not calibrated"),
    },
    source=_SOURCE,
    valid=(
        "unseen > 0; foreign > 0; a stack calibrated on nothing states its own doubt"
    ),
    latex=r"\epsilon_o",
)
def outside_serving(
    size_out: Expr,
    batch_out: Expr,
    ep_out: Expr,
    stages_out: Expr,
    format_out: Expr,
    chip_out: Expr,
    all_out: Expr,
    unseen: Expr,
    foreign: Expr,
) -> Expr:
    """Further doubt on a time outside what the stack was calibrated on; 1 inside."""
    any_of = largest(
        size=size_out,
        batch=batch_out,
        ranks=ep_out,
        stages=stages_out,
        format=format_out,
    )
    inside = where(chip_out > 0, foreign, where(any_of > 0, unseen, 1))
    return where(all_out > 0, 1, inside)
