"""Batches by worker processes.

Each worker has two pipes of its own: tasks go in, batches come out. No lock and no queue is shared,
so a worker that dies can neither block the others nor the main process, which waits for the pipes
and for the processes themselves and so sees an exit at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
import warnings
import weakref
from multiprocessing.connection import wait
from typing import Any

from ...autograd import refusal
from ...ops.interrupts import (
    interrupt_afterwards,
    keep_interrupts,
    let_interrupt_arrive,
    undisturbed,
)
from .. import owned_folders
from ._utils import transport
from ._utils.failure import ExceptionWrapper
from ._utils.worker import STATUS_CHECK_SECONDS, Ended, Job, NewEpoch, work
from .iterators import _BaseDataLoaderIter, _DatasetKind

_SHUTDOWN_SECONDS = 5.0


class _Handle:
    """The main process's side of one worker."""

    def __init__(self, process: Any, tasks: Any, results: Any) -> None:
        self.process = process
        self.tasks = tasks
        self.results = results
        self.active = True  # whether it can still be given tasks
        self.waiting = 0  # tasks that it has not answered yet


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches made by workers ahead of time and handed out in the order of their numbers."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if not loader.prefetch_factor:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        self._prefetch = loader.prefetch_factor
        self._in_order = loader.in_order
        self._persistent = loader.persistent_workers
        self._owner = os.getpid()
        self._epoch = 0
        self._workers: list[_Handle] = []
        self._given: dict[int, _Handle] = {}
        keep_interrupts()
        with undisturbed():  # a folder is never there without somebody who removes it
            self._folder = transport.make_folder()
            # When the interpreter exits before this object ends: does not wait for its batches.
            self._at_exit = weakref.finalize(
                self, _end, self._workers, self._folder, self._owner, patience=0.0
            )
            self._closed = False
        context = loader.multiprocessing_context or multiprocessing.get_context()
        try:
            for worker_id in range(loader.num_workers):
                with undisturbed():
                    self._workers.append(self._started(loader, context, worker_id))
            self._reset(loader, first_iter=True)
        except BaseException:
            self._shutdown_workers()
            raise

    def _started(self, loader: Any, context: Any, worker_id: int) -> _Handle:
        job = Job(
            worker_id, loader.num_workers, self._base_seed, loader.dataset,
            loader._dataset_kind == _DatasetKind.Iterable, loader._auto_collation,
            loader.collate_fn, loader.drop_last, loader.worker_init_fn, self._folder, self._owner,
        )  # fmt: skip
        their_tasks, our_tasks = context.Pipe(duplex=False)
        our_results, their_results = context.Pipe(duplex=False)
        unwanted = []
        if context.get_start_method() == "fork":  # the child copies every end that is open here
            unwanted = [end for other in self._workers for end in (other.tasks, other.results)]
            unwanted += [our_tasks, our_results]
        process = context.Process(
            target=work, args=(job, their_tasks, their_results, unwanted), daemon=True
        )
        with warnings.catch_warnings():
            # Python warns of forking with threads; the workers use none of the parent's.
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
            process.start()
        their_tasks.close()
        their_results.close()
        return _Handle(process, our_tasks, our_results)

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        if not first_iter:
            super()._reset(loader)
        self._epoch += 1
        self._sent = 0  # the number of the next task
        self._wanted = 0  # the number of the next batch to hand out
        self._given.clear()
        self._arrived: dict[int, Any] = {}
        self._turn = 0
        for worker in self._workers:
            worker.active, worker.waiting = True, 0
            self._post(worker, NewEpoch(self._epoch))
        for _ in range(self._prefetch * len(self._workers)):
            self._send_task()

    def _post(self, worker: _Handle, message: Any) -> None:
        try:
            # As bytes: `send` exports a buffer that an error's frames keep beyond its owner's end.
            worker.tasks.send_bytes(pickle.dumps(message))
        except (BrokenPipeError, ConnectionResetError):
            self._fail_for_dead([worker])

    def _send_task(self) -> None:
        """Give the next task to the next worker that can take one."""
        worker = self._next_worker()
        if worker is None:
            return
        try:
            index = self._next_index()
        except StopIteration:
            return
        self._given[self._sent] = worker
        worker.waiting += 1
        self._post(worker, (self._epoch, self._sent, index))
        self._sent += 1

    def _next_worker(self) -> _Handle | None:
        for step in range(len(self._workers)):
            worker = self._workers[(self._turn + step) % len(self._workers)]
            has_room = self._in_order or worker.waiting < self._prefetch
            if worker.active and has_room:
                self._turn = (self._turn + step + 1) % len(self._workers)
                return worker
        return None

    # ---- receiving ----

    def _next_data(self) -> Any:
        while True:
            self._skip_answered()
            if self._closed or self._wanted >= self._sent:
                if not self._persistent:
                    self._shutdown_workers()
                raise StopIteration
            if self._wanted in self._arrived:
                number = self._wanted
                return self._handed_out(number, self._arrived.pop(number))
            number, answer = self._receive()
            worker = self._given[number]
            worker.waiting -= 1
            if isinstance(answer, Ended):
                worker.active = False
                del self._given[number]
                self._send_task()
            elif self._in_order and number != self._wanted:
                self._arrived[number] = answer
            else:
                return self._handed_out(number, answer)

    def _skip_answered(self) -> None:
        """Pass over numbers that nobody will answer: done already, or given to an ended worker."""
        while self._wanted < self._sent and self._wanted not in self._arrived:
            worker = self._given.get(self._wanted)
            if worker is not None and worker.active:
                return
            self._given.pop(self._wanted, None)
            self._wanted += 1

    def _handed_out(self, number: int, answer: Any) -> Any:
        del self._given[number]
        if self._in_order:
            self._wanted = number + 1
        self._send_task()
        if isinstance(answer, ExceptionWrapper):
            answer.reraise()
        return answer[0]  # pyright: ignore[reportIndexIssue]

    def _receive(self) -> tuple[int, Any]:
        """The next answer of any worker to a task of this epoch."""
        deadline = time.monotonic() + self._timeout if self._timeout else None
        while True:
            left = STATUS_CHECK_SECONDS if deadline is None else deadline - time.monotonic()
            found = self._message(max(left, 0.0))
            if found is not None:
                epoch, number, answer = found
                if epoch == self._epoch:
                    return number, answer
            elif deadline is not None and time.monotonic() >= deadline:
                self._shutdown_workers()
                raise refusal.runtime(
                    f"DataLoader timed out after {self._timeout} seconds: no worker had a batch "
                    "ready",
                    fix="raise timeout, or look at what the dataset waits for.",
                )

    def _message(self, seconds: float) -> Any:
        """One message, or None when there is none in time; an error when a worker is gone."""
        busy = [w for w in self._workers if w.active]
        by_pipe = {w.results: w for w in busy}
        ready = wait([*by_pipe, *(w.process.sentinel for w in busy)], seconds)
        pipes = [end for end in ready if end in by_pipe]
        if not pipes and ready:  # an exit: what it sent before is still to be read
            pipes = [w.results for w in busy if w.process.sentinel in ready and w.results.poll()]
            if not pipes:
                self._fail_for_dead([w for w in busy if w.process.sentinel in ready])
        for pipe in pipes:
            try:
                return transport.unpack(pipe.recv_bytes())  # pyright: ignore[reportAttributeAccessIssue]
            except (EOFError, ConnectionResetError):
                self._fail_for_dead([by_pipe[pipe]])
        return None

    def _fail_for_dead(self, workers: list[_Handle]) -> None:
        for worker in workers:
            worker.process.join(1.0)
        pids = ", ".join(str(w.process.pid) for w in workers)
        ways = "; ".join(_way_out(w.process.exitcode) for w in workers)
        self._shutdown_workers()
        let_interrupt_arrive()
        raise refusal.runtime(
            f"DataLoader worker (pid(s) {pids}) exited unexpectedly: {ways}",
            fix="use num_workers=0 to see what the dataset does.",
        ) from None

    # ---- the end ----

    def _shutdown_workers(self, as_object_ends: bool = False) -> None:
        """Stop all workers and wait for them."""
        with undisturbed(as_object_ends=as_object_ends):
            if not self._closed:
                self._closed = True
                self._at_exit.detach()
                _end(self._workers, self._folder, self._owner, _SHUTDOWN_SECONDS)
                # Processes and pipes run Python code when they end: here it is not interrupted.
                self._given.clear()
                self._workers.clear()

    def __del__(self) -> None:
        try:
            # As Python ends, modules may be gone; workers were ended before that (`_at_exit`).
            if hasattr(self, "_closed") and undisturbed is not None:
                self._shutdown_workers(as_object_ends=True)
        except KeyboardInterrupt:  # before it could be made to wait; raised here it would be lost
            self._shutdown_workers(as_object_ends=True)
            interrupt_afterwards()


def _end(workers: list[_Handle], folder: str, owner: int, patience: float) -> None:
    """Stop the workers, by force after `patience` seconds, and remove what they left."""
    if os.getpid() != owner:  # a fork has a copy of the iterator, and it is not the child's
        return
    for worker in workers:
        with contextlib.suppress(OSError):
            worker.tasks.send_bytes(pickle.dumps(None))
        worker.tasks.close()
        worker.results.close()  # who is sending gets an error and stops
    deadline = time.monotonic() + patience
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.exitcode is None:
            worker.process.terminate()
    for worker in workers:
        worker.process.join(1.0)
        if worker.process.exitcode is None:
            worker.process.kill()
            worker.process.join()
    # Last: while a worker still writes into it, a folder cannot be removed.
    owned_folders.remove(folder)


def _way_out(exitcode: int | None) -> str:
    if exitcode is None:
        return "it closed its pipe"
    if exitcode >= 0:
        return f"exit code {exitcode}"
    name = signal.Signals(-exitcode).name
    hint = ", perhaps because memory ran out" if name == "SIGKILL" else ""
    return f"killed by signal {name}{hint}"
