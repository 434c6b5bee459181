"""Files appear whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write `data` beside `path` and move it into place.

    Args:
        path: where it goes; its folder has to exist.
        data: bytes, or text for UTF-8.

    Raises:
        OSError: if the folder cannot be written; nothing is left behind.
    """
    raw = data.encode() if isinstance(data, str) else data
    # A link stays a link: what it points to is replaced.
    goal = path.resolve() if path.is_symlink() else path
    handle, name = tempfile.mkstemp(prefix=f".{goal.name}.", dir=goal.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        mode = goal.stat().st_mode & 0o777 if goal.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
        os.replace(name, goal)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
