"""Functions of `torch` that PyTorch's Python code calls below its own: reductions are numbers.

`torch.kl_div(x, y, 2)` is `F.kl_div(x, y, reduction="sum")`; libraries that imitate PyTorch's
modules call these.
"""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

_REDUCTIONS = ("none", "mean", "sum")


def _reduction(number: int) -> str:
    if number not in (0, 1, 2):
        raise ValueError(f"{number} is not a valid value for reduction: 0 none, 1 mean, 2 sum")
    return _REDUCTIONS[number]


# ---- losses --------------------------------------------------------------------------------------


def kl_div(input: Any, target: Any, reduction: int = 1, *, log_target: bool = False) -> Any:  # noqa: A002
    """`F.kl_div` with the reduction as a number."""
    return F.kl_div(input, target, reduction=_reduction(reduction), log_target=log_target)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1
) -> Any:
    """`F.cosine_embedding_loss` with the reduction as a number."""
    return F.cosine_embedding_loss(
        input1, input2, target, margin=margin, reduction=_reduction(reduction)
    )


def hinge_embedding_loss(self: Any, target: Any, margin: float = 1.0, reduction: int = 1) -> Any:
    """`F.hinge_embedding_loss` with the reduction as a number."""
    return F.hinge_embedding_loss(self, target, margin=margin, reduction=_reduction(reduction))


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: int = 1
) -> Any:
    """`F.margin_ranking_loss` with the reduction as a number."""
    return F.margin_ranking_loss(
        input1, input2, target, margin=margin, reduction=_reduction(reduction)
    )


def poisson_nll_loss(
    input: Any,  # noqa: A002
    target: Any,
    log_input: bool,
    full: bool,
    eps: float,
    reduction: int,
) -> Any:
    """`F.poisson_nll_loss` with the reduction as a number."""
    return F.poisson_nll_loss(
        input, target, log_input=log_input, full=full, eps=eps, reduction=_reduction(reduction)
    )


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: int = 1,
) -> Any:
    """`F.triplet_margin_loss` with the reduction as a number."""
    return F.triplet_margin_loss(
        anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap,
        reduction=_reduction(reduction),
    )  # fmt: skip


# ---- layers --------------------------------------------------------------------------------------


def batch_norm(
    input: Any,  # noqa: A002
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """`F.batch_norm` in the order of PyTorch's operator."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Any,  # noqa: A002
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """`F.instance_norm` in the order of PyTorch's operator."""
    return F.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def convolution(
    input: Any,  # noqa: A002
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    """A convolution over one, two or three dimensions, or its transpose."""
    nd = weight.dim() - 2
    if transposed:
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[nd - 1]
        return function(input, weight, bias, tuple(stride), tuple(padding), tuple(output_padding),
                        groups, tuple(dilation))  # fmt: skip
    function = (torch.conv1d, torch.conv2d, torch.conv3d)[nd - 1]
    return function(input, weight, bias, tuple(stride), tuple(padding), tuple(dilation), groups)


_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def grid_sampler(
    input: Any,  # noqa: A002
    grid: Any,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> Any:
    """`F.grid_sample` with the modes as numbers."""
    return F.grid_sample(
        input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners
    )


def affine_grid_generator(theta: Any, size: Any, align_corners: bool) -> Any:
    """`F.affine_grid`."""
    return F.affine_grid(theta, list(size), align_corners)


def embedding_renorm_(weight: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Shrink the rows that are looked up to a norm, in place."""
    with torch.no_grad():
        F.embedding(indices, weight, max_norm=max_norm, norm_type=norm_type)
    return weight


def native_dropout(input: Any, p: float, train: bool | None) -> Any:  # noqa: A002
    """(the elements that stay, scaled; which they are)."""
    if not train or p == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(input), torch.zeros_like(input, dtype=torch.bool)
    kept = torch.empty_like(input).bernoulli_(1 - p).bool()
    return input * kept * (1.0 / (1 - p)), kept


def native_channel_shuffle(input: Any, groups: int) -> Any:  # noqa: A002
    """`F.channel_shuffle`."""
    return F.channel_shuffle(input, groups)


# ---- norms and products --------------------------------------------------------------------------


def frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Any:  # noqa: A002
    """The root of the sum of squares over one or two dimensions, or over all."""
    return torch.linalg.vector_norm(input, 2, dim if dim != [] and dim != () else None, keepdim)


def nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False) -> Any:  # noqa: A002
    """The sum of the singular values of matrices."""
    return torch.linalg.matrix_norm(input, "nuc", tuple(dim), keepdim)


def native_norm(input: Any, p: float = 2) -> Any:  # noqa: A002
    """The norm over all elements."""
    return torch.linalg.vector_norm(input, p)


def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    found = output * (grad_output - (grad_output * output).sum(dim, keepdim=True))
    return found.to(input_dtype)


def _int_mm(self: Any, mat2: Any) -> Any:
    """The product of int8 matrices, added up as int32."""
    for name, matrix in (("self", self), ("mat2", mat2)):
        if matrix.dtype is not torch.int8 or matrix.dim() != 2:
            raise RuntimeError(
                f"Expected {name} to be of dtype int8 and 2-D, but got {matrix.dtype} of shape "
                f"{list(matrix.shape)}"
            )
    return torch.mm(self.to(torch.int32), mat2.to(torch.int32))


def _shape_as_tensor(self: Any) -> Any:
    return torch.tensor(tuple(self.shape), dtype=torch.int64)


def _sample_dirichlet(self: Any, generator: Any = None) -> Any:
    gamma = torch._standard_gamma(self, generator=generator)  # pyright: ignore[reportAttributeAccessIssue]
    return gamma / gamma.sum(-1, keepdim=True)


# ---- numbers that a trace might not know: here they are known ----------------------------------


def sym_int(a: Any) -> int:
    """The whole part."""
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a: Any) -> float:
    """As a float."""
    return float(a)


def sym_max(a: Any, b: Any) -> Any:
    """The larger one; a float if either is."""
    found = max(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_min(a: Any, b: Any) -> Any:
    """The smaller one; a float if either is."""
    found = min(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_not(a: Any) -> bool:
    """The opposite."""
    return not a


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One or the other."""
    return t if b else f


def sym_sum(args: Any) -> Any:
    """The sum."""
    return sum(args)


def sym_sqrt(a: Any) -> float:
    """The root."""
    return math.sqrt(a)


def _conj(input: Any) -> Any:  # noqa: A002
    """`conj` under its inner name."""
    return torch.conj(input)


def _conj_physical(input: Any) -> Any:  # noqa: A002
    """`conj_physical` under its inner name."""
    return torch.conj_physical(input)


def _neg_view(input: Any) -> Any:  # noqa: A002
    """The negative, on the same memory."""
    from .autograd.dispatch import P
    from .tensor.lazy_views import can_wait

    return P.neg_view(input) if can_wait(input) else P.neg(input)


def sym_fresh_size(expr: Any) -> int:
    """The size itself: it is known."""
    return int(expr)


def sym_constrain_range(size: Any, *, min: int | None = None, max: int | None = None) -> None:  # noqa: A002
    """Check a number against limits."""
    if (min is not None and size < min) or (max is not None and size > max):
        raise RuntimeError(f"Invalid value range for {size} between [{min}, {max}].")


sym_constrain_range_for_size = sym_constrain_range


def embedding_bag(
    weight: Any, indices: Any, offsets: Any, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """`F.embedding_bag` with the mode as a number; with the bags, their sizes and maxima."""
    names = ("sum", "mean", "max")
    out = F.embedding_bag(
        indices, weight, offsets, scale_grad_by_freq=scale_grad_by_freq, mode=names[mode],
        sparse=sparse, per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset, padding_idx=padding_idx,
    )  # fmt: skip
    starts = offsets[:-1] if include_last_offset else offsets
    ends = torch.cat([starts[1:], torch.tensor([indices.numel()])])
    sizes = ends - starts
    if names[mode] == "sum":
        return out, torch.empty(0, dtype=torch.int64), torch.zeros_like(sizes), sizes * 0
    bags = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    if names[mode] == "mean":
        return out, bags, sizes, sizes.clone()
    best = [_rows_of_maxima(weight.detach(), indices[int(i) : int(j)])
            for i, j in zip(starts, ends, strict=True)]  # fmt: skip
    return out, bags, sizes, torch.stack(best)


def _rows_of_maxima(weight: Any, rows: Any) -> Any:
    """For each column the row of `weight` that has its maximum."""
    if not len(rows):
        return torch.full((weight.shape[1],), -1)
    return rows[weight[rows].argmax(0)]


def batch_norm_update_stats(
    input: Any,  # noqa: A002
    running_mean: Any, running_var: Any, momentum: float,
) -> tuple[Any, Any]:  # fmt: skip
    """Means and variances of the channels, which also move the running ones."""
    others = [d for d in range(input.ndim) if d != 1]
    mean, var = input.mean(others), input.var(others, unbiased=False)
    count = input.numel() / input.shape[1]
    with torch.no_grad():
        if running_mean is not None:
            running_mean.lerp_(mean, momentum)
        if running_var is not None:
            running_var.lerp_(var * (count / (count - 1)), momentum)
    return mean, var
