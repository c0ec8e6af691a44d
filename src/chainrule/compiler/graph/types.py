"""Result types of ops, from their lowering: shapes by rule, dtypes by trying one element.

`infer` returns None for extern ops: their types are known from the traced call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .op_table import lookup, lowering
from .program import Graph, Value

Type = tuple[tuple[int, ...], np.dtype]

_dtypes: dict[Any, np.dtype] = {}


def infer(op: str, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type] | None:
    """The (shape, dtype) of each result, or None when only running the op can tell."""
    lower = lowering(op)
    rule = _RULES.get(lower.tag)
    return rule(op, lower, inputs, params) if rule else None


def emit(graph: Graph, op: str, *inputs: Any, **params: Any) -> Value:
    """Append an instruction, inferring its type; for passes and hand-built graphs."""
    types = infer(op, inputs, params)
    if types is None:
        raise TypeError(f"the result type of the extern op {op} must be given")
    outputs = [Value(*t) for t in types]
    graph.append(op, inputs, params, outputs)
    return outputs[0]


def shape_of(operand: Any) -> tuple[int, ...]:
    """The shape of a value; a literal number has none."""
    return operand.shape if isinstance(operand, Value) else ()


def _pointwise(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    shape = np.broadcast_shapes(*map(shape_of, inputs))
    return [(shape, _probe_dtype(op, inputs, params))]


def _index(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    return [(tuple(params["shape"]), np.dtype(np.int64))]


def _reduce(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    shape = shape_of(inputs[0])
    axes: set[int] = {a % len(shape) for a in params["axis"]} if shape else set()
    keep = params.get("keepdims", False)
    kept = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
    return [(tuple(kept), _probe_dtype(op, inputs, params))]


def _contract(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    a, b = inputs
    rows = a.shape[-1] if params.get("ta") else a.shape[-2]
    columns = b.shape[-2] if params.get("tb") else b.shape[-1]
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    summed = np.float32 if op == "gemm_of_halves" else np.result_type(a.dtype, b.dtype)
    return [((*batch, rows, columns), np.dtype(summed))]


def _move(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    # A one-byte stand-in that is never touched: arrangement does not depend on the element.
    result = lookup(op).forward(np.empty(inputs[0].shape, np.int8), **params)
    return [(result.shape, inputs[0].dtype)]


def _take(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    x, *indices = inputs
    free = x.shape[len(indices) :]
    return [(np.broadcast_shapes(free, *map(shape_of, indices)), x.dtype)]


def _scatter(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    return [(tuple(params["shape"]), inputs[0].dtype)]


def _join(op: str, lower: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type]:
    axis, first = params["axis"], inputs[0]
    length = sum(x.shape[axis] for x in inputs)
    return [((*first.shape[:axis], length, *first.shape[axis + 1 :]), first.dtype)]


_RULES: dict[str, Any] = {
    "pointwise": _pointwise,
    "index": _index,
    "reduce": _reduce,
    "contract": _contract,
    "move": _move,
    "take": _take,
    "scatter": _scatter,
    "join": _join,
}


# They keep the type, and may refuse the ones that others are tried with.
_CHECKS = {"expected", "checked_index", "checked_class"}


def _probe_dtype(op: str, inputs: Sequence[Any], params: Mapping[str, Any]) -> np.dtype:
    """The result's dtype, by running the op's forward once per combination on single elements."""
    if op in _CHECKS:
        return inputs[0].dtype
    kinds: tuple[Any, ...] = tuple(
        (x.dtype, x.weak, x.ndim) if isinstance(x, Value) else (type(x), True, 0) for x in inputs
    )
    key: Any = (op, kinds, tuple(sorted((k, repr(v)) for k, v in params.items())))
    found = _dtypes.get(key)
    if found is None:
        found = _dtypes[key] = _kept_dtype(op, inputs) or _result_of_ones(op, inputs, params)
    return found


def _kept_dtype(op: str, inputs: Sequence[Any]) -> np.dtype | None:
    """The dtype of a function of one float array, without loading the library that has it."""
    same = len(inputs) == 1 and getattr(lookup(op), "promote", None) == "float"
    found: np.dtype | None = inputs[0].dtype if same and not inputs[0].weak else None
    return found if found in (np.dtype(np.float32), np.dtype(np.float64)) else None


def _result_of_ones(op: str, inputs: Sequence[Any], params: Mapping[str, Any]) -> np.dtype:
    return np.asarray(lookup(op).forward(*[_one(x) for x in inputs], **params)).dtype


def _one(operand: Any) -> Any:
    if not isinstance(operand, Value):
        return type(operand)(1)
    if operand.weak:
        return operand.dtype.type(1).item()
    return np.ones((1,) * operand.ndim, operand.dtype)
