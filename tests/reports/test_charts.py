"""Charts: exact text, no label on another, none off the canvas, whatever the data."""

import ast
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.reports import charts
from isocost.reports.charts import FULL, HALF, Scene, kinds, layout_of, render_svg
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.charts.cashflow import CashFlow
from isocost.reports.charts.compose import compose
from isocost.reports.charts.drawing import Drawing, meet
from isocost.reports.charts.frontier import Frontier, Limit, Option, Spot, front
from isocost.reports.charts.groups import Grid, Groups
from isocost.reports.charts.heatmap import Contour, HeatMap, Pin
from isocost.reports.charts.intervals import Estimate, Intervals
from isocost.reports.charts.labels import clip, spread
from isocost.reports.charts.lines import Crossing, Curve, Lines
from isocost.reports.charts.metrics import balanced_width, cut, text_width, wrap
from isocost.reports.charts.plot import Axis
from isocost.reports.charts.racks import Racks
from isocost.reports.charts.roofline import Ceiling, Roof, Roofline, Workload
from isocost.reports.charts.scale import nice_range, ticks_of
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.charts.tiers import Tier, Tiers
from isocost.reports.charts.topology import Ring, Switched, Torus
from isocost.reports.charts.tornado import Swing, Tornado
from isocost.reports.charts.violin import Violin, shape_of
from isocost.reports.charts.waterfall import Step, Waterfall

Golden = Callable[[str, str | bytes], None]

NAMES = (
    "roofline",
    "torus_4x4",
    "torus_4x4x4",
    "switched",
    "torus_4x4x16",
    "fat_tree",
    "fat_tree_rails",
    "fat_tree_planes",
    "top_of_rack",
    "two_tier_switch",
    "dragonfly",
    "slim_fly",
    "hyperx",
    "hammingmesh",
    "racks",
    "frontier",
    "agreement",
    "stacked",
    "stacked_upright",
    "tornado",
    "waterfall",
    "sankey",
    "intervals",
    "violin",
    "heatmap",
    "lines",
    "lines_steps",
    "bars",
    "bars_focus",
    "cashflow",
)


def check(drawing: Drawing) -> None:
    """No text meets another, none leaves the canvas."""
    for text in drawing.texts:
        left, top, right, bottom = text.bounds
        assert left >= -0.02, text
        assert top >= -0.02, text
        assert right <= drawing.width + 0.02, text
        assert bottom <= drawing.height + 0.02, text
    for one, other in combinations(drawing.texts, 2):
        assert not meet(one, other), (one, other)


def drawn(scene: Scene, *, crowded: bool = False) -> Drawing:
    """The checked drawing of `scene`, written once so that the writer sees it too.

    Only where a chart may be `crowded` by labels may one be missing.
    """
    drawing = compose(layout_of(scene))
    check(drawing)
    assert crowded or not drawing.dropped
    ET.fromstring(render_svg(scene))
    return drawing


# What they look like ------------------------------------------------------------


def test_every_sample_is_named(samples: ModuleType) -> None:
    assert tuple(samples.SCENES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, samples: ModuleType, golden: Golden) -> None:
    scene = samples.SCENES[name]
    drawing = drawn(scene)
    assert not drawing.dropped
    assert render_svg(scene) == render_svg(scene)
    golden(f"charts/{name}.svg", render_svg(scene))


def test_every_kind_of_chart_has_a_sample(samples: ModuleType) -> None:
    shown = {type(scene).__name__ for scene in samples.SCENES.values()}
    assert shown == set(kinds())


def test_a_chart_is_added_by_a_file() -> None:
    """Each module that subclasses `Scene` registers what it defines."""
    folder = Path(charts.__file__).parent
    defined = set()
    for path in folder.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = {b.id for b in node.bases if isinstance(b, ast.Name)}
                defined |= {node.name} if "Scene" in bases else set()
    assert defined == set(kinds())


def test_an_unknown_scene_is_refused() -> None:
    with pytest.raises(LookupError, match="Scene"):
        layout_of(Scene())


# Whatever the data --------------------------------------------------------------

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
words = st.sampled_from(
    [
        "Trn2-Ultra",
        "H100",
        "GB200 NVL72",
        "Share of the memory roofline reached",
        "x",
        "TP16, batch 64",
        "a name that goes on for very much longer than any chart is wide",
    ]
)
texts = st.one_of(words, names)
positive = st.floats(1e-6, 1e12)
figures = st.floats(-1e9, 1e9).map(lambda v: 0.0 if abs(v) < 1e-9 else v)
widths = st.sampled_from([charts.FULL, charts.HALF])


@given(
    st.lists(
        st.builds(
            Roof,
            texts,
            st.floats(1e11, 1e14),
            st.lists(
                st.builds(Ceiling, words, st.floats(1e13, 1e16)), min_size=1, max_size=3
            ).map(tuple),
        ),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.tuples(texts, st.floats(0.1, 1e4)), max_size=12),
)
@settings(max_examples=40)
def test_rooflines(roofs: list[Roof], points: list[tuple[str, float]]) -> None:
    workloads = tuple(Workload(name, x, roofs[0].name) for name, x in points)
    assert not drawn(Roofline(tuple(roofs), workloads)).dropped


@given(
    st.lists(
        st.lists(
            st.builds(Spot, positive, positive, texts), min_size=1, max_size=9
        ).map(tuple),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
    st.booleans(),
    widths,
)
@settings(max_examples=40)
def test_frontiers(
    spots: list[tuple[Spot, ...]], x_log: bool, y_log: bool, width: float
) -> None:
    options = tuple(Option(f"option {i}", s) for i, s in enumerate(spots))
    limits = (Limit(spots[0][0].x, "SLO"),)
    scene = Frontier(
        options, "ms", "tok/s", x_log=x_log, y_log=y_log, limits=limits, width=width
    )
    drawn(scene, crowded=True)


@given(
    st.lists(st.builds(Spot, figures, figures), min_size=1, max_size=30).map(tuple),
    st.sampled_from(["low", "high"]),
    st.sampled_from(["low", "high"]),
)
def test_the_front_is_what_nothing_beats(
    spots: tuple[Spot, ...], x_better: str, y_better: str
) -> None:
    best = front(spots, x_better, y_better)
    sx, sy = (1 if x_better == "low" else -1), (1 if y_better == "low" else -1)

    def beats(a: Spot, b: Spot) -> bool:
        near = sx * a.x <= sx * b.x and sy * a.y <= sy * b.y
        return near and (a.x, a.y) != (b.x, b.y)

    assert not any(beats(s, b) for s in spots for b in best)
    assert all(
        any(beats(b, s) or (b.x, b.y) == (s.x, s.y) for b in best) for s in spots
    )


@given(
    st.integers(1, 8).flatmap(
        lambda k: st.lists(
            st.tuples(texts, st.lists(st.floats(0, 1e6), min_size=k, max_size=k)),
            min_size=1,
            max_size=7,
        )
    ),
    st.booleans(),
    widths,
)
@settings(max_examples=40)
def test_stacks(
    rows: list[tuple[str, list[float]]], upright: bool, width: float
) -> None:
    parts = tuple(f"part {i}" for i in range(len(rows[0][1])))
    stacks = tuple(
        Stack(name, tuple(v), low=sum(v) * 0.8, high=sum(v) * 1.3) for name, v in rows
    )
    drawn(Stacked(parts, stacks, "ms", upright=upright, width=width))


@given(
    figures,
    st.lists(
        st.builds(Swing, texts, figures, figures, texts, texts), min_size=1, max_size=14
    ).map(tuple),
    st.booleans(),
    widths,
)
@settings(max_examples=40)
def test_tornados(
    base: float, swings: tuple[Swing, ...], relative: bool, width: float
) -> None:
    drawn(Tornado(base, swings, "cost, $", relative=relative, width=width))


@given(
    figures,
    st.lists(st.builds(Step, texts, figures), max_size=9).map(tuple),
    st.booleans(),
    widths,
)
@settings(max_examples=40)
def test_waterfalls(
    start: float, steps: tuple[Step, ...], good: bool, width: float
) -> None:
    drawn(Waterfall(start, steps, "$", rise_is_good=good, money="$", width=width))


@given(
    st.lists(st.tuples(texts, positive, positive, positive), min_size=1, max_size=12),
    st.booleans(),
)
@settings(max_examples=40)
def test_intervals(rows: list[tuple[str, float, float, float]], log: bool) -> None:
    estimates = []
    for name, *values in rows:
        low, mid, high = sorted(values)
        estimates.append(Estimate(name, mid, low, high, name[:12], measured=low))
    drawn(Intervals(tuple(estimates), "$", log=log, marker=(rows[0][1], "plan")))


@given(
    st.lists(
        st.tuples(texts, st.lists(figures, min_size=1, max_size=60)),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=30)
def test_violins(rows: list[tuple[str, list[float]]]) -> None:
    drawn(Violin(tuple(shape_of(name, v, "P95") for name, v in rows), "$"))


@given(
    st.integers(2, 6),
    st.integers(2, 6),
    st.lists(st.floats(-1e6, 1e6), min_size=36, max_size=36),
    st.booleans(),
)
@settings(max_examples=30)
def test_maps(nx: int, ny: int, values: list[float], log: bool) -> None:
    grid = tuple(tuple(values[j * nx : (j + 1) * nx]) for j in range(ny))
    scene = HeatMap(
        tuple(float(i + 1) for i in range(nx)),
        tuple(float(j + 1) for j in range(ny)),
        grid,
        "x",
        "y",
        "z",
        centre=0.0,
        contours=(Contour(0.0, "break-even"),),
        pins=(Pin(1.0, 1.0, "base"),),
        x_log=log,
        y_log=log,
    )
    drawn(scene)


@given(
    st.lists(
        st.tuples(
            texts, st.lists(st.tuples(positive, positive), min_size=2, max_size=8)
        ),
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
    st.booleans(),
    widths,
)
@settings(max_examples=40)
def test_lines(
    curves: list[tuple[str, list[tuple[float, float]]]],
    log: bool,
    steps: bool,
    width: float,
) -> None:
    made = tuple(
        Curve(name, tuple(sorted(points)), steps=steps, dots=True)
        for name, points in curves
    )
    crossings = tuple(Crossing(*points[0], name) for name, points in curves)
    drawn(Lines(made, "x", "y", crossings, x_log=log, y_log=log, width=width))


@given(
    st.lists(
        st.tuples(
            texts, st.lists(st.one_of(st.none(), figures), min_size=1, max_size=3)
        ),
        min_size=1,
        max_size=8,
    ),
    widths,
)
@settings(max_examples=40)
def test_bars(rows: list[tuple[str, list[float | None]]], width: float) -> None:
    count = min(len(values) for _, values in rows)
    groups = tuple(Group(name, tuple(values[:count])) for name, values in rows)
    drawn(
        Bars(groups, "TB/s", ("a", "b", "c")[:count], marker=(1.0, "one"), width=width)
    )


@given(st.lists(figures, min_size=1, max_size=16), widths)
@settings(max_examples=40)
def test_cash(flows: list[float], width: float) -> None:
    drawn(
        CashFlow(
            tuple(str(2025 + i) for i in range(len(flows))),
            tuple(flows),
            "$",
            width=width,
        )
    )


sides = st.integers(1, 40)
pages = st.sampled_from([HALF, FULL])


@given(
    st.lists(st.integers(1, 4000), min_size=1, max_size=4),
    st.integers(1, 72),
    st.integers(1, 9),
    pages,
)
@settings(max_examples=30)
def test_tiers(counts: list[int], group: int, planes: int, width: float) -> None:
    tiers = tuple(Tier(n, f"{n} spine switches", f"{9 * n} links") for n in counts)
    for rails in (1, group):
        drawn(Tiers(100_000, "100 000 chips", tiers, group, rails, planes, width=width))


@given(sides, sides, st.booleans(), pages)
@settings(max_examples=30)
def test_groups_and_grids(a: int, b: int, facing: bool, width: float) -> None:
    words = ("98 304 chips on 2 064 routers", "8 a router", "8 256 global links")
    drawn(Groups(a, b, words, facing, width=width))
    drawn(Grid(a, b, words, b, "switches" if facing else "links", b, width=width))


@given(st.integers(1, 5000), st.floats(0.2, 8), sides, st.integers(0, 6), pages)
@settings(max_examples=30)
def test_racks(racks: int, each: float, trays: int, other: int, width: float) -> None:
    drawn(Racks(racks, each, ("racks", "systems"), trays, other, other, width=width))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=3), st.booleans())
@settings(max_examples=20)
def test_tori(sizes: list[int], wraps: bool) -> None:
    rings = tuple(Ring("xyz"[i], s, "64 GB/s", wraps) for i, s in enumerate(sizes))
    drawn(Torus(rings))


@given(st.integers(1, 600), st.integers(1, 200), st.integers(1, 9))
@settings(max_examples=20)
def test_switched(chips: int, switches: int, per_tray: int) -> None:
    drawn(Switched(chips, switches, link="900 GB/s", per_tray=per_tray))


# Parts --------------------------------------------------------------------------


@given(st.text(max_size=60))
def test_hostile_texts_stay_text(text: str) -> None:
    hostile = f'</text><script>alert("{text}")</script>&amp;<!--'
    svg = render_svg(Bars((Group(hostile, (1.0,)),), hostile))
    tags = {e.tag.rpartition("}")[2] for e in ET.fromstring(svg).iter()}
    assert tags <= {"svg", "rect", "path", "circle", "text"}


@given(
    st.lists(st.floats(0, 300), min_size=1, max_size=20).map(sorted),
    st.floats(0.5, 12),
)
def test_spread_keeps_order_distance_and_room(wanted: list[float], gap: float) -> None:
    out = spread(wanted, gap, 0, 300)
    assert len(out) == len(wanted)
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(out))
    assert min(out) >= 0
    assert max(out) <= 300 + 1e-6


def test_spread_moves_nothing_that_has_room() -> None:
    assert spread([10, 30, 60], 8, 0, 100) == [10, 30, 60]
    assert spread([10, 12], 8, 0, 100) == [7, 15]


@given(*[st.floats(-10, 10) for _ in range(4)])
def test_clipped_segments_lie_within(
    ax: float, ay: float, bx: float, by: float
) -> None:
    part = clip((ax, ay), (bx, by), (-1, -1, 1, 1))
    for x, y in part or ():
        assert abs(x) <= 1 + 1e-9
        assert abs(y) <= 1 + 1e-9


@given(figures, figures)
def test_ranges_hold_the_data_and_end_on_ticks(a: float, b: float) -> None:
    low, high = sorted((a, b))
    first, last = nice_range(low, high)
    slack = 1e-6 * max(abs(low), abs(high), 1e-9)
    assert first <= low + slack
    assert last >= high - slack
    assert 2 <= len(ticks_of(Axis(first, last), 5)) <= 16


@given(texts, st.floats(20, 300), st.integers(1, 3))
def test_words_fit(text: str, width: float, lines: int) -> None:
    rows = wrap(text, width, 7, lines=lines)
    assert len(rows) <= lines
    assert all(text_width(r, 7) <= width + text_width("…", 7) for r in rows)
    assert text_width(cut(text, width, 7), 7) <= width + text_width("…", 7)


def test_headings_are_balanced() -> None:
    text = "Trainium2 serves mixtures of experts at $0.41 a million tokens"
    face = "IsocostDisplay-SemiBold"
    assert balanced_width(text, 33, face, 400) < 320
    assert balanced_width("One", 33, face, 400) < 400
