"""Shapes and types of results without the results: what meta tensors and estimates are made of.

`known_types` has a rule for every op whose work is worth avoiding, and says None for the others:
those are cheap, or rare, and tell by being run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ir
from ..ops.attention_arrays import keeps_weights
from ..ops.conv_arrays import Geometry
from ..ops.halves import is_half
from ..ops.pool import pooled_sizes
from ..ops.schema import Op

Type = tuple[tuple[int, ...], Any]


def result_types(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> list[Type]:
    """(shape, dtype) of each result, without computing it where a rule is known."""
    known = known_types(op, values, params)
    if known is not None:
        return known
    results = op.forward(*values, **params)
    outs = (results,) if op.n_out == 1 else results
    return [(np.shape(r), np.asarray(r[..., :0] if np.ndim(r) else r).dtype) for r in outs]


def known_types(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> list[Type] | None:
    """(shape, dtype) of each result by a rule, or None where only running the op can tell."""
    if op.name in _RECURRENT:
        return _recurrent(op, values, params)
    rule = _RULES.get(op.name)
    if rule is not None:
        return rule(*values, **params)
    if op.random and op.n_out == 1:
        # Nothing is drawn: the stream of random numbers stays where it is.
        if op.name.startswith("fill_") or (op.batch == "elementwise" and values):
            return [(np.broadcast_shapes(*map(np.shape, values)), values[0].dtype)]
        if not values and "shape" in params:
            return [(tuple(params["shape"]), np.dtype(params["dtype"]))]
    if op.batch == "elementwise" and op.n_out == 1 and values:
        return [(np.broadcast_shapes(*map(np.shape, values)), _probe(op, values, params))]
    if op.lower is ir.contract:
        return _product(*values)
    if isinstance(params.get("axis"), tuple) and isinstance(params.get("keepdims"), bool):
        return [(_reduced(values[0].shape, **params), _probe(op, values, params))]
    return None


def _probe(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The dtype of a result, found on single elements."""
    ones = [np.ones((1,) * v.ndim, v.dtype) if isinstance(v, np.ndarray) else v for v in values]
    return np.asarray(op.forward(*ones, **params)).dtype


def _reduced(shape: tuple[int, ...], *, axis: Any, keepdims: bool, **rest: Any) -> tuple[int, ...]:
    return tuple(1 if d in axis else n for d, n in enumerate(shape) if keepdims or d not in axis)


# ---- rules of single ops -------------------------------------------------------------------------


def _product(a: Any, b: Any) -> list[Type]:
    if a.shape[-1] != b.shape[-2]:
        raise ValueError("matmul: mismatch in core dimension")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return [((*batch, a.shape[-2], b.shape[-1]), a.dtype)]


def _as_first(x: Any, *rest: Any, **params: Any) -> list[Type]:
    return [(x.shape, params.get("dtype", x.dtype))]


def _linear(x: Any, w: Any, *bias: Any) -> list[Type]:
    return [((x.shape[0], w.shape[0]), x.dtype)]


def _convolution(x: Any, w: Any, *bias: Any, **geometry: Any) -> list[Type]:
    if x.shape[1] != w.shape[1] * geometry["groups"]:
        raise ValueError("convolution: channels of input and weight differ")
    out = Geometry(x.shape, w.shape, **geometry).out
    return [((x.shape[0], w.shape[0], *out), x.dtype)]


def _conv_input(g: Any, w: Any, *, spatial: Any, groups: int, **rest: Any) -> list[Type]:
    return [((g.shape[0], w.shape[1] * groups, *spatial), g.dtype)]


def _pool(x: Any, *, kernel: Any, stride: Any, padding: Any, ceil: bool, **rest: Any) -> list[Type]:
    dilation = rest.get("dilation", (1,) * len(kernel))
    nd = len(kernel)
    out = pooled_sizes(x.shape[-nd:], kernel, stride, padding, dilation, ceil)
    return [((*x.shape[:-nd], *out), x.dtype)]


def _batch_norm(x: Any, w: Any, b: Any, *, channel: Any, **rest: Any) -> list[Type]:
    inner = np.dtype(np.float32) if is_half(x.dtype) else x.dtype
    return [(x.shape, x.dtype), (tuple(channel), inner), (tuple(channel), inner)]


def _attention(q: Any, k: Any, v: Any, bias: Any, *, masked: str, **rest: Any) -> list[Type]:
    inner = np.dtype(np.float32) if is_half(q.dtype) else q.dtype
    lead, rows, columns = q.shape[:-2], q.shape[-2], k.shape[-2]
    kept = (*lead, columns, rows) if keeps_weights(lead, rows, columns, q.shape[-1]) else (0,)
    return [((*lead, rows, v.shape[-1]), q.dtype), ((*lead, rows, 1), inner), (kept, inner)]


def _reduced_loss(x: Any, *rest: Any, reduction: str, axis: int = 0, **params: Any) -> list[Type]:
    each = tuple(n for d, n in enumerate(x.shape) if d != axis)
    return [((each if reduction == "none" else ()), x.dtype)]


def _pairwise_loss(x: Any, y: Any, *rest: Any, reduction: str, **params: Any) -> list[Type]:
    shape = np.broadcast_shapes(x.shape, y.shape)
    return [(shape if reduction == "none" else (), x.dtype)]


def _embedding(table: Any, places: Any, **rest: Any) -> list[Type]:
    return [((*places.shape, table.shape[1]), table.dtype)]


def _cholesky_solve(b: Any, factor: Any, **rest: Any) -> list[Type]:
    lead = np.broadcast_shapes(b.shape[:-2], factor.shape[:-2])
    return [((*lead, *b.shape[-2:]), b.dtype)]


def _joined(*parts: Any, axis: int) -> list[Type]:
    shape = list(parts[0].shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    return [(tuple(shape), np.result_type(*parts))]


def _stacked(*parts: Any, axis: int) -> list[Type]:
    shape = list(parts[0].shape)
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, len(parts))
    return [(tuple(shape), np.result_type(*parts))]


_RECURRENT = ("gru_layer", "lstm_layer", "rnn_layer")


def _recurrent(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> list[Type]:
    """By one step: all steps are alike, and what is kept depends on the kernels that are there."""
    x, *others = values
    rows = params["sizes"][0]
    one = {**params, "sizes": (rows,), "apart": 1}
    outs = op.forward(np.zeros((rows, *x.shape[1:]), x.dtype), *others, **one)
    types = []
    for k, out in enumerate(outs):
        all_steps = k in (0, len(outs) - 1) and out.shape[0]
        length = out.shape[0] * len(x) // rows if all_steps else out.shape[0]
        types.append(((length, *out.shape[1:]), out.dtype))
    return types


_RULES: dict[str, Callable[..., list[Type]]] = {
    "addmm": lambda c, a, b, **rest: _product(a, b),
    "attention": _attention,
    "avg_pool1d": _pool, "avg_pool2d": _pool, "avg_pool3d": _pool,
    "batch_norm": _batch_norm,
    "bce_with_logits": _pairwise_loss, "mse_loss": _pairwise_loss,
    "cat": _joined, "stack": _stacked,
    "cholesky_solve": _cholesky_solve,
    "conv_input": _conv_input,
    "convolution": _convolution, "convolution_no_bias": _convolution,
    "cross_entropy": _reduced_loss, "nll_loss": _reduced_loss,
    "embedding": _embedding,
    "linear2d": _linear, "linear2d_no_bias": _linear,
    "max_pool1d": _pool, "max_pool2d": _pool, "max_pool3d": _pool,
    **dict.fromkeys(
        ("blank", "cast", "clone", "clone_contiguous", "copy_value", "fill", "group_norm",
         "index_put", "layer_norm", "log_softmax", "rms_norm", "softmax", "tril", "triu",
         "write_view"), _as_first,
    ),
}  # fmt: skip


__all__ = ["Type", "known_types", "result_types"]
