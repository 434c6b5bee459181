"""Writes `docs/errors`: one page a code, from its words and what its example prints.

`python tools/error_pages.py` writes them; with `--check` it changes nothing and fails
where a page is out of date.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from isocost.__main__ import main as isocost
from isocost.dsl import messages

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "errors"
#: Codes that only a computed file gives.
EVALUATED = ("C", "M", "L010")


def output(code: str) -> str:
    """What `isocost check` prints for the example of a code."""
    page = messages.page(code)
    with _folder() as folder:
        for name, text in page.examples.items():
            (folder / name).write_text(text, encoding="utf-8")
        options = ["--evaluate"] if code.startswith(EVALUATED) else []
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            isocost(["check", *options, f"{code}.scn"])
    return printed.getvalue()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A fresh folder as the current one, so that file names are short."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def document(code: str) -> str:
    """The page of a code in Markdown."""
    page = messages.page(code)
    parts = [f"# {code}: {heading(page.title)}", page.what, f"**Why.** {page.why}"]
    parts += [_example(name, text) for name, text in page.examples.items()]
    printed = output(code)
    if f"[{code}]" in printed:
        parts.append(f"prints\n\n```text\n{printed.rstrip()}\n```")
    parts.append(f"**Fix.** {page.fix}")
    return "\n\n".join(parts) + "\n"


def _example(name: str, text: str) -> str:
    return f"`{name}`\n\n```scn\n{text.rstrip()}\n```"


def heading(title: str) -> str:
    """A title's template with capitals for the facts of the case."""
    plain = title.replace("[[", "").replace("]]", "")
    return re.sub(r"\{(\w+)\}", lambda match: match[1].upper(), plain)


def documents() -> dict[str, str]:
    """All files of the folder by name."""
    out = {f"{code}.md": document(code) for code in messages.codes()}
    rows = [
        f"| [{code}]({code}.md) | {messages.page(code).severity} |"
        f" {heading(messages.page(code).title)} |"
        for code in messages.codes()
    ]
    head = ["# Diagnostics", "", "| code | severity | says |", "|---|---|---|"]
    out["index.md"] = "\n".join([*head, *rows]) + "\n"
    return out


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    stale = 0
    for name, text in documents().items():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"docs/errors/{name} is out of date")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
