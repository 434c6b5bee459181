"""`isocost comment`, against a server that plays the APIs of two forges."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

FOLDER = Path(__file__).parent.parent / "golden" / "review"
TEXT = (FOLDER / "base.scn").read_text(encoding="utf-8")
PLAIN = TEXT[: TEXT.index("policy spending")]
DEARER = PLAIN.replace("200_000 $ to 240_000 $", "230_000 $ to 280_000 $")
TOKEN = "t0ken-that-nobody-may-see"


class Played(ThreadingHTTPServer):
    """A forge with some comments; `faults` are answers to give first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.tokens: set[str] = set()
        self.faults: list[tuple[int, dict[str, str]]] = []
        self.read_only = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Played

    def log_message(self, *_: Any) -> None:
        """Be quiet."""

    def _answer(self, status: int, data: Any, headers: dict[str, str]) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _handle(self) -> None:
        server = self.server
        path, _, query = self.path.partition("?")
        server.asked.append((self.command, path))
        server.tokens.add(
            self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
        )
        size = int(self.headers.get("Content-Length") or 0)
        data = json.loads(self.rfile.read(size) or b"null")
        if server.faults:
            status, headers = server.faults.pop(0)
            if not status:
                self.close_connection = True
                return
            self._answer(status, {}, headers)
        elif self.command == "GET":
            page = int(query.rpartition("page=")[2])
            found = server.comments[(page - 1) * 100 : page * 100]
            self._answer(200, found, {})
        elif server.read_only:
            self._answer(403, {"message": "Resource not accessible"}, {})
        elif self.command == "POST":
            made = {"id": len(server.comments) + 1, **data}
            server.comments.append(made)
            self._answer(201, made, {})
        else:
            (one,) = (
                c for c in server.comments if str(c["id"]) == path.rpartition("/")[2]
            )
            one |= data
            self._answer(200, one, {})

    do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815 (the library's names)


@pytest.fixture
def forge() -> Iterator[Played]:
    server = Played()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def on_github(forge: Played, monkeypatch: pytest.MonkeyPatch) -> Played:
    for name in ("GITHUB_EVENT_PATH", "GITHUB_STEP_SUMMARY", "ISOCOST_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_API_URL", forge.address)
    monkeypatch.setenv("GITHUB_REPOSITORY", "us/ours")
    monkeypatch.setenv("GITHUB_REF", "refs/pull/7/merge")
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("ISOCOST_PAUSE", "0")
    return forge


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    old, new = tmp_path / "old.scn", tmp_path / "new.scn"
    old.write_text(PLAIN)
    new.write_text(DEARER)
    return str(old), str(new)


def test_it_is_printed_unless_told_otherwise(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["comment", *files]) == 0
    text = capsys.readouterr().out
    assert text.startswith("<!-- isocost:review -->\n**Cost per chip-hour: small")
    out = tmp_path / "c.md"
    assert main(["comment", *files, "-o", str(out), "--tag", "two"]) == 0
    assert out.read_text() == text.replace("isocost:review", "isocost:two")


def test_created_then_kept_then_updated(
    on_github: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    on_github.comments = [{"id": 1000 + i, "body": "hello"} for i in range(130)]
    words = ["comment", *files, "--post", "github"]
    assert main(words) == 0
    assert "comment: created" in capsys.readouterr().err
    assert len(on_github.comments) == 131
    assert main(words) == 0
    assert "comment: kept" in capsys.readouterr().err
    Path(files[1]).write_text(DEARER.replace("280_000", "290_000"))
    assert main(words) == 0
    assert "comment: updated" in capsys.readouterr().err
    assert len(on_github.comments) == 131
    assert ("PATCH", "/repos/us/ours/issues/comments/131") in on_github.asked
    assert on_github.tokens == {f"Bearer {TOKEN}"}


def test_nothing_where_nothing_changed(
    on_github: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    same = ["comment", files[0], files[0], "--post", "github"]
    assert main(same) == 0
    assert on_github.comments == []
    main(["comment", *files, "--post", "github"])
    assert main(same) == 0
    assert "nothing to say any more" in on_github.comments[0]["body"]
    assert len(on_github.comments) == 1
    assert TOKEN not in "".join(capsys.readouterr())


def test_only_where_it_matters(
    on_github: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["comment", *files, "--post", "github"]
    assert main([*words, "--when", "50%", "--when", "-1%"]) == 0
    assert on_github.comments == []
    assert main([*words, "--when", "50%", "--when", "+1%"]) == 0
    assert len(on_github.comments) == 1
    assert main([*words, "--when", "cheaper"]) == 2
    assert "cheaper" in capsys.readouterr().err


def test_gitlab(
    forge: Played, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ISOCOST_TOKEN", raising=False)
    monkeypatch.setenv("CI_API_V4_URL", forge.address)
    monkeypatch.setenv("CI_PROJECT_ID", "5")
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "9")
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    words = ["comment", *files, "--post", "gitlab"]
    assert main(words) == 0
    Path(files[1]).write_text(DEARER.replace("280_000", "290_000"))
    assert main(words) == 0
    assert len(forge.comments) == 1
    assert ("PUT", "/projects/5/merge_requests/9/notes/1") in forge.asked
    assert forge.tokens == {TOKEN}


@pytest.mark.parametrize(
    "fault",
    [
        (429, {"Retry-After": "0"}),
        (500, {}),
        (503, {}),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
    ],
)
def test_it_tries_again(
    on_github: Played, files: tuple[str, str], fault: tuple[int, dict[str, str]]
) -> None:
    on_github.faults = [fault, fault]
    assert main(["comment", *files, "--post", "github"]) == 0
    assert len(on_github.comments) == 1


@pytest.mark.parametrize(
    "fault",
    [(500, {}), (429, {"Retry-After": "3600"}), (302, {"Location": "http://e"})],
)
def test_it_gives_up(
    on_github: Played,
    files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
    fault: tuple[int, dict[str, str]],
) -> None:
    on_github.faults = [fault] * 9
    assert main(["comment", *files, "--post", "github"]) == 1
    said = capsys.readouterr()
    assert f"github answered {fault[0]}" in said.err
    assert TOKEN not in said.out + said.err


def test_a_connection_that_breaks_is_tried_again(
    on_github: Played, files: tuple[str, str]
) -> None:
    on_github.faults = [(0, {}), (0, {})]
    assert main(["comment", *files, "--post", "github"]) == 0
    assert len(on_github.comments) == 1


def test_a_fork_gets_a_summary_instead(
    on_github: Played,
    files: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    on_github.read_only = True
    assert main(["comment", *files, "--post", "github"]) == 0
    assert "Cost per chip-hour" in capsys.readouterr().out
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(["comment", *files, "--post", "github"]) == 0
    assert "Cost per chip-hour" in summary.read_text()
    assert on_github.comments == []


def test_the_number_comes_from_the_event(
    on_github: Played,
    files: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 31}}')
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    main(["comment", *files, "--post", "github"])
    assert on_github.asked[0][1] == "/repos/us/ours/issues/31/comments"
    main(["comment", *files, "--post", "github", "--number", "8"])
    assert on_github.asked[-1][1] == "/repos/us/ours/issues/8/comments"


def test_a_policy_refuses_after_the_comment_is_posted(
    on_github: Played, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["comment", *files, "--post", "github", "--fail-on", "5%"]
    assert main(words) == 1
    assert "**refused**" in on_github.comments[0]["body"]
    assert "refused: deny" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["GITHUB_REPOSITORY", "GITHUB_TOKEN", "GITHUB_REF"])
def test_what_is_missing_is_named(
    on_github: Played,
    files: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    monkeypatch.delenv(name)
    monkeypatch.delenv("GH_TOKEN", raising=False)
    assert main(["comment", *files, "--post", "github"]) == 1
    said = capsys.readouterr().err
    assert name in said or "no pull request" in said
    assert on_github.asked == []


def test_no_forge_answers(
    on_github: Played,
    files: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    assert main(["comment", *files, "--post", "github"]) == 1
    assert "does not answer" in capsys.readouterr().err
    monkeypatch.setenv("GITHUB_API_URL", "file:///etc")
    assert main(["comment", *files, "--post", "github"]) == 1
    assert "no web address" in capsys.readouterr().err
    assert on_github.asked == []
