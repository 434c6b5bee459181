"""The report as a workbook that computes: inputs by name, the model as formulas.

Sheets: `Start` (how to read it, the overall check), `Results`, `Inputs` (one named
cell each), `Model` (a row a node: a live formula, the engine's value, a check) and
`Sources`. Texts are always written as texts; formulas hold names and numbers made
here, so that nothing in a scenario file can become one.
"""

import datetime as dt
import functools
import io
import math
from typing import Any

from isocost import __version__
from isocost.engine.graph import Input
from isocost.engine.printers.excel import number as literal
from isocost.engine.results import Result
from isocost.reports.export.cells import Model, Row, shown_unit
from isocost.reports.export.results import ends
from isocost.reports.sections.bibliography import reference
from isocost.reports.study import Study, interval, show
from isocost.reports.traced import bare

#: How close a recomputed number must come to the engine's.
CLOSE = "1E-9"
#: Letters of a footer.
FOOTER = 200
_WIDTHS = {
    "Start": (26, 90),
    "Results": (30, 34, 16, 16, 10, 14, 14, 14, 30, 60),
    "Inputs": (44, 16, 14, 16, 14, 14, 10, 46, 22, 16, 14),
    "Model": (56, 20, 20, 12, 20, 8, 40),
    "Sources": (28, 70, 26, 12, 60, 12, 7),
}


def render_xlsx(study: Study, *, date: dt.date, mark: str = "") -> bytes:
    """The workbook of a report, the same bytes for the same input.

    Args:
        study: The material, after its report was assembled.
        date: Of the document; the only date in the file.
        mark: What stands on every sheet: for whom it is, that it is a draft.
    """
    import xlsxwriter

    out = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": True,
    }
    book = xlsxwriter.Workbook(out, options)
    created = dt.datetime(date.year, date.month, date.day)  # noqa: DTZ001 (no zone is kept)
    title = study.text("title") or study.title(study.baseline)
    state = {"status": bare(mark)[:FOOTER]} if mark else {}
    book.set_properties({"title": bare(title), "created": created, **state})
    _Workbook(book, study, title, bare(mark)).write()
    book.close()
    return out.getvalue()


@functools.cache
def _sheet_class() -> Any:
    """Sheets that take our formulas as they are.

    The library looks through every formula for thirty functions of later versions,
    none of which our printer writes; that is half of the time of a workbook.
    """
    from xlsxwriter.worksheet import Worksheet

    class Sheet(Worksheet):  # type: ignore[misc, unused-ignore]
        """A sheet of ours."""

        # Not public; where it is no longer asked, a workbook takes its time again.
        def _prepare_formula(
            self, formula: str, expand_future_functions: bool = False
        ) -> str:
            del expand_future_functions
            return formula.removeprefix("=")

    return Sheet


class _Workbook:
    """The sheets of one study."""

    def __init__(self, book: Any, study: Study, title: str, mark: str) -> None:
        self.book = book
        self.study = study
        self.title = title
        self.mark = mark
        self.model = Model(study)
        self.formats = _formats(book)
        self.sheets = {name: self._sheet(name) for name in _WIDTHS}

    def _sheet(self, name: str) -> Any:
        sheet = self.book.add_worksheet(name, _sheet_class())
        for column, width in enumerate(_WIDTHS[name]):
            sheet.set_column(column, column, width)
        sheet.hide_gridlines(2)
        if self.mark:
            # In a footer `&` begins a code, and a footer ends with 255 letters.
            sheet.set_footer(f"&L{self.mark[:FOOTER].replace('&', '&&')}")
        return sheet

    def write(self) -> None:
        """All sheets, the first one last: it counts what the others hold."""
        self._inputs()
        self._model()
        self._results()
        self._sources()
        self._start()

    # Writing.

    def text(
        self, sheet: str, row: int, column: int, text: str, form: str = ""
    ) -> None:
        """A text, never anything else."""
        self.sheets[sheet].write_string(
            row, column, bare(text)[:32000], self.formats[form or "text"]
        )

    def number(
        self, sheet: str, row: int, column: int, value: float, form: str = ""
    ) -> None:
        """A number, or what is said where there is none."""
        if not math.isfinite(value):
            self.text(sheet, row, column, _no_number(value), "muted")
            return
        style = self.formats[form or number_form(value)]
        self.sheets[sheet].write_number(row, column, float(value), style)

    def formula(
        self, sheet: str, row: int, column: int, text: str, value: Any, form: str = ""
    ) -> None:
        """A formula with the value that it has now."""
        is_number = isinstance(value, float | int)
        if is_number and not math.isfinite(value):
            is_number, value = False, "#DIV/0!"
        style = self.formats[form or (number_form(value) if is_number else "text")]
        self.sheets[sheet].write_formula(row, column, f"={text}", style, value)

    def heads(self, sheet: str, titles: tuple[str, ...], *, row: int = 0) -> None:
        """The headings of a sheet, which stay in view."""
        for column, title in enumerate(titles):
            self.text(sheet, row, column, title, "head")
        self.sheets[sheet].freeze_panes(row + 1, 1)

    def name(self, name: str, sheet: str, row: int, column: str) -> None:
        """A defined name for one cell."""
        self.book.define_name(name, f"={sheet}!${column}${row + 1}")

    # Sheets.

    def _inputs(self) -> None:
        titles = (
            "Input", "Value", "Unit", "As delivered", "Low", "High", "Grade",
            "Source or reason", "Used by", "Base value", "Kind",
        )  # fmt: skip
        self.heads("Inputs", titles)
        for row, one in enumerate(self.model.inputs, 1):
            self._input(row, one)
        last = len(self.model.inputs) + 1
        self.sheets["Inputs"].autofilter(0, 0, last - 1, len(titles) - 1)

    def _input(self, row: int, one: Row) -> None:
        what = one.what
        assert isinstance(what, Input)  # noqa: S101 (rows of this sheet are)
        value = one.value / what.scale
        low, high = (end / what.scale for end in ends(what.spread, what.central))
        settled = one.node in self.study.evaluation.choices
        self.text("Inputs", row, 0, what.origin.removeprefix("default."), "code")
        self.number("Inputs", row, 1, value, "input")
        self.text("Inputs", row, 2, shown_unit(what.unit))
        self.number("Inputs", row, 3, value)
        if low != high:
            self.number("Inputs", row, 4, low)
            self.number("Inputs", row, 5, high)
        self.text("Inputs", row, 6, self.study.grade(what.cites, default=what.default))
        self.text("Inputs", row, 7, _reason(what))
        self.text("Inputs", row, 8, ", ".join(one.scenarios))
        self.formula("Inputs", row, 9, f"B{row + 1}*{literal(what.scale)}", one.value)
        kind = "settled choice" if settled else "default" if what.default else "stated"
        self.text("Inputs", row, 10, kind)
        self.name(one.name, "Inputs", row, "J")
        where = what.path or what.origin
        comment = f"{where}\n{what.doc}".strip()
        if settled:
            comment += "\nSettled by the engine; another value is not searched anew."
        self.sheets["Inputs"].write_comment(
            row, 0, bare(comment)[:1000], {"x_scale": 2.5}
        )

    def _model(self) -> None:
        titles = "Quantity", "Value", "Engine", "Base unit", "Difference", "Check"
        self.heads("Model", (*titles, "Formula"))
        for row, one in enumerate(self.model.rows, 1):
            self.text("Model", row, 0, one.label, "code")
            if one.formula:
                self.formula("Model", row, 1, one.formula, one.value)
            else:
                self.number("Model", row, 1, one.value)
            self.number("Model", row, 2, one.value)
            self.text("Model", row, 3, one.unit)
            at = row + 1
            check = f"IF(ABS(B{at}-C{at})<={CLOSE}*ABS(C{at}),1,0)"
            if math.isfinite(one.value):
                self.formula("Model", row, 4, f"B{at}-C{at}", 0.0)
            elif one.formula:
                check = f"IF(ISERROR(B{at}),1,0)"
            else:
                check = f"IF(B{at}=C{at},1,0)"
            self.formula("Model", row, 5, check, 1)
            self.text("Model", row, 6, one.note, "muted")
            self.name(one.name, "Model", row, "B")

    def _results(self) -> None:
        titles = (
            "Option", "Metric", "Value", "Engine", "Unit", "Low", "Median", "High",
            "Choice", "Remarks",
        )  # fmt: skip
        self.heads("Results", titles)
        row = 0
        for scenario in self.study.scenarios:
            found = [
                one
                for (name, _), one in self.study.results.items()
                if name == scenario.name
            ]
            unique = {one.path: one for one in found}
            for one in unique.values():
                row += 1
                self._result(row, self.study.title(scenario), one)

    def _result(self, row: int, title: str, one: Result) -> None:
        name, said = self.model.name_of(one), _no_number(one.value)
        self.text("Results", row, 0, title)
        self.text("Results", row, 1, one.path, "code")
        shown = f"{name}/{literal(one.scale)}"
        if not math.isfinite(one.value):
            self.formula("Results", row, 2, f'IFERROR({shown},"{said}")', said)
        else:
            self.formula("Results", row, 2, shown, float(one.value))
        self.number("Results", row, 3, one.value)
        self.text("Results", row, 4, shown_unit(one.unit))
        for column, value in ((5, one.low), (6, one.median), (7, one.high)):
            self.number("Results", row, column, value / one.scale)
        self.text("Results", row, 9, "; ".join(one.flags))
        second = self.model.rivals.get(one.scenario)
        if second is not None and second.path == one.path:
            sign = "<=" if second.sign > 0 else ">="
            text = (
                f"IF({name}{sign}{second.name},"
                f'"the choice is still ahead of the runner-up",'
                f'"the runner-up is ahead now: settle again")'
            )
            self.formula(
                "Results", row, 8, text, "the choice is still ahead of the runner-up"
            )

    def _sources(self) -> None:
        names = ("key", "title", "publisher", "date", "url", "kind", "grade")
        self.heads("Sources", tuple(n.capitalize() for n in names))
        known = self.study.evaluation.document.sources
        cited = {
            c.key
            for one in self.model.inputs
            if isinstance(one.what, Input)
            for c in one.what.cites
            if not c.assumed
        }
        for row, key in enumerate(sorted(cited & set(known)), 1):
            source = reference(key, known[key])
            for column, field in enumerate(names):
                self.text("Sources", row, column, str(getattr(source, field)))

    def _start(self) -> None:
        inputs, rows = len(self.model.inputs) + 1, len(self.model.rows) + 1
        changed = f"SUMPRODUCT(--(Inputs!B2:B{inputs}<>Inputs!D2:D{inputs}))"
        equal = f"SUM(Model!F2:F{rows})"
        verdict = (
            f"IF({changed}>0,{changed}&"
            '" inputs changed: the checks compare with the scenario as it was",'
            f'IF({equal}={rows - 1},"every number equals the engine\'s",'
            f'{rows - 1}-{equal}&" numbers differ from the engine\'s"))'
        )
        main = self.study.result(self.study.baseline, self.study.main_metric)
        headline = f"{show(main)} ({interval(main)})" if main else ""
        baseline = self.study.title(self.study.baseline)
        self.text("Start", 0, 0, self.title, "title")
        if self.mark:
            self.text("Start", 1, 0, self.mark, "head")
        lines = (
            ("Baseline", f"{baseline}: {headline}" if headline else baseline),
            (
                "How to use it",
                "Change a blue cell of Inputs; Model and Results follow.",
            ),
            ("What stays", "Intervals and settled choices are those of the scenario."),
            ("Units", "Inputs are in the unit beside them, Model in base units."),
            ("Engine", f"Isocost {__version__}, inputs {self.study.digest}"),
        )
        for row, (label, words) in enumerate(lines, 2):
            self.text("Start", row, 0, label, "head")
            self.text("Start", row, 1, words)
        self.text("Start", 8, 0, "Check", "head")
        self.formula("Start", 8, 1, verdict, "every number equals the engine's")
        self.name("all_checks", "Start", 8, "B")
        self.sheets["Start"].activate()


def _no_number(value: float) -> str:
    """What stands where there is no number."""
    return "undefined" if math.isnan(value) else "infinite"


def number_form(value: float) -> str:
    """The format in which a number reads best."""
    size = abs(value)
    if value == round(value) and size < 1e7:  # noqa: PLR2004 (read in full)
        return "whole"
    return "plain" if 1e-3 <= size < 1e6 else "power"  # noqa: PLR2004 (the same)


def _formats(book: Any) -> dict[str, Any]:
    base = {"font_name": "Calibri", "font_size": 10, "valign": "top"}
    made: dict[str, dict[str, Any]] = {
        "text": {},
        "muted": {"font_color": "#5B6675"},
        "code": {"font_name": "Consolas", "font_size": 9},
        "head": {"bold": True, "bottom": 1, "font_color": "#16202E"},
        "title": {"bold": True, "font_size": 16},
        "input": {"font_color": "#0B5FA5", "bg_color": "#E8F1F9"},
        "whole": {"num_format": "#,##0"},
        "plain": {"num_format": "#,##0.0000"},
        "power": {"num_format": "0.0000E+00"},
    }  # fmt: skip
    return {name: book.add_format({**base, **own}) for name, own in made.items()}


def _reason(one: Input) -> str:
    """Where an input comes from, in one line."""
    cites = [c for c in one.cites if not c.assumed]
    keys = ", ".join(
        f"@{c.key}" + (f" {c.locator}" if c.locator else "") for c in cites
    )
    why = "; ".join(c.locator for c in one.cites if c.assumed and c.locator)
    return " · ".join(part for part in (keys, why or one.note) if part) or "no source"
