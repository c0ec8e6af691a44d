"""Compute large values once more instead of keeping them from the forward to the backward pass.

What the backward pass reads of the forward pass lies in memory while all else is computed. A value
that follows element by element from another that is kept anyway, as an activation from its
argument, is made again where it is wanted: a loop near there reads that other one in any case, and
the two become one loop.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Instr, Value
from ..scalars.expressions import supported

_LARGE = 1 << 18  # bytes of a value that is worth it
_SMALL_SHARE = 16  # times smaller than that: what may be kept longer
_FAR = 64  # instructions between the uses
_NEAR = 48  # instructions from the last of them to the loop that reads the same
_MOST = 12  # instructions that are run again for one value


class _Choice(NamedTuple):
    """A value, the positions at which it is read late, and the large values it is made from."""

    value: Value
    late: list[int]
    anchors: set[Value]


def compute_again(graph: Graph) -> Graph:
    """The same program, with late uses of some values replaced by new computations of them."""
    return _Again(graph).run()


class _Again:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.made = graph.producers()
        self.results = {self._origin(v) for v in graph.results()}
        self.uses: dict[Value, list[int]] = {}  # positions, ascending; moves do not count
        for i, instr in enumerate(graph.instrs):
            if not self._is_move(instr):
                for v in {self._origin(x) for x in instr.values}:
                    self.uses.setdefault(v, []).append(i)
        self.position = {v: i for i, instr in enumerate(graph.instrs) for v in instr.outputs}

    def run(self) -> Graph:
        choices = self._choices()
        if not choices:
            return self.graph
        wanted = {(i, c.value) for c in choices for i in c.late}
        result = self.graph.copy()
        result.instrs = []
        self.new: dict[Value, Value] = {}
        self.into = result.instrs
        chosen = {c.value for c in choices}
        self.kept = set().union(*(c.anchors for c in choices))
        for i, instr in enumerate(self.graph.instrs):
            late = {
                x: self._again(x)
                for x in instr.values
                if self._origin(x) in chosen
                and not self._is_move(instr)
                and (i, self._origin(x)) in wanted
            }
            if late:
                instr = instr.with_inputs(
                    tuple(late.get(x, x) if isinstance(x, Value) else x for x in instr.inputs)
                )
            result.instrs.append(instr)
        return result

    def _again(self, value: Value) -> Value:
        """A new value that is computed as this one was."""
        instr = self.made.get(value)
        if instr is None or value in self.kept or self._is_small(value):
            return value
        found = self.new.get(value)
        if found is None:
            found = self.new[value] = Value(value.shape, value.dtype, value.weak)
            inputs = [self._again(x) if isinstance(x, Value) else x for x in instr.inputs]
            self.into.append(Instr(instr.op, inputs, instr.params, (found,), instr.source))
        return found

    # ---- choosing --------------------------------------------------------------------------------

    def _choices(self) -> list[_Choice]:
        large = [v for v in self.uses if _bytes(v) >= _LARGE and v not in self.results]
        found: list[_Choice] = []
        taken: set[Value] = set()  # chosen, or needed for one that is
        for v in sorted(large, key=_bytes, reverse=True):
            choice = self._choice(v) if v not in taken else None
            if choice is None:
                continue
            needed = {self._origin(a) for a in choice.anchors}
            if not taken & needed:
                found.append(choice)
                taken |= {v} | needed
        return found

    def _choice(self, v: Value) -> _Choice | None:
        instr = self.made.get(v)
        if instr is None or not _elementwise(instr):
            return None
        seen = [self.position[v], *self.uses[v]]
        gaps = [b - a for a, b in pairwise(seen)]
        widest = max(range(len(gaps)), key=gaps.__getitem__)
        if gaps[widest] < _FAR:
            return None
        late = seen[widest + 1 :]
        anchors: set[Value] = set()
        count = self._walk(v, late, anchors, 0)
        if count > _MOST or not any(self._read_near(a, late[-1]) for a in anchors):
            return None
        return _Choice(v, late, anchors)

    def _walk(self, v: Value, late: list[int], anchors: set[Value], count: int) -> int:
        """Collect what v is made from and is there late; how many instructions that takes."""
        instr = self.made[v]
        if not (_elementwise(instr) or self._is_move(instr)) or count >= _MOST:
            return _MOST + 1
        count += not self._is_move(instr)
        for x in instr.values:
            if x not in self.made or self._is_small(x):
                continue
            origin = self._origin(x)
            if self.uses.get(origin, [0])[-1] > late[0] or origin in self.results:
                if origin in self.made:
                    anchors.add(x)
                continue
            count = self._walk(x, late, anchors, count)
        return count

    def _read_near(self, anchor: Value, last: int) -> bool:
        """Whether a loop reads an anchor after the last late use, not far away."""
        uses = self.uses.get(self._origin(anchor), [])
        following = uses[bisect_left(uses, last + 1) :]
        return bool(following) and following[0] - last < _NEAR

    # ---- small questions -------------------------------------------------------------------------

    def _is_move(self, instr: Instr) -> bool:
        return lowering(instr.op).tag == "move"

    def _is_small(self, v: Value) -> bool:
        return _bytes(v) * _SMALL_SHARE <= _LARGE

    def _origin(self, v: Value) -> Value:
        """The value whose memory this one shows."""
        instr = self.made.get(v)
        while instr is not None and self._is_move(instr):
            v = next(instr.values)
            instr = self.made.get(v)
        return v


def _bytes(v: Value) -> int:
    return v.size * v.dtype.itemsize


def _elementwise(instr: Instr) -> bool:
    return (
        lowering(instr.op).tag == "pointwise"
        and len(instr.outputs) == 1
        and not lookup(instr.op).random
        and supported(instr)
    )
