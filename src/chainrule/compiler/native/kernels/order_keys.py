"""Numbers whose order is that of floats: what sorting them sorts.

A key has the bits of a float, made comparable as whole numbers, above its place in the row. Keys
are unique, so that equal floats keep their order, and NumPy sorts and parts them with vectors.
"""

from __future__ import annotations

from ..language.words import bits, i64, isnan, native, shared, u64


@native("f32 x[*rows, n], bool descending, out u64 y[like x]")
def order_keys(x, descending, y, rows, n):
    """Per row the keys of its elements: NaN above all, both zeros equal."""
    for r in shared(rows):
        row = x[r * n :]
        into = y[r * n :]
        for j in range(n):
            b = i64(bits(row[j] + 0.0))
            key = b + 0x80000000 if b >= 0 else -1 - b
            key = 0xFFFFFFFF if isnan(row[j]) else key
            key = 0xFFFFFFFF - key if descending else key
            into[j] = u64(key) << 32 | u64(j)
