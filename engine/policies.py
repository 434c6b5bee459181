"""Policies of a review: conditions under which it is refused, decided one by one.

A condition holds for the review or, where it names metrics without a scenario, for
each scenario that has them on the sides it asks about. What cannot be decided is said
to be open and refuses nothing.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs

from isocost.dsl.building import read_literal
from isocost.dsl.expr import Expr
from isocost.dsl.policies import (
    COUNTS,
    Condition,
    check_condition,
    conditions_of,
    metrics_of,
    parse_condition,
    read,
    split_metric,
)
from isocost.dsl.resolve import with_units
from isocost.dsl.syntax import parse_path
from isocost.dsl.table import entry_of
from isocost.dsl.units import Unit
from isocost.engine.effects import Effect
from isocost.engine.formula import evaluate
from isocost.engine.quantities import table
from isocost.engine.results import round_out
from isocost.engine.review import Review
from isocost.engine.sourcing import Sourcing, assumed_share, sourcing

#: An interval that grew by more, beside its value, counts as widened.
WIDER = 0.1
#: So many scenarios are named on the line of a verdict.
SHOWN = 4
#: Writes a value that decided: the word of the condition, the value, the result.
Write: TypeAlias = Callable[[str, float, Effect], str]
_THRESHOLD = re.compile(r"([+-]|±)?\s*([0-9][^<>=()]*)")


@attrs.frozen
class Case:
    """One scenario for which a condition holds, and the values behind it in words."""

    scenario: str
    found: str


@attrs.frozen
class Ruling:
    """A condition and how it came out: `refused`, `kept` or `open`.

    It is refused for its `cases`; open means that nothing could be decided.
    """

    condition: Condition
    verdict: str
    cases: tuple[Case, ...] = ()


class _Undecided(Exception):  # noqa: N818 (it never leaves this module)
    """A value that a condition asks for is not there."""


@attrs.frozen
class Unread:
    """A `--fail-on` that says nothing; the text is what is wrong with it."""

    text: str
    why: str


def given(texts: Iterable[str], review: Review) -> tuple[list[Condition], list[Unread]]:
    """Conditions of a command line: expressions, counts, or a bare threshold.

    `5%`, `+0.02 $/Mtoken` and `-3%` hold the money that the review looks at against a
    threshold: either way, upward, downward.
    """
    out: list[Condition] = []
    bad: list[Unread] = []
    for text in texts:
        lines = [f"{text} > 0"] if text.strip() in COUNTS else _thresholds(text, review)
        for line in lines or [text]:
            made = parse_condition(line)
            if made is None:
                bad.append(Unread(text, "this is no condition"))
                break
            document = review.new.document
            expr, found = with_units(document, made.expr)
            made = attrs.evolve(made, expr=expr)
            if not found:
                check_condition(expr, document, table(), found.append)
            if found:
                from isocost.dsl import messages

                bad.append(Unread(text, messages.title(found[0])))
                break
            out.append(made)
    return out, bad


def _thresholds(text: str, review: Review) -> list[str]:
    match = _THRESHOLD.fullmatch(text.strip())
    if match is None:
        return []
    sign, amount = match[1] or "±", match[2].strip()
    literal = read_literal(amount) if _readable(amount) else None
    if literal is None:
        return []
    plain = literal.unit is None or literal.unit.dim.plain
    out = []
    for metric, effect in {e.metric: e for e in review.effects if e.money}.items():
        found = entry_of(table(), parse_path(metric))
        dim = found[0].dim if found else None
        if plain or (isinstance(literal.unit, Unit) and literal.unit.dim == dim):
            change = f"change({effect.metric})"
            out.append(
                {
                    "+": f"{change} > {amount}",
                    "-": f"{change} < -{amount}",
                    "±": f"abs({change}) > {amount}",
                }[sign]
            )
    return out


def _readable(amount: str) -> bool:
    try:
        return isinstance(read_literal(amount).unit, Unit | None)
    except AssertionError:
        return False


def written(word: str, value: float, effect: Effect) -> str:
    """A value that decided, in plain digits; reports have words of their own."""
    sign = "+" if word == "change" else ""
    shown = round_out(value / effect.scale, 4)
    return f"{shown:{sign},.15g} {effect.unit}"


def rulings(
    review: Review, more: Iterable[Condition] = (), write: Write = written
) -> list[Ruling]:
    """Every condition of the new document's policies and of a command line, decided.

    Args:
        review: What changed.
        more: The conditions of the command line.
        write: How the values behind a ruling are written.
    """
    return decided(review, [*conditions_of(review.new.document), *more], write)


def decided(
    review: Review, conditions: Sequence[Condition], write: Write = written
) -> list[Ruling]:
    """Some conditions, decided."""
    run = _Rulings(review, write)
    return [run.rule(condition) for condition in conditions]


class _Rulings:
    def __init__(self, review: Review, write: Write) -> None:
        self.review = review
        self.write = write
        self.effects = {(e.scenario, e.metric): e for e in review.effects}
        self.scenarios = list(dict.fromkeys(e.scenario for e in review.effects))
        self._sourcing: Sourcing | None = None

    def rule(self, condition: Condition) -> Ruling:
        """Decide one condition for every scenario that it speaks of."""
        expr = read(condition.expr)
        named = [
            (word, *split_metric(path, iter(self.scenarios)))
            for word, path in metrics_of(expr)
        ]
        loose = any(scenario is None for _, scenario, _ in named)
        cases: list[Case] = []
        decided = False
        for scenario in self.scenarios if loose else [""]:
            values: dict[str, str] = {}
            try:
                holds = evaluate(self._closed(expr, scenario, values), {})
            except _Undecided:
                continue
            decided = True
            if holds:
                cases.append(Case(scenario, _found(values)))
        verdict = "refused" if cases else "kept" if decided else "open"
        return Ruling(condition, verdict, tuple(cases))

    def _closed(self, expr: Expr, scenario: str, values: dict[str, str]) -> Expr:
        """A condition with numbers in the place of what it asks for."""
        if expr.op == "call":
            value = self._of_metric(expr, scenario, values)
            return Expr("number", value=value)
        if expr.op == "path":
            count = float(self.count(str(expr.value)))
            values[str(expr.value)] = f"{count:.0f}"
            return Expr("number", value=count)
        args = tuple(self._closed(arg, scenario, values) for arg in expr.args)
        return attrs.evolve(expr, args=args)

    def _of_metric(self, part: Expr, scenario: str, values: dict[str, str]) -> float:
        word = part.value.name
        own, metric = split_metric(part.args[0].value, iter(self.scenarios))
        effect = self._effect(own or scenario, metric)
        value = self._value(word, effect)
        if word == "relative":
            values[f"change({effect.metric})"] = f"{value:+.1%}"
        elif word in {"width", "assumed_share"}:
            values[f"{word}({effect.metric})"] = f"{value:.0%}"
        else:
            values[f"{word}({effect.metric})"] = self.write(word, value, effect)
        return value

    def _effect(self, scenario: str, metric: str) -> Effect:
        found = entry_of(table(), parse_path(metric))
        effect = self.effects.get((scenario, found[1] if found else metric))
        if effect is None:
            raise _Undecided
        return effect

    def _value(self, word: str, effect: Effect) -> float:
        match word:
            case "old" if effect.old is not None:
                return effect.old.value
            case "new" if effect.new is not None:
                return effect.new.value
            case "change" if effect.old is not None and effect.new is not None:
                return effect.new.value - effect.old.value
            case "relative" if effect.relative is not None:
                return effect.relative
            case "width" if effect.new is not None:
                return effect.new.width
            case "assumed_share" if effect.new is not None and self.review.side:
                side = self.review.side
                return assumed_share(side.evaluation, effect.scenario, effect.metric)
        raise _Undecided

    def count(self, word: str) -> int:
        """One of the counts over the whole review."""
        match word:
            case "failed_checks":
                failed = self.review.failed
                return sum(v.condition.kind == "check" for v in failed)
            case "widened":
                return sum(map(_widened, self.review.effects))
            case _:
                if self._sourcing is None:
                    self._sourcing = sourcing(self.review)
                found: Mapping[str, int] = {
                    "weaker_sources": len(self._sourcing.weaker),
                    "missing_sources": len(self._sourcing.missing),
                    "stale_prices": len(self._sourcing.stale),
                }
                return found[word]


def _widened(effect: Effect) -> bool:
    if effect.old is None or effect.new is None:
        return False
    before, after = effect.old.width, effect.new.width
    return math.isfinite(before) and after > before * (1 + WIDER) + 1e-12


def _found(values: Mapping[str, str]) -> str:
    """The values behind a verdict; one needs no name."""
    if len(values) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{name} {value}" for name, value in values.items())


def verdict_lines(found: Iterable[Ruling]) -> Iterator[str]:
    """A line for each ruling: how it came out, what was asked, for which scenarios."""
    for ruling in found:
        condition = ruling.condition
        why = f' "{condition.why}"' if condition.why else ""
        head = f"{ruling.verdict}: deny {condition.text}{why}"
        shown = [f"{c.scenario} {c.found}".strip() for c in ruling.cases[:SHOWN]]
        if len(ruling.cases) > SHOWN:
            shown.append(f"{len(ruling.cases) - SHOWN} more")
        yield f"{head}: {', '.join(shown)}" if shown else head


__all__ = ["Case", "Ruling", "Unread", "decided", "given", "rulings", "verdict_lines"]
