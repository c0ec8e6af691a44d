"""What ops on the places of a sparse tensor do: rows chosen, dimensions added, tensors stacked."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd.accidents import explain_module
from ..autograd.dispatch import entry
from ..ops.schema import TABLE
from .creation import sparse_coo_tensor as coo
from .handlers import _is_number, cat, handles, is_sparse, unsupported


@handles("select")
def select(t: Any, *, axis: int, index: int) -> Any:
    """What lies at one index of a dimension."""
    places, values = t._indices(), t._values()
    size = tuple(n for d, n in enumerate(t.shape) if d != axis)
    inner = axis - t.sparse_dim()
    if inner >= 0:  # a dimension of the values
        return coo(places, values.select(inner + 1, index), size)
    kept = (places[axis] == index).nonzero().squeeze(1)
    if t.sparse_dim() == 1:  # nothing is left to be sparse in
        return values[kept].sum(0)
    others = [d for d in range(t.sparse_dim()) if d != axis]
    return coo(places[others][:, kept], values[kept], size)


@handles("unbind")
def unbind(t: Any, *, axis: int) -> tuple[Any, ...]:
    """All that lies along a dimension, one by one."""
    return tuple(select(t, axis=axis, index=k) for k in range(t.shape[axis]))


@handles("unsqueeze")
def unsqueeze(t: Any, *, axis: int) -> Any:
    """A dimension of length 1 more."""
    places, values = t._indices(), t._values()
    size = (*t.shape[:axis], 1, *t.shape[axis:])
    if axis > t.sparse_dim():
        return coo(places, values.unsqueeze(axis - t.sparse_dim() + 1), size)
    zeros = torch.zeros_like(places[:1])
    return coo(torch.cat([places[:axis], zeros, places[axis:]]), values, size)


@handles("stack")
def stack(*tensors: Any, axis: int) -> Any:
    """One behind the other along a new dimension."""
    return cat(*(unsqueeze(t, axis=axis) for t in tensors), axis=axis)


@handles("bmm")
def bmm(a: Any, b: Any) -> Any:
    """Products of the matrices of a sparse and of a dense batch, which are dense."""
    if not is_sparse(a) or is_sparse(b):
        raise unsupported("bmm", (a, b))
    return torch.stack([m @ d for m, d in zip(unbind(a, axis=0), b, strict=True)])


@handles("slice_view")
def slice_view(t: Any, *, index: Any) -> Any:
    """What a plain index chooses: sparse, or a number where nothing is left to be sparse in."""
    out = entry(TABLE["slice_view"])(t.to_dense(), index=index)
    return out.to_sparse() if out.ndim else out.clone()


@handles("reduce_any")
def reduce_any(t: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Whether any value is not zero."""
    if keepdims or len(axis) != t.ndim:
        raise unsupported("any", (t,))
    return t.coalesce()._values().any()


@handles("floor_divide")
def floor_divide(a: Any, b: Any) -> Any:
    """By a number or a 0-dim tensor."""
    if not is_sparse(a) or not _is_number(b):
        raise unsupported("floor_divide", (a, b))
    a = a.coalesce()
    return a._like(a._indices(), a._values() // b)


def _by_value(name: str) -> None:
    """Functions of which zero is zero or False: only stored values are asked."""

    def call(t: Any, **params: Any) -> Any:
        t = t.coalesce()
        values = entry(TABLE[name])(t._values(), **params)
        return coo(t._indices(), values, t.shape, is_coalesced=True)

    handles(name)(call)


for _name in ("frac", "isneginf", "isposinf", "nan_to_num", "signbit"):
    _by_value(_name)


def spdiags(diagonals: Any, offsets: Any, shape: Any, layout: Any = None) -> Any:
    """A sparse matrix with rows of `diagonals` along its diagonals at `offsets`.

    >>> import chainrule as torch
    >>> rows = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.sparse.spdiags(rows, torch.tensor([0, 1]), (2, 2)).to_dense()
    tensor([[1., 4.],
            [0., 2.]])
    """
    diagonals, offsets = torch.atleast_2d(diagonals), torch.atleast_1d(offsets)
    if len(offsets) != len(diagonals):
        raise ValueError(
            f"spdiags: {len(diagonals)} diagonals, and {len(offsets)} offsets: give one for each"
        )
    if len(set(offsets.tolist())) != len(offsets):
        raise ValueError(f"spdiags: Offset tensor contains duplicate values: {offsets.tolist()}")
    columns = torch.arange(diagonals.shape[1]).expand(len(offsets), -1)
    rows = columns - offsets[:, None]
    inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    made = coo(torch.stack([rows[inside], columns[inside]]), diagonals[inside], tuple(shape))
    return made if layout is None or layout is torch.sparse_coo else made.to_sparse(layout=layout)


explain_module(globals())
