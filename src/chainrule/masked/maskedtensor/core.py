"""A tensor with a mask: elements where the mask is False are unspecified and take no part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from ...autograd import source
from ...autograd.accidents import explain_methods, explain_module
from .. import reductions

_UNARY = frozenset("""
    abs acos acosh angle asin asinh atan atanh ceil clone contiguous cos cosh deg2rad digamma
    erf erfc erfinv exp exp2 expm1 floor frac lgamma log log10 log1p log2 logit neg positive
    rad2deg reciprocal relu round rsqrt sigmoid sign sgn sin sinc sinh sqrt square tan tanh trunc
    float double half bfloat16 int long detach
""".split())  # fmt: skip
_BINARY = frozenset("""
    add sub mul div atan2 floor_divide fmod remainder logaddexp logaddexp2 pow maximum minimum
    fmax fmin eq ne lt le gt ge
""".split())  # fmt: skip
_REDUCTIONS = frozenset("sum mean prod amax amin argmax argmin var std norm".split())
_MOVES = frozenset("reshape view transpose permute expand flatten unsqueeze squeeze t".split())


class MaskedTensor:
    """Data and a mask of one shape.

    >>> import chainrule as torch
    >>> data = torch.tensor([1.0, 2.0, 3.0])
    >>> x = torch.masked.masked_tensor(data, torch.tensor([True, False, True]))
    >>> x
    MaskedTensor(
      [  1.0000,       --,   3.0000]
    )
    >>> (x * 2).mean().get_data()
    tensor(4.)
    """

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        if type(data) is not type(mask) and not isinstance(mask, torch.Tensor):
            raise TypeError(f"data and mask must be tensors, got {type(data)} and {type(mask)}")
        if mask.dtype is not torch.bool:
            raise TypeError("mask must have dtype bool")
        if data.shape != mask.shape:
            raise ValueError(
                f"data.shape {tuple(data.shape)} and mask.shape {tuple(mask.shape)} must match"
            )
        if requires_grad and data.is_leaf:
            data = data.requires_grad_()
        self._data, self._mask = data, mask

    def get_data(self) -> torch.Tensor:
        """The data, unspecified where masked out."""
        return self._data

    def get_mask(self) -> torch.Tensor:
        """The mask: True where an element counts."""
        return self._mask

    def to_tensor(self, value: Any) -> torch.Tensor:
        """The data with a value where masked out."""
        return torch.where(self._mask, self._data, torch.as_tensor(value, dtype=self.dtype))

    shape = property(lambda self: self._data.shape)
    dtype = property(lambda self: self._data.dtype)
    device = property(lambda self: self._data.device)
    ndim = property(lambda self: self._data.ndim)
    requires_grad = property(lambda self: self._data.requires_grad)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one length of it."""
        return self._data.size() if dim is None else self._data.size(dim)

    def dim(self) -> int:
        """The number of dimensions."""
        return self._data.ndim

    def numel(self) -> int:
        """The number of elements, masked-out ones too."""
        return self._data.numel()

    @property
    def grad(self) -> MaskedTensor | None:
        """The gradient, with the same mask."""
        found = self._data.grad
        return None if found is None else MaskedTensor(found, self._mask)

    def backward(self, gradient: Any = None) -> None:
        """Gradients of a result by the data of the tensors it comes from."""
        self._data.backward(gradient)

    def __getattr__(self, name: str) -> Any:
        if name in _UNARY:
            return lambda *args, **kwargs: self._unary(name, args, kwargs)
        if name in _BINARY:
            return lambda other: self._binary(name, other)
        if name in _REDUCTIONS:
            return lambda *args, **kwargs: self._reduced(name, args, kwargs)
        if name in _MOVES:
            return lambda *args: self._moved(name, args)
        raise AttributeError(
            f"MaskedTensor has no {name!r}; it has element-wise functions, reductions and "
            f"reshapes\n  at {source.here()}\n  Fix: x.to_tensor(value), then any function.",
            name=name,
        )

    def _unary(self, name: str, args: Any, kwargs: Any) -> MaskedTensor:
        return MaskedTensor(getattr(self._data, name)(*args, **kwargs), self._mask)

    def _binary(self, name: str, other: Any, swapped: bool = False) -> MaskedTensor:
        theirs = other
        if isinstance(other, MaskedTensor):
            if other.shape != self.shape or not torch.equal(other._mask, self._mask):
                raise ValueError(
                    "Input masks must match. If you need support for this, please open an issue on "
                    "Github."
                )
            theirs = other._data
        function: Callable[..., Any] = getattr(torch, name)
        result = function(theirs, self._data) if swapped else function(self._data, theirs)
        return MaskedTensor(result, self._mask.broadcast_to(result.shape))

    def _reduced(self, name: str, args: Any, kwargs: Any) -> MaskedTensor:
        result = getattr(reductions, name)(self._data, *args, mask=self._mask, **kwargs)
        keep = {"keepdim": kwargs["keepdim"]} if "keepdim" in kwargs else {}
        dim = kwargs.get("dim", args[0] if args and name != "norm" else None)
        whole = dim is None
        some = self._mask.any() if whole else reductions.sum(self._mask.long(), dim, **keep) > 0
        return MaskedTensor(result, some.reshape(result.shape))

    def _moved(self, name: str, args: Any) -> MaskedTensor:
        return MaskedTensor(getattr(self._data, name)(*args), getattr(self._mask, name)(*args))

    def __getitem__(self, index: Any) -> MaskedTensor:
        return MaskedTensor(self._data[index], self._mask[index])

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        if self.ndim == 0:
            counts = bool(self._mask)
            cell = _cell(self._data.item(), counts, self._data.is_floating_point())
            return f"MaskedTensor({cell}, {counts})"
        return f"MaskedTensor(\n{_indented(_shown(self._data.detach(), self._mask, ''))}\n)"

    __hash__ = object.__hash__


def _operator(name: str, swapped: bool = False) -> Any:
    return lambda self, other: self._binary(name, other, swapped)


for _symbol, _name in (
    ("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("pow", "pow"),
    ("mod", "remainder"), ("floordiv", "floor_divide"),
):  # fmt: skip
    setattr(MaskedTensor, f"__{_symbol}__", _operator(_name))
    setattr(MaskedTensor, f"__r{_symbol}__", _operator(_name, swapped=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(MaskedTensor, f"__{_name}__", _operator(_name))
MaskedTensor.__neg__ = lambda self: self._unary("neg", (), {})  # type: ignore[attr-defined]
MaskedTensor.__abs__ = lambda self: self._unary("abs", (), {})  # type: ignore[attr-defined]


def _cell(value: Any, counts: bool, floating: bool) -> str:
    if not counts:
        return "      --"
    return f"{value:8.4f}" if floating else str(value)


def _shown(data: Any, mask: Any, indent: str) -> str:
    if data.ndim == 1:
        cells = (
            _cell(v, m, data.is_floating_point())
            for v, m in zip(data.tolist(), mask.tolist(), strict=True)
        )
        return f"{indent}[{', '.join(cells)}]"
    rows = ",\n".join(_shown(d, m, indent + "  ") for d, m in zip(data, mask, strict=True))
    return f"{indent}[\n{rows}\n{indent}]"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a tensor with a mask."""
    return isinstance(obj, MaskedTensor)


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A new leaf with a copy of the data."""
    return MaskedTensor(data.detach().clone(), mask.detach().clone(), requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """The data itself with a mask: gradients flow back to it."""
    return MaskedTensor(data, mask)


explain_module(globals(), "masked_tensor", "as_masked_tensor")
explain_methods(MaskedTensor, "__init__")
