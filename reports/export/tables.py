"""Every table of a report as CSV, every chart as SVG, and a folder of them all."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator

import attrs

from isocost.reports import view
from isocost.reports.charts import render_svg
from isocost.reports.export.markdown import render_markdown
from isocost.reports.export.words import Words, as_table, blocks_of
from isocost.reports.traced import bare

#: What a spreadsheet would read as a formula, unless it is a number.
_FORMULA = re.compile(r"^[\s\u200b\ufeff]*[=+\-@|%\t\r]")
_NUMBER = re.compile(r"^[+-]?[0-9.,]+\s?%?$")


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = cell.replace("\0", "")
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def tables(report: view.Report) -> Iterator[tuple[str, str]]:
    """Each table's file name and its CSV text, in order."""
    words = Words.of(report)
    for block in blocks_of(report.sections):
        if isinstance(block, view.Claims):
            block = as_table(block)  # noqa: PLW2901 (the same, as a table)
        if isinstance(block, view.Table):
            number = words.counter.take("Table")
            yield f"table-{number:02}{_slug(block.key)}.csv", _csv(block, words)


def _csv(table: view.Table, words: Words) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    titles = [f"{c.title} [{c.unit}]" if c.unit else c.title for c in table.columns]
    paired = _with_interval(table)
    heads: list[str] = []
    for i, title in enumerate(titles):
        heads += [title, f"{title}, 90% interval"] if i in paired else [title]
    remarks = _remarks(table, words)
    heads += ["Remarks"] * bool(remarks)
    writer.writerow([safe(bare(h)) for h in heads])
    for row in table.rows:
        cells: list[str] = []
        said: list[str] = []
        for i in range(len(titles)):
            cell = row.cells[i] if i < len(row.cells) else ""
            cell, marks = _unmarked(cell)
            said += [remarks[mark] for mark in marks if mark in remarks]
            if i in paired:
                inside = cell.interval if isinstance(cell, view.Cell) else ""
                text = cell.text if isinstance(cell, view.Cell) else cell
                cells += [words.text(text), bare(inside)]
            else:
                cells.append(words.cell(cell))
        cells += [" ".join(dict.fromkeys(said))] * bool(remarks)
        writer.writerow([safe(c) for c in cells])
    return out.getvalue()


def _remarks(table: view.Table, words: Words) -> dict[str, str]:
    """What the marks of a table mean, by mark: its notes that begin with one."""
    found = {}
    for note in table.notes:
        if isinstance(note, tuple) and isinstance(note[0], view.Sup):
            found[note[0].text] = words.text(note[1:])
    return found


def _unmarked(cell: view.Cell | view.Text) -> tuple[view.Cell | view.Text, list[str]]:
    """A cell without the marks on it, so that a number stays one; and the marks."""
    text = cell.text if isinstance(cell, view.Cell) else cell
    if not isinstance(text, tuple):
        return cell, []
    marks = [m for p in text if isinstance(p, view.Sup) for m in p.text.split(", ")]
    kept = tuple(piece for piece in text if not isinstance(piece, view.Sup))
    if isinstance(cell, view.Cell):
        return attrs.evolve(cell, text=kept), marks
    return kept, marks


def _with_interval(table: view.Table) -> set[int]:
    """The columns that carry intervals, which get a column of their own."""
    return {
        i
        for row in table.rows
        for i, cell in enumerate(row.cells)
        if isinstance(cell, view.Cell) and cell.interval
    }


def charts(report: view.Report) -> Iterator[tuple[str, str]]:
    """Each chart's file name and its SVG text, in order."""
    number = 0
    for block in blocks_of(report.sections):
        if isinstance(block, view.Figure):
            number += 1
            yield f"figure-{number:02}{_slug(block.key)}.svg", render_svg(block.scene)


def _slug(key: str) -> str:
    """The end of a file name: letters, digits and dashes of a key, never a path."""
    plain = re.sub(r"^(?:tab|fig)-", "", key)
    text = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:60]
    return f"-{text}" if text else ""


def bundle(report: view.Report) -> dict[str, bytes]:
    """All of a report as files: the text, its charts, its tables, what is attached."""
    drawn = dict(charts(report))
    names = list(drawn)
    text = render_markdown(report, lambda number: f"charts/{names[number - 1]}")
    files = {"report.md": text.encode()}
    files |= {f"charts/{name}": svg.encode() for name, svg in drawn.items()}
    files |= {f"tables/{name}": text.encode() for name, text in tables(report)}
    for one in report.attachments:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", one.name).lstrip(".-") or "file"
        files[f"files/{name}"] = one.data
    return files


def zipped(files: dict[str, bytes]) -> bytes:
    """Files as one archive, the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return out.getvalue()
