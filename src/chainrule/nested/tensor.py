"""`NestedTensor`: components of different lengths, one after the other in one tensor."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import chainrule as torch

from ..tensor.layouts import jagged
from ..tensor.overriding import DisableTorchFunctionSubclass, notice
from ..tensor.size import Size
from .sizes import NestedInt, length_of

# What functions of the library make of such tensors: `handlers.handle`, which is written over them.
CALLS: list[Callable[..., Any]] = []


class NestedTensor(torch.Tensor):
    """A batch of tensors that differ in the length of one dimension.

    `values` are the components, joined along that dimension; component i lies between
    `offsets[i]` and `offsets[i + 1]`, or is `lengths[i]` long from there. All history is that of
    `values`: what is done with a nested tensor is done with them (`handlers.py`).
    """

    _values: Any
    _offsets: Any
    _lengths: Any
    _ragged_idx: int

    def __new__(
        cls, values: Any, offsets: Any, *, lengths: Any = None, _ragged_idx: int = 1,
        _min_seqlen: int | None = None, _max_seqlen: int | None = None, **ignored: Any,
    ) -> Any:  # fmt: skip
        made = values.detach()
        made.__class__ = cls
        notice(cls)
        made.__dict__.update(
            _values=values, _offsets=offsets, _lengths=lengths, _ragged_idx=_ragged_idx
        )
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return CALLS[0](func, args, kwargs or {})

    # ---- parts ----

    def values(self) -> Any:
        """The components, joined along the ragged dimension; with their history."""
        return self._values

    def offsets(self) -> Any:
        """Where each component begins, and the end."""
        return self._offsets

    def lengths(self) -> Any:
        """The lengths of the components, or None where each ends where the next begins."""
        return self._lengths

    def _bounds(self) -> list[tuple[int, int]]:
        """(first, length) of each component."""
        starts = self._offsets.tolist()
        if self._lengths is None:
            return [(a, b - a) for a, b in itertools.pairwise(starts)]
        return list(zip(starts, self._lengths.tolist(), strict=False))

    def _components(self) -> tuple[Any, ...]:
        """The components: views of the values."""
        axis = self._ragged_idx - 1
        return tuple(self._values.narrow(axis, a, n) for a, n in self._bounds())

    def _like(self, values: Any, ragged_idx: int | None = None) -> Any:
        """Other values with the same offsets."""
        return NestedTensor(
            values, self._offsets, lengths=self._lengths,
            _ragged_idx=self._ragged_idx if ragged_idx is None else ragged_idx,
        )  # fmt: skip

    @property
    def _ragged_length(self) -> NestedInt:
        return length_of(self._offsets if self._lengths is None else self._lengths)

    @property
    def _max_seqlen(self) -> int:
        return max((n for _, n in self._bounds()), default=0)

    @property
    def _min_seqlen(self) -> int:
        return min((n for _, n in self._bounds()), default=0)

    def _get_max_seqlen(self) -> int:
        return self._max_seqlen

    def _get_min_seqlen(self) -> int:
        return self._min_seqlen

    # ---- metadata ----

    @property
    def shape(self) -> Any:
        inner: list[Any] = list(self._values.shape)
        inner[self._ragged_idx - 1] = self._ragged_length
        return tuple.__new__(Size, (len(self), *inner))

    @property
    def ndim(self) -> int:
        return self._values.ndim + 1

    def dim(self) -> int:
        """The number of dimensions, that of the batch included."""
        return self.ndim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one dimension."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim: int | None = None) -> Any:
        """The strides of the values; that of the batch depends on the component."""
        steps = self._values.stride()
        widest = max(range(len(steps)), key=lambda d: steps[d])
        found = (self.shape[widest + 1] * steps[widest], *steps)
        return found if dim is None else found[dim]

    def numel(self) -> int:
        """The number of elements of all components."""
        rest = self._values.numel() // max(self._values.shape[self._ragged_idx - 1], 1)
        return rest * sum(n for _, n in self._bounds())

    def __len__(self) -> int:
        return self._offsets.shape[0] - 1

    is_nested = property(lambda self: True)
    layout = property(lambda self: jagged)
    dtype = property(lambda self: self._values.dtype)
    device = property(lambda self: self._values.device)
    is_leaf = property(lambda self: self._values.is_leaf)
    grad_fn = property(lambda self: self._values.grad_fn)
    mT = property(lambda self: self.transpose(-2, -1))
    mH = property(lambda self: self.transpose(-2, -1).conj())
    T = property(lambda self: self.permute(*reversed(range(self.ndim))))
    data = property(lambda self: self._like(self._values.data))
    real = property(lambda self: self._like(self._values.real))
    imag = property(lambda self: self._like(self._values.imag))
    nbytes = property(lambda self: self.numel() * self._values.itemsize)

    @property
    def requires_grad(self) -> bool:
        return self._values.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._values.requires_grad_(value)

    @property
    def grad(self) -> Any:
        found = self._values.grad
        return None if found is None else self._like(found)

    @grad.setter
    def grad(self, value: Any) -> None:
        self._values.grad = value._values if isinstance(value, NestedTensor) else value

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Whether gradients are wanted."""
        self._values.requires_grad_(requires_grad)
        return self

    def backward(self, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
        """Gradients of what it was computed from; `gradient` is nested as it is."""
        given = gradient._values if isinstance(gradient, NestedTensor) else gradient
        self._values.backward(given, *args, **kwargs)

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Any:
        """A dense tensor: components of less than the largest length are filled up."""
        return CALLS[0](NestedTensor.to_padded_tensor, (self, padding, output_size), {})

    def is_contiguous(self, memory_format: Any = torch.contiguous_format) -> bool:
        """Whether the components lie one after the other, without holes."""
        return self._lengths is None and self._values.is_contiguous()

    # ---- text and copies ----

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        facts = [f"size={tuple(self.shape)}", f"offsets={self._offsets}"]
        if self.grad_fn is not None:
            facts.append(f"grad_fn=<{self.grad_fn.name()}>")
        elif self.requires_grad:
            facts.append("requires_grad=True")
        facts.append(f"contiguous={self.is_contiguous()}")
        return f"NestedTensor({', '.join(facts)})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = self._like(copy.deepcopy(self._values, memo))
        memo[id(self)] = made
        return made

    def __copy__(self) -> Any:
        return self._like(self._values)

    def __reduce_ex__(self, protocol: Any) -> Any:
        with DisableTorchFunctionSubclass():
            return _rebuilt, (self._values, self._offsets, self._lengths, self._ragged_idx)

    def __bool__(self) -> bool:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")


def _rebuilt(values: Any, offsets: Any, lengths: Any, ragged_idx: int) -> NestedTensor:
    return NestedTensor(values, offsets, lengths=lengths, _ragged_idx=ragged_idx)


def from_components(parts: Any, like: NestedTensor, ragged_idx: int | None = None) -> NestedTensor:
    """Components of the lengths of another nested tensor, joined."""
    where = like._ragged_idx if ragged_idx is None else ragged_idx
    return NestedTensor(
        torch.cat(list(parts), where - 1),
        like._offsets if like._lengths is None else offsets_of([n for _, n in like._bounds()]),
        _ragged_idx=where,
    )


def offsets_of(lengths: list[int]) -> Any:
    """Where components of these lengths begin and end."""
    return torch.tensor([0, *lengths]).cumsum(0)
