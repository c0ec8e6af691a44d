"""Transposes that a matrix product can read through."""

from __future__ import annotations

from typing import Any

from ..graph.op_table import lowering
from ..graph.program import Graph, Instr
from ..graph.rewriter import Rewriter, permutation
from .transposes import swaps_last


def fold_transposes(graph: Graph) -> Graph:
    """Matrix products read transposed operands through BLAS flags instead of copies."""
    return Rewriter(graph).run(_fold_transpose)


def _fold_transpose(r: Rewriter, instr: Instr) -> Any:
    if swaps_last(permutation(instr)):
        product = r.made.get(instr.inputs[0])
        if product is None or product.op != "gemm":
            return None
        a, b = product.inputs  # (a b)^T = b^T a^T
        return r.emit("gemm", b, a, ta=not product.params["tb"], tb=not product.params["ta"])
    if lowering(instr.op).tag != "contract":
        return None
    flags, operands = [], []
    for x, name in zip(instr.inputs, ("ta", "tb"), strict=True):
        flag = instr.params.get(name, False)
        maker = r.made.get(x)
        if maker is not None and swaps_last(permutation(maker)):
            x, flag = maker.inputs[0], not flag
        operands.append(x)
        flags.append(flag)
    return r.emit("gemm", *operands, ta=flags[0], tb=flags[1])
