"""Which sources the shipped coefficients were fitted on: errors there flatter."""

from collections.abc import Iterable

from isocost.engine.validation.frame import Prediction

#: Sources of the collectives' fit; those of the other families stand in their fits.
_COLLECTIVES = ("aiconfigurator_nccl", "aws_efa_nccl", "aws_nccl_singlenode", "deepep")


def fitted_sources(family: str) -> frozenset[str]:
    """The sources of the rows that a family's coefficients were fitted on."""
    if family == "inference":
        from isocost.engine.calibration.inference_fitted import SOURCES

        return frozenset(SOURCES)
    if family == "training":
        from isocost.engine.calibration import training_fitted

        return frozenset(training_fitted.SOURCES)
    return frozenset(_COLLECTIVES)


def seen(found: Iterable[Prediction], family: str) -> int:
    """How many predicted rows come from a source of the fit."""
    known = fitted_sources(family)
    return sum(one.source in known for one in found if one.predicted is not None)
