"""One backward pass that keeps what `backward()` drops: the gradient at every vertex and link.

The pass reads only: no hooks run, no `.grad` is written, nothing is freed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..autograd.state import STATE
from .nodes import Link, Tape, Vertex

Slots = list[Any]  # the gradients of a vertex's outputs, None where none arrived


@contextmanager
def only_reading() -> Iterator[None]:
    """Rules run inside are part of no `backward()`: one that would write `.grad` refuses."""
    STATE.partial_passes += 1
    try:
        yield
    finally:
        STATE.partial_passes -= 1


class Cotangents:
    """The gradient of one output with respect to every vertex behind it."""

    def __init__(self) -> None:
        self._at: dict[int, Slots] = {}

    def of(self, v: Vertex, nr: int = 0) -> np.ndarray | None:
        """The gradient at output `nr` of a vertex; None where nothing flows."""
        slots = self._at.get(v.key)
        return None if slots is None or nr >= len(slots) else slots[nr]

    def slots(self, v: Vertex) -> Slots | None:
        return self._at.get(v.key)

    def add(self, v: Vertex, nr: int, g: Any) -> None:
        slots = self._at.setdefault(v.key, [None] * outputs_of(v))
        slots[nr] = g if slots[nr] is None else slots[nr] + g

    def set(self, v: Vertex, slots: Slots) -> None:
        self._at[v.key] = slots


def outputs_of(v: Vertex) -> int:
    """How many outputs a vertex has."""
    if v.node is None or not v.node.multi:
        return 1
    return len(v.node.meta)


def incoming(v: Vertex, slots: Slots) -> Any:
    """The gradient as the node's rules take it: an array, or one per output."""
    if v.node is None or not v.node.multi:
        return slots[0]
    if not getattr(v.node, "materialise", True):
        return list(slots)
    return [
        np.zeros(*v.node.meta[k]) if g is None and v.node.meta[k] is not None else g
        for k, g in enumerate(slots)
    ]


def cotangents(
    tape: Tape, seed: Any = None, visit: Callable[[Link, Any, Any], None] | None = None
) -> Cotangents:
    """The gradients at every vertex; `visit(link, g_in, g_out)` sees each link on the way.

    `g_in` is the gradient that arrives at the link's child (an array, or a list of one per output),
    `g_out` what the link hands on to its parent (None where nothing flows). `seed` is the gradient
    of the output: ones of its shape unless given.
    """
    found = Cotangents()
    value = tape.tensor._a
    seed = np.ones(value.shape, value.dtype) if seed is None else np.asarray(seed, value.dtype)
    found.add(tape.root, tape.root_nr, seed)
    for v in tape.order:
        slots = found.slots(v)
        if slots is None or v.node is None or not v.inputs:
            continue
        g = incoming(v, slots)
        with only_reading():
            grads = v.node.vjp(g, v.node.parents)
        for link in v.inputs:
            out = grads[link.position] if link.position < len(grads) else None
            if visit is not None:
                visit(link, g, out)
            if out is not None:
                found.add(link.parent, link.nr, out)
    return found


__all__ = ["Cotangents", "cotangents", "incoming", "only_reading", "outputs_of"]
