"""Debugging of collectives: with TORCH_DISTRIBUTED_DEBUG=DETAIL all ranks first compare what they
are about to call, so that calls that do not fit are named instead of hanging or mixing bytes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..autograd import source
from . import mpi
from .errors import DistBackendError

_PATIENCE = 60.0  # seconds until ranks that do not come are named; CHAINRULE_DEBUG_PATIENCE


class Call(NamedTuple):
    """What a rank calls."""

    number: int  # of this call in its group
    name: str
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    op: str
    root: int | None
    line: str

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
        return f"CollectiveFingerPrint({', '.join(parts)})\n    at {self.line}"


def compare(
    group: Any, name: str, tensors: Sequence[Any] = (), op: Any = None, root: int | None = None
) -> None:
    """Raise on every rank when the ranks of a group call different things."""
    from .settings import DebugLevel, get_debug_level

    group.calls += 1
    if get_debug_level() is not DebugLevel.DETAIL or group.size() == 1:
        return
    call = Call(
        group.calls, name, tuple(tuple(t.shape) for t in tensors),
        tuple(str(t.dtype).rpartition(".")[2] for t in tensors),
        "" if op is None else op.name, root, source.here(),
    )  # fmt: skip
    calls = _everybodys(group, call)
    mine = call[1:-1]
    for rank, other in enumerate(calls):
        if other[1:-1] != mine or other.number != call.number:
            raise RuntimeError(
                f"Detected mismatch between collectives on ranks. Rank {group.rank()} is running "
                f"collective: {call.shown()}\n  but Rank {rank} is running collective: "
                f"{other.shown()}\n  Collectives differ in the following aspects: "
                f"{_differences(call, other)}"
            )


def _differences(a: Call, b: Call) -> str:
    names = {
        "number": "Sequence number", "name": "Op type", "shapes": "Tensor Tensor shapes",
        "dtypes": "Tensor Tensor dtypes", "op": "Reduce op", "root": "Root",
    }  # fmt: skip
    return "; ".join(
        f"{shown}: {getattr(a, field)} vs {getattr(b, field)}"
        for field, shown in names.items()
        if getattr(a, field) != getattr(b, field)
    )


def _everybodys(group: Any, call: Call) -> list[Call]:
    """The calls of all ranks, exchanged by messages that anybody can be late for."""
    from . import faults

    comm = group.transport.checking()
    others = [r for r in range(group.size()) if r != group.rank()]
    # Pickled tuples of ours, between the ranks of one job.
    sent = [comm.isend(tuple(call), r, 1) for r in others]
    waiting = {r: comm.irecv(1 << 16, r, 1) for r in others}
    found = {group.rank(): call}
    patience = float(os.environ.get("CHAINRULE_DEBUG_PATIENCE", _PATIENCE))
    began = time.monotonic()

    def all_here() -> bool:
        for rank in list(waiting):
            here, values = waiting[rank].test()
            if here:
                found[rank] = Call(*values)
                del waiting[rank]
        return not waiting and all(request.Test() for request in sent)

    if not mpi.wait_politely(all_here, patience, faults.Look(call.name, group)):
        late = ", ".join(map(str, sorted(waiting)))
        raise DistBackendError(
            f"Rank {group.rank()} is running collective: {call.shown()}\n  but rank(s) {late} "
            f"called no collective of this group within {time.monotonic() - began:.0f} s.\n"
            "  They compute still, wait elsewhere, or call collectives of another group."
        )
    return [found[rank] for rank in range(group.size())]
