"""Whether what a program writes lies apart from all else that it uses, in every call.

A plan reads its inputs when it needs them and writes what it writes at the end or on the way: where
they share memory the function has to run as it stands. Tensors that a function closes over keep
their memory, mostly; when one of them shows other memory (`x.data = ...`, `x.set_(...)`) all are
looked at again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.layout import overlaps_itself
from .program import Program, Source
from .tracer import CaptureError


class Apart:
    """Looks at the memory of one program."""

    def __init__(self, program: Program) -> None:
        leaves = program.second.leaves
        written = {k for _, k in program.graph.writes}
        sources = [(s, i in written) for i, s in enumerate(program.sources)]
        reason = _why_not([(_array_of(s, leaves), w) for s, w in sources])
        if reason:
            raise CaptureError(reason)
        self._lasting = [(s, w) for s, w in sources if s.kind in ("tensor", "grad")]
        self._given = {s.what: w for s, w in sources if s.kind == "argument"}
        self._written = [i for i, is_written in self._given.items() if is_written]
        # Those whose memory matters, which guards watch.
        self.tensors = [s.what for s, _ in self._lasting if s.kind == "tensor"]
        self._strides = [t._a.strides for t in self.tensors]  # they decide what is a view
        self._remember()

    def _remember(self) -> None:
        """What lies where now."""
        arrays = [(_array_of(s, []), w) for s, w in self._lasting]
        every = [a for a, _ in arrays if a is not None]
        of_written = [a for a, is_written in arrays if is_written and a is not None]
        roots = frozenset(map(_root, every)), frozenset(map(_root, of_written))
        self._apart = [(i, roots[0 if w else 1], every if w else of_written)
                       for i, w in self._given.items()]  # fmt: skip
        self._memory = [t._a for t in self.tensors]

    def look(self) -> bool:
        """Whether tensors that show other memory now, as guards found out, lie apart too."""
        if [t._a.strides for t in self.tensors] != self._strides:
            return False
        if any(t._a is not a for t, a in zip(self.tensors, self._memory, strict=True)):
            if _why_not([(_array_of(s, []), w) for s, w in self._lasting]):
                return False
            self._remember()
        return True

    def holds(self, leaves: list[Any]) -> bool:
        """Whether what is written shares memory with no argument, and no argument with it."""
        for i, roots, arrays in self._apart:
            array = leaves[i]._a
            base = array.base
            if base is not None and (base.__class__ is not np.ndarray or base.base is not None):
                # Somebody else's memory, which several arrays may show that do not share a base.
                if any(np.may_share_memory(array, other) for other in arrays):
                    return False
            elif id(array if base is None else base) in roots:
                return False
        return not self._written or self._apart_from_others(leaves)

    def _apart_from_others(self, leaves: list[Any]) -> bool:
        """Whether arguments that are written can be, and share memory with no other argument."""
        if not all(leaves[k]._a.flags.writeable for k in self._written):
            return False
        arrays = [x._a for x in leaves if hasattr(x, "_a")]
        return not any(
            other is not leaves[k]._a and np.may_share_memory(leaves[k]._a, other)
            for k in self._written
            for other in arrays
        )


def _why_not(arrays: list[tuple[Any, bool]]) -> str:
    """Why a plan cannot write what it writes; nothing where it can."""
    if any(is_written and a is not None and overlaps_itself(a) for a, is_written in arrays):
        return "a tensor that the function writes overlaps itself in memory"
    ends = sorted(
        (*np.lib.array_utils.byte_bounds(a), is_written)
        for a, is_written in arrays
        if a is not None and a.size
    )
    reach = reach_written = 0
    for start, end, is_written in ends:
        if start < reach_written or (is_written and start < reach):
            return "two tensors that the function uses share memory"
        reach = max(reach, end)
        if is_written:
            reach_written = max(reach_written, end)
    return ""


def _root(array: Any) -> int:
    """What the arrays of one piece of memory have in common."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return id(array)


def _array_of(where: Source, leaves: list[Any]) -> Any:
    if where.kind == "argument":
        return leaves[where.what]._a
    if where.kind == "grad":
        return where.what._grad._a if where.what._grad is not None else None
    return where.what._a if where.kind == "tensor" else None
