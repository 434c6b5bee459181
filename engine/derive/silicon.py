"""From the wafer to known good dies and memory, where a chip names its `silicon`."""

from isocost.engine.derive.common import add_up
from isocost.engine.formulas import chip_parts, packaging, silicon
from isocost.engine.quantities import When, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
#: Where the chip's silicon is bound.
ROLE = "chip.silicon"
STATED = When("where the chip names its `silicon`", lambda s: s.block(ROLE) is not None)


def dies(scope: Scope) -> list[str]:
    """The sorts of die in the package."""
    return scope.keys(ROLE, "die[].area")


def die_path(name: str, field: str) -> str:
    """The path of a die's figure."""
    return f"{ROLE}.die[{name}].{field}"


def count_of(scope: Scope, name: str) -> "str | float":
    """The path of a die's count, 1 where none is stated."""
    return die_path(name, "count") if scope.has(die_path(name, "count")) else 1.0


# Dies.


def _per_wafer(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        silicon.dies_per_wafer_scribed,
        diameter=f"{ROLE}.wafer.diameter",
        edge=f"{ROLE}.wafer.edge",
        scribe=f"{ROLE}.wafer.scribe",
        area=die_path(keys[0], "area"),
    )


def _defects(scope: Scope, name: str) -> int:
    """Defects of all layers together: stated so, or by layer times layers."""
    if scope.has(die_path(name, "defects")) or not scope.has(
        die_path(name, "layer_defects")
    ):
        return scope[die_path(name, "defects")]
    return scope.apply(
        silicon.defects_of_layers,
        layer_defects=die_path(name, "layer_defects"),
        layers=die_path(name, "layers"),
    )


def _yield_of(scope: Scope, name: str, area: int) -> int:
    """The yield of an area by the model that the block names."""
    model = scope.word(f"{ROLE}.yield.model")
    where = Node(area)
    if model == "bose_einstein":
        return scope.apply(
            silicon.yield_bose_einstein,
            area=where,
            layer_defects=die_path(name, "layer_defects"),
            layers=die_path(name, "layers"),
        )
    defects = Node(_defects(scope, name))
    if model == "negative_binomial":
        return scope.apply(
            silicon.yield_negative_binomial,
            area=where,
            defects=defects,
            clustering=f"{ROLE}.yield.clustering",
        )
    plain = {
        "poisson": silicon.yield_poisson,
        "murphy": silicon.yield_murphy,
        "seeds": silicon.yield_seeds,
    }
    return scope.apply(plain[model or "poisson"], area=where, defects=defects)


def _yield(scope: Scope, keys: Keys) -> int:
    name, area = keys[0], die_path(keys[0], "area")
    if scope.has(die_path(name, "cores_needed")):
        share = die_path(name, "core_share")
        cores = die_path(name, "cores")
        core = scope.apply(
            chip_parts.core_area, area=area, core_share=share, cores=cores
        )
        rest = scope.apply(chip_parts.uncore_area, area=area, core_share=share)
        good = scope.apply(
            chip_parts.yield_with_spare_cores,
            cores_needed=die_path(name, "cores_needed"),
            cores=cores,
            core_yield=Node(_yield_of(scope, name, core)),
            uncore_yield=Node(_yield_of(scope, name, rest)),
        )
    else:
        good = _yield_of(scope, name, scope[area])
    if not scope.has(die_path(name, "line")):
        return good
    return scope.apply(
        silicon.yield_of_line, line_yield=die_path(name, "line"), die_yield=Node(good)
    )


def _raw_die(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        silicon.raw_die_cost,
        wafer_price=die_path(keys[0], "wafer"),
        dies_per_wafer=f"silicon.dies_per_wafer[{keys[0]}]",
    )


def _good_die(scope: Scope, keys: Keys) -> int:
    test = die_path(keys[0], "test")
    return scope.apply(
        silicon.good_die_cost,
        raw_die=f"silicon.raw_die[{keys[0]}]",
        die_yield=f"silicon.yield[{keys[0]}]",
        die_test=test if scope.has(test) else 0.0,
    )


def _dies(scope: Scope, _: Keys) -> int:
    parts = [
        scope.apply(
            packaging.dies_in_package,
            die_cost=f"silicon.good_die[{name}]",
            dies=count_of(scope, name),
        )
        for name in dies(scope)
    ]
    return add_up(scope, parts, "$/package")


def _memory(scope: Scope, _: Keys) -> int:
    if not scope.has(f"{ROLE}.hbm.price"):
        return scope.builder.constant(0.0)
    stated = scope.has(f"{ROLE}.hbm.capacity")
    return scope.apply(
        chip_parts.memory_by_capacity,
        memory_price=f"{ROLE}.hbm.price",
        capacity=f"{ROLE}.hbm.capacity" if stated else "chip.memory.capacity",
    )


QUANTITIES = (
    *(
        quantity(path, unit, doc, build, when=STATED)
        for path, unit, doc, build in (
            ("silicon.dies_per_wafer[]", "die/wafer", "Gross dies.", _per_wafer),
            ("silicon.yield[]", "%", "Good dies over all dies.", _yield),
            ("silicon.raw_die[]", "$/die", "Cost of a die, good or bad.", _raw_die),
            ("silicon.good_die[]", "$/die", "Cost of a known good die.", _good_die),
            ("silicon.dies", "$/package", "Good dies of a package.", _dies),
            ("silicon.memory", "$/package", "Stacked memory of a package.", _memory),
        )
    ),
)
