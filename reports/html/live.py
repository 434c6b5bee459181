"""A report's material whose numbers remember the nodes that they come from.

Sections are built from it as from any `Study`; afterwards the book holds what a page
needs to say the same again for other inputs. What rests on draws or on settled
choices is frozen: the page can only tell that it no longer holds.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import attrs

from isocost.dsl.document import Block
from isocost.dsl.expr import Expr, symbol, total
from isocost.engine.evaluate import Evaluation, Verdict
from isocost.engine.results import Result
from isocost.engine.sensitivity import Influence, Sensitivity
from isocost.reports.assemble import study_of
from isocost.reports.study import Study
from isocost.reports.traced import Book, Traced, Variant

#: Comparisons by which a check or claim is decided.
_SIDES = {"<", "<=", ">", ">=", "==", "!="}


@attrs.define(eq=False)
class LiveStudy(Study):
    """A `Study` that hands out traced numbers."""

    book: Book = attrs.field(factory=Book)
    _shares: dict[tuple[str, ...], list[float]] = attrs.field(factory=dict, init=False)

    # What the sections ask for.

    def begin(self, section: str) -> None:
        """Comparisons from here on belong to this section."""
        self.book.section = section

    def prepare(self, metrics: Iterable[str]) -> None:
        """Compute metrics of all scenarios, and trace the new ones."""
        known = set(self.results)
        super().prepare(metrics)
        # In their own order, which no hash decides.
        for key in [key for key in self.results if key not in known]:
            self.results[key] = self._traced(self.results[key])

    def _more(self, scenario: Block, metric: str) -> Result | None:
        found = super()._more(scenario, metric)
        if found is not None:
            found = self.results[scenario.name, metric] = self._traced(found)
        return found

    def _traced(self, result: Result) -> Result:
        node = self.evaluation.builder.names[f"{result.scenario}.{result.path}"]
        mark = self.book.node
        return attrs.evolve(
            result,
            central=mark(node, result.central),
            low=mark(node, result.low, frozen=True),
            median=mark(node, result.median, frozen=True),
            high=mark(node, result.high, frozen=True),
        )

    def value(self, scenario: Block, path: str) -> float | None:
        """A quantity at point values, traced."""
        found = super().value(scenario, path)
        if found is None:
            return None
        return self.book.node(self.node(scenario, path), found)

    def share_best(self, scenarios: Sequence[Block], metric: str) -> list[float]:
        """The shares of draws, frozen; asked for once for each set of scenarios."""
        names = [s.name for s in scenarios]
        ranked = sorted(scenarios, key=lambda s: s.name)
        key = (metric, *sorted(names))
        if key not in self._shares:
            self._shares[key] = super().share_best(ranked, metric)
        nodes = [self.node(s, metric) for s in ranked]
        any_of_them = total(*(symbol(f"v{node}") for node in nodes))
        shares = dict(zip(key[1:], self._shares[key], strict=True))
        return [
            Traced(shares[name], any_of_them, self.book, frozen=True) for name in names
        ]

    def ratio(self, a: Block, b: Block, metric: str) -> tuple[float, float, float]:
        """The ratio traced, the ends of its interval frozen."""
        value, low, high = super().ratio(a, b, metric)
        over, under = (symbol(f"v{self.node(s, metric)}") for s in (a, b))
        made = [
            Traced(x, over / under, self.book, frozen=frozen)
            for x, frozen in ((value, False), (low, True), (high, True))
        ]
        return made[0], made[1], made[2]

    def choices(self, scenario: Block) -> Mapping[int, float]:
        """The settled choices, which stay when their objective moves."""
        settled = self.evaluation.settled(scenario.name)
        names = self.evaluation.builder.names
        node = names.get(f"{scenario.name}.{settled.objective}")
        if node is None:
            return settled.values
        mark = self.book.node
        return {n: mark(node, x, frozen=True) for n, x in settled.values.items()}

    def by_rank(
        self,
        scenarios: Sequence[Block],
        metric: str,
        write: Callable[[list[Block]], str],
        *,
        most: bool = False,
        places: tuple[int, ...] = (0, 1),
    ) -> str:
        """The text for every way in which the places can be taken."""
        with self._unnoted():
            ranked = self.ranking(scenarios, metric, most=most)
            at = sorted({p % len(ranked) for p in places}) if ranked else []
            if len(ranked) < 2:  # noqa: PLR2004 (there is one order only)
                return write(ranked)
            texts = {
                tuple(ranked.index(s) for s in taken): write(_seated(ranked, at, taken))
                for taken in itertools.permutations(ranked, len(at))
            }
        nodes = tuple(self.node(s, metric) for s in ranked)
        return self.book.vary(Variant(nodes, most, tuple(at), tuple(texts.items())))

    def by_case(self, cases: Sequence[tuple[Expr | None, Callable[[], str]]]) -> str:
        """The text of each case, the one that holds now first of all."""
        nodes = tuple(
            None if condition is None else self.stories.condition(condition)
            for condition, _ in cases
        )
        values = self.evaluation.point([node for node in nodes if node is not None])
        held = [node is None or values[node] > 0 for node in nodes]
        if not any(held):
            return ""
        with self._unnoted():
            texts = tuple(((i,), write()) for i, (_, write) in enumerate(cases))
        now = (held.index(True),)
        if len(texts) == 1:
            return texts[0][1]
        return self.book.vary(
            Variant((), most=False, places=now, texts=texts, cases=nodes)
        )

    def mark(self, node: int, value: float, *, frozen: bool = False) -> float:
        """A number of a node, traced."""
        return self.book.node(node, value, frozen=frozen)

    @contextmanager
    def _unnoted(self) -> Iterator[None]:
        """Comparisons are no conditions here: every outcome has its text."""
        section, self.book.section = self.book.section, None
        try:
            yield
        finally:
            self.book.section = section

    @functools.cached_property
    def drivers(self) -> Sensitivity | None:
        """The tornado's ends as what-ifs, its order frozen."""
        found = self.ahead.sensitivity(self.baseline.name, self.main_metric)
        if found is None:
            return None
        node = self.node(self.baseline, self.main_metric)
        inputs = tuple(self._influence(one, node) for one in found.inputs)
        return attrs.evolve(found, inputs=inputs)

    def _influence(self, one: Influence, wanted: int) -> Influence:
        frozen = symbol(f"v{wanted}")

        def still(value: float) -> float:
            return Traced(value, frozen, self.book, frozen=True)

        made = attrs.evolve(
            one,
            value=self.book.node(one.node, one.value),
            swing=still(one.swing),
            elasticity=None if one.elasticity is None else still(one.elasticity),
        )
        if one.low == one.high:
            return made
        return attrs.evolve(
            made,
            at_low=self.book.moved(wanted, one.node, one.low, one.at_low),
            at_high=self.book.moved(wanted, one.node, one.high, one.at_high),
        )

    @functools.cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdicts with their sides traced."""
        out = []
        for one in self.evaluation.verdicts():
            condition = one.condition
            if condition.expr.op not in _SIDES or one.left is None or one.right is None:
                out.append(one)
                continue
            nodes = [
                self.evaluation.bare.expression(
                    side, f"{condition.name}.{i}", condition.file
                )
                for i, side in enumerate(condition.expr.args)
            ]
            left, right = (
                self.book.node(node, x)
                for node, x in zip(nodes, (one.left, one.right), strict=True)
            )
            self._note(left, right)
            share = Traced(one.share, left.expr + right.expr, self.book, frozen=True)
            out.append(attrs.evolve(one, left=left, right=right, share=share))
        return out

    @staticmethod
    def _note(left: Traced, right: Traced) -> bool:
        """Which side is the larger is what the verdict says."""
        return left < right


def _seated(
    ranked: list[Block], at: Sequence[int], taken: Sequence[Block]
) -> list[Block]:
    """The ranking with some scenarios at the places asked for, the rest in order."""
    rest = [s for s in ranked if s not in taken]
    seats = dict(zip(at, taken, strict=True))
    return [seats[i] if i in seats else rest.pop(0) for i in range(len(ranked))]


def live_study(evaluation: Evaluation, name: str | None = None) -> LiveStudy:
    """The material of a page that computes; as `study_of` otherwise."""
    return LiveStudy(evaluation, study_of(evaluation, name).block)
