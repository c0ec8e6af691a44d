"""The memory of tensors as collectives use it: flat, without a copy where it lies in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.modes import no_grad
from ..autograd.plain_write import bump
from ..autograd.value import TensorBase, make
from ..tensor.interop import readable_array


class Lent:
    """A tensor's memory, lent to a collective; `give_back` when it has been written to."""

    __slots__ = ("array", "copied", "name", "tensor")

    def __init__(self, tensor: Any, name: str) -> None:
        # Types that only store have memory that can be moved, though not computed with.
        stored = tensor._level is not None and tensor._level.kind == "stored"
        array = tensor._a if stored else readable_array(tensor, name)
        self.tensor, self.name = tensor, name
        self.copied = bool(tensor._lazy) or not array.flags.c_contiguous
        if tensor._lazy:  # its memory shows other values
            array = array.copy()
        self.array: np.ndarray = np.ascontiguousarray(array).reshape(-1)

    def give_back(self) -> None:
        """Let the tensor have what was written."""
        if self.tensor._lazy:
            with no_grad():
                self.tensor.copy_(make(self.array.reshape(tuple(self.tensor.shape))))
            return
        if self.copied:
            target = self.tensor._a
            target[...] = self.array.reshape(target.shape)
        bump(self.tensor, self.name)


def read(tensor: Any, name: str) -> np.ndarray:
    """A tensor's values, flat, to be read."""
    return Lent(tensor, name).array


def check_tensor(value: Any, parameter: str) -> None:
    """An error unless the value is a tensor whose memory can be lent."""
    if not isinstance(value, TensorBase):
        raise refusal.wrong_type(
            f"Invalid function argument. Expected parameter `{parameter}` of type torch.Tensor",
            f"but got {type(value)} instead",
        )
    if hasattr(value, "_local_tensor"):
        raise refusal.wrong_type(
            f"Invalid function argument: `{parameter}` is a DTensor, of which each process has a "
            "part, and collectives need plain tensors",
            fix=f"{parameter}.to_local(), or {parameter}.redistribute(...).",
        )
    if getattr(value, "is_sparse", False):
        raise refusal.wrong_type(
            f"Invalid function argument: `{parameter}` is sparse, and collectives need dense "
            "tensors",
            fix=f"{parameter}.to_dense().",
        )


def check_tensors(values: Any, parameter: str) -> None:
    """An error unless the value is a list of tensors of one type."""
    if not isinstance(values, Sequence) or not all(isinstance(v, TensorBase) for v in values):
        kinds = [type(v) for v in values] if isinstance(values, Sequence) else type(values)
        raise refusal.wrong_type(
            f"Invalid function argument. Expected parameter `{parameter}` of type "
            "List[torch.Tensor]",
            f"but got {type(values)} with elements of type {kinds}",
        )
    for value in values:
        check_tensor(value, parameter)


def check_same_type(*tensors: Any) -> None:
    """An error unless all have one dtype."""
    for other in tensors[1:]:
        if other.dtype is not tensors[0].dtype:
            raise refusal.value(
                f"Invalid usage of tensors with different dtypes: found {tensors[0].dtype} and "
                f"{other.dtype}"
            )


def check_same_shapes(values: Sequence[Any], like: Any, parameter: str, name: str) -> None:
    """An error unless all tensors of a list have the shape of another one."""
    for position, value in enumerate(values):
        if tuple(value.shape) != tuple(like.shape):
            raise refusal.value(
                f"{name}: invalid tensor size at index {position} of {parameter} (expected "
                f"{list(like.shape)}, got {list(value.shape)})"
            )


def joined(tensors: Sequence[Any], name: str) -> np.ndarray:
    """The values of several tensors one after the other."""
    if len(tensors) == 1:
        return read(tensors[0], name)
    return np.concatenate([read(t, name) for t in tensors])


def room_for(tensors: Sequence[Any], name: str) -> tuple[np.ndarray, list[Lent]]:
    """An array as long as several tensors together, and the tensors' memory."""
    lent = [Lent(t, name) for t in tensors]
    if len(lent) == 1:
        return lent[0].array, lent
    return np.empty(sum(x.array.size for x in lent), lent[0].array.dtype), lent


def hand_out(array: np.ndarray, lent: Sequence[Lent]) -> None:
    """Cut an array into tensors."""
    start = 0
    for one in lent:
        end = start + one.array.size
        if one.array is not array:
            one.array[...] = array[start:end]
        one.give_back()
        start = end
