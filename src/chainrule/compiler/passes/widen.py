"""Half precision in a graph: computed in float32, rounded where an op's result is.

float16 and bfloat16 are types to store numbers in.  An op on them becomes casts to float32, the op,
and casts of its results, which loops do in passing; what comes out is what the op itself gives,
since it widens and rounds in the same places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ir
from ...ops.halves import is_half
from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter
from ..graph.types import infer

_SINGLE = np.dtype(np.float32)
# They only rearrange: pieces of them round nothing.
ARRANGING = frozenset({"split", "split_with_sizes", "embedding", "index_get"})
# Called in NumPy, which would widen in copies of its own.
_CALLED = frozenset({
    "attention", "convolution", "convolution_no_bias", "conv_input", "conv_weight", "nll_loss",
    "embedding_sum", "max_pool2d", "avg_pool2d",
})  # fmt: skip


def widen_halves(graph: Graph) -> Graph:
    """Every op on half precision that computes something, in float32."""
    if not any(in_half(instr) for instr in graph.instrs):
        return graph
    return Rewriter(graph).run(_Widening())


def in_half(instr: Instr) -> bool:
    """Whether half precision takes part."""
    return any(is_half(v.dtype) for v in (*instr.values, *instr.outputs))


class _Widening:
    """The rule, which keeps what it has widened."""

    def __init__(self) -> None:
        self.known: dict[Value, Value] = {}

    def __call__(self, r: Rewriter, instr: Instr) -> Any:
        if not in_half(instr) or not _widens(instr):
            return None
        outputs = [Value(v.shape, _SINGLE if is_half(v.dtype) else v.dtype) for v in instr.outputs]
        given = [
            Value(x.shape, _SINGLE) if isinstance(x, Value) and is_half(x.dtype) else x
            for x in instr.inputs
        ]
        types = infer(instr.op, given, instr.params)
        if types is not None and types != [(v.shape, v.dtype) for v in outputs]:
            return None
        inputs = tuple([self._wide(r, x) for x in instr.inputs])
        wide = r.graph.append(instr.op, inputs, instr.params, outputs)
        wide.source = instr.source
        for v in outputs:
            r.made[v] = wide
        results = tuple([
            r.emit("cast", v, dtype=old.dtype) if is_half(old.dtype) else v
            for v, old in zip(outputs, instr.outputs, strict=True)
        ])  # fmt: skip
        return results if len(results) > 1 else results[0]  # pyright: ignore[reportGeneralTypeIssues]

    def _wide(self, r: Rewriter, x: Any) -> Any:
        """An operand in float32; what rearranges does so afterwards, so that it costs no copy."""
        if not isinstance(x, Value) or not is_half(x.dtype):
            return x
        found = self.known.get(x)
        if found is None:
            maker = r.made.get(x)
            if maker is not None and lowering(maker.op).tag == "move":
                inner = self._wide(r, maker.inputs[0])
                found = r.emit(maker.op, inner, **maker.params)
            else:
                found = r.emit("cast", x, dtype=_SINGLE)
            self.known[x] = found
        return found


def _widens(instr: Instr) -> bool:
    record, lower = lookup(instr.op), lowering(instr.op)
    if getattr(record, "random", False) or any(v.weak for v in instr.values):
        return False
    if lower.tag == "pointwise":
        body = lower.body(len(instr.inputs), instr.params)  # pyright: ignore[reportAttributeAccessIssue]
        # (`function` is the form that does not widen.)
        return body.op != "arg" and getattr(record, "function", None) is not record.forward
    if isinstance(lower, ir.Compose):
        return instr.op not in ARRANGING
    return lower.tag in ("contract", "reduce") or instr.op in _CALLED
