"""The page under axe-core's rules, WCAG's contrast and keyboard use among them.

All rules but the experimental ones, none disabled: by day and by night, on a phone and
on a desk, with the panel of inputs closed and open. axe-core comes from npm (see
tests/package.json); where it or the browser is missing, these tests skip.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isocost.reports.assemble import date_of
from isocost.reports.html import render_html
from isocost.reports.outputs import with_files

ROOT = Path(__file__).parents[2]
AXE = ROOT / "tests" / "node_modules" / "axe-core" / "axe.min.js"
OWN_OR_RENT = ROOT / "scenarios" / "examples" / "own_or_rent.scn"
PHONE, DESK = (390, 844), (1280, 900)
#: What axe finds, each fault with the first elements that have it.
FOUND = """
const [where, done] = arguments;
axe.run(where).then(({ violations, passes }) => done({
  faults: violations.map((v) => [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html)]),
  passes: passes.map((p) => p.id),
}));
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: npm ci in tests/"),
]


@pytest.fixture(scope="module")
def second_page(make: Callable[[str], Any], tmp_path_factory: Any) -> Path:
    """The page of another scenario, which no code was written for."""
    made = make(str(OWN_OR_RENT))
    path: Path = tmp_path_factory.mktemp("second") / "page.html"
    report = with_files(made.study, made.report)
    page = render_html(report, date=date_of(made.study), study=made.study)
    path.write_text(page, "utf-8")
    return path


def found(
    window: Any, page: Path, size: tuple[int, int], *, dark: bool, open_inputs: bool
) -> dict[str, Any]:
    """What axe finds on a page."""
    window.size(*size)
    window.dark(on=dark)
    window.open(page)
    # Through the developer's protocol: the page's own policy admits no script.
    window.devtools("Runtime.evaluate", expression=AXE.read_text("utf-8"))
    # Of what is out of sight and not laid out axe cannot tell the colours.
    window.run(
        "for (const part of document.querySelectorAll('.part')) "
        "part.style.contentVisibility = 'visible'"
    )
    where = "body"
    if open_inputs:
        window.click("#open-inputs")
        # On a phone the panel lies over the page, which is looked at without it.
        where = "#inputs" if size == PHONE else where
    body = {"script": FOUND, "args": [where]}
    window.call("/timeouts", {"script": 300_000})
    made: dict[str, Any] = window.call("/execute/async", body)
    return made


def look(
    window: Any, page: Path, size: tuple[int, int], *, dark: bool, open_inputs: bool
) -> set[str]:
    """Complain of what axe finds; the rules that had something to look at."""
    seen = found(window, page, size, dark=dark, open_inputs=open_inputs)
    assert seen["faults"] == [], (page.name, size, dark, open_inputs)
    return set(seen["passes"])


@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
def test_the_study(chromium: Any, live_page: Path, *, dark: bool) -> None:
    phone = look(chromium, live_page, PHONE, dark=dark, open_inputs=False)
    desk = look(chromium, live_page, DESK, dark=dark, open_inputs=True)
    for rules in (phone, desk):
        assert {"color-contrast", "image-alt", "heading-order", "region"} <= rules
    # Only there is anything wider than the window.
    assert "scrollable-region-focusable" in phone
    assert {"label", "button-name", "select-name"} <= desk


@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
@pytest.mark.parametrize(
    ("size", "open_inputs"),
    [(PHONE, False), (PHONE, True), (DESK, True)],
    ids=["phone", "phone, inputs", "desk, inputs"],
)
def test_another_report(
    chromium: Any,
    second_page: Path,
    size: tuple[int, int],
    *,
    dark: bool,
    open_inputs: bool,
) -> None:
    passes = look(chromium, second_page, size, dark=dark, open_inputs=open_inputs)
    assert "color-contrast" in passes


def test_a_fault_is_found(chromium: Any, second_page: Path, tmp_path: Path) -> None:
    """The checks would tell: letters of too little contrast, a button without name."""
    bad = tmp_path / "bad.html"
    page = second_page.read_text("utf-8")
    faint = '<p style="color:#bbbbbb;background:#ffffff">faint</p><button></button>'
    bad.write_text(page.replace("<main>", f"<main>{faint}", 1), "utf-8")
    seen = found(chromium, bad, DESK, dark=False, open_inputs=False)
    assert [rule for rule, _, _ in seen["faults"]] == ["button-name", "color-contrast"]
