"""Charts as data: scenes, and one writer that turns any of them into SVG.

`render_svg(scene)` is all that the writers of documents need. Every chart has a
module of its own here; all of them are loaded with this package (they are light:
fonts are opened only when a text is first measured).
"""

import importlib
import pkgutil

from isocost.reports.charts.plot import Plot
from isocost.reports.charts.scene import FULL, HALF, Scene, kinds, layout_of

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")


def render_svg(scene: Scene | Plot) -> str:
    """`scene` as the text of an SVG file, the same bytes for the same data."""
    from isocost.reports.charts.compose import compose
    from isocost.reports.charts.svg import write

    return write(compose(scene if isinstance(scene, Plot) else layout_of(scene)))


__all__ = ["FULL", "HALF", "Plot", "Scene", "kinds", "layout_of", "render_svg"]
