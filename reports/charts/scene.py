"""The base of every chart scene, and the registry that finds its module.

A scene is the data of one chart: names, numbers, units, nothing drawn. A chart is
added by adding one module to this folder: a frozen subclass of `Scene` and a
function that lays it out as a `Plot`, marked with `@lays_out(TheScene)`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeVar

import attrs

if TYPE_CHECKING:
    from isocost.reports.charts.plot import Plot

#: The width of the text block of an A4 page in points (170 mm).
FULL = 482.0
#: The width of one of two columns.
HALF = 232.0


@attrs.frozen
class Scene:
    """The data of one chart; `width` and `height` in points (height 0: as it needs).

    An `ELASTIC` chart may be drawn somewhat higher or lower to fill a page.
    """

    ELASTIC: ClassVar[bool] = True

    width: float = attrs.field(default=FULL, kw_only=True)
    height: float = attrs.field(default=0.0, kw_only=True)


S = TypeVar("S", bound=Scene)
Layout = Callable[[S], "Plot"]

_LAYOUTS: dict[type[Scene], Callable[..., "Plot"]] = {}


def lays_out(kind: type[S]) -> Callable[[Layout[S]], Layout[S]]:
    """Register the decorated function as the layout of scenes of `kind`."""

    def keep(layout: Layout[S]) -> Layout[S]:
        _LAYOUTS[kind] = layout
        return layout

    return keep


def layout_of(scene: Scene) -> "Plot":
    """The marks of `scene`, from the layout registered for its class."""
    try:
        layout = _LAYOUTS[type(scene)]
    except KeyError:
        name = type(scene).__name__
        message = f"no layout is registered for scenes of kind {name}"
        raise LookupError(message) from None
    return layout(scene)


def kinds() -> dict[str, type[Scene]]:
    """Every registered kind of chart by name."""
    return {kind.__name__: kind for kind in _LAYOUTS}
