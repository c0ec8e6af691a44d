"""Reductions: sums, means, extremes, truth, norms, softmax. Where `axis` and `keepdims`, NumPy's
names, are spelled out, a method is called so often that nothing stands before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd import refusal, source
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.value import FACTORY, PLAIN
from ...ops import dtypes
from ...ops.dtypes import F32, F64
from .. import return_types
from ..api import public
from ..overriding import awaken, call_as_given, public_function
from ..spellings import one_of
from .common import P, TensorBase, axes_of, axis_of

if TYPE_CHECKING:
    from ..annotations import DType, Ints, Operand, Tensor

_ALL = tuple(tuple(range(n)) for n in range(65))


def category(x: Any) -> int:
    """BOOL, INT, FLOAT or COMPLEX."""
    return x.dtype.category


def as_type(x: Any, dtype: Any) -> Any:
    """x in another type (itself when it has it)."""
    return x if x.dtype is dtype else P.cast(x, dtype=dtype.np)


def as_float(x: Any) -> Any:
    """Integers as the default float type; anything else as it is."""
    return x if category(x) >= dtypes.FLOAT else as_type(x, dtypes.get_default_dtype())


def is_integral(x: Any) -> bool:
    """Whether it holds whole numbers or truths."""
    return x._a.dtype.kind in "biu" if x._level is None else x.dtype.category < dtypes.FLOAT


def ordinary(x: Any) -> bool:
    """Whether x is a plain, nonempty float32 or float64 tensor: nothing to refuse or convert."""
    return x.__class__ in PLAIN and (x._a.dtype is F32 or x._a.dtype is F64) and x._a.size > 0


def refuse_complex(x: Any, name: str) -> None:
    """Complex numbers have no order."""
    if x.dtype.is_complex:
        raise refusal.runtime(
            f'"{name}" not implemented for {_word(x)!r}: complex numbers have no order',
            fix="compare x.abs() or x.real.",
        )


def refuse_empty(x: Any, name: str, dim: Any = None) -> None:
    """An extreme of nothing is undefined."""
    if dim is None:
        if x.numel() == 0:
            refuse = refusal.index if name in ("argmax", "argmin") else refusal.runtime
            raise refuse(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument.",
                f"the tensor has shape {list(x.shape)}",
            )
        return
    for d in axes_of(dim, x.ndim):
        if x.shape[d] == 0:
            raise refusal.index(
                f"{name}(): Expected reduction dim {d} to have non-zero size.",
                f"the tensor has shape {list(x.shape)}",
            )


def pair_along(find: Any, read: Any, x: Any, dim: Any, keepdim: bool, **params: Any) -> Any:
    """(values, indices) of a selection along `dim`; a 0-dim tensor counts as a line of one."""
    axis = axis_of(dim, x.ndim)
    line = x if x.ndim else x.reshape(1)
    if FACTORY.dispatcher is not None and FACTORY.dispatcher.handles(line):
        find = FACTORY.dispatcher.finding(find)
    indices = find(line, axis=axis, keepdims=keepdim, **params)
    values = read(line, indices, axis=axis, keepdims=keepdim)
    if x.ndim:
        return values, indices
    return P.unsafe_view(values, shape=()), P.unsafe_view(indices, shape=())


def ordered_along(find: Any, read: Any, x: Any, dim: Any, **params: Any) -> Any:
    """(values, indices) of an ordering along `dim`; a 0-dim tensor counts as a line of one."""
    axis = axis_of(dim, x.ndim)
    line = x if x.ndim else x.reshape(1)
    indices = find(line, axis=axis, **params)
    values = read(line, indices, axis=axis)
    if x.ndim:
        return values, indices
    shape = (0,) if params.get("k") == 0 else ()
    return P.unsafe_view(values, shape=shape), P.unsafe_view(indices, shape=shape)


# ---- sums ----------------------------------------------------------------------------------------


@public()
def sum(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: DType | None = None,
    axis: Ints | None = None, keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The sum over `dim` (all dimensions by default).

    >>> import chainrule as torch
    >>> torch.tensor([[1, 2], [3, 4]]).sum(dim=0)
    tensor([4, 6])
    """
    try:
        if dim is None and axis is None and dtype is None and input.__class__ in PLAIN:
            array = input._a
            if array.dtype is F32 or array.dtype is F64:
                return P.reduce_sum(input, axis=_ALL[array.ndim], keepdims=keepdim or keepdims)
        if dtype is not None:
            input = as_type(input, dtype)
            if is_integral(input) and input.dtype is not dtypes.int64:
                total = sum(
                    as_type(input, dtypes.int64), dim, keepdim, axis=axis, keepdims=keepdims
                )
                return as_type(total, input.dtype)
        elif is_integral(input):
            input = as_type(input, dtypes.int64)
        if axis is not None:
            dim = one_of("sum", "dim", ... if dim is None else dim, axis)
        if dim is None:
            return P.reduce_sum(input, axis=_ALL[input.ndim], keepdims=keepdim or keepdims)
        return P.reduce_sum(input, axis=axes_of(dim, input.ndim), keepdims=keepdim or keepdims)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public()
def mean(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: DType | None = None,
    axis: Ints | None = None, keepdims: bool = False,
) -> Tensor:  # fmt: skip
    """The mean over `dim` (all dimensions by default)."""
    try:
        if dim is None and axis is None and dtype is None and input.__class__ in PLAIN:
            array = input._a
            if array.dtype is F32 or array.dtype is F64:
                return P.reduce_mean(input, axis=_ALL[array.ndim], keepdims=keepdim or keepdims)
        if dtype is not None:
            input = as_type(input, dtype)
        if is_integral(input):
            raise refusal.runtime(
                "mean(): could not infer output dtype. Input dtype must be either a floating "
                f"point or complex dtype. Got: {input.dtype!r}",
                fix="x.float().mean().",
            )
        if axis is not None:
            dim = one_of("mean", "dim", ... if dim is None else dim, axis)
        if dim is None:
            return P.reduce_mean(input, axis=_ALL[input.ndim], keepdims=keepdim or keepdims)
        return P.reduce_mean(input, axis=axes_of(dim, input.ndim), keepdims=keepdim or keepdims)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(autocast="float32")
def prod(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The product along `dim` (of all elements by default)."""
    if dtype is not None:
        input = as_type(input, dtype)
    elif is_integral(input):
        input = as_type(input, dtypes.int64)
    if dim is None or input.ndim == 0:
        if dim is not None:
            axis_of(dim, 0)
        return P.reduce_prod(input.reshape(-1), axis=0, keepdims=False)
    return P.reduce_prod(input, axis=axis_of(dim, input.ndim), keepdims=keepdim)


@public()
def nansum(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over `dim` of the elements that are not NaN."""
    if input.dtype.is_complex:
        raise refusal.runtime("nansum does not support complex inputs")
    if dtype is not None and dtype.is_complex:
        raise refusal.not_implemented(f'"nansum_cpu" not implemented for {dtype!r}')
    if dtype is not None:
        input = as_type(input, dtype)
    if is_integral(input):
        return sum(input, dim, keepdim, dtype=dtype)
    return P.nansum(input, axis=axes_of(dim, input.ndim), keepdims=keepdim)


@public()
def nanmean(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The mean over `dim` of the elements that are not NaN."""
    if is_integral(input):
        raise refusal.runtime(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{input.dtype!r}",
            fix="x.float().nanmean().",
        )
    if dtype is not None and dtype.category < dtypes.FLOAT:
        raise refusal.runtime(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating "
            f"point or complex dtype. Got: {dtype!r}"
        )
    number = sum(P.eq(input, input), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / number


@public(out=False)
def sum_to_size(input: Tensor, *sizes: Ints, size: Ints | None = None) -> Tensor:
    """The sum that undoes a broadcast from `size` to the input's shape."""
    given: tuple[Any, ...] = sizes if size is None else (size,)
    shape = tuple(given[0]) if len(given) == 1 and not isinstance(given[0], int) else given
    lead = input.ndim - len(shape)
    fits = lead >= 0 and all(
        n in (1, have) for n, have in zip(shape, input.shape[lead:], strict=True)
    )
    if not fits:
        raise refusal.runtime(
            f"size {list(shape)} is not expandable to size {list(input.shape)}.", "sum_to_size"
        )
    if not shape:
        return sum(input)
    repeated = [d for d, n in enumerate(shape, lead) if n == 1 and input.shape[d] != 1]
    axes = (*range(lead), *repeated)
    if not axes:
        return input
    total = sum(input, axes)
    return total.reshape(shape) if lead else P.unsafe_view(total, shape=shape)


# ---- extremes ------------------------------------------------------------------------------------


@public()
def amax(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """The largest element over `dim`; equal ones share the gradient."""
    if not ordinary(input):
        refuse_empty(input, "amax", dim)
    axes = axes_of(() if dim is None else dim, input.ndim)
    return P.reduce_max(input, axis=axes, keepdims=keepdim)


@public()
def amin(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """The smallest element over `dim`; equal ones share the gradient."""
    if not ordinary(input):
        refuse_empty(input, "amin", dim)
    axes = axes_of(() if dim is None else dim, input.ndim)
    return P.reduce_min(input, axis=axes, keepdims=keepdim)


@public()
def aminmax(input: Tensor, *, dim: Ints | None = None, keepdim: bool = False) -> Any:
    """(smallest, largest) over `dim`, or of all elements."""
    refuse_complex(input, "aminmax")
    refuse_empty(input, "aminmax", dim)
    axes = axes_of(dim, input.ndim)
    small = P.reduce_min(input, axis=axes, keepdims=keepdim)
    large = P.reduce_max(input, axis=axes, keepdims=keepdim)
    return return_types.aminmax((small, large))


@public("max")
def max_(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, other: Operand | None = None,
) -> Any:  # fmt: skip
    """The largest element; with `dim` (values, indices) along it; with a tensor the larger of two.

    >>> import chainrule as torch
    >>> torch.max(torch.tensor([1., 5., 3.]))
    tensor(5.)
    """
    if isinstance(dim, TensorBase) or other is not None:
        return P.maximum(input, dim if other is None else other)
    if not ordinary(input):
        refuse_complex(input, "max")
        refuse_empty(input, "max", dim)
    if dim is None:
        return P.max_of_all(input, axis=_ALL[input.ndim], keepdims=False)
    pair = pair_along(P.argmax, P.max_at, input, dim, keepdim)
    return return_types.max(pair)


@public("min")
def min_(
    input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, other: Operand | None = None,
) -> Any:  # fmt: skip
    """The smallest element; with `dim` (values, indices) along it; with a tensor the lesser."""
    if isinstance(dim, TensorBase) or other is not None:
        return P.minimum(input, dim if other is None else other)
    if not ordinary(input):
        refuse_complex(input, "min")
        refuse_empty(input, "min", dim)
    if dim is None:
        return P.min_of_all(input, axis=_ALL[input.ndim], keepdims=False)
    pair = pair_along(P.argmin, P.min_at, input, dim, keepdim)
    return return_types.min(pair)


@public()
def argmax(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element is: along `dim`, or in the flattened tensor."""
    return _arg(P.argmax, "argmax", input, dim, keepdim)


@public()
def argmin(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element is: along `dim`, or in the flattened tensor."""
    return _arg(P.argmin, "argmin", input, dim, keepdim)


def _arg(op: Any, name: str, x: Any, dim: Any, keepdim: bool) -> Any:
    if not ordinary(x):
        refuse_complex(x, name)
        refuse_empty(x, name, dim)
    if dim is None or x.ndim == 0:
        if dim is not None:
            axis_of(dim, 0)
        found = op(x.reshape(-1), axis=0, keepdims=False)
        return P.unsafe_view(found, shape=(1,) * x.ndim) if keepdim else found
    return op(x, axis=axis_of(dim, x.ndim), keepdims=keepdim)


# ---- truth ---------------------------------------------------------------------------------------


@public("any")
def any_(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """Whether any element is nonzero, over `dim` or all of them."""
    return _truth(P.reduce_any, input, dim, keepdim)


@public("all")
def all_(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are nonzero, over `dim` or all of them."""
    return _truth(P.reduce_all, input, dim, keepdim)


def _truth(op: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    axes = () if isinstance(dim, tuple | list) and not dim else axes_of(dim, x.ndim)
    found = op(x, axis=axes, keepdims=keepdim)
    if x.dtype is dtypes.uint8:
        return as_type(found, dtypes.uint8)
    return found if found.dtype is dtypes.bool_ else P.ne(found, 0)


@public(out=False)
def count_nonzero(input: Tensor, dim: Ints | None = None, *dims: int) -> Tensor:
    """How many elements are nonzero, over `dim` or all of them."""
    axes = axes_of((dim, *dims) if dims else dim, input.ndim)
    return P.count_nonzero(input, axis=axes)


# ---- log-sum-exp and softmax ---------------------------------------------------------------------


@public(aliases=("special.logsumexp",))
def logsumexp(input: Tensor, dim: Ints, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) over `dim`, without overflow."""
    x = as_float(input)
    return P.logsumexp(x, axis=axes_of(dim, x.ndim), keepdims=keepdim)


@public(namespace="nn.functional", aliases=(".log_softmax", "special.log_softmax"), method=True)
def log_softmax(
    input: Tensor,
    dim: Ints | None = None,
    _stacklevel: int | DType = 3,
    dtype: DType | None = None,
    *,
    axis: Ints | None = None,
) -> Tensor:
    """log(softmax(input)) along `dim`."""
    try:
        dim = axis if dim is None else dim
        x, axis = _logits(input, dim, _stacklevel, dtype, "log_softmax")
        return P.log_softmax(x, axis=axis) if x.ndim else _of_one(P.log_softmax, x)
    except PROBLEMS as problem:
        if awaken((input,)):
            return call_as_given(public_function("nn.functional.log_softmax"), locals())
        explain_here(problem)
        raise


@public(namespace="nn.functional", aliases=(".softmax", "special.softmax"), method=True)
def softmax(
    input: Tensor,
    dim: Ints | None = None,
    _stacklevel: int | DType = 3,
    dtype: DType | None = None,
    *,
    axis: Ints | None = None,
) -> Tensor:
    """exp(input), normalised to sum to one along `dim`."""
    try:
        dim = axis if dim is None else dim
        x, axis = _logits(input, dim, _stacklevel, dtype, "softmax")
        return P.softmax(x, axis=axis) if x.ndim else _of_one(P.softmax, x)
    except PROBLEMS as problem:
        if awaken((input,)):
            return call_as_given(public_function("nn.functional.softmax"), locals())
        explain_here(problem)
        raise


def _of_one(function: Any, x: Any) -> Any:
    """A function along a dimension, of a 0-dim tensor: as of a line of one element."""
    return P.unsafe_view(function(x.reshape(1), axis=0), shape=())


def _logits(x: Any, dim: Any, stacklevel: Any, dtype: Any, name: str) -> tuple[Any, int]:
    if isinstance(stacklevel, dtypes.dtype):  # Tensor.softmax(dim, dtype)
        dtype = stacklevel
    if dtype is not None:
        x = as_type(x, dtype)
    if x._a.dtype.kind in "biuc" if x._level is None else x.dtype.category != dtypes.FLOAT:
        raise not_real(x, name)
    if dim is None:
        dim = implicit_dim(x.ndim, name)
    return x, axis_of(dim, x.ndim)


def not_real(x: Any, name: str) -> NotImplementedError:
    """The error of softmax and its relatives, which are functions of real numbers."""
    return refusal.not_implemented(
        f'"{name}_lastdim_kernel_impl" not implemented for {_word(x)!r}: {name} needs a '
        "floating type",
        fix=f"{name}(x.float(), ...) or dtype=.",
    )


def implicit_dim(ndim: int, name: str) -> int:
    """The dimension that old programs mean when they give none."""
    source.warn_user(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument."
    )
    return 0 if ndim in (0, 1, 3) else 1


def _word(x: Any) -> str:
    from ...autograd.inplace import _type_word

    return _type_word(x.dtype.np)
