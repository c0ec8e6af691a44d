"""nn.functional.linear_cross_entropy: the head of a classifier and its loss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ..api import public
from .nn_class_loss import cross_entropy
from .nn_linear import linear

if TYPE_CHECKING:
    from ..annotations import Tensor


def _check(x: Any, weight: Any, bias: Any) -> None:
    shape = tuple(weight.shape)
    problem = None
    if len(shape) < 2:
        problem = f"expected linear_weight with dimensionality at least 2, got {len(shape)}"
    elif x.ndim not in (1, 2):
        problem = f"expected input with dimensionality 1 or 2, got {x.ndim}"
    elif x.shape[-1] != shape[-1]:
        problem = (
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{x.shape[-1]} and {shape[-1]}, respectively"
        )
    elif len(shape) > 2 and x.ndim == 1:
        problem = (
            f"K-dimensional loss defined by linear_weight shape {shape} requires batched input, "
            f"(N, {shape[-1]}), got unbatched input with shape {tuple(x.shape)}"
        )
    elif bias is not None and tuple(bias.shape) != shape[:-1]:
        problem = f"expected linear_bias shape {shape[:-1]}, got {tuple(bias.shape)}"
    if problem is not None:
        raise refusal.runtime(f"{problem}", "linear_cross_entropy")


@public(namespace="nn.functional", out=False)
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: object = None,
) -> Tensor:
    """cross_entropy of linear(input, linear_weight, linear_bias).

    A weight (classes, d1, ..., in_features) gives scores (batch, classes, d1, ...). `options` say
    how PyTorch cuts the batch to save memory; the result does not depend on them.

    >>> import chainrule as torch
    >>> x, w = torch.ones(2, 3), torch.zeros(4, 3)
    >>> torch.nn.functional.linear_cross_entropy(x, w, torch.tensor([0, 3]))
    tensor(1.3863)
    """
    _check(input, linear_weight, linear_bias)
    *sizes, features = linear_weight.shape
    flat = linear_weight.reshape(math.prod(sizes), features)
    scores = linear(input, flat, None if linear_bias is None else linear_bias.reshape(-1))
    if len(sizes) > 1:
        scores = scores.reshape(input.shape[0], *sizes)
    if ignore_index is None:
        ignore_index = -100
    elif tuple(target.shape) == tuple(scores.shape):
        raise refusal.runtime(
            "ignore_index cannot be specified when target contains probabilities",
            f"got ignore_index={ignore_index}",
        )
    return cross_entropy(
        scores, target, weight, ignore_index=ignore_index, reduction=reduction,
        label_smoothing=label_smoothing,
    )  # fmt: skip
