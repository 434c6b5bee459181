"""The editor server as editors meet it: a process that speaks the protocol."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isocost.dsl.check import check_file
from isocost.dsl.editor.hover import hover
from isocost.engine.quantities import table

TEXT = """edition 2026

source s "A source" {
  date = 2025-01-01
  kind = analyst
}

/// A chip with 😀 in its words.
chip trident {
  power = 500 W ± 10% @s "😀 p. 3"
  peak[bf16] = 600 TFLOP/s @s
  memory.capacity = 96 GiB @s
}

system box {
  chip = trident
  chips = 16 chip @s
  power = 12 kW @s
}

site hall {
  electricity = 0.09 $/kWh @s
  pue = 1.1 @s
}

scenario base {
  system = box
  site = hall
  size = 64 chip
}

let heat := 4 chip * trident.power in kW
check base.chips > 3 chip
"""


class Client:
    """A small client: requests, notifications, and what the server sent unasked."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "isocost", "lsp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )
        self.folder = folder
        self.count = 0
        self.unasked: list[dict[str, Any]] = []
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"rename": {"prepareSupport": True}},
        }
        root = {"processId": None, "rootUri": None, "capabilities": capabilities}
        self.capabilities = self.ask("initialize", root)["capabilities"]
        self.tell("initialized", {})

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method: str, params: object) -> None:
        self.send({"method": method, "params": params})

    def receive(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, self.process.stderr and self.process.stderr.read()
        message: dict[str, Any] = json.loads(stream.read(length))
        return message

    def ask(self, method: str, params: object) -> Any:
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.count and "method" not in message:
                return message.get("result", message.get("error"))
            self.unasked.append(message)

    def diagnostics(self, uri: str, version: int) -> list[dict[str, Any]]:
        """What is published for a version of a file."""
        while True:
            for i, message in enumerate(self.unasked):
                params = message.get("params", {})
                right = message.get("method") == "textDocument/publishDiagnostics"
                if right and (params["uri"], params.get("version")) == (uri, version):
                    del self.unasked[i]
                    found: list[dict[str, Any]] = params["diagnostics"]
                    return found
            self.unasked.append(self.receive())

    def open(self, name: str, text: str) -> str:
        uri = (self.folder / name).as_uri()
        item = {"uri": uri, "languageId": "isocost", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def at(self, uri: str, text: str, words: str, within: int = 0) -> dict[str, Any]:
        """A request's parameters for the place of some words of a text."""
        where = place(text, text.index(words) + within)
        return {"textDocument": {"uri": uri}, "position": where}


def place(text: str, offset: int) -> dict[str, int]:
    """A place as the protocol has it, worked out otherwise than the server does."""
    before = text[:offset].split("\n")
    units = sum(2 if ord(c) > 0xFFFF else 1 for c in before[-1])
    return {"line": len(before) - 1, "character": units}


def piece(text: str, where: dict[str, dict[str, int]]) -> str:
    """The text of a range."""
    lines = text.split("\n")
    start, end = where["start"], where["end"]
    assert start["line"] == end["line"]
    raw = lines[start["line"]].encode("utf-16-le")
    return raw[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    one = Client(tmp_path_factory.mktemp("editor"))
    yield one
    one.ask("shutdown", None)
    one.tell("exit", None)
    assert one.process.wait(timeout=60) == 0
    for stream in (one.process.stdin, one.process.stdout, one.process.stderr):
        assert stream is not None
        stream.close()


def test_it_says_what_it_can(client: Client) -> None:
    assert client.capabilities["positionEncoding"] == "utf-16"
    for name in ("hover", "definition", "references", "documentSymbol", "codeAction"):
        assert client.capabilities[f"{name}Provider"]
    assert client.capabilities["renameProvider"] == {"prepareProvider": True}
    assert client.capabilities["textDocumentSync"]["change"] == 2  # incremental


def test_diagnostics_follow_each_edit_once_it_rests(client: Client) -> None:
    uri = client.open("edits.scn", TEXT)
    assert client.diagnostics(uri, 1) == []
    start = TEXT.index("500 W ±")
    words = {"start": place(TEXT, start), "end": place(TEXT, start + 5)}
    for version, new in ((2, "500"), (3, "500 WW"), (4, "500 s")):
        change = {"range": words, "text": new}
        document = {"uri": uri, "version": version}
        client.tell(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [change]},
        )
        words = {"start": place(TEXT, start), "end": place(TEXT, start + len(new))}
    found = client.diagnostics(uri, 4)  # the two before it were never published
    assert all(m.get("params", {}).get("version") != 2 for m in client.unasked)
    assert [one["code"] for one in found] == ["U004"]
    text = TEXT.replace("500 W ±", "500 s ±")
    assert piece(text, found[0]["range"]) == "500 s ± 10%"
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_columns_count_utf_16(client: Client) -> None:
    text = TEXT.replace('"😀 p. 3"', '"😀 p. 3" @nobody')
    uri = client.open("wide.scn", text)
    (one,) = client.diagnostics(uri, 1)
    assert (one["code"], piece(text, one["range"])) == ("N004", "@nobody")
    hover = client.ask("textDocument/hover", client.at(uri, text, '@s "😀', 1))
    assert piece(text, hover["range"]) == "@s"


def test_hover_tells_value_unit_source_and_doc(client: Client) -> None:
    uri = client.open("hover.scn", TEXT)
    said = {
        words: client.ask("textDocument/hover", client.at(uri, TEXT, words, within))
        for words, within in (
            ("trident.power in", 9),
            ("heat :=", 1),
            ("base.chips", 6),
            ("$/kWh", 1),
            ("pue = ", 1),
            ("site hall", 1),
        )
    }
    words = {key: one["contents"]["value"] for key, one in said.items()}
    assert "power = 500 W ± 10% @s" in words["trident.power in"]
    assert "@s: A source" in words["trident.power in"]
    assert "now 2 kW [1.8 to 2.2]" in words["heat :="]
    assert "now 64 chip" in words["base.chips"]
    assert "money · time^2 / length^2" in words["$/kWh"] or "energy" in words["$/kWh"]
    assert "pue = 1.1 @s" in words["pue = "]
    assert words["site hall"].startswith("**site**")


@pytest.mark.parametrize(
    ("line", "wanted", "gone"),
    [
        ("  power = 5 W @", "s", ""),
        ("  memory.ba", "memory.bandwidth", "memory.ba"),
        ("  power = 5 k", "kW", "k"),
        ("  peak[fp8] = 5 T", "TFLOP/s", "T"),
    ],
)
def test_completion_in_a_block(
    client: Client, line: str, wanted: str, gone: str
) -> None:
    text = TEXT.replace("  memory.capacity", f"{line}\n  memory.capacity", 1)
    uri = client.open(f"c{abs(hash(line))}.scn", text)
    params = client.at(uri, text, f"{line}\n", len(line))
    found = client.ask("textDocument/completion", params)
    edits = {item["label"]: item["textEdit"] for item in found["items"]}
    assert wanted in edits
    assert piece(text, edits[wanted]["range"]) == gone


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ch", "chip"),
        ("chip next extends ", "trident"),
        ("let a := base.cost.p", "base.cost.per_Mtoken[output_only]"),
        ("let a := tri", "trident"),
        ('import "isocost:chips/', "isocost:chips/aws"),
    ],
)
def test_completion_at_the_top(client: Client, line: str, wanted: str) -> None:
    text = f"{TEXT}{line}"
    uri = client.open(f"t{abs(hash(line))}.scn", text)
    params = {"textDocument": {"uri": uri}, "position": place(text, len(text))}
    found = client.ask("textDocument/completion", params)
    assert wanted in {item["label"] for item in found["items"]}


def test_names_lead_to_their_places_and_back(client: Client) -> None:
    uri = client.open("names.scn", TEXT)
    where = client.at(uri, TEXT, "trident.power in", 2)
    found = client.ask("textDocument/definition", where)
    assert found["uri"] == uri
    assert found["range"]["start"] == place(TEXT, TEXT.index("trident {"))
    context = {"context": {"includeDeclaration": True}}
    used = client.ask("textDocument/references", {**where, **context})
    offsets = [TEXT.index(w) + k for w, k in (("trident {", 0), ("chip = t", 7))]
    starts = [one["range"]["start"] for one in used]
    assert starts[:2] == [place(TEXT, offset) for offset in offsets]
    assert len(starts) == 3


def test_a_name_is_changed_in_every_file(client: Client) -> None:
    (client.folder / "parts.scn").write_text(TEXT, "utf-8")
    user = 'edition 2026\nimport "parts.scn"\nlet more := 2 chip * trident.power\n'
    (client.folder / "user.scn").write_text(user, "utf-8")
    uri = client.open("parts.scn", TEXT)
    where = client.at(uri, TEXT, "trident.power in", 2)
    assert client.ask("textDocument/prepareRename", where) is not None
    edit = client.ask("textDocument/rename", {**where, "newName": "triton"})
    counts = {Path(one).name: len(edits) for one, edits in edit["changes"].items()}
    assert counts == {"parts.scn": 3, "user.scn": 1}
    refused = client.ask("textDocument/rename", {**where, "newName": "9lives"})
    assert "no name" in refused["message"]
    source = client.at(uri, TEXT, '@s "', 1)
    edit = client.ask("textDocument/rename", {**source, "newName": "leaflet"})
    texts = {one["newText"] for one in edit["changes"][uri]}
    assert texts == {"leaflet", "@leaflet"}


def test_outline_format_and_fixes(client: Client) -> None:
    text = TEXT.replace("  pue = 1.1", "  pue := 1.1").replace(
        "site hall {", "site  hall {"
    )
    uri = client.open("fix.scn", text)
    found = client.diagnostics(uri, 1)
    assert [one["code"] for one in found] == ["V006"]
    document = {"textDocument": {"uri": uri}}
    symbols = client.ask("textDocument/documentSymbol", document)
    assert [one["name"] for one in symbols][:3] == ["s", "trident", "box"]
    inside = [one["name"] for one in symbols[1]["children"]]
    assert inside == ["power", "peak[bf16]", "memory.capacity"]
    options = {**document, "options": {"tabSize": 2, "insertSpaces": True}}
    (edit,) = client.ask("textDocument/formatting", options)
    assert "site hall {" in edit["newText"]
    context = {"range": found[0]["range"], "context": {"diagnostics": found}}
    (action,) = client.ask("textDocument/codeAction", {**document, **context})
    (change,) = action["edit"]["changes"][uri]
    assert (action["title"], change["newText"]) == ("write `=`", " = ")


def test_a_text_of_no_sense_is_no_end(client: Client) -> None:
    text = 'chip {\n  power = = 3 "\n@\n]]\nlet := \n'
    uri = client.open("odd.scn", text)
    assert client.diagnostics(uri, 1)
    for offset in range(len(text)):
        params = {"textDocument": {"uri": uri}, "position": place(text, offset)}
        for name in ("hover", "definition", "completion"):
            client.ask(f"textDocument/{name}", params)


def test_without_its_library_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    from isocost.__main__ import main

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert main(["lsp"]) == 1
    assert "isocost[lsp]" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["3 TB/s/chip", "3TB/s/chip"])
def test_a_unit_stands_where_it_is_written(value: str) -> None:
    text = f"edition 2026\nscenario a {{\n  chip.price = {value}"
    shown = hover(check_file("f.scn", table(), text), "f.scn", len(text))
    assert shown is not None
    assert text[shown[1].start : shown[1].end] == "TB/s/chip"
