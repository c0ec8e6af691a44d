"""Messages from one process to another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ..autograd import refusal
from ..autograd.accidents import explain_module
from . import captured, mpi
from .collectives import begin, member_of
from .errors import DistBackendError
from .group import ProcessGroup, current, get_group_rank
from .memory import Lent, check_tensor, read
from .notices import Look
from .work import Steps, Work, seconds_of

_BARRIER_TAG, _PASSED_TAG = 32001, 32002


def _partner(
    group: ProcessGroup, rank: int | None, group_rank: int | None, name: str, kind: str
) -> int:
    """The other process's number in the group."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both {name} and group_{name}")
    if rank is None and group_rank is None:
        raise ValueError(f"Must specify {name} or group_{name}")
    found = group_rank
    if found is None:
        assert rank is not None
        if group is current(None):
            found = rank
        else:
            found = get_group_rank(group, rank)
    if found == group.rank():
        raise refusal.value(
            f"Invalid {kind} rank: {kind} rank should not be the same as the rank of the current "
            f"process ({found})."
        )
    if not 0 <= found < group.size():
        raise refusal.value(f"Invalid {kind} rank: {found}; the group has {group.size()} processes")
    return found


def isend(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Start to send a tensor."""
    return _send(tensor, dst, group, tag, group_dst, True, "isend")


def send(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Send a tensor."""
    _send(tensor, dst, group, tag, group_dst, False, "send")


def _send(
    tensor: Any, dst: int | None, group: Any, tag: int, group_dst: int | None, later: bool,
    name: str,
) -> Work | None:  # fmt: skip
    check_tensor(tensor, "tensor")
    found = member_of(group, name)
    if found is None:
        return None
    to = _partner(found, dst, group_dst, "dst", "destination")
    given = read(tensor, name)
    return begin(name, found, found.transport.send(given, to, tag), later, [tensor])


def irecv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Start to receive a tensor, from anybody if nobody is named."""
    return _receive(tensor, src, group, tag, group_src, "irecv")


def recv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0,
    group_src: int | None = None,
) -> int:  # fmt: skip
    """Receive a tensor; the rank of its sender."""
    work = _receive(tensor, src, group, tag, group_src, "recv")
    if work is None:
        return -1
    work.wait()
    return work._source_rank()


def _receive(
    tensor: Any, src: int | None, group: Any, tag: int, group_src: int | None, name: str
) -> Work | None:
    check_tensor(tensor, "tensor")
    found = member_of(group, name)
    if found is None:
        return None
    anybody = src is None and group_src is None
    of = None if anybody else _partner(found, src, group_src, "src", "source")
    if found.size() == 1:
        raise ValueError(f"{name}: the group has one process, nobody sends")
    lent = Lent(tensor, name)
    seen: list[int] = []

    def steps() -> Steps:
        yield from found.transport.receive(lent.array, of, tag, seen.append)
        lent.give_back()

    work = begin(name, found, steps(), True, [tensor])
    assert work is not None
    work.senders = seen
    return work


class P2POp:
    """A message to be sent or received by `batch_isend_irecv`."""

    def __init__(
        self, op: Any, tensor: Any, peer: int | None = None, group: Any = None, tag: int = 0,
        group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.group_peer = group_peer

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__}, {list(self.tensor.shape)}, peer={self.peer})"


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Start several messages."""
    if not isinstance(p2p_op_list, Sequence) or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to be of type ``P2POp``.")
    if not p2p_op_list:
        raise ValueError("p2p_op_list is empty")
    started = [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]
    return [work for work in started if work is not None]


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Wait until all processes are here; those that are late are named by the first one."""
    found = member_of(group, "monitored_barrier")
    if found is None or found.size() == 1:
        return
    captured.refuse("monitored_barrier")
    seconds = seconds_of(timeout) or found.timeout.total_seconds()
    if found.rank() == 0:
        _wait_for_ranks(found, seconds, wait_all_ranks)
    else:
        _pass_barrier(found, seconds)


def _wait_for_ranks(group: ProcessGroup, seconds: float, wait_all_ranks: bool) -> None:
    comm, library = group.transport.checking(), mpi.library()
    waiting = {r: comm.Irecv([bytearray(1), library.BYTE], r, _BARRIER_TAG)
               for r in range(1, group.size())}  # fmt: skip

    def all_here() -> bool:
        for rank in [r for r, request in waiting.items() if request.Test()]:
            del waiting[rank]
        return not waiting

    if not mpi.wait_politely(all_here, seconds, lambda: None):
        late = sorted(group.ranks[r] for r in waiting)
        for request in waiting.values():
            request.Cancel()
        shown = ", ".join(map(str, late if wait_all_ranks else late[:1]))
        raise refusal.of_kind(
            DistBackendError,
            f"[Rank 0]: Rank {shown} failed to pass monitoredBarrier in {round(seconds * 1000)} ms",
            why=f"Late: {late}. The others are here.",
        )
    for rank in range(1, group.size()):
        comm.Isend([bytearray(1), library.BYTE], rank, _PASSED_TAG).Wait()


def _pass_barrier(group: ProcessGroup, seconds: float) -> None:
    comm, library = group.transport.checking(), mpi.library()
    comm.Isend([bytearray(1), library.BYTE], 0, _BARRIER_TAG).Wait()
    answer = comm.Irecv([bytearray(1), library.BYTE], 0, _PASSED_TAG)
    began = time.monotonic()
    # A moment longer than rank 0, whose error says who is late.
    if not mpi.wait_politely(answer.Test, seconds + 5.0, Look("monitored_barrier", group)):
        raise refusal.of_kind(
            DistBackendError,
            f"[Rank {group.rank()}]: rank 0 failed to answer monitoredBarrier in "
            f"{time.monotonic() - began:.0f} s",
        )


explain_module(globals())
