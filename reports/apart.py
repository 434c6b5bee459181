"""Steps in a process of their own: beside this one, and with memory that goes back.

The numbers of a report and its pages want two thirds of the memory each, and never at
the same time. Python gives back little of what it once had; a process gives back all.
And what needs nothing of each other's uses a core each.
"""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")


def alone() -> bool:
    """Whether this process can be copied, and the copy misses nothing.

    It would miss other threads, and a standard error that somebody has replaced.
    """
    whole = threading.active_count() == 1 and sys.stderr is sys.__stderr__
    return hasattr(os, "fork") and whole


def apart(step: Callable[[], Iterable[T]]) -> Iterator[T]:
    """The values of `step`, computed in a copy of this process from now on.

    Where there is no such copy they are computed here, each when it is asked for.

    Args:
        step: what to do; its values, and what it raises, have to pass through `pickle`.

    Raises:
        ChildProcessError: the copy was ended from outside, for want of memory perhaps.
    """
    return Parts(step) if alone() else iter(step())


class Parts(Iterator[T], Generic[T]):
    """What a copy of this process is working on; needs `alone`."""

    def __init__(self, step: Callable[[], Iterable[T]]) -> None:
        from multiprocessing import Pipe

        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self._out, into = Pipe(duplex=False)
        self._child = os.fork()
        if self._child == 0:
            self._out.close()
            _send(into, step)
        into.close()

    def ready(self) -> bool:
        """Whether the next value is there, or the last one was."""
        return self._out.closed or self._out.poll()

    def __next__(self) -> T:
        if self._out.closed:
            raise StopIteration
        try:
            # Our own copy wrote it.
            kind, value = pickle.loads(self._out.recv_bytes())  # noqa: S301
        except (EOFError, OSError):  # between two values, or within one
            code = self._wait()
            message = f"a part of the work was ended from outside (status {code})"
            raise ChildProcessError(message) from None
        if kind == "value":
            made: T = value
            return made
        self._wait()
        if kind == "raised":
            raise value
        raise StopIteration

    def _wait(self) -> int:
        self._out.close()
        _, status = os.waitpid(self._child, 0)
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End the copy, whatever it is at."""
        if not self._out.closed:
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
            self._wait()

    __del__ = close


def _send(into: "Connection", step: Callable[[], Iterable[object]]) -> None:
    """Do the step, send what comes of it and end this process.

    A thread writes, so that the next value is under way while one waits to be read.
    """
    ready: SimpleQueue[bytes] = SimpleQueue()

    def write() -> None:
        with suppress(OSError):
            while data := ready.get():
                into.send_bytes(data)

    writer = threading.Thread(target=write)
    try:
        for value in step():
            ready.put(pickle.dumps(("value", value)))
            if not writer.ident:
                writer.start()
        last = pickle.dumps(("done", None))
    except BaseException as error:  # noqa: BLE001 - raised again on the other side
        last = _mistake(error)
    try:
        ready.put(last)
        ready.put(b"")
        if not writer.ident:
            writer.start()
        writer.join()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _mistake(error: BaseException) -> bytes:
    try:
        return pickle.dumps(("raised", error))
    except Exception:  # noqa: BLE001 - what is raised need not pass
        return pickle.dumps(("raised", RuntimeError(f"{error!r}")))
