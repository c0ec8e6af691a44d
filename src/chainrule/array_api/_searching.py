"""Searching, sorting and sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import chainrule as torch

from ..autograd import refusal
from . import _types as types
from ._types import array, axes_of, axis_of, is_array, promoted


class UniqueAllResult(NamedTuple):
    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    values: Any
    inverse_indices: Any


def _extreme(name: str, function: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    x = array(x, name)
    x = x.to(types.uint8) if x.dtype == types.bool else x
    if axis is not None:
        return function(x, dim=axis_of(axis, x.ndim), keepdim=bool(keepdims))
    found = function(x.reshape(-1), dim=0)
    return found.reshape((1,) * x.ndim) if keepdims else found


def argmax(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """Where the largest values are."""
    return _extreme("argmax", torch.argmax, x, axis, keepdims)


def argmin(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """Where the smallest values are."""
    return _extreme("argmin", torch.argmin, x, axis, keepdims)


def nonzero(x: Any, /) -> tuple[Any, ...]:
    """Where the values that are not zero are: an array of numbers for each axis."""
    if array(x, "nonzero").ndim == 0:
        raise refusal.value("nonzero is not allowed on zero-dimensional arrays")
    return tuple(torch.nonzero(x, as_tuple=True))


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
    """How many values are not zero."""
    axes = axes_of(axis, array(x, "count_nonzero").ndim)
    if not axes:
        return (x != 0).to(types.int64)
    return torch.sum(x != 0, dim=axes, keepdim=bool(keepdims))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    """Where values would have to be put in to keep a sorted array sorted."""
    if side not in ("left", "right"):
        raise refusal.value(f'side must be "left" or "right", not {side!r}')
    if array(x1, "searchsorted").ndim != 1:
        raise refusal.value(
            f"searchsorted: x1 must have one dimension, not shape {tuple(x1.shape)}"
        )
    ordered, values = promoted("searchsorted", x1, x2)
    if sorter is not None:
        ordered = ordered[array(sorter, "searchsorted").to(types.int64)]
    found = torch.searchsorted(ordered, values.reshape(-1).contiguous(), side=side)
    return found.reshape(values.shape)


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """Elements of one array where a condition holds, of another elsewhere."""
    condition = array(condition, "where")
    if not is_array(x1) and not is_array(x2):
        first = torch.tensor(x1).dtype
        target = types.with_scalar(first, x2)
        return torch.where(condition, types.as_type(x1, target), types.as_type(x2, target))
    return torch.where(condition, *promoted("where", x1, x2))


def argsort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Any:
    """The order that sorts the values along an axis."""
    return _sorted("argsort", x, axis, descending)[1]


def sort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Any:
    """The values along an axis in order."""
    return _sorted("sort", x, axis, descending)[0]


def _sorted(name: str, x: Any, axis: int, descending: Any) -> Any:
    x = array(x, name)
    return torch.sort(x, dim=axis_of(axis, x.ndim), descending=bool(descending), stable=True)


# ---- sets ----------------------------------------------------------------------------------------


def unique_all(x: Any, /) -> UniqueAllResult:
    """The values without repetitions, where each is first, which one each element is, how many."""
    values, first, inverse, counts = _unique(array(x, "unique_all"))
    return UniqueAllResult(values, first, inverse, counts)


def unique_counts(x: Any, /) -> UniqueCountsResult:
    """The values without repetitions and how many there are of each."""
    values, _, _, counts = _unique(array(x, "unique_counts"))
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Any, /) -> UniqueInverseResult:
    """The values without repetitions and which of them each element is."""
    values, _, inverse, _ = _unique(array(x, "unique_inverse"))
    return UniqueInverseResult(values, inverse)


def unique_values(x: Any, /) -> Any:
    """The values without repetitions."""
    return _unique(array(x, "unique_values"))[0]


def _unique(x: Any) -> tuple[Any, Any, Any, Any]:
    """By a stable sort; every NaN counts as a value of its own, as it equals no other."""
    flat = x.reshape(-1)
    order = _order(flat)
    ordered = flat[order]
    starts = torch.ones(flat.shape[0], dtype=types.bool)
    if flat.shape[0] > 1:
        starts[1:] = ordered[1:] != ordered[:-1]
    place = torch.cumsum(starts, 0) - 1
    first = torch.nonzero(starts).reshape(-1)
    inverse = torch.empty_like(order)
    inverse[order] = place
    ends = torch.cat([first[1:], torch.tensor([flat.shape[0]])]) if len(first) else first
    return ordered[first], order[first], inverse.reshape(x.shape), ends - first


def _order(flat: Any) -> Any:
    """Which element comes first, second, …; complex numbers by real part, then imaginary part."""
    if not flat.is_complex():
        return torch.sort(flat.detach(), stable=True).indices
    parts = torch.view_as_real(flat.detach().resolve_conj())
    by_imaginary = torch.sort(parts[:, 1], stable=True).indices
    by_real = torch.sort(parts[by_imaginary, 0], stable=True).indices
    return by_imaginary[by_real]


def isin(x1: Any, x2: Any, /, *, invert: Any = False) -> Any:
    """Whether each element is among the elements of another array."""
    x1, x2 = promoted("isin", x1, x2)
    found = torch.any(x1.unsqueeze(-1) == x2.reshape(-1), -1)
    return torch.logical_not(found) if invert else found
