"""Carbon of a token: of the electricity, and of making what serves it."""

from isocost.engine.derive.common import INFERENCE
from isocost.engine.derive.cost import life_of
from isocost.engine.formulas import carbon
from isocost.engine.quantities import quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
_BY = {
    "total": "carbon.rate",
    "operational": "carbon.operational",
    "embodied": "carbon.embodied_rate",
}


def _embodied(scope: Scope, _: Keys) -> int:
    """Of whole systems where that is stated, else of the chips alone."""
    if scope.has("system.embodied"):
        return scope.apply(
            carbon.embodied_carbon, embodied="system.embodied", chips="systems"
        )
    return scope.apply(carbon.embodied_carbon, embodied="chip.embodied", chips="chips")


def _rate(scope: Scope, _: Keys) -> int:
    """Spread over the whole life: the tokens delivered bear the idle hours."""
    return scope.apply(
        carbon.embodied_carbon_rate,
        chip_embodied="carbon.embodied",
        life=life_of(scope, "server"),
        used=1.0,
    )


def _per_token(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        carbon.carbon_of_token,
        emissions=_BY[keys[0]],
        throughput="throughput.delivered",
    )


QUANTITIES = (
    quantity(
        "carbon.operational",
        "kg/h",
        "Carbon of the electricity, by the grid's mean intensity.",
        carbon.operational_carbon,
        average_power="power.average",
        intensity="site.carbon",
    ),
    quantity("carbon.embodied", "kg", "Carbon of making what is installed.", _embodied),
    quantity(
        "carbon.embodied_rate",
        "kg/h",
        "Carbon of manufacture, spread over the servers' life.",
        _rate,
    ),
    quantity(
        "carbon.rate",
        "kg/h",
        "Operational and embodied carbon of an hour.",
        carbon.carbon_rate,
        operational="carbon.operational",
        embodied_rate="carbon.embodied_rate",
    ),
    quantity(
        "carbon.per_Mtoken[]",
        "g/Mtoken",
        "Carbon of a million output tokens, of operation and of manufacture.",
        _per_token,
        when=INFERENCE,
        keys=tuple(_BY),
        bare="total",
        headline=True,
    ),
)
