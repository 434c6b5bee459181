"""What a report cannot be made of, in words for whoever asked for it.

Commands print these and end; anything else that is raised is a fault of ours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ReportError(RuntimeError):
    """A report that could not be made; the message says why."""


class ThemeError(ReportError):
    """Something in a theme's folder cannot be used."""

    @classmethod
    def of(cls, path: Path, why: str) -> "ThemeError":
        """What is wrong with the file `path` of a theme."""
        return cls(f"{path}: {why}")


@contextmanager
def themed(theme: Path | None) -> Iterator[None]:
    """Whatever a house's own templates raise, as what is wrong with its theme."""
    try:
        yield
    except ReportError:
        raise
    except Exception as error:
        if theme is None:
            raise
        said = str(error) or type(error).__name__
        raise ThemeError.of(theme, f"its templates do not render: {said}") from error
