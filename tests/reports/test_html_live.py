"""The page in a browser: the engine's numbers, for whatever a reader sets."""

import math
import random
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from isocost.engine.program import point
from isocost.reports import numbers as n
from isocost.reports.assemble import assemble
from isocost.reports.html import live_study

SETTINGS = 50
SET = """
const [values] = arguments;
live.apply(new Map(values));
return [live.v.length, live.ms];
"""


@pytest.fixture
def page(chromium: Any, live_page: Path) -> Any:
    chromium.size(1280, 900)
    chromium.dark(on=False)
    chromium.open(live_page)
    return chromium


def settings(sliders: list[dict[str, Any]], seed: int) -> dict[int, float]:
    """Some inputs at random places of their sliders, in their own units."""
    draw = random.Random(seed)
    chosen = draw.sample(sliders, draw.randint(1, len(sliders)))
    return {s["node"]: draw.uniform(s["low"], s["high"]) for s in chosen}


def test_fifty_settings_give_the_engines_numbers(page: Any, made_study: Any) -> None:
    study = made_study.study
    evaluation = study.evaluation
    sliders = page.run("return live.data.sliders")
    scales = {s["node"]: s["scale"] for s in sliders}
    nodes = sorted(
        {
            evaluation.graph.names[f"{r.scenario}.{r.path}"]
            for r in study.results.values()
        }
    )
    known = set(page.run("return live.data.base.map(([node]) => node)"))
    compared = 0
    for seed in range(SETTINGS):
        given = settings(sliders, seed)
        page.run(SET, list(given.items()))
        found = page.run("return arguments[0].map((node) => live.v[node])", nodes)
        moved = {node: x * scales[node] for node, x in given.items()}
        wanted = point(evaluation.graph, nodes, {**evaluation.choices, **moved})
        for node, theirs in zip(nodes, found, strict=True):
            ours = wanted[node]
            if theirs == 0 and ours and node not in known:
                continue  # nothing on the page shows it
            compared += 1
            assert theirs is not None or not math.isfinite(ours)
            if math.isfinite(ours):
                assert math.isclose(theirs, ours, rel_tol=1e-9), (seed, node)
    assert compared > SETTINGS * len(nodes) * 0.8


def test_what_is_shown_follows(page: Any, made_study: Any) -> None:
    study = made_study.study
    sliders = page.run("return live.data.sliders")
    first = next(s for s in sliders if study.baseline.name in s["scenarios"])
    page.run(SET, [[first["node"], first["high"]]])
    node = study.node(study.baseline, study.main_metric)
    value = page.run("return live.v[arguments[0]]", node)
    shown = page.run("return document.querySelector('.kf .figure').textContent.trim()")
    scale = study.result(study.baseline, study.main_metric).scale
    assert shown == n.money(value / scale)
    assert page.run("return document.querySelectorAll('.now').length") > 3
    assert page.run("return !document.querySelector('.changed').hidden")
    page.click("#open-inputs")
    page.click("#reset")
    assert page.run("return document.querySelectorAll('.now, .off').length") == 0
    assert page.run("return location.hash") == ""


def test_a_change_computes_no_more_than_follows_from_it(
    page: Any, made_study: Any
) -> None:
    """Each step lies between a slider and something shown, and runs once."""
    graph = made_study.study.evaluation.graph
    code = page.run("return run.toString()")
    steps = [int(node) for node in re.findall(r"^v\[(\d+)\] = ", code, re.MULTILINE)]
    assert len(steps) == len(set(steps)) > SETTINGS
    moved = {s["node"] for s in page.run("return live.data.sliders")}
    read = page.run("return outputs.toString()")
    shown = {int(node) for node in re.findall(r"\bv\[(\d+)\]", read)}
    shown |= {wanted for wanted, _, _ in page.run("return live.data.moves")}
    follows = set(moved)
    for node in range(len(graph.nodes)):
        if follows.intersection(graph.nodes[node].args):
            follows.add(node)
    above = set(shown)
    for node in sorted(follows, reverse=True):
        if node in above:
            above.update(graph.nodes[node].args)
    assert set(steps) <= follows & above


def test_a_change_touches_only_what_moves(page: Any) -> None:
    """The same inputs again change nothing on the page."""
    sliders = page.run("return live.data.sliders")
    watched = """
    const [values] = arguments;
    const seen = new MutationObserver(() => {});
    const all = { subtree: true, childList: true, characterData: true };
    seen.observe(document.querySelector("main"), all);
    live.apply(new Map(values));
    const found = seen.takeRecords().length;
    seen.disconnect();
    return found;
    """
    given = list(settings(sliders, 1).items())
    first = page.run(watched, given)
    assert first > 0
    assert page.run(watched, given) == 0
    spots = page.run("return live.spots.length + live.texts.length")
    assert first < 2 * spots


def test_takeaways_change_their_subject(page: Any) -> None:
    """Where another option becomes the cheapest, the sentence names it."""
    before = page.run("return document.querySelector('.takeaways').textContent")
    sliders = page.run("return live.data.sliders")
    variants = page.run("return live.data.variants.length")
    assert variants >= 1
    changed = []
    for seed in range(30):
        page.run(SET, list(settings(sliders, seed + 100).items()))
        words = page.run("return document.querySelector('.takeaways').textContent")
        best = page.run(
            "const v = live.data.variants[0];"
            "const x = v.outs.map((o) => live.outs[o]);"
            "return x.indexOf(v.most ? Math.max(...x) : Math.min(...x))"
        )
        changed.append(words != before)
        assert isinstance(best, int)
    assert any(changed)


def test_the_link_carries_the_inputs(page: Any, live_page: Path) -> None:
    sliders = page.run("return live.data.sliders")
    given = settings(sliders, 3)
    page.run(SET, list(given.items()))
    page.run("live.remember()")
    fragment = page.run("return location.hash")
    assert fragment.startswith("#set?")
    wanted = page.run("return live.outs")
    page.open(live_page, fragment)
    assert page.run("return live.set.size") == len(given)
    assert page.run("return live.outs") == wanted
    assert not page.run("return document.getElementById('reset').disabled")


@pytest.mark.parametrize(
    "fragment", ["#set?x=1", "#set?", "#set?%E0%A4%A=1", "#set?software.residual=NaN"]
)
def test_a_link_with_nonsense_changes_nothing(
    fragment: str, page: Any, live_page: Path
) -> None:
    page.complaints()
    page.open(live_page, fragment)
    assert page.run("return live.set.size") == 0
    assert page.complaints() == []


def test_the_exported_file_states_the_same(
    page: Any, made_study: Any, tmp_path: Path
) -> None:
    from isocost.dsl.check import check
    from isocost.dsl.diagnostics import failed
    from isocost.dsl.load import load
    from isocost.dsl.resolve import resolve
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.quantities import table

    source = Path(made_study.study.evaluation.document.file)
    sliders = page.run("return live.data.sliders")
    given = {s["node"]: s["value"] + 0.6 * (s["high"] - s["value"]) for s in sliders}
    page.run(SET, list(given.items()))
    text = page.run("return live.scenario()")
    folder = tmp_path / "study"
    shutil.copytree(source.parent, folder)
    changed = folder / "changed.scn"
    changed.write_text(text, "utf-8")
    checked = check(resolve(load(str(changed))), table())
    assert not failed(checked.diagnostics), checked.diagnostics
    evaluation = Evaluation(checked, 16)
    study = made_study.study
    for scenario in study.scenarios:
        name = f"{scenario.name}_changed"
        if name not in checked.document.blocks:
            continue
        for slider in sliders:
            if scenario.name not in slider["scenarios"]:
                continue
            node = evaluation.node(name, slider["path"])
            if node is None:
                continue
            value = evaluation.point((node,))[node]
            wanted = given[slider["node"]] * slider["scale"]
            assert math.isclose(value, wanted, rel_tol=1e-9), (name, slider["path"])


# By keyboard, and for all eyes ------------------------------------------------------


def test_charts_speak_to_the_keyboard(page: Any) -> None:
    page.run("document.querySelector('svg.chart').focus()")
    page.keys("Right")
    first = page.run("return document.getElementById('tip').textContent")
    page.keys("Right")
    second = page.run("return document.getElementById('tip').textContent")
    assert first
    assert first != second
    assert any(c.isdigit() for c in first)
    page.keys("Escape")
    assert page.run("return document.getElementById('tip').hidden")


def test_most_charts_have_values(page: Any) -> None:
    silent = page.run(
        "return [...document.querySelectorAll('figure')].filter((f) => "
        "!f.querySelector('[data-tip]'))"
        ".map((f) => f.querySelector('figcaption').textContent)"
    )
    total = page.run("return document.querySelectorAll('figure').length")
    # Drawings of a topology have nothing to read off.
    assert len(silent) <= total / 3, silent


def test_sliders_and_headings_work_by_keyboard(page: Any) -> None:
    page.click("#open-inputs")
    assert page.run("return document.activeElement.id") == "close-inputs"
    page.run("document.querySelector('fieldset input[type=range]').focus()")
    page.keys(*["Right"] * 40)
    assert page.run("return live.set.size") == 1
    page.keys("Escape")
    assert page.run("return document.activeElement.id") == "open-inputs"
    page.run("document.querySelector('button.sort').focus()")
    column = (
        "return [...document.querySelector('button.sort').closest('table')"
        ".tBodies[0].rows].map((r) => r.cells[0].textContent)"
    )
    before = page.run(column)
    page.keys("Enter")
    after = page.run(column)
    assert sorted(before) == sorted(after)
    assert after == page.run(
        "return arguments[0].sort((a, b) => a.trim().localeCompare(b.trim(), 'en'))",
        after,
    )


def test_numbers_sort_as_numbers(page: Any) -> None:
    texts = ["$1.24M", "−$3.00", "12.4\u202fk", "0.360", "846\u202fm", "1.30×10⁷", "–"]
    found = page.run(
        "return arguments[0].map((t) => { const c = document.createElement('td');"
        "c.textContent = t; return tables.value(c); })",
        texts,
    )
    assert found == pytest.approx([1.24e6, -3, 12400, 0.36, 0.846, 1.3e7, None])


CONTRAST = """
const rgb = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
const linear = (x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
const light = (c) => {
  const [r, g, b] = c.map((x) => linear(x / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c.slice(0, 3);
  }
  return [255, 255, 255];
};
const bad = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode, e = text.parentElement;
  if (!text.textContent.trim() || ["SCRIPT", "STYLE"].includes(e.tagName)) continue;
  if (e.closest("[hidden], button:disabled, option, svg")) continue;
  const style = getComputedStyle(e);
  const a = light(rgb(style.color).slice(0, 3)), b = light(ground(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 600;
  const large = size >= 24 || (size >= 18.66 && bold);
  const words = text.textContent.slice(0, 40);
  if (ratio < (large ? 3 : 4.5) - 0.01) bad.push([words, ratio, e.className]);
}
return bad.slice(0, 10);
"""


@pytest.mark.parametrize("dark", [False, True])
def test_texts_have_contrast(*, dark: bool, page: Any) -> None:
    page.dark(on=dark)
    sliders = page.run("return live.data.sliders")
    page.run(SET, list(settings(sliders, 1).items()))
    page.click("#open-inputs")
    assert page.run(CONTRAST) == []


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_runs_off_the_page(width: int, page: Any, live_page: Path) -> None:
    page.size(width, 800)
    page.open(live_page)
    assert page.run("return document.documentElement.scrollWidth") <= width
    off = page.run(
        "return [...document.querySelectorAll('main *')].filter((e) => "
        "e.getBoundingClientRect().right > innerWidth + 1 && "
        "!e.closest('.exhibit, .picture, .eq-line, pre'))"
        ".map((e) => e.outerHTML.slice(0, 90))"
    )
    assert off == []


def test_the_page_is_silent_and_alone(page: Any, live_page: Path) -> None:
    page.complaints()
    page.open(live_page)
    assert page.complaints() == []
    fetched = page.run(
        "return performance.getEntriesByType('resource').map((e) => e.name)"
        ".filter((name) => !name.startsWith('data:'))"
    )
    assert fetched == []


def test_every_element_that_acts_has_a_name(page: Any) -> None:
    page.click("#open-inputs")
    nameless = page.run(
        "return [...document.querySelectorAll('button, input, select, a[href], img, "
        "svg[role]')].filter((e) => !(e.ariaLabel || e.textContent.trim() || e.alt || "
        "(e.labels && e.labels.length))).map((e) => e.outerHTML.slice(0, 120))"
    )
    assert nameless == []
    doubled = page.run(
        "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);"
        "return ids.filter((id, i) => ids.indexOf(id) !== i)"
    )
    assert doubled == []


# The same words in both languages ----------------------------------------------------


def test_numbers_are_written_as_python_writes_them(page: Any) -> None:
    draw = random.Random(5)
    values = [0.0, 1.0, -1.0, 999.6, 1e7, 1e-5, 0.5, 12345.678, -0.00012]
    values += [draw.choice((-1, 1)) * 10 ** draw.uniform(-9, 13) for _ in range(400)]
    calls: list[tuple[str, list[Any], str]] = []
    for x in values:
        calls += [
            ("plain", [x], n.plain(x)),
            ("plain", [x, 2], n.plain(x, 2)),
            ("si", [x, "W"], n.si(x, "W")),
            ("money", [x], n.money(x)),
            ("money", [x, "$", 2], n.money(x, "$", 2)),
            ("percent", [x, 2], n.percent(x, 2)),
            ("ratio", [x], n.ratio(x)),
            ("fixed", [x, 3], n.fixed(x, 3)),
            ("count", [round(x)], n.count(round(x))),
        ]
    found = page.run(
        "return arguments[0].map(([name, args]) => numbers[name](...args))",
        [[name, args] for name, args, _ in calls],
    )
    for (name, args, ours), theirs in zip(calls, found, strict=True):
        assert ours == theirs, (name, args)


def test_the_sample_page_runs_without_a_model(
    chromium: Any, samples: ModuleType, tmp_path: Path
) -> None:
    from isocost.reports.html import render_html

    path = tmp_path / "static.html"
    path.write_text(render_html(samples.report(), date=samples.DATE), "utf-8")
    chromium.complaints()
    chromium.open(path)
    assert chromium.complaints() == []
    assert chromium.run("return document.getElementById('open-inputs')") is None


EXAMPLES = Path(__file__).parents[2] / "scenarios" / "examples"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("*.scn")))
def test_every_example_is_a_page_that_works(
    name: str, chromium: Any, make: Any, tmp_path: Path
) -> None:
    from isocost.reports.assemble import date_of
    from isocost.reports.html import render_html

    made = make(str(EXAMPLES / f"{name}.scn"))
    page = render_html(made.report, date=date_of(made.study), study=made.study)
    path = tmp_path / "page.html"
    path.write_text(page, "utf-8")
    chromium.complaints()
    chromium.open(path)
    sliders = chromium.run("return live.data.sliders")
    for seed in range(3):
        if sliders:
            chromium.run(SET, list(settings(sliders, seed).items()))
    assert chromium.complaints() == []


def test_a_traced_report_reads_as_the_plain_one(made_study: Any) -> None:
    from isocost.reports.assemble import study_of
    from isocost.reports.export.markdown import render_markdown

    evaluation = made_study.study.evaluation
    plain = assemble(study_of(evaluation))
    traced = assemble(live_study(evaluation))
    assert render_markdown(traced) == render_markdown(plain)
