"""`torch.multiprocessing.spawn` of functions that make a process group: run under mpiexec.

MPI cannot connect processes that were started one by one, so the function is started in the ranks
of a new MPI job. It gets its rank and copies of its arguments, as with any spawned process.
"""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import sys
from collections.abc import Callable
from typing import Any

from ..multiprocessing.spawn import ProcessExitedException, ProcessRaisedException
from . import faults, launched
from .launching import Job

_FILE = "spawned.pickle"


class SpawnedJob:
    """The processes of a spawned function."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait for all of them; raises what the first one that failed raised."""
        code = self._job.wait()
        if code == 0:
            return True
        failure = self._job.failure
        if failure is not None and failure.raised:
            text = f"\n\n-- Process {failure.rank} terminated with the following error:\n"
            raise ProcessRaisedException(text + failure.text, failure.rank, failure.pid)
        rank, pid = (failure.rank, failure.pid) if failure is not None else (0, 0)
        said = failure.text if failure is not None else f"the job ended with code {code}"
        raise ProcessExitedException(f"process {rank} terminated: {said}", rank, pid, code)


def packed(fn: Callable[..., None], args: tuple[Any, ...]) -> bytes | None:
    """What the ranks need to run a function; None if it cannot leave this process."""
    try:
        data = pickle.dumps((fn, args))
    except Exception:  # queues, locks: they reach only children
        return None
    preparation = multiprocessing.spawn.get_preparation_data("rank")
    preparation.pop("authkey", None)  # for children alone
    return pickle.dumps((preparation, data))


def spawn(data: bytes, nprocs: int, join: bool) -> SpawnedJob | None:
    """Run a packed function in the ranks of a new job."""
    job = Job([sys.executable, "-m", __name__], nprocs)
    with open(os.path.join(job.folder, _FILE), "wb") as out:
        out.write(data)
    job.start()
    started = SpawnedJob(job)
    if not join:
        return started
    started.join()
    return None


def main() -> None:
    """In a rank: run the function."""
    found = launched.adopt() or launched.Place(0, 1, 0, 1)
    faults.begin()
    # Written by the process that started this job, for its ranks alone.
    with open(os.path.join(os.environ[faults.STATUS], _FILE), "rb") as opened:
        preparation, data = pickle.load(opened)
    multiprocessing.spawn.prepare(preparation)
    fn, args = pickle.loads(data)
    fn(found.rank, *args)


if __name__ == "__main__":
    main()
