"""Elements by their number along one axis: gather, and everything scatter does; joint numbers.

Arrays are (outer, length, inner) with the axis in the middle. A formula says what one element
computes from others at the same place; here an index says where they are.
"""

from __future__ import annotations

from ..language.words import T, inlined, maximum, minimum, native, shared


@native("T x[outer, n, inner], i64 index[outer, m, inner], i64 turns, out T y[outer, m, inner]")
def gathered(x, index, turns, y, outer, n, inner, m):
    """y[o, i, j] = x[o, index[o, i, j], j]."""
    for k in range(outer * m * inner):
        if index[k] < 0 or index[k] >= n:
            return False
    for t in shared(turns):
        for line in range(outer * m * t // turns, outer * m * (t + 1) // turns):
            source = x[(line // m) * n * inner :]
            into = y[line * inner :]
            numbers = index[line * inner :]
            for j in range(inner):
                into[j] = source[numbers[j] * inner + j]


@inlined
def folded(old, new, way):
    """What is kept of two values that meet: the later one, or their sum, product or extreme."""
    result = new
    if way == 1:
        result = old + new
    elif way == 2:
        result = old * new
    elif way == 3:
        result = maximum(old, new)
    elif way == 4:
        result = minimum(old, new)
    return result


@native(
    "T v[outer, m, inner], i64 index[outer, m, inner], T? x[outer, n, inner], i64 n, i64 way, "
    "i64 turns, out T y[outer, n, inner]"
)
def scattered(v, index, x, n, way, turns, y, outer, m, inner):
    """x (or zeros) with v folded in at y[o, index[o, i, j], j], in the order of i."""
    for k in range(outer * m * inner):
        if index[k] < 0 or index[k] >= n:
            return False
    pieces = turns // outer
    for t in shared(turns):
        o = t // pieces
        p = t - o * pieces  # pieces divide the columns, so that sums keep their order
        first = inner * p // pieces
        last = inner * (p + 1) // pieces
        into = y[o * n * inner :]
        for i in range(n):
            for j in range(first, last):
                into[i * inner + j] = T(0.0)
        if x is not None:
            start = x[o * n * inner :]
            for i in range(n):
                for j in range(first, last):
                    into[i * inner + j] = start[i * inner + j]
        for i in range(m):
            line = (o * m + i) * inner
            for j in range(first, last):
                at = index[line + j] * inner + j
                into[at] = folded(into[at], v[line + j], way)


@native("i64 a[*m], i64 b[*m], i64 rows, i64 n, out i64 y[like a]")
def joint_numbers(a, b, rows, n, y, m):
    """a * n + b, for numbers that count from the end where they are negative."""
    for k in range(m):
        first = a[k] + rows if a[k] < 0 else a[k]
        second = b[k] + n if b[k] < 0 else b[k]
        if first < 0 or first >= rows or second < 0 or second >= n:
            return False
        y[k] = first * n + second
