"""Crossings of a break-even as text and as JSON, in the units of their sides."""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isocost.engine.breakeven import BreakEven, Closed
    from isocost.engine.equation import Sides, Varied
    from isocost.engine.evaluate import Evaluation


def unit_of(evaluation: "Evaluation", name: str) -> tuple[str, float] | None:
    """The unit of a quantity by its name with its scenario; None for anything else."""
    from isocost.dsl.syntax import parse_path
    from isocost.dsl.units import unit

    names = [block.name for block in evaluation.document.of_kind("scenario")]
    for scenario in sorted(names, key=len, reverse=True):
        path = name.removeprefix(f"{scenario}.")
        if path == name or not re.fullmatch(r"[\w.]+(\[[^]*]*\])?[\w.]*", path):
            continue
        text = evaluation.entry(scenario, str(parse_path(path))).unit
        return None if text == "1" else (text, unit(text).factor)
    return None


def shared(evaluation: "Evaluation", one: "Varied") -> list[str]:
    """The other scenarios that an input named as one scenario's own moves too."""
    names = [block.name for block in evaluation.document.of_kind("scenario")]
    own = [name for name in names if one.path.startswith(f"{name}.")]
    if not own:
        return []
    known = evaluation.graph.names_of(one.node)
    return [
        name
        for name in names
        if name not in own and any(path.startswith(f"{name}.") for path in known)
    ]


def shared_text(evaluation: "Evaluation", one: "Varied") -> str:
    """A line that says so; empty where nothing else moves."""
    also = shared(evaluation, one)
    return f"{one.path} moves in {', '.join(also)} as well\n" if also else ""


def _plain(unit: str) -> str:
    """A unit in print: nothing for a plain number."""
    return "" if unit == "1" else unit


def _shown(value: float, unit: str, figures: int = 3) -> str:
    """A number with its unit."""
    from isocost._shared import digits

    return f"{digits(value, figures)} {_plain(unit)}".rstrip()


class Crossings:
    """The crossings of one equation in the units of its sides."""

    def __init__(self, text: str, evaluation: "Evaluation", both: "Sides") -> None:
        from isocost.engine.equation import unit_of_sides

        self.graph, self.both = evaluation.graph, both
        left, _, right = text.partition("=")
        self.names = {"left": left.strip(), "right": right.lstrip("=").strip()}
        sides = (unit_of(evaluation, name) for name in self.names.values())
        named = next(filter(None, sides), None)
        self.evaluation = evaluation
        self.unit, self.scale = named or unit_of_sides(self.graph, both)

    def crossings_json(self, found: "BreakEven", *, closed: bool) -> dict[str, Any]:
        """The sides at the point, and every crossing."""
        vary = found.varied
        data: dict[str, Any] = {
            "unit": self.unit,
            "left": found.left / self.scale,
            "right": found.right / self.scale,
            "throughout": found.throughout,
            "crossings": [
                {
                    "value": one.value / vary.scale,
                    "metric": one.metric / self.scale,
                    "kind": one.kind,
                    "less_above": one.less_above,
                }
                for one in found.crossings
            ],
        }
        if closed:
            data["closed"] = [self._closed_json(vary, one) for one in found.closed]
        return data

    def _closed_json(self, vary: "Varied", one: "Closed") -> dict[str, Any]:
        from isocost.engine.printers.text import show

        return {
            "crossing": one.crossing / vary.scale,
            "formula": show(one.expr),
            "values": [
                {"name": name, "value": value, "unit": unit}
                for name, value, unit in self._symbols(one)
            ],
        }

    def _symbols(self, one: "Closed") -> "list[tuple[str, float, str]]":
        from isocost.engine.equation import shown_unit

        out = []
        for name, value in one.values.items():
            named = unit_of(self.evaluation, name)
            unit, scale = named or shown_unit(self.graph, one.nodes[name])
            out.append((name, value / scale, unit))
        return out

    def crossings_text(self, found: "BreakEven", *, closed: bool) -> str:
        """The sides now, the crossings as a table, and the closed forms."""
        from isocost._shared import digits, write_table

        vary, names = found.varied, self.names
        sides: Sequence[tuple[str, float]] = (
            (names["left"], found.left),
            (names["right"], found.right),
        )
        lines = [f"now {vary.path} = {_shown(vary.value / vary.scale, vary.unit)}:"]
        lines += [
            f"  {name} = {_shown(value / self.scale, self.unit)}"
            for (name, value), node in zip(sides, self.both, strict=True)
            if self.graph.nodes[node].args
        ]
        high = _shown(vary.high / vary.scale, vary.unit)
        ends = f"{digits(vary.low / vary.scale)} to {high}"
        if not found.crossings:
            lines.append(f"never equal from {ends}")
        elif found.throughout:
            lines.append(f"equal all the way from {ends}")
        else:
            kinds = {"root": "equal", "jump": "stepped over", "touch": "touched"}
            rows = [("equal at", "unit", "both", "unit", "", "less above")]
            rows += [
                (
                    digits(one.value / vary.scale, 5),
                    _plain(vary.unit),
                    digits(one.metric / self.scale),
                    _plain(self.unit),
                    kinds[one.kind],
                    names.get(one.less_above, "neither"),
                )
                for one in found.crossings
            ]
            lines.append(f"from {ends}:")
            lines.append(write_table(rows, "><><<<"))
        if closed:
            lines += self._closed_lines(vary, found.closed)
        text = "\n".join(lines) + "\n"
        return shared_text(self.evaluation, vary) + text

    def _closed_lines(self, vary: "Varied", forms: "Sequence[Closed]") -> list[str]:
        from isocost.engine.printers.text import show

        if not forms:
            return ["no closed form was found"]
        out = []
        for one in forms:
            at = _shown(one.crossing / vary.scale, vary.unit, 5)
            out.append(f"closed form at {at} (numbers in base units):")
            out.append(f"  {vary.path} = {show(one.expr)}")
            out += [
                f"    {name} = {_shown(value, unit)}"
                for name, value, unit in self._symbols(one)
            ]
        return out
