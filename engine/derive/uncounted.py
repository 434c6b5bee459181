"""What the cost of an owned cluster leaves out, since nothing states it: one remark.

A cost that nobody states is no cost of zero: a site without its building would win any
comparison of sites. A figure that is stated as 0 is counted, as 0.
"""

from collections.abc import Mapping

from isocost.engine.derive.bill import has_bill
from isocost.engine.derive.common import OWNED
from isocost.engine.scope import Scope

#: What an owner pays for beside servers and energy, by the paths that may state it.
CLASSES = {
    "building": ("site.colocation", "site.facility"),
    "installation": ("finance.installation",),
    "storage network": ("finance.storage",),
    "operation": ("finance.staff", "finance.maintenance"),
}
#: Those without which a cost is not worth comparing; the others are named beside them.
LARGE = {"building", "scale-out network"}
#: The same by paths with a name: fees, service contracts.
_NAMED = {"operation": ("fee[]", "capex[]")}


def missing(scope: Scope) -> tuple[str, ...]:
    """The classes of cost that an owned cluster has and nothing states.

    Args:
        scope: The scenario; one that is rented, or lacks terms or site, misses none.
    """
    bound = all(scope.block(role) for role in ("system", "site", "finance"))
    if not bound or not OWNED.holds(scope):
        return ()
    found = [name for name in CLASSES if not _stated(scope, name)]
    if scope.block("fabric") and not scope.has("fabric.price") and not has_bill(scope):
        found.append("scale-out network")
    return tuple(found)


def _stated(scope: Scope, name: str) -> bool:
    named = any(scope.keys("finance", pattern) for pattern in _NAMED.get(name, ()))
    return named or any(scope.has(path) for path in CLASSES[name])


def uncounted(scope: Scope, _: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on what is not counted, where that is more than a few per cent."""
    found = missing(scope)
    if not LARGE & set(found):
        return ()
    return (f"not stated, so not counted: {', '.join(found)}",)


COST_REMARKS = (uncounted,)
