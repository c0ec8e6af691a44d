"""Variance, covariance, medians, modes, quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.expected import expect_within
from ...autograd.value import PLAIN, bottom
from ...ops import dtypes
from .. import return_types
from ..api import public
from .common import P, TensorBase, axes_of, axis_of
from .reductions import (
    as_float,
    as_type,
    pair_along,
    refuse_complex,
    refuse_empty,
    sum,  # noqa: A004
)

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor


def spread_arguments(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    """(dim, correction) from the overloads of var and std: var(x, False), var(x, 1, False), ..."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None else int(bool(unbiased))
    return dim, correction


def refuse_integers(x: Any) -> None:
    """The spread of integers is no integer."""
    if x.dtype.category < dtypes.FLOAT:
        raise refusal.runtime(
            f"std and var only support floating point and complex dtypes, not {x.dtype!r}",
            fix="x.float().",
        )


@public()
def var(
    input: Tensor, dim: Ints | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: int | float | None = None,
) -> Tensor:  # fmt: skip
    """The variance over `dim`: squares of the distance from the mean over n - correction."""
    refuse_integers(input)
    dim, correction = spread_arguments(dim, unbiased, correction)
    axes = axes_of(dim, input.ndim)
    return P.reduce_var(input, axis=axes, keepdims=bool(keepdim), correction=correction)


@public()
def std(
    input: Tensor, dim: Ints | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: int | float | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation over `dim`: the root of the variance."""
    refuse_integers(input)
    dim, correction = spread_arguments(dim, unbiased, correction)
    axes = axes_of(dim, input.ndim)
    return P.reduce_std(input, axis=axes, keepdims=bool(keepdim), correction=correction)


@public(out=False, method=False)
def var_mean(
    input: Tensor, dim: Ints | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: int | float | None = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """(variance, mean) over `dim`."""
    refuse_integers(input)
    dim, correction = spread_arguments(dim, unbiased, correction)
    axes = axes_of(dim, input.ndim)
    return P.var_mean(input, axis=axes, keepdims=bool(keepdim), correction=correction)


@public(out=False, method=False)
def std_mean(
    input: Tensor, dim: Ints | None = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: int | float | None = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """(standard deviation, mean) over `dim`."""
    refuse_integers(input)
    dim, correction = spread_arguments(dim, unbiased, correction)
    axes = axes_of(dim, input.ndim)
    return P.std_mean(input, axis=axes, keepdims=bool(keepdim), correction=correction)


# ---- covariance ----------------------------------------------------------------------------------


@public(out=False)
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariance matrix of variables in rows and observations in columns."""
    if input.ndim > 2:
        raise refusal.runtime(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    x = as_float(input)
    x = x if x.ndim == 2 else x.reshape(1, -1)
    weights = _observation_weights(fweights, aweights, x)
    if weights is None:
        total: Any = x.shape[1]
        centre = P.reduce_sum(x, axis=(1,), keepdims=True) / total
    else:
        total = sum(weights)
        centre = P.reduce_sum(x * weights, axis=(1,), keepdims=True) / total
    divisor = total - correction
    if weights is not None and aweights is not None and correction:
        divisor = total - correction * sum(weights * aweights) / total
    centred = x - centre
    weighted = centred if weights is None else centred * weights
    if isinstance(divisor, TensorBase):
        divisor = P.where(P.gt(divisor, 0), divisor, 0)
    else:
        divisor = divisor if divisor > 0 else 0
    product = P.matmul(weighted, P.conj(P.transpose(centred, perm=(1, 0)))) / divisor
    return product if product.shape[0] != 1 else product.reshape(())  # one variable: its variance


def _observation_weights(fweights: Any, aweights: Any, x: Any) -> Any:
    """The weight of each observation: how often it counts times how much."""
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        problem = "" if w is None else _wrong_weights(name, w, x.shape[1])
        if problem:
            raise refusal.runtime(f"cov(): {problem}")
    if fweights is None or aweights is None:
        return fweights if aweights is None else aweights
    return fweights * aweights


def _wrong_weights(name: str, w: Any, count: int) -> str:
    """What is wrong with the weights of observations; "" when nothing is."""
    if w.ndim > 1:
        return (
            f"expected {name} to have one or fewer dimensions but got {name} with {w.ndim} "
            "dimensions"
        )
    kind = "integral" if name == "fweights" else "floating point"
    if (w.dtype.category != dtypes.INT) if name == "fweights" else not w.is_floating_point():
        return f"expected {name} to have {kind} dtype but got {name} with {w.dtype!r} dtype"
    if w.numel() != count:
        return (
            f"expected {name} to have the same numel as there are observations in the input but "
            f"got {w.numel()} != {count}"
        )
    if w.__class__ in PLAIN and w.numel() and w._a.min() < 0:
        return f"{name} cannot be negative"
    expect_within(bottom(w), 0, math.inf if w.is_floating_point() else (1 << 63) - 1)
    return ""


@public(out=False)
def corrcoef(input: Tensor) -> Tensor:
    """The matrix of correlation coefficients of variables in rows."""
    if input.ndim > 2:
        raise refusal.runtime(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    c = cov(input)
    if c.ndim == 0:
        return c / c
    n = c.shape[0]
    spread = P.sqrt(P.real(c.diagonal()) if c.dtype.is_complex else c.diagonal())
    c = c / spread.reshape(n, 1) / spread.reshape(1, n)
    return c if c.dtype.is_complex else c.clamp(-1, 1)


# ---- medians and modes ---------------------------------------------------------------------------


@public()
def median(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Any:
    """The lower median of all elements, or (values, indices) along `dim`."""
    refuse_complex(input, "median")
    if dim is None:
        return P.median_flat(input.reshape(-1), skip_nan=False)
    pair = pair_along(P.median_place, P.median_at, input, dim, keepdim, skip_nan=False)
    return return_types.median(pair)


@public()
def nanmedian(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Any:
    """The lower median of the elements that are not NaN, or (values, indices) along `dim`."""
    refuse_complex(input, "nanmedian")
    if dim is None:
        return P.median_flat(input.reshape(-1), skip_nan=True)
    pair = pair_along(P.median_place, P.nanmedian_at, input, dim, keepdim, skip_nan=True)
    return return_types.nanmedian(pair)


@public()
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """(most frequent values, an index of each) along `dim`; the smallest of several."""
    refuse_complex(input, "mode")
    refuse_empty(input, "mode", dim)
    pair = pair_along(P.mode_place, P.mode_at, input, dim, keepdim)
    return return_types.mode(pair)


# ---- quantiles -----------------------------------------------------------------------------------

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@public(autocast="float32")
def quantile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: Ints | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-quantiles along `dim` (of all elements by default); NaN where there is one."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@public(autocast="float32")
def nanquantile(
    input: Tensor,
    q: float | Sequence[float] | Tensor,
    dim: Ints | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-quantiles along `dim` of the elements that are not NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


def _quantile(
    name: str, x: Any, q: Any, dim: Any, keepdim: bool, interpolation: str, skip_nan: bool
) -> Any:
    q = _checked_quantile(name, x, q, interpolation)
    original = x.ndim
    if dim is None:
        axis, x = 0, x.reshape(-1)
    else:
        axis = axis_of(dim, original)
        x = x if original else x.reshape(1)
    shape = tuple(x.shape)
    last = x.ndim - 1
    perm = (*(d for d in range(x.ndim) if d != axis), axis)
    x = P.transpose(x, perm=perm)
    order = P.argsort(x, axis=last, descending=False)
    ordered = P.sort_at(x, order, axis=last)
    found = _between(ordered, x, q.reshape(-1), interpolation, skip_nan)
    # The quantiles come first, then the other dimensions.
    found = P.transpose(found, perm=(last, *range(last)))
    kept = list(shape)
    if dim is None:
        kept = [1] * original if keepdim else []
    elif original:
        kept[axis] = 1
        if not keepdim:
            del kept[axis]
    else:
        kept = []
    return P.unsafe_view(found, shape=((q.numel(),) if q.ndim else ()) + tuple(kept))


def _checked_quantile(name: str, x: Any, q: Any, interpolation: str) -> Any:
    if x.numel() == 0:
        raise refusal.runtime(f"{name}() input tensor must be non-empty")
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise refusal.runtime(
            f"{name}() input tensor must be either float or double dtype, got {x.dtype!r}",
            fix="x.float().",
        )
    if interpolation not in _INTERPOLATIONS:
        raise refusal.runtime(
            f"{name}() interpolation must be one of {', '.join(_INTERPOLATIONS)}, but got "
            f"{interpolation}"
        )
    if not isinstance(q, TensorBase):
        if not 0 <= q <= 1:
            raise refusal.runtime(f"{name}() q must be in the range [0, 1] but got {q}")
        return P.cast(_number(q), dtype=x.dtype.np)
    if q.ndim > 1:  # type: ignore[attr-defined]
        raise refusal.runtime(
            f"{name}() q must be a scalar or 1D tensor, got shape {list(q.shape)}"
        )
    if q.dtype is not x.dtype:  # type: ignore[attr-defined]
        raise refusal.runtime(
            f"{name}() q tensor must be same dtype as the input tensor ({x.dtype!r}), got "
            f"{q.dtype!r}"
        )
    given = bottom(q)
    if given._level is None and given._a.size and not (0 <= given._a.min() and given._a.max() <= 1):
        raise refusal.runtime(f"{name}() q values must be in the range [0, 1]")
    expect_within(given, 0.0, 1.0)
    return q


def _number(value: float) -> Any:
    import numpy as np

    from ...autograd.value import make

    return make(np.asarray(value, np.float64))


def _between(ordered: Any, x: Any, q: Any, interpolation: str, skip_nan: bool) -> Any:
    """Values at the (fractional) ranks of q along the last, sorted axis."""
    last = ordered.ndim - 1
    missing = P.reduce_sum(
        as_type(P.isnan(x), dtypes.int64), axis=(last,), keepdims=True
    )  # (..., 1)
    top = ordered.shape[last] - 1
    shape = (*tuple(ordered.shape)[:last], q.shape[0])
    if skip_nan:
        top = as_type(P.maximum(top - missing, 0), q.dtype)
        ranks = P.mul(q, top)
    else:
        ranks = P.where(P.gt(missing, 0), float(top), P.broadcast_to(q * top, shape=shape))
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    ranks = P.broadcast_to(ranks, shape=shape)
    below = as_type(ranks.detach(), dtypes.int64)
    found = P.gather(ordered, below, axis=last)
    if interpolation in ("lower", "higher", "nearest"):
        return found
    above = as_type(ranks.detach().ceil(), dtypes.int64)
    upper = P.gather(ordered, above, axis=last)
    weight = 0.5 if interpolation == "midpoint" else ranks - ranks.detach().floor()
    return found.lerp(upper, weight)
