"""A line on a terminal that says how far long work has come, and when it will end."""

import sys
import time
from typing import Self


class Progress:
    """Called with what is done and what there is; prints nothing off a terminal.

    Use it as a context: the line is wiped when the work ends, however it does.
    """

    def __init__(self, what: str, every: float = 0.1) -> None:
        self.what = what
        self.every = every
        self.shown = sys.stderr.isatty()
        self._start = self._last = time.monotonic()
        self._first: int | None = None
        self._wide = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._wide:
            sys.stderr.write(f"\r{' ' * self._wide}\r")
            sys.stderr.flush()

    def __call__(self, done: int, total: int) -> None:
        """Show the line anew, a few times a second at most."""
        now = time.monotonic()
        if self._first is None:
            self._first = done
        if not self.shown or now - self._last < self.every:
            return
        self._last = now
        text = self.line(done, total, now - self._start)
        self._wide, old = len(text), self._wide
        sys.stderr.write(f"\r{text.ljust(old)}")
        sys.stderr.flush()

    def line(self, done: int, total: int, seconds: float) -> str:
        """What is shown: the count, the share, and the time that is left."""
        new = done - (self._first or 0)
        left = f", {clock(seconds * (total - done) / new)} left" if new > 0 else ""
        share = f"{done / total:.0%}" if total else "100%"
        return f"{self.what}: {done:,} of {total:,} ({share}){left}"


def clock(seconds: float) -> str:
    """A time as a person says it: `8 s`, `3 min`, `2 h 5 min`."""
    minutes = round(seconds / 60)
    if seconds < 90:  # noqa: PLR2004 (so far seconds say more)
        return f"{seconds:.0f} s"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"
