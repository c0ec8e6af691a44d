"""How the elements of a tensor lie in memory: strides, offsets, addresses, raw layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.dispatch import P
from ..autograd.lazy import memory
from ..autograd.value import CONJ
from ..ops import dtypes
from ..ops.layout import address, contiguous_strides, extent, owner
from .layouts import contiguous_format, format_order, required_order
from .legacy import WORDS

if TYPE_CHECKING:
    from .annotations import MemoryFormat, Tensor


def strides_of(t: Any) -> tuple[int, ...]:
    """Strides in elements, as PyTorch gives them.

    NumPy leaves the strides of empty arrays and of new dimensions of length 1 at zero.
    """
    a = memory(t)
    if not a.size and (t._view is None or 0 in a.strides):
        return contiguous_strides(a.shape)
    size = a.itemsize
    steps = [s // size for s in a.strides]
    for d in reversed(range(a.ndim)):
        if steps[d] == 0 and a.shape[d] == 1:
            steps[d] = steps[d + 1] * a.shape[d + 1] if d + 1 < a.ndim else 1
    return tuple(steps)


def stride(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> Any:
    """How many elements lie between neighbours along each dimension, or along one."""
    try:
        dim = axis if dim is None else dim
        steps = strides_of(self)
        if dim is None:
            return steps
        from .functions.common import axis_of

        if not steps:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        return steps[axis_of(dim, self.ndim)]
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def offset_of(t: Any) -> int:
    """Elements between the start of the storage and the tensor's first element."""
    a = memory(t)
    whole = owner(a)
    return (address(a) - address(whole)) // a.itemsize if whole is not a else 0


def is_contiguous(self: Tensor, memory_format: MemoryFormat = contiguous_format) -> bool:
    """Whether elements lie in memory in the order of a format (C order by default)."""
    try:
        a = memory(self)
        if memory_format is contiguous_format:
            return a.flags.c_contiguous
        order = format_order(memory_format, a.ndim)
        if order is None:
            return False
        return bool(a.transpose(order).flags.c_contiguous)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def contiguous(self: Tensor, memory_format: MemoryFormat = contiguous_format) -> Tensor:
    """The tensor itself when its elements lie in the format's order, else a copy that does."""
    try:
        if memory_format is contiguous_format and self.is_contiguous():
            return self
        order = required_order(memory_format, tuple(self.shape))
        if self.is_contiguous(memory_format=memory_format):
            return self
        if memory_format is contiguous_format:
            return P.clone_contiguous(self)
        return P.clone_ordered(self, order=order)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def data_ptr(self: Tensor) -> int:
    """The address of the first element (0 for an empty tensor)."""
    a = memory(self)
    return address(a) if a.size else 0


# ---- raw layouts ---------------------------------------------------------------------------------


def strided_layouts(
    t: Any, size: tuple[int, ...], steps: tuple[int, ...], offset: int | None
) -> tuple[Any, Any]:
    """The layouts of t and of its `as_strided` view, checked against the storage."""
    if len(size) != len(steps):
        raise refusal.runtime(
            f"mismatch in length of strides and shape: {len(steps)} strides for {len(size)} sizes",
            "as_strided",
        )
    if any(s < 0 for s in steps):
        raise refusal.runtime(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)}",
            fix="flip() a dimension instead.",
        )
    mine = t.storage_offset()
    start = mine if offset is None else int(offset)
    if start < 0:
        raise refusal.runtime(f"Tensor: invalid storage offset {start}")
    lies_here = t._level is None or t._level.kind == "stored"
    have = extent(owner(memory(t))) if lies_here else None
    width = t.dtype.itemsize
    last = start + sum((n - 1) * s for n, s in zip(size, steps, strict=True)) + 1
    if have is not None and 0 not in size and last * width > have:
        raise refusal.runtime(
            f"setStorage: sizes {list(size)}, strides {list(steps)}, storage offset {start}, and "
            f"itemsize {width} requiring a storage size of {last * width} are out of bounds for "
            f"storage of size {have}"
        )
    inner = (tuple(t.shape), tuple(t.stride()), mine)
    return inner, (tuple(size), tuple(steps), start)


def view_as_dtype(t: Any, target: dtypes.dtype) -> Any:
    """The same bytes as another type; gradients do not flow through it."""
    have, want = t.dtype.itemsize, target.itemsize
    words = f"{WORDS[t.dtype.name]} as {WORDS[target.name]} (different element sizes)"
    if have != want:
        steps = t.stride()
        if t.ndim == 0:
            raise refusal.runtime(f"self.dim() cannot be 0 to view {words}")
        if steps[-1] != 1:
            raise refusal.runtime(f"self.stride(-1) must be 1 to view {words}, but got {steps[-1]}")
    if want > have:
        ratio = want // have
        if t.shape[-1] % ratio:
            raise refusal.runtime(
                f"self.size(-1) must be divisible by {ratio} to view {words}, but got {t.shape[-1]}"
            )
    if t._lazy:
        bit = "conjugate" if t._lazy & CONJ else "negative"
        raise refusal.runtime(
            f"torch.Tensor.view is not supported for {bit} view tensors when converting to a "
            "different dtype.",
            f"{t.dtype!r} as {target!r}",
            fix="resolve_conj() or resolve_neg() first, which copies.",
        )
    made = P.view_dtype(t.detach() if t._rg else t, dtype=target.np)
    if made._level is None and target in dtypes.STORED:
        from .stored import stored

        return stored(made)
    return made


METHODS = {
    "contiguous": contiguous, "data_ptr": data_ptr, "is_contiguous": is_contiguous,
    "storage_offset": offset_of, "stride": stride,
}  # fmt: skip
