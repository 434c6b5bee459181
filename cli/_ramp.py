"""A supply plan as a table and as JSON, for `isocost eval`."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.supply_plan import SupplyPlan


def plans(evaluation: "Evaluation", scenarios: list[str]) -> "dict[str, SupplyPlan]":
    """The plan of each scenario whose supply states volumes and can be run."""
    from isocost.engine.scope import MissingInputError
    from isocost.engine.supply_plan import has_supply, supply_plan

    out = {}
    for name in scenarios:
        if not has_supply(evaluation, name):
            continue
        try:
            out[name] = supply_plan(evaluation, name)
        except MissingInputError as error:
            evaluation.diagnostics.append(error.diagnostic)
    return out


def as_text(plan: "SupplyPlan") -> str:
    """Deliveries by quarter, what held them back, and how full each resource is."""
    from isocost._shared import digits, write_table

    rows = [("quarter", "chip", "wanted", "delivered", "held back by")]
    rows += [
        (
            plan.quarters[line.period],
            line.product,
            digits(line.wanted),
            digits(line.delivered),
            line.binding or "",
        )
        for line in plan.lines
        if line.wanted
    ]
    out = [write_table(rows, "<<>><")]
    capped = [r for r in plan.units if any(map(math.isfinite, plan.room(r)))]
    if capped:
        used = [("resource", "unit", *plan.quarters)]
        used += [(name, plan.units[name], *_shares(plan, name)) for name in capped]
        out.append(write_table(used, "<<" + ">" * len(plan.quarters)))
    paid = [f"{who or 'not named'} {share:.0%}" for who, share in plan.shares.items()]
    if paid:
        out.append("paid to: " + ", ".join(paid))
    return "\n\n".join(out)


def _shares(plan: "SupplyPlan", resource: str) -> list[str]:
    """How full a resource is in each quarter; empty where it has no cap."""
    pairs = zip(plan.required(resource), plan.room(resource), strict=True)
    return [
        f"{used / room:.0%}" if math.isfinite(room) and room else ""
        for used, room in pairs
    ]


def as_json(plan: "SupplyPlan") -> dict[str, Any]:
    """The plan by quarter; a room that has no cap is null."""
    return {
        "quarters": list(plan.quarters),
        "needs": {chip: dict(needs) for chip, needs in plan.needs.items()},
        "units": dict(plan.units),
        "deliveries": [
            {
                "quarter": plan.quarters[line.period],
                "chip": line.product,
                "wanted": line.wanted,
                "delivered": line.delivered,
                "binding": line.binding,
            }
            for line in plan.lines
        ],
        "resources": [
            {
                "quarter": plan.quarters[use.period],
                "resource": use.resource,
                "used": use.used,
                "room": use.room,
            }
            for use in plan.uses
        ],
        "suppliers": dict(plan.shares),
    }
