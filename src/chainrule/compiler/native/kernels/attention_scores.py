"""Attention's passes over a block of scores: each reads and writes a row while it is in the cache.

The rows of a block are queries `start`, `start + 1`, ... of one entry after the other (`queries` of
each); its columns are the keys from `first` on. With `causal` the keys after a query count as
hidden, and nothing is computed for them.
"""

from __future__ import annotations

from ..language.words import T, accumulate, exp, inlined, log, maximum, native, shared

INFINITY = float("inf")


@inlined
def visible(query, first, columns, causal):
    """How many of the columns a query sees."""
    return max(min(query + 1 - first, columns), 0) if causal else columns


@native(
    "T s[*rows, columns], T top[*rows], T total[*rows], T shrink[*rows], i64 queries, i64 start,"
    "i64 first, bool causal"
)
def attention_exponentials(s, top, total, shrink, queries, start, first, causal, rows, columns):
    """s = exp(s - top) with the new largest score so far in top; total is the sum so far, and
    shrink what earlier exponentials must be multiplied with.
    """
    for r in shared(rows):
        row = s[r * columns :]
        n = visible(start + r % queries, first, columns, causal)
        before = top[r]
        high = before
        for j in range(n):
            high = maximum(high, row[j])
        level = high if high > -INFINITY else T(0.0)
        share = T(0.0)
        for j in range(n):
            e = exp(row[j] - level)
            row[j] = e
            share = accumulate(share, e)
        for j in range(n, columns):
            row[j] = 0.0
        factor = exp(before - level)
        top[r] = high
        total[r] = total[r] * factor + share
        shrink[r] = factor


@native("T s[*rows, columns], T sums[*rows], i64 queries, i64 start, i64 first, bool causal")
def attention_again(s, sums, queries, start, first, causal, rows, columns):
    """s = exp(s - sums): the weights from the scores and the logarithms of their sums."""
    for r in shared(rows):
        row = s[r * columns :]
        n = visible(start + r % queries, first, columns, causal)
        level = sums[r]
        for j in range(n):
            row[j] = exp(row[j] - level)
        for j in range(n, columns):
            row[j] = 0.0


@native("T s[*rows, columns], T p[*rows, columns], T through[*rows]")
def attention_pull(s, p, through, rows, columns):
    """s = (s - through) p: the gradients of scores from those of the weights p."""
    for r in shared(rows):
        row = s[r * columns :]
        own = p[r * columns :]
        level = through[r]
        for j in range(columns):
            row[j] = (row[j] - level) * own[j]


@native("T s[*rows, columns], T total[*rows]")
def attention_divide(s, total, rows, columns):
    """s over the totals; rows whose total is 0 stay as they are."""
    for r in shared(rows):
        row = s[r * columns :]
        factor = T(1.0) if total[r] == 0.0 else 1.0 / total[r]
        for j in range(columns):
            row[j] = row[j] * factor


@native("T s[*rows, columns], T sums[*rows], T scale, i64 queries, bool causal")
def attention_softmax(s, sums, scale, queries, causal, rows, columns):
    """s = softmax(s * scale) and the logarithms of the sums, for all keys at once.

    A query that sees nothing has weights of 0, and infinity as its logarithm.
    """
    for r in shared(rows):
        row = s[r * columns :]
        n = visible(r % queries, 0, columns, causal)
        high = T(-INFINITY)
        for j in range(n):
            high = maximum(high, row[j] * scale)
        level = high if high > -INFINITY else T(0.0)
        share = T(0.0)
        for j in range(n):
            e = exp(row[j] * scale - level)
            row[j] = e
            share = accumulate(share, e)
        factor = T(1.0) if share == 0.0 else 1.0 / share
        for j in range(n):
            row[j] = row[j] * factor
        for j in range(n, columns):
            row[j] = 0.0
        sums[r] = T(INFINITY) if share == 0.0 else log(share) + level


@native("T s[*rows, columns], T p[*rows, columns], T scale")
def attention_pull_at_once(s, p, scale, rows, columns):
    """s = (s - sum of s p) p * scale: the gradients of scores from those of all their weights."""
    for r in shared(rows):
        row = s[r * columns :]
        own = p[r * columns :]
        level = T(0.0)
        for j in range(columns):
            level = accumulate(level, row[j] * own[j])
        for j in range(columns):
            row[j] = (row[j] - level) * own[j] * scale
