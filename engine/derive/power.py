"""The power chain of a scenario: systems, fabric, provisioned, average, by token."""

from isocost.engine.derive.bill import has_bill
from isocost.engine.derive.common import INFERENCE
from isocost.engine.formulas import bill, power
from isocost.engine.quantities import quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]


def _fabric_power(scope: Scope, _: Keys) -> int:
    if not scope.has("fabric.power") and not has_bill(scope):
        return scope.builder.constant(0.0)
    return scope.apply(bill.fabric_power, chips="chips", by_chip="fabric.power")


def _load(scope: Scope, _: Keys) -> int:
    task = scope.word("workload.task") or "inference"
    if scope.has(f"site.power.load[{task}]"):
        return scope[f"site.power.load[{task}]"]
    why = "hyperscale fleets report 60% to 80% of provisioned power"
    seen = f"site.power.load[{task}]"
    return scope.assume("site.power.load", "70% to 90%", why, seen)


QUANTITIES = (
    quantity("power.fabric", "W", "Power of the scale-out network.", _fabric_power),
    quantity(
        "power.provisioned",
        "kW",
        "IT power that the site must be able to deliver.",
        power.power_provisioned,
        headline=True,
        system_power="system.power",
        systems="systems",
        fabric_power="power.fabric",
        other_power=0.0,
    ),
    quantity("power.load", "%", "Power drawn over power provisioned.", _load),
    quantity(
        "power.average",
        "kW",
        "Mean power at the meter.",
        power.power_average,
        provisioned="power.provisioned",
        power_load="power.load",
        pue="site.pue",
    ),
    quantity(
        "energy.per_token",
        "J/token",
        "Energy at the meter of one output token.",
        power.energy_of_token,
        when=INFERENCE,
        headline=True,
        average_power="power.average",
        throughput="throughput.delivered",
    ),
    quantity(
        "throughput.per_MW",
        "token/s/MW",
        "Output tokens a second for each MW provisioned.",
        power.throughput_per_power,
        when=INFERENCE,
        headline=True,
        throughput="throughput.output",
        provisioned="power.provisioned",
    ),
)
