"""Reshapes moved behind pointwise instructions, so that loops over the same elements meet.

A network of dense layers computes on a matrix (rows of all examples and steps), its user on arrays
of three or more axes: between any two layers stand reshapes there and back.  Loops over spaces of
different shape cannot be fused, so a pointwise instruction between two such reshapes runs on the
shape before the first one: f(reshape(x), y) becomes reshape(f(x, reshape(y))).
"""

from __future__ import annotations

from typing import Any

from ..graph.op_table import lowering
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter, is_move, simplify_move

Shape = tuple[int, ...]
_MOST = 4  # shapes that are remembered for a value


def sink_reshapes(graph: Graph) -> Graph:
    """Run pointwise instructions in the shape that their neighbours on both sides have."""
    wanted = _shapes_to_come(graph)
    if not wanted:
        return graph
    coming: dict[Value, set[Shape]] = wanted

    def rule(r: Rewriter, instr: Instr) -> Any:
        tag = lowering(instr.op).tag
        if tag == "move":
            return simplify_move(r, instr)
        if tag != "pointwise" or len(instr.outputs) != 1:
            return None
        return _in_other_shape(r, instr, coming.get(instr.outputs[0], ()))

    return Rewriter(graph).run(rule)


def _is_reshape(instr: Instr | None) -> bool:
    return instr is not None and is_move(instr, "reshape")


def _shapes_to_come(graph: Graph) -> dict[Value, set[Shape]]:
    """The shapes that values, or what is computed from them element by element, are given later."""
    found: dict[Value, set[Shape]] = {}
    for instr in reversed(graph.instrs):
        if _is_reshape(instr):
            found.setdefault(instr.inputs[0], set()).add(instr.outputs[0].shape)
        elif lowering(instr.op).tag == "pointwise" and instr.outputs[0] in found:
            (out,) = instr.outputs
            for v in instr.values:
                if v.shape == out.shape:
                    known = found.setdefault(v, set())
                    known |= set(list(found[out])[: max(0, _MOST - len(known))])
    return found


def _in_other_shape(r: Rewriter, instr: Instr, coming: Any) -> Any:
    (out,) = instr.outputs
    for x in instr.values:
        maker = r.made.get(x)
        if x.shape != out.shape or not _is_reshape(maker):
            continue
        shape = maker.inputs[0].shape  # pyright: ignore[reportOptionalMemberAccess]
        # Towards fewer axes alone: sums over rows are written for matrices.
        if len(shape) < out.ndim and shape in coming:
            groups = axis_groups(out.shape, shape)
            operands = [_regrouped(r, y, out.shape, groups) for y in instr.inputs]
            if groups is None or any(y is None for y in operands):
                continue
            result = r.emit(instr.op, *operands, **instr.params)
            r.made[result].source = instr.source
            if result.dtype == out.dtype and result.shape == shape:
                return r.emit("reshape", result, shape=out.shape)
    return None


def axis_groups(shape: Shape, other: Shape) -> list[tuple[Shape, Shape]] | None:
    """The axes of both shapes in the smallest groups with equal numbers of elements.

    >>> axis_groups((12, 64, 128), (768, 128))
    [((12, 64), (768,)), ((128,), (128,))]
    """
    groups, i, j = [], 0, 0
    while i < len(shape) or j < len(other):
        first_i, first_j = i, j
        a = b = 1
        while i == first_i or j == first_j or a != b:
            if (a <= b or j == len(other)) and i < len(shape):
                a *= shape[i]
                i += 1
            elif j < len(other):
                b *= other[j]
                j += 1
            else:
                break
        if a != b:
            return None
        groups.append((shape[first_i:i], other[first_j:j]))
    return groups


def _regrouped(r: Rewriter, x: Any, shape: Shape, groups: Any) -> Any:
    """An operand that broadcasts to the other shape as x does to the first; None if it cannot."""
    if not isinstance(x, Value) or x.ndim == 0:
        return x
    if groups is None:
        return None
    sizes = (*(1,) * (len(shape) - x.ndim), *x.shape)
    target: list[int] = []
    at = 0
    for ours, theirs in groups:
        part = sizes[at : at + len(ours)]
        at += len(ours)
        if part == ours:
            target += theirs
        elif all(n == 1 for n in part):
            target += [1] * len(theirs)
        else:
            return None
    maker = r.made.get(x)
    wanted = tuple(target)
    if maker is not None and _is_reshape(maker) and maker.inputs[0].shape == wanted:
        return maker.inputs[0]
    return x if x.shape == wanted else r.emit("reshape", x, shape=wanted)
