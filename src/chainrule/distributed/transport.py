"""Collectives on flat arrays: over MPI, or within the only process.

Each method is a generator that yields what has to be waited for (see `work.py`); the arrays must
stay as they are until it has ended. Memory goes to MPI as it lies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import mpi
from .reduction import Reduction, per_element, wire
from .work import Steps, Turn

_MOST_BYTES = 1 << 31


class Solo:
    """A group of the only process."""

    rank, size = 0, 1

    def all_reduce(self, array: np.ndarray, how: Reduction) -> Steps:
        """Combine in place."""
        yield from ()
        how.prepare(array)

    def reduce(self, array: np.ndarray, how: Reduction, root: int) -> Steps:
        """Combine in place at the root."""
        yield from self.all_reduce(array, how)

    def broadcast(self, array: np.ndarray, root: int) -> Steps:
        """Give everybody the root's values."""
        yield from ()

    def all_gather(self, out: np.ndarray, given: np.ndarray, counts: Sequence[int]) -> Steps:
        """Everybody's values one after the other."""
        yield from ()
        out[...] = given

    def gather(self, out: np.ndarray | None, given: np.ndarray, root: int) -> Steps:
        """Everybody's values one after the other, at the root."""
        yield from ()
        if out is not None:
            out[...] = given

    def scatter(self, out: np.ndarray, given: np.ndarray | None, root: int) -> Steps:
        """Parts of the root's values."""
        yield from ()
        if given is not None:
            out[...] = given

    def reduce_scatter(
        self, out: np.ndarray, given: np.ndarray, how: Reduction, counts: Sequence[int]
    ) -> Steps:
        """Combine, each keeps a part."""
        yield from ()
        out[...] = how.prepared(given)

    def all_to_all(
        self, out: np.ndarray, out_counts: Sequence[int], given: np.ndarray,
        given_counts: Sequence[int],
    ) -> Steps:  # fmt: skip
        """Everybody gives everybody a part."""
        yield from ()
        out[...] = given

    def all_to_all_checked(
        self, out: np.ndarray, out_counts: Sequence[int], given: np.ndarray,
        given_counts: Sequence[int],
    ) -> Steps:  # fmt: skip
        """The same with an error where a part does not fit into the room for it."""
        if out.size != given.size:
            raise RuntimeError(f"Split sizes do not fit: {given.size} elements for {out.size}")
        yield from self.all_to_all(out, out_counts, given, given_counts)

    def barrier(self) -> Steps:
        """Wait for everybody."""
        yield from ()

    def free(self) -> None:
        """Nothing to give back."""


class Mpi(Solo):
    """A group with an MPI communicator of its own."""

    def __init__(self, communicator: Any) -> None:
        self.mpi = mpi.library()
        self.comm = communicator
        self._later_comm = communicator.Dup()
        self._comparing = communicator.Dup()
        self._begun: deque[Turn] = deque()
        self._later: deque[Turn] = deque()
        self.rank, self.size = communicator.rank, communicator.size

    def all_reduce(self, array: np.ndarray, how: Reduction) -> Steps:
        how.prepare(array)
        if how.by_rows:
            yield from self._all_reduce_by_rows(array, how)
            return
        yield self.comm.Iallreduce(self.mpi.IN_PLACE, wire(array), how.mpi_op())
        how.finish(array, self.size)

    def _all_reduce_by_rows(self, array: np.ndarray, how: Reduction) -> Steps:
        """Each rank combines a part of everybody's, then all gather the parts."""
        part = -(-array.size // self.size)
        mine = np.zeros(part * self.size, array.dtype)
        mine[: array.size] = array
        theirs = np.empty_like(mine)
        with Turn(self._later) as turn:
            yield self.comm.Ialltoall(wire(mine), wire(theirs))
            combined = how.rows(theirs.reshape(self.size, part), self.size)
            yield turn
            request = self._later_comm.Iallgather(wire(combined), wire(mine))
        yield request
        array[...] = mine[: array.size]

    def reduce(self, array: np.ndarray, how: Reduction, root: int) -> Steps:
        at_root = self.rank == root
        if how.by_rows:
            values = how.prepared(array)
            rows = np.empty((self.size, array.size), array.dtype) if at_root else None
            yield self.comm.Igather(wire(values), None if rows is None else wire(rows), root)
            if rows is not None:
                array[...] = how.rows(rows, self.size)
            return
        if at_root:
            how.prepare(array)
            yield self.comm.Ireduce(self.mpi.IN_PLACE, wire(array), how.mpi_op(), root)
            how.finish(array, self.size)
        else:
            values = how.prepared(array)
            yield self.comm.Ireduce(wire(values), None, how.mpi_op(), root)

    def broadcast(self, array: np.ndarray, root: int) -> Steps:
        yield self.comm.Ibcast(_moved(array, array.nbytes), root)

    def all_gather(self, out: np.ndarray, given: np.ndarray, counts: Sequence[int]) -> Steps:
        mine, room = _moved(given, out.nbytes), _moved(out, out.nbytes)
        if len(set(counts)) == 1:
            yield self.comm.Iallgather(mine, room)
        else:
            each = room.size // (out.size or 1)
            yield self.comm.Iallgatherv(mine, [room, [count * each for count in counts]])

    def gather(self, out: np.ndarray | None, given: np.ndarray, root: int) -> Steps:
        total = given.nbytes * self.size
        room = None if out is None else _moved(out, total)
        yield self.comm.Igather(_moved(given, total), room, root)

    def scatter(self, out: np.ndarray, given: np.ndarray | None, root: int) -> Steps:
        total = out.nbytes * self.size
        whole = None if given is None else _moved(given, total)
        yield self.comm.Iscatter(whole, _moved(out, total), root)

    def reduce_scatter(
        self, out: np.ndarray, given: np.ndarray, how: Reduction, counts: Sequence[int]
    ) -> Steps:
        values = how.prepared(given)
        if how.by_rows:
            theirs = np.empty((self.size, out.size), out.dtype)
            received = [out.size] * self.size
            yield from self.all_to_all(theirs.reshape(-1), received, values, counts)
            out[...] = how.rows(theirs, self.size)
            return
        yield self.comm.Ireduce_scatter(wire(values), wire(out), _wired(counts, out), how.mpi_op())
        how.finish(out, self.size)

    def all_to_all(
        self, out: np.ndarray, out_counts: Sequence[int], given: np.ndarray,
        given_counts: Sequence[int],
    ) -> Steps:  # fmt: skip
        yield self._all_to_all(self.comm, out, out_counts, given, given_counts)

    def _all_to_all(
        self, comm: Any, out: np.ndarray, out_counts: Sequence[int], given: np.ndarray,
        given_counts: Sequence[int],
    ) -> Any:  # fmt: skip
        return comm.Ialltoallv(
            [wire(given), _wired(given_counts, given)], [wire(out), _wired(out_counts, out)]
        )

    def all_to_all_checked(
        self, out: np.ndarray, out_counts: Sequence[int], given: np.ndarray,
        given_counts: Sequence[int],
    ) -> Steps:  # fmt: skip
        said = np.array([given_counts, out_counts])
        told = np.empty((self.size, 2, self.size), said.dtype)
        with Turn(self._later) as turn:
            yield self.comm.Iallgather(said, told)
            self._refuse_parts(told[:, 0], told[:, 1].T)
            yield turn
            request = self._all_to_all(self._later_comm, out, out_counts, given, given_counts)
        yield request

    def _refuse_parts(self, sent: np.ndarray, room: np.ndarray) -> None:
        """Raise, on all ranks, unless everybody has room for just what is sent to them."""
        differing = np.argwhere(sent != room)
        for giver, taker in sorted(differing.tolist(), key=lambda pair: pair[1] != self.rank)[:1]:
            raise RuntimeError(
                f"Split sizes do not fit: rank {giver} of the group sends {sent[giver, taker]} "
                f"elements to rank {taker}, which has room for {room[giver, taker]}"
            )

    def barrier(self) -> Steps:
        yield self.comm.Ibarrier()

    def send(self, array: np.ndarray, to: int, tag: int) -> Steps:
        """To one other process."""
        yield self.comm.Isend(wire(array), to, tag)

    def receive(self, array: np.ndarray, of: int | None, tag: int, seen: Any) -> Steps:
        """From one other process, or from whoever sends first; `seen` is called with its rank."""
        status = self.mpi.Status()
        request = self.comm.Irecv(wire(array), self.mpi.ANY_SOURCE if of is None else of, tag)
        try:
            yield _WithStatus(request, status)
        except self.mpi.Exception as problem:
            if problem.Get_error_class() != self.mpi.ERR_TRUNCATE:
                raise
            raise RuntimeError(
                f"recv: a tensor of {array.nbytes} bytes waits for a message that is longer"
            ) from None
        arrived = status.Get_count(self.mpi.BYTE)
        if arrived != array.nbytes:
            raise RuntimeError(
                f"recv: a tensor of {array.nbytes} bytes waits for {arrived} bytes, which rank "
                f"{status.Get_source()} of the group has sent"
            )
        seen(status.Get_source())

    def turn(self) -> Turn:
        """The place of a call: collectives begin in the order of their calls."""
        return Turn(self._begun)

    def compare(self, numbers: np.ndarray) -> Any:
        """Let all have the largest of everybody's numbers: a request, before those of a call."""
        return self._comparing.Iallreduce(self.mpi.IN_PLACE, numbers, self.mpi.MAX)

    def checking(self) -> Any:
        """A communicator for messages of ours, beside those of the program."""
        return self._later_comm

    def free(self) -> None:
        for communicator in (self.comm, self._later_comm, self._comparing):
            communicator.Free()


class _WithStatus:
    """A request that keeps where its message came from."""

    def __init__(self, request: Any, status: Any) -> None:
        self._request, self._status = request, status

    def Test(self) -> bool:
        """Whether the message is there."""
        return self._request.Test(self._status)


def _moved(array: np.ndarray, total: int) -> np.ndarray:
    """The memory of an array that is moved and not combined, of so many bytes in all.

    As bytes, as far as libraries count them: some end the process where elements of another size
    arrive, before anybody can say that the calls do not fit.
    """
    return array.view(np.uint8) if total < _MOST_BYTES else wire(array)


def _wired(counts: Sequence[int], array: np.ndarray) -> list[int]:
    """Counts in elements of the wire's type."""
    return [count * per_element(array.dtype) for count in counts]
