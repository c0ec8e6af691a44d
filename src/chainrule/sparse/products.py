"""Products with sparse results, under PyTorch's older names."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd.accidents import explain_module
from .creation import sparse_coo_tensor


def hspmm(mat1: Any, mat2: Any) -> Any:
    """A sparse matrix times a dense one, as the rows that are not empty."""
    rows, product = _product(mat1, mat2)
    return sparse_coo_tensor(rows.unsqueeze(0), product, (mat1.shape[0], mat2.shape[1]))


hsmm = hspmm


def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:  # noqa: A002
    """`beta * input + alpha * (mat1 @ mat2)` with sparse `input`, `mat1` and result."""
    rows, product = _product(mat1, mat2)
    width = mat2.shape[1]
    places = torch.stack([rows.repeat_interleave(width), torch.arange(width).repeat(len(rows))])
    start = input.coalesce()
    return sparse_coo_tensor(
        torch.cat([start.indices(), places], 1),
        torch.cat([beta * start.values(), alpha * product.reshape(-1)]),
        (mat1.shape[0], width),
    )


saddmm = sspaddmm


def smm(input: Any, mat: Any) -> Any:  # noqa: A002
    """`input @ mat` with sparse `input` and result."""
    nothing = sparse_coo_tensor(
        torch.empty((2, 0), dtype=torch.int64), input._values()[:0], (len(input), mat.shape[1])
    )
    return sspaddmm(nothing, input, mat)


def _product(mat1: Any, mat2: Any) -> tuple[Any, Any]:
    """The rows of `mat1` that are not empty, and the product in these."""
    rows = torch.unique(mat1.coalesce().indices()[0])
    return rows, torch.sparse.mm(mat1, mat2)[rows]


def resize_as_sparse_(input: Any, the_template: Any) -> Any:  # noqa: A002
    """An empty sparse tensor takes the size of another."""
    return input.resize_as_sparse_(the_template)


def indices_copy(input: Any) -> Any:  # noqa: A002
    """A copy of the places of a coalesced tensor's elements."""
    return input.indices().clone()


def values_copy(input: Any) -> Any:  # noqa: A002
    """A copy of the elements."""
    return input.values().clone()


def crow_indices_copy(input: Any) -> Any:  # noqa: A002
    """A copy of where the rows of a CSR tensor begin."""
    return input.crow_indices().clone()


def col_indices_copy(input: Any) -> Any:  # noqa: A002
    """A copy of the columns of a CSR tensor's elements."""
    return input.col_indices().clone()


def ccol_indices_copy(input: Any) -> Any:  # noqa: A002
    """A copy of where the columns of a CSC tensor begin."""
    return input.ccol_indices().clone()


def row_indices_copy(input: Any) -> Any:  # noqa: A002
    """A copy of the rows of a CSC tensor's elements."""
    return input.row_indices().clone()


explain_module(globals())
