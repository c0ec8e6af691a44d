"""Sparse tensors in coordinate (COO) form, and gradients that touch few rows.

>>> import chainrule as torch
>>> edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
>>> adjacency = torch.sparse_coo_tensor(edges, torch.ones(3), (3, 3))
>>> torch.sparse.mm(adjacency, torch.tensor([[1.0], [2.0], [3.0]]))
tensor([[2.],
        [3.],
        [1.]])
"""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd.accidents import explain_module
from ..standins import add_to as _add_stand_ins
from ..tensor.signatures import respelled
from . import handlers
from .choosing import spdiags
from .compressed import (
    CompressedTensor,
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
)
from .creation import check_sparse_tensor_invariants, legacy_constructor, sparse_coo_tensor
from .rows import track_rows
from .tensor import SparseTensor


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """The product of two matrices, one of them sparse; gradients flow to both."""
    return torch.mm(mat1, mat2)


def spmm(input: Any, mat2: Any) -> Any:  # noqa: A002
    """The product of two matrices, one of them sparse; gradients flow to both."""
    return torch.mm(input, mat2)


spmm = dsmm = respelled(spmm)


@respelled
def smm(input: Any, mat: Any) -> Any:  # noqa: A002
    """A sparse matrix times a dense one, as a sparse matrix."""
    from .products import smm as product

    return product(input, mat)


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * mat + alpha * (mat1 @ mat2) with a sparse mat1."""
    return beta * mat + alpha * mm(mat1, mat2)


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:  # noqa: A001, A002
    """The sum of all values, or over sparse dimensions."""
    t = input if dtype is None else input.to(dtype)
    if dim is None:
        return t._values().sum()
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    return handlers.reduce_sum(t, axis=tuple(d % t.ndim for d in axes))


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:  # noqa: A002
    """Softmax over the stored values along a dimension; what is not stored counts as -inf."""
    return _softmax(input, dim, dtype, logarithm=False)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:  # noqa: A002
    """The logarithm of `softmax`."""
    return _softmax(input, dim, dtype, logarithm=True)


def _softmax(t: Any, dim: int, dtype: Any, *, logarithm: bool) -> Any:
    t = (t if dtype is None else t.to(dtype)).coalesce()
    if t.dense_dim():
        raise handlers.unsupported("softmax", (t,))
    places = tuple(t._indices())
    dense = t.to_dense()
    stored = torch.zeros(t.shape, dtype=torch.bool)
    stored[places] = True
    filled = torch.where(stored, dense, -float("inf"))
    return (
        t._like(t._indices(), torch.log_softmax(filled, dim)[places])
        if logarithm
        else t._like(t._indices(), torch.softmax(filled, dim)[places])
    )


def __getattr__(name: str) -> Any:
    if name.endswith("Tensor"):
        return legacy_constructor(name)
    raise AttributeError(f"module 'chainrule.sparse' has no attribute {name!r}")


__all__ = [
    "CompressedTensor",
    "SparseTensor",
    "addmm",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "softmax",
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "spdiags",
    "sum",
    "track_rows",
]


_add_stand_ins(globals())

explain_module(globals(), "mm", "spmm", "dsmm", "smm", "addmm", "sum", "softmax", "log_softmax")
