"""What is wrong with one logical line that cannot be read: one diagnostic for it.

Looks at where Lark stopped and at what stands there, and knows the slips that people
make: a unit without its space, a colon for `=`, a dash from a word processor. The
words are in `messages`; a hint is named here, and `expected` is a key as well.
"""

import re
from collections.abc import Callable

import attrs

from isocost.dsl.building import Refused, Unread
from isocost.dsl.diagnostics import Diagnostic, Fix, Label, at
from isocost.dsl.layout import Piece
from isocost.dsl.spans import Span
from isocost.dsl.tables import END

#: Characters that look like others, and what they are meant for.
LOOKALIKES = {
    "×": "*",
    "÷": "/",
    "−": "-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "'": '"',
    "‘": '"',
    "’": '"',
    "\u00a0": " ",
    "\u2009": " ",
    "\u202f": " ",
    "\u2003": " ",
    "–": " to ",
    "—": " to ",
    "…": " to ",
    "~": "±",
    "&": " and ",
    "|": " or ",
    "!": "not ",
}
_UNIT = re.compile(r"/?[A-Za-zµ$€£%][A-Za-zµ$€£%/\-·^0-9]*")
_NUMBER_BEFORE = re.compile(r"(?<![\w.])[0-9][0-9_]*(?:\.[0-9_]+)?[kMGT]?([ \t]*)$")
_PATH_BEFORE = re.compile(r"[A-Za-z_][\w.\[\], \t\-]*?([ \t]*)$")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z_.]*|\*\*|[&|]{2}|=:")
_VALUE = {"QUANTITY", "STRING", "PATH"}
_ASSIGN = {"LET_EQ", "_DEFINE"}
_OPERATOR = {"MUL", "ADD", "_AND"}


@attrs.frozen
class Stop:
    """Where reading stopped: a range of the file, and what could have stood there."""

    text: str
    piece: Piece
    file: str
    start: int
    end: int
    wanted: frozenset[str]
    kind: str

    @property
    def found(self) -> str:
        """The text that could not be read."""
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        """The code of the piece up to where reading stopped."""
        return self.text[self.piece.code : self.start]

    @property
    def at_end(self) -> bool:
        """Whether the line ended too early."""
        return self.start >= self.piece.end

    def fault(self, code: str, fix: Fix | None = None, **args: object) -> Diagnostic:
        """A diagnostic at this place."""
        facts = {name: str(value) for name, value in args.items()}
        fixes = (fix,) if fix else ()
        labels = (Label(Span(self.file, self.start, self.end)),)
        return Diagnostic(code, labels, facts, fixes=fixes)

    def hinted(self, hint: str, fix: Fix | None = None, **args: object) -> Diagnostic:
        """`S001` at this place with a hint on a slip that is known."""
        facts = {"found": self.shown, "expected": self.expected, **args}
        return self.fault("S001", fix, hint=hint, **facts)

    def replace(self, start: int, end: int, text: str) -> Fix:
        """A change of the source; its title is the hint's."""
        return Fix("", Span(self.file, start, end), text)

    @property
    def shown(self) -> str:
        """What was found, as `messages` wants it: a key, or the text itself."""
        return "end-of-line" if self.at_end else self.found

    @property
    def expected(self) -> str:
        """A key of the words for what could have stood here."""
        return next((key for key, test in _EXPECTED if test(self.wanted)), "something")


_EXPECTED: tuple[tuple[str, Callable[[frozenset[str]], bool]], ...] = (
    ("value", lambda w: w >= _VALUE),
    ("operator-or-end", lambda w: bool(w & _OPERATOR) and bool(w & {"_NL", "$END"})),
    (
        "operator-or-bracket",
        lambda w: bool(w & _OPERATOR) and bool(w & {"RPAR", "RSQB"}),
    ),
    ("else", lambda w: "_ELSE" in w and not w & {"_NL", "$END"}),
    ("then", lambda w: "_THEN" in w and not w & {"_NL", "$END"}),
    ("assign", lambda w: bool(w & _ASSIGN)),
    ("brace", lambda w: "LBRACE" in w),
    ("source-or-end", lambda w: "CITE" in w),
    ("statement", lambda w: "LET" in w),
    ("text", lambda w: "STRING" in w),
    ("name", lambda w: "PATH" in w),
    ("number", lambda w: "QUANTITY" in w),
    ("comma-or-bracket", lambda w: bool(w & {"RPAR", "RSQB", "RBRACE"})),
    ("end", lambda w: bool(w & {"_NL", "$END"})),
)


def find_fault(
    text: str, file: str, piece: Piece, error: Unread, shift: int
) -> Diagnostic:
    """The diagnostic for a piece.

    Args:
        text: The whole file.
        file: Its name.
        piece: What could not be read.
        error: Why.
        shift: Add it to a place in the text that was parsed to get one in the file.
    """
    if isinstance(error, Refused):
        span = Span(file, error.start + shift, error.end + shift)
        return Diagnostic(error.code, (Label(span),), error.args_)
    stop = _stop(text, file, piece, error, shift)
    if piece.quote is not None and stop.start >= piece.quote:
        return at("S005", Span(file, piece.quote, _line_end(text, piece.quote)))
    if piece.opener is not None and stop.start > piece.opener:
        bracket = text[piece.opener]
        span = Span(file, piece.opener, piece.opener + 1)
        closing = ")" if bracket == "(" else "]"
        return at("S004", span, bracket=bracket, closing=closing)
    for rule in _RULES:
        found = rule(stop)
        if found is not None:
            return found
    return stop.fault("S001", found=stop.shown, expected=stop.expected)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return start + len(text[start : end if end >= 0 else None].rstrip())


def _stop(text: str, file: str, piece: Piece, error: Unread, shift: int) -> Stop:
    start = piece.end if error.kind == END else error.start + shift
    if error.kind == "_NL" or start >= piece.end:
        end = piece.end
        return Stop(text, piece, file, end, end, error.wanted, "_NL")
    length = error.end - error.start
    word = _WORD.match(text, start, piece.end)
    if not error.kind and word:
        length = len(word.group())
    end = min(start + length, piece.end)
    return Stop(text, piece, file, start, end, error.wanted, error.kind)


def _refused_piece(stop: Stop) -> Diagnostic | None:
    if not stop.at_end or stop.piece.code < stop.piece.end:
        return None
    return stop.hinted("doc", expected="statement")


def _open_choice(stop: Stop) -> Diagnostic | None:
    """`{1, 2` with no brace to close it."""
    if not stop.at_end or "RBRACE" not in stop.wanted or "COMMA" not in stop.wanted:
        return None
    place = stop.before.rfind("{")
    if place < 0:
        return None
    start = stop.piece.code + place
    span = Span(stop.file, start, start + 1)
    return at("S004", span, bracket="{", closing="}")


def _closing_bracket(stop: Stop) -> Diagnostic | None:
    if stop.found not in {")", "]", "}"} or stop.kind not in {"RPAR", "RSQB", "RBRACE"}:
        return None
    if stop.wanted >= _VALUE:
        return None
    fix = stop.replace(stop.start, stop.end, "")
    return stop.fault("S006", fix, found=stop.found)


def _lookalike(stop: Stop) -> Diagnostic | None:
    """A character of a word processor in the place of a plain one."""
    meant = LOOKALIKES.get(stop.found[:1])
    if stop.kind or meant is None:
        return None
    start, end = stop.start, stop.start + 1
    wide = attrs.evolve(stop, end=end)
    if meant == '"':
        close = re.compile(r"[^\n\"]*?[“”„«»'‘’]").match(stop.text, end, stop.piece.end)
        end = close.end() if close else end
        quoted = '"' + stop.text[start + 1 : end - 1] + '"'
        fix = stop.replace(start, end, quoted) if close else None
        return wide.hinted("quotes", fix)
    if stop.text[end : end + 1] == stop.found[0]:
        end += 1
    if meant[0] == " " and meant.strip():
        while stop.text[start - 1 : start] == " ":
            start -= 1
        while stop.text[end : end + 1] == " ":
            end += 1
    fix = stop.replace(start, end, meant)
    return wide.hinted("lookalike", fix, meant=meant.strip() or "space")


def _no_equals(stop: Stop) -> Diagnostic | None:
    """A path with no `=` behind it."""
    if not stop.wanted & _ASSIGN or stop.wanted & _OPERATOR:
        return None
    match = _PATH_BEFORE.search(stop.before)
    name = (match.group() if match else stop.before).strip().removeprefix("let ")
    path_end = stop.start - len(match[1]) if match else stop.start
    if stop.found[:1] in {"-", "."}:
        return _name_sign(stop)
    if stop.found == "[" and stop.before[-1:].strip():
        return stop.hinted("key")
    if stop.found == "{":
        return stop.hinted("nested")
    if stop.at_end:
        return stop.fault("S002", name=name)
    if stop.found in {":", "==", "=:", ":=="} or stop.found[:1] == ":":
        end = stop.end
        while stop.text[end : end + 1] in {"=", ":", " "}:
            end += 1
        return stop.fault("S002", stop.replace(path_end, end, " = "), name=name)
    equals = ""
    if stop.kind in {"QUANTITY", "STRING", "PATH", "DATE", "LSQB", "LBRACE", "LPAR"}:
        equals = " = "
    fix = stop.replace(path_end, stop.start, equals) if equals else None
    return stop.fault("S002", fix, name=name)


def _name_sign(stop: Stop) -> Diagnostic:
    """A name with a dash in it."""
    head = re.search(r"[\w.]*$", stop.before)
    tail = re.compile(r"(?:-\w+)+").match(stop.text, stop.start, stop.piece.end)
    if tail is None or head is None:
        return stop.hinted("name-sign", expected="one-word")
    start = stop.start - len(head.group())
    wide = attrs.evolve(stop, start=start, end=tail.end())
    fix = stop.replace(start, tail.end(), wide.found.replace("-", "_"))
    return wide.hinted("name-sign", fix, expected="one-word")


def _unit_space(stop: Stop) -> Diagnostic | None:
    """`500W` or `500  W`: a number and its unit with no or many spaces between."""
    match = _NUMBER_BEFORE.search(stop.before)
    unit = _UNIT.match(stop.text, stop.start, stop.piece.end)
    if match is None or unit is None or stop.found in {"in", "to", "at"}:
        return None
    if match[1] == " ":
        return None
    gap = stop.start - len(match[1])
    wide = attrs.evolve(stop, end=unit.end())
    number = match.group().strip()
    if unit.group() == "K" and not match[1]:
        return wide.hinted("kilo", stop.replace(gap, unit.end(), "k"), number=number)
    fix = stop.replace(gap, stop.start, " ")
    return wide.hinted("space", fix, number=number, unit=unit.group())


def _digit_comma(stop: Stop) -> Diagnostic | None:
    following = stop.text[stop.start + 1 : stop.start + 4]
    if stop.found != "," or not following.isdigit():
        return None
    if not stop.before[-1:].isdigit():
        return None
    return stop.hinted("digits", stop.replace(stop.start, stop.end, "_"))


def _double_star(stop: Stop) -> Diagnostic | None:
    if stop.found[:1] != "*" or stop.before[-1:] != "*":
        return None
    wide = attrs.evolve(stop, start=stop.start - 1, end=stop.start + 1)
    return wide.hinted("power", stop.replace(wide.start, wide.end, "^"))


def _equals_again(stop: Stop) -> Diagnostic | None:
    if stop.found not in {"=", ":="}:
        return None
    if _outside(stop):
        return stop.hinted("outside", expected="statement")
    if stop.before[-1:] == "=" and stop.wanted >= _VALUE:
        return stop.hinted("double-equals", stop.replace(stop.start, stop.end, ""))
    if stop.wanted & _OPERATOR:
        return stop.hinted("compare")
    return None


def _outside(stop: Stop) -> bool:
    """Whether a fact stands at the top of the file."""
    code = stop.before.strip()
    return re.fullmatch(r"[A-Za-z_][\w.\[\], ]*", code) is not None and (
        "PATH" in stop.wanted
    )


def _unquoted(stop: Stop) -> Diagnostic | None:
    value = re.search(r"(?<![:=<>!])=[ \t]*[A-Za-z]\w*[ \t]*$", stop.before)
    if value and (stop.found[:1] == ":" or stop.kind == "PATH"):
        return stop.hinted("quote")
    after_cite = re.search(r"@[\w.]+[ \t]*$", stop.before)
    after_import = stop.before.strip() == "import"
    if stop.kind != "PATH" or not (after_cite or after_import):
        return None
    wide = attrs.evolve(stop, end=stop.piece.end)
    quoted = '"' + wide.found.replace('"', "") + '"'
    return wide.hinted("quote", stop.replace(wide.start, wide.end, quoted))


def _at_sign(stop: Stop) -> Diagnostic | None:
    return stop.hinted("cite") if stop.found[:1] == "@" and not stop.kind else None


def _header(stop: Stop) -> Diagnostic | None:
    """A header that lacks its name or its brace."""
    if stop.at_end and "LBRACE" in stop.wanted and not stop.wanted & _OPERATOR:
        if stop.wanted >= _VALUE:
            return None
        return stop.hinted("brace", stop.replace(stop.start, stop.start, " {"))
    if stop.found == "{" and stop.wanted == {"PATH"}:
        return stop.hinted("block-name")
    if stop.found[:1] == "-" and "LBRACE" in stop.wanted:
        return _name_sign(stop)
    return None


def _semicolon(stop: Stop) -> Diagnostic | None:
    if stop.found[:1] != ";":
        return None
    return stop.hinted("semicolon", stop.replace(stop.start, stop.start + 1, ""))


_RULES: tuple[Callable[[Stop], Diagnostic | None], ...] = (
    _refused_piece,
    _lookalike,
    _header,
    _no_equals,
    _open_choice,
    _closing_bracket,
    _double_star,
    _unit_space,
    _digit_comma,
    _equals_again,
    _unquoted,
    _at_sign,
    _semicolon,
)
