"""Running sums and products along one dimension, and products, accumulated as doubles."""

from __future__ import annotations

from ..language.words import T, f64, native, shared, stack

_STRIP = 64  # columns whose running values stay in the first cache


@native("T x[*size], i64 outer, i64 n, i64 inner, i64 first, i64 step, out T y[like x]")
def running_sums(x, outer, n, inner, first, step, y, size):
    """The sum of all elements up to each, from position `first` in steps of 1 or -1."""
    if outer * n * inner != size:
        return False
    totals = stack("f64", 64)
    for o in shared(outer):
        if inner == 1:
            alone: f64 = 0.0
            at = o * n + first
            for _ in range(n):
                alone = alone + f64(x[at])
                y[at] = T(alone)
                at += step
            continue
        start = 0
        while start < inner:
            count = min(_STRIP, inner - start)
            for j in range(count):
                totals[j] = 0.0
            place = (o * n + first) * inner + start
            for _ in range(n):
                for j in range(place, place + count):
                    total = totals[j - place] + f64(x[j])
                    totals[j - place] = total
                    y[j] = T(total)
                place += step * inner
            start += _STRIP


@native("T x[*size], i64 outer, i64 n, i64 inner, i64 first, i64 step, out T y[like x]")
def running_products(x, outer, n, inner, first, step, y, size):
    """The product of all elements up to each, from position `first` in steps of 1 or -1."""
    if outer * n * inner != size:
        return False
    totals = stack("f64", 64)
    for o in shared(outer):
        if inner == 1:
            alone: f64 = 1.0
            at = o * n + first
            for _ in range(n):
                alone = alone * f64(x[at])
                y[at] = T(alone)
                at += step
            continue
        start = 0
        while start < inner:
            count = min(_STRIP, inner - start)
            for j in range(count):
                totals[j] = 1.0
            place = (o * n + first) * inner + start
            for _ in range(n):
                for j in range(place, place + count):
                    total = totals[j - place] * f64(x[j])
                    totals[j - place] = total
                    y[j] = T(total)
                place += step * inner
            start += _STRIP


@native("T x[*size], i64 outer, i64 n, i64 inner, out T y[outer, inner]")
def products(x, outer, n, inner, y, size):
    """The product along the middle dimension."""
    if outer * n * inner != size:
        return False
    totals = stack("f64", 64)
    for o in shared(outer):
        start = 0
        while start < inner:
            count = min(_STRIP, inner - start)
            for j in range(_STRIP):
                totals[j] = 1.0
            place = o * n * inner + start
            if inner == 1:  # in as many parts as there are totals
                done = 0
                while done + _STRIP <= n:
                    for j in range(_STRIP):
                        totals[j] = totals[j] * f64(x[place + done + j])
                    done += _STRIP
                for j in range(n - done):
                    totals[j] = totals[j] * f64(x[place + done + j])
                for j in range(1, _STRIP):
                    totals[0] = totals[0] * totals[j]
            else:
                for _ in range(n):
                    for j in range(count):
                        totals[j] = totals[j] * f64(x[place + j])
                    place += inner
            for j in range(count):
                y[o * inner + start + j] = T(totals[j])
            start += _STRIP
