"""Functions that PyTorch's package has next to those of nn.functional, their arguments in an order
of their own: torch.embedding(weight, indices), torch.alpha_dropout_(input, p, train), ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd import refusal
from ..api import public
from .common import P, axes_of
from .nn_linear import embedding as look_up
from .nn_loss import binary_cross_entropy_with_logits as cross_entropy_of_logits
from .nn_norm import layer_norm
from .nn_pool import max_pool1d
from .random_functions import alpha_dropout, feature_alpha_dropout, feature_dropout
from .reductions import refuse_complex, refuse_empty
from .vector_norms import vector_norm_of

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor

_REDUCTIONS = ("none", "mean", "sum")


@public("embedding", method=False, out=False)
def package_embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of `weight` at `indices`."""
    padding = None if padding_idx < 0 else padding_idx
    return look_up(indices, weight, padding, None, 2.0, scale_grad_by_freq, sparse)


@public("binary_cross_entropy_with_logits", method=False, out=False)
def package_cross_entropy_of_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    """Cross entropy of sigmoid(input) and targets; reduction is 0 (none), 1 (mean) or 2 (sum)."""
    if reduction not in (0, 1, 2):
        raise refusal.runtime(f"reduction must be 0, 1 or 2, got {reduction}")
    words = _REDUCTIONS[reduction]
    return cross_entropy_of_logits(
        input, target, weight, reduction=words, pos_weight=pos_weight
    )  # fmt: skip


@public("layer_norm", method=False, out=False)
def package_layer_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None = None,
    bias: Tensor | None = None, eps: float = 1e-5, cudnn_enable: bool = True,
) -> Tensor:  # fmt: skip
    """The last dimensions of each example to mean 0 and variance 1, times weight plus bias."""
    return layer_norm(input, normalized_shape, weight, bias, eps)


@public(method=False, out=False)
def max_pool1d_with_indices(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0,
    dilation: Ints = 1, ceil_mode: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The largest element of each window, and where it is."""
    stride = None if isinstance(stride, tuple | list) and not stride else stride
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public(method=False, out=False)
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Alpha dropout in place."""
    return alpha_dropout(input, p, train, inplace=True)


@public(method=False, out=False)
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Alpha dropout of whole channels, in place."""
    return feature_alpha_dropout(input, p, train, inplace=True)


@public(method=False, out=False)
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout of whole channels, in place."""
    return input.copy_(feature_dropout(input.clone(), p, train))


@public(method=False, out=False)
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but `dim` (-1: over all), whose length is kept.

    >>> import chainrule as torch
    >>> torch.norm_except_dim(torch.tensor([[3., 4.], [6., 8.]]))
    tensor([[ 5.],
            [10.]])
    """
    if dim == -1:
        return vector_norm_of(v, float(pow), None, False)
    if dim not in (0, v.ndim - 1):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    rest = [d for d in range(v.ndim) if d != dim]
    return vector_norm_of(v, float(pow), rest, True)


@public()
def hash_tensor(input: Tensor, dim: Ints = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The bits of all elements over `dim`, combined by exclusive or: equal tensors hash equally.

    >>> import chainrule as torch
    >>> torch.hash_tensor(torch.tensor([1, 2, 4]))
    tensor(7, dtype=torch.uint64)
    """
    if mode != 0:
        raise refusal.runtime(f"Unknown hash_tensor mode: {mode}")
    refuse_complex(input, "xor_sum_cpu")
    over = None if isinstance(dim, tuple | list) and not dim else dim
    refuse_empty(input, "hash_tensor", over)
    return P.hash_tensor(input, axis=axes_of(over, input.ndim), keepdims=keepdim)
