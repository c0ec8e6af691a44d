"""Ops of the table that PyTorch puts together of others before autograd looks.

They run above the tape, in ops: each of these has its own node and is put before handlers alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.dispatch import P
from ..autograd.value import make

COMPOSITES: dict[str, Callable[..., Any]] = {}


def composite(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare what an op is put together of."""
    COMPOSITES[function.__name__] = function
    return function


@composite
def linear2d(x: Any, w: Any, b: Any) -> Any:
    return P.addmm(b, x, P.t(w), beta=1, alpha=1)


@composite
def linear2d_no_bias(x: Any, w: Any) -> Any:
    return P.mm(x, P.t(w))


@composite
def matmul(a: Any, b: Any) -> Any:
    if a.ndim == 2 and b.ndim == 2:
        return P.mm(a, b)
    if b.ndim == 2:
        rows = _viewed(a, (math.prod(a.shape[:-1]), a.shape[-1]))
        made = P.mm(rows, b)
        return P.unsafe_view(made, shape=(*a.shape[:-1], b.shape[-1]))
    batch = _broadcast(a.shape[:-2], b.shape[:-2])
    parts = []
    for t in (a, b):
        wide = P.broadcast_to(t, shape=(*batch, *t.shape[-2:]))
        parts.append(_viewed(wide, (math.prod(batch), *t.shape[-2:])))
    made = P.bmm(*parts)
    return P.unsafe_view(made, shape=(*batch, a.shape[-2], b.shape[-1]))


def _viewed(x: Any, shape: tuple[int, ...]) -> Any:
    """A view where the layout allows it, else a view of a copy."""
    from ..ops.layout import viewed_strides

    if viewed_strides(tuple(x.shape), tuple(x.stride()), shape) is None:
        return P.unsafe_view(P.clone_contiguous(x), shape=shape)
    return P.view(x, shape=shape)


def _broadcast(a: Any, b: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(tuple(a), tuple(b))


@composite
def reshape(x: Any, *, shape: Any) -> Any:
    from ..ops.layout import viewed_strides

    if viewed_strides(tuple(x.shape), tuple(x.stride()), shape) is None:
        return P.unsafe_view(P.clone_contiguous(x), shape=shape)
    return P.view(x, shape=shape)


def _only_complex(x: Any) -> Any:
    """A real number is its own conjugate and real part."""
    return NotImplemented if x.dtype.is_complex else x


COMPOSITES["conj"] = COMPOSITES["real"] = _only_complex


def _indexed(x: Any, index: Any) -> Any:
    axis = 0
    out = x
    index = index if isinstance(index, tuple) else (index,)
    if Ellipsis in index:
        place = index.index(Ellipsis)
        used = sum(i is not None for i in index) - 1
        index = (*index[:place], *((slice(None),) * (x.ndim - used)), *index[place + 1 :])
    for i in index:
        if i is None:
            out = P.unsqueeze(out, axis=axis)
            axis += 1
        elif isinstance(i, slice):
            if i != slice(None):
                out = P.slice_axis(out, axis=axis, **_bounds(i))
            axis += 1
        else:
            out = P.select(out, axis=axis, index=int(i))
    return P.alias(out) if out is x else out


def _bounds(i: slice) -> dict[str, int]:
    """Start, end and step as PyTorch hands them on: what was not given stays open."""
    start = 0 if i.start is None else int(i.start)
    stop = 9223372036854775807 if i.stop is None else int(i.stop)
    return {"start": start, "stop": stop, "step": 1 if i.step is None else int(i.step)}


@composite
def slice_view(x: Any, *, index: Any) -> Any:
    return _indexed(x, index)


@composite
def select_view(x: Any, *, index: Any) -> Any:
    return _indexed(x, index)


def _cross_entropy(loss: Any) -> Callable[..., Any]:
    def function(x: Any, target: Any, *, axis: int, ignore: int, reduction: str) -> Any:
        logs = P.log_softmax(x, axis=axis)
        unused = make(np.zeros((), x.dtype.np))
        return loss()(
            logs, target, unused, axis=axis, ignore=ignore, reduction=reduction, weighted=False
        )

    return function


COMPOSITES["cross_entropy"] = _cross_entropy(lambda: P.nll_loss)
COMPOSITES["cross_entropy2d"] = _cross_entropy(lambda: P.nll_loss2d)
