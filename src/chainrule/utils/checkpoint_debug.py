"""`checkpoint(..., debug=True)`: the operations of both runs, side by side in the error."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..autograd import source
from ..autograd.state import OBSERVE, STATE
from ..autograd.value import TensorBase
from .checkpoint_frame import CheckpointError


class Recording:
    """What ran in the forward pass of a checkpointed function, and in its repetition."""

    def __init__(self) -> None:
        self.forward: list[str] = []
        self.repetition: list[str] = []

    def contexts(self) -> tuple[Any, Any]:
        """A `context_fn`: both runs write down their operations."""
        return observed(self.forward), observed(self.repetition)

    def explain(self, problem: CheckpointError) -> CheckpointError:
        """The error with both lists, and the first operation in which they differ."""
        found = CheckpointError(
            f"{problem}\n\nYou are seeing this error because you passed `debug=True` to checkpoint"
            "; this ran.\n\nOperations executed during the original forward:\n"
            f"{_numbered(self.forward)}\n\nOperations executed during recomputation:\n"
            f"{_numbered(self.repetition)}\n\n{self._first_difference()}"
        )
        self.repetition.clear()
        return found

    def _first_difference(self) -> str:
        for k, (a, b) in enumerate(zip(self.forward, self.repetition, strict=False)):
            if a != b:
                return (
                    f"They first differ in operation {k + 1}:\n  forward:    {a}\n  again:      {b}"
                )
        k = min(len(self.forward), len(self.repetition))
        if len(self.repetition) > k:
            return f"The recomputation went on: {self.repetition[k]}"
        if len(self.forward) > k:
            return f"The recomputation ended before: {self.forward[k]}"
        return "Both ran the same operations."


def _numbered(lines: list[str]) -> str:
    return "\n".join(f"  {k + 1:3}. {line}" for k, line in enumerate(lines)) or "  (none)"


@contextlib.contextmanager
def observed(log: list[str]) -> Iterator[None]:
    """Write every operation inside the block into a list: name, shapes and types, user line."""

    def note(op: Any, tensors: Any, outs: Any, params: Any) -> None:
        name = getattr(op, "name", getattr(op, "__name__", "?"))
        given = ", ".join(_shape(t) for t in tensors)
        made = ", ".join(_shape(t) for t in outs)
        log.append(f"{name}({given}) -> {made}   at {source.here()}")

    STATE.observers.append(note)
    STATE.turn_on(OBSERVE)
    try:
        yield
    finally:
        STATE.observers.remove(note)
        if not STATE.observers:
            STATE.turn_off(OBSERVE)


def _shape(t: Any) -> str:
    if not isinstance(t, TensorBase):
        return repr(t)
    return f"{t.dtype.name}{list(t.shape)}"
