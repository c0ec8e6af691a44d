"""Rows of a table by number, and sums of rows by number: the gradient of an embedding."""

from __future__ import annotations

from ..language.words import inlined, native, shared, short


@inlined(apart=True)
def add_row(into, source, width):
    """into += source, for rows of any width."""
    if width <= 32:
        for j in short(width):
            into[j] = into[j] + source[j]
    else:
        for j in range(width):
            into[j] = into[j] + source[j]


@inlined
def clear_row(into, width):
    """into = 0, for rows of any width."""
    for j in short(width):
        into[j] = 0.0


@inlined(apart=True)
def copy_row(into, source, width):
    """into = source, for rows of any width."""
    if width <= 32:
        for j in short(width):
            into[j] = source[j]
    else:
        for j in range(width):
            into[j] = source[j]


@native("T x[rows, width], i64 index[n], i64 turns, out T y[n, width]")
def rows_by_number(x, index, turns, y, rows, width, n):
    """x[index[i]] as row i."""
    for k in range(n):
        if index[k] < 0 or index[k] >= rows:
            return False
    for k in shared(turns):
        copy_row(y[k * width :], x[index[k] * width :], width)


@native("T g[outer, n, width], i64 index[n], i64 rows, i64 pieces, out T y[outer, rows, width]")
def sum_by_number(g, index, rows, pieces, y, outer, n, width):
    """Zeros, plus g[:, i] at row index[i]; each of the pieces looks after its own columns."""
    for k in range(n):
        if index[k] < 0 or index[k] >= rows:
            return False
    for p in shared(pieces):
        first = width * p // pieces
        count = width * (p + 1) // pieces - first
        for o in range(outer):
            into = y[o * rows * width :]
            source = g[o * n * width :]
            if pieces == 1:
                for j in range(rows * width):
                    into[j] = 0.0
            else:
                for r in range(rows):
                    clear_row(into[r * width + first :], count)
            for k in range(n):
                add_row(into[index[k] * width + first :], source[k * width + first :], count)
