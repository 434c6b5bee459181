// What tree-sitter's own lexer cannot tell: which line ends count, and where a date and
// the unit behind a number end. Written by hand beside the grammar, which is generated.
//
// A line end counts where a statement may end, and never inside `(` or `[`; of several
// in a row, with or without comments between them, only the last counts. A word such
// as `to` behind a number is no unit.

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

#include <string.h>

// In the order of `externals` in grammar.js.
enum { LINE_END, LINE_BREAK, LPAR, RPAR, LSQB, RSQB, UNIT, DATE, MISTAKE };

// Words that may follow a number, as in the pattern QUANTITY of the Lark grammar.
static const char *const WORDS[] = {"to", "in", "at", "and", "or", "if", "then", "else"};
enum { LONGEST_WORD = 4 };

typedef struct {
  unsigned char depth;
} Scanner;

void *tree_sitter_isocost_external_scanner_create(void) {
  return ts_calloc(1, sizeof(Scanner));
}

void tree_sitter_isocost_external_scanner_destroy(void *payload) { ts_free(payload); }

unsigned tree_sitter_isocost_external_scanner_serialize(void *payload, char *buffer) {
  buffer[0] = (char)((Scanner *)payload)->depth;
  return 1;
}

void tree_sitter_isocost_external_scanner_deserialize(void *payload, const char *buffer,
                                                      unsigned length) {
  ((Scanner *)payload)->depth = length ? (unsigned char)buffer[0] : 0;
}

static bool is_ascii_letter(int32_t c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_unit_letter(int32_t c) {
  return is_ascii_letter(c) || c == 0xB5 /* µ */ || c == '$' || c == 0x20AC /* € */ ||
         c == 0xA3 /* £ */ || c == '%';
}

static bool is_refused(const char *word, int32_t next) {
  if (is_digit(next) || next == '_' || next == 0xB5) return false; // no end of a word
  for (unsigned i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (strcmp(word, WORDS[i]) == 0) return true;
  return false;
}

// Letters and a power behind them. `word` takes the ASCII letters at the beginning, if
// there are no more of them than in the longest word; false if it is refused.
static bool scan_factor(TSLexer *lexer, bool first) {
  char word[LONGEST_WORD + 2] = {0};
  unsigned length = 0;
  bool at_start = first;
  while (is_unit_letter(lexer->lookahead)) {
    if (at_start && is_ascii_letter(lexer->lookahead)) {
      if (length <= LONGEST_WORD) word[length++] = (char)lexer->lookahead;
    } else if (at_start) {
      at_start = false;
      if (is_refused(word, lexer->lookahead)) return false;
    }
    lexer->advance(lexer, false);
  }
  if (at_start && is_refused(word, lexer->lookahead)) return false;
  lexer->mark_end(lexer);
  if (lexer->lookahead != '^') return true;
  lexer->advance(lexer, false);
  if (lexer->lookahead == '-') lexer->advance(lexer, false);
  if (!is_digit(lexer->lookahead)) return true; // an operator: the unit has ended
  while (is_digit(lexer->lookahead)) lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  return true;
}

static bool is_separator(int32_t c) { return c == '-' || c == '/' || c == 0xB7 /* · */; }

// One unit, such as `$/kW-month`, `1/s` or `/cm^2`, behind the blank after a number.
static bool scan_unit(TSLexer *lexer) {
  bool first = true;
  if (lexer->lookahead == '/') {
    first = false;
    lexer->advance(lexer, false);
  }
  if (lexer->lookahead == '1') {
    lexer->advance(lexer, false);
    if (lexer->lookahead != '/') return false;
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
  } else if (!is_unit_letter(lexer->lookahead) || !scan_factor(lexer, first)) {
    return false;
  }
  lexer->result_symbol = UNIT;
  for (;;) {
    if (is_separator(lexer->lookahead)) lexer->advance(lexer, false);
    if (!is_unit_letter(lexer->lookahead)) return true;
    scan_factor(lexer, false);
  }
}

static bool goes_on(int32_t c) {
  return is_ascii_letter(c) || is_digit(c) || c == '_' || c == '.';
}

static bool scan_digits(TSLexer *lexer, unsigned count) {
  for (; count; count--) {
    if (!is_digit(lexer->lookahead)) return false;
    lexer->advance(lexer, false);
  }
  return true;
}

// A day, month or quarter: `2025-03-01`, `2025-03`, `2025-Q1`, and nothing more of a
// word behind it. Else it is a number, from which another may be taken.
static bool scan_date(TSLexer *lexer) {
  lexer->result_symbol = DATE;
  if (!scan_digits(lexer, 4) || lexer->lookahead != '-') return false;
  lexer->advance(lexer, false);
  if (lexer->lookahead == 'Q') {
    lexer->advance(lexer, false);
    if (lexer->lookahead < '1' || lexer->lookahead > '4') return false;
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    return !goes_on(lexer->lookahead);
  }
  if (!scan_digits(lexer, 2) || goes_on(lexer->lookahead)) return false;
  lexer->mark_end(lexer);
  if (lexer->lookahead != '-') return true;
  lexer->advance(lexer, false);
  if (scan_digits(lexer, 2) && !goes_on(lexer->lookahead)) lexer->mark_end(lexer);
  return true;
}

static bool is_blank(int32_t c) { return c == ' ' || c == '\t'; }

// A run of line ends. True if there was one; a lone carriage return is a mistake.
static bool skip_lines(TSLexer *lexer) {
  bool found = false;
  for (;;) {
    if (lexer->lookahead == '\r') {
      lexer->advance(lexer, false);
      if (lexer->lookahead != '\n') return false;
    }
    if (lexer->lookahead != '\n') return found;
    found = true;
    lexer->advance(lexer, false);
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
  }
}

static bool scan_line_end(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  if (!skip_lines(lexer)) return false;
  lexer->mark_end(lexer);
  if (valid[MISTAKE]) scanner->depth = 0; // go on with the next line
  if (scanner->depth || lexer->lookahead == '#') {
    lexer->result_symbol = LINE_BREAK;
    return valid[LINE_BREAK];
  }
  lexer->result_symbol = LINE_END;
  return valid[LINE_END];
}

static bool scan_bracket(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  static const char BRACKETS[] = "()[]";
  const char *found = lexer->lookahead > 0 && lexer->lookahead < 128
                          ? strchr(BRACKETS, (int)lexer->lookahead)
                          : NULL;
  if (!found) return false;
  TSSymbol symbol = (TSSymbol)(LPAR + (found - BRACKETS));
  if (!valid[symbol]) return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  lexer->result_symbol = symbol;
  if (symbol == LPAR || symbol == LSQB) {
    if (scanner->depth < 255) scanner->depth++;
  } else if (scanner->depth) {
    scanner->depth--;
  }
  return true;
}

bool tree_sitter_isocost_external_scanner_scan(void *payload, TSLexer *lexer,
                                               const bool *valid) {
  Scanner *scanner = payload;
  if (valid[UNIT] && !valid[MISTAKE] && lexer->lookahead == ' ') {
    lexer->advance(lexer, true);
    if (lexer->lookahead == '/' || lexer->lookahead == '1' ||
        is_unit_letter(lexer->lookahead))
      return scan_unit(lexer);
  }
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead == '\n' || lexer->lookahead == '\r')
    return scan_line_end(scanner, lexer, valid);
  if (valid[DATE] && is_digit(lexer->lookahead)) return scan_date(lexer);
  return scan_bracket(scanner, lexer, valid);
}
