"""How far a prediction may be off: half-widths of 90% intervals by class of run.

A run is *known* if its source is one that was calibrated on and its family of stacks
was seen on its generation of chips at its scale (one server or several), *foreign* if
the generation or the framework was never seen, else *new*. Experts and what a row
leaves open add to it, as independent errors do. The widths are quantiles of errors on
runs that the coefficients had not seen: by series for known ones, by source for new
ones, by vendor, named as a chip nobody has measured, for foreign ones. What experts
add is learned on known stacks, beside what a dense run of theirs has. Each source
counts alike, but for experts, which nearly all come from one; three vendors are too
few to trust a foreign one closer than the default.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.training_coefficients import generation
from isocost.engine.calibration.training_fit import (
    Coefficients,
    fit,
    log_errors,
    logs_of,
)
from isocost.engine.calibration.training_model import Batch, batch_of
from isocost.engine.calibration.training_rows import Run

Pair = tuple[str, str, bool]
NOVELTIES = ("known", "new", "foreign")
_SERVER = 8
#: What a row may leave open without more ado: the rules are as good as statements.
_HARMLESS = {"chunks", "chip"}
_FOREIGN = {"other", "aws"}
#: Fewer errors than these say nothing; a class then takes these half-widths.
_FEW = 8
#: No stack is trusted closer than this: its runs come from one or two sources.
_LEAST = 0.1
#: The most that few sources widen a class by.
_MOST = 1.5
_UNTESTED = {"known": 0.15, "new": 0.25, "foreign": 0.4, "experts": 0.4, "assumed": 0.2}


@attrs.frozen
class Case:
    """An error on a run that the coefficients had not seen, with its class."""

    run: Run
    error: float
    novelty: str
    fold: str


@attrs.frozen
class Widths:
    """Half-widths of 90% intervals of ln(predicted / measured); `known` by stack."""

    known: Mapping[str, float]
    new: float
    foreign: float
    experts: float
    assumed: float

    def half(self, novelty: str, run: Run) -> float:
        """The half-width of a run: its parts add up as independent errors do."""
        base = self.known.get(run.stack.name, self.new)
        parts = [base if novelty == "known" else float(getattr(self, novelty))]
        parts += [self.experts] if run.experts else []
        parts += [self.assumed] if is_open(run) else []
        return float(np.sqrt(np.sum(np.square(parts))))


def is_open(run: Run) -> bool:
    """Whether a row leaves open what matters, or is of low quality."""
    return bool(set(run.assumed) - _HARMLESS) or run.quality == "C"


def pair_of(run: Run) -> Pair:
    """Family of stacks, generation of chips, and whether there are several servers."""
    chips = run.inputs["ranks"] * run.inputs["rank_chips"]
    return run.stack.name, generation(run.chip), chips > _SERVER


def novelty_of(run: Run, seen: Iterable[Pair], sources: Iterable[str]) -> str:
    """`known`, `new` or `foreign`, given the pairs and sources of the calibration."""
    pair, pairs = pair_of(run), set(seen)
    if pair[1] in _FOREIGN:  # chips that have nothing in common but being few
        return "foreign"
    if pair in pairs and run.stack.known and run.source in set(sources):
        return "known"
    generations = {kind for _, kind, _ in pairs}
    strange = pair[1] not in generations or not run.stack.known
    return "foreign" if strange else "new"


def pairs_of(runs: Iterable[Run], least: int = 3) -> set[Pair]:
    """Pairs with enough runs to count as calibrated."""
    found = [pair_of(run) for run in runs]
    return {pair for pair in found if found.count(pair) >= least}


def _cases(
    batch: Batch, members: Sequence[bool], start: Coefficients, fold: str, *, mask: bool
) -> list[Case]:
    """Errors on a fold's members; `mask` names their chip as one nobody measured."""
    chosen = np.array(members)
    rest, held = batch.take(~chosen), batch.take(chosen)
    found = fit(rest, logs_of(start), rounds=8)
    if mask:
        held = batch_of([attrs.evolve(run, chip="unseen") for run in held.runs])
    seen, sources = pairs_of(rest.runs), {run.source for run in rest.runs}
    errors = log_errors(held, found.values)
    return [
        Case(run, float(error), novelty_of(run, seen, sources), fold)
        for run, error in zip(held.runs, errors, strict=True)
    ]


def official_folds(runs: Sequence[Run]) -> list[str]:
    """The fold of each run: its source where its stack has two or more, else its model.

    A fold sees every other source, and of a stack with one source the other models;
    runs of quality C and those from memory are seen by none.
    """
    sources: dict[str, set[str]] = {}
    for run in runs:
        sources.setdefault(run.stack.name, set()).add(run.source)
    return [
        f"source {run.source}"
        if len(sources[run.stack.name]) > 1
        else f"{run.stack.name} {run.model}"
        for run in runs
    ]


def _folds(runs: Sequence[Run], kind: str) -> list[str]:
    """The fold of each run; none ("") for one that no fold of the kind holds."""
    if kind == "official":
        return official_folds(runs)
    if kind == "vendor":
        return [run.vendor if run.vendor != "nvidia" else "" for run in runs]
    if kind == "stack":
        return [run.stack.name for run in runs]
    return [str(getattr(run, kind)) for run in runs]


def unseen_cases(batch: Batch, start: Coefficients, kind: str) -> list[Case]:
    """Errors of every run, its fold left out of the fit.

    Args:
        batch: Trusted runs.
        start: Coefficients to start each fit from.
        kind: `series`, `source`, `model`, `chip`, `stack` (a family of software),
            `official` (`official_folds`), or `vendor`, which leaves out all chips of
            a vendor but Nvidia and names them as a chip nobody has measured.
    """
    names = _folds(batch.runs, kind)
    out: list[Case] = []
    for name in sorted(set(names) - {""}):
        members = [found == name for found in names]
        out += _cases(batch, members, start, name, mask=kind == "vendor")
    return out


def _quantile(
    cases: Sequence[Case], name: str, base: Widths | None = None, *, alike: bool = True
) -> float:
    """What a class adds to `base`, so that 90% of its errors are inside.

    Sources count alike, or rows do; a class with few errors takes its default.
    """
    if len(cases) < _FEW:
        return _UNTESTED[name]
    sources = [case.run.source if alike else "" for case in cases]
    share = np.array([1.0 / sources.count(source) for source in sources])
    below = np.array([base.half(c.novelty, c.run) if base else 0.0 for c in cases])
    needed = np.array([case.error for case in cases]) ** 2 - below**2
    order = np.argsort(needed)
    reached = np.cumsum(share[order]) / share.sum()
    high = float(needed[order][np.searchsorted(reached, 0.9)])
    return float(np.sqrt(max(high, 0.0)))


def _few_sources(cases: Sequence[Case]) -> float:
    """What the next source may differ by, over what those at hand differ by.

    Student's t over the normal quantile, for a mean of `k` sources and one more; at
    most 1.5, since errors within a source count too.
    """
    from scipy.stats import t

    count = len({case.run.source for case in cases})
    if count < 2:  # noqa: PLR2004 (one source says nothing of another)
        return _MOST
    factor = float(t.ppf(0.95, count - 1)) / 1.645 * (1 + 1 / count) ** 0.5
    return float(min(_MOST, factor))


def _known(cases: Sequence[Case]) -> dict[str, float]:
    """Half-widths of known runs, by family of stacks."""
    names = sorted({case.run.stack.name for case in cases})
    groups = {n: [c for c in cases if c.run.stack.name == n] for n in names}
    return {n: max(_LEAST, _quantile(found, "known")) for n, found in groups.items()}


def widths_of(cases: Sequence[Case]) -> Widths:
    """Half-widths from errors on unseen runs; small classes take defaults."""
    plain: dict[str, list[Case]] = {name: [] for name in NOVELTIES}
    for case in cases:
        if not case.run.experts and not is_open(case.run):
            plain[case.novelty].append(case)
    known = _known(plain["known"])
    new = _quantile(plain["new"], "new") * _few_sources(plain["new"])
    strange = _quantile(plain["foreign"], "foreign") * _few_sources(plain["foreign"])
    foreign = max(new, strange, _UNTESTED["foreign"])
    base = Widths(known, new, foreign, 0.0, 0.0)
    experts = [c for c in cases if c.run.experts and c.novelty == "known"]
    opened = [c for c in cases if is_open(c.run) and not c.run.experts]
    return attrs.evolve(
        base,
        experts=_quantile(experts, "experts", base, alike=False),
        assumed=_quantile(opened, "assumed", base),
    )
