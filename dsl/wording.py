"""The words for the keys that the parser's diagnostics carry. Data for `messages`."""

#: What had to follow, by the key in `expected`.
EXPECTED = {
    "value": "a value",
    "operator-or-end": "an operator or the end of the line",
    "operator-or-bracket": "an operator or a closing bracket",
    "else": "`else`",
    "then": "`then`",
    "assign": "`=` or `:=`",
    "brace": "`{`",
    "source-or-end": "a source or the end of the line",
    "statement": "a block or a statement",
    "text": "a text in quotes",
    "name": "a name",
    "number": "a number",
    "comma-or-bracket": "`,` or a closing bracket",
    "end": "the end of the line",
    "member": "a fact",
    "something": "something else",
    "one-word": "one word as a name",
    "smaller-number": "a number that a computer can hold",
    "year": "a year, as in `2026`",
    "letters": "a word of letters only",
}
#: What was found, where it is no piece of the text.
FOUND = {"end-of-line": "the end of the line"}
#: Help for the slips that the parser knows; filled in from a diagnostic's facts.
HINTS = {
    "lookalike": "this character comes from a word processor: write {meant}",
    "quotes": 'texts stand in straight double quotes: `"text"`',
    "space": "put one space between a number and its unit: `{number} {unit}`",
    "kilo": "a thousand is a small k: `{number}k`",
    "digits": "group digits with `_`: `1_000`",
    "power": "a power is written `^`",
    "compare": "to compare, write `==`; a line states one fact",
    "double-equals": "one `=` states a value",
    "outside": "a fact stands in a block; a quantity of your own is `let NAME = …`",
    "quote": 'a text stands in quotes: `"…"`',
    "cite": 'a source is `@key "where"`, an assumption `@assumed "why"`',
    "semicolon": "a fact ends with its line",
    "brace": "a block opens with `{{` at the end of its header",
    "block-name": "a block has a kind and a name: `chip my_chip {{`",
    "name-sign": "names are made of letters, digits and `_`",
    "key": "a key is one word, or several parted by commas: `peak[fp8]`",
    "nested": "blocks do not nest: write a path, as in `memory.capacity = …`",
    "late": "start a new line after `}}`",
    "encoding": "save it as UTF-8 text : `iconv -f latin1 -t utf-8` converts",
    "folder": "name a file in it",
    "large": "a scenario file has at most 4 MB; put data into several and import them",
    "no-file": "name a file that is there; `isocost new` makes one",
    "rights": "let whoever runs this read it",
    "doc": "a doc comment stands above what it explains",
}
#: Characters whose own look explains nothing.
CHARACTERS = {"space": "a plain space"}
LABELS = {"missing-brace": "still open here"}
#: What a fix does, by hint or code.
FIXES = {
    "space": "put in one space",
    "brace": "open the block",
    "S002": "put in `=`",
    "S006": "remove it",
    "S008": "remove it",
    "semicolon": "remove it",
    "V005": "write `:=`",
}
