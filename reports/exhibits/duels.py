"""`duels(work(…), …, books = [book(…), …])`: the verdict by workload and price book.

    work("Llama 3 70B", own, rival, …, roof = mbu, seen = PATH, note = "…")
    book("Owned", own.HOUR, rival.HOUR, …)

A workload names scenarios that are served, a book the price of an hour of each of their
platforms, in the same order. Tokens of a chip come from the scenarios, money from the
books; the break-even is the share of the rival's tokens at which both cost the same.
"""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from isocost.dsl.document import Block
from isocost.dsl.expr import Expr
from isocost.dsl.syntax import call_arguments
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.names import listed
from isocost.reports.sections.verdict import WORDS, stands, word
from isocost.reports.study import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

SECTION = "verdict"
SPEED = "throughput.per_chip"


@attrs.frozen
class Work:
    """A workload: its scenarios, what bounds it, and what was measured of that."""

    name: str
    scenarios: tuple[Block, ...]
    roof: str
    seen: str
    note: str


@attrs.frozen
class Duel:
    """One workload, rival and book: point values with the ends of their intervals."""

    work: Work
    rival: Block
    book: str
    need: float
    share: tuple[float, float, float]
    ratio: tuple[float, float, float]
    won: float
    roof: float | None
    flags: tuple[str, ...] = ()


def paths(call: Call) -> list[str]:
    """Prices of hours, and what was measured."""
    out = [path for _, hours in _books(call) for path in hours]
    for arg in call.args:
        if arg.op == "call":
            _, named = call_arguments(arg)
            out += [str(named["seen"].value)] if "seen" in named else []
    return out


def _books(call: Call) -> list[tuple[str, list[str]]]:
    listed = call.named.get("books")
    out = []
    for item in listed.args if listed is not None else ():
        plain, _ = call_arguments(item)
        texts = [str(one.value) for one in plain]
        out.append((texts[0], texts[1:]))
    return out


def build(study: Study, call: Call) -> list[v.Block]:
    """The finding in words, and the table."""
    works = [w for arg in call.args if (w := _work(study, arg)) is not None]
    duels = [
        duel
        for work in works
        for index in range(1, len(work.scenarios))
        for book, hours in _books(call)
        if (duel := _duel(study, work, index, book, hours)) is not None
    ]
    if not duels:
        return []
    text = finding(study, duels)
    return [v.Paragraph(text), _table(study, works, duels)]


def _work(study: Study, arg: Expr) -> Work | None:
    if arg.op != "call":
        return None
    plain, named = call_arguments(arg)
    name, *rest = (str(one.value) for one in plain)
    blocks = [b for one in rest if (b := study.find(one)) is not None]

    def text(key: str) -> str:
        return str(named[key].value) if key in named else ""

    return Work(name, tuple(blocks), text("roof"), text("seen"), text("note"))


def _duel(
    study: Study, work: Work, index: int, book: str, hours: list[str]
) -> Duel | None:
    own, rival = work.scenarios[0], work.scenarios[index]
    prices = study.told(hours[0]), study.told(hours[index])
    if prices[0] is None or prices[1] is None:
        return None
    speeds = study.node(own, SPEED), study.node(rival, SPEED)
    nodes = [prices[0].node, prices[1].node, *speeds]
    at = study.evaluation.point(nodes)
    own_hour, rival_hour, own_rate, rival_rate = study.evaluation.columns(nodes)
    need = at[nodes[0]] / at[nodes[1]]
    share = own_rate / rival_rate
    ratio = own_hour / rival_hour / share
    point = at[nodes[2]] / at[nodes[3]]
    roof = study.told(f"{own.name}.{work.roof}") if work.roof else None
    return Duel(
        work,
        rival,
        book,
        need,
        _three(point, share),
        _three(need / point, ratio),
        float((ratio < 1).mean()),
        None if roof is None else roof.central * need / point,
        _flags(study, own, rival),
    )


def _flags(study: Study, *scenarios: Block) -> tuple[str, ...]:
    """What lies outside a stack's validity on either side."""
    told = [study.told(f"{one.name}.{SPEED}") for one in scenarios]
    return tuple(dict.fromkeys(flag for one in told if one for flag in one.flags))


def _three(point: float, column: "NDArray[np.float64]") -> tuple[float, float, float]:
    low, high = np.quantile(column, (0.05, 0.95))
    return point, float(low), float(high)


def finding(study: Study, duels: list[Duel]) -> str:
    """How the duels of each book end; books that end alike are told together."""
    books: dict[str, list[str]] = {}
    for book in dict.fromkeys(one.book for one in duels):
        said = _of_book(study, [one for one in duels if one.book == book])
        books.setdefault(said, []).append(book)
    name = study.system_title(study.baseline)
    parts = [
        f"Priced as “{'” or “'.join(names)}”, {name} is {said}."
        for said, names in books.items()
    ]
    return " ".join(parts)


def _of_book(study: Study, duels: list[Duel]) -> str:
    """What one book says, workloads that end alike together."""
    ends: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for how in WORDS:
        for work in dict.fromkeys(one.work.name for one in duels):
            rivals = tuple(
                study.system_title(one.rival)
                for one in duels
                if one.work.name == work and word(one.won) == how
            )
            if rivals:
                ends.setdefault((how, rivals), []).append(work)
    return "; ".join(
        f"{stands(how, listed(rivals))} on {listed(works)}"
        for (how, rivals), works in ends.items()
    )


def _tally(duels: list[Duel]) -> str:
    """How many comparisons end in each way."""
    words = [word(one.won) for one in duels]
    ends = [f"{how} in {words.count(how)}" for how in WORDS if how in words]
    return f"of {len(duels)} comparisons it is {listed(ends)}"


def _table(study: Study, works: list[Work], duels: list[Duel]) -> v.Table:
    rows: list[v.Row] = []
    for work in works:
        mine = [one for one in duels if one.work is work]
        if mine:
            rows.append(v.Row((_heading(study, work), *[""] * 7), "group"))
        rows += [_row(study, one) for one in mine]
    return v.Table(
        f"What a chip must do to be worth its price: {_tally(duels)}",
        (
            v.Column("Against"),
            v.Column("Price book"),
            v.Column("Must reach", "of its tokens", "right"),
            v.Column("Predicted", "of its tokens", "right"),
            v.Column("Must reach", "of the roof", "right"),
            v.Column("Cost ratio", align="right"),
            v.Column("Draws won", align="right"),
            v.Column("Verdict"),
        ),
        tuple(rows),
        notes=_notes(duels),
        source="engine; shares of the rival's tokens a second from one chip, intervals "
        "over shared draws. The roof is memory bandwidth in serving, the BF16 peak in "
        "training.",
        key="tab-duels",
        dense=True,
    )


def _notes(duels: list[Duel]) -> tuple[str, ...]:
    flags = dict.fromkeys(flag for one in duels for flag in one.flags)
    return (f"* {'; '.join(flags)}.",) if flags else ()


def _heading(study: Study, work: Work) -> str:
    own = work.scenarios[0]
    roof = study.told(f"{own.name}.{work.roof}") if work.roof else None
    text = f"{work.name[:1].upper()}{work.name[1:]}: {study.system_title(own)}"
    if roof is not None:
        text += f" predicted at {n.percent(roof.central, 2)} of its roof"
    seen = study.told(work.seen) if work.seen else None
    if seen is not None:
        text += f", measured at {n.percent(seen.central, 2)}"
    return text + (f" ({work.note})" if work.note else "")


def _roof(one: Duel) -> v.Cell | v.Text:
    """The share of the roof that would do; more than all of it cannot be had."""
    if one.roof is None:
        return "–"
    return v.Cell(n.percent(one.roof, 2), tone="bad" if one.roof > 1 else "")


def _row(study: Study, one: Duel) -> v.Row:
    point, low, high = one.share
    ratio, least, most = one.ratio
    verdict = word(one.won)
    tone = {"cheaper": "good", "dearer": "bad"}.get(verdict, "")
    return v.Row(
        (
            study.system_title(one.rival),
            one.book,
            n.percent(one.need, 2),
            v.Cell(
                n.percent(point, 2) + "*" * bool(one.flags),
                interval=n.interval(100 * low, 100 * high, "%"),
            ),
            _roof(one),
            v.Cell(n.ratio(ratio), interval=n.interval(least, most)),
            n.percent(one.won, 2),
            v.Cell(verdict, tone=tone),  # type: ignore[arg-type]
        )
    )
