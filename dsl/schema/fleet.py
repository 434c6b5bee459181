"""`fleet`: demands, platforms and limits, for the cheapest mix."""

from typing import Any

from isocost.dsl.schema.base import block, calendar, flag, kind, quantity, text

ANY = ("*",)
PAIR = ("<scenario>", "*")


@kind("fleet")
class Fleet:
    """Demands, platforms and caps, for the cheapest mix."""

    title: Any = text("Its name in reports.")
    platforms: Any = block("The platforms: scenarios.", "scenario")
    demand__workload: Any = block(
        "The workload of a demand.", "workload", keys=ANY, path="demand[].workload"
    )
    demand__volume: Any = quantity(
        "token/s", "Mean volume of a demand.", keys=ANY, path="demand[].volume"
    )
    demand__peak: Any = quantity(
        "1",
        "Peak of a demand over its mean: capacity is bought for it.",
        keys=ANY,
        path="demand[].peak",
        low=1.0,
    )
    demand__deadline: Any = quantity(
        "day",
        "Time in which a training run must end.",
        keys=ANY,
        path="demand[].deadline",
    )
    demand__penalty: Any = quantity(
        "$/Mtoken",
        "What an unserved token costs; without it a demand must be met.",
        keys=ANY,
        path="demand[].penalty",
    )
    date: Any = calendar("The day for which the fleet is planned.")
    ready: Any = calendar(
        "When software serves a demand on a platform: `ready[PLATFORM, DEMAND]`.",
        keys=PAIR,
    )
    port: Any = quantity(
        "$", "Cost of bringing a demand to a platform, once.", keys=PAIR
    )
    porting_life: Any = quantity(
        "year",
        "Time over which porting is written off.",
        path="porting.life",
        default="3 year",
        source="a model generation or two",
    )
    owned: Any = quantity(
        "chip", "Chips of a platform that are there.", keys=("<scenario>",)
    )
    cap__power: Any = quantity(
        "MW", "Power cap of a site.", keys=("<site>",), path="cap.power[]"
    )
    cap__supply: Any = quantity(
        "chip", "Supply cap of a platform.", keys=("<scenario>",), path="cap.supply[]"
    )
    budget: Any = quantity("$", "Most that may be spent on new systems.")
    integer: Any = flag(
        "Whether systems are bought whole and porting is paid in full.",
        default="false",
        source="edition 2026",
    )
