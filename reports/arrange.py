"""What follows what on printed pages, and how high the charts are: pages come out full.

An exhibit that does not fit below the text goes overleaf, and what comes after it
(text, or a smaller exhibit of the same section) takes the room that it leaves: exhibits
float, as in any printed report. Charts give or take a little height, for what almost
fits, and where a page would end early. All that is decided before anything is numbered,
by heights that are told beforehand (`measure`): one layout is enough. Mentions go by
key, so that figures are numbered as they stand. Text that points back ("these", "it")
stays where it is, and no exhibit comes before the text that leads to it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import attrs

from isocost.reports import view as v
from isocost.reports.charts import layout_of
from isocost.reports.document import TEXT_WIDTH, Entry, plan
from isocost.reports.measure import Ruler, Size

#: The height of the text block by paper, in points.
ROOM = {"A4": 705.8, "Letter": 655.9}
#: What the estimate of a page may be wrong by.
SAFE = 8.0
#: Less room than this is no hole.
HOLE = 60.0
#: How much of its height a chart may lose or gain.
LOWER, HIGHER = 0.2, 0.25
#: The heights in which the charts of a chapter are tried, and what another than their
#: own counts for: an eighth off is as bad as a hole of a twentieth of a page.
SCALES, ODD = (1.0, 0.88, 1.12), 0.02
#: How many arrangements are followed, and how far apart on a page they end, in points.
TRIALS, STEP = 6, 12.0
#: Exhibits that others may pass.
PASSED = 2
#: Texts that begin with these speak of what stands right before them.
_BACK = {"it", "its", "such", "that", "the same", "these", "they", "this", "those"}
_EXHIBITS = (v.Figure, v.Table, v.Claims, v.Columns)
#: What only the appendix has: it flows, and nothing there is worth moving.
_APPENDIX = (v.Equation, v.References, v.Glossary)

#: Blocks with their sizes, in order.
_Queue = list[tuple[v.Block, Size | None]]


@attrs.define
class Foot:
    """How far a page is filled, and the charts on it.

    `charts` are those that may change, as they were drawn, by the identity of their
    figure; `heights` the new heights of those that do, of all pages so far. `scale` is
    how high charts are drawn at first, `cost` what is amiss with the pages so far.
    """

    room: float
    at: float = 0.0
    below: float = 0.0
    charts: dict[int, float] = attrs.field(factory=dict)
    heights: dict[int, float] = attrs.field(factory=dict)
    scale: float = 1.0
    cost: float = 0.0

    def tried(self, scale: float) -> "Foot":
        """The same, to go on from with charts of another scale."""
        return attrs.evolve(
            self,
            charts=dict(self.charts),
            heights=dict(self.heights),
            scale=scale,
            cost=self.cost + ODD * abs(scale - 1),
        )

    @property
    def hole(self) -> float:
        """What is left of the page."""
        return self.room - self.at

    def over(self, sizes: Sequence[Size]) -> float:
        """By how much blocks that stay together do not fit, the last as far as it must.

        Margins fall away at the top of a page.
        """
        at, below = self.at, self.below
        for one in sizes:
            at += (max(below, one.above) if at else 0.0) + one.height
            below = one.below
        return at - sizes[-1].height + sizes[-1].least - self.room + SAFE

    def fits(self, sizes: Sequence[Size]) -> bool:
        """Whether blocks that stay together fit."""
        return self.over(sizes) <= 0

    def put(self, size: Size) -> None:
        """Take a block, on this page or overleaf."""
        if not self.fits([size]):
            self.turn()
        start = self.at + (max(self.below, size.above) if self.at else 0.0)
        end = start + size.height
        if end > self.room and size.flows:
            end = size.overleaf(end - self.room) % self.room
            self.charts.clear()
        self.at, self.below = min(end, self.room), size.below

    def turn(self) -> None:
        """Turn the page; the hole at its foot goes to the charts above it."""
        spare = self.hole - SAFE
        can = {k: (1 + HIGHER) * h - self.high(k, h) for k, h in self.charts.items()}
        whole = sum(can.values())
        if self.at and spare > SAFE and whole:
            for key, take in can.items():
                gain = min(spare * take / whole, take)
                self.heights[key] = self.high(key, self.charts[key]) + gain
            spare -= min(spare, whole)
        if self.at:
            self.cost += (max(0.0, spare) / self.room) ** 2
        self.at = self.below = 0.0
        self.charts.clear()

    def high(self, key: int, drawn: float) -> float:
        """How high a chart is by now that was drawn so high."""
        return self.heights.get(key, drawn)

    def squeeze(self, over: float, more: dict[int, float]) -> bool:
        """Lower the charts of the page, and those to come, by `over`, if they can."""
        can = {
            key: self.high(key, drawn) - (1 - LOWER) * drawn
            for key, drawn in (self.charts | more).items()
        }
        whole = sum(can.values())
        if whole < over:
            return False
        for key, give in can.items():
            less = over * give / whole
            self.heights[key] = self.high(key, (self.charts | more)[key]) - less
            if key in self.charts:
                self.at -= less
        return True


def arranged(report: v.Report, paper: str) -> v.Report:
    """The report as it fills pages best.

    Args:
        report: what is to be printed.
        paper: `A4` or `Letter`.
    """
    planned = plan(report)
    ruler = Ruler(planned.marks, planned.sources, TEXT_WIDTH)
    foot = Foot(ROOM[paper])
    if report.contents:
        foot.put(_contents(planned.contents))
    trials: list[tuple[Foot, tuple[v.Section, ...]]] = [(foot, ())]
    for section in report.sections:
        if any(isinstance(block, _APPENDIX) for block in section.blocks):
            break
        trials = _best(
            (foot, (*made, _section(section, 1, ruler, foot, [], [])))
            for before, made in trials
            for foot in map(before.tried, SCALES)
        )
    foot, made = trials[0]
    whole = (*made, *report.sections[len(made) :])
    return attrs.evolve(
        report, sections=tuple(_redrawn(one, foot.heights) for one in whole)
    )


def _best(
    trials: Iterable[tuple[Foot, tuple[v.Section, ...]]],
) -> list[tuple[Foot, tuple[v.Section, ...]]]:
    """Those that leave the least empty, one of each place at which a page stands."""
    found: dict[int, tuple[Foot, tuple[v.Section, ...]]] = {}
    for foot, made in sorted(trials, key=lambda trial: trial[0].cost):
        found.setdefault(round(foot.at / STEP), (foot, made))
    return list(found.values())[:TRIALS]


def _redrawn(section: v.Section, heights: dict[int, float]) -> v.Section:
    """The section with its charts as high as they are to be."""

    def block(one: v.Block) -> v.Block:
        if isinstance(one, v.Section):
            return _redrawn(one, heights)
        if isinstance(one, v.Figure) and id(one) in heights:
            high = round(heights[id(one)], 1)
            return attrs.evolve(one, scene=attrs.evolve(one.scene, height=high))
        return one

    return attrs.evolve(section, blocks=tuple(map(block, section.blocks)))


def _contents(entries: Sequence[Entry]) -> Size:
    """The contents, which stand on one page."""
    high = 34.0 + sum(19.5 if one.level == 1 else 12.6 for one in entries)
    return Size(high, 0.0, 26.0, high)


def _section(
    section: v.Section,
    level: int,
    ruler: Ruler,
    foot: Foot,
    heads: list[Size],
    carried: list[v.Block],
) -> v.Section:
    """A section in its new order.

    Args:
        section: As it was.
        level: 1 for a chapter.
        ruler: Tells heights.
        foot: The page so far.
        heads: Headings that nothing follows yet.
        carried: What goes behind this section's first block.
    """
    section = _whole(section, level, ruler, foot)
    if section.fresh and foot.at:
        foot.turn()
    heads.append(ruler.heading(section.title, level))
    out: list[v.Block] = []
    blocks = [*section.blocks[:1], *carried, *section.blocks[1:]]
    runs, placed = list(_runs(blocks)), list[v.Section]()
    for run, after in zip_longest(runs, runs[1:]):
        if isinstance(run, v.Section):
            if any(run is one for one in placed):
                continue
            out.append(_section(run, level + 1, ruler, foot, heads, []))
            continue
        queue = [(block, _drawn(block, ruler.size(block), foot)) for block in run]
        opening = _opening(after, level + 1, ruler)
        out += _filled(queue, foot, heads, opening)
        if queue and isinstance(after, v.Section):
            # The text of the next part goes before the exhibit that is left.
            rest = [block for block, _ in queue]
            out.append(_section(after, level + 1, ruler, foot, heads, rest))
            placed.append(after)
    return attrs.evolve(section, blocks=tuple(out))


def _whole(section: v.Section, level: int, ruler: Ruler, foot: Foot) -> v.Section:
    """A section that is to stand on one page, on a new one if it has to."""
    if not section.whole:
        return section
    sizes = [ruler.size(block) for block in section.blocks]
    known = [one for one in sizes if one is not None]
    # All of it, so that nothing of it flows.
    stiff = [attrs.evolve(one, least=one.height) for one in known]
    stiff.insert(0, ruler.heading(section.title, level))
    fits = len(known) == len(sizes) and Foot(foot.room).fits(stiff)
    return attrs.evolve(section, fresh=section.fresh or (fits and not foot.fits(stiff)))


def _opening(after: object, level: int, ruler: Ruler) -> list[Size]:
    """The heading and first text of a part; nothing if it opens with an exhibit."""
    if not isinstance(after, v.Section) or not after.blocks:
        return []
    first = after.blocks[0]
    size = ruler.size(first)
    if size is None or not isinstance(first, v.Paragraph):
        return []
    return [ruler.heading(after.title, level), size]


def _runs(blocks: Sequence[v.Block]) -> Iterator[v.Section | list[v.Block]]:
    """Sections by themselves, and what stands between them."""
    run: list[v.Block] = []
    for block in blocks:
        if isinstance(block, v.Section):
            if run:
                yield run
            yield block
            run = []
        else:
            run.append(block)
    if run:
        yield run


def _filled(
    queue: _Queue, foot: Foot, heads: list[Size], opening: list[Size]
) -> Iterator[v.Block]:
    """Blocks in the order in which they leave the least room empty.

    What stays in the queue goes behind the text that opens the next part.
    """
    while queue:
        index = _next(queue, foot, heads)
        if index is None:
            last = len(queue) == 1 and not heads and foot.hole >= HOLE
            if last and opening and foot.fits(opening):
                return
            foot.turn()
            index = 0
        block, size = queue.pop(index)
        yield block
        for one in (*heads, *([size] if size else [])):
            foot.put(one)
        heads.clear()
        foot.charts |= _charts(block)


def _next(queue: _Queue, foot: Foot, heads: list[Size]) -> int | None:
    """Which block comes next on the page: the first, or one that fits; None: none."""
    block, size = queue[0]
    if size is None or not foot.at:
        return 0
    over = foot.over([*heads, size])
    if over <= 0:
        return 0
    before = _high(block, foot)
    if isinstance(block, _EXHIBITS) and foot.squeeze(over, _charts(block)):
        queue[0] = (block, _grown(size, _high(block, foot) - before))
        return 0
    if foot.hole < HOLE:
        return None
    for i in range(1, min(len(queue), PASSED + 1)):
        if not isinstance(queue[i - 1][0], _EXHIBITS):
            return None
        other, much = queue[i]
        if much is not None and _movable(other) and foot.fits([*heads, much]):
            return i
    return None


def _drawn(block: v.Block, size: Size | None, foot: Foot) -> Size | None:
    """The size of a block with its chart as high as charts are tried."""
    charts = _charts(block)
    if size is None or not charts or foot.scale == 1:
        return size
    foot.heights |= {key: foot.scale * high for key, high in charts.items()}
    return _grown(size, (foot.scale - 1) * sum(charts.values()))


def _high(block: v.Block, foot: Foot) -> float:
    """How high the charts of an exhibit are by now."""
    return sum(foot.high(key, drawn) for key, drawn in _charts(block).items())


def _grown(size: Size, more: float) -> Size:
    """The size of an exhibit that was made higher, or lower if `more` is negative."""
    return attrs.evolve(size, height=size.height + more, least=size.least + more)


def _charts(block: v.Block) -> dict[int, float]:
    """The height of a figure's chart, if it may change."""
    if not isinstance(block, v.Figure) or not block.scene.ELASTIC:
        return {}
    return {id(block): layout_of(block.scene).height}


def _movable(block: v.Block) -> bool:
    """Whether a block may come before exhibits that it follows."""
    if isinstance(block, v.Paragraph):
        text = block.text if isinstance(block.text, tuple) else (block.text,)
        said = text[0] if isinstance(text[0], str) else ""
        return not any(said.lower().startswith(f"{word} ") for word in _BACK)
    return isinstance(block, (*_EXHIBITS, v.Bullets, v.Callout))
