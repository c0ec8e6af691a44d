"""In-place forms that change what a tensor shows of its memory: t_, unsqueeze_, copy_, zero_..."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.inplace import assign, bump, inplace
from ...autograd.reshaped import show_as
from ...autograd.state import STATE
from ...autograd.value import PLAIN, ROOT, make
from ...ops.layout import overlaps_itself
from ...ops.schema import TABLE
from ..scalars import number_for
from ..spellings import UNGIVEN, one_of
from .arranging import joint_shape
from .casts import cast_to
from .common import P, TensorBase
from .shapes import as_strided, squeeze, swapaxes, t, transpose, unsqueeze

if TYPE_CHECKING:
    from ..annotations import Operand, Tensor

# PyTorch numbers the node of an in-place form after those of the function.
_NODE_NAMES = {
    "t_": "TBackward1", "transpose_": "TransposeBackward1", "swapaxes_": "TransposeBackward1",
    "swapdims_": "TransposeBackward1", "squeeze_": "SqueezeBackward3",
    "unsqueeze_": "UnsqueezeBackward1", "as_strided_": "AsStridedBackward1",
}  # fmt: skip


def _view_in_place(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return show_as(self, function(self, *args, **kwargs), name, _NODE_NAMES[name])

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"In-place form of :func:`{name[:-1]}`."
    return call


def copy_(self: Tensor, src: Tensor = UNGIVEN, non_blocking: bool = False, **named: Any) -> Tensor:
    """Write another tensor's values, broadcast and converted, into this one."""
    if named or src is ...:
        given = [named.pop(name) for name in ("other", "x2") if name in named]
        if named or len(given) != 1:
            raise TypeError(f"copy_() takes one tensor, src or other, not also {sorted(named)}")
        src = one_of("copy_", "src", src, given[0])
    if not isinstance(src, TensorBase):
        if not isinstance(src, bool | int | float | complex):
            raise refusal.wrong_type(
                f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}"
            )
        src = make(np.asarray(src))
    if (
        _has_no_history(self)
        and src.__class__ in PLAIN
        and src._a.shape == self._a.shape
        and src._v is not self._v
        and (self._a.flags.c_contiguous or not overlaps_itself(self._a))
        and not (src._rg and STATE.grad_enabled)
        and src._a.dtype == self._a.dtype
    ):
        np.copyto(self._a, src._a)
        bump(self, "copy_")
        return self
    value = cast_to(src, self.dtype)
    shape = tuple(self.shape)
    if tuple(value.shape) != shape:
        together = joint_shape((self, value))
        if together != shape:
            raise refusal.runtime(
                f"output with shape {list(shape)} doesn't match the broadcast shape "
                f"{list(together)}",
                "copy_",
            )
        value = P.broadcast_to(value, shape=shape)
    return assign(self, value, "copy_")


def _has_no_history(t: Any) -> bool:
    """Whether a write into t needs nothing but memory and a version: the usual case by far."""
    if t.__class__ not in PLAIN or STATE.unusual or t._v is None or not t._a.flags.writeable:
        return False
    if STATE.levels:  # a transform wants to know what is written
        return False
    view = t._view
    return not STATE.grad_enabled or (not t._rg and (view is None or not view[ROOT]._rg))


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero."""
    try:
        if _has_no_history(self):
            self._a.fill(0)
            bump(self, "zero_")
            return self
        return inplace(TABLE["blank"], self, (), {}, "zero_")
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def fill_(self: Tensor, value: Operand) -> Tensor:
    """Set every element to one value, a number or a 0-dim tensor."""
    if isinstance(value, TensorBase):
        if value.ndim:
            raise refusal.runtime(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} "
                "dimensions."
            )
        return inplace(TABLE["fill"], self, (cast_to(value, self.dtype),), {}, "fill_")
    value = number_for(value, self.dtype)
    if _has_no_history(self) and value.__class__ is float and self._a.dtype.kind == "f":
        self._a.fill(value)
        bump(self, "fill_")
        return self
    return inplace(TABLE["fill_number"], self, (), {"value": value}, "fill_")


def fill_diagonal_(self: Tensor, fill_value: Operand, wrap: bool = False) -> Tensor:
    """Set the main diagonal to one value; `wrap` continues below a tall matrix."""
    if self.ndim < 2:
        raise refusal.runtime("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) != 1:
        raise refusal.runtime(
            f"all dimensions of input must be of equal length, they are {list(self.shape)}"
        )
    steps = self.stride()
    diagonal = sum(steps)
    rows, columns = self.shape[:2]
    if not wrap or self.ndim > 2 or rows <= columns + 1:
        fill_(as_strided(self, (min(self.shape),), (diagonal,)), fill_value)
        return self
    # A diagonal begins every `columns + 1` rows; the last one may be cut short.
    again = steps[0] * (columns + 1)
    whole, rest = divmod(rows, columns + 1)
    fill_(as_strided(self, (whole, columns), (again, diagonal)), fill_value)
    if rest:
        start = self.storage_offset() + whole * again
        fill_(as_strided(self, (rest,), (diagonal,), start), fill_value)
    return self


METHODS: dict[str, Any] = {
    "t_": _view_in_place("t_", t),
    "transpose_": _view_in_place("transpose_", transpose),
    "swapaxes_": _view_in_place("swapaxes_", swapaxes),
    "swapdims_": _view_in_place("swapdims_", transpose),
    "squeeze_": _view_in_place("squeeze_", squeeze),
    "unsqueeze_": _view_in_place("unsqueeze_", unsqueeze),
    "as_strided_": _view_in_place("as_strided_", as_strided),
    "copy_": copy_, "zero_": zero_, "fill_": fill_, "fill_diagonal_": fill_diagonal_,
}  # fmt: skip

__all__ = ["METHODS"]
