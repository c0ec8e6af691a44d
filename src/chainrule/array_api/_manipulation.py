"""Functions that move and join elements."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import refusal
from . import _types as types
from ._types import array, axes_of, axis_of


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to."""
    return tuple(torch.broadcast_shapes(*shapes))


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """Arrays broadcast against each other."""
    for x in arrays:
        array(x, "broadcast_arrays")
    return tuple(torch.broadcast_tensors(*arrays)) if arrays else ()


def broadcast_to(x: Any, /, shape: Any) -> Any:
    """The array broadcast to a shape."""
    return torch.broadcast_to(array(x, "broadcast_to"), tuple(shape))


def concat(arrays: Any, /, *, axis: Any = 0) -> Any:
    """Arrays joined along an axis; with `axis=None` their elements one after the other."""
    parts = _of_one_type(arrays, "concat")
    if axis is None:
        return torch.cat([part.reshape(-1) for part in parts])
    lengths = {part.ndim for part in parts}
    if len(lengths) > 1 or lengths == {0}:
        raise refusal.value(
            "concat: arrays must have the same number of dimensions, at least one; got shapes "
            f"{[tuple(part.shape) for part in parts]}"
        )
    axis = axis_of(axis, parts[0].ndim)
    rests = {tuple(n for k, n in enumerate(part.shape) if k != axis) for part in parts}
    if len(rests) > 1:  # PyTorch leaves empty arrays of shape (0,) out, the standard does not
        raise refusal.value(
            f"concat: shapes must agree except in axis {axis}; got "
            f"{[tuple(part.shape) for part in parts]}"
        )
    return torch.cat(parts, axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Any:
    """Arrays of one shape joined along a new axis."""
    parts = _of_one_type(arrays, "stack")
    return torch.stack(parts, axis_of(axis, parts[0].ndim + 1))


def _of_one_type(arrays: Any, name: str) -> list[Any]:
    parts = [array(x, name) for x in arrays]
    if not parts:
        raise refusal.value(f"{name}: need at least one array")
    target = types.result_type(*parts)
    return [types.as_type(x, target) for x in parts]


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts of an array along an axis, as a tuple."""
    if array(x, "unstack").ndim == 0:
        raise refusal.value("unstack: a 0-dim array has no axis")
    return tuple(torch.unbind(x, axis_of(axis, x.ndim)))


def expand_dims(x: Any, /, axis: int) -> Any:
    """The array with a new axis of length 1."""
    return torch.unsqueeze(x, axis_of(axis, array(x, "expand_dims").ndim + 1))


def squeeze(x: Any, /, axis: Any) -> Any:
    """The array without axes of length 1."""
    axes = axes_of(axis, array(x, "squeeze").ndim)
    wrong = [k for k in axes if x.shape[k] != 1]
    if wrong:
        raise refusal.value(
            "cannot select an axis to squeeze out which has size not equal to one: axis "
            f"{wrong[0]} of shape {tuple(x.shape)}"
        )
    return torch.squeeze(x, axes)


def flip(x: Any, /, *, axis: Any = None) -> Any:
    """The elements in reverse order along axes."""
    return torch.flip(x, axes_of(axis, array(x, "flip").ndim))


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    """Axes moved to other places."""
    return torch.movedim(array(x, "moveaxis"), source, destination)


def permute_dims(x: Any, /, axes: Any) -> Any:
    """The axes in another order."""
    return torch.permute(array(x, "permute_dims"), tuple(axes))


def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Any:
    """Each element several times."""
    x = array(x, "repeat")
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of(axis, x.ndim)
    if not isinstance(repeats, int):
        counts = array(repeats, "repeat").to(types.int64)
        if counts.ndim > 1 or (counts.numel() not in (1, x.shape[axis])):
            raise refusal.value(
                f"repeat: {tuple(counts.shape)} repeats do not fit axis {axis} of shape "
                f"{tuple(x.shape)}"
            )
        repeats = int(counts.reshape(())) if counts.numel() == 1 else counts
    return torch.repeat_interleave(x, repeats, axis)


def reshape(x: Any, /, shape: Any, *, copy: Any = None) -> Any:
    """The elements in another shape."""
    shape = tuple(shape)
    if copy:
        return array(x, "reshape").clone().reshape(shape)
    if copy is False:
        try:
            return array(x, "reshape").view(shape)
        except RuntimeError as problem:
            raise refusal.value(
                f"reshape(copy=False): shape {tuple(x.shape)} with strides {x.stride()} cannot "
                f"become {shape} without a copy"
            ) from problem
    return torch.reshape(array(x, "reshape"), shape)


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    """Elements moved along axes; those that leave come in again on the other side."""
    if axis is None:
        return torch.roll(array(x, "roll"), shift)
    if isinstance(axis, int) and isinstance(shift, int):
        return torch.roll(array(x, "roll"), shift, axis_of(axis, x.ndim))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if not axes:
        return array(x, "roll").clone()
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    return torch.roll(array(x, "roll"), shifts, tuple(axis_of(k, x.ndim) for k in axes))


def tile(x: Any, repetitions: Any, /) -> Any:
    """The array several times along each axis."""
    return torch.tile(array(x, "tile"), tuple(repetitions))


def take(x: Any, indices: Any, /, *, axis: Any = None) -> Any:
    """Elements of an axis by their numbers."""
    x = array(x, "take")
    if axis is None:
        if x.ndim != 1:
            raise refusal.value(f"take: axis must be given for an array of {x.ndim} dimensions")
        axis = 0
    where = array(indices, "take").to(types.int64)
    key = [slice(None)] * axis_of(axis, x.ndim)
    return x[(*key, where)]


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """Elements of an axis by numbers that differ along the others, which broadcast."""
    x, where = array(x, "take_along_axis"), array(indices, "take_along_axis").to(types.int64)
    axis = axis_of(axis, x.ndim)
    if where.ndim != x.ndim:
        raise refusal.value(
            f"take_along_axis: indices have {where.ndim} dimensions, the array {x.ndim}"
        )
    others = torch.broadcast_shapes(
        *[tuple(1 if k == axis else n for k, n in enumerate(a.shape)) for a in (x, where)]
    )
    shape_x = tuple(x.shape[k] if k == axis else n for k, n in enumerate(others))
    shape_i = tuple(where.shape[k] if k == axis else n for k, n in enumerate(others))
    where = where.expand(shape_i)
    where = torch.where(where < 0, where + x.shape[axis], where)
    return torch.gather(x.expand(shape_x), axis, where)
