"""Result types of instructions: the inference of the table, with dtypes that are tried only once.

`infer` returns None for extern ops: their types are known from the traced call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...ops.result_types import known_types
from .op_table import lookup
from .program import Graph, Value

Type = tuple[tuple[int, ...], np.dtype]

_dtypes: dict[Any, np.dtype] = {}


def infer(op: str, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Type] | None:
    """The (shape, dtype) of each result, or None when only running the op can tell."""
    record = lookup(op)
    if record.lower is None or record.lower.tag in ("compose", "extern"):
        return None  # in pieces, or called: the traced call tells
    return known_types(record, inputs, params, _probe_dtype)


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


def _probe_dtype(op: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> np.dtype:
    """The result's dtype, by running the op's forward once per combination on single elements."""
    kinds: tuple[Any, ...] = tuple(
        (x.dtype, x.weak, x.ndim) if isinstance(x, Value) else (type(x), True, 0) for x in inputs
    )
    key: Any = (op.name, kinds, tuple(sorted((k, repr(v)) for k, v in params.items())))
    found = _dtypes.get(key)
    if found is None:
        found = _dtypes[key] = _kept_dtype(op, inputs) or _result_of_ones(op, inputs, params)
    return found


def _kept_dtype(op: Any, inputs: Sequence[Any]) -> np.dtype | None:
    """The dtype of a function of one float array, without loading the library that has it."""
    same = len(inputs) == 1 and getattr(op, "promote", None) == "float"
    found: np.dtype | None = inputs[0].dtype if same and not inputs[0].weak else None
    return found if found in (np.dtype(np.float32), np.dtype(np.float64)) else None


def _result_of_ones(op: Any, inputs: Sequence[Any], params: Mapping[str, Any]) -> np.dtype:
    return np.asarray(op.forward(*[_one(x) for x in inputs], **params)).dtype


def _one(operand: Any) -> Any:
    if not isinstance(operand, Value):
        return type(operand)(1)
    if operand.weak:
        return operand.dtype.type(1).item()
    return np.ones((1,) * operand.ndim, operand.dtype)
