"""`chip`: one accelerator as sold, and the links and parts around it."""

from typing import Any

from isocost.dsl.schema.base import (
    block,
    calendar,
    count,
    kind,
    listing,
    quantity,
    share,
    text,
    word,
)

FORMATS = ("fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4", "int8", "int4")
ANY = ("*",)


@kind("chip", counts="chip")
class Chip:
    """One accelerator as it is sold; a superchip of two GPUs counts as two."""

    vendor: Any = text("Who sells it.")
    family: Any = text("The generation that software stacks are calibrated on.")
    released: Any = calendar("When the first systems with it were available.")
    process: Any = text("The foundry's node of the compute dies.")
    packaging: Any = text("How dies and memory are joined.")
    peak: Any = quantity(
        "TFLOP/s",
        "Peak dense rate of matrix multiplication, by number format.",
        keys=FORMATS,
        positive=True,
    )
    peak_sparse: Any = quantity(
        "TFLOP/s",
        "Peak rate with structured sparsity, by number format.",
        keys=FORMATS,
        path="peak.sparse[]",
        positive=True,
    )
    unsupported: Any = listing(
        "Number formats that its matrix engines lack, as the vendor states."
    )
    memory__capacity: Any = quantity(
        "GiB", "Capacity of the device memory.", positive=True
    )
    memory__usable: Any = quantity(
        "GiB",
        "Memory that software sees, where it is less than the capacity.",
        positive=True,
    )
    memory__bandwidth: Any = quantity(
        "TB/s", "Peak bandwidth of the device memory.", positive=True
    )
    memory__type: Any = text("The kind of memory, as `HBM3E`.")
    memory__pin_rate: Any = quantity("Gbit/s", "Rate of one memory data pin.")
    sram: Any = quantity("MiB", "On-chip memory that matrix engines read from.")
    cores: Any = count("Cores of the kind that the vendor names.")
    engine_width: Any = count("Rows of a systolic array, or the tile of a tensor core.")
    clock: Any = quantity("GHz", "Clock of the matrix engines.", positive=True)
    power: Any = quantity("W", "Thermal design power.")
    hbm__stacks: Any = count("Stacks of high-bandwidth memory.")
    hbm__stack_capacity: Any = quantity("GB", "Capacity of one stack.")
    die__count: Any = count("Compute dies in the package.")
    die__area: Any = quantity("mm^2", "Area of one compute die.")
    scale_up__bandwidth: Any = quantity(
        "GB/s", "Bandwidth to its scale-up domain, one way, all links together."
    )
    scale_up__domain: Any = count("Chips of the largest scale-up domain.", "chip")
    scale_out__bandwidth: Any = quantity(
        "Gbit/s", "Bandwidth to the scale-out network, one way."
    )
    price: Any = quantity("$", "What the system's builder pays for one chip.")
    silicon: Any = block("How its cost is built from the wafer up.", "silicon")
    embodied: Any = quantity("kg", "Embodied carbon of one chip (CO2e).")
    failure_rate: Any = quantity("/year", "Failures that stop a chip.")


@kind("link")
class Link:
    """One connection between two ends, and what carries it."""

    generation: Any = text(
        "Fabric that collective libraries were calibrated on: `nvlink4`, `ici`, …"
    )
    bandwidth: Any = quantity("GB/s", "Bandwidth of one link, one way.", positive=True)
    latency: Any = quantity(
        "us", "Time of one small message over one hop; calibrated where left out."
    )
    efficiency: Any = share(
        "Share of the bandwidth that payload reaches.", positive=True
    )
    lanes: Any = count("Lanes of one link.")
    lane_rate: Any = quantity("Gbit/s", "Raw rate of one lane, one way.", positive=True)
    encoding: Any = share("Payload bits over line bits (128b/130b is 0.985).")
    medium: Any = word(
        "What carries it.", "pcb", "backplane", "dac", "aec", "aoc", "optical"
    )
    reach: Any = quantity("m", "Longest run that the medium allows.")
    cable: Any = block("The cable.", "part")
    ends: Any = block("The part at each end, as a transceiver.", "part")
    links_per_cable: Any = count("Links that share one cable.")
    failure_rate: Any = quantity("/year", "Failures of one link.")


@kind("part", counts="part")
class Part:
    """A thing on a bill of materials."""

    role: Any = word(
        "What it is, for classes of the bill.",
        "switch",
        "nic",
        "cable",
        "transceiver",
        "connector",
        "cpu",
        "memory",
        "chassis",
        "storage",
        "cooling",
        "power",
        "other",
        path="class",
    )
    supplier: Any = text("Who makes it.")
    radix: Any = count("Ports of a switch.")
    port_speed: Any = quantity("Gbit/s", "Rate of one port, one way.")
    capacity: Any = quantity("GB", "Capacity of a memory or a drive.")
    reach: Any = quantity("m", "Longest run of a cable or a transceiver.")
    price: Any = quantity("$", "What the builder pays for one.")
    power: Any = quantity("W", "Power of one, without its transceivers.")
    failure_rate: Any = quantity("/year", "Failures of one.")
