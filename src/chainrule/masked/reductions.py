"""Reductions and normalizations that leave out the elements where a mask is False.

A masked-out element counts as the identity of the operation: 0 in a sum, 1 in a product, -inf in a
maximum. A slice with no element left has that identity as its result (NaN where there is none).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module

Tensor = torch.Tensor
inf, nan = float("inf"), float("nan")


def _filled(input: Tensor, mask: Any, value: float) -> Tensor:  # noqa: A002
    """The input, with a value where the mask is False."""
    if mask is None:
        return input
    return torch.where(_fitted(mask, input), input, torch.full_like(input, value))


def _fitted(mask: Any, t: Tensor) -> Tensor:
    """The mask in the shape of the input."""
    if not isinstance(mask, torch.Tensor) or mask.dtype is not torch.bool:
        kind = getattr(mask, "dtype", type(mask))
        raise TypeError(f"masked operations take a bool tensor as mask, got {kind}")
    if mask.ndim > t.ndim:
        raise refusal.index(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
            f"input): {list(mask.shape)} for {list(t.shape)}"
        )
    return mask.broadcast_to(t.shape)


def _axes(t: Tensor, dim: Any) -> tuple[int, ...]:
    """The dimensions meant: all for None."""
    if dim is None:
        return tuple(range(t.ndim))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    if not given:
        return tuple(range(t.ndim))
    for d in given:
        if not -max(t.ndim, 1) <= d < max(t.ndim, 1):
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[{-max(t.ndim, 1)}, {max(t.ndim, 1) - 1}], but got {d})"
            )
    found = tuple(d % t.ndim for d in given) if t.ndim else ()
    if len(set(found)) != len(found):
        raise RuntimeError(f"dim={dim} appears multiple times in the list of dims")
    return found


def _lowest(t: Tensor) -> float:
    if t.dtype is torch.bool:
        return False
    return -inf if t.is_floating_point() else torch.iinfo(t.dtype).min


def _highest(t: Tensor) -> float:
    if t.dtype is torch.bool:
        return True
    return inf if t.is_floating_point() else torch.iinfo(t.dtype).max


def _cast(input: Tensor, dtype: Any, *, sums: bool = False) -> Tensor:  # noqa: A002
    if dtype is not None:
        return input.to(dtype)
    small = not (input.is_floating_point() or input.is_complex())
    return input.to(torch.int64) if sums and small else input


def _one_by_one(t: Tensor, axes: tuple[int, ...], keepdim: bool, step: Callable[..., Any]) -> Any:
    """A reduction that takes one dimension at a time, over several."""
    for d in sorted(axes, reverse=True):
        t = step(t, d, keepdim)
    return t


def sum(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None,  # noqa: A001, A002
        mask: Any = None) -> Tensor:  # fmt: skip
    """The sum of the elements that count.

    >>> import chainrule as torch
    >>> x = torch.tensor([[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0]])
    >>> keep = torch.tensor([[True, False, True], [False, False, False]])
    >>> torch.masked.sum(x, 1, mask=keep)
    tensor([-4.,  0.])
    """
    x = _filled(_cast(input, dtype, sums=True), mask, 0)
    return x.sum(_axes(x, dim), keepdim=bool(keepdim)) if x.ndim else x.sum()


def prod(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None,  # noqa: A002
         mask: Any = None) -> Tensor:  # fmt: skip
    """The product of the elements that count."""
    x = _filled(_cast(input, dtype, sums=True), mask, 1)
    step: Any = lambda t, d, keep: t.prod(d, keepdim=keep)  # noqa: E731
    return _one_by_one(x, _axes(x, dim), bool(keepdim), step)


def amax(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None,  # noqa: A002
         mask: Any = None) -> Tensor:  # fmt: skip
    """The largest element that counts."""
    x = _cast(input, dtype)
    return _filled(x, mask, _lowest(x)).amax(_axes(x, dim), keepdim=bool(keepdim))


def amin(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None,  # noqa: A002
         mask: Any = None) -> Tensor:  # fmt: skip
    """The smallest element that counts."""
    x = _cast(input, dtype)
    return _filled(x, mask, _highest(x)).amin(_axes(x, dim), keepdim=bool(keepdim))


def argmax(input: Tensor, dim: int | None = None, *, keepdim: bool | None = False,  # noqa: A002
           dtype: Any = None, mask: Any = None) -> Tensor:  # fmt: skip
    """Where the largest element that counts is; a number of the input's type, as in PyTorch."""
    x = _cast(input, dtype)
    return _filled(x, mask, _lowest(x)).argmax(dim, keepdim=bool(keepdim)).to(x.dtype)


def argmin(input: Tensor, dim: int | None = None, *, keepdim: bool | None = False,  # noqa: A002
           dtype: Any = None, mask: Any = None) -> Tensor:  # fmt: skip
    """Where the smallest element that counts is; a number of the input's type, as in PyTorch."""
    x = _cast(input, dtype)
    return _filled(x, mask, _highest(x)).argmin(dim, keepdim=bool(keepdim)).to(x.dtype)


def _count(x: Tensor, mask: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    ones = torch.ones_like(x, dtype=torch.int64)
    return sum(ones, axes or None, keepdim=keepdim, mask=mask)


def mean(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None,  # noqa: A002
         mask: Any = None) -> Tensor:  # fmt: skip
    """The mean of the elements that count; NaN where none does."""
    x, axes = _cast(input, dtype), _axes(input, dim)
    if not (x.is_floating_point() or x.is_complex()):
        raise ValueError(
            f"mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {x.dtype}"
        )
    keep = bool(keepdim)
    return sum(x, axes or None, keepdim=keep, mask=mask) / _count(x, mask, axes, keep)


def median(input: Tensor, dim: int = -1, *, keepdim: bool | None = False, dtype: Any = None,  # noqa: A002
           mask: Any = None) -> Tensor:  # fmt: skip
    """The (lower) median of the elements that count; NaN where none does."""
    x = _cast(input, dtype)
    if mask is None:
        return x.median(dim, keepdim=bool(keepdim)).values
    if x.isnan().any():
        raise ValueError(
            "masked median expected no fully masked out rows if strided, and no NaN in the input"
        )
    return _filled(x, mask, nan).nanmedian(dim, keepdim=bool(keepdim)).values


def var(input: Tensor, dim: Any = None, unbiased: bool | None = None, *,  # noqa: A002
        correction: float | None = None, keepdim: bool | None = False, dtype: Any = None,
        mask: Any = None) -> Tensor:  # fmt: skip
    """The variance of the elements that count."""
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    by = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    x = _cast(input, dtype)
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(torch.get_default_dtype())
    axes, keep = _axes(x, dim), bool(keepdim)
    distance = x - mean(x, axes or None, keepdim=True, mask=mask)
    squares = (distance * distance.conj()).real if x.is_complex() else distance * distance
    total = sum(squares, axes or None, keepdim=keep, mask=mask)
    # The variance of complex numbers is real and of their type, as in PyTorch.
    return (total / (_count(x, mask, axes, keep) - by).clamp(min=0)).to(x.dtype)


def std(input: Tensor, dim: Any = None, unbiased: bool | None = None, *,  # noqa: A002
        correction: float | None = None, keepdim: bool | None = False, dtype: Any = None,
        mask: Any = None) -> Tensor:  # fmt: skip
    """The standard deviation of the elements that count."""
    return var(
        input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask
    ).sqrt()


def norm(input: Tensor, ord: float | None = 2.0, dim: Any = None, *,  # noqa: A002
         keepdim: bool | None = False, dtype: Any = None, mask: Any = None) -> Tensor:  # fmt: skip
    """The vector norm of the elements that count."""
    order = 2.0 if ord is None else float(ord)
    x = _filled(_cast(input, dtype), mask, inf if order == -inf else 0)  # as PyTorch does
    return torch.linalg.vector_norm(x, order, _axes(x, dim) or None, keepdim=bool(keepdim))


def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,  # noqa: A002
              mask: Any = None) -> Tensor:  # fmt: skip
    """The logarithm of the sum of the exponentials of the elements that count."""
    x = _cast(input, dtype)
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(torch.get_default_dtype())
    x = _filled(x, mask, -inf)
    return torch.logsumexp(x, _axes(x, dim), keepdim=keepdim)


def logaddexp(input: Tensor, other: Tensor, *, dtype: Any = None, input_mask: Any = None,  # noqa: A002
              other_mask: Any = None) -> Tensor:  # fmt: skip
    """log(exp(a) + exp(b)); a masked-out term counts as nothing."""
    a = _filled(_cast(input, dtype), input_mask, -inf)
    return torch.logaddexp(a, _filled(_cast(other, dtype), other_mask, -inf))


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:  # noqa: A002
    """Running sums of the elements that count."""
    x = _cast(input, dtype)
    return _filled(x, mask, 0).cumsum(dim, dtype=x.dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:  # noqa: A002
    """Running products of the elements that count."""
    x = _cast(input, dtype)
    return _filled(x, mask, 1).cumprod(dim, dtype=x.dtype)


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:  # noqa: A002
    """The softmax over the elements that count; others get 0.

    >>> import chainrule as torch
    >>> keep = torch.tensor([True, False, True])
    >>> torch.masked.softmax(torch.zeros(3), 0, mask=keep)
    tensor([0.5000, 0.0000, 0.5000])
    """
    return torch.softmax(_filled(_cast(input, dtype), mask, -inf), dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:  # noqa: A002
    """The logarithm of the softmax over the elements that count."""
    return torch.log_softmax(_filled(_cast(input, dtype), mask, -inf), dim)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:  # noqa: A002
    """The softmax of the negated elements that count."""
    return torch.softmax(-_filled(_cast(input, dtype), mask, inf), dim)


def normalize(input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None,  # noqa: A002
              mask: Any = None) -> Tensor:  # fmt: skip
    """The elements that count, divided by their norm."""
    x = _cast(input, dtype)
    length = norm(x, ord, dim, keepdim=True, mask=mask).clamp(min=eps)
    return _filled(x, mask, 0) / length


explain_module(globals())
