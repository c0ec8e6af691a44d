"""Shapes and types of results without the results: one inference for all who need no values.

Meta tensors, estimates of memory, traced programs and the compiler's passes ask `known_types`. An
op whose work is worth avoiding says its types in a column of its own; of others the lowering tells,
or how they batch. The rest are cheap, or rare, and tell by being run (`result_types`).

Operands are whatever has a shape and a dtype, or Python numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Type = tuple[tuple[int, ...], Any]
_ARRAY: Any = np.ndarray  # of elements of any type
Probe = Callable[[Any, Sequence[Any], Mapping[str, Any]], Any]


def result_types(op: Any, values: tuple[Any, ...], params: dict[str, Any]) -> list[Type]:
    """(shape, dtype) of each result of arrays, without computing it where a rule is known."""
    known = known_types(op, values, params)
    if known is not None:
        return known
    results = op.forward(*values, **params)
    outs = (results,) if op.n_out == 1 else results
    return [(np.shape(r), np.asarray(r[..., :0] if np.ndim(r) else r).dtype) for r in outs]


def probe(op: Any, values: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """The dtype of a result, found on single elements."""
    return np.asarray(op.forward(*map(_one, values), **params)).dtype


def _one(value: Any) -> Any:
    return np.ones((1,) * value.ndim, value.dtype) if isinstance(value, _ARRAY) else value


def known_types(
    op: Any, values: Sequence[Any], params: Mapping[str, Any], dtype_of: Probe = probe
) -> list[Type] | None:
    """(shape, dtype) of each result by a rule, or None where only running the op can tell."""
    own = op.types
    if own is not None:
        return own(*values, **params)
    if op.random and op.n_out == 1:
        found = _drawn(op, values, params)
        if found is not None:
            return found
    tag = op.lower.tag if op.lower is not None else "extern"
    if tag == "pointwise" or (tag in _WHOLE and _is_elementwise(op, values)):
        return [(np.broadcast_shapes(*map(_shape, values)), dtype_of(op, values, params))]
    if tag == "contract":
        return contracted(*values, **params)
    if tag == "move":
        # Zeros that are one element: arrangement does not depend on values, nor copies them.
        moved = op.forward(np.broadcast_to(np.int8(0), values[0].shape), **params)
        return [(moved.shape, values[0].dtype)]
    reduces = isinstance(params.get("axis"), tuple) and isinstance(params.get("keepdims"), bool)
    if reduces and op.n_out == 1:
        return [(_reduced(_shape(values[0]), **params), dtype_of(op, values, params))]
    return None


_WHOLE = ("extern", "compose")  # written in other ops, or called: how it batches tells


def _is_elementwise(op: Any, values: Sequence[Any]) -> bool:
    return op.batch == "elementwise" and op.n_out == 1 and bool(values)


def _shape(value: Any) -> tuple[int, ...]:
    return getattr(value, "shape", ())


def _drawn(op: Any, values: Sequence[Any], params: Mapping[str, Any]) -> list[Type] | None:
    """Of random numbers, of which none is drawn: their stream stays where it is."""
    if op.name.startswith("fill_") or (op.batch == "elementwise" and values):
        return [(np.broadcast_shapes(*map(_shape, values)), values[0].dtype)]
    if not values and "shape" in params:
        return [(tuple(params["shape"]), np.dtype(params["dtype"]))]
    return None


def _reduced(shape: tuple[int, ...], *, axis: Any, keepdims: bool, **rest: Any) -> tuple[int, ...]:
    axes = {a % len(shape) for a in axis} if shape else set[int]()
    return tuple(1 if d in axes else n for d, n in enumerate(shape) if keepdims or d not in axes)


# ---- rules that several ops share ----------------------------------------------------------------


def contracted(a: Any, b: Any, *, ta: bool = False, tb: bool = False) -> list[Type]:
    """Of a matrix product, whose operands may be read transposed."""
    rows, summed = (a.shape[-1], a.shape[-2]) if ta else (a.shape[-2], a.shape[-1])
    columns, inner = (b.shape[-2], b.shape[-1]) if tb else (b.shape[-1], b.shape[-2])
    if summed != inner:
        raise ValueError("matmul: mismatch in core dimension")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return [((*batch, rows, columns), np.result_type(a.dtype, b.dtype))]


def as_first(x: Any, *rest: Any, **params: Any) -> list[Type]:
    """Of the first array, in the type that is asked for if one is."""
    return [(x.shape, params.get("dtype", x.dtype))]


def joined(*parts: Any, axis: int) -> list[Type]:
    """Of arrays one after the other."""
    shape = list(parts[0].shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    return [(tuple(shape), np.result_type(*(p.dtype for p in parts)))]


def stacked(*parts: Any, axis: int) -> list[Type]:
    """Of arrays side by side along a new axis."""
    shape = list(parts[0].shape)
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, len(parts))
    return [(tuple(shape), np.result_type(*(p.dtype for p in parts)))]


def loss_of_classes(x: Any, *rest: Any, reduction: str, axis: int, **params: Any) -> list[Type]:
    """Of a loss that chooses along an axis."""
    each = tuple(n for d, n in enumerate(x.shape) if d != axis)
    return [(each if reduction == "none" else (), x.dtype)]


def loss_of_pairs(x: Any, y: Any, *rest: Any, reduction: str, **params: Any) -> list[Type]:
    """Of a loss of two arrays, element by element."""
    shape = np.broadcast_shapes(x.shape, y.shape)
    return [(shape if reduction == "none" else (), x.dtype)]


__all__ = [
    "Type",
    "as_first",
    "contracted",
    "joined",
    "known_types",
    "loss_of_classes",
    "loss_of_pairs",
    "result_types",
    "stacked",
]
