"""`silicon` and `supply`: how a chip's cost is built, and how many can be had."""

from typing import Any

from isocost.dsl.schema.base import block, count, kind, quantity, share, text, word

ANY = ("*",)
_ACTUARY = "Chiplet Actuary, DAC 2022"


@kind("silicon")
class Silicon:
    """How a chip's cost is built, from the wafer to the priced package."""

    die__area: Any = quantity("mm^2", "Area of a die.", keys=ANY, path="die[].area")
    die__count: Any = count(
        "Dies of this sort in a package.", keys=ANY, path="die[].count"
    )
    die__wafer: Any = quantity(
        "$/wafer", "Price of a processed wafer.", keys=ANY, path="die[].wafer"
    )
    die__defects: Any = quantity(
        "/cm^2", "Defect density, all layers together.", keys=ANY, path="die[].defects"
    )
    die__layer_defects: Any = quantity(
        "/cm^2/layer",
        "Defect density of one critical layer.",
        keys=ANY,
        path="die[].layer_defects",
    )
    die__layers: Any = quantity(
        "layer", "Critical layers.", keys=ANY, path="die[].layers"
    )
    die__test: Any = quantity("$", "Test of a die.", keys=ANY, path="die[].test")
    die__line: Any = share(
        "Wafers that leave the line over wafers started.",
        keys=ANY,
        path="die[].line",
        default="100%",
        source="lost wafers are in the wafer's price",
    )
    die__cores: Any = count("Cores built on a die.", keys=ANY, path="die[].cores")
    die__cores_needed: Any = count(
        "Cores that must work for a die to be sold.",
        keys=ANY,
        path="die[].cores_needed",
    )
    die__core_share: Any = share(
        "Share of a die's area in its cores.", keys=ANY, path="die[].core_share"
    )
    wafer__diameter: Any = quantity(
        "mm",
        "Diameter of a wafer.",
        path="wafer.diameter",
        default="300 mm",
        source="all leading nodes",
    )
    wafer__edge: Any = quantity(
        "mm",
        "Rim of a wafer that holds no dies.",
        path="wafer.edge",
        default="5 mm",
        source=_ACTUARY,
    )
    wafer__scribe: Any = quantity(
        "mm",
        "Width of the lane between dies.",
        path="wafer.scribe",
        default="0.2 mm",
        source=_ACTUARY,
    )
    yield_model: Any = word(
        "Model of yield.",
        "poisson",
        "murphy",
        "seeds",
        "negative_binomial",
        "bose_einstein",
        default="negative_binomial",
        source="what foundries quote",
        path="yield.model",
    )
    clustering: Any = quantity(
        "1",
        "Clustering of defects.",
        default="3",
        source="usual range is 2 to 5",
        path="yield.clustering",
    )
    hbm__price: Any = quantity("$/GB", "Price of stacked memory.", path="hbm.price")
    hbm__capacity: Any = quantity(
        "GB", "Stacked memory of a package.", path="hbm.capacity"
    )
    hbm__stacks: Any = count("Memory stacks of a package.", path="hbm.stacks")
    package__price: Any = quantity(
        "$", "Interposer, substrate and assembly.", path="package.price"
    )
    package__yield: Any = share(
        "Share of packages that come out good.", path="package.yield"
    )
    package__kind: Any = word(
        "What carries the dies, where the package's price is built up.",
        "organic",
        "fan_out",
        "interposer",
        path="package.kind",
    )
    package__order: Any = word(
        "Whether dies are bonded to a finished carrier or it is built on them.",
        "chip_last",
        "chip_first",
        default="chip_last",
        source="what CoWoS does",
        path="package.order",
    )
    package__bond: Any = share("Yield of bonding one die.", path="package.bond")
    package__seat: Any = share(
        "Yield of bonding a carrier to its substrate.",
        path="package.seat",
        default="99%",
        source=_ACTUARY,
    )
    package__bump: Any = quantity(
        "$/mm^2", "Price of the bumps below a die.", path="package.bump"
    )
    substrate__price: Any = quantity(
        "$/mm^2",
        "Price of a substrate by area.",
        path="substrate.price",
        default="0.005 $/mm^2",
        source=_ACTUARY,
    )
    substrate__scale: Any = quantity(
        "1",
        "Area of a substrate over the area of what it carries.",
        path="substrate.scale",
        default="4",
        source=_ACTUARY,
    )
    carrier__wafer: Any = quantity(
        "$/wafer", "Price of a wafer of interposers.", path="carrier.wafer"
    )
    carrier__scale: Any = quantity(
        "1", "Area of an interposer over that of its dies.", path="carrier.scale"
    )
    carrier__defects: Any = quantity(
        "/cm^2", "Defect density of an interposer.", path="carrier.defects"
    )
    carrier__clustering: Any = quantity(
        "1", "Clustering of an interposer's defects.", path="carrier.clustering"
    )
    carrier__bump: Any = quantity(
        "$/mm^2",
        "Price of the bumps below an interposer.",
        path="carrier.bump",
        default="0.005 $/mm^2",
        source=_ACTUARY,
    )
    test: Any = quantity(
        "$", "Test of a package.", default="0 $", source="left out unless stated"
    )
    nre: Any = quantity("$", "Design and masks.")
    volume: Any = quantity("chip", "Chips over which design and masks are spread.")
    margin: Any = share("Gross margin of a party.", keys=ANY)
    note: Any = text("What a reader should know, by subject.", keys=ANY)


@kind("supply")
class Supply:
    """Dated volumes, caps and lead times."""

    volume: Any = quantity(
        "chip", "Chips delivered in a period.", keys=("<chip>", "date"), flow="flow"
    )
    cap: Any = quantity(
        "1",
        "Most of a resource in a period.",
        keys=("*", "date"),
        flow="flow",
        free=True,
    )
    need: Any = quantity(
        "1",
        "Units of a resource that one chip takes, where it is not derived.",
        keys=("<chip>", "*"),
        free=True,
    )
    stored: Any = text("Why what is left of a resource keeps for later.", keys=ANY)
    lead: Any = quantity("month", "Lead time of a resource.", keys=ANY)
    unmet: Any = word(
        "What becomes of volume that cannot be made.",
        "late",
        "lost",
        default="late",
        source="edition 2026",
    )
    rule: Any = word(
        "How a short resource is shared out over chips.",
        "proportional",
        "priority",
        default="proportional",
        source="edition 2026",
    )
    system: Any = block(
        "The system that a chip goes into, for its cables, parts and power.",
        "system",
        keys=("<chip>",),
    )
    supplier: Any = text("Who supplies a resource.", keys=ANY)
    share: Any = share("Share of a supplier or a buyer.", keys=ANY, path="share[]")
    note: Any = text("What a reader should know, by subject.", keys=ANY)
