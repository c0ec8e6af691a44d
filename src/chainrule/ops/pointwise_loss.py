"""Losses per element of a prediction and a target, then reduced ("none", "sum", "mean")."""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Plain
from .errors import Refusal
from .halves import wide
from .kernels import fast
from .result_types import loss_of_pairs
from .row_formulas import COLUMNS, NUMBER, RowFormula
from .schema import TABLE, helper, op
from .sums import summed
from .worlds import ARRAYS

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def reduce_array(loss, reduction, dtype):
    """A loss per element summed or averaged, in the given type."""
    if reduction == "none":
        return loss.astype(dtype, copy=False)
    total = summed(loss, tuple(range(loss.ndim)))
    return np.asarray(total / loss.size if reduction == "mean" else total, dtype)


@helper
def reduced_loss(loss, reduction):
    """A loss per element, summed or averaged."""
    axes = tuple(range(len(loss.shape)))
    if reduction == "none":
        return loss
    if reduction == "sum":
        return reduce_sum(loss, axis=axes, keepdims=False)
    return reduce_mean(loss, axis=axes, keepdims=False)


@helper
def reduced_gradient(g, shape, reduction):
    """The gradient of each element's loss, as something that broadcasts to `shape`."""
    if reduction == "mean":
        return g / max(1, size_of(shape))
    return g


@helper
def size_of(shape):
    """The number of elements of a shape."""
    n = 1
    for d in shape:
        n *= d
    return n


def _by_kernel(part, reduction, *arrays):
    """A loss or its gradient by the kernel of its formula; None where there is none."""
    if reduction == "none" or not arrays[-1].size:
        return None
    return getattr(fast, f"{reduction}_{part}")(*arrays)


def _by_rule(name, *arguments):
    """The gradient by x as the rule says, on arrays."""
    return ARRAYS.bind(TABLE[name].vjps["x"])(*arguments)


def _reduced_kernels(name, **fixed):
    """Kernels of a loss of x and y, summed or averaged, and of its gradient by x."""
    for reduction in ("mean", "sum"):
        arrays = {"x": COLUMNS, "y": COLUMNS}
        RowFormula(name, arrays, reduction=reduction, **fixed)
        RowFormula(name, {"g": NUMBER, **arrays}, gradient="x", reduction=reduction, **fixed)


def _mse_gradient(g, x, y, reduction):
    """The gradient by x; g is one number unless nothing is reduced."""
    done = _by_kernel("mse_loss_gradient", reduction, g, x, y)
    return _by_rule("mse_loss", g, x, y, reduction) if done is None else done


def _mse_target_gradient(g, x, y, reduction):
    return _mse_gradient(g, y, x, reduction)


def _mse_in_ops(x, y, *, reduction):
    d = x - y
    return reduced_loss(d * d, reduction)


@op(
    vjp={
        "x": lambda g, x, y, reduction: (x - y) * (2 * reduced_gradient(g, x.shape, reduction)),
        "y": lambda g, x, y, reduction: (y - x) * (2 * reduced_gradient(g, x.shape, reduction)),
    },
    arrays={"x": _mse_gradient, "y": _mse_target_gradient},
    jvp=lambda t_x, t_y, x, y, reduction: reduced_loss(2 * (x - y) * (t_x - t_y), reduction),
    batch=Plain(_mse_in_ops),
    lower=ir.compose(_mse_in_ops),
    types=loss_of_pairs,
)
def mse_loss(x, y, *, reduction):
    """The squared difference."""
    done = _by_kernel("mse_loss", reduction, x, y)
    if done is not None:
        return done
    loss = ARRAYS.bind(_mse_in_ops)(wide(x), wide(y), reduction=reduction)
    return loss.astype(x.dtype, copy=False)


_reduced_kernels("mse_loss")


@helper
def smooth_l1_elements(d, beta):
    """d squared over 2 beta near 0, |d| - beta / 2 beyond beta."""
    size = where(d < 0, -d, d)
    return where(size < beta, 0.5 * d * d / beta, size - 0.5 * beta) if beta else size


@helper
def smooth_l1_slope(d, beta):
    """The derivative of smooth_l1_elements; 0 at 0 also for beta = 0."""
    side = where(d > 0, 1.0, where(d < 0, -1.0, 0.0 * d))
    if not beta:
        return side
    return where((d > -beta) & (d < beta), d / beta, side)


@helper
def huber_elements(d, delta):
    """d squared / 2 near 0, delta * (|d| - delta / 2) beyond delta."""
    size = where(d < 0, -d, d)
    return where(size < delta, 0.5 * d * d, delta * (size - 0.5 * delta))


@helper
def huber_slope(d, delta):
    """The derivative of huber_elements."""
    return where(d >= delta, delta, where(d <= -delta, -delta, d))


def _smooth_l1_in_ops(x, y, *, reduction, beta):
    return reduced_loss(smooth_l1_elements(x - y, beta), reduction)


@op(
    vjp={
        "x": lambda g, x, y, reduction, beta: (
            smooth_l1_slope(x - y, beta) * reduced_gradient(g, x.shape, reduction)
        ),
        "y": lambda g, x, y, reduction, beta: (
            smooth_l1_slope(y - x, beta) * reduced_gradient(g, x.shape, reduction)
        ),
    },
    jvp=lambda t_x, t_y, x, y, reduction, beta: reduced_loss(
        smooth_l1_slope(x - y, beta) * (t_x - t_y), reduction
    ),
    batch=Plain(_smooth_l1_in_ops),
    node="SmoothL1LossBackward0",
    lower=ir.compose(_smooth_l1_in_ops),
)
def smooth_l1_loss(x, y, *, reduction, beta):
    """The squared difference near 0, the absolute one beyond beta."""
    d = np.abs(wide(x) - wide(y))
    loss = np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta) if beta else d
    return reduce_array(loss, reduction, x.dtype)


def _huber_in_ops(x, y, *, reduction, delta):
    return reduced_loss(huber_elements(x - y, delta), reduction)


@op(
    vjp={
        "x": lambda g, x, y, reduction, delta: (
            huber_slope(x - y, delta) * reduced_gradient(g, x.shape, reduction)
        ),
        "y": lambda g, x, y, reduction, delta: (
            huber_slope(y - x, delta) * reduced_gradient(g, x.shape, reduction)
        ),
    },
    jvp=lambda t_x, t_y, x, y, reduction, delta: reduced_loss(
        huber_slope(x - y, delta) * (t_x - t_y), reduction
    ),
    batch=Plain(_huber_in_ops),
    lower=ir.compose(_huber_in_ops),
)
def huber_loss(x, y, *, reduction, delta):
    """Half the squared difference near 0, delta times the absolute one beyond delta."""
    d = np.abs(wide(x) - wide(y))
    loss = np.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta))
    return reduce_array(loss, reduction, x.dtype)


# ---- two classes ---------------------------------------------------------------------------------


@helper
def floored_log(x):
    """log(x), not below -100: a wrong certainty costs much, not infinity."""
    y = log(x)
    return where(y < -100, -100.0, y)


def _bce_in_ops(x, y, w, *, reduction, weighted):
    loss = -(y * floored_log(x) + (1 - y) * floored_log(1 - x))
    return reduced_loss(loss * w if weighted else loss, reduction)


@helper
def bce_slope(x, y, w, weighted):
    """The derivative of binary cross entropy by the probability, at most 1e12 large."""
    room = (1 - x) * x
    slope = (x - y) / where(room < 1e-12, 1e-12, room)
    return slope * w if weighted else slope


@helper
def bce_target_slope(x, w, weighted):
    """The derivative of binary cross entropy by the target."""
    slope = log(1 - x) - log(x)
    return slope * w if weighted else slope


def _check_probabilities(name, values, fix):
    if ((values >= 0) & (values <= 1)).all():
        return
    wrong = values[~((values >= 0) & (values <= 1))]
    raise Refusal(
        f"all elements of {name} should be between 0 and 1\n  binary_cross_entropy takes "
        f"probabilities; {wrong.size} of {values.size} values are outside, such as {wrong[0]:.6g} "
        f"(smallest {values.min():.6g}, largest {values.max():.6g}).",
        fix,
    )


@op(
    vjp={
        "x": lambda g, x, y, w, reduction, weighted: (
            bce_slope(x, y, w, weighted) * reduced_gradient(g, x.shape, reduction)
        ),
        "y": lambda g, x, w, reduction, weighted: (
            bce_target_slope(x, w, weighted) * reduced_gradient(g, x.shape, reduction)
        ),
    },
    jvp={
        "x": lambda t, x, y, w, reduction, weighted: reduced_loss(
            bce_slope(x, y, w, weighted) * t, reduction
        ),
        "y": lambda t, x, w, reduction, weighted: reduced_loss(
            bce_target_slope(x, w, weighted) * t, reduction
        ),
    },
    nondiff=("w",),
    batch=Plain(_bce_in_ops),
    node="BinaryCrossEntropyBackward0",
    lower=ir.compose(_bce_in_ops),
)
def binary_cross_entropy(x, y, w, *, reduction, weighted):
    """Cross entropy of probabilities x and targets y."""
    p, goal = wide(x), wide(y)
    sigmoid = "apply sigmoid first, or use binary_cross_entropy_with_logits."
    _check_probabilities("input", p, sigmoid)
    _check_probabilities("target", goal, "divide labels by their largest value, or clamp them.")
    loss = (goal - 1) * np.maximum(np.log1p(-p), -100) - goal * np.maximum(np.log(p), -100)
    return reduce_array(loss * wide(w) if weighted else loss, reduction, x.dtype)


@helper
def bce_logits_elements(x, y, w, p, weighted, positive):
    """Per element, without overflow; p weighs the positive class."""
    soft = -logsigmoid(x)
    loss = (1 - y) * x + (((p - 1) * y + 1) * soft if positive else soft)
    return loss * w if weighted else loss


def _bce_logits_in_ops(x, y, w, p, *, reduction, weighted, positive):
    return reduced_loss(bce_logits_elements(x, y, w, p, weighted, positive), reduction)


@helper
def bce_logits_slope(x, y, w, p, weighted, positive):
    """The derivative by the logit: sigmoid(x) - y when nothing is weighted."""
    if positive:
        slope = (1 - y) - ((p - 1) * y + 1) * sigmoid(-x)
    else:
        slope = sigmoid(x) - y
    return slope * w if weighted else slope


@helper
def bce_logits_target_slope(x, w, p, weighted, positive):
    """The derivative by the target."""
    slope = -x
    if positive:
        slope = slope - (p - 1) * logsigmoid(x)
    return slope * w if weighted else slope


def _bce_logits_gradient(g, x, y, w, p, reduction, weighted, positive):
    """The gradient by the logits."""
    plain = not weighted and not positive
    done = _by_kernel("bce_with_logits_gradient", reduction, g, x, y) if plain else None
    if done is not None:
        return done
    return _by_rule("bce_with_logits", g, x, y, w, p, reduction, weighted, positive)


@op(
    vjp={
        "x": lambda g, x, y, w, p, reduction, weighted, positive: (
            bce_logits_slope(x, y, w, p, weighted, positive)
            * reduced_gradient(g, x.shape, reduction)
        ),
        "y": lambda g, x, w, p, reduction, weighted, positive: (
            bce_logits_target_slope(x, w, p, weighted, positive)
            * reduced_gradient(g, x.shape, reduction)
        ),
    },
    jvp={
        "x": lambda t, x, y, w, p, reduction, weighted, positive: reduced_loss(
            bce_logits_slope(x, y, w, p, weighted, positive) * t, reduction
        ),
        "y": lambda t, x, w, p, reduction, weighted, positive: reduced_loss(
            bce_logits_target_slope(x, w, p, weighted, positive) * t, reduction
        ),
    },
    arrays={"x": _bce_logits_gradient},
    nondiff=("w", "p"),
    batch=Plain(_bce_logits_in_ops),
    node="BinaryCrossEntropyWithLogitsBackward0",
    lower=ir.compose(_bce_logits_in_ops),
    aten=("binary_cross_entropy_with_logits",),
    types=loss_of_pairs,
)
def bce_with_logits(x, y, w, p, *, reduction, weighted, positive):
    """Cross entropy of sigmoid(x) and targets y, stable for any logits."""
    done = None if weighted or positive else _by_kernel("bce_with_logits", reduction, x, y)
    if done is not None:
        return done
    form = ARRAYS.bind(_bce_logits_in_ops)
    logits, goal, w, p = map(wide, (x, y, w, p))
    loss = form(logits, goal, w, p, reduction=reduction, weighted=weighted, positive=positive)
    return loss.astype(x.dtype, copy=False)


_reduced_kernels("bce_with_logits", w=None, p=None, weighted=False, positive=False)
