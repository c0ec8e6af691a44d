"""nn.functional: losses of predictions compared element by element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.expected import expect_within
from ...autograd.value import PLAIN, bottom
from ...ops import dtypes
from ..api import public
from ..legacy import WORDS
from ..overriding import awaken, call_as_given, public_function
from .common import P
from .nn_common import (
    check_reduction,
    check_tensors,
    named,
    reduced,
    reduction_of,
    same_size,
    stand_in,
)

if TYPE_CHECKING:
    from ..annotations import Tensor


def _compared(op: Any, input: Any, target: Any, reduction: str, **params: Any) -> Any:
    """An op on prediction and target of one shape and type."""
    input, target = same_size(input, target)
    if input.dtype is not target.dtype:
        both = dtypes.promote_types(input.dtype, target.dtype)
        input, target = input.to(both), target.to(both)
    if input.dtype.category != dtypes.FLOAT:
        raise refusal.not_implemented(
            f"the loss is not implemented for '{input.dtype!r}'",
            fix="convert input or target, e.g. x.float().",
        )
    return op(input, target, reduction=reduction, **params)


def _as_given(loss: Any, given: Any, fix: str = "input.to(target.dtype)") -> Any:
    """A loss in the type of one of its arguments, as PyTorch has it for some."""
    if loss.dtype is given.dtype:
        return loss
    if given.dtype.category < loss.dtype.category:
        raise refusal.runtime(
            f"result type {WORDS[loss.dtype.name]} can't be cast to the desired output type "
            f"{WORDS[given.dtype.name]}",
            fix=f"{fix}.",
        )
    return loss.to(given.dtype)


def _weighted(loss: Any, weight: Any, reduction: str, input: Any) -> Any:
    """A weighted loss per element; the mean is over the weights."""
    if tuple(weight.shape) != tuple(input.shape):
        raise refusal.value(
            f"Inputs and weight must have the same size: {list(input.shape)} and "
            f"{list(weight.shape)}"
        )
    loss = loss * weight
    if reduction == "mean":
        return loss.sum() / weight.sum()
    return loss.sum() if reduction == "sum" else loss


@public(namespace="nn.functional", out=False, autocast="float32")
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean squared difference."""
    try:
        if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
            check_tensors("mse_loss", input, target)
        reduction = reduction_of(size_average, reduce, reduction)
        if weight is not None:
            return _weighted(_compared(P.mse_loss, input, target, "none"), weight, reduction, input)
        return _compared(P.mse_loss, input, target, reduction)
    except PROBLEMS as problem:
        if awaken((input, target, weight)):
            return call_as_given(public_function("nn.functional.mse_loss"), locals())
        explain_here(problem)
        raise


@public(namespace="nn.functional", out=False, autocast="float32")
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean absolute difference."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("l1_loss", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = same_size(input, target)
    loss = (input - target).abs()
    if weight is not None:
        return _weighted(loss, weight, reduction, input)
    return reduced(loss, reduction)


@public(namespace="nn.functional", out=False, autocast="float32")
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """Squared near 0, absolute beyond beta."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("smooth_l1_loss", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if beta < 0:
        raise refusal.runtime(
            f"smooth_l1_loss does not support negative values for beta, got {beta}"
        )
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return _compared(P.smooth_l1_loss, input, target, reduction, beta=float(beta))


@public(namespace="nn.functional", out=False, autocast="float32")
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Half the square near 0, delta times the absolute difference beyond delta."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("huber_loss", input, target)
    check_reduction(reduction)
    if delta <= 0:
        raise refusal.runtime(
            f"huber_loss does not support non-positive values for delta, got {delta}"
        )
    if weight is not None:
        loss = _compared(P.huber_loss, input, target, "none", delta=float(delta))
        each = _weighted(_as_given(loss, input), weight, "none", input)
        return each if reduction == "none" else each.sum() if reduction == "sum" else each.mean()
    loss = _compared(P.huber_loss, input, target, reduction, delta=float(delta))
    return _as_given(loss, input)


@public(namespace="nn.functional", out=False, autocast="float32")
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Cross entropy of probabilities and targets between 0 and 1."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("binary_cross_entropy", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise refusal.value(
            f"Using a target size ({target.shape!r}) that is different to the input size "
            f"({input.shape!r}) is deprecated. Please ensure they have the same size.",
            fix="give both one shape, e.g. with .squeeze(-1) or .view_as(input).",
        )
    if target.dtype is not input.dtype:
        raise refusal.runtime(
            f"Found dtype {target.dtype!r} but expected {input.dtype!r}",
            fix="target.to(input.dtype).",
        )
    w = stand_in(input) if weight is None else weight.detach().expand(input.shape)
    loss = P.binary_cross_entropy(
        input, target, w, reduction=reduction, weighted=weight is not None
    )
    for given in (input, target):
        expect_within(bottom(given), 0.0, 1.0)
    return loss


@public(namespace="nn.functional", out=False, autocast="float32")
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Cross entropy of sigmoid(input) and targets, stable for any logits."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("binary_cross_entropy_with_logits", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if target.shape != input.shape:
        raise refusal.value(
            f"Target size ({target.shape!r}) must be the same as input size ({input.shape!r})",
            fix="give both one shape, e.g. with .squeeze(-1) or .view_as(input).",
        )
    if target.dtype is not input.dtype:
        if target.dtype is dtypes.bool_:
            raise refusal.runtime(
                "Subtraction, the `-` operator, with a bool tensor is not supported: the target "
                "is bool",
                fix="target.to(input.dtype).",
            )
        if target.dtype.is_complex:
            raise refusal.not_implemented(
                '"binary_cross_entropy_with_logits" not implemented for a complex target',
                fix="target.real.",
            )
    given = target
    if target.dtype is not input.dtype:
        both = dtypes.promote_types(input.dtype, target.dtype)
        input, target = input.to(both), target.to(both)
    shape = input.shape
    w = stand_in(input) if weight is None else weight.detach().to(input.dtype).expand(shape)
    p = stand_in(input) if pos_weight is None else pos_weight.detach().to(input.dtype).expand(shape)
    loss = P.bce_with_logits(
        input, target, w, p, reduction=reduction, weighted=weight is not None,
        positive=pos_weight is not None,
    )  # fmt: skip
    # The type is the target's: PyTorch computes it in the memory of `1 - target`.
    return loss if given is target else _as_given(loss, given, "target.to(input.dtype)")


@public(namespace="nn.functional", out=False, autocast="float32")
def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """Kullback-Leibler divergence of log-probabilities `input` from `target`."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("kl_div", input, target)
    if input.dtype.category < dtypes.FLOAT or target.dtype.category < dtypes.FLOAT:
        raise refusal.runtime(
            f"kl_div: Integral inputs not supported. They are {input.dtype!r} and {target.dtype!r}",
            fix="convert them with .float().",
        )
    if target.dtype.is_complex:
        raise refusal.runtime(
            f"kl_div: Complex inputs not supported. The target is {target.dtype!r}",
            fix="target.real.",
        )
    if reduction != "batchmean":
        reduction = reduction_of(size_average, reduce, reduction)
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = target.xlogy(target) - target * input
    if reduction == "batchmean":
        return loss.sum() / input.shape[0] if input.ndim else loss.sum()
    return reduced(loss, reduction)


@public(namespace="nn.functional", out=False, autocast="float32")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Negative log likelihood of counts under a Poisson rate (or its logarithm)."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("poisson_nll_loss", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if log_input:
        loss = input.exp() - target * input
    else:
        loss = input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        kind = loss.dtype
        loss = loss + P.where(target <= 1, 0.0, stirling)
        loss = loss if loss.dtype is kind else loss.to(kind)  # counts do not widen halves
    return reduced(loss, reduction)


@public(namespace="nn.functional", out=False)
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Negative log likelihood of targets under normal distributions."""
    check_reduction(reduction)
    if isinstance(var, float | int):
        if var < 0:
            raise refusal.value(f"var has negative entry/entries: {var}")
        var = input.new_full(tuple(input.shape), float(var))
    elif (known := bottom(var))._level is None and bool((known.detach() < 0).any()):
        raise refusal.value("var has negative entry/entries")
    if var.shape != input.shape:
        var = _variance_like(var, input)
    # The floor must not stop gradients below it: it is added, not applied with max.
    lifted = var + (var.detach().clamp(min=eps) - var.detach())
    loss = 0.5 * (lifted.log() + (input - target) ** 2 / lifted)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def _variance_like(var: Tensor, input: Tensor) -> Tensor:
    """One variance per example, or one per element, for input's shape."""
    s, v = tuple(input.shape), tuple(var.shape)
    if s[:-1] == v:
        return var.unsqueeze(-1)
    if len(v) == len(s) and all(b in (1, a) for a, b in zip(s, v, strict=True)):
        return var
    raise refusal.value(f"var is of incorrect size: {list(v)} for an input of {list(s)}")


@public(namespace="nn.functional", out=False, autocast="float32")
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target * input)) for targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if target.dtype is dtypes.bool_:
        raise refusal.runtime(
            "Negation, the `-` operator, on a bool tensor is not supported: targets are 1 and -1",
            "soft_margin_loss",
            fix="target.to(input.dtype) * 2 - 1.",
        )
    z = -(target * input)
    loss = (z.exp() + 1).log() if z.is_complex() else P.softplus(z, beta=1.0, threshold=1e30)
    loss = named(reduced(loss, reduction), "SoftMarginLossBackward0")
    return _as_given(loss, input)
