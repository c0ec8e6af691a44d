"""Cross entropy of class numbers, forward and backward, one call each."""

from __future__ import annotations

from .language import T, f64, log, native, shared
from .rows import row_exponentials, row_maximum, row_scale, row_share


@native("T x[rows, classes], i64 target[rows], out T loss[]")
def cross_entropy_mean(x, target, loss, rows, classes):
    """The mean over the rows of logsumexp(row) - row[target]."""
    if rows == 0 or classes == 0:
        return False
    total: f64 = 0.0
    for r in range(rows):
        t = target[r]
        if t < 0 or t >= classes:
            return False
        row = x[r * classes :]
        top = row_maximum(row, classes)
        share = row_share(row, top, classes)
        total += f64(log(share) - (row[t] - top))
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
