"""Method: the formulas behind the main metric, typeset, each with its source."""

import re

from isocost.engine.accuracy import kept
from isocost.engine.families import Family, gathered, indexed, size
from isocost.engine.formula import Formula
from isocost.engine.printers.latex import latex
from isocost.engine.results import Result
from isocost.engine.validity import in_print
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.study import Study

MOST = 13
#: A formula of more operators, or of more branches, is read in the reference instead.
LONGEST = 60
MOST_BRANCHES = 2
#: Names no longer than this are acronyms: `npv`, `irr`.
_ACRONYM = 3
_BRANCHES = {"if", "max", "min"}


def build(study: Study) -> v.Section | None:
    """The section; None where no shipped formula is used."""
    formulas = _used(study)
    if not formulas:
        return None
    shown = formulas[:MOST]
    blocks: list[v.Block] = [
        v.Paragraph(
            f"The results rest on {len(formulas)} formulas applied to "
            f"{len(study.inputs)} inputs. They are printed as they are computed, those "
            "nearest to the result first; each is used as often as the graph needs it.",
            lead=True,
        )
    ]
    blocks += [equation(one) for one in shown]
    measured = accuracy()
    blocks += [measured] if measured else []
    return v.Section("Method", tuple(blocks), "method")


def accuracy() -> v.Table | None:
    """How far the formulas were off on measurements that no fit had seen."""
    lines = [one for one in kept() if one.brief]
    if not lines:
        return None
    rows = [
        v.Row(
            (
                one.family[:1].upper() + one.family[1:],
                one.left_out,
                str(one.rows),
                n.percent(one.mean, 3),
                n.percent(one.median, 3),
                n.percent(one.coverage, 2),
            )
        )
        for one in lines
    ]
    return v.Table(
        f"The formulas meet {n.count(sum(one.rows for one in lines))} measurements "
        f"that no fit had seen, {n.percent(min(one.mean for one in lines), 2)} to "
        f"{n.percent(max(one.mean for one in lines), 2)} off in the mean",
        (
            v.Column("Measurements", width=0.32),
            v.Column("Left out of the fit", width=0.28),
            v.Column("Rows", align="right"),
            v.Column("Mean error", align="right"),
            v.Column("Median error", align="right"),
            v.Column("90% intervals that held", align="right"),
        ),
        tuple(rows),
        source="docs/accuracy.md: open measurements, each predicted by a fit that had "
        "not seen its source, model or chip, as stated. An error is the size of "
        "ln(predicted / measured); the mean is over rows, the median over series.",
        key="tab-accuracy",
        dense=True,
    )


def key_of(study: Study, result: Result) -> str:
    """The key of the formula that a result comes from; empty where none is printed."""
    found = _formula(study, result)
    return f"eq-{found.name}" if found is not None and readable(found) else ""


def _formula(study: Study, result: Result) -> Formula | None:
    """The shipped formula whose value a result is."""
    graph = study.evaluation.graph
    node = graph.names.get(f"{result.scenario}.{result.path}")
    what = graph.nodes[node].what if node is not None else None
    shipped = isinstance(what, Formula) and what.function is not None and what.params
    return what if isinstance(what, Formula) and shipped else None


def _used(study: Study) -> list[Formula]:
    """The shipped formulas below the main metrics, nearest to the result first.

    Those that the cover's figures come from begin.
    """
    graph = study.evaluation.graph
    results = [
        result
        for scenario in study.scenarios
        for metric in (study.main_metric, *study.metrics)
        if (result := study.result(scenario, metric)) is not None
    ]
    found = [graph.names.get(f"{one.scenario}.{one.path}") for one in results]
    seen: dict[str, Formula] = {}
    for result in results:
        one = _formula(study, result)
        if one is not None and result.scenario == study.baseline.name:
            seen.setdefault(one.name, one)
    for node in reversed(graph.below([node for node in found if node is not None])):
        what = graph.nodes[node].what
        if not isinstance(what, Formula) or what.function is None:
            continue
        if not what.name.startswith("sum_of_") and what.params:
            seen.setdefault(what.name, what)
    return [one for one in seen.values() if readable(one)]


def readable(one: Formula) -> bool:
    """Whether a formula is worth printing: no bare name, and not a page of cases."""
    few = sum(part.op in _BRANCHES for part in one.body.walk()) <= MOST_BRANCHES
    return few and one.body.op != "symbol" and size(one.body) <= LONGEST


def _where(one: Formula, name: str | Family) -> v.Where:
    """A line of the legend; of a family, what any of it is, and how far it goes."""
    if isinstance(name, Family):
        param = one.params[name.member(name.first)]
        symbols = {key: other.latex for key, other in one.params.items()}
        symbol, doc = indexed(symbols, name), f"{param.doc}, {name.range}"
    else:
        param = one.params[name]
        symbol, doc = param.latex, param.doc
    return v.Where(symbol, doc, "" if param.unit == "1" else param.unit)


def equation(one: Formula) -> v.Equation:
    """A formula as it is printed."""
    symbols = {name: param.latex for name, param in one.params.items()}
    left = one.latex or rf"\mathrm{{{one.name.replace('_', chr(92) + '_')}}}"
    where = tuple(_where(one, name) for name in gathered(tuple(one.params), 2))
    source = one.source + (f". Valid: {in_print(one.valid)}." if one.valid else "")
    title = re.sub(r"_of_\d+$", "", one.name).replace("_", " ")
    return v.Equation(
        f"{left} = {latex(one.body, symbols)}",
        title=title.upper() if len(title) <= _ACRONYM else title.capitalize(),
        where=where,
        source=source,
        key=f"eq-{one.name}",
    )
