"""Parts of a sweep on a Dask cluster that is already there.

The workers need this package and nothing of the document: a job brings its texts. A
part that a dying worker takes along is computed again by another one.
"""

import functools
import itertools
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from isocost.engine.evaluate import Evaluation
from isocost.engine.sweep import Sweep
from isocost.engine.sweep_job import Job, SweepError, reopened

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Parts that each of the cluster's threads has in hand or waiting.
AHEAD = 2
#: How often a part may be lost with its worker before the sweep gives up.
RETRIES = 10
SECONDS = 20

_LOCK = threading.Lock()


def remote(
    address: str, job: Job, numbers: Sequence[int]
) -> "Iterator[tuple[int, list[NDArray[Any]]]]":
    """The parts of a job as the cluster finishes them, in no order.

    Args:
        address: Where the scheduler listens.
        job: What is computed.
        numbers: The parts that are still to be had.

    Raises:
        SweepError: Dask or its scheduler is not there, or a worker fails.
    """
    try:
        dask: Any = import_module("distributed")
    except ModuleNotFoundError:
        raise SweepError("--dask needs Dask: pip install 'isocost[sweep]'") from None
    try:
        client = dask.Client(address, timeout=SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SweepError(f"no Dask scheduler answers at {address}: {error}") from None
    try:
        yield from _parts(dask, client, job, numbers)
    finally:
        client.close()


def _parts(
    dask: Any, client: Any, job: Job, numbers: Sequence[int]
) -> "Iterator[tuple[int, list[NDArray[Any]]]]":
    threads = sum(client.nthreads().values())
    if not threads:
        raise SweepError("the Dask cluster has no workers")
    shared = client.submit(_same, job, key=f"isocost-{job.key}")
    left = iter(numbers)

    def submit(number: int) -> Any:
        key = f"isocost-{job.key}-{number}"
        return client.submit(_part, shared, number, key=key, retries=RETRIES)

    done = dask.as_completed(
        [submit(number) for number in itertools.islice(left, AHEAD * threads)],
        loop=client.loop,
    )
    for future in done:
        try:
            number, columns = future.result()
        except Exception as error:
            raise SweepError(f"a Dask worker failed: {error}") from error
        yield number, columns
        following = next(left, None)
        if following is not None:
            done.add(submit(following))


def _same(job: Job) -> Job:
    """The job itself, held by the cluster once instead of with every part."""
    return job


@functools.lru_cache(maxsize=2)
def _opened(job: Job) -> Sweep:
    here = version("isocost")
    if job.version != here:
        raise SweepError(f"a worker has isocost {here}, not {job.version}")
    return Sweep(Evaluation(reopened(job)), job)


def _part(job: Job, number: int) -> "tuple[int, list[NDArray[Any]]]":
    """One part, computed by a worker; documents are opened once a process."""
    with _LOCK:
        sweep = _opened(job)
    return number, sweep.part(number)
