"""A review: which change of a document moved which result, and by how much.

Two checked documents are evaluated over the same draws. A metric whose graph is the
same on both sides is left alone; for the others the interval of the difference comes
from the shared draws and its causes from Shapley values, which add up to it. Nothing
is shown as a number that has none on one side.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import attrs

from isocost.dsl.changes import Change, Diff
from isocost.dsl.check import Checked, check
from isocost.dsl.diagnostics import failed
from isocost.dsl.diff import diff
from isocost.dsl.ledger import document_of, ledger_of
from isocost.dsl.matching import matched
from isocost.dsl.patch import patched
from isocost.dsl.units import unit
from isocost.engine.attribution import Attribution, Cause, attribute
from isocost.engine.effects import (
    ADDED,
    CHANGED,
    OPEN,
    REMOVED,
    SAME,
    Bound,
    Effect,
    Figure,
    Moved,
    Share,
    Turn,
)
from isocost.engine.evaluate import Verdict
from isocost.engine.quantities import table
from isocost.engine.results import round_out
from isocost.engine.review_side import (
    Key,
    ReviewSide,
    Signatures,
    compared,
    report_metrics,
    within,
)
from isocost.engine.sampling import DRAWS

#: A change that is a smaller share of its figure is rounding and none.
ROUNDING = 1e-9


@attrs.frozen
class Review:
    """Everything that a rendering or a policy wants to know of two documents."""

    old: Checked
    new: Checked
    diff: Diff
    effects: tuple[Effect, ...]
    turns: tuple[Turn, ...]
    bounds: tuple[Bound, ...]
    moved: tuple[Moved, ...]
    failed: tuple[Verdict, ...]
    problems: tuple[str, ...] = ()
    side: ReviewSide | None = attrs.field(default=None, eq=False, repr=False)

    def __bool__(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.diff) or any(e.verdict != SAME for e in self.effects)

    @property
    def changed(self) -> list[Effect]:
        """The effects that are no sameness, money first, by metric."""
        found = [e for e in self.effects if e.verdict != SAME]
        metrics = list(dict.fromkeys(e.metric for e in self.effects))
        rank = {metric: i for i, metric in enumerate(metrics)}
        return sorted(found, key=lambda e: (not e.money, rank[e.metric]))


def review(
    old: Checked,
    new: Checked,
    *,
    metrics: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    count: int = DRAWS,
) -> Review:
    """Compare two checked documents.

    Args:
        old: The document before; where it has errors, nothing of it is computed.
        new: The document after; where it has errors, nothing is computed at all.
        metrics: What to compare; what reports and policies name if empty, else the
            headlines of each scenario.
        scenarios: Which scenarios; those of the main file if empty.
        count: How many draws.
    """
    changes = diff(old.document, new.document)
    faulty = [failed(side.diagnostics) for side in (old, new)]
    if faulty[1]:
        return Review(old, new, changes, (), (), (), (), ())
    before = empty_like(old) if faulty[0] else _as_new(old, changes)
    run = _Review(before, new, changes, count)
    run.blind = faulty[0]
    run.ask(metrics, scenarios)
    effects = run.effects()
    return Review(
        old,
        new,
        changes,
        tuple(effects),
        tuple(run.turns()),
        tuple(run.bounds(effects)),
        tuple(run.moves()),
        tuple(v for v in run.after if not v.holds),
        tuple(run.problems),
        run.new,
    )


def _as_new(old: Checked, changes: Diff) -> Checked:
    """The old document with renamed blocks under their new names: one draw each."""
    if not changes.renamed:
        return old
    spelled = [c for c in changes.changes if c.part == "rename" or _follows(c)]
    return check(patched(spelled, old.document), table())


def _follows(change: Change) -> bool:
    """Whether a change only uses a renamed block's new name."""
    return change.aspect == "format" and change.part in {"value", "base", "expr"}


class _Review:
    def __init__(self, old: Checked, new: Checked, changes: Diff, count: int) -> None:
        self.checked = (old, new)
        self.old, self.new = ReviewSide(old, count), ReviewSide(new, count)
        self.changes = changes
        self.keys: list[Key] = []
        self.problems: list[str] = []
        self.after: list[Verdict] = []
        self.blind = False
        self.regrouped: set[Key] = set()
        stated = (c for c in changes.changes if c.slot[0] in {"fact", "let"})
        self._origins = {c.origin: c for c in stated if c.moves}

    def ask(self, metrics: Sequence[str], scenarios: Sequence[str]) -> None:
        """Settle which metrics of which scenarios are compared, and build them."""
        names = list(dict.fromkeys(compared(self.checked[1])))
        names += [n for n in compared(self.checked[0]) if n not in names]
        if scenarios:
            names = [n for n in names if n in scenarios]
        named = metrics or report_metrics(self.checked[1])
        for name in names:
            sides = [s for s in (self.new, self.old) if s.has(name)]
            wanted = [m for m in named if within(m, {name: None})[0] in {None, name}]
            wanted = [within(m, {name: None})[1] for m in wanted]
            wanted = wanted or [m for side in sides for m in side.headlines(name)]
            full = dict.fromkeys(sides[0].full(name, metric) for metric in wanted)
            for metric in full:
                self._ask(name, metric)
        self.old.freeze()
        self.new.freeze()

    def _ask(self, scenario: str, metric: str) -> None:
        key = (scenario, metric)
        self.old.ask(*key)
        self.new.ask(*key)
        if key in self.old.nodes or key in self.new.nodes:
            self.keys.append(key)

    def effects(self) -> list[Effect]:
        """Every metric compared."""
        signatures = Signatures()
        signs = [side.sign(signatures) for side in (self.old, self.new)]
        alike = {key for key in self.keys if self._same(key, signs)}
        same = {k for k in alike if self.old.together(k) == self.new.together(k)}
        self.regrouped = alike - same
        open_ = [key for key in self.keys if key not in same]
        self.old.draw(open_)
        self.new.draw(open_)
        return [self._effect(key, same=key in same) for key in self.keys]

    def _same(self, key: Key, signs: Sequence[Mapping[int, int]]) -> bool:
        nodes = (self.old.nodes.get(key), self.new.nodes.get(key))
        if nodes[0] is None or nodes[1] is None:
            return False
        return signs[0][nodes[0]] == signs[1][nodes[1]]

    def _effect(self, key: Key, *, same: bool) -> Effect:
        side = self.new if key in self.new.nodes else self.old
        entry = side.entry(*key)
        old, new = self._figure(self.old, key), self._figure(self.new, key)
        delta, found = None, None
        verdict, note = SAME, ""
        if old is None or new is None:
            verdict, note = self._open(key)
        elif not same:
            delta = self._delta(key)
            moved = not _alike(old, new) or delta.low != 0 or delta.high != 0
            verdict = CHANGED if moved else SAME
            if delta.value and math.isfinite(new.value - old.value):
                found = attribute(self.old.side(key), self.new.side(key))
        return Effect(
            scenario=key[0],
            metric=key[1],
            doc=entry.doc,
            unit=entry.unit,
            scale=unit(entry.unit).factor,
            old=old,
            new=new,
            delta=delta,
            shares=self._shares(key, found, delta) if found and delta else (),
            verdict=verdict,
            note=note,
            method=found.method if found else "",
        )

    def _figure(self, side: ReviewSide, key: Key) -> Figure | None:
        import numpy as np

        node = side.nodes.get(key)
        if node is None:
            return None
        value = round_out(side.values[node])
        column = side.columns.get(node)
        if column is None or not np.isfinite(column).any():
            return Figure(value, value, value)
        low, high = np.quantile(column[np.isfinite(column)], (0.05, 0.95))
        return Figure(value, round_out(float(low)), round_out(float(high)))

    def _delta(self, key: Key) -> Figure:
        import numpy as np

        nodes = self.old.nodes[key], self.new.nodes[key]
        ends = (self.old.values[nodes[0]], self.new.values[nodes[1]])
        size = max(map(abs, ends))
        value = _felt(round_out(ends[1]) - round_out(ends[0]), size)  # as is shown
        if key in self.regrouped:  # no draw is worth another: their order is new
            return Figure(value, value, value)
        column = self.new.columns[nodes[1]] - self.old.columns[nodes[0]]
        kept = column[np.isfinite(column)]
        if not kept.size:
            return Figure(value, value, value)
        low, high = (float(q) for q in np.quantile(kept, (0.05, 0.95)))
        ends = _felt(round_out(low), size), _felt(round_out(high), size)
        return Figure(value, *ends)

    def _open(self, key: Key) -> tuple[str, str]:
        if self.blind:
            return OPEN, "no value before: the document had errors"
        if not self.old.has(key[0]):
            return ADDED, "a new scenario"
        if not self.new.has(key[0]):
            return REMOVED, "the scenario is gone"
        old, new = self.old.missing.get(key), self.new.missing.get(key)
        if new is not None:
            return OPEN, f"no value after: {new.why}"
        return OPEN, f"no value before: {old.why if old else ''}"

    def _shares(self, key: Key, found: Attribution, delta: Figure) -> tuple[Share, ...]:
        """The causes by statement, adding up to the change to the last bit."""
        origins = {**self.old.origins(key), **self.new.origins(key)}
        merged: dict[tuple[str, str], Share] = {}
        for cause in found.causes:
            share = self._share(cause, origins, key[0])
            place = (share.path, share.aspect)
            first = merged.get(place)
            merged[place] = share if first is None else _joined(first, share)
        size = max(map(abs, (found.old, found.new)))
        shares = [share for share in merged.values() if _felt(share.effect, size)]
        shares.sort(key=lambda share: -abs(share.effect))
        rest = delta.value - math.fsum(share.effect for share in shares)
        if shares and rest:
            first = attrs.evolve(shares[0], effect=shares[0].effect + rest)
            shares[0] = first
        return tuple(shares)

    def _share(self, cause: Cause, origins: Mapping[str, str], scenario: str) -> Share:
        """A cause under the statement behind it; swapped blocks under theirs."""
        what = cause.change
        aspect = what.aspect
        path = origins.get(what.path, what.path)
        if aspect == "choice":
            path = what.path
        elif aspect == "formula":
            names = (str(n) for n in (what.new, what.old))
            path = next((n for n in names if n in self._origins), path)
        change = self._origins.get(path) if aspect != "choice" else None
        if change is None and aspect != "choice":
            change = self._swap(path, scenario)
            path, aspect = (change.path, "block") if change else (path, aspect)
        old, new = what.old, what.new
        if change is not None and aspect == "block":
            old, new = change.old, change.new
        return Share(
            path,
            aspect,
            cause.effect,
            old,
            new,
            what.unit,
            what.scale,
            change,
            cause.error,
            self._behind(scenario) if aspect == "choice" else (),
        )

    def _behind(self, scenario: str) -> tuple[str, ...]:
        """The changes after which the choices of a scenario were settled anew."""
        found = (c for c in self.changes.changes if c.moves and scenario in c.reaches)
        return tuple(dict.fromkeys(change.path for change in found))

    def _swap(self, path: str, scenario: str) -> Change | None:
        """The change of structure that a cause without a statement of its own is of.

        It is the one that binds the block that the cause is in, or the only one that
        reaches the scenario.
        """
        near = [
            change
            for change in self.changes.of("structure")
            if scenario in change.reaches and change.slot[0] == "fact"
        ]
        head = path.partition(".")[0]
        bound = [change for change in near if head in {change.new, change.old}]
        if bound:
            return bound[0]
        return near[0] if len(near) == 1 else None

    # Verdicts, limits and choices.

    def turns(self) -> Iterable[Turn]:
        """Checks and claims with another verdict than before."""
        before = {v.condition.name: v for v in self.old.evaluation.verdicts()}
        self.after = self.new.evaluation.verdicts()
        after = {v.condition.name: v for v in self.after}
        old, new = (side.document.conditions for side in (self.old, self.new))
        mates = matched(old, new)
        for i, condition in enumerate(new):
            was = before.get(old[mates[i]].name) if i in mates else None
            now = after.get(condition.name)
            news = i not in mates and now is not None and not now.holds
            turned = was is not None and (now is None or now.holds != was.holds)
            if news or turned or (i in mates and was is None and now is not None):
                yield Turn(condition, was, now)
        for i in sorted(set(range(len(old))) - set(mates.values())):
            yield Turn(old[i], before.get(old[i].name), None, gone=True)

    def bounds(self, effects: Iterable[Effect]) -> Iterable[Bound]:
        """Quantities below the changed metrics that another branch decides now."""
        seen: set[tuple[str, str]] = set()
        for one in effects:
            if one.verdict != CHANGED:
                continue
            key = (one.scenario, one.metric)
            before = self.old.branches(key)
            for path, branch in self.new.branches(key).items():
                was = before.get(path, branch)
                if was != branch and (one.scenario, path) not in seen:
                    seen.add((one.scenario, path))
                    yield Bound(one.scenario, path, was, branch)

    def moves(self) -> Iterable[Moved]:
        """Settled choices that came out differently, in scenarios of both sides."""
        for name in dict.fromkeys(scenario for scenario, _ in self.keys):
            if not (self.old.has(name) and self.new.has(name)):
                continue
            old, new = self.old.chosen(name), self.new.chosen(name)
            for path in dict.fromkeys((*new, *old)):
                if old.get(path) != new.get(path):
                    yield Moved(name, path, old.get(path), new.get(path))


def _felt(change: float, size: float) -> float:
    """A change of a figure of some size; 0 where it is but rounding."""
    return 0.0 if abs(change) <= ROUNDING * size else change


def _alike(old: Figure, new: Figure) -> bool:
    """Whether two figures are the same but for rounding."""
    sides = zip(attrs.astuple(old), attrs.astuple(new), strict=True)
    return all(a == b or math.isclose(a, b, rel_tol=ROUNDING) for a, b in sides)


def _joined(first: Share, second: Share) -> Share:
    """Two causes of one statement as one."""
    error = math.hypot(first.error, second.error)
    return attrs.evolve(first, effect=first.effect + second.effect, error=error)


def empty_like(checked: Checked) -> Checked:
    """A document that states nothing, as the other side of an added or deleted one."""
    whole = ledger_of(checked.document)
    ledger = attrs.evolve(
        whole,
        files={name: file for name, file in whole.files.items() if not name},
        aliases={},
        units={},
        sections={},
        lets={},
        conditions={},
    )
    return check(document_of(ledger), table())
