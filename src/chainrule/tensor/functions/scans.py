"""Running sums, products and extremes along a dimension; differences and integrals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops import dtypes
from .. import return_types
from ..api import API, public
from .common import P, TensorBase, axis_of
from .factors import over, times
from .half_types import half_type, rounded, single
from .reductions import as_float, as_type, ordered_along, refuse_complex

if TYPE_CHECKING:
    from ..annotations import DType, Ints, Number, Tensor


def _ranked(x: Any, dim: Any) -> tuple[Any, int]:
    """(x with at least one dimension, the axis)."""
    axis = axis_of(dim, x.ndim)
    return (x if x.ndim else x.reshape(1)), axis


def _shaped_like(x: Any, result: Any) -> Any:
    """A running result in x's shape and type: NumPy widens small integers."""
    result = result if result.dtype is x.dtype else as_type(result, x.dtype)
    return result if x.ndim else P.unsafe_view(result, shape=())


@public(inplace=True)
def cumsum(input: Tensor, dim: Ints, *, dtype: DType | None = None) -> Tensor:
    """The running sum along `dim`."""
    x = _summable(input, dtype)
    ranked, at = _ranked(x, dim)
    return _shaped_like(x, P.cumsum(ranked, axis=at, reverse=False))


@public(inplace=True)
def cumprod(input: Tensor, dim: Ints, *, dtype: DType | None = None) -> Tensor:
    """The running product along `dim`."""
    x = _summable(input, dtype)
    ranked, at = _ranked(x, dim)
    return _shaped_like(x, P.cumprod(ranked, axis=at, reverse=False))


def _summable(x: Any, dtype: Any) -> Any:
    if dtype is not None:
        return as_type(x, dtype)
    return as_type(x, dtypes.int64) if x.dtype.category < dtypes.FLOAT else x


@public()
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The running log-sum-exp along `dim`."""
    x, at = _ranked(input, dim)
    return _shaped_like(input, P.logcumsumexp(x, axis=at, reverse=False))


@public()
def cummax(input: Tensor, dim: int) -> Any:
    """(running maximum along `dim`, where it was found)."""
    refuse_complex(input, "cummax")
    pair = ordered_along(P.cummax_places, P.cummax_at, input, dim)
    return return_types.cummax(pair)


@public()
def cummin(input: Tensor, dim: int) -> Any:
    """(running minimum along `dim`, where it was found)."""
    refuse_complex(input, "cummin")
    pair = ordered_along(P.cummin_places, P.cummin_at, input, dim)
    return return_types.cummin(pair)


# ---- differences ---------------------------------------------------------------------------------


def part(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    """x from start to stop along `axis`: a view."""
    return P.slice_view(x, index=(*((slice(None),) * axis), slice(start, stop)))


@public()
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """The n-th difference between neighbours along `dim`."""
    if input.ndim == 0:
        raise refusal.runtime("diff expects input to be at least one-dimensional")
    if n < 0:
        raise refusal.runtime(f"order must be non-negative but got {n}", "diff")
    axis = axis_of(dim, input.ndim)
    ends = [t for t in (prepend, input, append) if t is not None]
    if n == 0:
        return P.clone(input)
    x = API["cat"].function(ends, axis) if len(ends) > 1 else input
    for _ in range(n if n <= x.shape[axis] else x.shape[axis]):
        later, earlier = part(x, axis, 1, None), part(x, axis, None, -1)
        x = P.ne(later, earlier) if x.dtype is dtypes.bool_ else later - earlier
    return x


@public(out=False, method=False)
def gradient(
    input: Tensor,
    *,
    spacing: Number | Sequence[Number] | Tensor | Sequence[Tensor] = 1,
    dim: Ints | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Derivatives of sampled values by central differences inside, one-sided at the edges."""
    dims = list(range(input.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    axes = [axis_of(d, input.ndim) for d in dims]
    for k, a in enumerate(axes):
        if a in axes[:k]:
            raise refusal.runtime(
                f"dim {a} appears multiple times in the list of dims: {dims}", "torch.gradient"
            )
    steps: Any = 1 if spacing is None else spacing
    if not isinstance(steps, tuple | list):
        steps = [steps] * len(axes)
    if len(steps) != len(axes):
        raise refusal.runtime(
            "torch.gradient expected spacing to be unspecified, a scalar or a list of length "
            f"{len(axes)} (one per dim), but got a list of length {len(steps)}"
        )
    if edge_order not in (1, 2):
        raise refusal.runtime(
            f"torch.gradient only supports edge_order=1 and edge_order=2, got {edge_order}"
        )
    for a in axes:
        if input.shape[a] < edge_order + 1:
            raise refusal.runtime(
                "torch.gradient expected each dimension size to be at least edge_order+1: "
                f"dimension {a} of {list(input.shape)} is too short"
            )
    x = as_float(input)
    return tuple(_slope(x, a, h, edge_order) for a, h in zip(axes, steps, strict=True))


def _slope(x: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    """One component of the gradient."""
    if isinstance(spacing, TensorBase) and spacing.ndim:  # type: ignore[attr-defined]
        steps = diff(as_type(spacing, x.dtype))
        steps = steps.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    else:
        steps = None
    inner = _inner_slope(x, axis, spacing, steps)
    first, last = (_edge_slope(x, axis, spacing, steps, edge_order, end) for end in (0, 1))
    return API["cat"].function([first, inner, last], axis)


def _inner_slope(x: Any, axis: int, spacing: Any, steps: Any) -> Any:
    left, middle, right = part(x, axis, None, -2), part(x, axis, 1, -1), part(x, axis, 2, None)
    if steps is None:
        return over(right - left, spacing * 2)
    a, b = part(steps, axis, None, -1), part(steps, axis, 1, None)
    return left * (-b / (a * (a + b))) + middle * ((b - a) / (a * b)) + right * (a / (b * (a + b)))


def _edge_slope(x: Any, axis: int, h: Any, steps: Any, order: int, end: int) -> Any:
    """The slope at the first (end=0) or last element by one-sided differences."""

    def at(k: int, values: Any) -> Any:
        k = values.shape[axis] - 1 - k if end else k
        return part(values, axis, k, k + 1)

    sign = -1 if end else 1
    if order == 1:
        return over(at(1, x) - at(0, x), (h if steps is None else at(0, steps)) * sign)
    a, b = (h, h) if steps is None else (at(0, steps), at(1, steps))
    near, middle, far = -(2 * a + b) / (a * (a + b)), (a + b) / (a * b), -a / (b * (a + b))
    weights = (near * sign, middle * sign, far * sign)
    first, second, third = (times(at(k, x), weight) for k, weight in enumerate(weights))
    return first + second + third


# ---- integrals -----------------------------------------------------------------------------------


@public(aliases=("trapz",), out=False, method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: int = -1) -> Tensor:
    """The integral of samples y along `dim` by the trapezoidal rule."""
    _refuse_bools("trapezoid", y, x)
    if x is None:
        axis, values = axis_of(dim, y.ndim), single(y)
        if not y.shape[axis]:
            return rounded(as_float(values).sum(axis), half_type(y, x))
        ends = values.select(axis, 0) + values.select(axis, -1)
        return rounded(times(values.sum(axis) - times(ends, 0.5), dx), half_type(y, x))
    pieces, axis = _trapezoids(single(y), single(x), dim)
    return rounded(over(pieces.sum(axis), 2), half_type(y, x))


@public(out=False, method=False)
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: int = -1
) -> Tensor:
    """The running integral of samples y along `dim` by the trapezoidal rule."""
    _refuse_bools("cumulative_trapezoid", y, x)
    if x is None:
        axis, values = axis_of(dim, y.ndim), single(y)
        return rounded(times(_heights(values, axis), dx / 2).cumsum(axis), half_type(y, x))
    pieces, axis = _trapezoids(single(y), single(x), dim)
    return rounded(over(pieces.cumsum(axis), 2), half_type(y, x))


def _refuse_bools(name: str, y: Any, x: Any) -> None:
    if any(t is not None and t.dtype is dtypes.bool_ for t in (y, x)):
        raise refusal.runtime(
            f"{name}: received a bool input for `x` or `y`, but bool is not supported"
        )


def _heights(y: Any, axis: int) -> Any:
    """The sums of neighbouring samples."""
    return part(y, axis, 1, None) + part(y, axis, None, -1)


def _trapezoids(y: Any, x: Any, dim: int) -> tuple[Any, int]:
    """Twice the area between neighbouring samples, and the axis."""
    axis = axis_of(dim, y.ndim)
    heights = _heights(y, axis)
    if x.ndim == 1 and y.ndim > 1:
        x = x.reshape([-1 if d == axis else 1 for d in range(y.ndim)])
        return heights * diff(x, dim=axis), axis
    width = diff(x, dim=dim)
    if width.ndim < y.ndim:
        width = width.reshape((1,) * (y.ndim - width.ndim) + tuple(width.shape))
    product = heights * width
    return product, axis + product.ndim - y.ndim
