"""A contract for import-linter that its own kinds cannot state.

The commands are modules of the root package itself (`isocost.check`), beside the
packages below them; a layers contract would need each of them by name.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class CommandsOnTop(Contract):
    """No package named in `below` imports a module of the root package.

    The root itself is allowed: it holds the version and nothing else.
    """

    below: Any = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import from the packages below to the root's modules."""
        output.verbose_print(verbose, "Looking for imports of commands from below.")
        below = {f"isocost.{package}" for package in self.below}
        broken = [
            {"importer": importer, "imported": imported}
            for command in sorted(graph.find_children("isocost") - below)
            for imported in sorted({command} | graph.find_descendants(command))
            for importer in sorted(graph.find_modules_that_directly_import(imported))
            if ".".join(importer.split(".")[:2]) in below
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each wrong import on a line."""
        for found in check.metadata["broken"]:
            output.print_error(f"- {found['importer']} imports {found['imported']}")
