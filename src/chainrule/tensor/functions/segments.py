"""Reductions of consecutive segments: segment_reduce."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd import source
from ...ops import dtypes
from ..api import public
from .common import P, TensorBase, axis_of

if TYPE_CHECKING:
    from ..annotations import Tensor

_START = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -float("inf"), "min": float("inf")}
_REDUCTIONS = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}


@public(method=False)
def segment_reduce(
    data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
    offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:  # fmt: skip
    """The sum, mean, prod, max or min of each segment of a dimension.

    `lengths` (or `offsets`, where segments begin and the last ends) has the dimensions of `data`
    before `axis`, then one for the segments. A segment of no elements gives `initial`, or what the
    reduction starts from; the mean of nothing is NaN.

    >>> import chainrule as torch
    >>> torch.segment_reduce(torch.tensor([1., 2., 3.]), "sum", lengths=torch.tensor([2, 0, 1]))
    tensor([3., 0., 3.])
    """
    _check_arguments(data, reduce, lengths, indices, offsets)
    axis = axis_of(axis, data.ndim)
    if lengths is None:
        assert offsets is not None  # one of them was given
        lengths = offsets.diff(dim=-1)
    _check_lengths(data, lengths, axis, unsafe)
    places = _places(lengths.detach(), data, axis)
    start = _START[reduce] if initial is None else float(initial)
    shape = (*lengths.shape, *data.shape[axis + 1 :])
    begun = P.add(data.new_zeros(shape), start)
    result = begun.scatter_reduce(axis, places, data, _REDUCTIONS[reduce], include_self=True)
    if reduce != "mean":
        return result
    counts = lengths.reshape(*lengths.shape, *[1] * (data.ndim - axis - 1)).to(data.dtype)
    if initial is not None:
        counts = counts.clamp_min(1)  # of no elements: the initial value itself
    return result / counts


def _check_arguments(data: Any, reduce: str, lengths: Any, indices: Any, offsets: Any) -> None:
    where = f"\n  segment_reduce at {source.here()}"
    if reduce not in _START:
        raise RuntimeError(
            f"Unsupported reduction type! {reduce!r} is none of {list(_START)}{where}"
        )
    if indices is not None:
        raise RuntimeError(
            f"segment_reduce(): indices based reduction is not supported yet.{where}"
        )
    if lengths is None and offsets is None:
        raise RuntimeError(
            f"segment_reduce(): Either lengths or offsets must be defined, not neither.{where}"
        )
    given = lengths if lengths is not None else offsets
    if not isinstance(given, TensorBase) or given.dtype.category != dtypes.INT:  # type: ignore[attr-defined]
        raise RuntimeError(f"Expected lengths or offsets to be a tensor of integers{where}")
    if data.dtype.category != dtypes.FLOAT:
        raise RuntimeError(
            f'"segment_reduce" not implemented for {data.dtype!r}: its values must be floats{where}'
        )


def _check_lengths(data: Any, lengths: Any, axis: int, unsafe: bool) -> None:
    where = f"\n  segment_reduce at {source.here()}"
    if tuple(lengths.shape[:-1]) != tuple(data.shape[:axis]) or lengths.ndim != axis + 1:
        raise RuntimeError(
            f"segment_reduce(): Expected lengths of {axis + 1} dimensions that begin with "
            f"{list(data.shape[:axis])}, got {list(lengths.shape)}{where}"
        )
    if unsafe or not lengths.numel() or lengths._level is not None:  # vmap has no truth values
        return
    if bool((lengths < 0).any()):
        raise RuntimeError(f"segment_reduce(): lengths contains negative value!{where}")
    if not bool((lengths.sum(-1) == data.shape[axis]).all()):
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to "
            f"data.size(lengths.dim()-1) = {data.shape[axis]} when !unsafe.{where}"
        )


def _places(lengths: Any, data: Any, axis: int) -> Any:
    """The segment of every element, in the shape of the data."""
    ends = lengths.cumsum(-1)
    elements = ends.new_tensor(range(data.shape[axis]))
    segments = (elements.unsqueeze(-1) >= ends.unsqueeze(-2)).sum(-1)
    trailing = data.shape[axis + 1 :]
    return segments.reshape(*segments.shape, *[1] * len(trailing)).expand(data.shape)
