"""From an evaluated document to a report's view: cover, sections, attachments."""

import datetime as dt
from collections.abc import Iterable

from isocost import __version__
from isocost.dsl.dates import read_period
from isocost.dsl.document import Block
from isocost.engine.evaluate import Evaluation
from isocost.reports import numbers as n
from isocost.reports import training
from isocost.reports import view as v
from isocost.reports.collecting import uncollected
from isocost.reports.exhibits import calls
from isocost.reports.flags import limited, remarked
from isocost.reports.names import metric_name
from isocost.reports.sections import sections
from isocost.reports.sections.cost import COSTS, token_finding
from isocost.reports.sections.method import key_of
from isocost.reports.sections.performance import METRICS
from isocost.reports.sections.results import finding, shown_here
from isocost.reports.sections.sensitivity import label, moved, share_of_top
from isocost.reports.study import HOUR, Study, exceeding, interval, show
from isocost.reports.telling import tell

_COUNTS = {1: "One input", 2: "Two inputs", 3: "Three inputs"}
_HEADLINES = ("cost.per_Mtoken", "cost.per_chip_hour", "throughput.per_chip", "mbu")


def study_of(evaluation: Evaluation, name: str | None = None) -> Study:
    """The material of a document's report.

    Args:
        evaluation: The evaluated document.
        name: Which report; the main file's first one if None, or none at all.
    """
    reports = list(evaluation.document.of_kind("report"))
    own = [b for b in reports if b.file == evaluation.document.file] or reports
    chosen = next((b for b in own if name in {None, b.label}), None)
    return Study(evaluation, chosen)


def assemble(study: Study) -> v.Report:
    """The whole report as view models."""
    stated = (metric for metric in study.metrics)
    usual = (*METRICS, *COSTS, *training.METRICS, *training.COSTS)
    wanted = (*stated, *(metric for metric, *_ in usual))
    with uncollected():
        study.prepare(dict.fromkeys((*wanted, study.main_metric, *_HEADLINES)))
        body = sections(study)
    title = study.text("title") or f"{study.title(study.baseline)}: what it costs"
    return v.Report(
        cover=_cover(study, title),
        sections=body,
        running=study.text("house") or "Isocost",
        imprint=f"Isocost {__version__} · {study.digest}",
        confidential=study.text("confidentiality"),
        author=study.text("author") or "Isocost",
        attachments=_attachments(study),
    )


def date_of(study: Study) -> dt.date:
    """The report's date: `as_of`, else the newest date among its sources."""
    stated = study.text("as_of")
    found = read_period(stated)
    if found is not None:
        return dt.date.fromordinal(found.start)
    dates = []
    for source in study.evaluation.document.sources.values():
        fact = source.facts.get("date")
        if fact is not None and fact.expr.op == "date":
            dates.append(_date(str(fact.expr.value)))
    return max((d for d in dates if d), default=dt.date(2026, 1, 1))


def _date(text: str) -> dt.date | None:
    try:
        whole = text.count("-") > 1
        return dt.date.fromisoformat(text if whole else f"{text}-01")
    except ValueError:
        return None


def _cover(study: Study, title: str) -> v.Cover:
    return v.Cover(
        title,
        kicker=study.text("house") or "Infrastructure economics",
        subtitle=study.text("subtitle") or _subtitle(study),
        figures=tuple(_figures(study)),
        takeaways=tuple(_takeaways(study)),
        box=_box(study),
        note="Written by Isocost from the attached scenario file. Figures as of "
        f"{date_of(study):%-d %B %Y}. 90% intervals; assumptions are in the appendix."
        f"{exceeding(study.result(study.baseline, m) for m in _HEADLINES)}",
    )


def _subtitle(study: Study) -> str:
    _, scenarios = study.groups()[0]
    text = token_finding(study, scenarios) if _has_cost(study, scenarios) else ""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _has_cost(study: Study, scenarios: Iterable[Block]) -> bool:
    return any(study.result(s, "cost.per_Mtoken") is not None for s in scenarios)


def _figures(study: Study) -> Iterable[v.KeyFigure]:
    words = {
        "cost.per_Mtoken": "per million output tokens",
        "cost.per_chip_hour": "per installed chip-hour",
        training.UP: "per chip-hour that is up",
        "throughput.per_chip": "output tokens a second from one chip",
        "mbu": "of the memory bandwidth used in decode",
    }
    where = f"{study.title(study.baseline)}"
    if training.trains(study, study.baseline):
        yield from _run_figures(study, where)
        return
    told: set[str] = set()
    usual = (study.hour if metric == HOUR else metric for metric in _HEADLINES)
    for metric in (*usual, *study.listed):
        found = study.result(study.baseline, metric)
        if found is None or found.path in told or len(told) == len(_HEADLINES):
            continue
        told.add(found.path)
        ends = interval(found)
        bare = metric == "throughput.per_chip"
        said = words.get(metric) or metric_name(metric, found.doc)
        yield v.KeyFigure(
            n.plain(found.value) if bare else show(found),
            f"{said}, {where}",
            interval=f"90% interval {ends}" if ends else "",
            key=key_of(study, found),
        )


def _run_figures(study: Study, where: str) -> Iterable[v.KeyFigure]:
    for metric, text, said in training.figures(study, study.baseline):
        found = study.result(study.baseline, metric)
        ends = interval(found) if found is not None else ""
        yield v.KeyFigure(
            text,
            f"{said}, {where}",
            interval=f"90% interval {ends}" if ends else "",
            key=key_of(study, found) if found is not None else "",
        )


def _takeaways(study: Study) -> Iterable[v.Takeaway]:
    """Those that the file words itself, else those that every study has."""
    yield from _broken(study)
    worded = [call for call in calls(study) if call.name == "takeaway"]
    for call in worded:
        head, text = (tell(study, {"text": arg}, "text") for arg in call.args)
        if head and text:
            yield v.Takeaway(head, text)
    yield from _doubted(study)
    if not worded:
        yield from _usual(study)


def _broken(study: Study) -> Iterable[v.Takeaway]:
    """Designs that break a limit are computed all the same, and come first."""
    for scenario in (one for _, group in study.groups() for one in group):
        said = study.evaluation.breaches(scenario.name)
        if said:
            yield v.Takeaway(
                f"{study.title(scenario)} breaks its limits:",
                f"{'; '.join(said)}. Its figures are a what-if.",
            )


def _doubted(study: Study) -> Iterable[v.Takeaway]:
    """What the engine says beside the numbers that the headlines rest on."""
    found = [study.result(s, study.main_metric) for s in study.scenarios]
    told = remarked(study, (one for one in found if one is not None))
    told += limited(study, study.baseline)
    if told:
        yield v.Takeaway("To be read with care:", f"{'. '.join(told)}.")


def _usual(study: Study) -> Iterable[v.Takeaway]:
    for work, scenarios in study.groups()[:2]:
        if _has_cost(study, scenarios):
            name = work.label if work else "work"
            yield v.Takeaway(
                f"{study.workload_title(scenarios[0])}:",
                (
                    f"{token_finding(study, scenarios)} (",
                    v.Ref(f"fig-tokens-{name}"),
                    ").",
                ),
            )
    for name, title, runs in training.groups(study)[:2]:
        if any(study.result(one, "cost.train") for one in runs):
            text = training.run_finding(study, runs)
            yield v.Takeaway(f"{title}:", (f"{text} (", v.Ref(f"tab-run-{name}"), ")."))
    hour = study.hour
    if study.main_metric == hour and len(study.ranking(study.scenarios, hour)) > 1:
        what = "a chip-hour" if hour == HOUR else training.hour_words(study)
        text = training.cheapest(study, list(study.scenarios), hour, what)
        yield v.Takeaway(
            "Own or rent:" if _both_tenures(study) else "By the hour:",
            (f"{text} (", v.Ref("fig-cost-stack"), ")."),
        )
    if shown_here(study) and study.comparable:
        text = finding(study)
        yield v.Takeaway("What it comes to:", (f"{text} (", v.Ref("tab-results"), ")."))
    inputs = study.drivers.inputs if study.drivers else ()
    moving = moved(inputs)
    if moving:
        top = sorted(moving, key=lambda one: -one.swing)[:3]
        names = ", ".join(label(study, one) for one in top)
        share = n.percent(share_of_top(moving), 2)
        yield v.Takeaway(
            f"{_COUNTS[len(top)]} carry {share} of the doubt:",
            (f"{names} (", v.Ref("fig-tornado"), ")."),
        )
    claims = [one for one in study.verdicts if one.condition.kind == "claim"]
    failed = [one for one in claims if not one.holds]
    if failed:
        first = failed[0].condition.why
        yield v.Takeaway(
            f"{len(failed)} of {len(claims)} claims fail their arithmetic,",
            (f"“{first}” among them (", v.Ref("tab-claims"), ")."),
        )


def _both_tenures(study: Study) -> bool:
    """Whether some options own their systems and others rent."""
    rented = {study.result(s, "cost.rent") is not None for s in study.scenarios}
    return len(rented) > 1


def _box(study: Study) -> tuple[v.BoxLine, ...]:
    scenario = study.baseline
    roles = [
        ("Workload", study.role(scenario, "workload")),
        ("Terms", study.role(scenario, "finance")),
        ("Site", study.role(scenario, "site")),
    ]
    lines = [v.BoxLine("Baseline", study.title(scenario))]
    lines += [v.BoxLine(k, b.title or b.label) for k, b in roles if b is not None]
    lines += [
        v.BoxLine("Engine", f"Isocost {__version__}, edition 2026"),
        v.BoxLine("Draws", n.count(study.evaluation.count)),
        v.BoxLine("Inputs", study.digest),
    ]
    return tuple(lines)


def _attachments(study: Study) -> tuple[v.Attachment, ...]:
    """The scenario file; writers that carry files add what they make of the rest."""
    document = study.evaluation.document
    main = document.files[document.file]
    return (
        v.Attachment(
            "scenario.scn",
            main.text.encode(),
            "The scenario file that this report was made from",
            relationship="Source",
        ),
    )
