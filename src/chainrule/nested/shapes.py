"""Shapes of nested tensors: what leaves the batch and the ragged dimension where they are.

Dimension d of a nested tensor is dimension d - 1 of its values.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from .handlers import first_nested, handles
from .sizes import NestedInt
from .tensor import NestedTensor, from_components, offsets_of


def axis_of(nt: NestedTensor, dim: int, extra: int = 0) -> int:
    """A dimension counted from the front."""
    n = nt.ndim + extra
    if not isinstance(dim, int):
        raise refusal.wrong_type(f"a dimension is a whole number, not {type(dim).__name__}")
    if not -n <= dim < n:
        raise refusal.index(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return dim % n


def dense_axis(nt: NestedTensor, dim: int, name: str) -> int:
    """A dimension that all components share, of the values."""
    axis = axis_of(nt, dim)
    if axis == 0 or axis == nt._ragged_idx:
        which = "dim=0" if axis == 0 else "ragged dim"
        raise refusal.runtime(
            f"{name}(): not supported for NestedTensor on {which}",
            f"shape {tuple(nt.shape)}",
            fix="x.unbind() has the components.",
        )
    return axis - 1


@handles("unbind")
def unbind(func: Any, nt: NestedTensor, dim: int = 0) -> tuple[Any, ...]:
    """The components."""
    if axis_of(nt, dim) != 0:
        raise refusal.runtime("unbind(): only supported for NestedTensor on dim=0", f"dim={dim}")
    return nt._components()


@handles("transpose", "swapaxes", "swapdims")
def transpose(func: Any, nt: NestedTensor, dim0: int, dim1: int) -> NestedTensor:
    """Two dimensions in each other's place."""
    a, b = axis_of(nt, dim0), axis_of(nt, dim1)
    if a == b:
        return nt
    if 0 in (a, b):
        raise refusal.value(
            "Transpose is not supported on the batch dimension for jagged NT",
            f"dimensions {dim0} and {dim1}",
        )
    ragged = {a: b, b: a}.get(nt._ragged_idx, nt._ragged_idx)
    return nt._like(nt._values.transpose(a - 1, b - 1), ragged)


@handles("permute")
def permute(func: Any, nt: NestedTensor, *dims: Any) -> NestedTensor:
    """The dimensions in another order."""
    given = dims[0] if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims
    axes = [axis_of(nt, d) for d in given]
    if not axes or axes[0] != 0:
        raise refusal.value(
            "Permute is not supported on the batch dimension for jagged NT",
            f"dimensions {list(given)}",
        )
    values = nt._values.permute([a - 1 for a in axes[1:]])
    return nt._like(values, axes.index(nt._ragged_idx))


@handles("unsqueeze")
def unsqueeze(func: Any, nt: NestedTensor, dim: int) -> NestedTensor:
    """A new dimension of length 1."""
    axis = axis_of(nt, dim, 1)
    if axis == 0:
        dense_axis(nt, 0, "unsqueeze")
    ragged = nt._ragged_idx + (axis <= nt._ragged_idx)
    return nt._like(nt._values.unsqueeze(axis - 1), ragged)


@handles("squeeze")
def squeeze(func: Any, nt: NestedTensor, dim: int) -> NestedTensor:
    """Without a dimension of length 1."""
    axis = dense_axis(nt, dim, "squeeze")
    ragged = nt._ragged_idx
    if nt._values.shape[axis] == 1 and axis + 1 < ragged:
        ragged -= 1
    return nt._like(nt._values.squeeze(axis), ragged)


@handles("view", "reshape", "view_as", "reshape_as")
def reshape(func: Any, nt: NestedTensor, *shape: Any) -> NestedTensor:
    """The dimensions around the ragged one, cut or joined."""
    wanted: list[Any] = (
        list(shape[0]) if len(shape) == 1 and not _is_size(shape[0]) else list(shape)
    )
    if len(shape) == 1 and isinstance(shape[0], torch.Tensor):
        wanted = list(shape[0].shape)
    ragged = _place_of_ragged(nt, wanted)
    values = list(wanted[1:])
    values[ragged - 1] = nt._values.shape[nt._ragged_idx - 1]
    method = "view" if func.__name__ in ("view", "view_as") else "reshape"
    return nt._like(getattr(nt._values, method)(values), ragged)


def _is_size(value: Any) -> bool:
    return isinstance(value, int | NestedInt)


def _place_of_ragged(nt: NestedTensor, wanted: list[Any]) -> int:
    """Where the ragged dimension stands in a wanted shape: by its name, or as the one -1."""
    if wanted and wanted[0] in (len(nt), -1):
        named = [k for k, n in enumerate(wanted) if isinstance(n, NestedInt)]
        if len(named) == 1 and wanted[named[0]] == nt._ragged_length:
            return named[0]
        free = [k for k, n in enumerate(wanted) if n == -1 and k]
        before = torch.Size(nt._values.shape[: nt._ragged_idx - 1]).numel()
        for k in free:
            known = [n for n in wanted[1:k] if n != -1]
            if len(known) == k - 1 and torch.Size(known).numel() == before:
                return k
    raise refusal.runtime(
        f"view(): cannot view shape {tuple(nt.shape)} as {wanted}",
        why="The batch comes first, and the ragged dimension stays: write -1 or x.size(1) for it.",
    )


@handles("flatten")
def flatten(func: Any, nt: NestedTensor, start_dim: int = 0, end_dim: int = -1) -> NestedTensor:
    """Neighbouring dimensions as one."""
    a, b = axis_of(nt, start_dim), axis_of(nt, end_dim)
    if a == b:
        return nt
    if a == 0 or a <= nt._ragged_idx <= b:
        where = "dim=0" if a == 0 else "ragged dim"
        raise refusal.runtime(
            f"flatten(): not supported for NestedTensor on {where}",
            f"dimensions {start_dim} to {end_dim} of {tuple(nt.shape)}",
        )
    ragged = nt._ragged_idx - (b - a if b < nt._ragged_idx else 0)
    return nt._like(nt._values.flatten(a - 1, b - 1), ragged)


@handles("unflatten")
def unflatten(func: Any, nt: NestedTensor, dim: int, sizes: Any) -> NestedTensor:
    """A dimension as several."""
    axis = dense_axis(nt, dim, "unflatten")
    ragged = nt._ragged_idx + (len(sizes) - 1 if axis + 1 < nt._ragged_idx else 0)
    return nt._like(nt._values.unflatten(axis, sizes), ragged)


@handles("expand", "broadcast_to", "expand_as")
def expand(func: Any, nt: Any, *shape: Any) -> Any:
    """Dimensions of length 1 repeated; a dense tensor as the components of a nested one."""
    if not isinstance(nt, NestedTensor):
        return nt + torch.zeros_like(shape[0]) if isinstance(shape[0], NestedTensor) else None
    wanted = list(shape[0]) if not _is_size(shape[0]) and not hasattr(shape[0], "shape") else shape
    wanted = list(shape[0].shape) if hasattr(shape[0], "shape") else list(wanted)
    kept = [-1 if isinstance(n, NestedInt) else n for n in wanted[1:]]
    kept[nt._ragged_idx - 1] = -1
    return nt._like(nt._values.expand(kept))


@handles("chunk", "split", "split_with_sizes", "tensor_split")
def split(func: Any, nt: NestedTensor, sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Parts of a dimension that all components share, or of the batch."""
    if axis_of(nt, dim) == 0 and func.__name__ == "chunk":
        parts = nt._components()
        step = -(-len(parts) // sizes)
        groups = [parts[k : k + step] for k in range(0, len(parts), step)]
        return tuple(_joined(group, nt._ragged_idx) for group in groups)
    parts = func(nt._values, sizes, dim=dense_axis(nt, dim, func.__name__))
    return tuple(nt._like(part) for part in parts)


def _joined(parts: Any, ragged: int) -> NestedTensor:
    lengths = [part.shape[ragged - 1] for part in parts]
    values = torch.cat(list(parts), ragged - 1)
    return NestedTensor(values, offsets_of(lengths), _ragged_idx=ragged)


@handles("cat", "concat", "concatenate")
def cat(func: Any, tensors: Any, dim: int = 0) -> NestedTensor:
    """Joined along a dimension that all components share."""
    like = first_nested(tensors)
    axis = dense_axis(like, dim, "cat")
    return like._like(torch.cat([_same_lengths(t, like)._values for t in tensors], axis))


@handles("stack")
def stack(func: Any, tensors: Any, dim: int = 0) -> NestedTensor:
    """Joined along a new dimension."""
    like = first_nested(tensors)
    axis = axis_of(like, dim, 1)
    if axis == 0:
        dense_axis(like, 0, "stack")
    values = torch.stack([_same_lengths(t, like)._values for t in tensors], axis - 1)
    return like._like(values, like._ragged_idx + (axis <= like._ragged_idx))


def _same_lengths(t: Any, like: NestedTensor) -> NestedTensor:
    if not isinstance(t, NestedTensor) or t._ragged_length != like._ragged_length:
        raise refusal.runtime(
            f"cat(): nested tensors of other lengths: {tuple(like.shape)} and {tuple(t.shape)}"
        )
    return t


@handles("select")
def select(func: Any, nt: NestedTensor, dim: int, index: int) -> Any:
    """A component, or one place along a dimension that all components share."""
    if axis_of(nt, dim) == 0:
        return nt._components()[index]
    axis = dense_axis(nt, dim, "select")
    return nt._like(nt._values.select(axis, index), nt._ragged_idx - (axis + 1 < nt._ragged_idx))


@handles("narrow")
def narrow(func: Any, nt: NestedTensor, dim: int, start: Any, length: int) -> NestedTensor:
    """A part of a dimension that all components share."""
    return nt._like(nt._values.narrow(dense_axis(nt, dim, "narrow"), start, length))


@handles("__getitem__")
def getitem(func: Any, nt: NestedTensor, index: Any) -> Any:
    """A component, or what lies at places of the dimensions that all components share."""
    places = index if isinstance(index, tuple) else (index,)
    if type(places[0]) is int:
        part = nt._components()[places[0]]
        return part[places[1:]] if len(places) > 1 else part
    if any(place is None for place in places):
        dense_axis(nt, 0, "index")
    if places[0] is Ellipsis:
        places = (*[slice(None)] * (nt.ndim - len(places) + 1), *places[1:])
    whole = [k for k in (0, nt._ragged_idx) if k < len(places) and places[k] != slice(None)]
    if whole:
        dense_axis(nt, whole[0], "slice")
    dropped = sum(type(place) is int for place in places[1 : nt._ragged_idx])
    return nt._like(nt._values[places[1:]], nt._ragged_idx - dropped)


@handles("contiguous")
def contiguous(func: Any, nt: NestedTensor, **options: Any) -> NestedTensor:
    """The components one after the other."""
    if nt.is_contiguous():
        return nt
    if nt._lengths is None:
        return nt._like(nt._values.contiguous())
    return from_components(nt._components(), nt)


@handles("to_padded_tensor")
def to_padded_tensor(
    func: Any, nt: NestedTensor, padding: float, output_size: Any = None
) -> Any:  # fmt: skip
    """A dense tensor: components of less than the largest length are filled up."""
    axis = nt._ragged_idx - 1
    bounds = nt._bounds()
    longest = max((n for _, n in bounds), default=0)
    if output_size is not None:
        sizes = output_size if isinstance(output_size, tuple | list) else ()
        if len(sizes) != nt.ndim or not all(isinstance(size, int) for size in sizes):
            raise refusal.wrong_type(
                f"to_padded_tensor(): output_size is a tuple of {nt.ndim} whole numbers, "
                f"not {type(output_size).__name__} of length {len(sizes)}"
            )
        wanted = output_size[nt._ragged_idx]
        if wanted < longest:
            raise refusal.runtime(
                f"Value in output_size is less than NestedTensor padded size: {wanted} is less "
                f"than {longest}"
            )
        longest = wanted
    rows = nt._values.movedim(axis, 0)
    blank = torch.full((1, *rows.shape[1:]), padding, dtype=rows.dtype)
    place = torch.tensor(
        [[a + k if k < n else rows.shape[0] for k in range(longest)] for a, n in bounds]
    ).reshape(len(bounds), longest)
    return torch.cat([rows, blank])[place].movedim(1, nt._ragged_idx)
