"""The folder in which this user's runs may keep what they would work out again."""

import os


def cache_folder() -> str | None:
    """A folder that only this user can write to; None where there is none."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(home, "isocost")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        mine = os.stat(folder).st_uid == os.getuid()
    except OSError:
        return None
    return folder if mine and os.access(folder, os.W_OK) else None
