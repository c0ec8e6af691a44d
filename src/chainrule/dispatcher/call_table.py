"""Ops that are one operator of PyTorch with the same operands: its call, written with their names.

`"swap_axes": "transpose.int(x, axis0, axis1)"` names inputs and parameters of the op; tuples become
lists. Where PyTorch has a form of the operator that writes (`transpose_`), so has the op.
"""

from __future__ import annotations

import functools
from typing import Any

from ..ops.dtypes import from_numpy_dtype
from ..ops.schema import TABLE
from .calls import aten, exists

NUMBERED = {"none": 0, "mean": 1, "sum": 2}  # reductions, as PyTorch's operators know them

CALLS = {
    # arithmetic
    "square": "pow.Tensor_Scalar(x, 2)", "isclose": "isclose(a, b, rtol, atol, equal_nan)",
    "logit": "logit(x, eps)", "nan_to_num": "nan_to_num(x, nan, posinf, neginf)",
    "polygamma": "polygamma(n, x)", "masked_fill_number": "masked_fill.Scalar(x, hit, value)",
    "blank": "zeros_like(x)", "zeroed": "zeros_like(x)", "fill_number": "full_like(x, value)",
    "copy_value": "clone(x)", "conj": "_conj_physical(x)", "real": "real(x)",
    "clone": "clone(x)", "clone_ordered": "clone(x)",
    "cast": "_to_copy(x, dtype=torch_dtype(dtype))",
    "view_dtype": "view.dtype(x, torch_dtype(dtype))",
    "baddbmm": "baddbmm(c, a, b, beta=beta, alpha=alpha)",
    "addbmm": "addbmm(c, a, b, beta=beta, alpha=alpha)",
    "addmv": "addmv(c, a, x, beta=beta, alpha=alpha)",
    "addr": "addr(c, x, y, beta=beta, alpha=alpha)",
    # activations and losses
    "gelu": "gelu(x, approximate=approximate)", "softplus": "softplus(x, beta, threshold)",
    "elu": "elu(x, alpha, scale, rate)", "celu": "celu(x, alpha)",
    "leaky_relu": "leaky_relu(x, slope)", "hardtanh": "hardtanh(x, low, high)",
    "hardshrink": "hardshrink(x, limit)", "softshrink": "softshrink(x, limit)",
    "threshold": "threshold(x, limit, value)", "softmax": "_softmax(x, axis, False)",
    "log_softmax": "_log_softmax(x, axis, False)",
    "mse_loss": "mse_loss(x, y, NUMBERED[reduction])",
    "smooth_l1_loss": "smooth_l1_loss(x, y, NUMBERED[reduction], beta)",
    "huber_loss": "huber_loss(x, y, NUMBERED[reduction], delta)",
    "binary_cross_entropy":
        "binary_cross_entropy(x, y, w if weighted else None, NUMBERED[reduction])",
    "bce_with_logits": "binary_cross_entropy_with_logits(x, y, w if weighted else None, "
        "p if positive else None, NUMBERED[reduction])",
    # reductions
    "logsumexp": "logsumexp(x, axis, keepdims)", "max_of_all": "max(x)", "min_of_all": "min(x)",
    "reduce_prod": "prod.dim_int(x, axis, keepdims)",
    "nansum": "nansum(x, dims(x, axis, keepdims), keepdims)",
    "reduce_max": "amax(x, dims(x, axis, keepdims) or [], keepdims)",
    "reduce_min": "amin(x, dims(x, axis, keepdims) or [], keepdims)",
    "reduce_var":
        "var.correction(x, dims(x, axis, keepdims), correction=correction, keepdim=keepdims)",
    "reduce_std":
        "std.correction(x, dims(x, axis, keepdims), correction=correction, keepdim=keepdims)",
    "var_mean":
        "var_mean.correction(x, dims(x, axis, keepdims), correction=correction, keepdim=keepdims)",
    "std_mean":
        "std_mean.correction(x, dims(x, axis, keepdims), correction=correction, keepdim=keepdims)",
    "reduce_norm": "linalg_vector_norm(x, order, dims(x, axis, keepdims), keepdims)",
    "argmax": "argmax(x, axis, keepdims)", "argmin": "argmin(x, axis, keepdims)",
    # shapes
    "view": "view(x, shape)", "reshape": "view(x, shape)", "unsafe_view": "_unsafe_view(x, shape)",
    "unsqueeze": "unsqueeze(x, axis)", "squeeze_all": "squeeze(x)",
    "squeeze_axes": "squeeze.dims(x, axis)", "transpose": "permute(x, perm)",
    "swap_axes": "transpose.int(x, axis0, axis1)", "broadcast_to": "expand(x, shape)",
    "select": "select.int(x, axis, index)", "unbind": "unbind.int(x, axis)",
    "repeat": "repeat(x, repeats)", "flip": "flip(x, axis)", "roll": "roll(x, shifts, axis)",
    "rot90": "rot90(x, turns, axis)", "tril": "tril(x, k)", "triu": "triu(x, k)",
    "cat": "cat(xs, axis)", "stack": "stack(xs, axis)", "block_diag": "block_diag(xs)",
    "diag_embed": "diag_embed(x, offset, axis1, axis2)",
    "diagonal": "diagonal(x, offset, axis1, axis2)", "unfold": "unfold(x, axis, size, step)",
    "split_with_sizes": "split_with_sizes(x, sizes, axis)",
    "im2col": "im2col(x, kernel, dilation, padding, stride)",
    "col2im": "col2im(y, size, kernel, dilation, padding, stride)",
    # places
    "gather": "gather(x, axis, index)", "scatter": "scatter.src(x, axis, index, src)",
    "scatter_add": "scatter_add(x, axis, index, src)",
    "index_select": "index_select(x, axis, index)", "index_add": "index_add(x, axis, index, src)",
    "index_copy": "index_copy(x, axis, index, src)",
    "scatter_sum": "scatter_add(zeros(g, shape), axis, index, g)",
    "index_axis": "index.Tensor(x, [None] * axis + [index])",
    "index_axis_sum": "index_put(zeros(g, shape), [None] * axis + [index], g, True)",
    "index_get": "index.Tensor(x, by_dim(indices, dims))",
    "index_sum": "index_put(zeros(g, shape), by_dim(indices, dims), g, True)",
    "index_put": "index_put(x, by_dim(indices, dims), v, accumulate)",
    "masked_get": "index.Tensor(x, [hit])",
    "searchsorted": "searchsorted.Tensor(edges, values, out_int32=dtype == 'int32', right=right)",
    "embedding": "embedding(w, index, padding, by_count)",
    "embedding_sum": "embedding_dense_backward(g, index, rows, padding, by_count)",
    # random numbers
    "bernoulli_draw": "bernoulli(p, generator=generator)",
    "poisson_draw": "poisson(rate, generator)",
    "multinomial_draw": "multinomial(weights, count, replacement, generator=generator)",
}  # fmt: skip

# Other operators than the one that makes a new tensor.
WRITING = {
    "fill_uniform": "uniform_(x, low, high, generator=generator)",
    "fill_normal": "normal_(x, mean, std, generator=generator)",
    "blank": "zero_(x)", "fill": "fill_.Tensor(x, value)", "fill_number": "fill_.Scalar(x, value)",
    "fill_bernoulli": "bernoulli_.float(x, p, generator=generator)",
    "fill_exponential": "exponential_(x, rate, generator=generator)",
    "fill_integers": "random_.from(x, low, high, generator=generator)",
    "masked_fill": "masked_fill_.Tensor(x, hit, value)",
    "div_floor": "div_.Tensor_mode(a, b, rounding_mode='floor')",
    "div_trunc": "div_.Tensor_mode(a, b, rounding_mode='trunc')", "reciprocal": "reciprocal_(x)",
}  # fmt: skip


def called(op: str) -> Any:
    """The function that puts an op of `CALLS` before the handlers; None for other ops."""
    return _written(op, CALLS[op]) if op in CALLS else None


def writing(op: str) -> Any:
    """The function for the form of an op that writes into its first input, if there is one."""
    if op in WRITING:
        return _written(op, WRITING[op])
    packet, overload, arguments = _parts(CALLS.get(op, "()"))
    found = exists(f"{packet}_.{overload}")
    return _written(op, f"{packet}_.{overload}({arguments})") if found else None


def _parts(call: str) -> tuple[str, str, str]:
    name, _, arguments = call[:-1].partition("(")
    packet, _, overload = name.partition(".")
    return packet, overload or "default", arguments


@functools.cache
def _written(op: str, call: str) -> Any:
    packet, overload, arguments = _parts(call)
    row = TABLE[op]
    inputs = [f"*{n}" if row.variadic and n == row.inputs[-1] else n for n in row.inputs]
    star = ["*"] if row.params and not row.variadic else []
    taken = ", ".join([*inputs, *star, *row.params])
    text = f"lambda {taken}: put({f'{packet}.{overload}'!r}, {arguments})"
    return eval(compile(text, f"<chainrule operator {op}>", "eval"), SPACE)


# ---- words that calls may use --------------------------------------------------------------------


def _put(name: str, *args: Any, **kwargs: Any) -> Any:
    return aten(name, *(list(a) if isinstance(a, tuple) else a for a in args), **kwargs)


def is_whole(x: Any, axis: Any, keepdims: bool) -> bool:
    """Whether a reduction leaves nothing of the dimensions."""
    return len(axis) == x.ndim and not keepdims


def _dims(x: Any, axis: Any, keepdims: bool) -> list[int] | None:
    return None if is_whole(x, axis, keepdims) else list(axis)


def _by_dim(indices: Any, dims: Any) -> list[Any]:
    found: list[Any] = [None] * (max(dims) + 1)
    for d, i in zip(dims, indices, strict=True):
        found[d] = i
    return found


def _zeros(like: Any, shape: Any) -> Any:
    return aten("new_zeros.default", like, list(shape))


SPACE = {
    "put": _put, "dims": _dims, "by_dim": _by_dim, "zeros": _zeros, "NUMBERED": NUMBERED,
    "torch_dtype": from_numpy_dtype,
}  # fmt: skip
