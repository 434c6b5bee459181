"""A supply plan as a table and as JSON, for `isocost eval`."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.supply_plan import SupplyPlan


#: What is said of a delivery's doubt: its interval, how often it falls short.
_DOUBT = ("90% interval", "falls short")


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

    heads = _DOUBT if plan.spreads else ()
    rows: list[tuple[str, ...]] = [
        ("quarter", "chip", "wanted", "delivered", *heads, "held back by")
    ]
    rows += [
        (
            plan.quarters[line.period],
            line.product,
            digits(line.wanted),
            digits(line.delivered),
            *_doubt(plan, i),
            line.binding or "",
        )
        for i, line in enumerate(plan.lines)
        if line.wanted
    ]
    out = [write_table(rows, "<<>><><" if plan.spreads else "<<>><")]
    capped = [r for r in plan.units if any(map(math.isfinite, plan.room(r)))]
    if capped:
        used = [("resource", "unit", *plan.quarters)]
        used += [(name, plan.units[name], *_shares(plan, name)) for name in capped]
        out.append(write_table(used, "<<" + ">" * len(plan.quarters)))
    paid = [f"{who or 'not named'} {share:.0%}" for who, share in plan.shares.items()]
    if paid:
        out.append("paid to: " + ", ".join(paid))
    return "\n\n".join(out)


def _doubt(plan: "SupplyPlan", line: int) -> tuple[str, ...]:
    """The interval of a delivery and the share of draws in which it falls short."""
    from isocost._shared import digits

    if not plan.spreads:
        return ()
    one = plan.spreads[line]
    low, high = digits(one.low), digits(one.high)
    return "" if low == high else f"{low} to {high}", f"{one.short:.0%}"


def _shares(plan: "SupplyPlan", resource: str) -> list[str]:
    """How full a resource is in each quarter; empty where it has no cap."""
    pairs = zip(plan.required(resource), plan.room(resource), strict=True)
    return [
        f"{used / room:.0%}" if math.isfinite(room) and room else ""
        for used, room in pairs
    ]


def _doubt_json(plan: "SupplyPlan", line: int) -> dict[str, float]:
    found = plan.lines[line]
    if not plan.spreads:
        point = found.delivered
        return {"low": point, "high": point, "short": float(found.binding is not None)}
    one = plan.spreads[line]
    return {"low": one.low, "high": one.high, "short": one.short}


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
                **_doubt_json(plan, i),
            }
            for i, line in enumerate(plan.lines)
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
