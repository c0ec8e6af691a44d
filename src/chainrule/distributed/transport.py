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
        self._later: deque[Turn] = deque()
        self.rank, self.size = communicator.rank, communicator.size

    def all_reduce(self, array: np.ndarray, how: Reduction) -> Steps:
        how.prepare(array)
        if how.narrow:
            yield from self._all_reduce_narrow(array, how)
            return
        yield self.comm.Iallreduce(self.mpi.IN_PLACE, wire(array), how.mpi_op())
        how.finish(array, self.size)

    def _all_reduce_narrow(self, array: np.ndarray, how: Reduction) -> Steps:
        """Each rank combines a part of everybody's in float32, then all gather the parts."""
        turn = Turn(self._later)
        part = -(-array.size // self.size)
        mine = np.zeros(part * self.size, array.dtype)
        mine[: array.size] = array
        theirs = np.empty_like(mine)
        yield self.comm.Ialltoall(wire(mine), wire(theirs))
        combined = how.rows(theirs.reshape(self.size, part), self.size)
        yield turn
        request = self._later_comm.Iallgather(wire(combined), wire(mine))
        turn.over()
        yield request
        array[...] = mine[: array.size]

    def reduce(self, array: np.ndarray, how: Reduction, root: int) -> Steps:
        at_root = self.rank == root
        if how.narrow:
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
        yield self.comm.Ibcast(wire(array), root)

    def all_gather(self, out: np.ndarray, given: np.ndarray, counts: Sequence[int]) -> Steps:
        if len(set(counts)) == 1:
            yield self.comm.Iallgather(wire(given), wire(out))
        else:
            yield self.comm.Iallgatherv(wire(given), [wire(out), _wired(counts, out)])

    def gather(self, out: np.ndarray | None, given: np.ndarray, root: int) -> Steps:
        yield self.comm.Igather(wire(given), None if out is None else wire(out), root)

    def scatter(self, out: np.ndarray, given: np.ndarray | None, root: int) -> Steps:
        yield self.comm.Iscatter(None if given is None else wire(given), wire(out), root)

    def reduce_scatter(
        self, out: np.ndarray, given: np.ndarray, how: Reduction, counts: Sequence[int]
    ) -> Steps:
        values = how.prepared(given)
        if how.narrow:
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
        yield self.comm.Ialltoallv(
            [wire(given), _wired(given_counts, given)], [wire(out), _wired(out_counts, out)]
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
        yield _WithStatus(request, status)
        arrived = status.Get_count(self.mpi.BYTE)
        if arrived != array.nbytes:
            raise RuntimeError(
                f"recv: a tensor of {array.nbytes} bytes waits for {arrived} bytes, which rank "
                f"{status.Get_source()} of the group has sent"
            )
        seen(status.Get_source())

    def checking(self) -> Any:
        """A communicator for messages of ours, beside those of the program."""
        return self._later_comm

    def free(self) -> None:
        self.comm.Free()
        self._later_comm.Free()


class _WithStatus:
    """A request that keeps where its message came from."""

    def __init__(self, request: Any, status: Any) -> None:
        self._request, self._status = request, status

    def Test(self) -> bool:
        """Whether the message is there."""
        return self._request.Test(self._status)


def _wired(counts: Sequence[int], array: np.ndarray) -> list[int]:
    """Counts in elements of the wire's type."""
    return [count * per_element(array.dtype) for count in counts]
