"""One review comment on a forge: found by its tag, updated in place, never doubled.

Speaks the two APIs that matter with the standard library alone. Tokens come from the
environment, go into a header and nowhere else; a redirect is not followed with one.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

PER_PAGE = 100
MOST_PAGES = 50
TRIES = 4
#: The longest that a forge may make us wait, in seconds.
PATIENCE = 60.0
TIMEOUT = 30.0
_REFUSED = {401, 403, 404}
_AGAIN = {429, 500, 502, 503, 504}


class ForgeError(Exception):
    """What went wrong, in one line without any token."""


class ReadOnlyError(ForgeError):
    """The token may not write here: a pull request from a fork."""


@attrs.frozen
class Forge:
    """Where the comments of one pull or merge request are, and how to ask.

    `listing` is the address of its comments, `one` that of a single comment, `token`
    the header and its value; `update` is the method that changes a comment.
    """

    name: str
    listing: str
    one: str
    update: str
    token: tuple[str, str] = attrs.field(repr=False)


def github(environment: Mapping[str, str], number: str | None) -> Forge:
    """The forge that a GitHub workflow runs on.

    Raises:
        ForgeError: A variable that is needed is missing.
    """
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    repository = _needed(environment, "GITHUB_REPOSITORY")
    token = _needed(environment, "ISOCOST_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
    found = number or _pull_request(environment)
    issues = f"{api.rstrip('/')}/repos/{repository}/issues"
    return Forge(
        "github",
        f"{issues}/{found}/comments",
        f"{issues}/comments/{{id}}",
        "PATCH",
        ("Authorization", f"Bearer {token}"),
    )


def gitlab(environment: Mapping[str, str], number: str | None) -> Forge:
    """The forge that a GitLab pipeline runs on.

    Raises:
        ForgeError: A variable that is needed is missing.
    """
    api = environment.get("CI_API_V4_URL", "https://gitlab.com/api/v4")
    project = _needed(environment, "CI_PROJECT_ID")
    token = _needed(environment, "ISOCOST_TOKEN", "GITLAB_TOKEN")
    found = number or _needed(environment, "CI_MERGE_REQUEST_IID")
    notes = f"{api.rstrip('/')}/projects/{project}/merge_requests/{found}/notes"
    return Forge("gitlab", notes, f"{notes}/{{id}}", "PUT", ("PRIVATE-TOKEN", token))


FORGES = {"github": github, "gitlab": gitlab}


def _needed(environment: Mapping[str, str], *names: str) -> str:
    for name in names:
        if environment.get(name):
            return environment[name]
    message = f"set {' or '.join(names)}"
    raise ForgeError(message)


def _pull_request(environment: Mapping[str, str]) -> str:
    """The number of the pull request that a workflow runs for."""
    event = environment.get("GITHUB_EVENT_PATH", "")
    if event and os.path.isfile(event):
        with open(event, encoding="utf-8") as file:
            data = json.load(file)
        number = (data.get("pull_request") or data.get("issue") or {}).get("number")
        if isinstance(number, int):
            return str(number)
    reference = environment.get("GITHUB_REF", "").split("/")
    if reference[:2] == ["refs", "pull"] and reference[2].isdigit():
        return reference[2]
    message = "this is no pull request: name one by --number"
    raise ForgeError(message)


def post(forge: Forge, body: str, tag: str) -> str:
    """Put a comment in its place; what was done, in a word.

    Args:
        forge: Where.
        body: The comment, which begins with its tag; empty where nothing changed.
        tag: The mark by which an earlier one is found.

    Raises:
        ReadOnlyError: The token may not write there.
        ForgeError: The forge did not answer, or not as it should.
    """
    earlier = find(forge, tag)
    if earlier is None:
        if not body:
            return "nothing"
        _ask(forge, "POST", forge.listing, {"body": body})
        return "created"
    text = body or f"{tag}\nThere is nothing to say any more.\n"
    if earlier["body"].replace("\r\n", "\n").strip() == text.strip():
        return "kept"
    place = forge.one.format(id=earlier["id"])
    _ask(forge, forge.update, place, {"body": text})
    return "updated"


def find(forge: Forge, tag: str) -> dict[str, Any] | None:
    """The first comment that begins with a tag."""
    for comment in _comments(forge):
        text = comment.get("body")
        if isinstance(text, str) and text.lstrip().startswith(tag):
            return comment
    return None


def _comments(forge: Forge) -> Iterator[dict[str, Any]]:
    for page in range(1, MOST_PAGES + 1):
        address = f"{forge.listing}?per_page={PER_PAGE}&page={page}"
        found = _ask(forge, "GET", address)
        if not isinstance(found, list):
            message = f"{forge.name} gave no list of comments"
            raise ForgeError(message)
        yield from (one for one in found if isinstance(one, dict))
        if len(found) < PER_PAGE:
            return


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token is for one host: a redirect is an error."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse."""
        return


def _ask(forge: Forge, method: str, address: str, data: Any = None) -> Any:
    """One request, again after a while where the forge asks for that."""
    if not address.startswith(("https://", "http://")):
        message = f"{forge.name}: this is no web address"
        raise ForgeError(message)
    opener = urllib.request.build_opener(_NoRedirect)
    for attempt in range(1, TRIES + 1):
        request = urllib.request.Request(  # noqa: S310 (the scheme was looked at)
            address,
            data=None if data is None else json.dumps(data).encode(),
            method=method,
            headers={
                forge.token[0]: forge.token[1],
                "Accept": "application/json",
                "Content-Type": "application/json",
                "User-Agent": "isocost",
            },
        )
        try:
            with opener.open(request, timeout=TIMEOUT) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            _or_wait(forge, error, method, attempt)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if attempt == TRIES:
                reason = getattr(error, "reason", error)
                message = f"{forge.name} does not answer: {reason}"
                raise ForgeError(message) from None
            time.sleep(_pause(attempt))
    message = f"{forge.name} does not answer"
    raise ForgeError(message)


def _or_wait(
    forge: Forge, error: urllib.error.HTTPError, method: str, attempt: int
) -> None:
    """Wait where trying again may help, else raise."""
    limited = error.code == 403 and error.headers.get("X-RateLimit-Remaining") == "0"  # noqa: PLR2004 (GitHub's way to say so)
    if error.code in _AGAIN or limited or error.headers.get("Retry-After"):
        wait = _wait(error.headers, attempt)
        if attempt < TRIES and wait <= PATIENCE:
            time.sleep(wait)
            return
    elif error.code in _REFUSED:
        message = f"{forge.name} refused to {method} ({error.code}): no right to write"
        raise ReadOnlyError(message)
    message = f"{forge.name} answered {error.code} to {method}"
    raise ForgeError(message)


def _wait(headers: Any, attempt: int) -> float:
    """How long the forge asks us to wait, else a little longer each time."""
    after = headers.get("Retry-After") or ""
    if after.isdigit():
        return float(after)
    reset = headers.get("X-RateLimit-Reset") or ""
    if reset.isdigit() and headers.get("X-RateLimit-Remaining") == "0":
        return max(float(reset) - time.time(), 0.0)
    return _pause(attempt)


def _pause(attempt: int) -> float:
    return float(os.environ.get("ISOCOST_PAUSE", "1")) * 2.0 ** (attempt - 1)
