"""The editor protocol around `isocost.dsl.editor`: every answer is made there.

A file is checked a moment after the last key; what is asked for meanwhile is answered
from the text as it stands. Values are computed only where somebody points at one.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from isocost._server_values import Numbers
from isocost.dsl.check import Checked
from isocost.dsl.diagnostics import Diagnostic
from isocost.dsl.editor import names
from isocost.dsl.editor.buffers import Buffers, checked, neighbours
from isocost.dsl.editor.completion import complete
from isocost.dsl.editor.hover import hover
from isocost.dsl.editor.meanings import Meaning
from isocost.dsl.editor.outline import Symbol, fixes_in, outline
from isocost.dsl.editor.positions import Lines
from isocost.dsl.format import format_text
from isocost.dsl.load import SHIPPED, shipped_text, version
from isocost.dsl.messages import help_text, label_text, title
from isocost.dsl.spans import Span
from isocost.engine.quantities import table

#: Seconds without a key after which a file is checked.
PAUSE = 0.2
_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_ITEMS = {
    "kind": lsp.CompletionItemKind.Class,
    "keyword": lsp.CompletionItemKind.Keyword,
    "file": lsp.CompletionItemKind.File,
    "source": lsp.CompletionItemKind.Reference,
    "block": lsp.CompletionItemKind.Struct,
    "unit": lsp.CompletionItemKind.Unit,
    "attribute": lsp.CompletionItemKind.Field,
    "word": lsp.CompletionItemKind.EnumMember,
    "let": lsp.CompletionItemKind.Variable,
    "role": lsp.CompletionItemKind.Property,
    "metric": lsp.CompletionItemKind.Value,
    "function": lsp.CompletionItemKind.Function,
}
_SYMBOLS = {
    "block": lsp.SymbolKind.Struct,
    "fact": lsp.SymbolKind.Field,
    "let": lsp.SymbolKind.Variable,
    "check": lsp.SymbolKind.Boolean,
    "claim": lsp.SymbolKind.Boolean,
}


def path_of(uri: str) -> str:
    """The path of a file's address; one that is no file stands for itself."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    windows = os.name == "nt" and path[:1] == "/"
    return os.path.normpath(path[1:] if windows else path)


def uri_of(path: str) -> str:
    """The address of a path."""
    if "://" in path or path.startswith("untitled:"):
        return path
    path = os.path.abspath(path).replace(os.sep, "/")
    return "file://" + quote(path if path.startswith("/") else "/" + path)


class Server(LanguageServer):
    """What is open, and what was found in it last."""

    def __init__(self) -> None:
        super().__init__("isocost", version())
        self.numbers = Numbers()
        self._checked: dict[str, tuple[int, Checked | None]] = {}
        self._shown: dict[str, set[str]] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._edits = 0

    # The texts.

    def buffers(self, changed: dict[str, str] | None = None) -> Buffers:
        """The texts as they are open, some of them replaced."""
        texts = {
            path_of(uri): document.source
            for uri, document in self.workspace.text_documents.items()
        }
        return Buffers({**texts, **(changed or {})})

    def lines(self, file: str) -> Lines:
        """The lines of a file, in the units that the editor asked for."""
        text = self.buffers().open_texts.get(file)
        if text is None:
            text = shipped_text(file) if file.startswith(SHIPPED) else _read(file)
        encoding = self.workspace.position_encoding or "utf-16"
        return Lines(text or "", str(getattr(encoding, "value", encoding)))

    def place(self, params: Any) -> tuple[Checked | None, str, int]:
        """The checked document, the file and the place that a request is about."""
        file = path_of(params.text_document.uri)
        position = params.position
        offset = self.lines(file).offset(position.line, position.character)
        return self.document(file), file, offset

    def document(self, file: str) -> Checked | None:
        """A file as it stands, checked once an edit."""
        known = self._checked.get(file)
        if known is None or known[0] != self._edits:
            known = (self._edits, checked(file, table(), self.buffers()))
            self._checked[file] = known
        return known[1]

    def documents(self, file: str) -> Iterator[Checked]:
        """Every document that may use what a file states."""
        for path in neighbours(file, self.buffers()):
            found = self.document(path)
            if found is not None and (path == file or file in _files(found)):
                yield found

    def range(self, span: Span) -> lsp.Range:
        """A span in lines and columns of its file."""
        lines = self.lines(span.file)
        ends = (lines.position(place) for place in (span.start, span.end))
        start, end = (lsp.Position(one.line, one.character) for one in ends)
        return lsp.Range(start, end)

    def location(self, span: Span) -> lsp.Location | None:
        """A span as a link; None for a shipped file that is no file here."""
        path = _on_disk(span.file)
        return lsp.Location(uri_of(path), self.range(span)) if path else None

    # Diagnostics.

    def edited(self, uri: str, pause: float = PAUSE) -> None:
        """Check a file after a pause in which nothing else happens to it."""
        self._edits += 1
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[uri] = asyncio.get_running_loop().create_task(
            self._later(uri, pause)
        )

    def closed(self, uri: str) -> None:
        """Forget a file, and take back what was said of it."""
        self._edits += 1
        for one in self._shown.pop(uri, set()):
            self._publish(one, [])

    async def _later(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        self._waiting.pop(uri, None)
        main = path_of(uri)
        found = self.document(main)
        by_file: dict[str, list[Diagnostic]] = {uri: []}
        for one in found.diagnostics if found else ():
            path = _on_disk(one.span.file)
            where = uri if one.span.file == main else uri_of(path) if path else None
            if where is not None:
                by_file.setdefault(where, []).append(one)
        for gone in self._shown.get(uri, set()) - set(by_file):
            self._publish(gone, [])
        self._shown[uri] = set(by_file)
        for where, these in by_file.items():
            self._publish(where, these)

    def _publish(self, uri: str, found: list[Diagnostic]) -> None:
        document = self.workspace.text_documents.get(uri)
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(
                uri,
                [self.diagnostic(one) for one in found],
                document.version if document is not None else None,
            )
        )

    def diagnostic(self, one: Diagnostic) -> lsp.Diagnostic:
        """A diagnostic with its help and its further places."""
        more = [help_text(one) or "", *one.notes]
        words = "\n".join(line for line in (title(one), *more) if line)
        related = [
            lsp.DiagnosticRelatedInformation(place, label_text(label.text) or "here")
            for label in one.labels[1:]
            if (place := self.location(label.span)) is not None
        ]
        return lsp.Diagnostic(
            range=self.range(one.span),
            message=words,
            severity=_SEVERITY[one.severity],
            code=one.code,
            source="isocost",
            related_information=related or None,
        )


def _files(found: Checked) -> set[str]:
    return {os.path.abspath(name) for name in found.document.files}


def _read(path: str) -> str:
    from pathlib import Path

    return Buffers({}).text(Path(path)) or ""


def _on_disk(file: str) -> str | None:
    """Where a file is, a shipped one included; None where it is none."""
    from importlib.resources import files

    if not file.startswith(SHIPPED):
        return file
    parts = (file.removeprefix(SHIPPED) + ".scn").split("/")
    place = str(files("isocost.scenarios").joinpath("catalog", *parts))
    return place if os.path.isfile(place) else None


def _symbol(server: Server, one: Symbol) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        one.name,
        _SYMBOLS[one.sort],
        server.range(one.span),
        server.range(one.name_span),
        one.detail or None,
        children=[_symbol(server, inner) for inner in one.inside] or None,
    )


def make() -> Server:
    """A server with all that it answers."""
    server = Server()
    for feature, answer in _FEATURES.items():
        server.feature(feature)(_bound(answer, server))
    server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=["@", ".", " ", '"', "/"]),
    )(_bound(_completion, server))
    server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )(_bound(_actions, server))
    server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))(
        _bound(_rename, server)
    )
    return server


def _bound(
    answer: Callable[[Server, Any], Any], server: Server
) -> Callable[[Any], Any]:
    def handle(params: Any) -> Any:
        return answer(server, params)

    return handle


def _opened(server: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    server.edited(params.text_document.uri, 0)


def _edited(server: Server, params: Any) -> None:
    server.edited(params.text_document.uri)


def _saved(server: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """A saved file may be imported by every other one that is open."""
    del params
    for uri in list(server.workspace.text_documents):
        server.edited(uri, 0)


def _closed(server: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    server.closed(params.text_document.uri)


def _hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    found, file, offset = server.place(params)
    answer = hover(found, file, offset, server.numbers) if found else None
    if answer is None:
        return None
    words = lsp.MarkupContent(lsp.MarkupKind.Markdown, answer[0])
    return lsp.Hover(words, server.range(answer[1]))


def _completion(
    server: Server, params: lsp.CompletionParams
) -> lsp.CompletionList | None:
    found, file, offset = server.place(params)
    if found is None:
        return None
    items, span = complete(found, file, server.lines(file).text, offset)
    where = server.range(span)
    return lsp.CompletionList(
        is_incomplete=False,
        items=[
            lsp.CompletionItem(
                item.text,
                kind=_ITEMS[item.sort],
                detail=item.detail or None,
                documentation=item.doc or None,
                filter_text=item.text,
                text_edit=lsp.TextEdit(where, item.text),
            )
            for item in items
        ],
    )


def _definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    found, file, offset = server.place(params)
    span = names.definition(found, file, offset) if found else None
    return server.location(span) if span else None


def _references(
    server: Server, params: lsp.ReferenceParams
) -> list[lsp.Location] | None:
    found, file, offset = server.place(params)
    wanted = names.meaning_at(found, file, offset) if found else None
    if wanted is None:
        return None
    spans = names.references(_users(server, file, wanted), wanted)
    if not params.context.include_declaration:
        spans = [span for span in spans if span != wanted.span]
    places = (server.location(span) for span in spans)
    return [place for place in places if place is not None]


def _users(server: Server, file: str, wanted: Meaning) -> list[Checked]:
    stated = wanted.span.file if wanted.span else file
    home = file if stated.startswith(SHIPPED) else os.path.abspath(stated)
    own = server.document(file)
    return [*([own] if own else []), *server.documents(home)]


def _prepare(server: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    found, file, offset = server.place(params)
    wanted = names.meaning_at(found, file, offset) if found else None
    if found is None or wanted is None or not wanted.named:
        return None
    spans = (s for s in names.references([found], wanted) if s.file == file)
    here = (s for s in spans if s.start <= offset <= s.end)
    span = next(here, None)
    if span is None:
        return None
    sign = server.lines(file).text[span.start : span.start + 1] == "@"
    return server.range(Span(file, span.start + sign, span.end))


def _rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    found, file, offset = server.place(params)
    wanted = names.meaning_at(found, file, offset) if found else None
    users = _users(server, file, wanted) if wanted else []

    def again(changed: dict[str, str]) -> Iterator[Checked]:
        files = server.buffers({os.path.abspath(f): t for f, t in changed.items()})
        for one in users:
            made = checked(one.document.file, table(), files)
            if made is not None:
                yield made

    edits = names.rename(users, wanted, params.new_name, again)
    if isinstance(edits, names.Refusal):
        raise JsonRpcInvalidParams(edits.why)
    return lsp.WorkspaceEdit(
        {
            uri_of(name): [lsp.TextEdit(server.range(s), text) for s, text in these]
            for name, these in edits.items()
        }
    )


def _outline(
    server: Server, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol]:
    file = path_of(params.text_document.uri)
    found = server.document(file)
    parsed = found.document.files.get(file) if found else None
    return [_symbol(server, one) for one in outline(parsed)] if parsed else []


def _format(
    server: Server, params: lsp.DocumentFormattingParams
) -> list[lsp.TextEdit] | None:
    file = path_of(params.text_document.uri)
    text = server.lines(file).text
    formatted = format_text(text, file)
    if isinstance(formatted, list) or formatted == text:
        return None
    return [lsp.TextEdit(server.range(Span(file, 0, len(text))), formatted)]


def _actions(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    file = path_of(params.text_document.uri)
    found, lines = server.document(file), server.lines(file)
    ends = (params.range.start, params.range.end)
    start, end = (lines.offset(one.line, one.character) for one in ends)
    fixes = fixes_in(found.diagnostics if found else [], Span(file, start, end))
    uri = params.text_document.uri
    return [
        lsp.CodeAction(
            words,
            lsp.CodeActionKind.QuickFix,
            [server.diagnostic(one)],
            is_preferred=fix.safe and len(one.fixes) == 1,
            edit=lsp.WorkspaceEdit(
                {uri: [lsp.TextEdit(server.range(fix.span), fix.text)]}
            ),
        )
        for one, words, fix in fixes
    ]


_FEATURES: dict[str, Callable[[Server, Any], Any]] = {
    lsp.TEXT_DOCUMENT_DID_OPEN: _opened,
    lsp.TEXT_DOCUMENT_DID_CHANGE: _edited,
    lsp.TEXT_DOCUMENT_DID_SAVE: _saved,
    lsp.TEXT_DOCUMENT_DID_CLOSE: _closed,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_DEFINITION: _definition,
    lsp.TEXT_DOCUMENT_REFERENCES: _references,
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: _prepare,
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _outline,
    lsp.TEXT_DOCUMENT_FORMATTING: _format,
}


def serve() -> None:
    """Serve on standard input and output until the editor says that it is over."""
    # The server closes what it writes to; the command line still flushes its own.
    make().start_io(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
