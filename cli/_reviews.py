"""What `diff` and `comment` share: options, sides to compare, reviews, verdicts."""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import attrs

from isocost._git import GitError, LostFileError, Repository, from_top
from isocost._revisions import Disk, Pair, Parsed, Snapshot, pairs

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.engine.policies import Unread
    from isocost.reports.review import Brief

NOTHING = "/dev/null"
#: What a side names that stands for the files as they are on disk.
WORK_TREE = "the work tree"


@attrs.frozen
class Sides:
    """The documents to compare and what the two sides are called."""

    pairs: tuple[Pair, ...]
    old: str
    new: str


def add_sides(parser: "argparse.ArgumentParser") -> None:
    """The two sides, and what is compared."""
    from isocost._shared import add_draws

    parser.add_argument(
        "sides",
        metavar="OLD NEW",
        nargs="*",
        help="two files, or REV [REV] [-- FILE...], or REV...REV",
    )
    parser.set_defaults(files=None)
    keep_files(parser)
    parser.add_argument(
        "-s", "--scenario", action="append", default=[], help="only this scenario"
    )
    parser.add_argument(
        "-m", "--metric", action="append", default=[], help="compare this metric"
    )
    add_draws(parser)
    parser.add_argument(
        "--catalog",
        metavar="DIR",
        help="read `isocost:` imports from this folder of each revision",
    )
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="POLICY",
        help="refuse a change: 5%%, +0.02 $/Mtoken, weaker_sources, or a condition",
    )


def keep_files(parser: "argparse.ArgumentParser") -> None:
    """Take what stands after `--` as files: argparse would not tell it apart."""
    plain = parser.parse_known_args

    def parse(args: Sequence[str], namespace: Any = None) -> Any:
        words = list(args)
        files = None
        if "--" in words:
            at = words.index("--")
            words, files = words[:at], words[at + 1 :]
        for at in range(len(words) - 2, -1, -1):
            if words[at] in {"--fail-on", "--when"}:  # `-5%` is no option
                words[at : at + 2] = [f"{words[at]}={words[at + 1]}"]
        found, unknown = plain(words, namespace)
        found.files = files
        return found, unknown

    setattr(parser, "parse_known_args", parse)  # noqa: B010 (mypy: no method is assigned)


def sides_of(args: "argparse.Namespace", stack: ExitStack) -> Sides:
    """What to compare.

    Raises:
        GitError: A revision or file is not there, or this is no repository.
    """
    words, files = list(args.sides), args.files
    if files is None and len(words) == 2 and all(map(_is_file, words)):  # noqa: PLR2004
        return _of_files(words[0], words[1])
    for word in words:
        if word.endswith(".scn") and not os.path.isfile(word):
            _read(word)  # which says why it is none
    if files is None:
        first = next((i for i, w in enumerate(words) if _is_file(w)), len(words))
        words, files = words[:first], words[first:]
    repository = stack.enter_context(Repository())
    old, new = _ends(repository, words)
    parsed = Parsed()
    before = Snapshot(repository, old, parsed, args.catalog)
    after = Snapshot(repository, new, parsed, args.catalog)
    found = pairs(before, after, from_top(repository, files))
    names = _names(words)
    return Sides(tuple(found), *names)


def _is_file(word: str) -> bool:
    """Whether a word names a file: a bare word such as `HEAD` is a revision."""
    named = "." in word or os.sep in word
    return word == NOTHING or (named and os.path.isfile(word))


def _of_files(old: str, new: str) -> Sides:
    files = Disk(Parsed())
    texts = [None if name == NOTHING else _read(name) for name in (old, new)]
    return Sides((Pair(old, new, texts[0], texts[1], files, files),), old, new)


def _read(name: str) -> str:
    from isocost._files import text_of, unreadable

    try:
        return text_of(name)
    except (OSError, UnicodeDecodeError) as error:
        raise LostFileError(unreadable(name, error)) from None


def _split(words: Sequence[str]) -> tuple[str, ...]:
    """The revisions of `A`, `A B`, `A..B` or `A...B`; the dots of the last kept."""
    if len(words) == 1 and "..." in words[0]:
        one, _, other = words[0].partition("...")
        return one or "HEAD", other or "HEAD", "..."
    if len(words) == 1 and ".." in words[0]:
        one, _, other = words[0].partition("..")
        return one or "HEAD", other or "HEAD"
    return tuple(words)


def _ends(repository: Repository, words: Sequence[str]) -> tuple[str, str | None]:
    """The commits of both sides; None for the work tree."""
    found = _split(words)
    if len(words) > 2:  # noqa: PLR2004 (two sides)
        message = f"{words[2]}: there is no such file; files come after `--`"
        raise GitError(message)
    commits = [repository.commit(name) for name in found if name != "..."]
    if found[-1:] == ("...",):
        return repository.merge_base(commits[0], commits[1]), commits[1]
    if len(commits) == 2:  # noqa: PLR2004 (two sides)
        return commits[0], commits[1]
    old = commits[0] if commits else repository.commit("HEAD")
    if repository.bare:
        message = "a bare repository has no work tree: name two revisions"
        raise GitError(message)
    return old, None


def _names(words: Sequence[str]) -> tuple[str, str]:
    found = [name for name in _split(words) if name != "..."]
    old = found[0] if found else "HEAD"
    return old, found[1] if len(found) > 1 else WORK_TREE


# Reviews.


@attrs.frozen
class Outcome:
    """All reviews; whether a file was at fault, and what policies could not be read.

    It is `worth` a comment where one of the conditions for that holds, if any.
    """

    briefs: tuple["Brief", ...]
    faulty: bool = False
    worth: bool = True
    unread: tuple["Unread", ...] = ()

    @property
    def refused(self) -> bool:
        """Whether a policy refuses any document."""
        return any(one.refused for one in self.briefs)

    def refusals(self) -> list[str]:
        """The verdict lines of what is refused."""
        return [
            text
            for one in self.briefs
            for ruling, text in zip(one.rulings, one.verdicts, strict=True)
            if ruling.verdict == "refused"
        ]


def reviewed(args: "argparse.Namespace", sides: Sides) -> Outcome:
    """Review every document; what is wrong with new ones is shown."""
    from isocost.dsl.diagnostics import failed
    from isocost.reports.review import brief

    briefs: list[Brief] = []
    faulty = False
    unread: list[Unread] = []
    worth = not getattr(args, "when", None)
    for pair in sides.pairs:
        checked = _checked(pair)
        if checked is None:
            continue
        faulty |= _complain(checked[1]) if failed(checked[1].diagnostics) else False
        subject, bad = _subject(args, pair, *checked)
        unread += bad
        if not worth:
            worth, bad = _holds(args.when, subject)
            unread += bad
        briefs.append(brief(subject))
    briefs.sort(key=lambda one: not one.effects)
    return Outcome(tuple(briefs), faulty, worth, tuple(unread))


def _holds(texts: Sequence[str], subject: Any) -> "tuple[bool, list[Unread]]":
    """Whether any of some conditions holds for a document."""
    from isocost.engine.policies import decided, given

    conditions, unread = given(texts, subject.review)
    found = decided(subject.review, conditions)
    return any(ruling.verdict == "refused" for ruling in found), unread


def _checked(pair: Pair) -> "tuple[Checked, Checked] | None":
    from isocost.dsl.check import check
    from isocost.dsl.load import load
    from isocost.dsl.resolve import resolve
    from isocost.engine.quantities import table
    from isocost.engine.review import empty_like

    made: list[Checked | None] = []
    for name, text, files in (
        (pair.old_name, pair.old, pair.before),
        (pair.new_name, pair.new, pair.after),
    ):
        if text is None:
            made.append(None)
            continue
        made.append(check(resolve(load(name, text, files)), table()))
    old, new = made
    if old is None and new is None:
        return None
    if new is None:
        assert old is not None  # noqa: S101 (one of them is there)
        return old, empty_like(old)
    return (old if old is not None else empty_like(new)), new


def _subject(
    args: "argparse.Namespace", pair: Pair, old: "Checked", new: "Checked"
) -> Any:
    from isocost.engine.policies import given, rulings
    from isocost.engine.review import review
    from isocost.reports.review import Subject
    from isocost.reports.review.words import decisive

    found = review(
        old, new, metrics=args.metric, scenarios=args.scenario, count=args.draws
    )
    conditions, unread = given(args.fail_on, found)
    alone = pair.new is None
    decided = [] if alone else rulings(found, conditions, decisive)
    note = _note(pair, old, new)
    return Subject(pair.name, found, tuple(decided), note), unread


def _note(pair: Pair, old: "Checked", new: "Checked") -> str:
    from isocost.dsl.diagnostics import failed

    if pair.old is None:
        return "a new document"
    if pair.new is None:
        return "this document is deleted"
    if failed(new.diagnostics):
        return "this document has errors: nothing could be computed"
    if failed(old.diagnostics):
        return "this document had errors before: nothing of then could be computed"
    return ""


def _complain(checked: "Checked") -> bool:
    from isocost._shared import show

    sys.stderr.write(show(checked.diagnostics, checked) + "\n")
    return True
