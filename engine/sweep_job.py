"""A sweep as plain text: what another process needs to come to the same numbers."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import attrs

from isocost.dsl.check import Checked, check
from isocost.dsl.edits import with_settings
from isocost.dsl.load import Files, load
from isocost.dsl.resolve import resolve
from isocost.engine.quantities import table


class SweepError(Exception):
    """A sweep that cannot be run; the message says why."""


@attrs.frozen
class Column:
    """A column of the outcome and its unit."""

    name: str
    unit: str


@attrs.frozen(cache_hash=True)
class Job:
    """All that a sweep's numbers depend on, as text.

    `points` is the size of a random design; None: the grid of all axes. A `compiled`
    one runs as machine code, whose last digits may differ.
    """

    path: str
    texts: tuple[tuple[str, str], ...]
    settings: tuple[str, ...]
    vary: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]
    points: int | None
    version: str
    compiled: bool = False

    @property
    def key(self) -> str:
        """A name that no other sweep has."""
        text = json.dumps(attrs.astuple(self), ensure_ascii=False)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class _Texts(Files):
    """Files that a job brings along."""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        self.texts = dict(texts)

    def root(self, path: str) -> Path:
        return Path(path).parent

    def inside(self, path: Path, root: Path) -> bool:  # noqa: ARG002 (all are known)
        return str(path) in self.texts

    def text(self, path: Path) -> str | None:
        return self.texts.get(str(path))

    def shipped(self, target: str) -> str | None:
        return self.texts.get(target.removesuffix(".scn"))


def reopened(job: Job, more: Sequence[str] = ()) -> Checked:
    """The checked document of a job, with further settings."""
    texts = dict(job.texts)
    loaded = load(job.path, texts[job.path], _Texts(job.texts))
    return check(with_settings(resolve(loaded), [*job.settings, *more]), table())
