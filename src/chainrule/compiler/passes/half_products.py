"""Products of half precision by the processor's own instructions, where it has them.

An earlier pass widened their factors to float32. A product whose factors are both bfloat16 numbers
is the same sum without that, at half the memory and twice the speed; its result stays in float32
until the op that asked for it rounds.
"""

from __future__ import annotations

from typing import Any

from ...ops.halves import is_bfloat16
from ..graph.op_table import lowering
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter
from ..machine import host, worker_threads

LEAST_SIDE, LEAST_WORK = 8, 1 << 15  # smaller products are loops of their own, in float32


def narrow_products(graph: Graph) -> Graph:
    """Products of widened bfloat16 factors read the factors as they were."""
    if not any(is_bfloat16(v.dtype) for instr in graph.instrs for v in instr.values):
        return graph
    able = host.llvm_available() and host.multiplies_halves()
    if not able or worker_threads.shared() is None:
        return graph
    return Rewriter(graph).run(_narrow_product)


def _narrow_product(r: Rewriter, instr: Instr) -> Any:
    if instr.op != "gemm" or not _is_large(instr):
        return None
    places = [_before_widening(r, x) for x in instr.inputs]
    if None in places:
        return None
    factors = [_moved(r, *place) for place in places]  # pyright: ignore[reportArgumentType, reportOptionalIterable]
    return r.emit("gemm_of_halves", *factors, **instr.params)


def _is_large(instr: Instr) -> bool:
    (m, n), a = instr.outputs[0].shape[-2:], instr.inputs[0]
    k = a.shape[-2] if instr.params["ta"] else a.shape[-1]
    return min(m, n, k) >= LEAST_SIDE and m * n * k >= LEAST_WORK


def _before_widening(r: Rewriter, x: Value) -> tuple[Value, list[Instr]] | None:
    """The bfloat16 value that was widened to x, and how it was rearranged after that."""
    moves: list[Instr] = []
    maker = r.made.get(x)
    while maker is not None and lowering(maker.op).tag == "move":
        moves.append(maker)
        maker = r.made.get(maker.inputs[0])
    if maker is None or maker.op != "cast":
        return None
    source = maker.inputs[0]
    return (
        (source, moves[::-1]) if isinstance(source, Value) and is_bfloat16(source.dtype) else None
    )


def _moved(r: Rewriter, x: Value, moves: list[Instr]) -> Value:
    for move in moves:
        x = r.emit(move.op, x, **move.params)
    return x
