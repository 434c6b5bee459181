"""Reading and replacing a user's files, byte for byte but for what is changed."""

import os


def read_exactly(path: str) -> str | None:
    """The text with its line ends as they are; None, with a message, if unreadable."""
    from isocost._shared import complain
    from isocost.dsl.load import fit

    try:
        fit(path)
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        complain(f"{path}: there is no such file")
    except IsADirectoryError:
        complain(f"{path}: this is a folder; name a file in it")
    except UnicodeDecodeError:
        complain(f"{path}: this is no UTF-8 text")
    except OSError as error:
        complain(f"{path}: {error.strerror or error}")
    return None


def replace(path: str, text: str) -> None:
    """Write beside and move into place: nobody ever sees half a file."""
    import tempfile

    target = os.path.realpath(path)
    mode = os.stat(target).st_mode
    folder, name = os.path.split(target)
    handle, beside = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(beside, mode & 0o7777)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
