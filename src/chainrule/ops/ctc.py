"""Connectionist temporal classification: the probability of a label sequence over all alignments.

Labels are interleaved with blanks; `alpha[t, s]` is the log-probability of the first t + 1 frames
ending at place s of that sequence, `beta` the same from the end. All examples run together.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .halves import wide
from .kernels import fast
from .schema import Refused, helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def _check_labels(labels, classes, example):
    """Refuse labels that are no class: negative ones would count from the last."""
    wrong = labels[(labels < 0) | (labels >= classes)]
    if wrong.size:
        raise Refused(
            IndexError,
            f"Target {wrong[0]} is out of bounds: the labels of example {example} are classes of "
            f"log_probs, from 0 to {classes - 1}",
        )


class Alignment:
    """The places of every example's label sequence, padded to the longest."""

    def __init__(self, lp, targets, input_lengths, target_lengths, blank):
        self.lp = wide(lp)
        self.frames = np.asarray(input_lengths, np.int64)
        self.labels = np.asarray(target_lengths, np.int64)
        n = lp.shape[1]
        places = 2 * int(self.labels.max(initial=0)) + 1
        self.label = np.full((n, places), blank, np.int64)
        for i, (row, count) in enumerate(zip(targets, target_lengths, strict=True)):
            _check_labels(row[:count], lp.shape[2], i)
            self.label[i, 1 : 2 * count : 2] = row[:count]
        # A blank may be skipped between two different labels.
        self.skip = np.zeros((n, places), bool)
        self.skip[:, 3::2] = self.label[:, 3::2] != self.label[:, 1:-2:2]
        self.last = 2 * self.labels  # the place of the final blank
        self.rows = np.arange(n)

    def for_kernels(self):
        """The arguments of the kernels that do the same, which check them."""
        whole = np.ascontiguousarray(self.lp)
        return whole, self.label, self.skip.astype(np.int64), self.frames, self.last

    @cached_property
    def emit(self):
        """The log-probability of each place's label, per frame: (T, N, places)."""
        index = np.broadcast_to(self.label, (len(self.lp), *self.label.shape))
        return np.take_along_axis(self.lp, index, 2)

    def alpha(self):
        """(T, N, places), from the first frame on."""
        t, n, places = self.emit.shape
        alpha = np.full((t, n, places), -np.inf, self.lp.dtype)
        if not t:
            return alpha
        alpha[0, :, :2] = self.emit[0, :, :2]
        alpha[0][self.labels == 0, 1:] = -np.inf
        for k in range(1, t):
            before = alpha[k - 1]
            total = before.copy()
            total[:, 1:] = np.logaddexp(total[:, 1:], before[:, :-1])
            jumps = np.where(self.skip[:, 2:], before[:, :-2], -np.inf)
            total[:, 2:] = np.logaddexp(total[:, 2:], jumps)
            alpha[k] = total + self.emit[k]
        return alpha

    def beta(self):
        """(T, N, places), from each example's last frame back; includes the frame's own label."""
        t, n, places = self.emit.shape
        beta = np.full((t, n, places), -np.inf, self.lp.dtype)
        for k in range(t - 1, -1, -1):
            ends = self.frames - 1 == k
            if k + 1 < t:
                after = beta[k + 1]
                total = after.copy()
                total[:, :-1] = np.logaddexp(total[:, :-1], after[:, 1:])
                jumps = np.where(self.skip[:, 2:], after[:, 2:], -np.inf)
                total[:, :-2] = np.logaddexp(total[:, :-2], jumps)
                beta[k] = np.where(ends[:, None], -np.inf, total + self.emit[k])
            rows = self.rows[ends]
            beta[k, rows, self.last[ends]] = self.emit[k, rows, self.last[ends]]
            labelled = rows[self.labels[ends] > 0]
            places_before = self.last[labelled] - 1
            beta[k, labelled, places_before] = self.emit[k, labelled, places_before]
        return beta

    def loss(self, alpha):
        """Minus the log-probability of every example's labels."""
        if not len(alpha):
            return np.where(self.labels == 0, -0.0, np.inf).astype(self.lp.dtype)
        final = alpha[np.maximum(self.frames - 1, 0), self.rows]
        end = final[self.rows, self.last]
        before = np.where(self.labels > 0, final[self.rows, np.maximum(self.last - 1, 0)], -np.inf)
        loss = -np.logaddexp(end, before)
        return np.where(self.frames == 0, np.where(self.labels == 0, -0.0, np.inf), loss)


@helper
def no_second_derivative(name):
    """Say that an op's derivative cannot be differentiated again."""
    raise RuntimeError(
        f"derivative for {name}'s backward is not implemented: it can be differentiated once.\n"
        "  Fix: compute its gradient without create_graph=True."
    )


@op(
    vjp={
        "lp": lambda g, lp, targets, input_lengths, target_lengths, blank, zero_infinity: (
            ctc_slope(
                lp, targets, input_lengths=input_lengths, target_lengths=target_lengths,
                blank=blank, zero_infinity=zero_infinity)
            * reshape(g, shape=(1, g.shape[0], 1)))
    },
    nondiff=("targets",),
    batch="loop",
    refuses_values="iu",
)  # fmt: skip
def ctc_loss(lp, targets, *, input_lengths, target_lengths, blank, zero_infinity):
    """Per example, minus the log-probability of its labels; lp is (frames, examples, classes)."""
    runs = Alignment(lp, targets, input_lengths, target_lengths, blank)
    done = fast.ctc_alpha(*runs.for_kernels())
    loss = runs.loss(runs.alpha()) if done is None else done[1]
    if zero_infinity:
        loss = np.where(np.isinf(loss), 0, loss)
    return loss.astype(lp.dtype, copy=False)


@op(
    vjp={"lp": lambda g: no_second_derivative("ctc_loss")},
    nondiff=("targets",),
    batch="loop",
)
def ctc_slope(lp, targets, *, input_lengths, target_lengths, blank, zero_infinity):
    """The derivative of each example's loss by its log-probabilities.

    As PyTorch's it contains exp(lp), which the following log_softmax's gradient takes out again:
    it is the derivative by logits whose log_softmax is lp.
    """
    runs = Alignment(lp, targets, input_lengths, target_lengths, blank)
    given = runs.for_kernels()
    done = fast.ctc_alpha(*given)
    if done is not None:
        done = fast.ctc_slopes(*given, *done[:2], bool(zero_infinity))
    if done is not None:
        return done[0].astype(lp.dtype, copy=False)
    alpha, beta = runs.alpha(), runs.beta()
    loss = runs.loss(alpha)
    # The label's own log-probability is in alpha and in beta.
    with_nan = alpha + beta - runs.emit + loss[:, None]
    share = np.exp(np.where(np.isnan(with_nan), -np.inf, with_nan))
    slope = np.exp(runs.lp)
    index = np.broadcast_to(runs.label, runs.emit.shape)
    frames = np.arange(len(lp))[:, None, None]
    np.subtract.at(slope, (frames, runs.rows[:, None], index), share)
    slope[:, np.isinf(loss)] = 0 if zero_infinity else np.nan
    slope[np.arange(len(lp))[:, None] >= runs.frames] = 0  # nothing is read after the last frame
    return slope.astype(lp.dtype, copy=False)
