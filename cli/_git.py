"""A git repository, read by its plumbing: revisions, trees, blobs, renames.

Only commands that read objects are used: none runs a filter, a hook, a textconv or an
external diff of the repository, and none touches the index or the work tree.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

LINK = "120000"
MOST_BYTES = 4_000_000


class GitError(Exception):
    """What git said, or what is missing, in one line; the exit status it makes."""

    status = 2


class LostFileError(GitError):
    """A file that is to be compared cannot be read, or is on neither side."""

    status = 1


class Repository:
    """One repository, seen from a folder of its work tree (or from a bare one)."""

    def __init__(self, folder: str = ".") -> None:
        self.folder = folder
        inside = self.run("rev-parse", "--is-bare-repository").strip()
        self.bare = inside == "true"
        top = "" if self.bare else self.run("rev-parse", "--show-toplevel")
        self.top = Path(top.removesuffix("\n")) if top else Path(folder).resolve()
        self._blobs: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process that hands out blobs."""
        if self._blobs is not None:
            assert self._blobs.stdin is not None  # noqa: S101 (opened as a pipe)
            assert self._blobs.stdout is not None  # noqa: S101
            self._blobs.stdin.close()
            self._blobs.stdout.close()
            self._blobs.wait()
            self._blobs = None

    def run(self, *words: str) -> str:
        """The output of a git command.

        Raises:
            GitError: It failed, or there is no git.
        """
        command = ["git", "-c", "core.quotePath=false", *words]
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            message = "git is not installed"
            raise GitError(message) from error
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise GitError(said[-1] if said else f"git {words[0]} failed")
        return done.stdout.decode("utf-8", "surrogateescape")

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision names.

        Raises:
            GitError: There is no such commit here; a shallow clone says so.
        """
        if revision.startswith("-"):
            message = f"{revision} is no revision"
            raise GitError(message)
        try:
            asked = f"{revision}^{{commit}}"
            return self.run("rev-parse", "--verify", "--quiet", asked).strip()
        except GitError:
            more = ""
            if self.shallow():
                more = (
                    "; this clone is shallow: `git fetch --depth=1 origin "
                    f"{revision}` brings it"
                )
            message = f"there is no revision {revision}{more}"
            raise GitError(message) from None

    def shallow(self) -> bool:
        """Whether the history is cut off."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == "true"

    def merge_base(self, one: str, other: str) -> str:
        """The commit at which two revisions parted."""
        try:
            return self.run("merge-base", one, other).strip()
        except GitError:
            more = " (this clone is shallow)" if self.shallow() else ""
            message = f"{one} and {other} have no common commit here{more}"
            raise GitError(message) from None

    def tree(self, commit: str) -> dict[str, tuple[str, str]]:
        """The mode and the id of every file of a commit, by its path from the top."""
        out: dict[str, tuple[str, str]] = {}
        for entry in self.run("ls-tree", "-r", "-z", "--full-tree", commit).split("\0"):
            head, _, path = entry.partition("\t")
            if path:
                mode, _, blob = head.split(" ")
                out[path] = (mode, blob)
        return out

    def work_tree(self) -> list[str]:
        """The files of the work tree, tracked or new, ignored ones left out."""
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        listed = self.run(*words, "--full-name", ":/").split("\0")
        return [path for path in dict.fromkeys(listed) if path]

    def blob(self, identity: str) -> bytes | None:
        """The bytes of a blob; None where it is missing or too large."""
        if self._blobs is None:
            self._blobs = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        pipe = self._blobs
        assert pipe.stdin is not None  # noqa: S101 (opened as a pipe)
        assert pipe.stdout is not None  # noqa: S101
        pipe.stdin.write(identity.encode() + b"\n")
        pipe.stdin.flush()
        head = pipe.stdout.readline().split()
        if len(head) != 3:  # noqa: PLR2004 (id, type, size; else "id missing")
            return None
        data = pipe.stdout.read(int(head[2]))
        pipe.stdout.read(1)
        return data if len(data) <= MOST_BYTES else None

    def renamed(self, old: str, new: str | None) -> dict[str, str]:
        """New paths of renamed files by their old ones; `new` None is the work tree."""
        words = ["--name-status", "-M", "-z", "--diff-filter=R", "--no-ext-diff"]
        command = (
            ("diff", "--no-textconv", *words, old)
            if new is None
            else ("diff-tree", "-r", *words, old, new)
        )
        parts = self.run(*command).split("\0")
        return {parts[i + 1]: parts[i + 2] for i in range(0, len(parts) - 2, 3)}

    def path(self, name: str) -> Path:
        """Where git keeps one of its own files, whichever work tree this is."""
        found = self.run("rev-parse", "--git-path", name).removesuffix("\n")
        return Path(self.folder, found)


def from_top(repository: Repository, names: Sequence[str]) -> list[str]:
    """Paths given from the current folder as paths from the top."""
    here = Path(repository.folder).resolve()
    top = repository.top.resolve()
    out = []
    for name in names:
        full = Path(os.path.normpath(here / name))
        out.append(os.path.relpath(full, top).replace(os.sep, "/"))
    return out


def environment_of(names: Sequence[str]) -> Mapping[str, str]:
    """The variables of some names that are set and not empty."""
    return {name: os.environ[name] for name in names if os.environ.get(name)}
