"""Sparse matrices in compressed form: CSR (row by row) and CSC (column by column).

`sparse_csr_tensor(crow_indices, col_indices, values)` holds the values of row r at the positions
crow_indices[r] to crow_indices[r + 1]. Ops run on the coordinate form of the same values, and a
matrix that comes out is compressed again; gradients flow to the values.
"""

from __future__ import annotations

import copy
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..ops.schema import Op
from ..tensor.functions.nn_common import named
from .handlers import handle, to_sparse
from .tensor import SparseTensor, _indented, coo, with_facts

_OTHER_WAY = ("t", "transpose", "swap_axes")
_WORDS = {"sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}


class CompressedTensor(SparseTensor):
    """A sparse matrix of which whole rows, or columns, are found at once."""

    __slots__ = ()

    is_sparse = property(lambda self: False, doc="Whether it has coordinate form: no.")
    is_sparse_csr = property(
        lambda self: self.layout is torch.sparse_csr, doc="Whether it is stored row by row."
    )
    layout = property(lambda self: self.__dict__["_compressed"][0], doc="How it is stored.")

    def crow_indices(self) -> Any:
        """Where each row begins among the values, and where the last ends."""
        return self._part("crow_indices", "row", torch.sparse_csr, 1)

    def col_indices(self) -> Any:
        """The column of each value."""
        return self._part("col_indices", "row", torch.sparse_csr, 2)

    def ccol_indices(self) -> Any:
        """Where each column begins among the values, and where the last ends."""
        return self._part("ccol_indices", "column", torch.sparse_csc, 1)

    def row_indices(self) -> Any:
        """The row of each value."""
        return self._part("row_indices", "column", torch.sparse_csc, 2)

    def _part(self, name: str, what: str, layout: Any, k: int) -> Any:
        if self.layout is not layout:
            raise refusal.runtime(
                f"{name} expected sparse {what} compressed tensor layout but got "
                f"{_WORDS[self.layout.name]}"
            )
        return self.__dict__["_compressed"][k]

    def values(self) -> Any:
        """The values, in their order."""
        return self._values()

    def indices(self) -> Any:
        """Refused: places are compressed."""
        raise self._no_coordinates("indices")

    def coalesce(self) -> Any:
        """Refused: every place occurs once."""
        raise self._no_coordinates("coalesce")

    def is_coalesced(self) -> bool:
        """Refused, as by PyTorch."""
        raise self._no_coordinates("is_coalesced")

    def _no_coordinates(self, name: str) -> RuntimeError:
        return refusal.runtime(
            f"{name} expected sparse coordinate tensor layout but got {_WORDS[self.layout.name]}",
            fix="x.to_sparse().",
        )

    def to_sparse(self, sparse_dim: Any = None, *, layout: Any = None, **rest: Any) -> Any:
        """The same values in coordinate form, or compressed the other way."""
        if isinstance(sparse_dim, int) and sparse_dim != 2:
            raise refusal.runtime(
                "conversion from compressed form with sparse_dim argument !=2 is not supported, "
                f"got {sparse_dim}"
            )
        if layout is self.layout:
            return self
        plain = coordinates(self).coalesce()
        return plain if layout in (None, torch.sparse_coo) else compressed(plain, layout)

    def to_sparse_coo(self) -> Any:
        """The same values in coordinate form."""
        return self.to_sparse()

    def to_dense(self, dtype: Any = None, **kwargs: Any) -> Any:
        """The matrix with its zeros written out."""
        return coordinates(self).to_dense(dtype, **kwargs)

    def _like(self, indices: Any, values: Any, *, coalesced: bool | None = None) -> Any:
        layout, outer, inner = self.__dict__["_compressed"]
        return _made(layout, outer, inner, values, tuple(self.shape))

    def __reduce_ex__(self, protocol: Any) -> Any:
        layout, outer, inner = self.__dict__["_compressed"]
        return _made, (layout, outer, inner, self._values().detach(), tuple(self.shape))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = self._like(None, copy.deepcopy(self._values(), memo))
        memo[id(self)] = made
        return made

    def _word(self) -> str:
        return _WORDS[self.layout.name]

    def _text(self) -> str:
        layout, outer, inner = self.__dict__["_compressed"]
        first, second = ("crow", "col") if layout is torch.sparse_csr else ("ccol", "row")
        lines = [
            f"tensor({first}_indices=" + _indented(outer, 16 + len(first)) + ",",
            f"       {second}_indices=" + _indented(inner, 16 + len(second)) + ",",
            "       values=" + _indented(self._values().detach(), 14),
        ]
        return with_facts(self, "\n".join(lines))


CompressedTensor.__name__ = CompressedTensor.__qualname__ = "Tensor"


def _made(layout: Any, outer: Any, inner: Any, values: Any, size: tuple[int, ...]) -> Any:
    """A compressed matrix of its parts, which are trusted."""
    lines = torch.repeat_interleave(outer.diff())
    places = (lines, inner) if layout is torch.sparse_csr else (inner, lines)
    made = coo(torch.stack([p.to(torch.int64) for p in places]), values, size)
    made.__class__ = CompressedTensor
    made.__dict__["_compressed"] = (layout, outer, inner)
    return made


def coordinates(t: Any) -> Any:
    """A sparse matrix in coordinate form, its values as they are."""
    if not isinstance(t, CompressedTensor):
        return t
    return coo(t._indices(), t._values(), tuple(t.shape), coalesced=False)


def compressed(t: Any, layout: Any) -> Any:
    """A matrix, dense or sparse, in compressed form."""
    if layout is torch.sparse_bsr or layout is torch.sparse_bsc:
        raise no_blocks(layout)
    t = coordinates(t if isinstance(t, SparseTensor) else to_sparse(t))
    if t.ndim != 2 or t.dense_dim():
        raise refusal.runtime(
            f"compressed form is for matrices of numbers, this is of shape {list(t.shape)}",
            fix="x.to_sparse() keeps coordinates of any dimensions.",
        )
    t = t.coalesce()
    rows, columns = t._indices()
    values = t._values()
    outer, inner = rows, columns
    if layout is torch.sparse_csc:
        order = torch.argsort(columns, stable=True)
        outer, inner, values = columns[order], rows[order], values[order]
    count = t.shape[0 if layout is torch.sparse_csr else 1]
    ends = torch.bincount(outer, minlength=count).cumsum(0)
    return _made(layout, torch.cat([ends.new_zeros(1), ends]), inner, values, tuple(t.shape))


def no_blocks(layout: Any) -> NotImplementedError:
    """The error for blocks."""
    return refusal.not_implemented(
        f"{layout} is not supported: sparse tensors have coordinate form (COO) or are compressed "
        "by rows (CSR) or columns (CSC), not by blocks",
        fix="x.to_sparse_csr().",
    )


def handle_compressed(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op at least one of whose arguments is compressed."""
    layout = next(a.layout for a in args if isinstance(a, CompressedTensor))
    result = handle(op, tuple(coordinates(a) for a in args), params)
    if not isinstance(result, SparseTensor) or result.ndim != 2:
        return result
    if op.name in _OTHER_WAY:
        layout = torch.sparse_csc if layout is torch.sparse_csr else torch.sparse_csr
    return compressed(result, layout)


# ---- making them ---------------------------------------------------------------------------------


def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *,
    layout: Any, dtype: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> Any:  # fmt: skip
    """A compressed matrix of the given layout; its indices are always checked.

    >>> import chainrule as torch
    >>> torch.sparse_compressed_tensor([0, 2, 3], [0, 2, 1], [1., 2., 3.], layout=torch.sparse_csr)
    tensor(crow_indices=tensor([0, 2, 3]),
           col_indices=tensor([0, 2, 1]),
           values=tensor([1., 2., 3.]), size=(2, 3), nnz=3,
           layout=torch.sparse_csr)
    """
    if layout not in (torch.sparse_csr, torch.sparse_csc):
        raise no_blocks(layout)
    outer = torch.as_tensor(compressed_indices, device=device).detach()
    inner = torch.as_tensor(plain_indices, device=device).detach()
    held = torch.as_tensor(values, dtype=dtype, device=device)
    by_rows = layout is torch.sparse_csr
    if size is None:
        lines, width = len(outer) - 1, int(inner.max()) + 1 if inner.numel() else 0
        size = (lines, width) if by_rows else (width, lines)
    shape = tuple(int(n) for n in size)
    _check(outer, inner, held, shape, by_rows)
    if held.requires_grad and torch.is_grad_enabled():
        held = named(held.clone(), "SparseCompressedTensorBackward0")
    else:
        held = held.detach()
    made = _made(layout, outer, inner, held, shape)
    return made.requires_grad_() if requires_grad else made


def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, **options: Any
) -> Any:
    """A matrix stored row by row: the values of row r begin at `crow_indices[r]`.

    >>> import chainrule as torch
    >>> graph = torch.sparse_csr_tensor([0, 1, 3], [1, 0, 1], [1., 2., 3.])
    >>> graph @ torch.tensor([[1.], [10.]])
    tensor([[10.],
            [32.]])
    """
    options.setdefault("layout", torch.sparse_csr)
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, **options)


def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, **options: Any
) -> Any:
    """A matrix stored column by column: the values of column c begin at `ccol_indices[c]`."""
    options.setdefault("layout", torch.sparse_csc)
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, **options)


def sparse_bsr_tensor(*args: Any, **options: Any) -> Any:
    """Refused: there is no form by blocks."""
    raise no_blocks(torch.sparse_bsr)


def sparse_bsc_tensor(*args: Any, **options: Any) -> Any:
    """Refused: there is no form by blocks."""
    raise no_blocks(torch.sparse_bsc)


def _check(outer: Any, inner: Any, values: Any, shape: tuple[int, ...], by_rows: bool) -> None:
    names = ("crow_indices", "col_indices") if by_rows else ("ccol_indices", "row_indices")
    problem = ""
    if len(shape) != 2 or outer.ndim != 1 or inner.ndim != 1 or values.ndim != 1:
        problem = f"a matrix of numbers is expected, of size {list(shape)}; batches and blocks "
        problem += "are not supported"
    elif outer.dtype is not inner.dtype or outer.dtype not in (torch.int32, torch.int64):
        problem = f"{names[0]} and {names[1]} must be int32 or int64, and the same"
    elif len(outer) != shape[0 if by_rows else 1] + 1:
        problem = f"{names[0]} must have one element more than the matrix has lines, of {shape}"
    elif len(inner) != len(values):
        problem = f"{names[1]} and values must have same nnz, got {len(inner)} and {len(values)}"
    elif int(outer[0]) != 0:
        problem = f"`{names[0]}[..., 0] == 0` is not satisfied."
    elif int(outer[-1]) != len(inner):
        problem = f"`{names[0]}[..., -1] == nnz` is not satisfied."
    elif bool((outer.diff() < 0).any()):
        problem = f"`0 <= {names[0]}[..., 1:] - {names[0]}[..., :-1]` is not satisfied."
    elif len(inner) and not 0 <= int(inner.min()) <= int(inner.max()) < shape[int(by_rows)]:
        problem = f"`0 <= {names[1]} < {shape[int(by_rows)]}` is not satisfied."
    if problem:
        raise refusal.runtime(f"{problem}")


explain_module(
    globals(),
    "sparse_compressed_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor",
    "sparse_bsc_tensor",
)  # fmt: skip
