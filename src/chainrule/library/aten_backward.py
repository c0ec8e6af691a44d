"""Operators of PyTorch's core that no public function stands for: forward and backward kernels.

They are what `__torch_dispatch__` sees of networks, so that a handler can call them. They compute
and are not differentiable themselves; the public functions are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.dispatch import P
from ..autograd.value import make
from ..ops.schema import TABLE, rule_names
from ..ops.worlds import ARRAYS
from .aten_kernels import KERNELS, _functional, _package, kernel

_REDUCTIONS = ("none", "mean", "sum")


def _gradients(name: str, g: Any, mask: tuple[bool, ...], values: dict[str, Any]) -> list[Any]:
    """The gradients of an op of the table by its rules on arrays."""
    op = TABLE[name]
    arrays = {k: v._a if hasattr(v, "_a") else v for k, v in values.items()}
    incoming: Any = tuple(x._a for x in g) if isinstance(g, tuple) else g._a
    if op.joint is not None:
        given = {"g": incoming, "mask": mask, **arrays}
        made = ARRAYS.bind(op.joint)(*[given[n] for n in rule_names(op.joint)])
        return [None if m is None or not w else make(np.asarray(m)) for m, w in
                zip(made, mask, strict=False)]  # fmt: skip
    found: list[Any] = []
    for k, wanted in enumerate(mask):
        if not wanted:
            found.append(None)
            continue
        input_name = op.inputs[k]
        partial = op.partials.get(input_name)
        rule = partial or op.vjps[input_name]
        given = {"g": incoming, **arrays}
        made = ARRAYS.bind(rule)(*[given[n] for n in rule_names(rule)])
        if partial is not None:
            made = incoming * made
        found.append(make(np.asarray(made, incoming.dtype)))
    return found


def _one(op: str, g: Any, **values: Any) -> Any:
    return _gradients(op, g, (True,), values)[0]


# ---- activations ---------------------------------------------------------------------------------


@kernel
def threshold_backward(grad_output: Any, self: Any, threshold: Any) -> Any:
    return P.where(P.le(self, threshold), 0.0, grad_output)


@kernel
def sigmoid_backward(grad_output: Any, output: Any) -> Any:
    return _one("sigmoid", grad_output, out=output)


@kernel
def tanh_backward(grad_output: Any, output: Any) -> Any:
    return _one("tanh", grad_output, out=output)


@kernel
def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    return _one("softmax", grad_output, out=output, axis=dim % max(output.ndim, 1))


@kernel
def _log_softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    return _one("log_softmax", grad_output, out=output, axis=dim % max(output.ndim, 1))


@kernel
def gelu_backward(grad_output: Any, self: Any, *, approximate: str = "none") -> Any:
    return _one("gelu", grad_output, x=self, approximate=approximate)


@kernel
def silu_backward(grad_output: Any, self: Any) -> Any:
    return _one("silu", grad_output, x=self)


@kernel
def mish_backward(grad_output: Any, self: Any) -> Any:
    return _one("mish", grad_output, x=self)


@kernel
def hardswish_backward(grad_output: Any, self: Any) -> Any:
    return _one("hardswish", grad_output, x=self)


@kernel
def hardsigmoid_backward(grad_output: Any, self: Any) -> Any:
    return _one("hardsigmoid", grad_output, x=self)


@kernel
def leaky_relu_backward(
    grad_output: Any, self: Any, negative_slope: float, self_is_result: bool
) -> Any:
    return _one("leaky_relu", grad_output, x=self, slope=negative_slope)


@kernel
def hardtanh_backward(grad_output: Any, self: Any, min_val: Any, max_val: Any) -> Any:
    return _one("hardtanh", grad_output, x=self, low=min_val, high=max_val)


@kernel
def softplus_backward(grad_output: Any, self: Any, beta: Any, threshold: Any) -> Any:
    return _one("softplus", grad_output, x=self, beta=beta, threshold=threshold)


@kernel
def elu_backward(
    grad_output: Any, alpha: Any, scale: Any, input_scale: Any, is_result: bool,
    self_or_result: Any,
) -> Any:  # fmt: skip
    if is_result:
        raise NotImplementedError("elu_backward of a result: give it the x (is_result=False)")
    return _one("elu", grad_output, x=self_or_result, alpha=alpha, scale=scale, rate=input_scale)


@kernel
def log_sigmoid_forward(self: Any) -> Any:
    return P.logsigmoid(self), make(np.zeros(0, self.dtype.np))


# ---- losses --------------------------------------------------------------------------------------


@kernel
def mse_loss_backward(grad_output: Any, self: Any, target: Any, reduction: int) -> Any:
    kind = _REDUCTIONS[reduction]
    return _one("mse_loss", grad_output, x=self, y=target, reduction=kind)


@kernel
def smooth_l1_loss_backward(
    grad_output: Any, self: Any, target: Any, reduction: int, beta: float
) -> Any:
    kind = _REDUCTIONS[reduction]
    return _one("smooth_l1_loss", grad_output, x=self, y=target, reduction=kind, beta=beta)


@kernel
def huber_loss_backward(
    grad_output: Any, self: Any, target: Any, reduction: int, delta: float
) -> Any:
    kind = _REDUCTIONS[reduction]
    return _one("huber_loss", grad_output, x=self, y=target, reduction=kind, delta=delta)


def _nll_backward(
    grad_output: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int,
    total_weight: Any,
) -> Any:  # fmt: skip
    name = "nll_loss2d" if self.ndim == 4 else "nll_loss"
    weighted = weight is not None
    w = weight if weighted else make(np.zeros((), self.dtype.np))
    return _one(
        name, grad_output, x_shape=tuple(self.shape), target=target, w=w,
        axis=1 if self.ndim > 1 else 0, ignore=ignore_index, reduction=_REDUCTIONS[reduction],
        weighted=weighted,
    )  # fmt: skip


KERNELS["nll_loss_backward"] = KERNELS["nll_loss2d_backward"] = _nll_backward


def _loss_number(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A loss whose reduction is a number, as in the core."""

    def function(x: Any, y: Any, *rest: Any) -> Any:
        given = list(rest)
        reduction = 1
        place = _REDUCTION_PLACE.get(loss.__name__, 0)
        if len(given) > place:
            reduction = given.pop(place)
        kind = _REDUCTIONS[reduction] if isinstance(reduction, int) else reduction
        return loss(x, y, given, kind)

    return function


_REDUCTION_PLACE = {"binary_cross_entropy": 1, "binary_cross_entropy_with_logits": 2}


def _define_losses() -> None:
    def binary_cross_entropy(x: Any, y: Any, rest: Any, kind: str) -> Any:
        weight = rest[0] if rest else None
        return _functional().binary_cross_entropy(x, y, weight, reduction=kind)

    def binary_cross_entropy_with_logits(x: Any, y: Any, rest: Any, kind: str) -> Any:
        weight, positive = [*rest, None, None][:2]
        return _functional().binary_cross_entropy_with_logits(
            x, y, weight, reduction=kind, pos_weight=positive
        )

    def mse_loss(x: Any, y: Any, rest: Any, kind: str) -> Any:
        return _functional().mse_loss(x, y, reduction=kind)

    def smooth_l1_loss(x: Any, y: Any, rest: Any, kind: str) -> Any:
        return _functional().smooth_l1_loss(x, y, reduction=kind, beta=rest[0] if rest else 1.0)

    def huber_loss(x: Any, y: Any, rest: Any, kind: str) -> Any:
        return _functional().huber_loss(x, y, reduction=kind, delta=rest[0] if rest else 1.0)

    for loss in (binary_cross_entropy, binary_cross_entropy_with_logits, mse_loss,
                 smooth_l1_loss, huber_loss):  # fmt: skip
        KERNELS[loss.__name__] = _loss_number(loss)


_define_losses()


# ---- networks ------------------------------------------------------------------------------------


@kernel
def convolution_backward(
    grad_output: Any, x: Any, weight: Any, bias_sizes: Any, stride: Any, padding: Any,
    dilation: Any, transposed: bool, output_padding: Any, groups: int, output_mask: Any,
) -> Any:  # fmt: skip
    named = {"stride": tuple(stride), "padding": tuple(padding), "dilation": tuple(dilation)}
    found: list[Any] = [None, None, None]
    if transposed:
        if output_mask[0]:
            made = P.convolution_no_bias(grad_output, weight, **named, groups=groups)
            found[0] = made[(..., *(slice(0, n) for n in x.shape[2:]))]
        if output_mask[1]:
            found[1] = P.conv_weight(
                grad_output, x, kernel=tuple(weight.shape), **named, groups=groups
            )
    else:
        if output_mask[0]:
            found[0] = P.conv_input(
                grad_output, weight, spatial=tuple(x.shape[2:]), **named, groups=groups
            )
        if output_mask[1]:
            found[1] = P.conv_weight(
                x, grad_output, kernel=tuple(weight.shape), **named, groups=groups
            )
    if output_mask[2]:
        axes = (0, *range(2, grad_output.ndim))
        found[2] = P.reduce_sum(grad_output, axis=axes, keepdims=False)
    return tuple(found)


def _norm_statistics(x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    package = _package()
    variance, mean = package.var_mean(x, axes, correction=0, keepdim=True)
    return mean, package.rsqrt(variance + eps)


@kernel
def native_layer_norm(x: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    out = _functional().layer_norm(x, list(normalized_shape), weight, bias, eps)
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    return (out, *_norm_statistics(x, axes, eps))


@kernel
def native_layer_norm_backward(
    grad_out: Any, x: Any, normalized_shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any,
    output_mask: Any,
) -> Any:  # fmt: skip
    package = _package()
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    lead = tuple(range(x.ndim - len(normalized_shape)))
    normal = (x - mean) * rstd
    found: list[Any] = [None, None, None]
    if output_mask[0]:
        inner = grad_out if weight is None else grad_out * weight
        centred = inner - inner.mean(axes, keepdim=True)
        found[0] = rstd * (centred - normal * (inner * normal).mean(axes, keepdim=True))
    if output_mask[1]:
        found[1] = package.sum(grad_out * normal, lead) if lead else grad_out * normal
    if output_mask[2]:
        found[2] = package.sum(grad_out, lead) if lead else grad_out.clone()
    return tuple(found)


@kernel
def native_group_norm(
    x: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> Any:
    out = _functional().group_norm(x, group, weight, bias, eps)
    rows = x.reshape(N, group, -1)
    mean, rstd = _norm_statistics(rows, (2,), eps)
    return out, mean.reshape(N, group), rstd.reshape(N, group)


@kernel
def native_group_norm_backward(
    grad_out: Any, x: Any, mean: Any, rstd: Any, weight: Any, N: int, C: int, HxW: int,
    group: int, output_mask: Any,
) -> Any:  # fmt: skip
    rows = (N, group, C // group * HxW)
    shape = (1, C, *(1,) * (x.ndim - 2))
    normal = (x.reshape(rows) - mean.reshape(N, group, 1)) * rstd.reshape(N, group, 1)
    wide = normal.reshape(x.shape)
    others = (0, *range(2, x.ndim))
    found: list[Any] = [None, None, None]
    if output_mask[0]:
        inner = grad_out if weight is None else grad_out * weight.reshape(shape)
        inner = inner.reshape(rows)
        centred = inner - inner.mean(2, keepdim=True)
        made = rstd.reshape(N, group, 1) * (centred - normal * (inner * normal).mean(2, True))
        found[0] = made.reshape(x.shape)
    if output_mask[1]:
        found[1] = (grad_out * wide).sum(others)
    if output_mask[2]:
        found[2] = grad_out.sum(others)
    return tuple(found)


@kernel
def max_pool2d_with_indices_backward(
    grad_output: Any, self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, indices: Any,
) -> Any:  # fmt: skip
    flat = self.new_zeros((*self.shape[:-2], self.shape[-2] * self.shape[-1]))
    lines = (*self.shape[:-2], -1)
    made = flat.scatter_add(-1, indices.reshape(lines), grad_output.reshape(lines))
    return made.reshape(self.shape)


@kernel
def max_pool3d_with_indices(self: Any, *args: Any, **kwargs: Any) -> Any:
    return _functional().max_pool3d(self, *args, **kwargs, return_indices=True)


@kernel
def avg_pool2d_backward(
    grad_output: Any, self: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    count_include_pad: bool, divisor_override: Any,
) -> Any:  # fmt: skip
    kernel_size = _pair(kernel_size)
    return _one(
        "avg_pool2d", grad_output, x_shape=tuple(self.shape), kernel=kernel_size,
        stride=_pair(stride) if stride else kernel_size, padding=_pair(padding), ceil=ceil_mode,
        include_pad=count_include_pad, divisor=divisor_override or 0,
    )  # fmt: skip


def _pair(value: Any) -> tuple[int, ...]:
    value = (value,) if isinstance(value, int) else tuple(value)
    return value * 2 if len(value) == 1 else value


@kernel
def embedding_dense_backward(
    grad_output: Any, indices: Any, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    return P.embedding_sum(
        grad_output, indices, rows=num_weights, padding=padding_idx, by_count=scale_grad_by_freq
    )
