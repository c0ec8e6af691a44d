"""`torch.nested`: batches of tensors of different lengths, in the jagged layout.

The components lie one after the other in one tensor (`values`), without padding; `offsets` say
where each begins. Functions that PyTorch has for them work, with gradients; the README of this
folder says how.

>>> import chainrule as torch
>>> x = torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(1, 3)], layout=torch.jagged)
>>> (x * 2).sum(1)
tensor([[4., 4., 4.],
        [0., 0., 0.]])
>>> x.to_padded_tensor(-1.0).shape
torch.Size([2, 2, 3])
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..tensor.layouts import jagged, strided
from . import products as _products  # noqa: F401 - declares handlers
from . import reducing as _reducing  # noqa: F401 - declares handlers
from .shapes import to_padded_tensor as _padded
from .tensor import NestedTensor, offsets_of

__all__ = [
    "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged",
    "to_padded_tensor",
]  # fmt: skip


def nested_tensor(
    tensor_list: Sequence[Any], *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> NestedTensor:  # fmt: skip
    """A nested tensor with copies of the components, a leaf."""
    _need_jagged(layout, "nested_tensor")
    parts = [torch.as_tensor(t, dtype=dtype, device=device).detach() for t in tensor_list]
    return _of_parts(parts, dtype).requires_grad_(requires_grad)


def as_nested_tensor(
    ts: Any, dtype: Any = None, device: Any = None, layout: Any = None
) -> NestedTensor:
    """A nested tensor of components, with their history.

    A dense tensor gives components of one length, on its memory.
    """
    if isinstance(ts, NestedTensor):
        return ts.to(dtype) if dtype is not None else ts  # pyright: ignore[reportReturnType]
    _need_jagged(layout, "as_nested_tensor")
    if isinstance(ts, torch.Tensor):
        ts = ts if dtype is None else ts.to(dtype)
        lengths = [ts.shape[1]] * ts.shape[0]
        return NestedTensor(ts.flatten(0, 1), offsets_of(lengths))
    if not isinstance(ts, list | tuple) or not all(isinstance(t, torch.Tensor) for t in ts):
        raise refusal.wrong_type(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of "
            f"tensors, got {type(ts).__name__}"
        )
    return _of_parts(list(ts), dtype)


def _of_parts(parts: list[Any], dtype: Any) -> NestedTensor:
    if not parts:
        raise refusal.runtime("Cannot construct a nested tensor from an empty tensor list")
    if len({part.ndim for part in parts}) > 1 or not parts[0].ndim:
        raise refusal.runtime(
            "When constructing a nested tensor, all tensors in list must have the same dim, of at "
            f"least 1: {[list(part.shape) for part in parts][:5]}"
        )
    ragged = _ragged_dimension([tuple(part.shape) for part in parts])
    if dtype is not None:
        parts = [part.to(dtype) for part in parts]
    values = torch.cat(parts, ragged)
    offsets = offsets_of([part.shape[ragged] for part in parts])
    return NestedTensor(values, offsets, _ragged_idx=ragged + 1)


def _ragged_dimension(shapes: list[tuple[int, ...]]) -> int:
    """The one dimension that differs; the first if none does."""
    differing = [d for d, lengths in enumerate(zip(*shapes, strict=True)) if len(set(lengths)) > 1]
    if len(differing) > 1:
        raise refusal.runtime(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note "
            "that the jagged layout only allows for a single ragged dimension: dimensions "
            f"{differing} of {[list(s) for s in shapes][:5]} differ"
        )
    return differing[0] if differing else 0


def _need_jagged(layout: Any, name: str) -> None:
    if layout is jagged:
        return
    shown = strided if layout is None else layout
    raise refusal.not_implemented(
        f"{name}(layout={shown!r}): nested tensors have the jagged layout here",
        fix=f"{name}(..., layout=torch.jagged); PyTorch's other layout is a prototype that it no "
        "longer develops.",
    )


def nested_tensor_from_jagged(
    values: Any, offsets: Any = None, lengths: Any = None, jagged_dim: int | None = None,
    min_seqlen: int | None = None, max_seqlen: int | None = None,
) -> NestedTensor:  # fmt: skip
    """A nested tensor on values that lie one after the other already, with their history."""
    if offsets is None:
        if lengths is None:
            raise refusal.runtime(
                "nested_tensor_from_jagged(): At least one of offsets or lengths is required."
            )
        offsets = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
        lengths = None
    ragged = 1 if jagged_dim is None else jagged_dim
    _check_offsets(values, offsets, lengths, ragged)
    return NestedTensor(values, offsets, lengths=lengths, _ragged_idx=ragged)


def _check_offsets(values: Any, offsets: Any, lengths: Any, ragged: int) -> None:
    """Offsets that leave the values would be noticed late, or never."""
    starts = offsets.tolist()
    most = values.shape[ragged - 1]
    sizes = [b - a for a, b in itertools.pairwise(starts)]
    taken = sizes if lengths is None else lengths.tolist()
    ends = [a + n for a, n in zip(starts, taken, strict=False)]
    if (
        offsets.ndim != 1
        or any(n < 0 for n in (*sizes, *taken, *starts[:1]))
        or any(end > most for end in ends)
    ):
        raise refusal.runtime(
            f"nested_tensor_from_jagged(): offsets {starts[:10]} and lengths {taken[:10]} do not "
            f"lie within {most} values",
            why="Offsets begin at 0, grow, and end with the number of values.",
        )


def narrow(tensor: Any, dim: int, start: Any, length: Any, layout: Any = strided) -> Any:
    """A part of each row, from its own start and of its own length, on the tensor's memory."""
    _need_jagged(layout, "narrow")
    if dim != 1:
        raise refusal.runtime(f"jagged layout only supports dim=1, got dim={dim}")
    rows, width = tensor.shape[:2]
    starts = torch.as_tensor(start).expand(rows)
    lengths = torch.as_tensor(length).expand(rows).contiguous()
    if bool(((starts < 0) | (lengths < 0) | (starts + lengths > width)).any()):
        raise refusal.runtime(
            f"narrow(): start {starts.tolist()[:10]} and length {lengths.tolist()[:10]} do not lie "
            f"within rows of {width}"
        )
    begins = starts + torch.arange(rows) * width
    offsets = torch.cat([begins, (begins + lengths)[-1:]])
    return NestedTensor(tensor.flatten(0, 1), offsets, lengths=lengths)


def masked_select(tensor: Any, mask: Any) -> NestedTensor:
    """Of each row the elements that a mask selects."""
    if tensor.ndim != 2 or mask.ndim != 2:
        raise refusal.runtime(
            f"masked_select only support 2-D selections currently, got {tensor.ndim} and "
            f"{mask.ndim} dimensions"
        )
    tensor, mask = torch.broadcast_tensors(tensor, mask)
    offsets = torch.nn.functional.pad(mask.sum(1).cumsum(0), (1, 0))
    return NestedTensor(tensor[mask], offsets)


def to_padded_tensor(input: Any, padding: float, output_size: Any = None) -> Any:  # noqa: A002
    """A dense tensor: components of less than the largest length are filled up."""
    if not isinstance(input, NestedTensor):
        raise refusal.not_implemented(
            f"to_padded_tensor() needs a nested tensor, got one of shape {list(input.shape)}"
        )
    return _padded(None, input, padding, output_size)


explain_module(globals())
