"""A workbook read and computed with nothing but the standard library and numpy.

Loaded by path (see conftest.py). It knows the few functions that our formulas use,
and refuses every other.
"""

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from typing import Any

import numpy as np

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
TOKEN = re.compile(
    r'"(?:[^"]|"")*"|ROW\(\$1:\$[0-9]+\)|[0-9.]+(?:E[+-]?[0-9]+)?|[A-Za-z_][A-Za-z0-9_.]*(?:![$A-Z0-9:]+)?'
    r"|<>|<=|>=|[-+*/(),<>=&:]"
)
FUNCTIONS = {
    "IF": lambda c, a, b: a if c else b,
    "MIN": lambda *xs: min(xs),
    "MAX": lambda *xs: max(xs) if len(xs) > 1 else np.max(xs[0]),
    "MOD": np.mod,
    "ROUND": lambda x, digits: np.round(x, int(digits)),
    "SUMPRODUCT": np.sum,
    "POWER": np.power,
    "SQRT": np.sqrt,
    "LN": np.log,
    "EXP": np.exp,
    "ABS": abs,
    "INT": np.floor,
    "AND": lambda *xs: all(xs),
    "OR": lambda *xs: any(xs),
    "NOT": lambda x: not x,
}


class Workbook:
    """Cells by sheet and place, formulas, comments and defined names."""

    def __init__(self, data: bytes) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.parts = {
            name: self.archive.read(name).decode()
            for name in self.archive.namelist()
            if name.endswith((".xml", ".rels", ".vml"))
        }
        book = ET.fromstring(self.parts["xl/workbook.xml"])
        self.sheets = [s.attrib["name"] for s in book.iter(f"{MAIN}sheet")]
        self.names = {
            n.attrib["name"]: (n.text or "").replace("$", "")
            for n in book.iter(f"{MAIN}definedName")
        }
        strings = ET.fromstring(self.parts["xl/sharedStrings.xml"])
        self.strings = [
            "".join(t.text or "" for t in si.iter(f"{MAIN}t"))
            for si in strings.iter(f"{MAIN}si")
        ]
        self.cells: dict[tuple[str, str], Any] = {}
        self.formulas: dict[tuple[str, str], str] = {}
        for number, sheet in enumerate(self.sheets, 1):
            self._read(sheet, self.parts[f"xl/worksheets/sheet{number}.xml"])

    def _read(self, sheet: str, text: str) -> None:
        for cell in ET.fromstring(text).iter(f"{MAIN}c"):
            at = (sheet, cell.attrib["r"])
            formula, value = cell.find(f"{MAIN}f"), cell.find(f"{MAIN}v")
            if formula is not None:
                self.formulas[at] = formula.text or ""
            if value is None:
                continue
            kind = cell.attrib.get("t", "n")
            raw = value.text or ""
            if kind == "s":
                self.cells[at] = self.strings[int(raw)]
            else:
                self.cells[at] = raw if kind == "str" else float(raw)

    def column(self, sheet: str, letter: str) -> dict[int, Any]:
        """The values of one column by row, without the heading."""
        return {
            int(place[len(letter) :]): value
            for (name, place), value in self.cells.items()
            if name == sheet and re.fullmatch(rf"{letter}[0-9]+", place)
            if place != f"{letter}1"
        }


class Calculator:
    """The workbook computed anew from the values of its inputs."""

    def __init__(self, book: Workbook, given: dict[tuple[str, str], float]) -> None:
        self.book = book
        self.given = given
        self.known: dict[tuple[str, str], Any] = {}

    def cell(self, sheet: str, place: str) -> Any:
        at = (sheet, place)
        if at not in self.known:
            if at in self.given:
                self.known[at] = np.float64(self.given[at])
            elif at in self.book.formulas:
                self.known[at] = self.compute(self.book.formulas[at], sheet)
            else:
                found = self.book.cells[at]
                self.known[at] = (
                    np.float64(found) if isinstance(found, float) else found
                )
        return self.known[at]

    def compute(self, formula: str, sheet: str) -> Any:
        """What a formula gives; its text becomes Python, piece by known piece."""
        out = []
        for token in TOKEN.findall(formula):
            if token in FUNCTIONS:
                out.append(f"F[{token!r}]")
            elif token.startswith("ROW("):
                out.append(f"ROWS({token.rpartition('$')[2]}")
            elif token[0].isdigit() or token[0] == ".":
                out.append(f"N({token})")
            elif token in {"=", "<>"}:
                out.append({"=": "==", "<>": "!="}[token])
            elif token[0].isalpha() or token[0] == "_":
                out.append(f"R({token!r})")
            else:
                out.append(token)
        joined = re.sub(r"[ \n]", "", formula)
        assert "".join(TOKEN.findall(formula)) == joined, formula

        def refer(name: str) -> Any:
            if name in self.book.names:
                where, _, place = self.book.names[name].partition("!")
                return self.cell(where, place)
            assert re.fullmatch(r"[A-Z]{1,2}[0-9]+", name), name
            return self.cell(sheet, name)

        scope = {"F": FUNCTIONS, "N": np.float64, "R": refer, "__builtins__": {}}
        scope["ROWS"] = lambda last: np.arange(1.0, last + 1)
        with np.errstate(all="ignore"):
            return eval("".join(out), scope)
