"""Arithmetic that need not be done: neutral numbers, constants behind broadcasts, empty sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter, is_move, simplify_move
from ..graph.types import infer, shape_of


def simplify(graph: Graph) -> Graph:
    """Identities of arithmetic and of rearrangements."""
    return Rewriter(graph).run(_simplify)


def _simplify(r: Rewriter, instr: Instr) -> Any:
    tag = lowering(instr.op).tag
    if tag == "pointwise":
        return _simplify_pointwise(r, instr)
    if tag == "move":
        return simplify_move(r, instr)
    if tag == "reduce":
        return _simplify_reduce(r, instr)
    return None


# op -> (position of the operand that is kept, number on the other side)
_NEUTRAL = {
    "add": [(0, 0), (1, 0)],
    "sub": [(0, 0)],
    "mul": [(0, 1), (1, 1)],
    "div": [(0, 1)],
    "pow": [(0, 1)],
}


def _simplify_pointwise(r: Rewriter, instr: Instr) -> Any:
    (out,) = instr.outputs
    for i in range(len(instr.inputs)):
        instr.inputs = (*instr.inputs[:i], _plainer(r, instr, i), *instr.inputs[i + 1 :])
    for kept, number in _NEUTRAL.get(instr.op, ()):
        x, other = instr.inputs[kept], instr.inputs[1 - kept]
        if not isinstance(other, Value) and other == number and _same_type(x, out):
            if number == 0 and _moves_zero(instr.op, other, out):
                continue
            if out.dtype.kind == "c" and instr.op in ("mul", "div"):
                continue  # infinities times 1 + 0j become NaN
            return x
    body = lowering(instr.op).body(len(instr.inputs), instr.params)  # pyright: ignore[reportAttributeAccessIssue]
    if body.op == "arg" and _same_type(instr.inputs[body.value], out):
        return instr.inputs[body.value]  # a copy or a cast to the same type
    if instr.op == "neg":
        inner = r.made.get(instr.inputs[0])
        if inner is not None and inner.op == "neg":
            return inner.inputs[0]
    return _hoist_broadcast(r, instr)


def _moves_zero(op: str, zero: Any, out: Value) -> bool:
    """Whether -0.0 becomes 0.0 when this zero is added to it, or subtracted from it."""
    negative = isinstance(zero, float) and math.copysign(1, zero) < 0
    return out.dtype.kind not in "biu" and negative == (op == "sub")


def _same_type(x: Any, out: Value) -> bool:
    return isinstance(x, Value) and not x.weak and (x.shape, x.dtype) == (out.shape, out.dtype)


def _plainer(r: Rewriter, instr: Instr, position: int) -> Any:
    """A simpler operand with the same effect: before a broadcast, or a number for a constant."""
    x = instr.inputs[position]
    if not isinstance(x, Value):
        return x
    candidates: list[Any] = []
    array = r.graph.constants.get(x)
    if array is not None and array.size and array.dtype.kind != "c" and _uniform(array):
        candidates.append(array.flat[0].item())
        if array.ndim:
            candidates.append(r.graph.constant(array.flat[0].reshape(())))
    maker = r.made.get(x)
    if maker is not None and is_move(maker, "broadcast"):
        candidates.append(maker.inputs[0])
    expected = [(instr.outputs[0].shape, instr.outputs[0].dtype)]
    if getattr(lookup(instr.op), "promote", "") == "none":  # its function takes arrays alone
        candidates = [c for c in candidates if isinstance(c, Value)]
    for candidate in candidates:
        inputs = [*instr.inputs[:position], candidate, *instr.inputs[position + 1 :]]
        some = any(isinstance(i, Value) for i in inputs)
        if some and infer(instr.op, inputs, instr.params) == expected:
            return candidate
    return x


def _uniform(array: np.ndarray) -> bool:
    """Whether all elements are the same number, with the same sign of zero."""
    first = array.flat[0]
    if array.size == 1:
        return True
    same = bool((array == first).all())  # a NaN differs from itself
    return same and not (array.dtype.kind == "f" and np.signbit(array).any() and first == 0)


def _hoist_broadcast(r: Rewriter, instr: Instr) -> Any:
    """op(broadcast(x), 2) -> broadcast(op(x, 2)): compute before repeating."""
    (out,) = instr.outputs
    sources = []
    for x in instr.inputs:
        if not isinstance(x, Value) or x.size == 1:
            sources.append(x)
            continue
        maker = r.made.get(x)
        if maker is None or not is_move(maker, "broadcast"):
            return None
        sources.append(maker.inputs[0])
    shape = np.broadcast_shapes(*map(shape_of, sources))
    if shape == out.shape or not any(isinstance(s, Value) for s in sources):
        return None
    return r.emit("broadcast_to", r.emit(instr.op, *sources, **instr.params), shape=out.shape)


def _simplify_reduce(r: Rewriter, instr: Instr) -> Any:
    """A fold over axes of length one (or none) only rearranges."""
    (x,), (out,) = instr.inputs, instr.outputs
    if x.size == out.size and x.dtype == out.dtype and x.size:
        return x if x.shape == out.shape else r.emit("reshape", x, shape=out.shape)
    return None
