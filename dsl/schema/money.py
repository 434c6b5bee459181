"""`site`, `finance`, `exchange`, `scenario`: where it stands, on which terms."""

from typing import Any

from isocost.dsl.schema.base import (
    block,
    calendar,
    call,
    count,
    kind,
    listing,
    quantity,
    share,
    text,
    word,
)
from isocost.dsl.schema.pools import Pools

ANY = ("*",)
#: Classes of asset with a life and a residual value of their own.
ASSETS = (
    "chip",
    "server",
    "network",
    "facility",
    "storage",
    "installation",
    "other",
    "porting",
)


@kind("site")
class Site:
    """Where the systems stand."""

    electricity: Any = quantity("$/kWh", "Price of electricity.")
    pue: Any = quantity("1", "Facility power over IT power.", low=1.0)
    colocation: Any = quantity(
        "$/kW-month", "Rent of space by provisioned power.", excludes=("facility",)
    )
    facility: Any = quantity("$/W", "Capital cost of an owned facility.")
    carbon: Any = quantity("g/kWh", "Carbon intensity of its electricity.")
    power_limit: Any = quantity("MW", "Power that it can deliver to IT.")
    power__load: Any = share(
        "Power drawn over power provisioned, by phase.",
        keys=("inference", "training"),
        path="power.load[]",
    )
    buildings: Any = count("Buildings.")


@kind("finance")
class Finance:
    """Terms on which capital, rent and revenue are counted."""

    tenure: Any = word(
        "How the systems are held.",
        "own",
        "rent",
        "reserved",
        default="own",
        source="edition 2026",
    )
    cost_of_capital: Any = quantity("%/year", "Nominal cost of capital.", bare="1/year")
    compounding: Any = word(
        "How capital recovery is paid.",
        "monthly",
        "annual",
        default="monthly",
        source="SemiAnalysis' TCO model",
    )
    life: Any = quantity(
        "year",
        "Economic life of a class of asset.",
        keys=ASSETS,
        positive=True,
    )
    residual: Any = share(
        "Value at the end of life over the price, by class.",
        keys=ASSETS,
    )
    capex: Any = quantity(
        "$/chip", "Further capital by chip: service contracts, software.", keys=ANY
    )
    spares: Any = share(
        "Spare systems over installed ones, bought and not used.",
        default="0",
        source="left out unless stated",
    )
    price: Any = quantity(
        "$/system",
        "Price of a system in this price book.",
        keys=("<system>", "date?"),
        flow="level",
    )
    price_chip: Any = quantity(
        "$/chip",
        "Price of a chip in this price book.",
        keys=("<chip>", "date?"),
        path="price.chip[]",
        flow="level",
    )
    rental: Any = quantity(
        "$/chip/h",
        "Rent of a chip by term.",
        keys=("<chip>", "*", "date?"),
        flow="level",
    )
    committed: Any = quantity(
        "chip", "Chips reserved; what is needed above them is rented on demand."
    )
    porting: Any = quantity("$", "Cost of bringing the workload to the platform.")
    egress__rate: Any = quantity(
        "GB/s", "Traffic out of the cloud.", path="egress.rate"
    )
    egress__price: Any = quantity(
        "$/GB", "Price of traffic out of the cloud.", path="egress.price"
    )
    term: Any = text("Which term of the rental list holds.")
    sold: Any = share(
        "Chip-hours paid for over chip-hours available.",
        default="100%",
        source="a captive cluster",
        positive=True,
    )
    availability: Any = share(
        "Chip-hours up over chip-hours installed.",
        default="100%",
        source="set it from failures and spares",
        positive=True,
    )
    margin: Any = share("Seller's margin.")
    installation: Any = quantity(
        "$/chip",
        "Installation and commissioning.",
        default="0 $/chip",
        source="left out unless stated",
    )
    storage: Any = quantity(
        "$/chip",
        "Storage and management networks.",
        default="0 $/chip",
        source="left out unless stated",
    )
    maintenance: Any = quantity(
        "%/year",
        "Maintenance over capital cost.",
        bare="1/year",
        default="0%/year",
        source="left out unless stated",
    )
    staff: Any = quantity(
        "$/chip/h",
        "Operating staff and services.",
        default="0 $/chip/h",
        source="left out unless stated",
    )
    fee: Any = quantity(
        "$/server/month", "A monthly fee by server: remote hands, internet.", keys=ANY
    )
    start: Any = calendar("When the money starts to flow.")
    horizon: Any = quantity("year", "How long a project is looked at.")
    revenue: Any = quantity("$/Mtoken", "What a million output tokens sell for.")
    revenue_input: Any = quantity(
        "$/Mtoken", "What a million input tokens sell for.", path="revenue.input"
    )
    revenue_hour: Any = quantity(
        "$/chip/h", "What a sold chip-hour sells for.", path="revenue.hour"
    )
    revenue_decline: Any = quantity(
        "%/year",
        "Share by which what it sells for falls in a year.",
        path="revenue.decline",
        bare="1/year",
        default="0%/year",
        source="level unless stated",
    )
    tax: Any = share("Tax on profit.")
    tax_depreciation: Any = word(
        "How equipment is written off for tax: straight line over its life unless "
        "stated, or by MACRS as five-year property; a facility is straight line.",
        "straight_line",
        "macrs_5",
        path="tax.depreciation",
    )
    debt: Any = share("Share of debt in the capital.")
    debt_rate: Any = quantity(
        "%/year", "Interest on debt.", path="debt.rate", bare="1/year"
    )
    debt_term: Any = quantity(
        "year", "Time in which debt is repaid in level payments.", path="debt.term"
    )
    equity_rate: Any = quantity(
        "%/year", "Return that equity asks for.", path="equity.rate", bare="1/year"
    )


@kind("exchange")
class Exchange:
    """A dated exchange rate."""

    rate: Any = quantity(
        "1", "The rate at a date.", keys=("date",), flow="level", free=True
    )


@kind("source")
class Source:
    """What an `@key` stands for."""

    publisher: Any = text("Who published it.")
    author: Any = text("Who wrote it.")
    date: Any = calendar("When it was published.")
    accessed: Any = calendar("When it was read.")
    url: Any = text("Where it is.")
    kind: Any = word(
        "What sort of source it is.",
        "vendor",
        "analyst",
        "paper",
        "press",
        "measured",
        "filing",
        "derived",
        "model",
        "community",
    )
    note: Any = text("What a reader should know of it.")


@kind("scenario")
class Scenario(Pools):
    """Binds systems, work, software, site and terms; lists only what differs."""

    system: Any = block("The system.", "system")
    fabric: Any = block("The scale-out network.", "fabric")
    workload: Any = block("What is run.", "workload")
    software: Any = block("The stack.", "software")
    site: Any = block("Where it stands.", "site")
    finance: Any = block("On which terms.", "finance")
    supply: Any = block("The supply that feeds it.", "supply")
    size: Any = quantity(
        "chip",
        "How much: chips, systems, power or money; rounded down to whole systems.",
        decision=True,
        positive=True,
    )
    systems: Any = count("How many systems.", "system", decision=True, positive=True)
    date: Any = calendar("The date at which dated quantities are read.")
    objective: Any = listing(
        "What `auto` makes smallest; of throughput, MFU, MBU and the like, largest."
    )
    load: Any = share(
        "Mean demand over capacity within the SLO.",
        default="100%",
        source="runs full",
        positive=True,
    )
    ettr: Any = share(
        "Productive time over wall time of a training job.",
        default="100%",
        source="no failures unless stated",
        positive=True,
    )
    cost__allocation: Any = call(
        "How cost is split over input and output tokens: `time` or `ratio(r)`, an "
        "output token bearing r times as much as an input token.",
        words=("time", "ratio"),
        default="time",
        default_source="edition 2026",
    )
    title: Any = text("Its name in reports.")


@kind("report")
class Report:
    """What a report holds."""

    title: Any = text("The claim of the cover.")
    subtitle: Any = text("The line below it.")
    compare: Any = block("The scenarios that it compares.", "scenario")
    baseline: Any = block("The scenario that others are held against.", "scenario")
    metrics: Any = listing("The metrics of its tables.")
    sections: Any = listing("The sections, in order.")
    exhibits: Any = listing("The exhibits: `tornado(M)`, `frontier(A, B)`, …")
    as_of: Any = calendar("The date that it speaks for.")
    holds: Any = listing("The condition without which no report is made.")
    author: Any = text("Who signs it.")
    house: Any = text("The name in the running head.")
    confidentiality: Any = text("The line at the foot.")


@kind("policy")
class Policy:
    """What a review refuses."""

    watch: Any = listing("The metrics that it watches.")
    deny: Any = listing("A condition that it refuses.", keys=ANY)
