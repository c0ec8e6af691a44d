"""nn.functional: losses of class numbers and of predictions compared element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import dtype, ndarray

from ...autograd import refusal, source
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.expected import expect_within
from ...autograd.value import PLAIN, bottom
from ...ops import dtypes
from ...ops.loss import TargetOutOfBounds
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
from .reductions import not_real

INT64 = dtype("int64")

# ---- classes -------------------------------------------------------------------------------------

_INT64 = np.dtype("int64")


def _out_of_bounds(problem: TargetOutOfBounds) -> IndexError:
    n = problem.classes
    known = f"The classes are 0..{n - 1} (the scores have {n} of them)"
    return refusal.index(
        f"{problem}",
        f"{known if n else 'The scores have no classes'}",
        fix="correct the targets, give the last layer more outputs, or mark targets that do not "
        "count with ignore_index.",
    )


def _check_classes(x: Any, target: Any, weight: Any) -> None:
    """Shapes and types of scores and class numbers."""
    t: tuple[int, ...] = tuple(target.shape)
    s: tuple[int, ...] = tuple(x.shape)
    if len(s) > 1 and len(t) and s[0] != t[0]:
        _refuse_batch(s, t)
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise refusal.runtime(
            f"expected target dtype to be Long or Byte, but got {target.dtype!r}",
            fix="target.long() for class numbers; probabilities need the shape of the input, "
            f"{list(s)}.",
        )
    if len(s) == 0:
        raise refusal.value("Expected 1 or more dimensions (got 0)")
    if len(s) > 1 and len(t) == 0:
        _refuse_batch(s, t)
    _check_extent(s, t)
    classes = s[1] if len(s) > 1 else s[0]
    if not classes and math.prod(t):
        raise _out_of_bounds(TargetOutOfBounds(target.reshape(-1)[0].item(), 0))
    if weight is not None and tuple(weight.shape) != (classes,):
        raise refusal.runtime(
            f"weight tensor should be defined either for all {classes} classes or no classes but "
            f"got weight tensor of shape: {list(weight.shape)}"
        )
    if weight is not None and weight.dtype is not x.dtype:
        raise refusal.runtime(
            f"expected scalar type {WORDS[x.dtype.name]} but found {WORDS[weight.dtype.name]}",
            f"scores of {x.dtype!r}, class weights of {weight.dtype!r}",
        )


def _refuse_batch(s: tuple[int, ...], t: tuple[int, ...]) -> None:
    raise refusal.value(
        f"Expected input batch_size ({s[0]}) to match target batch_size ({t[0] if t else 0}).",
        f"input {list(s)}, target {list(t)}",
        fix="one target per row of scores; scores of sequences (batch, time, classes) need "
        ".flatten(0, 1), their targets .flatten().",
    )


def _check_extent(s: tuple[int, ...], t: tuple[int, ...]) -> None:
    if len(s) <= 2:
        if len(s) == len(t) == 1 and t[0] != 1:
            raise refusal.value(
                f"For 1D input, 1D target must have size 1, but got target size: {t[0]}"
            )
        if len(t) > 1:
            raise refusal.runtime(
                "0D or 1D target tensor expected, multi-target not supported",
                f"input {list(s)}, target {list(t)}",
                fix="pass class numbers, one per row; probabilities must have the input's shape.",
            )
        return
    if len(t) != len(s) - 1:
        raise refusal.runtime(
            f"only batches of spatial targets supported ({len(s) - 1}D tensors) but got targets "
            f"of dimension: {len(t)}",
            f"input {list(s)}, target {list(t)}",
        )
    if t[1:] != s[2:]:
        what = f"size mismatch (got input: {list(s)}, target: {list(t)})"
        if len(s) != 4:
            what = f"Expected target size {[s[0], *s[2:]]}, got {list(t)}"
        raise refusal.runtime(
            f"{what}",
            f"input {list(s)}",
            why="Scores are (batch, classes, ...) and class numbers (batch, ...).",
        )


@public(namespace="nn.functional", out=False, autocast="float32")
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Cross entropy of logits and class numbers (or class probabilities of the input's shape).

    >>> import chainrule as torch
    >>> logits = torch.tensor([[2.0, 0.0], [0.0, 10000.0]])
    >>> torch.nn.functional.cross_entropy(logits, torch.tensor([0, 1]))
    tensor(0.0635)
    """
    try:
        if target.__class__ not in PLAIN or input.__class__ not in PLAIN:
            check_tensors("cross_entropy_loss", input, target)
        elif weight is None and not label_smoothing:
            # The usual call, in few steps: rows of scores and one class number each.
            x, t = input._a, target._a
            if (
                reduction == "mean" and size_average is None and reduce is None and x.ndim == 2
                and t.__class__ is ndarray and t.ndim == 1 and t.dtype is INT64
                and x.shape[0] == t.shape[0] and x.size
            ):  # fmt: skip
                expect_within(target, 0, x.shape[1] - 1, ignore_index)
                try:
                    return P.cross_entropy(
                        input, target, axis=1, ignore=ignore_index, reduction="mean"
                    )
                except TargetOutOfBounds as problem:
                    raise _out_of_bounds(problem) from None
        if input.dtype.category != dtypes.FLOAT:
            raise not_real(input, "log_softmax")
        if (
            _usual(input, target)
            and weight is None
            and label_smoothing == 0.0
            and reduction == "mean"
        ):
            if size_average is None and reduce is None:
                return _of_classes(input, target, 1, ignore_index, reduction)
        if size_average is not None or reduce is not None:
            reduction = reduction_of(size_average, reduce, reduction)
        elif reduction != "mean":
            check_reduction(reduction)
        if label_smoothing:
            _check_smoothing(label_smoothing)
        n = input.ndim
        if reduction == "mean" and not input.numel() and not target.numel():
            _warn_of_no_rows(input, target)
        if (
            target.ndim == n
            and target.shape == input.shape
            and (n > 1 or target.dtype.category == 2 or (n == 1 and target.shape[0] > 1))
        ):
            return _soft_cross_entropy(
                input, target, weight, ignore_index, reduction, label_smoothing
            )
        _check_classes(input, target, weight)
        axis = 1 if n > 1 else 0
        if n == 1 and target.ndim:
            target = target.reshape(())
        if weight is not None or label_smoothing:
            return _weighted_cross_entropy(
                input, target, weight, ignore_index, reduction, label_smoothing, axis
            )
        return _of_classes(input, target, axis, ignore_index, reduction)
    except PROBLEMS as problem:
        if awaken((input, target, weight)):
            return call_as_given(public_function("nn.functional.cross_entropy"), locals())
        explain_here(problem)
        raise


def _warn_of_no_rows(input: Any, target: Any) -> None:
    source.warn_user(
        f"cross_entropy of an empty batch is nan: input {list(input.shape)}, target "
        f"{list(target.shape)}. A mean over no rows is 0/0, and its gradient spoils all "
        "parameters. Fix: skip empty batches, or use reduction='sum'."
    )


def _usual(input: Any, target: Any) -> bool:
    """Plain scores (batch, classes) and int64 class numbers (batch): nothing more to check."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        return False
    x, t = input._a, target._a
    return x.ndim == 2 and t.ndim == 1 and t.dtype is _INT64 and len(x) == len(t) and x.size > 0


def _of_classes(x: Any, target: Any, axis: int, ignore: int, reduction: str) -> Any:
    op = P.cross_entropy if x.ndim <= 2 else P.cross_entropy2d
    _expect_classes(x, target, axis, ignore)
    try:
        return op(x, target, axis=axis, ignore=ignore, reduction=reduction)
    except TargetOutOfBounds as problem:
        raise _out_of_bounds(problem) from None


def _expect_classes(x: Any, target: Any, axis: int, ignore: int) -> None:
    expect_within(bottom(target), 0, x.shape[axis] - 1, ignore)


def _check_smoothing(smoothing: float) -> None:
    if not 0.0 <= smoothing <= 1.0:
        raise refusal.runtime(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing}")


def _soft_cross_entropy(
    x: Any, target: Any, weight: Any, ignore: int, reduction: str, smoothing: float
) -> Any:
    """Targets are probabilities of every class."""
    _check_smoothing(smoothing)
    if target.dtype.category != dtypes.FLOAT:
        raise refusal.runtime(
            "Expected floating point type for target with class probabilities, got "
            f"{target.dtype!r}",
            f"A target of the input's shape {list(x.shape)} holds probabilities",
            fix="target.float(), or class numbers without the class dimension.",
        )
    if ignore >= 0:
        raise refusal.runtime("ignore_index is not supported for floating point target")
    axis = 1 if x.ndim > 1 else 0
    classes = x.shape[axis]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    terms = P.log_softmax(x, axis=axis) * target
    if weight is not None:
        terms = terms * weight.reshape((-1,) + (1,) * (x.ndim - axis - 1))
    if reduction == "none":
        return -terms.sum(axis)
    total = -terms.sum()
    rows = x.numel() // classes if classes else 0
    if reduction == "mean":
        return named(total / rows, "DivBackward1")
    return total


def _weighted_cross_entropy(
    x: Any, target: Any, weight: Any, ignore: int, reduction: str, smoothing: float, axis: int
) -> Any:
    _check_smoothing(smoothing)
    log_probs = P.log_softmax(x, axis=axis)
    nll = _nll(log_probs, target, weight, ignore, reduction, axis)
    if not smoothing:
        return nll
    spread = -log_probs
    if weight is not None:
        spread = spread * weight.reshape((-1,) + (1,) * (x.ndim - axis - 1))
    counts = target != ignore
    spread = P.where(counts, spread.sum(axis), 0.0)
    if reduction == "sum":
        spread = spread.sum()
    elif reduction == "mean":
        if weight is None:
            share = P.cast(counts, dtype=x.dtype.np)
        else:
            share = P.where(counts, weight[P.where(counts, target, 0)], 0.0)
        spread = spread.sum() / share.sum()
    return nll * (1 - smoothing) + spread * (smoothing / x.shape[axis])


def _nll(x: Any, target: Any, weight: Any, ignore: int, reduction: str, axis: int) -> Any:
    op = P.nll_loss if x.ndim <= 2 else P.nll_loss2d
    w = stand_in(x) if weight is None else weight.detach()
    _expect_classes(x, target, axis, ignore)
    try:
        return op(
            x, target, w, axis=axis, ignore=ignore, reduction=reduction,
            weighted=weight is not None,
        )  # fmt: skip
    except TargetOutOfBounds as problem:
        raise _out_of_bounds(problem) from None


@public(namespace="nn.functional", out=False, autocast="float32")
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Minus the log-probability of each target class."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("nll_loss", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    _check_classes(input, target, weight)
    if input.ndim == 1 and target.ndim:
        target = target.reshape(())
    return _nll(input, target, weight, ignore_index, reduction, 1 if input.ndim > 1 else 0)


# ---- element by element --------------------------------------------------------------------------


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
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:  # fmt: skip
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
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", weight: Any = None,
) -> Any:  # fmt: skip
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
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Any:  # fmt: skip
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
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
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
        return _weighted(_as_given(loss, input), weight, reduction, input)
    loss = _compared(P.huber_loss, input, target, reduction, delta=float(delta))
    return _as_given(loss, input)


@public(namespace="nn.functional", out=False, autocast="float32")
def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Any:  # fmt: skip
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
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", pos_weight: Any = None,
) -> Any:  # fmt: skip
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
    input: Any, target: Any, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", log_target: bool = False,
) -> Any:  # fmt: skip
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
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None,
    eps: float = 1e-8, reduce: Any = None, reduction: str = "mean",
) -> Any:  # fmt: skip
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
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:  # fmt: skip
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


def _variance_like(var: Any, input: Any) -> Any:
    """One variance per example, or one per element, for input's shape."""
    s, v = tuple(input.shape), tuple(var.shape)
    if s[:-1] == v:
        return var.unsqueeze(-1)
    if len(v) == len(s) and all(b in (1, a) for a, b in zip(s, v, strict=True)):
        return var
    raise refusal.value(f"var is of incorrect size: {list(v)} for an input of {list(s)}")


@public(namespace="nn.functional", out=False, autocast="float32")
def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
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
