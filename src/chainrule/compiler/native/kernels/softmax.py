"""Softmax and its logarithm along the last dimension, and their gradients."""

from __future__ import annotations

from ..language.words import T, accumulate, exp, f64, log, native, shared
from .row_helpers import BLOCK, row_exponentials, row_maximum, row_scale, row_share, row_sum


@native("T x[*rows, n], out T y[like x]")
def softmax(x, y, rows, n):
    """exp(x) over its sum."""
    if n == 0:
        return
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        top = row_maximum(row, n)
        share = row_exponentials(into, row, top, n)
        row_scale(into, 1.0 / share, n)


@native("T u[*rows, n], T y[*rows, n], out T gx[like y]")
def softmax_pull(u, y, gx, rows, n):
    """y * (u - sum(u * y))."""
    for r in shared(rows):
        first = r * n
        sums: f64 = 0.0
        start = first
        while start < first + n:
            some = T(0.0)
            for j in range(start, min(start + BLOCK, first + n)):
                some = accumulate(some, u[j] * y[j])
            sums += f64(some)
            start += BLOCK
        total = T(sums)
        for j in range(first, first + n):
            gx[j] = y[j] * (u[j] - total)


@native("T x[*rows, n], out T y[like x]")
def log_softmax(x, y, rows, n):
    """x - log(sum(exp(x)))."""
    if n == 0:
        return
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        top = row_maximum(row, n)
        lost = log(row_share(row, top, n))
        for j in range(n):
            into[j] = (row[j] - top) - lost


@native("T u[*rows, n], T y[*rows, n], out T gx[like y]")
def log_softmax_pull(u, y, gx, rows, n):
    """u - exp(y) * sum(u)."""
    for r in shared(rows):
        first = r * n
        total = row_sum(u[first:], n)
        for j in range(first, first + n):
            gx[j] = u[j] - exp(y[j]) * total
