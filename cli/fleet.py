"""`isocost fleet`: the cheapest mix of platforms, and what its prices say."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.engine.fleet_answer import FleetAnswer

HELP = "find the cheapest mix of platforms for the demands"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format, add_set

    add_file(parser)
    parser.add_argument(
        "-f", "--fleet", action="append", default=[], help="which fleet (default: all)"
    )
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Solve the fleets; 1 if the file is at fault or a fleet has no mix."""
    from isocost._shared import SCHEMA, complain, ready, show, write_json
    from isocost.engine.fleet_answer import answer
    from isocost.engine.fleet_case import fleet_case, fleets_of
    from isocost.engine.scope import MissingInputError

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    blocks = fleets_of(checked)
    unknown = set(args.fleet) - {block.label for block in blocks}
    if not blocks:
        complain(f"{args.file}: there is no fleet in it")
        return 1
    if unknown:
        complain(f"{args.file}: there is no fleet {min(unknown)} in it")
        return 2
    answers = []
    for block in blocks:
        if args.fleet and block.label not in args.fleet:
            continue
        try:
            answers.append(answer(fleet_case(checked, block)))
        except MissingInputError as error:
            sys.stderr.write(show([error.diagnostic], checked) + "\n")
            return 1
    if args.format == "json":
        fleets = {one.case.name: as_json(one) for one in answers}
        write_json({"schema": SCHEMA, "fleets": fleets})
    else:
        sys.stdout.write("\n".join(as_text(one) for one in answers))
    return 1 if any(one.mix.status == "infeasible" for one in answers) else 0


def as_json(found: "FleetAnswer") -> dict[str, Any]:
    """The mix with its prices; money is by month."""
    mix = found.mix
    return {
        "status": mix.status,
        "cost": mix.cost,
        "fractional_cost": mix.fractional_cost,
        "unit": "$/month",
        "gap": mix.gap,
        "platforms": [
            {
                "platform": one.platform,
                "bought": one.bought,
                "owned": one.owned,
                "used": one.used,
                "cost": one.cost,
                "chips": (one.bought + one.owned)
                * found.case.figures[one.platform].chips,
            }
            for one in mix.holdings
        ],
        "assignments": [
            {
                "demand": one.demand,
                "platform": one.platform,
                "share": one.share,
                "systems": one.units,
            }
            for one in mix.assignments
        ],
        "unserved": dict(mix.unserved),
        "prices": [
            {
                "kind": one.price.kind,
                "name": one.price.name,
                "price": one.price.price,
                "unit": one.price.unit,
                "amount": one.price.amount,
                "low": one.price.low,
                "high": one.price.high,
                "meaning": one.meaning,
            }
            for one in found.prices
        ],
        "turning": [
            {
                "platform": one.platform,
                "bought": one.bought,
                "cost": one.cost,
                "threshold": one.threshold,
                "system_price": one.price,
                "system_price_threshold": one.price_threshold,
                "wins": dict(one.wins),
            }
            for one in found.turns
        ],
        "conflict": list(found.conflict),
        "reasons": [
            {"demand": demand, "platform": platform, "reason": reason}
            for (demand, platform), reason in found.case.fleet.reasons.items()
        ],
    }


def as_text(found: "FleetAnswer") -> str:
    """The mix in tables, then what it says."""
    from isocost._shared import digits

    mix, name = found.mix, found.case.title or found.case.name
    if mix.status == "infeasible":
        lines = "".join(f"  {line}\n" for line in found.conflict)
        return f"{name}: no mix serves the demands\n{lines}"
    out = [f"{name}: {digits(mix.cost)} $ a month"]
    whole = mix.cost - mix.fractional_cost
    if found.case.fleet.integer and whole > 0:
        out[0] += f", of which {digits(whole)} $ for buying whole systems"
    out += ["", _holdings(found), "", _assignments(found)]
    if mix.unserved:
        left = ", ".join(f"{share:.1%} of {d}" for d, share in mix.unserved.items())
        out += ["", f"not served: {left}"]
    out += ["", _prices(found), "", _turning(found), *_apart(found)]
    reasons = found.case.fleet.reasons
    for (demand, platform), reason in reasons.items():
        out.append(f"{platform} does not serve {demand}: {reason}")
    return "\n".join(out) + "\n"


def _holdings(found: "FleetAnswer") -> str:
    from isocost._shared import digits, write_table

    rows = [("platform", "bought", "owned", "used", "chips", "$/month")]
    for one in found.mix.holdings:
        chips = (one.bought + one.owned) * found.case.figures[one.platform].chips
        numbers = (one.bought, one.owned, one.used, chips, one.cost)
        rows.append((one.platform, *map(digits, numbers)))  # type: ignore[arg-type]
    return write_table(rows, "<>>>>>")


def _assignments(found: "FleetAnswer") -> str:
    from isocost._shared import digits, write_table

    rows = [("demand", "platform", "share", "systems")]
    rows += [
        (one.demand, one.platform, f"{one.share:.1%}", digits(one.units))
        for one in found.mix.assignments
    ]
    return write_table(rows, "<<>>")


def _prices(found: "FleetAnswer") -> str:
    from isocost._shared import digits, write_table

    rows = [("at the margin", "price", "unit", "holds from", "to", "meaning")]
    for one in found.prices:
        price = one.price
        ends = [
            digits(end) if end is not None else "" for end in (price.low, price.high)
        ]
        rows.append(
            (price.name, digits(price.price), price.unit, *ends, one.meaning)  # type: ignore[arg-type]
        )
    return write_table(rows, "<><>><")


def _apart(found: "FleetAnswer") -> list[str]:
    """What the month of a new system leaves out, which goes with its use."""
    if not any(one.energy for one in found.case.figures.values()):
        return []
    return ["$/month of a new system, its energy apart: that is paid with its use"]


def _turning(found: "FleetAnswer") -> str:
    from isocost._shared import digits, write_table

    head = ("platform", "in the mix", "$/month", "up to", "system price", "up to")
    rows = [head]
    for one in found.turns:
        prices = [
            digits(price) if price is not None else ""
            for price in (one.price, one.price_threshold)
        ]
        costs = (digits(one.cost), digits(one.threshold))
        rows.append((one.platform, "yes" if one.bought else "no", *costs, *prices))  # type: ignore[arg-type]
    return write_table(rows, "<<>>>>")
