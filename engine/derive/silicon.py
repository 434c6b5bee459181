"""From the wafer to the priced chip, where a chip names its `silicon`.

A package is either bought (`package.price`, lost whole at `package.yield`) or built
up from substrate, carrier and bonds (`package.kind`). Margins apply one after the
other, in any order.
"""

from isocost.engine.derive.common import add_up
from isocost.engine.formulas import chip_parts, chip_price, packaging, silicon
from isocost.engine.quantities import When, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
#: Where the chip's silicon is bound.
ROLE = "chip.silicon"
STATED = When("where the chip names its `silicon`", lambda s: s.block(ROLE) is not None)
_ACTUARY = "Chiplet Actuary, DAC 2022"
#: Values of carriers that are not stated, by kind.
_CARRIERS = {
    "fan_out": {
        "carrier.wafer": "1200 $/wafer",
        "carrier.scale": "1.2",
        "carrier.defects": "0.05 /cm^2",
        "carrier.clustering": "3",
        "package.bond": "98%",
        "package.bump": "0.01 $/mm^2",
    },
    "interposer": {
        "carrier.wafer": "1937 $/wafer",
        "carrier.scale": "1.1",
        "carrier.defects": "0.06 /cm^2",
        "carrier.clustering": "6",
        "package.bond": "95%",
        "package.bump": "0.01 $/mm^2",
    },
    "organic": {"package.bond": "99%", "package.bump": "0.005 $/mm^2"},
}


def dies(scope: Scope) -> list[str]:
    """The sorts of die in the package."""
    return scope.keys(ROLE, "die[].area")


def _die(name: str, field: str) -> str:
    return f"{ROLE}.die[{name}].{field}"


def _count(scope: Scope, name: str) -> "str | float":
    return _die(name, "count") if scope.has(_die(name, "count")) else 1.0


def _carrier(scope: Scope, path: str) -> int:
    """A figure of the package's kind: stated, else as published for the kind."""
    if scope.has(f"{ROLE}.{path}"):
        return scope[f"{ROLE}.{path}"]
    kind = scope.word(f"{ROLE}.package.kind") or "organic"
    if path not in _CARRIERS[kind]:
        raise scope.fail("M001", path=f"silicon.{path}", needed_by="chip.price")
    return scope.assume(f"silicon.{kind}.{path}", _CARRIERS[kind][path], _ACTUARY)


# Dies.


def _per_wafer(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        silicon.dies_per_wafer_scribed,
        diameter=f"{ROLE}.wafer.diameter",
        edge=f"{ROLE}.wafer.edge",
        scribe=f"{ROLE}.wafer.scribe",
        area=_die(keys[0], "area"),
    )


def _defects(scope: Scope, name: str) -> int:
    """Defects of all layers together: stated so, or by layer times layers."""
    if scope.has(_die(name, "defects")) or not scope.has(_die(name, "layer_defects")):
        return scope[_die(name, "defects")]
    return scope.apply(
        silicon.defects_of_layers,
        layer_defects=_die(name, "layer_defects"),
        layers=_die(name, "layers"),
    )


def _yield_of(scope: Scope, name: str, area: int) -> int:
    """The yield of an area by the model that the block names."""
    model = scope.word(f"{ROLE}.yield.model")
    where = Node(area)
    if model == "bose_einstein":
        return scope.apply(
            silicon.yield_bose_einstein,
            area=where,
            layer_defects=_die(name, "layer_defects"),
            layers=_die(name, "layers"),
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
    name, area = keys[0], _die(keys[0], "area")
    if scope.has(_die(name, "cores_needed")):
        share = _die(name, "core_share")
        cores = _die(name, "cores")
        core = scope.apply(
            chip_parts.core_area, area=area, core_share=share, cores=cores
        )
        rest = scope.apply(chip_parts.uncore_area, area=area, core_share=share)
        good = scope.apply(
            chip_parts.yield_with_spare_cores,
            cores_needed=_die(name, "cores_needed"),
            cores=cores,
            core_yield=Node(_yield_of(scope, name, core)),
            uncore_yield=Node(_yield_of(scope, name, rest)),
        )
    else:
        good = _yield_of(scope, name, scope[area])
    if not scope.has(_die(name, "line")):
        return good
    return scope.apply(
        silicon.yield_of_line, line_yield=_die(name, "line"), die_yield=Node(good)
    )


def _raw_die(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        silicon.raw_die_cost,
        wafer_price=_die(keys[0], "wafer"),
        dies_per_wafer=f"silicon.dies_per_wafer[{keys[0]}]",
    )


def _good_die(scope: Scope, keys: Keys) -> int:
    test = _die(keys[0], "test")
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
            dies=_count(scope, name),
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


# The package.


def _area(scope: Scope, _: Keys) -> int:
    parts = [
        scope.apply(
            packaging.silicon_area_of_package,
            area=_die(name, "area"),
            dies=_count(scope, name),
        )
        for name in dies(scope)
    ]
    return add_up(scope, parts, "mm^2/package")


def _bonds(scope: Scope, _: Keys) -> int:
    """Dies and memory stacks that are bonded."""
    counts = [
        scope.builder.constant(n) if isinstance(n, float) else scope[n]
        for n in (_count(scope, name) for name in dies(scope))
    ]
    if scope.has(f"{ROLE}.hbm.stacks"):
        counts.append(scope[f"{ROLE}.hbm.stacks"])
    return add_up(scope, counts, "die/package")


def _bumps(scope: Scope, _: Keys) -> int:
    return scope.apply(
        packaging.bump_cost,
        silicon_area="silicon.area",
        bump_price=Node(_carrier(scope, "package.bump")),
    )


def _bonding(scope: Scope, _: Keys) -> int:
    bond = Node(_carrier(scope, "package.bond"))
    return scope.apply(packaging.yield_of_bonding, bond=bond, dies="silicon.bonds")


def _carrier_area(scope: Scope, _: Keys) -> int:
    return scope.apply(
        packaging.carrier_area,
        silicon_area="silicon.area",
        scale=Node(_carrier(scope, "carrier.scale")),
    )


def _carrier_yield(scope: Scope, _: Keys) -> int:
    return scope.apply(
        packaging.yield_of_interposer,
        interposer_area="silicon.carrier.area",
        defects=Node(_carrier(scope, "carrier.defects")),
        clustering=Node(_carrier(scope, "carrier.clustering")),
    )


def _carrier_cost(scope: Scope, _: Keys) -> int:
    if scope.word(f"{ROLE}.package.kind") == "organic":
        return scope.builder.constant(0.0)
    per_wafer = scope.apply(
        packaging.interposers_per_wafer,
        diameter=f"{ROLE}.wafer.diameter",
        edge=f"{ROLE}.wafer.edge",
        scribe=f"{ROLE}.wafer.scribe",
        interposer_area="silicon.carrier.area",
    )
    return scope.apply(
        packaging.interposer_cost,
        wafer_price=Node(_carrier(scope, "carrier.wafer")),
        per_wafer=Node(per_wafer),
        interposer_area="silicon.carrier.area",
        bump_price=f"{ROLE}.carrier.bump",
    )


def _substrate(scope: Scope, _: Keys) -> int:
    organic = scope.word(f"{ROLE}.package.kind") == "organic"
    below = "silicon.area" if organic else "silicon.carrier.area"
    area = Node(
        scope.apply(
            packaging.carrier_area,
            silicon_area=below,
            scale=f"{ROLE}.substrate.scale",
        )
    )
    layers: Node | float = 1.0
    if organic:
        layers = Node(
            scope.apply(
                packaging.substrate_layers, substrate_area=area, dies="silicon.bonds"
            )
        )
    return scope.apply(
        packaging.substrate_cost,
        substrate_area=area,
        substrate_price=f"{ROLE}.substrate.price",
        layer_factor=layers,
    )


def _lost_package(scope: Scope, _: Keys) -> int:
    if scope.word(f"{ROLE}.package.kind") == "organic":
        return scope.apply(
            packaging.lost_package_organic,
            raw_package="silicon.substrate",
            bonding_yield="silicon.bonding",
        )
    shared = {
        "interposer": "silicon.carrier",
        "substrate": "silicon.substrate",
        "interposer_yield": "silicon.carrier.yield",
        "substrate_yield": f"{ROLE}.package.seat",
    }
    if scope.word(f"{ROLE}.package.order") == "chip_first":
        return scope.apply(packaging.lost_package_chip_first, **shared)
    return scope.apply(
        packaging.lost_package_chip_last, bonding_yield="silicon.bonding", **shared
    )


def _lost_dies(scope: Scope, _: Keys) -> int:
    content = Node(add_up(scope, _contents(scope), "$/package"))
    seat = f"{ROLE}.package.seat"
    if scope.word(f"{ROLE}.package.kind") == "organic":
        return scope.apply(
            packaging.lost_chips_organic,
            chips_cost=content,
            bonding_yield="silicon.bonding",
        )
    if scope.word(f"{ROLE}.package.order") == "chip_first":
        return scope.apply(
            packaging.lost_chips_chip_first,
            chips_cost=content,
            interposer_yield="silicon.carrier.yield",
            substrate_yield=seat,
        )
    return scope.apply(
        packaging.lost_chips_chip_last,
        chips_cost=content,
        bonding_yield="silicon.bonding",
        substrate_yield=seat,
    )


def _contents(scope: Scope) -> list[int]:
    """What a bad bond scraps: dies with their bumps, and memory."""
    parts = [scope["silicon.dies"], scope["silicon.bumps"]]
    if scope.has(f"{ROLE}.hbm.price"):
        parts.append(scope["silicon.memory"])
    return parts


def _built_up(scope: Scope) -> int:
    parts = [*_contents(scope), scope["silicon.carrier"], scope["silicon.substrate"]]
    parts += [scope["silicon.lost_package"], scope["silicon.lost_dies"]]
    parts.append(scope[f"{ROLE}.test"])
    return add_up(scope, parts, "$/package")


def _package(scope: Scope, _: Keys) -> int:
    """Cost of a good, tested package with all that is in it."""
    if scope.has(f"{ROLE}.package.kind"):
        return _built_up(scope)
    whole = f"{ROLE}.package.yield"
    return scope.apply(
        packaging.assembled_cost,
        chips_cost="silicon.dies",
        memory_cost="silicon.memory",
        raw_package=f"{ROLE}.package.price",
        assembly_yield=whole if scope.has(whole) else 1.0,
        package_test=f"{ROLE}.test",
    )


def _design(scope: Scope, _: Keys) -> int:
    if not scope.has(f"{ROLE}.nre"):
        return scope.builder.constant(0.0)
    return scope.apply(
        chip_price.nre_of_chip, nre=f"{ROLE}.nre", volume=f"{ROLE}.volume"
    )


def _price(scope: Scope, _: Keys) -> int:
    """The chip's cost with every party's margin on it."""
    node = scope["silicon.cost"]
    for party in scope.keys(ROLE, "margin[]"):
        node = scope.apply(
            chip_price.price_of_chip,
            chip_cost=Node(node),
            margin=f"{ROLE}.margin[{party}]",
        )
    return node


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
            ("silicon.area", "mm^2/package", "Area of all dies.", _area),
            ("silicon.bonds", "die/package", "Dies and stacks bonded.", _bonds),
            ("silicon.bumps", "$/package", "Bumps below the dies.", _bumps),
            ("silicon.bonding", "%", "Yield of bonding all dies.", _bonding),
            ("silicon.carrier", "$/package", "Interposer.", _carrier_cost),
            (
                "silicon.carrier.area",
                "mm^2/package",
                "Area of the interposer.",
                _carrier_area,
            ),
            ("silicon.carrier.yield", "%", "Yield of interposers.", _carrier_yield),
            ("silicon.substrate", "$/package", "Substrate.", _substrate),
            ("silicon.lost_package", "$/package", "Packages lost.", _lost_package),
            ("silicon.lost_dies", "$/package", "Good dies lost.", _lost_dies),
            ("silicon.package", "$/package", "A good, tested package.", _package),
            ("silicon.design", "$/chip", "Design borne by one chip.", _design),
        )
    ),
    quantity(
        "silicon.cost",
        "$/chip",
        "Cost of a chip, before anybody's margin.",
        chip_price.cost_of_chip,
        when=STATED,
        package_cost="silicon.package",
        packages=1.0,
        nre_per_chip="silicon.design",
    ),
    quantity(
        "chip.price", "$/chip", "Price of a chip by its silicon.", _price, when=STATED
    ),
    quantity(
        "silicon.margin",
        "%",
        "Gross margin in the chip's price over its silicon's cost.",
        chip_price.margin_of_chip,
        when=STATED,
        chip_cost="silicon.cost",
        chip_price="chip.price",
    ),
)
