"""A step in a process of its own, whose memory goes back when it is done.

The numbers of a report and its pages want two thirds of the memory each, and never at
the same time. Python gives back little of what it once had; a process gives back all.
"""

import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def apart(step: Callable[[], T], meanwhile: Callable[[], object]) -> T:
    """The value of `step`, computed in a copy of this process.

    Where there are no copies, or where one would miss something (other threads, a
    standard error that somebody has replaced), it is computed here.

    Args:
        step: what to do; its value, or what it raises, has to pass through `pickle`.
        meanwhile: what this process does until then.

    Raises:
        ChildProcessError: the copy was ended from outside, for want of memory perhaps.
    """
    alone = threading.active_count() == 1 and sys.stderr is sys.__stderr__
    if not hasattr(os, "fork") or not alone:
        return step()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        _send(into, step)
    os.close(into)
    meanwhile()
    with os.fdopen(out, "rb") as pipe:
        sent = pipe.read()
    _, status = os.waitpid(child, 0)
    if not sent:
        code = os.waitstatus_to_exitcode(status)
        message = f"a part of the work was ended (status {code})"
        raise ChildProcessError(message)
    value, error = pickle.loads(sent)  # noqa: S301 - our own copy wrote it
    if error is not None:
        raise error
    made: T = value
    return made


def _send(into: int, step: Callable[[], object]) -> None:
    """Do the step, send its outcome and end this process."""
    outcome: tuple[object, BaseException | None]
    try:
        outcome = step(), None
    except BaseException as error:  # noqa: BLE001 - raised again on the other side
        outcome = None, error
    try:
        data = pickle.dumps(outcome)
    except Exception as error:  # noqa: BLE001 - what is raised need not pass
        problem = RuntimeError(f"{outcome[1] or error!r}")
        data = pickle.dumps((None, problem))
    try:
        with os.fdopen(into, "wb") as pipe:
            pipe.write(data)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)
