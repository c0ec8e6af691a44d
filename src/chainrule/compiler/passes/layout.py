"""Results whose order of axes in memory the user sees."""

from __future__ import annotations

from typing import Any

from ..graph.op_table import lowering, models_of_results
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter
from ..graph.views import c_strides, dense_like, rearrange


def settle_layout(graph: Graph) -> Graph:
    """Insert copies so that every remaining move is a view of the buffer it rearranges."""
    layouts: dict[Value, Any] = {}

    def layout(x: Value) -> Any:
        return layouts.get(x) or (x.shape, c_strides(x.shape), 0)

    def rule(r: Rewriter, instr: Instr) -> Any:
        if lowering(instr.op).tag != "move":
            for out, model in zip(instr.outputs, models_of_results(instr), strict=True):
                if model is not None:
                    layouts[out] = (out.shape, dense_like(*layout(model)[:2]), 0)
            return None
        (x,) = instr.inputs
        base = layout(x)
        found = rearrange(instr.op, instr.params, *base)
        if found is None:
            copied = r.emit("copy", x)
            instr.inputs = (copied,)
            found = rearrange(instr.op, instr.params, x.shape, c_strides(x.shape))
            assert found is not None, f"{instr.op} of a C-ordered array is no view"
        layouts[instr.outputs[0]] = found
        return None

    return Rewriter(graph).run(rule)
