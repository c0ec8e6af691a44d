"""Losses. Classes: cross entropy fused with its softmax (gradient softmax - one-hot) and nll.

`reduction` is "none", "sum" or "mean". Targets are class numbers along `axis`, the class axis
(0 for a single example, else 1); `ignore` is the number of a target that does not count.
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front, Plain
from .errors import need_real
from .halves import wide
from .kernels import fast
from .result_types import loss_of_classes
from .schema import helper, op
from .softmax import softmax

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_U64 = np.dtype(np.uint64)
_BLOCK = 1 << 16  # elements of a block of rows that stays in the cache
_THREADED = 1 << 15  # elements from which the rows are shared between threads


class TargetOutOfBounds(RuntimeError):
    """A class number outside 0..classes-1; the public functions say where and what to do."""

    def __init__(self, target, classes):
        super().__init__(f"Target {target} is out of bounds.")
        self.target = target
        self.classes = classes


# ---- class numbers on arrays ---------------------------------------------------------------------


def as_rows(x, axis):
    """x with its class axis last, as a matrix."""
    if x.ndim <= 2 and axis == x.ndim - 1:
        return x.reshape(-1, x.shape[axis])
    return np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])


def from_rows(rows, shape, axis):
    """The inverse of as_rows."""
    if len(shape) <= 2 and axis == len(shape) - 1:
        return rows.reshape(shape)
    moved = (*shape[:axis], *shape[axis + 1 :], shape[axis])
    return np.ascontiguousarray(np.moveaxis(rows.reshape(moved), -1, axis))


def checked_targets(target, classes, ignore):
    """(class numbers as a vector, None or which of them count)."""
    t = target if target.ndim == 1 else target.reshape(-1)
    if not t.size:
        return t, None
    if t.dtype.kind == "u":
        t = t.astype(np.int64)
    # As unsigned numbers negative ones are huge: one pass finds whether all are classes.
    if ignore < 0 and t.dtype.itemsize == 8 and np.maximum.reduce(t.view(_U64)) < classes:
        return t, None
    counts = t != ignore
    wrong = counts & ((t < 0) | (t >= classes))
    if wrong.any():
        raise TargetOutOfBounds(int(t[wrong][0]), classes)
    if counts.all():
        return t, None
    return np.where(counts, t, 0), counts


def cross_entropy_arrays(x, target, axis, ignore, reduction):
    """The loss of logits x at the target classes."""
    if axis == 1 and reduction == "mean" and x.size < _THREADED and not 0 <= ignore < x.shape[1]:
        # Targets that do not count or that are out of range are left to what follows.
        loss = fast.cross_entropy_mean(x, target)
        if loss is not None:
            return loss
    need_real(x, "log_softmax_lastdim_kernel_impl")
    rows = as_rows(wide(x), axis)
    n, classes = rows.shape
    t, counts = checked_targets(target, classes, ignore)
    loss = fast.cross_entropy_rows(rows, t)
    if loss is None:
        loss = _losses_by_numpy(rows, t)
    if counts is not None:
        loss = np.where(counts, loss, 0)
    if reduction == "none":
        return loss.reshape(target.shape).astype(x.dtype, copy=False)
    total = np.add.reduce(loss)
    if reduction == "mean":
        total = total / np.asarray(n if counts is None else np.count_nonzero(counts), loss.dtype)
    return np.asarray(total, x.dtype)


def _losses_by_numpy(rows, t):
    loss = np.empty(len(rows), rows.dtype)
    step = max(1, _BLOCK // max(1, rows.shape[1]))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        y = block - np.maximum.reduce(block, 1, keepdims=True)
        picked = y[np.arange(len(y)), t[start : start + step]]
        np.exp(y, out=y)
        np.subtract(np.log(np.add.reduce(y, 1)), picked, out=loss[start : start + step])
    return loss


def cross_entropy_gradient(g, x, target, axis, ignore, reduction):
    """softmax(x) minus one-hot, weighted by each row's share of the gradient."""
    if axis == 1 and reduction == "mean" and not 0 <= ignore < x.shape[1]:
        gx = fast.cross_entropy_mean_gradient(g, x, target)
        if gx is not None:
            return gx
    rows = as_rows(wide(x), axis)
    n, classes = rows.shape
    t, counts = checked_targets(target, classes, ignore)
    share = wide(g).reshape(-1, 1)
    if reduction == "mean" and n:
        share = share / np.asarray(n if counts is None else np.count_nonzero(counts), share.dtype)
    if counts is not None:
        share = np.where(counts[:, None], share, 0)
    out = softmax(rows, axis=1)
    out[np.arange(n), t] -= 1
    out *= share
    if counts is not None:
        out[~counts] = 0  # also where a logit is infinite
    return from_rows(out, x.shape, axis).astype(x.dtype, copy=False)


# ---- class numbers in ops ------------------------------------------------------------------------


@op(
    nondiff=("target",),
    batch=Front(axes=("axis",)),
    lower=ir.compose(lambda target, *, classes, axis: hits_along(target, classes, axis)),
)
def class_hits(target, *, classes, axis):
    """Whether a class is the target's, with the classes along a new axis."""
    shape = [1] * (target.ndim + 1)
    shape[axis] = classes
    return np.expand_dims(target, axis) == np.arange(classes).reshape(shape)


@helper
def lifted(x, axis):
    """x with a new dimension of length 1."""
    shape = tuple(x.shape)
    return reshape(x, shape=(*shape[:axis], 1, *shape[axis:]))


@helper
def counted_mean(loss, counts, reduction):
    """Sum of the losses, over the number of targets that count for "mean"."""
    axes = tuple(range(len(loss.shape)))
    if reduction == "none":
        return loss
    total = reduce_sum(loss, axis=axes, keepdims=False)
    if reduction == "sum":
        return total
    return total / reduce_sum(cast(counts, dtype=g_dtype(loss)), axis=axes, keepdims=False)


@helper
def cross_entropy_in_ops(x, target, *, axis, ignore, reduction):
    """cross_entropy, written in ops."""
    hits = class_hits(target, classes=x.shape[axis], axis=axis)
    picked = where(hits, log_softmax(x, axis=axis), 0.0)
    counts = target != ignore
    loss = where(counts, -reduce_sum(picked, axis=(axis,), keepdims=False), 0.0)
    return counted_mean(loss, counts, reduction)


@op(nondiff=("target",), batch="elementwise")
def known_classes(target, *, classes, ignore):
    """The targets themselves; refused when one is no class."""
    checked_targets(target, classes, ignore)
    return target


def _batched_cross_entropy(x, target, *, axis, ignore, reduction):
    target = known_classes(target, classes=x.shape[axis], ignore=ignore)
    return cross_entropy_in_ops(x, target, axis=axis, ignore=ignore, reduction=reduction)


def _checked_cross_entropy_in_ops(x, target, *, axis, ignore, reduction):
    target = checked_classes(target, x.shape[axis], ignore)
    return cross_entropy_in_ops(x, target, axis=axis, ignore=ignore, reduction=reduction)


@helper
def cross_entropy_gradient_in_ops(g, x, target, axis, ignore, reduction):
    """cross_entropy_gradient, written in ops."""
    hits = class_hits(target, classes=x.shape[axis], axis=axis)
    slope = softmax(x, axis=axis) - cast(hits, dtype=g_dtype(x))
    counts = target != ignore
    if reduction == "mean":
        every = tuple(range(len(target.shape)))
        g = g / reduce_sum(cast(counts, dtype=g_dtype(x)), axis=every, keepdims=False)
    if reduction == "none":
        g = lifted(g, axis)
    return where(lifted(counts, axis), slope * g, 0.0)


@helper
def cross_entropy_tangent(t, x, target, axis, ignore, reduction):
    """The tangent of cross entropy for a tangent t of the logits."""
    hits = class_hits(target, classes=x.shape[axis], axis=axis)
    slope = softmax(x, axis=axis) - cast(hits, dtype=g_dtype(x))
    counts = target != ignore
    rows = reduce_sum(slope * t, axis=(axis,), keepdims=False)
    return counted_mean(where(counts, rows, 0.0), counts, reduction)


def _array_rule(gradient):
    """A joint rule on arrays; the function comes through a closure, as it speaks NumPy."""

    def joint(g, mask, x, target, axis, ignore, reduction):
        return gradient(g, x, target, axis, ignore, reduction), None

    return joint


def _declare_cross_entropy(name, node):
    def forward(x, target, *, axis, ignore, reduction):
        """Cross entropy of logits and class numbers, stable for any logits."""
        return cross_entropy_arrays(x, target, axis, ignore, reduction)

    op(
        name=name, node=node, aten=("cross_entropy_loss",),
        joint=_array_rule(cross_entropy_gradient),
        plain_joint=lambda g, mask, x, target, axis, ignore, reduction: (
            cross_entropy_gradient_in_ops(g, x, target, axis, ignore, reduction), None),
        jvp={"x": lambda t, x, target, axis, ignore, reduction: cross_entropy_tangent(
            t, x, target, axis, ignore, reduction)},
        nondiff=("target",), batch=Plain(_batched_cross_entropy),
        lower=ir.compose(_checked_cross_entropy_in_ops), types=loss_of_classes,
    )(forward)  # fmt: skip


_declare_cross_entropy("cross_entropy", "NllLossBackward0")
_declare_cross_entropy("cross_entropy2d", "NllLoss2DBackward0")


# ---- negative log likelihood ---------------------------------------------------------------------


def nll_arrays(x, target, w, axis, ignore, reduction, weighted):
    """Minus the log-probabilities x at the targets, weighted by class."""
    if axis == 1 and not weighted and reduction != "none" and not 0 <= ignore < x.shape[1]:
        done = fast.picked_loss(x, target, len(target) if reduction == "mean" else 1.0)
        if done is not None and len(target):
            return done
    rows = as_rows(wide(x), axis)
    t, counts = checked_targets(target, rows.shape[1], ignore)
    share = wide(w)[t] if weighted else np.ones(len(t), rows.dtype)
    if counts is not None:
        share = np.where(counts, share, 0)
    picked = rows[np.arange(len(t)), t]
    loss = -np.where(share == 0, 0, picked) * share if counts is not None else -picked * share
    if reduction == "none":
        return loss.reshape(target.shape).astype(x.dtype, copy=False)
    total = np.add.reduce(loss)
    return np.asarray(total / np.add.reduce(share) if reduction == "mean" else total, x.dtype)


@op(nondiff=("target", "w"), batch="loop")
def class_shares(target, w, *, axis, classes, ignore, reduction, weighted):
    """Per target and class, minus the derivative of the loss by the log-probability there."""
    if axis == 1 and not weighted and not 0 <= ignore < classes and target.size:
        share = 1 / target.size if reduction == "mean" else 1.0
        done = fast.picked_shares(target, w, classes, share)
        if done is not None:
            return done
    t, counts = checked_targets(target, classes, ignore)
    share = wide(w)[t] if weighted else np.ones(len(t), wide(w).dtype)
    if counts is not None:
        share = np.where(counts, share, 0)
    if reduction == "mean":
        share = share / np.add.reduce(share)
        if counts is not None:
            share = np.where(counts, share, 0)  # also when none counts: 0 / 0
    rows = np.zeros((len(t), classes), share.dtype)
    rows[np.arange(len(t)), t] = share
    shape = [*target.shape]
    shape.insert(axis, classes)
    return from_rows(rows, tuple(shape), axis).astype(w.dtype, copy=False)


@helper
def nll_linear(v, target, w, axis, classes, ignore, reduction, weighted):
    """The (linear) loss of a value or tangent v of the log-probabilities."""
    shares = class_shares(
        target, w, axis=axis, classes=classes, ignore=ignore, reduction=reduction,
        weighted=weighted,
    )  # fmt: skip
    terms = -reduce_sum(where(shares == 0, 0.0, v * shares), axis=(axis,), keepdims=False)
    if reduction == "none":
        return terms
    return reduce_sum(terms, axis=tuple(range(len(terms.shape))), keepdims=False)


@helper
def nll_gradient(g, target, w, axis, x_shape, ignore, reduction, weighted):
    """The gradient of nll: minus each target's share at its class."""
    shares = class_shares(
        target, w, axis=axis, classes=x_shape[axis], ignore=ignore, reduction=reduction,
        weighted=weighted,
    )  # fmt: skip
    return -shares * (lifted(g, axis) if reduction == "none" else g)


def _declare_nll(name, node):
    def forward(x, target, w, *, axis, ignore, reduction, weighted):
        """Minus the log-probability of the target class."""
        return nll_arrays(x, target, w, axis, ignore, reduction, weighted)

    op(
        name=name, node=node,
        vjp={"x": lambda g, target, w, axis, x_shape, ignore, reduction, weighted: nll_gradient(
            g, target, w, axis, x_shape, ignore, reduction, weighted)},
        jvp={"x": lambda t, target, w, axis, x_shape, ignore, reduction, weighted: nll_linear(
            t, target, w, axis, x_shape[axis], ignore, reduction, weighted)},
        nondiff=("target", "w"), batch="loop", flat=("x",), types=loss_of_classes,
    )(forward)  # fmt: skip


_declare_nll("nll_loss", "NllLossBackward0")
_declare_nll("nll_loss2d", "NllLoss2DBackward0")
