"""Convolutions whose windows are single points: products of matrices, which loops can join.

As an op of its own such a convolution runs in a step of Python between segments of machine code,
which takes as long as the product where images are small.
"""

from __future__ import annotations

import math
from typing import Any

from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter

_OPS = ("convolution", "convolution_no_bias", "conv_input", "conv_weight")
_MANY_POINTS = 64  # of an image, from which on it does not matter if they fill vectors
_VECTOR, _FILLED = 16, 0.9  # else several images are multiplied together, which is left to the op


def multiply_points(graph: Graph) -> Graph:
    """Convolutions of single points with stride 1 become products of matrices."""
    if not any(instr.op in _OPS for instr in graph.instrs):
        return graph
    return Rewriter(graph).run(_multiply)


def _multiply(r: Rewriter, instr: Instr) -> Any:
    if instr.op not in _OPS or not all(isinstance(x, Value) for x in instr.inputs):
        return None
    params, (out,), (first, second) = instr.params, instr.outputs, instr.inputs[:2]
    kernel = params["kernel"] if instr.op == "conv_weight" else second.shape
    single = all(k == 1 for k in kernel[2:]) and all(s == 1 for s in params["stride"])
    if not single or any(params["padding"]) or params["groups"] != 1:
        return None
    image = out.shape[2:] if instr.op != "conv_weight" else second.shape[2:]
    points = math.prod(image)
    fits = all(x.dtype.char in "fd" for x in (*instr.inputs, out)) and out.size > 0
    if not fits or first.shape[2:] != image or not (points == 1 or _fill_vectors(points)):
        return None
    if instr.op == "conv_weight":
        made = _kernel_gradient(r, first, second, points)
    else:
        bias = instr.inputs[2] if instr.op == "convolution" else None
        kernels = r.emit("reshape", second, shape=tuple(kernel[:2]))
        made = _product(r, first, kernels, points, instr.op == "conv_input", bias)
    return r.emit("reshape", made, shape=out.shape)


def _fill_vectors(points: int) -> bool:
    return points >= _MANY_POINTS or points >= _FILLED * _VECTOR * -(-points // _VECTOR)


def _product(
    r: Rewriter, x: Value, kernels: Value, points: int, back: bool, bias: Value | None
) -> Value:
    """Kernels times the channels of every point; `back` from results to images."""
    if points == 1:
        rows = r.emit("reshape", x, shape=x.shape[:2])
        factor = kernels if back else r.emit("transpose", kernels, perm=(1, 0))
        made = r.emit("matmul", rows, factor)
        return made if bias is None else r.emit("add", made, bias)
    columns = r.emit("reshape", x, shape=(*x.shape[:2], points))
    factor = r.emit("transpose", kernels, perm=(1, 0)) if back else kernels
    made = r.emit("matmul", factor, columns)
    if bias is None:
        return made
    return r.emit("add", made, r.emit("reshape", bias, shape=(*bias.shape, 1)))


def _kernel_gradient(r: Rewriter, x: Value, gradient: Value, points: int) -> Value:
    if points == 1:
        images, pulled = (r.emit("reshape", v, shape=v.shape[:2]) for v in (x, gradient))
        return r.emit("matmul", r.emit("transpose", pulled, perm=(1, 0)), images)
    images, pulled = (r.emit("reshape", v, shape=(*v.shape[:2], points)) for v in (x, gradient))
    each = r.emit("matmul", pulled, r.emit("transpose", images, perm=(0, 2, 1)))
    return r.emit("reduce_sum", each, axis=(0,), keepdims=False)
