"""`isocost search`: every admissible configuration, and the best of them."""

import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from isocost.dsl.check import Checked
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.search import Found, Limit, Plan

HELP = "search all configurations: the Pareto front"
#: Values are parted by commas that no bracket holds.
_COMMA = re.compile(r",(?![^()\[\]{}]*[)\]}])")
#: So many scenarios `--try` may make.
MOST_TRIED = 1000
#: A runner-up this near is as good.
LEVEL = 5e-4
_CONDITION = re.compile(
    r"(?P<path>[^<>=]+?)\s*(?P<mark><=?|>=?)\s*(?P<amount>\d[\d._]*\s*\S*)"
)


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format, add_set, whole

    add_file(parser)
    parser.add_argument(
        "-s",
        "--scenario",
        action="append",
        default=[],
        help="whose open choices are searched; several join one front (default: all)",
    )
    parser.add_argument(
        "--goal",
        action="append",
        default=[],
        metavar="METRIC",
        help="what a configuration is judged by, the first the most; min:METRIC or "
        "max:METRIC where the direction is not plain (default: cost, throughput, "
        "latency)",
    )
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="CONDITION",
        help="what a configuration must keep, as `latency.tpot[mean] <= 30 ms`; "
        "as often as wanted",
    )
    parser.add_argument(
        "--try",
        action="append",
        default=[],
        dest="tries",
        metavar="PATH=A,B",
        help="words or blocks to try, a precision, a system, a topology: each makes "
        "another model, and all join one front",
    )
    parser.add_argument(
        "--top", type=whole(0), default=20, help="rows to show (0: all)"
    )
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Search; 1 if the file or a goal is at fault, or nothing is admissible."""
    from isocost._directions import direction
    from isocost._progress import Progress
    from isocost._shared import (
        complain,
        evaluation_failed,
        pick_scenarios,
        ready,
        warn_broken,
        write_json,
    )
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.search import leading, search
    from isocost.explain import locate

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    scenarios = pick_scenarios(checked, args.scenario)
    if not scenarios:
        complain(f"{args.file}: there is no scenario in it")
        return 1
    if args.tries:
        checked, scenarios = _variants(checked, scenarios, args.tries)
    evaluation = Evaluation(checked)
    lead = leading(evaluation, scenarios)
    goals: dict[str, int] = {}
    for path, sign in map(direction, args.goal):
        if locate(evaluation, checked, path, lead) is None:
            evaluation_failed(evaluation)
            return 1
        full = evaluation.scope(lead).full_path(path) or path
        if goals.setdefault(full, sign) != sign:
            complain(f"--goal {path} is wanted both small and large")
            return 2
    limits = _limits(args.limit, evaluation, checked, lead)
    if limits is None:
        evaluation_failed(evaluation)
        return 1
    with Progress("configurations") as progress:
        found = search(evaluation, scenarios, goals, progress, limits)
    if found is None:
        if not evaluation_failed(evaluation):
            complain(f"{lead} has nothing to be judged by; name a --goal")
        return 1
    shown = Shown(evaluation, scenarios, found, limits)
    if args.format == "json":
        write_json(shown.as_json())
    else:
        sys.stdout.write(shown.as_text(args.top))
    if not found.admissible:
        warn_broken(evaluation)
    return 1 if evaluation_failed(evaluation) or not found.admissible else 0


def _variants(
    checked: "Checked", scenarios: "Sequence[str]", texts: "Sequence[str]"
) -> "tuple[Checked, list[str]]":
    """The document with a scenario for every mix of the values to try, and those.

    Raises:
        UsageError: There is no such path, a value is not what it takes, or the mixes
            are too many.
    """
    import math

    from isocost._shared import UsageError, show
    from isocost.dsl.check import check
    from isocost.dsl.diagnostics import ERROR, failed
    from isocost.dsl.edits import with_variants
    from isocost.engine.quantities import table

    tries = []
    for text in texts:
        path, _, rest = (part.strip() for part in text.partition("="))
        values = [value.strip() for value in _COMMA.split(rest)]
        if not all(values):
            message = f"--try {text} is no PATH=VALUE,VALUE"
            raise UsageError(message)
        tries.append((path, values))
    if math.prod(len(values) for _, values in tries) * len(scenarios) > MOST_TRIED:
        message = f"--try makes more than {MOST_TRIED:,} scenarios"
        raise UsageError(message)
    document, names = with_variants(checked.document, scenarios, tries)
    made = check(document, table())
    if failed(made.diagnostics):
        errors = [one for one in made.diagnostics if one.severity == ERROR]
        sys.stderr.write(show(errors, made) + "\n")
        raise UsageError
    return made, names


def _limits(
    texts: "Sequence[str]",
    evaluation: "Evaluation",
    checked: "Checked",
    scenario: str,
) -> "list[Limit] | None":
    """The conditions of a command line; None where a metric cannot be had.

    Raises:
        UsageError: One is no condition on a metric, or in another unit than it.
    """
    from isocost._shared import UsageError
    from isocost.dsl.building import read_literal
    from isocost.dsl.units import Unit, UnitProblem, parse_unit, unit
    from isocost.engine.search import Limit
    from isocost.explain import locate

    out = []
    for text in texts:
        found = _CONDITION.fullmatch(text.strip())
        if found is None:
            message = f"`{text}` is no condition such as `latency.tpot[mean] <= 30 ms`"
            raise UsageError(message)
        path, mark, amount = found["path"], found["mark"], found["amount"]
        if locate(evaluation, checked, path, scenario) is None:
            return None
        path = evaluation.scope(scenario).full_path(path) or path
        stated = read_literal(amount.strip())
        measured = unit(evaluation.entry(scenario, path).unit)
        name = amount.strip().rpartition(" ")[2]
        own = parse_unit(name, checked.document.units) if stated.unit else unit("1")
        scale = stated.unit if isinstance(stated.unit, Unit) else own
        if isinstance(scale, UnitProblem) or scale.dim != measured.dim:
            message = f"`{text}`: {path} is in {measured.text}"
            raise UsageError(message)
        sign = 1 if mark.startswith("<") else -1
        out.append(Limit(path, stated.number * scale.factor, sign, text.strip()))
    return out


class Shown:
    """What a search found, in the units of its choices and goals."""

    def __init__(
        self,
        evaluation: "Evaluation",
        scenarios: "Sequence[str]",
        found: "Found",
        limits: "Sequence[Limit]" = (),
    ) -> None:
        from isocost.dsl.units import unit
        from isocost.engine.steady import choices

        self.evaluation = evaluation
        self.scenarios = [name for name in scenarios if name not in found.refused]
        self.lead = self.scenarios[0]
        self.found = found
        self.limits = limits
        self.units: dict[str, tuple[str, float]] = {}
        for path in found.goals:
            text = evaluation.entry(self.lead, path).unit
            self.units[path] = (text, unit(text).factor)
        for node in evaluation.graph.nodes:
            what: Any = node.what
            if getattr(what, "auto", False) or getattr(what, "options", ()):
                path = what.path or what.origin
                self.units[path] = (what.unit, what.scale)
        self.settled = {name: choices(evaluation, name) for name in self.scenarios}

    def _value(self, path: str, value: float) -> float:
        return value / self.units.get(path, ("1", 1.0))[1]

    def _trade(self, plan: "Plan") -> dict[str, float]:
        """How much each goal differs from the best plan's, as a share of it."""
        best = self.found.best
        if best is None:
            return {}
        return {
            path: value / best.goals[path] - 1
            for path, value in plan.goals.items()
            if best.goals[path]
        }

    # As JSON.

    def as_json(self) -> dict[str, Any]:
        """The counts, the front, the near ones, and the settled choice."""
        from isocost._shared import SCHEMA
        from isocost.dsl import messages

        found = self.found
        paths = dict.fromkeys(p for plan in found.front for p in plan.choices)
        return {
            "schema": SCHEMA,
            "scenarios": list(self.scenarios),
            "goals": [
                {
                    "path": path,
                    "unit": self.units[path][0],
                    "better": "less" if sign > 0 else "more",
                }
                for path, sign in found.goals.items()
            ],
            "units": {path: self.units[path][0] for path in paths},
            "tried": found.tried,
            "admissible": found.admissible,
            "excluded": dict(found.excluded),
            "refused": {
                name: messages.title(one) for name, one in found.refused.items()
            },
            "front": [self._plan_json(plan) for plan in found.front],
            "near": [self._plan_json(plan) for plan in found.near],
            "best": None if found.best is None else self._plan_json(found.best),
            "choices": self._choices_json(),
        }

    def _choices_json(self) -> dict[str, Any]:
        """What each scenario takes; with limits, what the best that keeps them does.

        How steady a choice is, is known of those settled without limits alone.
        """
        from isocost.eval import choices_json

        if not self.limits:
            return {n: choices_json(self.evaluation, n) for n in self.scenarios}
        best = self.found.best
        if best is None:
            return {}
        unknown = dict.fromkeys(("runner_up", "gap", "feasible_share", "best_share"))
        taken = {
            path: {
                "value": self._value(path, value),
                "unit": self.units.get(path, ("1", 1.0))[0],
                **unknown,
            }
            for path, value in best.choices.items()
        }
        return {best.scenario: taken}

    def _plan_json(self, plan: "Plan") -> dict[str, Any]:
        return {
            "scenario": plan.scenario,
            "choices": {p: self._value(p, v) for p, v in plan.choices.items()},
            "goals": {p: self._value(p, v) for p, v in plan.goals.items()},
            "trade": self._trade(plan),
        }

    # As text.

    def as_text(self, top: int) -> str:
        """The counts and reasons, the front, what is near, how steady the choice is."""
        from isocost._shared import write_table
        from isocost.engine.choices import why_excluded
        from isocost.engine.search import NEAR

        found = self.found
        plural = "" if found.tried == 1 else "s"
        count = (
            f"{found.tried:,} configuration{plural}, {found.admissible:,} admissible"
        )
        parts = [count]
        if not any(plan.choices for plan in found.front) and found.admissible:
            parts.append("no goal rests on a choice that is open")
        if found.excluded:
            rows = [("excluded", "by")]
            rows += [(f"{n:,}", why_excluded(k)) for k, n in found.excluded.items()]
            parts.append(write_table(rows, "><"))
        if found.refused:
            from isocost.dsl import messages

            rows = [("refused", "because")]
            rows += [(k, messages.title(one)) for k, one in found.refused.items()]
            parts.append("\n" + write_table(rows, "<<"))
        if found.front:
            words = (
                f"{path} ({'less' if sign > 0 else 'more'})"
                for path, sign in found.goals.items()
            )
            parts.append(f"\nno other is better in all of {', '.join(words)}:")
            parts += self._plans(found.front, top, trade=False)
        if found.near:
            first = next(iter(found.goals))
            parts.append(f"\nwithin {NEAR:.0%} of the best {first}, beside the best:")
            parts += self._plans(found.near, top, trade=True)
        said = [self._steady(name) for name in self.scenarios]
        if self.limits:
            said = [self._within_limits()]
        return "\n".join([*parts, *filter(None, said)]) + "\n"

    def _plans(self, plans: "Sequence[Plan]", top: int, *, trade: bool) -> list[str]:
        from isocost._shared import digits, write_table

        several = len(self.scenarios) + len(self.found.refused) > 1
        paths = list(dict.fromkeys(p for plan in plans for p in plan.choices))
        goals = list(self.found.goals)
        heads = [self._head(path) for path in (*paths, *goals)]
        rows = [
            ["scenario"] * several + [name for name, _ in heads],
            [""] * several + [unit for _, unit in heads],
        ]
        for plan in plans[:top] if top else plans:
            chosen: Mapping[str, float] = plan.choices
            cells = [
                digits(self._value(p, chosen[p])) if p in chosen else "" for p in paths
            ]
            traded = self._trade(plan)
            cells += [
                f"{traded[p]:+.1%}"
                if trade and p in traded
                else digits(self._value(p, plan.goals[p]))
                for p in goals
            ]
            rows.append([plan.scenario] * several + cells)
        left = len(plans) + 2 - len(rows)
        text = write_table(rows, "<" * several + ">" * len(heads))
        return [text, f"({left} more; --top 0 shows all)"] if left else [text]

    def _head(self, path: str) -> tuple[str, str]:
        """A column's name, without a key that goes without saying, and its unit."""
        bare, _, key = path.removesuffix("]").partition("[")
        scope = self.evaluation.scope(self.lead)
        short = bare if key and scope.full_path(bare) == path else path
        unit = self.units.get(path, ("1", 1.0))[0]
        return short.removeprefix("workload."), "" if unit == "1" else unit

    def _within_limits(self) -> str:
        """The best that keeps what was asked for; the settled choice may not."""
        from isocost._shared import digits

        best = self.found.best
        if best is None or not best.choices:
            return ""
        words = []
        for path, value in best.choices.items():
            unit = self.units.get(path, ("1", 1.0))[0]
            shown = digits(self._value(path, value))
            words.append(f"{path} = {shown}" + ("" if unit == "1" else f" {unit}"))
        kept = " and ".join(limit.text for limit in self.limits)
        goal = next(iter(self.found.goals))
        return f"\nbest {goal} with {kept}: {best.scenario}, {', '.join(words)}"

    def _steady(self, name: str) -> str:
        """The settled choice of a scenario, its runner-up, and how steady it is."""
        from isocost.eval import choices_text

        settled = self.evaluation.settled(name)
        if not self.settled[name]:
            return ""
        one = self.settled[name][0]
        text = f"\n{name} takes {choices_text(self.evaluation, settled.values)} "
        text += f"for its {settled.objective}:\n"
        text += f"  fits in {one.feasible_share:.0%} of draws and is the best "
        text += f"in {one.best_share:.0%}"
        if one.gap is not None:
            second = choices_text(self.evaluation, settled.runner_up)
            level = one.gap < LEVEL
            off = "as good" if level else f"{one.gap:.1%} off"
            text += f"\n  the next best, {second}, is {off}"
        return text
