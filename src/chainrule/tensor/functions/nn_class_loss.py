"""nn.functional: losses of class numbers and of class probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

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
    reduction_of,
    stand_in,
)
from .reductions import not_real

if TYPE_CHECKING:
    from ..annotations import Tensor

INT64 = dtype("int64")


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
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
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
        if size_average is not None or reduce is not None:
            reduction = reduction_of(size_average, reduce, reduction)
        return _cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    except PROBLEMS as problem:
        if awaken((input, target, weight)):
            return call_as_given(public_function("nn.functional.cross_entropy"), locals())
        explain_here(problem)
        raise


def _cross_entropy(
    input: Any, target: Any, weight: Any, ignore_index: int, reduction: str, smoothing: float
) -> Any:  # fmt: skip
    """Scores of any shape, with class numbers or probabilities, weights and smoothing."""
    if input.dtype.category != dtypes.FLOAT:
        raise not_real(input, "log_softmax")
    check_reduction(reduction)
    if smoothing:
        _check_smoothing(smoothing)
    n = input.ndim
    if reduction == "mean" and not input.numel() and not target.numel():
        _warn_of_no_rows(input, target)
    if (
        target.ndim == n
        and target.shape == input.shape
        and (n > 1 or target.dtype.category == 2 or (n == 1 and target.shape[0] > 1))
    ):
        return _soft_cross_entropy(input, target, weight, ignore_index, reduction, smoothing)
    _check_classes(input, target, weight)
    axis = 1 if n > 1 else 0
    if n == 1 and target.ndim:
        target = target.reshape(())
    if weight is not None or smoothing:
        return _weighted_cross_entropy(
            input, target, weight, ignore_index, reduction, smoothing, axis
        )
    return _of_classes(input, target, axis, ignore_index, reduction)


def _warn_of_no_rows(input: Any, target: Any) -> None:
    source.warn_user(
        f"cross_entropy of an empty batch is nan: input {list(input.shape)}, target "
        f"{list(target.shape)}. A mean over no rows is 0/0, and its gradient spoils all "
        "parameters. Fix: skip empty batches, or use reduction='sum'."
    )


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
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-probability of each target class."""
    if input.__class__ not in PLAIN or target.__class__ not in PLAIN:
        check_tensors("nll_loss", input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    _check_classes(input, target, weight)
    if input.ndim == 1 and target.ndim:
        target = target.reshape(())
    return _nll(input, target, weight, ignore_index, reduction, 1 if input.ndim > 1 else 0)
