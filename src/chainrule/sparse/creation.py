"""Making sparse tensors, and checking what they are made of."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here, explain_module
from ..tensor.functions.nn_common import named
from .tensor import SparseTensor, coo


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Any:
    """A sparse tensor with `values[k]` at the place `indices[:, k]`; repeated places add up.

    Places are always checked (PyTorch does so only when asked).
    """
    try:
        if values is None:
            return _empty(indices if size is None else size, dtype)
        places = torch.as_tensor(indices, dtype=torch.int64, device=device)
        held = torch.as_tensor(values, dtype=dtype, device=device)
        if held.ndim == 0:
            held = held.expand(places.shape[1])
        shape = _checked_size(places, held, size)
        if held.requires_grad and torch.is_grad_enabled():
            held = named(held.clone(), "SparseCooTensorWithDimsAndTensorsBackward0")
        else:
            held = held.detach()
        made = coo(places.detach(), held, shape, bool(is_coalesced) or places.shape[1] < 2)
        return made.requires_grad_() if requires_grad else made
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _empty(size: Any, dtype: Any) -> Any:
    shape = tuple(size)
    places = torch.zeros((len(shape), 0), dtype=torch.int64)
    return coo(places, torch.zeros(0, dtype=dtype), shape, True)


def _checked_size(places: Any, values: Any, size: Any) -> tuple[int, ...]:
    if places.ndim != 2:
        raise refusal.runtime(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    dims, count = places.shape
    if values.shape[0] != count:
        raise refusal.runtime(
            f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from "
            f"values: {values.shape[0]}"
        )
    largest = [int(row.max()) if count else -1 for row in places]
    smallest = min([int(row.min()) for row in places] if count else [0])
    if smallest < 0:
        raise refusal.runtime(f"found negative index {smallest}")
    if size is None:
        return (*(n + 1 for n in largest), *values.shape[1:])
    shape = tuple(size)
    if len(shape) != dims + values.ndim - 1:
        raise refusal.runtime(
            f"number of dimensions must be sparse_dim ({dims}) + dense_dim ({values.ndim - 1}), "
            f"but got {len(shape)}"
        )
    for d, (top, n) in enumerate(zip(largest, shape, strict=False)):
        if top >= n:
            raise refusal.runtime(
                f"size is inconsistent with indices: for dim {d}, size is {n} but found index {top}"
            )
    return shape


def legacy_constructor(name: str) -> Any:
    """`torch.sparse.FloatTensor` and its kin, the old names of `sparse_coo_tensor`."""
    kind = getattr(torch, name)

    def make(*args: Any) -> Any:
        if not args:
            return _empty((0,), kind.dtype)
        if len(args) == 1 or not isinstance(args[0], torch.Tensor):
            return _empty(args[0] if len(args) == 1 else args, kind.dtype)
        return sparse_coo_tensor(*args, dtype=kind.dtype)

    make.__name__ = make.__qualname__ = name
    return make


class check_sparse_tensor_invariants:
    """Places are always checked here; the switch can be set and read.

    >>> with check_sparse_tensor_invariants():
    ...     check_sparse_tensor_invariants.is_enabled()
    True
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self.wanted = enable

    @classmethod
    def is_enabled(cls) -> bool:
        """Whether the switch is on."""
        return cls._enabled

    @classmethod
    def enable(cls) -> None:
        """Switch on."""
        cls._enabled = True

    @classmethod
    def disable(cls) -> None:
        """Switch off."""
        cls._enabled = False

    def __enter__(self) -> None:
        self.before = self._enabled
        type(self)._enabled = self.wanted

    def __exit__(self, *exc: object) -> None:
        type(self)._enabled = self.before


__all__ = ["SparseTensor", "check_sparse_tensor_invariants", "sparse_coo_tensor"]

explain_module(globals(), "sparse_coo_tensor")
