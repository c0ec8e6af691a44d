"""nn.functional: dense layers and tables of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.expected import expect_within
from ...autograd.inplace import assign
from ...autograd.modes import no_grad
from ...autograd.state import STATE, TRACE
from ...autograd.value import PLAIN, bottom, make
from ...autograd.warn_once import warn_once_of
from ...ops.dtypes import FLOAT
from ..api import public, write_out
from ..overriding import awaken, call_as_given, public_function
from ..spellings import UNGIVEN, first_of, one_of
from .common import P, TensorBase
from .nn_common import named
from .shapes import reshaped

if TYPE_CHECKING:
    from ..annotations import Tensor


@public(namespace="nn.functional", out=False, autocast="lower")
def linear(
    input: Tensor = UNGIVEN, weight: Tensor = UNGIVEN, bias: Tensor | None = None,
    x: Tensor = UNGIVEN, a: object = UNGIVEN, x1: Tensor = UNGIVEN, *, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """input @ weight.T + bias.

    >>> import chainrule as torch
    >>> torch.nn.functional.linear(torch.tensor([[1., 2.]]), torch.tensor([[3., 4.]]))
    tensor([[11.]])
    """
    try:
        if input is ... or x is not ... or a is not ... or x1 is not ... or weight is ...:
            input = first_of("linear", input, x, a, x1)
            weight = one_of("linear", "weight", weight, ...)
        if (
            out is None
            and input.__class__ in PLAIN
            and weight.__class__ in PLAIN
            and (bias is None or bias.__class__ in PLAIN)
        ):
            # The usual layer; anything that does not fit is looked at below.
            x, w = input._a, weight._a
            if w.ndim == 2 and x.dtype is w.dtype and x.ndim and 0 < x.shape[-1] == w.shape[1]:
                if bias is None:
                    return _linear_of_rows(input, weight, None)
                b = bias._a
                if b.dtype is x.dtype and b.shape == w.shape[:1]:
                    if x.ndim == 2:
                        return P.linear2d(input, weight, bias)
                    return _linear_of_rows(input, weight, bias)
        shape = input.shape
        if out is not None:
            return write_out("linear", linear(input, weight, bias), out, (input, weight, bias))
        if len(shape) == 2 and len(weight.shape) == 2 and shape[1] == weight.shape[1]:
            if bias is None:
                if input.dtype is weight.dtype:
                    return P.linear2d_no_bias(input, weight)
            elif len(bias.shape) == 1 and len(bias) == weight.shape[0]:
                if input.dtype is weight.dtype is bias.dtype:
                    return P.linear2d(input, weight, bias)
        return _linear_general(input, weight, bias)
    except PROBLEMS as problem:
        if awaken((input, weight, bias)):
            return call_as_given(public_function("nn.functional.linear"), locals())
        explain_here(problem)
        raise


def _linear_of_rows(input: Any, weight: Any, bias: Any) -> Any:
    """A layer of plain tensors that fit."""
    x = input._a
    rows, (outputs, inputs) = input, weight._a.shape
    if x.ndim != 2:
        rows = reshaped(input, (x.size // inputs, inputs))
    y = P.linear2d_no_bias(rows, weight) if bias is None else P.linear2d(rows, weight, bias)
    if rows is input:
        return y
    shape = (*x.shape[:-1], outputs)
    return P.unsafe_view(y, shape=shape) if bias is None else P.view(y, shape=shape)


def _linear_general(input: Any, weight: Any, bias: Any) -> Any:
    _check_linear(input, weight, bias)
    if weight.ndim == 1:
        out = input.matmul(weight)
        return out if bias is None else out + bias
    rows = input.reshape(-1, weight.shape[1]) if weight.shape[1] else input.flatten(0, -2)
    if bias is None:
        out = P.linear2d_no_bias(rows, weight)
    elif bias.ndim == 1 and len(bias) == weight.shape[0]:
        out = P.linear2d(rows, weight, bias)
    else:
        out = P.linear2d_no_bias(rows, weight) + bias
    shape = (*input.shape[:-1], weight.shape[0])
    return P.unsafe_view(out, shape=shape) if bias is None else out.view(shape)


def _fits(bias: Any, input: Any, weight: Any) -> bool:
    """Whether a bias is one for each row of a matrix, as it may be."""
    if bias.ndim != 2 or input.ndim != 2 or weight.ndim != 2:
        return False
    return bias.shape[0] in (1, input.shape[0]) and bias.shape[1] in (1, weight.shape[0])


def _check_linear(input: Any, weight: Any, bias: Any) -> None:
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.dtype is not input.dtype:
            raise refusal.runtime(
                f"mat1 and mat2 must have the same dtype, but got {input.dtype!r} and {t.dtype!r}",
                f"linear: input and {name}",
                fix=f"convert one of them, e.g. input.to({name}.dtype).",
            )
    if weight.ndim not in (1, 2) or input.ndim == 0:
        raise refusal.runtime(
            "linear(): input must be at least 1D and weight 1D or 2D, got input "
            f"{list(input.shape)} and weight {list(weight.shape)}"
        )
    wanted = weight.shape[-1]
    if input.shape[-1] != wanted:
        rows = input.numel() // max(1, input.shape[-1])
        outputs = weight.shape[0] if weight.ndim == 2 else 1
        raise refusal.runtime(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and "
            f"{wanted}x{outputs})",
            f"linear: the input's last dimension is {input.shape[-1]}, the weight of shape "
            f"{list(weight.shape)} takes {wanted} features",
            fix=f"give the layer in_features={input.shape[-1]}, or reshape the input (flatten?).",
        )
    if bias is None or bias.numel() in (1, weight.shape[0]):
        return
    if not _fits(bias, input, weight):
        raise refusal.runtime(
            f"The expanded size of the tensor ({weight.shape[0]}) must match the existing size "
            f"({bias.numel()}) at non-singleton dimension 1: the bias {list(bias.shape)} does not "
            f"fit a weight of shape {list(weight.shape)}"
        )


@public(namespace="nn.functional", out=False, aliases=(".bilinear",))
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1 . weight[k] . x2 + bias[k] for every output k."""
    if input1.shape[:-1] != input2.shape[:-1]:
        raise refusal.runtime(
            f"bilinear(): input batch dimensions do not match: {list(input1.shape)} and "
            f"{list(input2.shape)}"
        )
    k, m, n = weight.shape
    if input1.shape[-1] != m or input2.shape[-1] != n:
        raise refusal.runtime(
            f"bilinear(): input1 size does not match weight size: got {input1.shape[-1]} and "
            f"{input2.shape[-1]} but expected {m} and {n}"
        )
    if not input1.dtype is input2.dtype is weight.dtype:
        raise refusal.runtime(
            f"All tensors must have the same dtype, got input1: {input1.dtype!r}, input2: "
            f"{input2.dtype!r}, weight: {weight.dtype!r}",
            "bilinear",
        )
    a, b = input1.reshape(-1, m), input2.reshape(-1, n)
    # (rows, k, n): each row of a through every weight matrix, then against b.
    partial = a.matmul(P.reshape(P.transpose(weight, perm=(1, 0, 2)), shape=(m, k * n)))
    terms = partial.reshape(-1, k, n) * b.unsqueeze(1)
    out = P.reduce_sum(terms, axis=(2,), keepdims=False).view(*input1.shape[:-1], k)
    out = out if out.dtype is weight.dtype else out.to(weight.dtype)
    return out if bias is None else out + bias


# ---- tables of rows ------------------------------------------------------------------------------


def _row_error(input: Any, weight: Any) -> IndexError:
    values = input.detach()._a
    bad = values[(values < 0) | (values >= weight.shape[0])]
    shown = int(bad.reshape(-1)[0]) if bad.size else "?"
    return refusal.index(
        "index out of range in self",
        f"embedding: index {shown}, but the table has {weight.shape[0]} rows "
        f"(0..{weight.shape[0] - 1})",
        fix="enlarge num_embeddings or correct the indices.",
    )


def _check_indices(input: Any, weight: Any, name: str) -> None:
    if input.dtype.name not in ("int64", "int32"):
        raise refusal.runtime(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {input.dtype!r} instead",
            f"{name}",
            fix="indices.long().",
        )
    rows = bottom(input)
    if rows._level is None and rows._a.size and not weight.is_meta:
        expect_within(rows, 0, weight.shape[0] - 1)
        if rows._a.max() >= weight.shape[0] or rows._a.min() < 0:
            raise _row_error(rows, weight)


def _padding_row(padding_idx: Any, weight: Any, bags: bool = False) -> int:
    if padding_idx is None:
        return -1
    rows = weight.shape[0]
    if not -rows <= padding_idx < rows:
        if bags:
            raise refusal.runtime(
                f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, "
                f"but got {padding_idx}"
            )
        raise refusal.assertion(
            f"Padding_idx must be within num_embeddings: {padding_idx} for {rows} rows"
        )
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _sparse_gradient(rows: Any, weight: Any, used: Any) -> Any:
    """The result of `sparse=True`: the gradient of weight will say which rows were used."""
    from ...sparse.rows import track_rows

    return track_rows(rows, weight, used)


def _limit_rows(input: Any, weight: Any, max_norm: float, norm_type: float) -> None:
    """Rows used here are scaled, in place, to a norm of at most max_norm."""
    while weight._level is not None and weight._level.kind == "dual":
        weight = weight._a  # only values are scaled: what moves them is not
    with no_grad():
        rows = np.unique(input.detach()._a)
        values = weight.detach()._a[rows]
        norms = make(values).norm(norm_type, 1, keepdim=True)._a
        scale = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1)
        new = weight.detach()._a.copy()
        new[rows] = values * scale.astype(values.dtype, copy=False)
        assign(weight, make(new), "embedding_renorm_")


@public(namespace="nn.functional", out=False)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` numbered by `input`."""
    try:
        if weight.ndim != 2:
            raise refusal.runtime(f"'weight' must be 2-D, got {list(weight.shape)}")
        _check_indices(input, weight, "embedding")
        padding = _padding_row(padding_idx, weight)
        if max_norm is not None:
            _limit_rows(input, weight, max_norm, norm_type)
        out = P.embedding(weight, input, padding=padding, by_count=scale_grad_by_freq)
        return _sparse_gradient(out, weight, input) if sparse else out
    except PROBLEMS as problem:
        if awaken((input, weight)):
            return call_as_given(public_function("nn.functional.embedding"), locals())
        explain_here(problem)
        raise


def _is_integral(x: Any) -> bool:
    return isinstance(x, TensorBase) and x.dtype.category < FLOAT  # type: ignore[attr-defined]


@public(namespace="nn.functional", out=False)
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Rows of `weight`, summed, averaged or maximised per bag of indices."""
    if _is_integral(weight) and not _is_integral(input):
        warn_once_of(
            "the old order of embedding_bag",
            "Argument order of nn.functional.embedding_bag was changed. Usage "
            "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
            "`embedding_bag(input, weight, ...)`.",
        )
        input, weight = weight, input
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"mode has to be one of sum, mean or max, got {mode!r}")
    if per_sample_weights is not None and mode != "sum":
        raise refusal.not_implemented(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}')."
        )
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise refusal.value(
            f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, "
            f"then it must have the same shape as the input ({list(input.shape)})"
        )
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise refusal.runtime(
            "embedding_bag: expected 'weight' to have the same type as 'per_sample_weights', but "
            f"got {weight.dtype!r} and {per_sample_weights.dtype!r}"
        )
    _check_indices(input, weight, "embedding_bag")
    bags, count = _bags(input, offsets, include_last_offset)
    padding = _padding_row(padding_idx, weight, bags=True)
    if max_norm is not None:
        _limit_rows(input, weight, max_norm, norm_type)
    flat = input.reshape(-1)
    if mode == "max":
        out = _bag_max(weight, flat, bags, count, padding)
    else:
        rows = P.embedding(weight, flat, padding=padding, by_count=scale_grad_by_freq)
        share = P.bag_shares(
            flat, bags, count=count, padding=padding, mean=mode == "mean", dtype=rows.dtype.np
        )
        if per_sample_weights is not None:
            share = per_sample_weights.reshape(-1) * share
        out = P.embedding_sum(
            rows * share.unsqueeze(1), bags, rows=count, padding=-1, by_count=False
        )
    out = named(out, "EmbeddingBagBackward0")
    return _sparse_gradient(out, weight, flat) if sparse else out


def _bags(input: Any, offsets: Any, include_last: bool) -> tuple[Any, int]:
    """(the number of each index's bag, how many bags)."""
    if input.ndim == 2:
        if offsets is not None:
            raise refusal.value(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                "of fixed length sequences."
            )
        n, length = input.shape
        return make(np.repeat(np.arange(n), length)), n
    if input.ndim != 1 or offsets is None or offsets.ndim != 1:
        raise refusal.value(
            "embedding_bag takes a 1D input with 1D offsets, or a 2D input; got input "
            f"{list(input.shape)} and offsets {None if offsets is None else list(offsets.shape)}"
        )
    count = offsets.shape[0] - bool(include_last)
    if include_last and offsets._level is None:
        if count < 0 or offsets._a[-1] != input.shape[0]:
            raise refusal.runtime(
                "Your input appears to be incorrect: the last offset value should be the size of "
                f"the indices tensor, {input.shape[0]}, with include_last_offset=True, but offsets "
                f"are {offsets.tolist()}"
            )
    expect_within(offsets, 0, input.shape[0])
    if include_last and STATE.unusual & TRACE:
        expect_within(bottom(offsets)[-1:], input.shape[0], input.shape[0])
    return P.bag_numbers(offsets, length=input.shape[0], count=count), count


def _bag_max(weight: Any, flat: Any, bags: Any, count: int, padding: int) -> Any:
    rows = P.bag_max_rows(weight.detach(), flat, bags, count=count, padding=padding)
    columns = make(np.broadcast_to(np.arange(weight.shape[1]), (count, weight.shape[1])))
    real = rows >= 0
    picked = P.index_get(weight, P.where(real, rows, 0), columns, dims=(0, 1))
    return P.where(real, picked, 0.0)
