"""`system` (a scale-up domain) and `fabric` (the scale-out network)."""

from typing import Any

from isocost.dsl.schema.base import (
    block,
    call,
    count,
    kind,
    quantity,
    share,
    text,
    word,
)

CLASSES = (
    "chip",
    "server",
    "scale_up",
    "back_end",
    "front_end",
    "storage",
    "management",
    "installation",
    "facility",
    "network",
    "other",
)


@kind("system", counts="system")
class System:
    """One scale-up domain as it is bought: chips, their links, hosts and racks."""

    vendor: Any = text("Who sells it.")
    chip: Any = block("The accelerator in it.", "chip")
    chips: Any = count("Accelerators in it.", "chip")
    servers: Any = count("Servers in it.", "server")
    racks: Any = quantity("rack", "Racks that it takes.")
    topology: Any = call(
        "How the chips are joined: `torus(x = 4, y = 4)`, `switch()`, …"
    )
    topology__link: Any = block(
        "The link of each axis or tier.", "link", keys=("*",), path="topology.link[]"
    )
    switches: Any = count("Switch chips inside the domain.")
    scale_out__bandwidth: Any = quantity(
        "Gbit/s/chip", "Bandwidth of each chip to the scale-out network, one way."
    )
    scale_out__latency: Any = quantity(
        "us", "Time of one small message to another system."
    )
    power: Any = quantity("kW", "Power provisioned for it at the rack, all in.")
    host_power: Any = quantity("kW", "Power of hosts, NICs and fans together.")
    price: Any = quantity("$", "Price of it, chips included.")
    item__part: Any = block(
        "A part on its bill.", "part", keys=("*",), path="item[].part"
    )
    item__count: Any = quantity(
        "1", "How many of an item one system takes.", keys=("*",), path="item[].count"
    )
    item__price: Any = quantity(
        "$", "Price of one of an item.", keys=("*",), path="item[].price"
    )
    item__power: Any = quantity(
        "W", "Power of one of an item.", keys=("*",), path="item[].power"
    )
    item__class: Any = word(
        "The class of asset that an item belongs to.",
        *CLASSES,
        keys=("*",),
        path="item[].class",
    )
    failure_rate: Any = quantity("/year", "Failures that stop one system.")
    repair_time: Any = quantity("h", "From a failure to service again.")
    embodied: Any = quantity("kg", "Embodied carbon of one system (CO2e).")
    note: Any = text("What a reader should know, by subject.", keys=("*",))


@kind("fabric")
class Fabric:
    """The scale-out network that joins systems."""

    topology: Any = call("Its design: `fat_tree(radix = 64, tiers = 2)`, …")
    tier__switch: Any = block(
        "The switch of a tier, from the chips up.",
        "part",
        keys=("*",),
        path="tier[].switch",
    )
    tier__link: Any = block(
        "The links that go up from a tier; `port` for those of the chips.",
        "link",
        keys=("*",),
        path="tier[].link",
    )
    tier__oversubscription: Any = quantity(
        "1",
        "Bandwidth down over bandwidth up of a tier.",
        keys=("*",),
        low=1.0,
        path="tier[].oversubscription",
    )
    tier__length: Any = quantity(
        "m",
        "Length of the links that go up from a tier.",
        keys=("*",),
        path="tier[].length",
    )
    bandwidth: Any = quantity("Gbit/s/chip", "Bandwidth of each chip into it, one way.")
    latency: Any = quantity("us", "Time of one small message across it.")
    efficiency: Any = share("Share of the bandwidth that collectives sustain.")
    oversubscription: Any = quantity(
        "1", "Bandwidth down over bandwidth up, where one figure is enough.", low=1.0
    )
    rails: Any = count("Rails.")
    planes: Any = count("Planes.")
    load_balance: Any = word("How flows are spread.", "ecmp", "adaptive", "spray")
    nic: Any = block(
        "The NIC; on the network's bill unless the system's has an item `nic`.", "part"
    )
    price: Any = quantity("$/chip", "Price of the network, by chip that it joins.")
    power: Any = quantity("W/chip", "Power of the network, by chip that it joins.")
    note: Any = text("What a reader should know, by subject.", keys=("*",))
