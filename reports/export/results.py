"""The report as JSON: results, inputs, sources, verdicts, and all that is printed.

The shape is published as `reports/schema/report-1.json`; `scenarios` has the shape
that `isocost eval` prints. Numbers are as computed, in the unit beside them.
"""

import datetime as dt
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from isocost import __version__
from isocost.engine.graph import Input, Spread
from isocost.engine.results import Result, plain, round_out
from isocost.engine.spreads import Z95
from isocost.reports import view
from isocost.reports.export.words import Words, as_table
from isocost.reports.sections.bibliography import reference
from isocost.reports.study import Study
from isocost.reports.traced import bare

SCHEMA = 1


def schema() -> dict[str, Any]:
    """The published schema of what `document` gives."""
    place = files("isocost.reports").joinpath("schema", f"report-{SCHEMA}.json")
    made: dict[str, Any] = json.loads(place.read_text("utf-8"))
    return made


def render_json(study: Study, report: view.Report, *, date: dt.date) -> str:
    """The whole report as JSON text, the same for the same input."""
    data = document(study, report, date=date)
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def document(study: Study, report: view.Report, *, date: dt.date) -> dict[str, Any]:
    """The whole report as plain values."""
    words = Words.of(report)
    cover = report.cover
    made = {
        "schema": SCHEMA,
        "kind": "report",
        "isocost": __version__,
        "title": cover.title,
        "subtitle": cover.subtitle,
        "date": date.isoformat(),
        "confidential": report.confidential,
        "draft": report.draft,
        "digest": study.digest.replace(" ", ""),
        "draws": study.evaluation.count,
        "baseline": study.baseline.name,
        "main_metric": study.main_metric,
        "titles": {s.name: study.title(s) for s in study.scenarios},
        "scenarios": _scenarios(study),
        "choices": {s.name: _choices(study, s.name) for s in study.scenarios},
        "inputs": [_input(study, *one) for one in study.inputs],
        "drivers": _drivers(study),
        "conditions": _conditions(study),
        "sources": _sources(study),
        "takeaways": [f"{t.head} {words.text(t.text)}" for t in cover.takeaways],
        "sections": [_section(s, words) for s in report.sections],
    }
    cleaned: dict[str, Any] = _unmarked(plain(made))
    return cleaned


def _unmarked(value: Any) -> Any:
    """The same data whose texts carry no marks."""
    if isinstance(value, str):
        return bare(value)
    if isinstance(value, dict):
        return {key: _unmarked(one) for key, one in value.items()}
    return [_unmarked(one) for one in value] if isinstance(value, list) else value


# Results ------------------------------------------------------------------------


def _scenarios(study: Study) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {s.name: {} for s in study.scenarios}
    for (scenario, _), one in sorted(study.results.items()):
        found[scenario][one.path] = result(one)
    return found


def result(one: Result) -> dict[str, Any]:
    """One result as `isocost eval` prints it."""
    return {
        "value": round_out(one.value),
        "unit": one.unit,
        "si": float(one.central),
        "low": round_out(one.low / one.scale),
        "median": round_out(one.median / one.scale),
        "high": round_out(one.high / one.scale),
        "dimension": one.dimension,
        "flags": list(one.flags),
    }


def _choices(study: Study, scenario: str) -> list[dict[str, Any]]:
    graph = study.evaluation.graph
    settled = study.evaluation.settled(scenario)
    out = []
    for node, value in settled.values.items():
        path = getattr(graph.nodes[node].what, "path", "")
        second = settled.runner_up.get(node)
        out.append({"path": path, "value": value, "runner_up": second})
    return sorted(out, key=lambda one: one["path"])


def _input(
    study: Study, node: int, one: Input, scenarios: Iterable[str]
) -> dict[str, Any]:
    low, high = ends(one.spread, one.central)
    value = study.evaluation.choices.get(node, one.central)
    return {
        "origin": one.origin,
        "path": one.path,
        "doc": one.doc,
        "value": round_out(value / one.scale),
        "unit": one.unit,
        "si": value,
        "low": round_out(low / one.scale),
        "high": round_out(high / one.scale),
        "shape": one.spread.shape,
        "settled": node in study.evaluation.choices,
        "default": one.default,
        "assumed": one.assumed,
        "grade": study.grade(one.cites, default=one.default),
        "sources": [
            {"key": c.key, "locator": c.locator} for c in one.cites if not c.assumed
        ],
        "reason": "; ".join(c.locator for c in one.cites if c.assumed and c.locator)
        or one.note,
        "scenarios": list(scenarios),
    }


def ends(spread: Spread, central: float) -> tuple[float, float]:
    """The 90% interval of an input, from what was stated."""
    match spread.shape:
        case "point":
            return central, central
        case "normal":
            mean, sd = spread.params
            return mean - Z95 * sd, mean + Z95 * sd
        case "lognormal" | "logitnormal":
            return spread.params[0], spread.params[1]
        case _:
            return min(spread.params), max(spread.params)


def _drivers(study: Study) -> dict[str, Any] | None:
    found = study.drivers
    if found is None:
        return None
    inputs = [
        {
            "path": one.path,
            "origin": one.origin,
            "unit": one.unit,
            "value": one.value / one.scale,
            "low": one.low / one.scale,
            "high": one.high / one.scale,
            "at_low": one.at_low / found.scale,
            "at_high": one.at_high / found.scale,
            "swing": one.swing / found.scale,
            "elasticity": one.elasticity,
        }
        for one in found.inputs
        if one.swing or one.elasticity or one.jumps
    ]
    return {
        "scenario": found.scenario,
        "metric": found.metric,
        "value": found.value / found.scale,
        "unit": found.unit,
        "inputs": inputs,
    }


def _conditions(study: Study) -> list[dict[str, Any]]:
    return [
        {
            "name": one.condition.name,
            "kind": one.condition.kind,
            "statement": one.condition.why,
            "holds": one.holds,
            "share": one.share,
            "left": one.left,
            "right": one.right,
        }
        for one in study.verdicts
    ]


def _sources(study: Study) -> list[dict[str, Any]]:
    cited = {c.key for _, one, _ in study.inputs for c in one.cites if not c.assumed}
    cited |= {c.key for one in study.verdicts for c in one.condition.cites}
    known = study.evaluation.document.sources
    out = []
    for key in sorted(cited & set(known)):
        one = reference(key, known[key])
        names = ("key", "title", "publisher", "date", "url", "kind", "grade")
        out.append({name: getattr(one, name) for name in names})
    return out


# What is printed ----------------------------------------------------------------


def _section(section: view.Section, words: Words) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    for block in section.blocks:
        blocks += _block(block, words)
    return {"title": section.title, "key": section.key, "blocks": blocks}


def _block(block: view.Block, words: Words) -> list[dict[str, Any]]:
    match block:
        case view.Section():
            return [{"type": "section", **_section(block, words)}]
        case view.Columns(columns=columns):
            return [made for c in columns for b in c for made in _block(b, words)]
        case view.Paragraph(text=text):
            return [{"type": "text", "text": words.text(text)}]
        case view.Callout(title=title, text=text):
            return [{"type": "text", "text": f"{title} {words.text(text)}"}]
        case view.Bullets(items=items):
            return [{"type": "text", "text": words.text(item)} for item in items]
        case view.Table():
            return [_table(block, words)]
        case view.Claims():
            return [_table(as_table(block), words)]
        case view.Figure():
            return [_figure(block, words)]
        case view.Equation():
            number = words.number("Equation")
            return [
                {
                    "type": "equation",
                    "number": number,
                    "title": block.title,
                    "latex": block.latex,
                    "source": words.text(block.source),
                }
            ]
        case _:
            return []


def _table(table: view.Table, words: Words) -> dict[str, Any]:
    return {
        "type": "table",
        "number": words.number("Table"),
        "key": table.key,
        "caption": table.caption,
        "columns": [{"title": c.title, "unit": c.unit} for c in table.columns],
        "rows": [[words.cell(cell) for cell in row.cells] for row in table.rows],
        "source": words.text(table.source),
    }


def _figure(figure: view.Figure, words: Words) -> dict[str, Any]:
    return {
        "type": "figure",
        "number": words.number("Figure"),
        "key": figure.key,
        "chart": type(figure.scene).__name__,
        "caption": figure.caption,
        "alt": figure.alt,
        "source": words.text(figure.source),
    }
