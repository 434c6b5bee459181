"""Write `reports/kept/formulas.json.gz`: every shipped formula as a report sets it.

Run after changing a formula's body or symbols: `python tools/keep_formulas.py`.
"""

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import attrs

from isocost.engine.formula import FORMULAS
from isocost.engine.quantities import registry
from isocost.reports import kept
from isocost.reports.document import EQUATION_WIDTH
from isocost.reports.formulas import FormulaError, typeset
from isocost.reports.sections.method import equation, readable

ROOT = Path(__file__).resolve().parent.parent
#: Sizes as the templates ask for them: displayed, and within a line.
DISPLAYED = (10.0, EQUATION_WIDTH, False)
INLINE = (8.4, 0.0, True)


def wanted() -> dict[str, tuple[str, float, float, bool]]:
    """Everything that the method section may print of shipped formulas, by key."""
    package = importlib.import_module("isocost.engine.formulas")
    for info in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{info.name}")
    registry()
    found: dict[str, tuple[str, float, float, bool]] = {}
    for one in FORMULAS.values():
        if not readable(one):
            continue
        made = equation(one)
        pieces = [(made.latex, *DISPLAYED)]
        pieces += [(where.symbol, *INLINE) for where in made.where]
        found |= {kept.key_of(*piece): piece for piece in pieces}
    return found


def main() -> None:
    """Set what is not kept yet and write the file."""
    out: dict[str, list[Any]] = {}
    for key, (latex, size, width, inline) in wanted().items():
        try:
            made = typeset(latex, size, width, inline=inline)
        except FormulaError:
            continue
        out[key] = list(attrs.astuple(made))
    kept.write(ROOT / "reports" / "kept" / kept.SHIPPED, out)


if __name__ == "__main__":
    main()
