"""Rewrites of a graph that leave its meaning unchanged, with a verifier to check them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ir
from ..ops.halves import is_half
from .again import compute_again
from .followed import exact
from .graph import Graph, Instr, Value, verify, verifying
from .infer import infer, shape_of
from .interpret import run_instr
from .reshapes import sink_reshapes
from .rewrite import Rewriter, is_move, permutation, simplify_move
from .symbolic import GRAPHS, Sym
from .table import lookup, lowering, models_of_results
from .transposes import raise_transposes, swaps_last
from .views import c_strides, dense_like, rearrange

# Larger results of constant expressions are computed in every call rather than kept in memory.
_FOLD_LIMIT = 1 << 16


# ---- decompositions --------------------------------------------------------------------------


def expand(graph: Graph) -> Graph:
    """Replace ops that are written in other ops by their pieces, until none is left."""
    while True:
        rewriter = Rewriter(graph)
        count = len(graph.instrs)
        graph = rewriter.run(_expand)
        if len(graph.instrs) == count:
            return graph


def _expand(r: Rewriter, instr: Instr) -> Any:
    lower = lowering(instr.op)
    if not isinstance(lower, ir.Compose) or _in_half(instr):
        return None
    start = len(r.graph.instrs)
    arrays = [Sym(r.graph, x) if isinstance(x, Value) else x for x in instr.inputs]
    try:
        result = GRAPHS.bind(lower.function)(*arrays, **lower.params(instr.params))
    except (TypeError, NotImplementedError):  # a piece refuses this dtype
        result = None
    results = result if isinstance(result, tuple) else (result,)
    if result is None or not _same_types(results, instr.outputs):
        # No decomposition for this case (or one that is not meant for this dtype): an extern.
        del r.graph.instrs[start:]
        return None
    for piece in r.graph.instrs[start:]:
        piece.source = instr.source
        for v in piece.outputs:
            r.made[v] = piece
    values = tuple(x.value for x in results)
    return values if isinstance(result, tuple) else values[0]


def _in_half(instr: Instr) -> bool:
    """Whether half precision takes part: pieces would each round it, the op does so once."""
    return any(is_half(v.dtype) for v in (*instr.values, *instr.outputs))


def _same_types(results: tuple[Any, ...], outputs: tuple[Value, ...]) -> bool:
    return len(results) == len(outputs) and all(
        isinstance(x, Sym) and (x.shape, x.dtype) == (v.shape, v.dtype)
        for x, v in zip(results, outputs, strict=True)
    )


# ---- algebra ---------------------------------------------------------------------------------


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
            return x
    body = lowering(instr.op).body(len(instr.inputs), instr.params)
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


# ---- constants, duplicates, dead code --------------------------------------------------------


def fold_constants(graph: Graph) -> Graph:
    """Compute now what depends on constants only."""
    return Rewriter(graph).run(_fold)


def _fold(r: Rewriter, instr: Instr) -> Any:
    constants = r.graph.constants
    if len(instr.outputs) != 1 or instr.outputs[0].size > _FOLD_LIMIT or instr.op == "iota":
        return None
    if lookup(instr.op).random:
        return None
    if any(x not in constants for x in instr.values):
        return None
    with np.errstate(all="ignore"):
        (result,) = run_instr(instr, dict(constants))
    return r.graph.constant(np.array(result))


def merge_duplicates(graph: Graph) -> Graph:
    """Common subexpressions are computed once."""
    seen: dict[Any, Value] = {}

    def rule(r: Rewriter, instr: Instr) -> Any:
        if len(instr.outputs) != 1 or lookup(instr.op).random:
            return None
        key = (
            instr.op,
            tuple(id(x) if isinstance(x, Value) else exact(x) for x in instr.inputs),
            repr(sorted(instr.params.items(), key=lambda item: item[0])),
            instr.outputs[0].type,
        )
        found = seen.setdefault(key, instr.outputs[0])
        return None if found is instr.outputs[0] else found

    return Rewriter(graph).run(rule)


def drop_dead(graph: Graph) -> Graph:
    """Remove what nothing reads; random ops stay, because they move the generator on."""
    live = set(graph.results())
    kept = []
    for instr in reversed(graph.instrs):
        if lookup(instr.op).random or any(v in live for v in instr.outputs):
            kept.append(instr)
            live.update(instr.values)
    result = graph.copy()
    result.instrs = kept[::-1]
    result.constants = {v: a for v, a in graph.constants.items() if v in live}
    return result


# ---- layout ----------------------------------------------------------------------------------


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


PIPELINE = (
    expand,
    fold_constants,
    simplify,
    merge_duplicates,
    fold_constants,
    simplify,
    sink_reshapes,
    drop_dead,
    raise_transposes,
    fold_transposes,
    drop_dead,
    compute_again,
    settle_layout,
)


def optimise(graph: Graph, log: Callable[[str, Graph], None] | None = None) -> Graph:
    """Run all passes; the verifier runs at the end, with CHAINRULE_VERIFY=1 after each."""
    every = verifying()
    for step in PIPELINE:
        graph = step(graph)
        if every or step is PIPELINE[-1]:
            verify(graph, step.__name__)
        if log:
            log(step.__name__, graph)
    return graph
