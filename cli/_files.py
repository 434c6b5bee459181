"""Reading and replacing a user's files, byte for byte but for what is changed."""

import os


def read_exactly(path: str) -> str | None:
    """The text with its line ends as they are; None, with a message, if unreadable."""
    from isocost._shared import complain

    try:
        return text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        complain(unreadable(path, error))
    return None


def text_of(path: str) -> str:
    """The text of a file with its line ends as they are.

    Raises:
        OSError: It cannot be read, or is not what a scenario file may be.
        UnicodeDecodeError: It is no UTF-8 text.
    """
    from isocost.dsl.load import fit

    fit(path)
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def unreadable(path: str, error: Exception) -> str:
    """Why a file could not be read, in the same words in every command."""
    if isinstance(error, FileNotFoundError):
        return f"{path}: there is no such file"
    if isinstance(error, IsADirectoryError):
        return f"{path}: this is a folder; name a file in it"
    if isinstance(error, UnicodeDecodeError):
        return f"{path}: this is no UTF-8 text"
    return f"{path}: {getattr(error, 'strerror', None) or error}"


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
