; Generated from grammar/isocost.lark by tools/editors.py: change that one.
(comment) @comment
(doc) @comment.documentation
(string) @string
(key) @attribute
(date) @string.special
[(number) (percent)] @number
[(unit) (shown_unit)] @type.builtin
(block kind: (path) @keyword.type)
(block name: (path) @type.definition)
(block base: (path) @type)
(unit_decl name: (path) @type.definition)
(import alias: (path) @module)
(value name: (path) @property)
(formula name: (path) @property)
(let name: (path) @variable)
(let_value name: (path) @variable)
(named name: (path) @variable.parameter)
(call function: (path) @function)
["and" "as" "at" "check" "claim" "deny" "edition" "else" "extends" "if" "import" "let" "not" "or" "then" "to" "unit"] @keyword
["!=" "*" "+" "+-" "-" "/" ":=" "<" "<=" "=" "==" ">" ">=" "^" "±"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
"," @punctuation.delimiter
