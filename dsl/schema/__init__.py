"""The kinds of block, one attrs class each. Adding a kind is adding a module here."""

import importlib
import pkgutil

from isocost.dsl.schema.base import KINDS, Attribute, Kind

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")

__all__ = ["KINDS", "Attribute", "Kind"]
