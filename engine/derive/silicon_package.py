"""From known good dies to the priced chip: carriers, bonds, design, margins.

A package is either bought (`package.price`, lost whole at `package.yield`) or built
up from substrate, carrier and bonds (`package.kind`). Margins apply one after the
other, in any order.
"""

from isocost.engine.derive.common import add_up
from isocost.engine.derive.silicon import ROLE, STATED, count_of, die_path, dies
from isocost.engine.formulas import chip_price, packaging
from isocost.engine.quantities import quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
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


def _carrier(scope: Scope, path: str) -> int:
    """A figure of the package's kind: stated, else as published for the kind."""
    if scope.has(f"{ROLE}.{path}"):
        return scope[f"{ROLE}.{path}"]
    kind = scope.word(f"{ROLE}.package.kind") or "organic"
    if path not in _CARRIERS[kind]:
        raise scope.fail("M001", path=f"silicon.{path}", needed_by="chip.price")
    seen = f"chip.silicon.{path}"
    return scope.assume(f"silicon.{kind}.{path}", _CARRIERS[kind][path], _ACTUARY, seen)


def _area(scope: Scope, _: Keys) -> int:
    parts = [
        scope.apply(
            packaging.silicon_area_of_package,
            area=die_path(name, "area"),
            dies=count_of(scope, name),
        )
        for name in dies(scope)
    ]
    return add_up(scope, parts, "mm^2/package")


def _bonds(scope: Scope, _: Keys) -> int:
    """Dies and memory stacks that are bonded."""
    counts = [
        scope.builder.constant(n) if isinstance(n, float) else scope[n]
        for n in (count_of(scope, name) for name in dies(scope))
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
