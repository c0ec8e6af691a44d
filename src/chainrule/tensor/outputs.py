"""`out=`: what may be written where.

The result is computed first, so what is written is right even where memory is shared; but as in
PyTorch a call is refused whose meaning depends on an order of writing, or that would convert what
it writes without being asked to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal, source
from ..autograd.inplace import assign, check_apart, refuse_overlap
from ..autograd.lazy import memory
from ..autograd.state import STATE, TRACE
from ..autograd.value import TensorBase, make
from ..ops.dtypes import bool_, from_numpy_dtype, get_default_dtype, int64, uint8
from ..ops.dtypes import dtype as DType
from ..ops.layout import is_expanded
from ..ops.products import TYPE_WORDS
from .resizing import check_resizable, resized
from .signatures import wrong_type

# The result's type and no other; elsewhere it is converted to a type that can hold it.
EXACT = frozenset(
    "abs alias_copy aminmax amax amin argmax argmin argsort as_strided_copy bitwise_not bucketize "
    "ceil complex polar "
    "conj_physical cross cummax cummin cumprod cumsum diag diagonal_copy expand_copy fix "
    "floor frac frexp float_power gather heaviside histc histogram index_add index_copy "
    "index_reduce index_select isin isneginf isposinf kthvalue lerp log_softmax logcumsumexp "
    "lu_solve lu_unpack masked_select max median min mode msort multinomial nan_to_num "
    "nanmedian nanquantile narrow_copy neg nonzero norm permute_copy qr quantile renorm round "
    "scatter scatter_add scatter_reduce searchsorted sgn sign signbit softmax sort special.round "
    "split_with_sizes_copy squeeze_copy svd t_copy take take_along_dim topk transpose_copy "
    "triangular_solve tril triu trunc unbind_copy unfold_copy unsqueeze_copy view_copy where "
    "hash_tensor linear "
    "nn.functional.avg_pool2d nn.functional.avg_pool3d nn.functional.softplus linalg.cholesky "
    "linalg.cholesky_ex linalg.cross linalg.det linalg.eigh linalg.eigvalsh linalg.inv "
    "linalg.inv_ex linalg.ldl_factor linalg.ldl_factor_ex linalg.lu linalg.lu_factor "
    "linalg.lu_factor_ex linalg.lu_solve linalg.matrix_norm linalg.norm linalg.qr "
    "linalg.slogdet linalg.solve linalg.solve_ex linalg.solve_triangular linalg.svd "
    "linalg.svdvals linalg.vector_norm".split()
)
# So do these where they give values with their places; without, what they write is converted.
_EXACT_PAIRS = frozenset(("max", "min"))
# A real result into a complex tensor is refused.
_REAL_ONLY = frozenset(
    "fft.irfft fft.irfft2 fft.irfftn fft.hfft fft.hfft2 fft.hfftn nansum nanmean std var "
    "bernoulli".split()
)
# Reading and writing must not meet at all, not even element by element.
APART = frozenset(
    "cat concat concatenate stack hstack vstack row_stack dstack column_stack cross "
    "linalg.cross index_select take_along_dim gather masked_select take kthvalue".split()
)
# In place these write where an index says: elements of self that are read too would be lost.
WRITES_BY_INDEX = frozenset(
    "index_add index_copy index_put index_reduce put scatter scatter_add scatter_reduce".split()
)
# These compute all before they write in PyTorch too, so that memory may be shared in any way.
_FREE = frozenset(
    "alias_copy amax amin as_strided_copy bmm cholesky cholesky_inverse cholesky_solve diag "
    "diagonal_copy expand_copy linalg.cholesky linalg.cond linalg.det linalg.eigvalsh "
    "linalg.householder_product linalg.inv linalg.ldl_solve linalg.lu_solve linalg.multi_dot "
    "linalg.pinv linalg.solve linalg.solve_triangular linalg.svdvals linalg.tensorinv "
    "linalg.tensorsolve log_softmax logsumexp lu_solve matmul mean mm mv mvlgamma norm ormqr "
    "permute_copy slice_scatter softmax special.ndtr squeeze_copy std t_copy tensordot "
    "transpose_copy tril triu unfold_copy unsqueeze_copy var view_copy sum nansum prod median "
    "nn.functional.avg_pool2d nn.functional.linear nn.functional.logsigmoid "
    "special.multigammaln".split()
)


# They draw numbers: what can be said of `out` is said before that.
DRAWING = frozenset(
    "bernoulli multinomial normal nn.functional.dropout nn.functional.dropout1d "
    "nn.functional.dropout2d nn.functional.dropout3d nn.functional.alpha_dropout "
    "nn.functional.feature_alpha_dropout".split()
)


def write_out(name: str, result: Any, out: Any, args: tuple[Any, ...], exact: bool = False) -> Any:
    """Copy results into the given tensors (resized when their shape differs).

    All of them are checked before the first one changes.
    """
    pairs = list(_pairs(name, result, out))
    short = name.removeprefix("nn.functional.")
    listed = name in EXACT or short in EXACT
    exact = exact or (listed and (len(pairs) > 1 or name not in _EXACT_PAIRS))
    tensors = tuple(_tensors(args))
    for made, target in pairs:
        check_target(name, target, tensors, made)
        _check_type(name, made.dtype, target, exact)
        _check_memory(name, made, target, tensors)
    for made, target in pairs:
        _fit(target, tuple(made.shape))
        assign(target, made.detach(), f"{name}(out=)")
    if not isinstance(result, tuple | list):
        return out
    return type(out)(*out) if hasattr(out, "_fields") else tuple(out)


def _pairs(name: str, result: Any, out: Any) -> Any:
    """Each result with the tensor that it is to be written to."""
    if not isinstance(result, tuple | list):
        yield result, out
        return
    if not isinstance(out, tuple | list):
        raise wrong_type(name, "out", None, "tuple of Tensors", out)
    if len(out) != len(result):
        raise refusal.wrong_type(
            f"{name}(): argument 'out' must be tuple of {len(result)} Tensors, but it has "
            f"{len(out)}"
        )
    for made, target in zip(result, out, strict=True):
        yield from _pairs(name, made, target)


def check_target(name: str, out: Any, tensors: tuple[Any, ...] = (), made: Any = None) -> None:
    """Raise when nothing may be written to `out`, whatever it is; a result that was `made` without
    a history (which element is the largest) has none to lose."""
    if not isinstance(out, TensorBase):
        raise wrong_type(name, "out", None, "Tensor", out)
    _refuse_levels(name, (out, *tensors))
    tracked = any(t._rg for t in tensors) and (made is None or made._rg)
    if STATE.grad_enabled and (out._rg or tracked):
        raise refusal.runtime(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad.",
            fix="drop out= and use the returned tensor, or call it under no_grad().",
        )
    if out._a.__class__ is np.ndarray and out._level is None:
        place = memory(out)
        if is_expanded(place) or not place.flags.writeable:
            refuse_overlap(place)


def check_drawn(out: Any, dtype: Any) -> None:
    """Raise when numbers of a type cannot be written to `out`, before they are drawn."""
    if out is not None:
        check_target("creation", out)
        _check_type("creation", from_numpy_dtype(dtype), out, False)


def check_before_drawing(name: str, out: Any, args: tuple[Any, ...]) -> None:
    """The same for functions of tensors; all but one draw numbers of the tensors' type."""
    check_target(name, out)
    types = [t.dtype for t in _tensors(args)] or [get_default_dtype()]
    _check_type(name, int64 if name == "multinomial" else types[0], out, False)


def _check_memory(name: str, made: Any, out: Any, tensors: tuple[Any, ...]) -> None:
    """Raise when the place where a result will lie must not be written, or is read meanwhile."""
    touching = name in APART
    if name not in _FREE:
        check_apart(out, tensors, f"{name}(out=)", touching=touching)
    shape = tuple(made.shape)
    other = tuple(out.shape) != shape
    if other and out.numel():
        source.warn_user(
            f"An output with one or more elements was resized since it had shape {list(out.shape)}"
            f", which does not match the required output shape {list(shape)}. Give an out= of that "
            "shape, or an empty one: out.resize_(0)."
        )
    if out._a.__class__ is not np.ndarray or out._level is not None or STATE.unusual & TRACE:
        return
    place = memory(out)
    if other:
        check_resizable(out, shape)
        place = resized(place, shape)
        if name not in _FREE:  # it may reach further then
            moved = make(place)
            moved._v = out._v
            check_apart(moved, tensors, f"{name}(out=)", touching=touching)
    if not place.flags.c_contiguous or not place.flags.writeable:
        refuse_overlap(place, made._a.size > 0 and not any(made._a.strides))


def _refuse_levels(name: str, tensors: tuple[Any, ...]) -> None:
    """out= writes a value; tangents and examples would be lost."""
    kinds = {t._level.kind for t in tensors if t._level is not None}
    if "dual" in kinds:
        raise refusal.not_implemented(
            f"Trying to use forward AD with {name}_out that does not support it because it is an "
            "out= function",
            fix="use the returned tensor.",
        )
    if "vmap" in kinds:
        raise refusal.runtime(
            f"Batching rule not implemented for aten::{name}.out; the fallback path doesn't work "
            "on out= or view ops.",
            fix="use the returned tensor.",
        )


def _tensors(args: Any) -> Any:
    """The tensors among arguments, in lists too."""
    for a in args:
        if isinstance(a, TensorBase):
            yield a
        elif isinstance(a, list | tuple):
            yield from _tensors(a)


def _check_type(name: str, have: DType, out: Any, exact: bool) -> None:
    want = out.dtype
    if have is want:
        return
    if name in ("all", "any") and want not in (bool_, uint8):
        raise refusal.runtime(
            f"{name} only supports bool tensor for result, got: "
            f"{TYPE_WORDS.get(want.name, want.name)}",
            f"{name}(out=...)",
            fix="give an out= of type torch.bool.",
        )
    if have.category > want.category or (name in _REAL_ONLY and want.is_complex):
        from .legacy import WORDS

        raise refusal.runtime(
            f"result type {WORDS[have.name]} can't be cast to the desired output type "
            f"{WORDS[want.name]}",
            f"{name}(out=...)",
            fix=f"give an out= of type {have!r}.",
        )
    if exact:
        raise refusal.runtime(
            f"Expected out tensor to have dtype {TYPE_WORDS.get(have.name, have.name)}, but got "
            f"{TYPE_WORDS.get(want.name, want.name)} instead",
            f"{name}(out=...)",
            why=f"The result is of type {have!r}, and {name}() does not convert what it writes.",
            fix=f"give an out= of that type, or copy the result: out.copy_({name}(...)).",
        )


def _fit(out: Any, shape: tuple[int, ...]) -> None:
    """Give `out` the shape of the result."""
    if tuple(out.shape) == shape:
        return
    out.resize_(shape)
    if out._v is not None:
        out._v[0] -= 1  # with the write that follows it is one change
