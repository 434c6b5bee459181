"""Exhibits that a report asks for by name: `exhibits = [chips(h100, gb200), …]`.

Each is one module: `SECTION` says in which section it stands, and `build(study, call)`
makes its blocks from the call's arguments. Adding one is adding a module.
"""

import functools
import importlib
import pkgutil

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.syntax import call_arguments
from isocost.reports import view as v
from isocost.reports.study import Study
from isocost.reports.telling import places, texts_of


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

    @property
    def words(self) -> list[str]:
        """The plain arguments that are texts."""
        return [str(arg.value) for arg in self.args if arg.op == "text"]

    @property
    def section(self) -> str:
        """The section that the call asks for, empty where it leaves that open."""
        found = self.named.get("section")
        return str(found.value) if found is not None else ""

    def listed(self, name: str) -> list[str]:
        """A named argument that is a list of paths or texts, or one of them."""
        found = self.named.get(name)
        if found is None:
            return []
        items = found.args if found.op == "list" else (found,)
        return [str(item.value) for item in items]


@functools.cache
def known() -> frozenset[str]:
    """The names of all exhibits."""
    return frozenset(info.name for info in pkgutil.iter_modules(__path__))


def asked(study: Study, section: str) -> list[v.Block]:
    """The blocks of the exhibits that stand in a section, in the file's order.

    `part("Title")` begins a sub-section, which holds what follows it.
    """
    foresee(study)
    out: list[v.Block] = []
    part: tuple[str, list[v.Block]] | None = None
    for call in calls(study):
        if call.name == "part" and call.section == section:
            out += _closed(part)
            part = (call.words[0], [])
            continue
        if call.name not in known():
            continue
        module = importlib.import_module(f"{__name__}.{call.name}")
        if (call.section or module.SECTION) == section:
            (part[1] if part else out).extend(module.build(study, call))
    return out + _closed(part)


def _closed(part: tuple[str, list[v.Block]] | None) -> list[v.Block]:
    if part is None or not part[1]:
        return []
    title, blocks = part
    key = "part-" + "-".join(title.lower().split())
    return [v.Section(title, tuple(blocks), key)]


def foresee(study: Study) -> None:
    """Compute all that the exhibits name in one pass, the first time one is asked.

    The sensitivities that will be asked for are begun with.
    """
    if study.stories.known:
        return
    paths: list[str] = []
    driven = [(study.baseline.name, study.main_metric)]
    for call in calls(study):
        named = (*call.args, *call.named.values())
        for text in (t for expr in named for t in texts_of(expr)):
            paths += places(text)
        if call.name in known():
            module = importlib.import_module(f"{__name__}.{call.name}")
            paths += getattr(module, "paths", lambda _: [])(call)
            driven += getattr(module, "driven", lambda *_: [])(study, call)
    study.stories.tell(paths)
    if paths and study.wants("sensitivity"):
        study.ahead.begin(driven)


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
    # An exhibit asked for twice in a section would be printed twice under one number.
    return [call for i, call in enumerate(out) if call not in out[:i]]
