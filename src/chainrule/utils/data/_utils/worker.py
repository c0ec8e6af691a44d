"""What a worker process of a DataLoader does."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import random
import shutil
import signal
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrule as torch

from . import transport
from .collate_errors import Place
from .failure import ExceptionWrapper
from .fetch import fetcher_for

STATUS_CHECK_SECONDS = 5.0  # how often a waiting worker looks whether its parent still lives
_DYING_SECONDS = 1.0  # the longest between the end of a process's pipes and its own


@dataclass
class WorkerInfo:
    """Which worker this process is: of use in datasets and in `worker_init_fn`."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = "multiprocessing"


_worker_info: WorkerInfo | None = None  # of this process; workers of other libraries set it


def get_worker_info() -> WorkerInfo | None:
    """The worker that this process is; None in the main process."""
    return _worker_info


@dataclass
class Job:
    """Everything a worker needs to know."""

    worker_id: int
    num_workers: int
    base_seed: int
    dataset: Any
    iterable: bool
    batched: bool
    collate_fn: Any
    drop_last: bool
    init_fn: Any
    folder: str
    parent: int


@dataclass(frozen=True)
class NewEpoch:
    """Starts an epoch: tasks of earlier ones need not be done any more."""

    epoch: int


class Ended:
    """Says that a worker's iterable dataset has no more samples."""


def seed_everything(base_seed: int, worker_id: int) -> None:
    """Seed the generators of a worker: its own streams, the same in every run."""
    seed = base_seed + worker_id
    random.seed(seed)
    torch.manual_seed(seed)
    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(entropy).generate_state(4))


class _Inbox:
    """Takes tasks out of the pipe as they come, so that the main process never has to wait."""

    def __init__(self, connection: Any, parent: int) -> None:
        self.connection = connection
        self.parent = parent
        self.tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.epoch = 0
        self.dismissed = False
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                if not self.connection.poll(STATUS_CHECK_SECONDS):
                    if not parent_lives(self.parent):
                        break
                    continue
                task = pickle.loads(self.connection.recv_bytes())
                if task is None:
                    self.dismissed = True
                    break
                if isinstance(task, NewEpoch):
                    self.epoch = task.epoch
                self.tasks.put(task)
        self.tasks.put(None)


def parent_lives(parent: int) -> bool:
    """Whether the process that started this worker is still there."""
    from multiprocessing import get_start_method, parent_process

    started_by = parent_process()
    if started_by is not None and not started_by.is_alive():
        return False
    return get_start_method(allow_none=True) == "forkserver" or os.getppid() == parent


def work(job: Job, tasks: Any, results: Any, unwanted: list[Any]) -> None:
    """Do tasks until there are no more or nobody wants them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a fork copies what stood there
    for connection in unwanted:  # ends of other workers' pipes that a fork copies
        connection.close()
    worker = _Worker(job, results)
    inbox = _Inbox(tasks, job.parent)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        worker.run(inbox)
    if _abandoned(inbox):
        shutil.rmtree(job.folder, ignore_errors=True)


def _abandoned(inbox: _Inbox) -> bool:
    """Whether the main process ended without a word: it closes its pipes just before it is gone."""
    deadline = time.monotonic() + _DYING_SECONDS
    while not inbox.dismissed and time.monotonic() < deadline:
        if not parent_lives(inbox.parent):
            return True
        time.sleep(0.01)
    return False


class _Worker:
    """The state of a worker: its fetcher, or why it has none."""

    def __init__(self, job: Job, results: Any) -> None:
        self.job = job
        self.results = results
        self.where = f"in DataLoader worker process {job.worker_id}"
        self.failure: ExceptionWrapper | None = None
        self.fetcher: Any = None
        torch.set_num_threads(1)
        seed_everything(job.base_seed, job.worker_id)
        Place.is_worker = True
        global _worker_info
        _worker_info = WorkerInfo(
            job.worker_id, job.num_workers, job.base_seed + job.worker_id, job.dataset
        )
        self._start(first=True)

    def _start(self, first: bool) -> None:
        job = self.job
        try:
            if first and job.init_fn is not None:
                job.init_fn(job.worker_id)
            self.fetcher = fetcher_for(
                job.dataset, job.iterable, job.batched, job.collate_fn, job.drop_last
            )
        except (Exception, KeyboardInterrupt):
            self.failure = ExceptionWrapper(where=self.where)

    def run(self, inbox: _Inbox) -> None:
        while (task := inbox.tasks.get()) is not None:
            if isinstance(task, NewEpoch):
                if task.epoch > 1:
                    self._start(first=False)
                continue
            epoch, number, index = task
            if epoch == inbox.epoch and (answer := self._do(index)) is not None:
                self._send(epoch, number, answer)

    def _do(self, index: Any) -> Any:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            return failure
        if self.fetcher is None:
            return None
        try:
            return (self.fetcher.fetch(index),)
        except StopIteration:
            if not self.job.iterable:
                return ExceptionWrapper(where=self.where)
            self.fetcher = None
            return Ended()
        except (Exception, KeyboardInterrupt):  # of Ctrl-C the main process hears by itself too
            return ExceptionWrapper(where=self.where)

    def _send(self, epoch: int, number: int, answer: Any) -> None:
        try:
            packed = transport.pack((epoch, number, answer), self.job.folder)
        except Exception:  # the batch cannot be pickled
            failure = ExceptionWrapper(sys.exc_info(), where=self.where)
            packed = transport.pack((epoch, number, failure), None)
        self.results.send_bytes(packed)


# ---- what loaders of other libraries are made of ------------------------------------------------


class ManagerWatchdog:
    """Asked by a worker that waits: whether the process that started it is still there."""

    def __init__(self) -> None:
        self.manager_pid = os.getppid()
        self.manager_dead = False

    def is_alive(self) -> bool:
        """Once it has ended it stays so."""
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """A worker's answer when its part of an iterable dataset has ended."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """Tells a worker that goes on living to start again."""

    seed: int | None = None


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four numbers to seed NumPy's generator of a worker with."""
    low, high = base_seed & 0xFFFFFFFF, base_seed >> 32
    return np.random.SeedSequence([worker_id, low, high, 0]).generate_state(4).tolist()
