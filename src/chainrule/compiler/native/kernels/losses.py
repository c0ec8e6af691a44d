"""Losses of classes, forward and backward, one call each.

They are written by hand: targets are checked on the way and pick one element of a row, and the
logarithms of many short rows are taken together, which no loop over rows says by itself.
"""

from __future__ import annotations

from ..language.words import (
    T,
    accumulate,
    f64,
    log,
    native,
    shared,
    stack,
)
from .row_helpers import row_exponentials, row_maximum, row_scale, row_share

_BLOCK = 128  # rows whose logarithms are taken together


@native("T x[rows, classes], i64 target[rows], out T loss[]")
def cross_entropy_mean(x, target, loss, rows, classes):
    """The mean over the rows of logsumexp(row) - row[target]."""
    if rows == 0 or classes == 0:
        return False
    shares = stack("T", 128)
    picked = stack("T", 128)
    total: f64 = 0.0
    start = 0
    while start < rows:
        count = min(_BLOCK, rows - start)
        for k in range(count):
            t = target[start + k]
            if t < 0 or t >= classes:
                return False
            row = x[(start + k) * classes :]
            top = row_maximum(row, classes)
            shares[k] = row_share(row, top, classes)
            picked[k] = row[t] - top
        some = T(0.0)
        for k in range(count):
            some = accumulate(some, log(shares[k]) - picked[k])
        total += f64(some)
        start += count
    loss[0] = T(total / f64(rows))


@native("T x[rows, classes], i64 target[rows], out T loss[rows]")
def cross_entropy_rows(x, target, loss, rows, classes):
    """logsumexp(row) - row[target] of each row."""
    if classes == 0:
        return False
    for r in shared(rows):
        t = target[r]
        if t < 0 or t >= classes:
            return False
        row = x[r * classes :]
        top = row_maximum(row, classes)
        loss[r] = log(row_share(row, top, classes)) - (row[t] - top)


@native("T g[], T x[rows, classes], i64 target[rows], out T gx[rows, classes]")
def cross_entropy_mean_gradient(g, x, target, gx, rows, classes):
    """(softmax(x) - one-hot) * g / rows."""
    if rows == 0 or classes == 0:
        return False
    factor = g[0] / T(rows)
    for r in shared(rows):
        t = target[r]
        if t < 0 or t >= classes:
            return False
        row = x[r * classes :]
        into = gx[r * classes :]
        top = row_maximum(row, classes)
        share = row_exponentials(into, row, top, classes)
        row_scale(into, factor / share, classes)
        into[t] = into[t] - factor


# ---- negative log likelihood ---------------------------------------------------------------------


@native("T x[rows, classes], i64 target[rows], f64 divisor, out T loss[]")
def picked_loss(x, target, divisor, loss, rows, classes):
    """Minus the sum of the log-probabilities at the targets over a divisor."""
    total: f64 = 0.0
    for r in range(rows):
        t = target[r]
        if t < 0 or t >= classes:
            return False
        total -= f64(x[r * classes + t])
    loss[0] = T(total / divisor)


@native("i64 target[rows], T like_[], i64 classes, T share, out T y[rows, classes]")
def picked_shares(target, like_, classes, share, y, rows):
    """`share` at each row's target, else zero, in the type of `like_`."""
    for r in shared(rows):
        t = target[r]
        if t < 0 or t >= classes:
            return False
        for j in range(r * classes, (r + 1) * classes):
            y[j] = 0.0
        y[r * classes + t] = share
