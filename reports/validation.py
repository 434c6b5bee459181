"""Measurements beside their predictions as a document: `isocost validate -o`."""

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path

from isocost import __version__
from isocost.engine.validation.frame import (
    Prediction,
    Summary,
    groups,
    reasons,
    summary,
    worst,
)
from isocost.reports import view as v
from isocost.reports.charts.agreement import Agreement, Pair

#: What it can be written as.
ENDINGS = (".pdf", ".html", ".md")
#: Rows of the table of what is farthest off.
_WORST = 12
#: Fewest rows of a metric that make a figure.
_FEW = 3
#: So many rows that were refused for one reason are named.
_NAMED = 6


def validation_report(found: Sequence[Prediction], family: str, file: str) -> v.Report:
    """Errors, predicted against measured by metric, the worst rows and the refused.

    Args:
        found: Predictions of a table of measurements, one of them at least made.
        family: What kind of measurements they are.
        file: The table's name.
    """
    one = summary(found)
    title = (
        f"Predictions of {file} are off by {_percent(one.median_of_rows)} in the median"
    )
    sections = [
        v.Section("Predicted against measured", tuple(_figures(found))),
        v.Section("Errors", tuple(_tables(found))),
        v.Section("Rows farthest off", (_worst(found),)),
    ]
    if one.refused:
        sections.append(v.Section("Rows that were refused", (_refused(found),)))
    return v.Report(
        cover=v.Cover(
            title,
            kicker="Validation",
            subtitle=f"{one.rows:,} measurements of {family}, {one.refused:,} refused",
            figures=tuple(_headline(one)),
            note="The error of a row is ln(predicted / measured). Rows of quality C, "
            "and those from memory, are drawn and count in no number.",
        ),
        sections=tuple(sections),
        running=f"Validation of {file}",
        imprint=f"Isocost {__version__}",
        author="Isocost",
        contents=False,
    )


def written(report: v.Report, ending: str, date: dt.date) -> bytes:
    """The bytes of a file.

    Args:
        report: What to say.
        ending: One of `ENDINGS`.
        date: Of the document.

    Raises:
        MissingLibraries: pages cannot be set on this machine.
    """
    if ending == ".md":
        from isocost.reports.export.markdown import render_markdown

        return render_markdown(report).encode()
    if ending == ".html":
        from isocost.reports.html import render_html

        return render_html(report, date=date).encode()
    from isocost.reports.pdf import render_pdf

    return render_pdf(report, paper="A4", date=date)


def date_of(path: Path) -> dt.date:
    """The date of a table: that of its file, so that one table gives one document."""
    return dt.datetime.fromtimestamp(path.stat().st_mtime, tz=dt.UTC).date()


def _figure(value: float | None) -> str:
    """Four digits, and all before the point."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"  # noqa: PLR2004


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _headline(one: Summary) -> list[v.KeyFigure]:
    mean = _percent(one.mean_abs_log_error)
    middle = _percent(one.median_abs_log_error)
    return [
        v.KeyFigure(middle, "median error over series"),
        v.KeyFigure(mean, "mean error over rows"),
        v.KeyFigure(f"{one.coverage_90:.0%}", "of 90% intervals held"),
        v.KeyFigure(f"{one.median_width:.2f}", "median width, ln(high / low)"),
    ]


def _figures(found: Sequence[Prediction]) -> list[v.Block]:
    """A figure for each metric and unit with enough rows."""
    good = [one for one in found if one.predicted is not None]
    kinds = groups(good, lambda one: f"{one.metric}, {one.unit}")
    out: list[v.Block] = []
    for kind, rows in kinds.items():
        if len(rows) < _FEW:
            continue
        pairs = tuple(
            Pair(one.measured, one.predicted or 0.0, one.inside) for one in rows
        )
        held = sum(one.inside for one in rows)
        said = f"{held:,} of {len(rows):,} intervals hold {rows[0].metric}"
        alt = f"Predicted against measured {kind}: {len(rows):,} rows."
        out.append(v.Figure(said, Agreement(pairs, rows[0].unit), alt))
    return out or [v.Paragraph("No metric has enough rows for a figure.")]


_NUMBERS = (
    v.Column("Rows", align="right"),
    v.Column("Refused", align="right"),
    v.Column("Mean", align="right"),
    v.Column("Median", align="right"),
    v.Column("Bias", align="right"),
    v.Column("Held", align="right"),
    v.Column("Width", align="right"),
    v.Column("Score", align="right"),
)


def _tables(found: Sequence[Prediction]) -> list[v.Block]:
    kinds: dict[str, Callable[[Prediction], str]] = {
        "Source": lambda one: one.source,
        "Chip": lambda one: one.chip,
        "Metric": lambda one: one.metric,
    }
    return [
        v.Table(
            f"Errors by {name.lower()}",
            (v.Column(name), *_NUMBERS),
            tuple(
                _line(part, summary(rows)) for part, rows in groups(found, key).items()
            ),
            dense=True,
        )
        for name, key in kinds.items()
    ]


def _line(name: str, one: Summary) -> v.Row:
    if not one.counted:
        return v.Row((name, f"{one.rows:,}", f"{one.refused:,}", *("–",) * 6))
    return v.Row(
        (
            name,
            f"{one.rows:,}",
            f"{one.refused:,}",
            _percent(one.mean_abs_log_error),
            _percent(one.median_abs_log_error),
            f"{one.bias:+.1%}".replace("-", "−"),
            f"{one.coverage_90:.0%}",
            f"{one.median_width:.2f}",
            f"{one.interval_score:.2f}",
        )
    )


def _worst(found: Sequence[Prediction]) -> v.Table:
    rows = []
    for one in worst(found, _WORST):
        error = f"{one.error or 0.0:+.1%}".replace("-", "−")
        interval = f"{_figure(one.low)} to {_figure(one.high)}"
        cells = (
            _figure(one.measured),
            _figure(one.predicted),
            interval,
            one.unit,
            error,
        )
        rows.append(v.Row((one.row_id, one.chip, one.metric, *cells)))
    columns = (
        *(v.Column("Row"), v.Column("Chip"), v.Column("Metric")),
        *(v.Column("Measured", align="right"), v.Column("Predicted", align="right")),
        *(v.Column("90% interval", align="right"), v.Column("Unit")),
        v.Column("Error", align="right"),
    )
    return v.Table("The largest errors", columns, tuple(rows), dense=True)


def _refused(found: Sequence[Prediction]) -> v.Table:
    rows = tuple(
        v.Row((why, f"{len(names):,}", _named(names)))
        for why, names in reasons(found).items()
    )
    columns = (v.Column("Why"), v.Column("Rows", align="right"), v.Column("Which"))
    return v.Table("Refused, by reason", columns, rows, dense=True)


def _named(names: Sequence[str]) -> str:
    more = " …" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
