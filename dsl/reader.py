"""Reads a text by the parser's tables: tokens, states, and what the builder makes.

A table-driven shift-reduce loop, as Lark's own, with the tokens taken from the text in
the same loop. Two things make it quick. All terminals stand in one pattern; only where
the one that it finds cannot stand here is the text tried again with those that can,
which gives the same token, since the order of the terminals is one. And a chain of
reductions that hand on one value (a number is an atom, a power, a product, …) is
walked once and kept as a single step.
"""

import re
from collections.abc import Callable
from typing import Any

from isocost.dsl.building import (
    MOST_BRACKETS,
    MOST_LEVELS,
    Builder,
    Refused,
    Unread,
    Word,
)
from isocost.dsl.tables import ALWAYS, END, WORD, Rule, Tables

#: Tokens after which a statement goes on in the next line, and those after which an
#: empty line means nothing.
GOES_ON = {"ADD", "MUL", "POW", "COMPARE", "PLUS_MINUS", "COMMA", "LET_EQ", "_DEFINE"}
GOES_ON |= {"_AND", "_OR", "NOT", "IF", "_THEN", "_ELSE", "_TO", "_NL", "DOC"}
#: Operators whose chains nest, and so many that no formula under the limit has them:
#: such a text is refused while it is read, not after a tree of it has been built.
MOST_OPERATORS = 20 * MOST_LEVELS
#: Brackets inside which line ends mean nothing, by what they do to the depth.
_BRACKETS = {"LPAR": 1, "LSQB": 1, "RPAR": -1, "RSQB": -1}
_CHAINS = {"ADD", "MUL", "POW"}
_COUNTED = {*_BRACKETS, *_CHAINS, "COMMA"}

_NONE = -1_000_000
Value = Any
Make = Callable[[list[Value]], Value]


class Reader:
    """One grammar's tables with a builder; `comments` are those met since the last."""

    def __init__(self, tables: Tables, builder: Builder) -> None:
        self.tables = tables
        self.builder = builder
        self.comments: list[tuple[str, int, int]] = []
        self.every = frozenset(tables.terminals)
        self.pattern = tables.pattern(self.every)
        self.makes = [_make(rule, builder) for rule in tables.rules]
        self.chains: dict[tuple[int, str, str], int] = {}
        self.narrow: dict[frozenset[str], re.Pattern[str]] = {}

    def read(self, text: str) -> Value:  # noqa: PLR0912, PLR0915  # one loop for speed
        """The value of the whole text.

        Raises:
            Unread: The text is not of the grammar, or the builder refused it.
        """
        tables, match, chains = self.tables, self.pattern.match, self.chains
        actions, rules, makes = tables.actions, tables.rules, self.makes
        words, kept, end = tables.words, tables.kept, tables.end
        states, values = [tables.start], list[Value]()
        place = depth = chained = 0
        last = "_NL"
        while True:
            row = actions[states[-1]]
            found = match(text, place)
            kind = found.lastgroup if found else None
            if found is None or kind is None:
                kind, start, place = self._narrow(text, place, states[-1])
            else:
                start, place = found.span(kind)
                if kind == WORD and (word := words.get(found[kind])) in row:
                    kind = word or kind
                elif kind == "COMMENT":
                    self.comments.append((found[kind], start, place))
                    continue
                elif kind not in row and kind != "_NL":
                    kind, start, place = self._narrow(text, found.start(), states[-1])
            if kind == "_NL":
                if depth or last in GOES_ON:
                    continue
                chained = 0
            elif kind in _COUNTED:
                depth, chained = _counted(kind, start, depth, chained)
            elif kind == END and last != "_NL":
                kind = "_NL"  # the last line's
            last = kind
            while (action := actions[states[-1]].get(kind, _NONE)) < 0:
                if action == _NONE:
                    wanted = frozenset(actions[states[-1]])
                    raise Unread(kind, start, place, wanted)
                rule, make = rules[-1 - action], makes[-1 - action]
                if rule.size:
                    value = make(values[-rule.size :])
                    del values[-rule.size :], states[-rule.size :]
                else:
                    value = make([])
                key = (states[-1], rule.origin, kind)
                state = chains.get(key)
                if state is None:
                    state = chains[key] = self._follow(key)
                if state == end and kind == END:
                    return value
                states.append(state)
                values.append(value)
            states.append(action)
            if kind in kept:
                taken = Word(text[start:place])
                taken.start_pos, taken.end_pos = start, place
                values.append(taken)
            else:
                values.append(None)

    def _narrow(self, text: str, place: int, state: int) -> tuple[str, int, int]:
        """The token at a place among those that can stand in a state.

        Raises:
            Unread: There is none; it says which other token there is, if any.
        """
        accepted = (frozenset(self.tables.actions[state]) | ALWAYS) - {END}
        pattern = self.narrow.get(accepted)
        if pattern is None:
            pattern = self.narrow[accepted] = self.tables.pattern(accepted)
        words = self.tables.words
        found = pattern.match(text, place)
        if found is not None:
            kind = found.lastgroup or ""
            if kind == WORD and words.get(found[kind]) in accepted:
                kind = words[found[kind]]
            return kind, *found.span(kind)
        while text[place : place + 1] in {" ", "\t"}:
            place += 1
        if place == len(text):
            return END, place, place
        wanted = accepted - self.tables.embedded(accepted) - {"COMMENT"}
        found = self.pattern.match(text, place)
        if found is None:
            raise Unread("", place, place + 1, wanted)
        kind = found.lastgroup or ""
        raise Unread(words.get(found[kind], kind), *found.span(kind), wanted)

    def _follow(self, key: tuple[int, str, str]) -> int:
        """The state behind a reduction and those that only hand its value on."""
        state, origin, kind = key
        tables = self.tables
        while True:
            reached = tables.gotos[state][origin]
            action = tables.actions[reached].get(kind, 0)
            if action >= 0 or not tables.rules[-1 - action].unit:
                return reached
            origin = tables.rules[-1 - action].origin


def _counted(kind: str, start: int, depth: int, chained: int) -> tuple[int, int]:
    """The depth of brackets and the length of a chain of operators behind a token.

    Raises:
        Refused: One of them is beyond what anything later could bear.
    """
    if kind in _BRACKETS:
        depth = max(0, depth + _BRACKETS[kind])
        if depth > MOST_BRACKETS:
            raise Refused("S007", start, start + 1, limit=str(MOST_BRACKETS))
    elif kind in _CHAINS:
        chained += 1
        if chained > MOST_OPERATORS:
            raise Refused("S007", start, start + 1, limit=str(MOST_LEVELS))
    else:
        chained = 0
    return depth, chained


def _make(rule: Rule, builder: Builder) -> Make:
    """What makes a rule's value from those of its symbols."""
    method: Make = getattr(builder, rule.method) if rule.method else _same
    if rule.unit:
        return _first
    places: list[int] = []
    for place, inlined, missing in rule.children:
        places += [rule.size] * missing  # where `make` puts a None
        if inlined:
            break
        places.append(place)
    else:
        return _plain(method, [*places, *[rule.size] * rule.missing], rule.size)
    rest = rule.children[[inlined for _, inlined, _ in rule.children].index(True) :]
    (first, _, _), *others = rest
    if any(missing for _, _, missing in others) or rule.missing:
        raise ValueError(f"{rule.origin}: no part may be missing behind a repeated one")

    def make(values: list[Value]) -> Value:
        children: list[Value] = values[first]
        if places:
            values.append(None)
            children = [values[place] for place in places] + children
        for place, inlined, _ in others:
            if inlined:
                children += values[place]
            else:
                children.append(values[place])
        return method(children)

    return make


def _plain(method: Make, places: list[int], size: int) -> Make:
    """`_make` where every child is the value of one symbol, or is missing."""
    if places == list(range(size)):
        return method

    def make(values: list[Value]) -> Value:
        values.append(None)
        return method([values[place] for place in places])

    return make


def _first(values: list[Value]) -> Value:
    return values[0]


def _same(values: list[Value]) -> list[Value]:
    return values
