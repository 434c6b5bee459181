"""The tree-sitter grammar, in terms of the Lark grammar's own rules.

The Lark grammar is read with Lark's grammar of grammars; every rule becomes a rule of
tree-sitter's, with the names behind `->` as the names of nodes. Three things differ,
since tree-sitter's lexer cannot look ahead and has no filter behind it. They are the
business of `editors/tree-sitter/src/scanner.c`:

- line ends, which `dsl/parser.py` drops inside brackets and after operators,
- the brackets that it counts for that,
- where a date and the unit behind a number end: `2025-1201` is no date, and
  `10 to 20` has no unit.
"""

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import attrs
from lark import Lark, Token, Tree

from isocost.dsl.reader import GOES_ON
from isocost.grammar import text as grammar_text

#: The first line of every generated file.
NOTICE = "Generated from grammar/isocost.lark by tools/editors.py: change that one."
#: Names of the tokens that are nodes; all others stand there as their own text.
TOKENS = {
    "CITE": "key",
    "COMMENT": "comment",
    "DATE": "date",
    "DOC": "doc",
    "IN_UNIT": "shown_unit",
    "PATH": "path",
    "QUANTITY": "quantity",
    "STRING": "string",
}
#: Roles of the nodes of a rule, in the order in which they stand there.
FIELDS = {
    "block": ("kind", "name", "title", "base"),
    "value": ("name", "value", "unit"),
    "formula": ("name", "value", "unit"),
    "let": ("name", "value", "unit"),
    "let_value": ("name", "value", "unit"),
    "named": ("name", "value"),
    "call": ("function",),
    "import": ("file", "alias"),
    "unit_decl": ("name",),
    "cite": ("source", "locator"),
}
#: What the scanner decides, in the order of its `enum`; the last is never valid, so
#: that it shows when tree-sitter is looking for a way on after a mistake.
EXTERNALS = '$._line_end, $._line_break, "(", ")", "[", "]", $.unit, $.date, $._mistake'


@attrs.frozen
class Part:
    """A piece of a rule: `seq choice optional repeat repeat1` of parts, or a leaf.

    A leaf is a `rule`, a `token`, a `text` or a `pattern`, all by their `word`.
    """

    op: str
    parts: tuple["Part", ...] = ()
    word: str = ""


def seq(*parts: Part) -> Part:
    """Parts one after the other."""
    return parts[0] if len(parts) == 1 else Part("seq", parts)


def choice(*parts: Part) -> Part:
    """One of several parts."""
    return parts[0] if len(parts) == 1 else Part("choice", parts)


def optional(part: Part) -> Part:
    """A part that may be missing."""
    return Part("optional", (part,))


# The Lark grammar, read.


@attrs.frozen
class Grammar:
    """Alternatives of every rule with the names behind `->`; what each token is."""

    rules: dict[str, tuple[tuple[str | None, Part], ...]]
    hidden: frozenset[str]
    tokens: dict[str, tuple[int, Part]]


def read(text: str) -> Grammar:
    """A grammar in Lark's words. Rules written `?x` or `_x` are hidden."""
    import lark

    reader = Lark.open("grammars/lark.lark", rel_to=lark.__file__, parser="lalr")
    rules: dict[str, tuple[tuple[str | None, Part], ...]] = {}
    hidden, tokens = set[str](), dict[str, tuple[int, Part]]()
    for item in reader.parse(text).children:
        if not isinstance(item, Tree) or item.data not in {"rule", "token"}:
            continue
        name, body = str(item.children[0]), cast("Tree[Token]", item.children[-1])
        if item.data == "token":
            priority = next(item.find_data("priority"), None)
            level = int(str(priority.children[0])) if priority else 0
            tokens[name] = (level, _part(body))
            continue
        if name[0] in "?_":
            hidden.add(name.lstrip("?"))
        options = body.children if body.data == "expansions" else [body]
        rules[name.lstrip("?!")] = tuple(_alternative(one) for one in options)
    return Grammar(rules, frozenset(hidden), tokens)


def _alternative(tree: Any) -> tuple[str | None, Part]:
    if tree.data == "alias":
        body, name = tree.children
        return (None if name is None else str(name)), _part(body)
    return None, _part(tree)


def _part(tree: Any) -> Part:
    """A piece of a body of a rule."""
    match tree.data:
        case "expansions":
            return choice(*map(_part, tree.children))
        case "expansion":
            return seq(*map(_part, tree.children))
        case "alias":
            return _part(tree.children[0])
        case "maybe":
            return optional(_part(tree.children[0]))
        case "name":
            token = tree.children[0]
            return Part("token" if token.type == "TOKEN" else "rule", word=str(token))
        case "literal":
            token = tree.children[0]
            if token.type == "STRING":
                return Part("text", word=json.loads(token))
            return Part("pattern", word=str(token)[1:-1])
        case "expr":
            inner = _part(tree.children[0])
            how = tree.children[1] if len(tree.children) > 1 else None
            wrap = {"*": "repeat", "+": "repeat1", "?": "optional"}
            return Part(wrap[str(how)], (inner,)) if how else inner
    raise ValueError(f"the grammar uses what this tool does not know: {tree.data}")


# Its rules in tree-sitter's words.


class Translation:
    """Rules of tree-sitter's by name, made from a grammar of Lark's."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        #: Rules that may be nothing at all, which those of tree-sitter's may not.
        self.empty = set[str]()
        for _ in grammar.rules:  # no longer chain can lead from one to the next
            self.empty |= {
                name
                for name, alternatives in grammar.rules.items()
                if any(self._nullable(part) for _, part in alternatives)
            }

    def rules(self) -> dict[str, str]:
        """Every rule's body in JavaScript; the start comes first."""
        made = itertools.starmap(self._nodes, self.grammar.rules.items())
        return {"source_file": _START, **dict(itertools.chain.from_iterable(made))}

    def _nodes(
        self, name: str, alternatives: Sequence[tuple[str | None, Part]]
    ) -> Iterator[tuple[str, str]]:
        """A rule, and one more for each of its alternatives that has a name."""
        if name == "start":
            return
        plain = [self.code(p) for alias, p in alternatives if alias is None]
        named: dict[str, list[Part]] = {}
        for alias, part in alternatives:
            if alias is not None:
                named.setdefault(alias, []).append(part)
        shared = self._shared()
        for alias, parts in named.items():
            node = alias.rstrip("_")
            if parts[0].op == "token" and len(parts) == 1:
                plain.append(self.code(parts[0]))
                continue
            own = f"_{name}_{node}" if alias in shared else node
            yield own, self._fielded(node, choice(*parts))
            plain.append(f"alias($.{own}, $.{node})" if own != node else f"$.{node}")
        if name in self.grammar.hidden:
            yield _hidden(name), _choice(plain)
        elif not named:
            parts = [part for _, part in alternatives]
            whole = choice(*parts)
            full = _filled(whole) if self._nullable(whole) else whole
            yield name.rstrip("_"), self._fielded(name.rstrip("_"), full)
        else:  # of its alternatives only some have names
            rest = choice(*(part for alias, part in alternatives if alias is None))
            yield name, self._fielded(name, rest)
            others = [p for p in plain if p.startswith(("$.", "alias("))]
            yield f"_any_{name}", _choice([f"$.{name}", *others])

    def _shared(self) -> set[str]:
        """Names that stand in more than one rule."""
        places: dict[str, set[str]] = {}
        for name, alternatives in self.grammar.rules.items():
            for alias, _ in alternatives:
                if alias is not None:
                    places.setdefault(alias, set()).add(name)
        return {alias for alias, found in places.items() if len(found) > 1}

    def _nullable(self, part: Part) -> bool:
        """Whether a part may be nothing at all."""
        match part.op:
            case "seq":
                return all(map(self._nullable, part.parts))
            case "choice" | "repeat1":
                return any(map(self._nullable, part.parts))
            case "rule":
                return part.word in self.empty
        return part.op in {"optional", "repeat"}

    def _fielded(self, node: str, part: Part) -> str:
        """A body with the roles of its nodes."""
        roles = FIELDS.get(node, ())
        options = part.parts if part.op == "choice" else (part,)
        return _choice([self.code(option, iter(roles)) for option in options])

    def code(self, part: Part, roles: Iterator[str] | None = None) -> str:
        """A part in JavaScript; its nodes take the roles as long as there are some."""
        match part.op:
            case "seq" | "choice":
                inner = [self.code(p, roles) for p in part.parts]
                return f"{part.op}({', '.join(inner)})"
            case "optional" | "repeat" | "repeat1":
                return f"{part.op}({self.code(part.parts[0], roles)})"
            case "rule":
                made = self._reference(part.word)
                if part.word in self.grammar.hidden and part.word.startswith("_"):
                    return made
            case "token" if part.word in TOKENS:
                made = f"$.{TOKENS[part.word]}"
                if part.word in GOES_ON:
                    return f"seq({made}, $._line_end)"
            case "token" if part.word == "_NL":
                return "$._line_end"
            case "token":
                made = _words(self.grammar.tokens[part.word][1])
                return _going_on(made) if part.word in GOES_ON else made
            case "text":
                made = _words(part)
                return _going_on(made) if self._token_of(part.word) in GOES_ON else made
        role = next(roles, None) if roles else None
        return f'field("{role}", {made})' if role else made

    def _token_of(self, text: str) -> str:
        """The name of the token that a text is, as Lark has it."""
        for name, (_, part) in self.grammar.tokens.items():
            if part == Part("text", word=text):
                return name
        return "COMMA" if text == "," else ""

    def _reference(self, name: str) -> str:
        aliases = [alias for alias, _ in self.grammar.rules[name]]
        if name in self.grammar.hidden:
            made = f"$.{_hidden(name)}"
        elif any(aliases):
            made = f"$._any_{name}"
        else:
            made = f"$.{name.rstrip('_')}"
        return f"optional({made})" if name in self.empty else made

    def words(self) -> list[str]:
        """The texts that stand for themselves in the rules, sorted."""
        found, parts = (
            set[str](),
            [part for options in self.grammar.rules.values() for _, part in options],
        )
        while parts:
            part = parts.pop()
            parts += part.parts
            if part.op == "token" and part.word not in {*TOKENS, "_NL"}:
                part = self.grammar.tokens[part.word][1]
                found |= set(re.findall(r'"([^"]+)"', _words(part)))
            elif part.op == "text":
                found.add(part.word)
        return sorted(found)

    def tokens(self) -> dict[str, str]:
        """Every token that is a node, in JavaScript."""
        out: dict[str, str] = {}
        for name, node in TOKENS.items():
            level, part = self.grammar.tokens[name]
            if name == "QUANTITY":
                out |= _quantity(level, part.word)
                continue
            if name == "DATE":
                _same("DATE", part.word, _DATE)
                continue
            pattern = _without_lookahead(part.word)
            out[node] = f"token(prec({level}, {pattern}))" if level else pattern
        return out


#: A file may begin with empty lines and end without a line end.
_START = (
    "seq(optional($._line_end), repeat(seq($._item, $._line_end)), optional($._item))"
)


def _hidden(name: str) -> str:
    return name if name.startswith("_") else f"_{name}"


def _choice(options: Iterable[str]) -> str:
    found = list(options)
    return found[0] if len(found) == 1 else f"choice({', '.join(found)})"


def _going_on(made: str) -> str:
    """A token after which a line end means nothing."""
    return f"seq({made}, optional($._line_end))"


def _filled(part: Part) -> Part:
    """A sequence of parts that may all be missing, but not all at once."""
    parts = part.parts
    if part.op != "seq" or any(p.op != "optional" for p in parts):
        raise ValueError("a rule that may be empty must be a sequence of options")
    return choice(*(seq(p.parts[0], *parts[i + 1 :]) for i, p in enumerate(parts)))


_WORD_PATTERN = re.compile(r"(\w+)\(\?!\[A-Za-z0-9_\]\)")


def _words(part: Part) -> str:
    """A token that is one of a few words: each stands for itself."""
    if part.op == "choice":
        return _choice(map(_words, part.parts))
    word = _WORD_PATTERN.fullmatch(part.word)
    words = [word[1]] if word else part.word.split("|")
    if part.op == "pattern" and any(set(w) & set("[](){}?*+\\.") for w in words):
        raise ValueError(f"no list of words: {part.word}")
    return _choice(json.dumps(w, ensure_ascii=False) for w in words)


def _without_lookahead(pattern: str) -> str:
    """A pattern in JavaScript, without what it looks ahead for at its end."""
    plain = re.sub(r"\(\?!\[[^\]]*\]\)$", "", pattern)
    if "(?" in plain.replace("(?:", ""):
        raise ValueError(f"tree-sitter cannot look ahead: {pattern}")
    return f"/{plain}/"


#: The three parts of a quantity's pattern: the number, `%` behind it, a unit behind it.
_QUANTITY = re.compile(
    r"(?P<number>.+)\(\?:(?P<prefix>\[\w+\])\(\?!\[A-Za-z0-9_\]\)\)\?"
    r"\(\?:(?P<percent>%.+)\|\[ \](?P<unit>.+)\)\?"
)
#: What `scanner.c` reads as a date and as a unit. Who changes one here does so there.
_DATE = r"[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9]{2}|Q[1-4])(?![A-Za-z0-9_.])"
_UNIT = (
    r"(?!(?:to|in|at|and|or|if|then|else)\b)\/?(?:[A-Za-zµ$€£%]+(?:\^-?[0-9]+)?|1\/)"
    r"(?:[-\/·]?[A-Za-zµ$€£%]+(?:\^-?[0-9]+)?)*"
)


def _same(name: str, pattern: str, known: str) -> None:
    if pattern != known:
        raise ValueError(f"{name} has changed: change src/scanner.c and this too")


def _quantity(level: int, pattern: str) -> dict[str, str]:
    found = _QUANTITY.fullmatch(pattern)
    if found is None:
        raise ValueError("QUANTITY has changed: split it anew")
    _same("QUANTITY", found["unit"], _UNIT)
    number = f"{found['number']}(?:{found['prefix']})?"
    return {
        "quantity": "choice($.percent, seq($.number, optional($.unit)))",
        "number": f"token(prec({level}, /{number}/))",
        "percent": f"token(prec({level}, /{number}{found['percent']}/))",
    }


def grammar_js() -> str:
    """The file `grammar.js`."""
    made = Translation(read(grammar_text()))
    lines = [f"    {n}: $ => {b}," for n, b in (made.rules() | made.tokens()).items()]
    return "\n".join(
        [
            f"// {NOTICE}",
            "module.exports = grammar({",
            '  name: "isocost",',
            f"  externals: $ => [{EXTERNALS}],",
            "  extras: $ => [/[ \\t]/, $.comment, $._line_break],",
            "  word: $ => $.path,",
            "  rules: {",
            *lines,
            "  },",
            "});",
            "",
        ]
    )
