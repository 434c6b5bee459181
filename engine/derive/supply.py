"""What one chip takes of each resource: wafers, packages, memory, parts, power.

Each is a quantity of the scenario, so that it can be explained and differentiated;
`isocost.engine.supply_plan` holds dated volumes of several chips against caps.
"""

from isocost.engine.derive.common import add_up
from isocost.engine.derive.silicon import ROLE, STATED, dies
from isocost.engine.formulas import assembly, supply
from isocost.engine.quantities import When, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]


def _assembly(scope: Scope) -> "str | float":
    """Share of packages that come out good."""
    if scope.has(f"{ROLE}.package.yield"):
        return f"{ROLE}.package.yield"
    return "silicon.bonding" if scope.has(f"{ROLE}.package.kind") else 1.0


def _wafers(scope: Scope, _: Keys) -> int:
    parts = []
    for name in dies(scope):
        count = f"{ROLE}.die[{name}].count"
        yields = scope.apply(
            assembly.yield_of_steps,
            first=f"silicon.yield[{name}]",
            second=_assembly(scope),
        )
        parts.append(
            scope.apply(
                supply.wafers_needed,
                volume=1.0,
                dies_per_chip=count if scope.has(count) else 1.0,
                dies_per_wafer=f"silicon.dies_per_wafer[{name}]",
                yields=Node(yields),
            )
        )
    return add_up(scope, parts, "wafer")


def _packages(scope: Scope, _: Keys) -> int:
    return scope.apply(
        supply.packages_needed,
        volume=1.0,
        packages_per_chip=1.0,
        yields=_assembly(scope),
    )


def _stacks(scope: Scope, _: Keys) -> int:
    stated = f"{ROLE}.hbm.stacks"
    return scope.apply(
        supply.stacks_needed,
        volume=1.0,
        stacks_per_chip=stated if scope.has(stated) else "chip.hbm.stacks",
        yields=_assembly(scope) if STATED.holds(scope) else 1.0,
    )


def _power(scope: Scope, _: Keys) -> int:
    own = scope.apply(
        assembly.power_by_chip, system_power="system.power", chips="system.chips"
    )
    parts = [own]
    if scope.has("fabric.power"):
        parts.append(scope["fabric.power"])
    return add_up(scope, parts, "W/chip")


def _part(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        assembly.parts_by_chip,
        count=f"system.item[{keys[0]}].count",
        chips="system.chips",
    )


QUANTITIES = (
    quantity(
        "need.wafers",
        "wafer/chip",
        "Wafers started for one chip, all sorts of die.",
        _wafers,
        when=STATED,
    ),
    quantity(
        "need.packages",
        "package/chip",
        "Packages started for one chip.",
        _packages,
        when=STATED,
    ),
    quantity("need.stacks", "stack/chip", "Memory stacks taken by one chip.", _stacks),
    quantity("need.power", "W/chip", "Power provisioned for one chip.", _power),
    quantity(
        "need.racks",
        "rack/chip",
        "Racks for one chip.",
        assembly.racks_by_chip,
        racks="system.racks",
        chips="system.chips",
    ),
    quantity(
        "need.part[]",
        "1/chip",
        "How many of an item of the system's bill one chip takes.",
        _part,
        when=When(
            "where the system's bill states items",
            lambda s: bool(s.keys("system", "item[].count")),
        ),
    ),
)
