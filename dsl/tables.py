"""The tables of the parser, which Lark makes from the grammar and the package ships.

Lark analyses the grammar once, when it changes; `grammar/tables.json` keeps what comes
out: the terminals in the order in which they are tried, the actions of every state,
and of each rule which of its symbols become children. `parser` runs on that alone, so
that nothing waits for Lark. Where the kept tables are not those of the grammar beside
them (somebody is changing it), they are made anew.
"""

import json
import re
import zlib
from importlib import resources
from typing import Any

import attrs

from isocost.grammar import text as grammar_text

KEPT = "tables.json"
#: Terminals that every state lets through, for the parser to drop or to take.
ALWAYS = frozenset({"_NL", "COMMENT"})
WORD = "PATH"
END = "$END"


@attrs.frozen
class Rule:
    """A rule with its number of symbols and what makes its value.

    `children` are the symbols that count: their place, whether the children of a
    hidden rule take its place, and how many missing ones (None) stand before it;
    `missing` is how many stand behind the last. `method` of the builder gets them.
    A `unit` hands on the one value it has.
    """

    origin: str
    size: int
    children: tuple[tuple[int, bool, int], ...]
    missing: int
    method: str
    unit: bool


@attrs.frozen
class Tables:
    """What the parser runs on; states and rules are numbers.

    An action is the next state, or -1 - the number of a rule to reduce by. `terminals`
    are patterns in the order in which they are tried, `words` the names of those that
    are no more than a word, `kept` those that become children of a rule.
    """

    terminals: dict[str, str]
    words: dict[str, str]
    kept: frozenset[str]
    rules: tuple[Rule, ...]
    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]
    start: int
    end: int

    def embedded(self, accepted: frozenset[str]) -> frozenset[str]:
        """Those of a set of terminals that are found as a name that is spelled so."""
        found = accepted & frozenset(self.words.values())
        return found if WORD in accepted else frozenset()

    def pattern(self, accepted: frozenset[str]) -> re.Pattern[str]:
        """One pattern for a set of terminals, a group for each, blanks before it."""
        hidden = self.embedded(accepted)
        named = [
            f"(?P<{name}>{pattern})"
            for name, pattern in self.terminals.items()
            if name in accepted and name not in hidden
        ]
        return re.compile(rf"[ \t]*(?:{'|'.join(named)})")


def kept() -> Tables:
    """The shipped tables, or new ones where they are not those of the grammar."""
    grammar = grammar_text()
    place = resources.files("isocost.grammar") / KEPT
    if place.is_file():
        data = json.loads(place.read_text(encoding="utf-8"))
        if data["grammar"] == zlib.crc32(grammar.encode()):
            return _read(data)
    return _read(made(grammar))


def _read(data: dict[str, Any]) -> Tables:
    rules = tuple(
        Rule(origin, size, tuple(tuple(c) for c in children), missing, method, unit)
        for origin, size, children, missing, method, unit in data["rules"]
    )
    return Tables(
        terminals=data["terminals"],
        words=data["words"],
        kept=frozenset(data["kept"]),
        rules=rules,
        actions=tuple(data["actions"]),
        gotos=tuple(data["gotos"]),
        start=data["start"],
        end=data["end"],
    )


def made(grammar: str) -> dict[str, Any]:
    """The tables of a grammar as plain data, by Lark's own analysis.

    Raises:
        ValueError: The grammar uses what the parser does not know.
    """
    from lark import Lark
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(grammar, parser="lalr", lexer="contextual", maybe_placeholders=True)
    terminals = sorted(
        lark.terminals,
        key=lambda t: (
            -t.priority,
            -t.pattern.max_width,
            -len(t.pattern.value),
            t.name,
        ),
    )
    by_name = {t.name: t for t in terminals}
    if set(lark.ignore_tokens) != {"WS", "COMMENT"}:
        raise ValueError("blanks and comments are what is left out, nothing else")
    word = re.compile(by_name[WORD].pattern.to_regexp())
    words = {
        t.pattern.value: t.name
        for t in terminals
        if isinstance(t.pattern, PatternStr)
        and t.priority == by_name[WORD].priority
        and word.fullmatch(t.pattern.value)
    }
    table = lark.parser.parser._parse_table  # noqa: SLF001
    rules = {rule: number for number, rule in enumerate(lark.rules)}
    order = _order(table)
    actions: list[dict[str, int]] = [{} for _ in order]
    gotos: list[dict[str, int]] = [{} for _ in order]
    for state, number in order.items():
        for symbol, (action, target) in sorted(
            table.states[state].items(), key=lambda item: item[0]
        ):
            if action is not Shift:
                actions[number][symbol] = -1 - rules[target]
            elif symbol in by_name or symbol == END:
                actions[number][symbol] = order[target]
            else:
                gotos[number][symbol] = order[target]
    return {
        "grammar": zlib.crc32(grammar.encode()),
        "terminals": {
            t.name: t.pattern.to_regexp() for t in terminals if t.name != "WS"
        },
        "words": words,
        "kept": sorted({s.name for r in lark.rules for s in _kept(r) if s.is_term}),
        "rules": [_rule(rule) for rule in lark.rules],
        "actions": actions,
        "gotos": gotos,
        "start": order[table.start_states["start"]],
        "end": order[table.end_states["start"]],
    }


def _order(table: Any) -> dict[int, int]:
    """Numbers for Lark's states, whose own differ from run to run."""
    from lark.parsers.lalr_analysis import Shift

    order: dict[int, int] = {}
    waiting = [table.start_states["start"]]
    while waiting:
        state = waiting.pop()
        if state in order:
            continue
        order[state] = len(order)
        row = [table.states[state][symbol] for symbol in sorted(table.states[state])]
        waiting += [target for action, target in row if action is Shift]
    return order


def _kept(rule: Any) -> list[Any]:
    """The symbols of one of Lark's rules that become children."""
    every = rule.options.keep_all_tokens
    return [s for s in rule.expansion if every or not (s.is_term and s.filter_out)]


def _rule(rule: Any) -> list[Any]:
    """One of Lark's rules; the same children as its own builder of trees would pick."""
    blanks = "".join("1" if empty else "0" for empty in rule.options.empty_indices)
    missing = [len(ones) for ones in blanks.split("0")] if blanks else []
    missing = missing or [0] * (len(rule.expansion) + 1)
    children, waiting, kept = [], 0, _kept(rule)
    for place, symbol in enumerate(rule.expansion):
        waiting += missing[place]
        if symbol in kept:
            inlined = not symbol.is_term and symbol.name.startswith("_")
            children.append([place, inlined, waiting])
            waiting = 0
    waiting += missing[len(rule.expansion)]
    hidden = rule.origin.name.startswith("_")
    single = rule.options.expand1 and not rule.alias
    unit = single and len(rule.expansion) == 1 and children == [[0, False, 0]]
    method = "" if hidden or unit else str(rule.alias or rule.origin.name)
    if single and not unit:
        raise ValueError(f"an alternative of ?{rule.origin.name} needs a name")
    size = len(rule.expansion)
    return [str(rule.origin.name), size, children, waiting, method, bool(unit)]
