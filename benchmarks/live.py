"""A slider moved on the live page, until everything on it follows.

Measured by the browser's own counters, in processor time of the page's thread, so
that what else the machine does takes no part.
"""

import importlib.util
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._frame import ROOT, Outcome, Skip, scenario

#: The time between two frames of a screen, in seconds.
FRAME = 0.016
CHANGES = 40
#: Each change is one event of its own: it is applied and the page laid out anew.
APPLY = """
const [values] = arguments;
return new Promise((done) => setTimeout(() => {
  live.apply(new Map(values));
  done([live.ms, document.documentElement.offsetHeight]);
}));
"""
COUNTERS = {
    "script": "ScriptDuration",
    "styles": "RecalcStyleDuration",
    "layout": "LayoutDuration",
}


def run() -> Outcome:
    """Time moves of one slider, all others off their places too."""
    driver = _driver()
    study, page = _page(scenario("scenarios/trainium2/study.scn"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.html")
        path.write_text(page, "utf-8")
        with driver.browser(Path(folder, "profile")) as window:
            window.devtools("Performance.enable", timeDomain="threadTicks")
            window.open(path)
            sliders = window.run("return live.data.sliders")
            size = window.run("return run.toString().split('\\n').length - 2")
            taken = _changes(window, sliders)
    total = statistics.median(sum(one.values()) for one in taken)
    parts = {
        name: f"{1e3 * statistics.median(one[name] for one in taken):.1f} ms"
        for name in COUNTERS
    }
    return Outcome(
        what="a slider moved on the study's page, in processor time",
        value=total,
        unit="s",
        rival="the engine at the same inputs, its numbers alone",
        rival_value=_engine(study, sliders),
        limit=FRAME,
        notes={**parts, "steps": size, "sliders": len(sliders)},
    )


def _driver() -> Any:
    """The tests' browser, loaded by path."""
    path = ROOT / "tests" / "reports" / "browser.py"
    spec = importlib.util.spec_from_file_location("isocost_browser", path)
    if spec is None or spec.loader is None:
        raise Skip("the tests are not here")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.DRIVER is None or module.CHROME is None:
        raise Skip("needs Debian's chromium and chromium-driver")
    return module


def _page(path: str) -> tuple[Any, str]:
    """The study's material, and its page."""
    from isocost.dsl.check import check
    from isocost.dsl.load import load
    from isocost.dsl.resolve import resolve
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.quantities import table
    from isocost.reports.assemble import assemble, date_of
    from isocost.reports.html import live_study, render_html

    study = live_study(Evaluation(check(resolve(load(path)), table()), 128))
    page = render_html(assemble(study), date=date_of(study), study=study)
    return study, page


def _values(sliders: list[dict[str, Any]], seed: int) -> dict[int, float]:
    """All sliders at random places."""
    draw = random.Random(seed)
    return {s["node"]: draw.uniform(s["low"], s["high"]) for s in sliders}


def _changes(window: Any, sliders: list[dict[str, Any]]) -> list[dict[str, float]]:
    """Seconds of each kind of work for each move, after a first that does not count."""
    values = _values(sliders, CHANGES)
    window.run(APPLY, list(values.items()))
    taken = []
    for seed in range(CHANGES):
        moved = sliders[seed % len(sliders)]["node"]
        values[moved] = _values(sliders, seed)[moved]
        before = _counters(window)
        window.run(APPLY, list(values.items()))
        after = _counters(window)
        taken.append({name: after[name] - before[name] for name in COUNTERS})
    return taken


def _counters(window: Any) -> dict[str, float]:
    found = window.devtools("Performance.getMetrics")["metrics"]
    values = {one["name"]: one["value"] for one in found}
    return {name: values[counter] for name, counter in COUNTERS.items()}


def _engine(study: Any, sliders: list[dict[str, Any]]) -> float:
    """Median processor seconds of the results of the page, by the engine's walk."""
    from isocost.engine.program import point

    evaluation = study.evaluation
    names = evaluation.graph.names
    nodes = sorted({names[f"{r.scenario}.{r.path}"] for r in study.results.values()})
    scales = {s["node"]: s["scale"] for s in sliders}
    taken = []
    for seed in range(CHANGES // 4):
        moved = {n: x * scales[n] for n, x in _values(sliders, seed).items()}
        start = time.process_time()
        point(evaluation.graph, nodes, {**evaluation.choices, **moved})
        taken.append(time.process_time() - start)
    return statistics.median(taken)
