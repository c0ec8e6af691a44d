"""What ranks call, compared: collectives that do not fit together are named, with both lines.

Before every collective travels a number made of what the rank calls, a message of a few bytes;
where ranks differ all of them learn it, tell each other their calls, and raise. Nothing is begun
before that: MPI writes wherever it likes when sizes differ. With TORCH_DISTRIBUTED_DEBUG=DETAIL
ranks tell each other their calls before every collective, with shapes, and those who do not come
are named.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import source
from . import mpi
from .debug_level import DebugLevel, get_debug_level
from .errors import DistBackendError
from .notices import Look
from .work import Steps

_PATIENCE = 60.0  # seconds until ranks that do not come are named; CHAINRULE_DEBUG_PATIENCE
_TAG = 1
_ROOM = 1 << 16  # bytes for a call in words

# What is compared, under the names that PyTorch has for it.
_NAMES = {
    "number": "Sequence number", "name": "Op type", "shapes": "Tensor Tensor shapes",
    "dtypes": "Tensor Tensor dtypes", "op": "Reduce op", "root": "Root",
}  # fmt: skip


class Call:
    """What a rank calls."""

    __slots__ = ("dtypes", "line", "name", "number", "op", "root", "shapes")

    def __init__(
        self, number: int, name: str, tensors: Sequence[Any], op: Any, root: int | None
    ) -> None:
        self.number, self.name, self.root = number, name, root  # number: of this call in its group
        self.shapes = tuple([tuple(t.shape) for t in tensors])
        self.dtypes = tuple([t.dtype.name for t in tensors])
        self.op = "" if op is None else op.name
        self.line: Any = source.user_position()

    def code(self) -> int:
        """A number that ranks have in common when their calls fit: sizes count, not shapes."""
        sizes = [_product(shape) for shape in self.shapes]
        words = f"{self.number} {self.name} {sizes} {self.dtypes} {self.op} {self.root}"
        return zlib.crc32(words.encode())

    def values(self) -> tuple[Any, ...]:
        """What is compared."""
        return tuple(getattr(self, field) for field in _NAMES)

    def packed(self) -> tuple[Any, ...]:
        """For other ranks."""
        return (*self.values(), source.describe(*self.line))

    @classmethod
    def unpacked(cls, values: tuple[Any, ...]) -> Call:
        """What another rank has packed."""
        made = cls.__new__(cls)
        for field, value in zip((*_NAMES, "line"), values, strict=True):
            setattr(made, field, value)
        return made

    def shown(self) -> str:
        """In PyTorch's form, with the line."""
        parts = [f"SequenceNumber={self.number}", f"OpType={self.name.upper().replace('_', '')}"]
        if self.shapes:
            parts.append(f"TensorShape={[list(s) for s in self.shapes]}")
            parts.append(f"TensorDtypes={', '.join(self.dtypes)}")
        if self.op:
            parts.append(f"ReduceOp={self.op}")
        if self.root is not None:
            parts.append(f"Root={self.root}")
        line = self.line if isinstance(self.line, str) else source.describe(*self.line)
        return f"CollectiveFingerPrint({', '.join(parts)})\n    at {line}"


def _product(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def compare(
    group: Any, name: str, tensors: Sequence[Any] = (), op: Any = None, root: int | None = None
) -> Call | None:
    """What this rank is about to call, to be verified while it goes on; None in a group of one.

    In debug mode, raises on every rank when the ranks of the group call different things.
    """
    group.calls += 1
    if group.size() == 1:
        return None
    call = Call(group.calls, name, tensors, op, root)
    if get_debug_level() is DebugLevel.DETAIL:
        _refuse_differences(group, call, _everybodys(group, call), exact=True)
    return call


def verified(group: Any, call: Call | None, steps: Steps) -> Steps:
    """The steps of a collective, beside which ranks find out whether they call the same."""
    if call is None:
        yield from steps
        return
    code = call.code()
    said = np.array([code, ~code])
    with group.transport.turn() as turn:
        yield group.transport.compare(said)
        if said[0] != ~said[1]:  # the largest is not the smallest
            exchange = _Exchange(group, call)
            yield exchange
            _refuse_differences(group, call, exchange.calls(), exact=False)
        yield turn
        begun = next(steps, None)
    if begun is not None:
        yield begun
        yield from steps


def _refuse_differences(group: Any, call: Call, calls: list[Call], exact: bool) -> None:
    """Raise unless all calls are the same: in shapes, or at least in sizes."""
    for rank, other in enumerate(calls):
        if call.values() != other.values() if exact else call.code() != other.code():
            raise RuntimeError(
                f"Detected mismatch between collectives on ranks. Rank {group.rank()} is running "
                f"collective: {call.shown()}\n  but Rank {rank} is running collective: "
                f"{other.shown()}\n  Collectives differ in the following aspects: "
                f"{_differences(call, other)}"
            )


def _differences(a: Call, b: Call) -> str:
    return "; ".join(
        f"{shown}: {getattr(a, field)} vs {getattr(b, field)}"
        for field, shown in _NAMES.items()
        if getattr(a, field) != getattr(b, field)
    )


class _Exchange:
    """The calls of all ranks, on their way by messages that anybody can be late for."""

    def __init__(self, group: Any, call: Call) -> None:
        self._group, self._comm = group, group.transport.checking()
        others = [r for r in range(group.size()) if r != group.rank()]
        # Pickled tuples of ours, between the ranks of one job.
        self._sent = [self._comm.isend(call.packed(), r, _TAG) for r in others]
        self.waiting = {r: self._comm.irecv(_ROOM, r, _TAG) for r in others}
        self._found = {group.rank(): call}

    def Test(self) -> bool:
        """Whether all are here."""
        for rank in list(self.waiting):
            here, values = self.waiting[rank].test()
            if here:
                self._found[rank] = Call.unpacked(values)
                del self.waiting[rank]
        return not self.waiting and all(request.Test() for request in self._sent)

    def calls(self) -> list[Call]:
        """By rank."""
        return [self._found[rank] for rank in range(self._group.size())]


def _everybodys(group: Any, call: Call) -> list[Call]:
    """The calls of all ranks, or an error that names those who do not come."""
    exchange = _Exchange(group, call)
    patience = float(os.environ.get("CHAINRULE_DEBUG_PATIENCE", _PATIENCE))
    began = time.monotonic()
    if not mpi.wait_politely(exchange.Test, patience, Look(call.name, group)):
        late = ", ".join(map(str, sorted(exchange.waiting)))
        raise DistBackendError(
            f"Rank {group.rank()} is running collective: {call.shown()}\n  but rank(s) {late} "
            f"called no collective of this group within {time.monotonic() - began:.0f} s.\n"
            "  They compute still, wait elsewhere, or call collectives of another group."
        )
    return exchange.calls()
