"""Rows of a table: sums of rows by number, the gradient of an embedding."""

from __future__ import annotations

from ..language.words import native, shared


@native("T g[n, width], i64 index[n], i64 rows, i64 pieces, out T y[rows, width]")
def sum_by_number(g, index, rows, pieces, y, n, width):
    """Zeros, plus g[i] at row index[i]; each of the pieces looks after its own rows."""
    for k in range(n):
        if index[k] < 0 or index[k] >= rows:
            return False
    for p in shared(pieces):
        first = rows * p // pieces
        last = rows * (p + 1) // pieces
        for j in range(first * width, last * width):
            y[j] = 0.0
        for k in range(n):
            row = index[k]
            if row >= first and row < last:
                into = y[row * width :]
                source = g[k * width :]
                for j in range(width):
                    into[j] = into[j] + source[j]
