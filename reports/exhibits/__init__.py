"""Exhibits that a report asks for by name: `exhibits = [chips(h100, gb200), …]`.

Each is one module: `SECTION` says in which section it stands, and `build(study, call)`
makes its blocks from the call's arguments. Adding one is adding a module.
"""

import importlib
import pkgutil

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.syntax import call_arguments
from isocost.reports import view as v
from isocost.reports.study import Study


@attrs.frozen
class Call:
    """An exhibit as the file asks for it: its name, arguments in order and by name."""

    name: str
    args: tuple[Expr, ...]
    named: dict[str, Expr]

    @property
    def names(self) -> list[str]:
        """The plain arguments as texts: names of blocks, paths of metrics."""
        return [str(arg.value) for arg in self.args if arg.op == "path"]


def known() -> list[str]:
    """The names of all exhibits."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__))


def asked(study: Study, section: str) -> list[v.Block]:
    """The blocks of the exhibits that stand in a section, in the file's order."""
    out: list[v.Block] = []
    for call in calls(study):
        if call.name not in known():
            continue
        module = importlib.import_module(f"{__name__}.{call.name}")
        if module.SECTION == section:
            out += module.build(study, call)
    return out


def calls(study: Study) -> list[Call]:
    """The exhibits of the report block."""
    fact = study.block.facts.get("exhibits") if study.block else None
    if fact is None:
        return []
    items = fact.expr.args if fact.expr.op == "list" else (fact.expr,)
    out = []
    for item in items:
        if item.op == "call":
            plain, named = call_arguments(item)
            out.append(Call(item.value.name, plain, dict(named)))
        elif item.op == "path":
            out.append(Call(str(item.value), (), {}))
    return out
