"""What kernels over rows that are written by hand share. Short rows fit one vector with a mask."""

from __future__ import annotations

from ..language.words import T, accumulate, exp, f64, inlined, maximum, short

BLOCK = 1024  # elements that are added as they are; the sums of blocks are added as doubles
FEW = 4  # elements for which masks do not pay
SHORT = 32  # rows up to here are a few vectors


@inlined
def row_maximum(row, n):
    """The largest element; NaN if there is one."""
    top = row[0]
    if n > FEW and n <= SHORT:
        for j in short(n):
            top = maximum(top, row[j])
    else:
        for j in range(1, n):
            top = maximum(top, row[j])
    return top


@inlined
def block_share(row, top, n):
    """The sum of exp(row - top) over a block."""
    share = T(0.0)
    if n > FEW and n <= SHORT:
        for j in short(n):
            share = accumulate(share, exp(row[j] - top))
    else:
        for j in range(n):
            share = accumulate(share, exp(row[j] - top))
    return share


@inlined
def row_share(row, top, n):
    """The sum of exp(row - top)."""
    total: f64 = 0.0
    start = 0
    while start < n:
        total += f64(block_share(row[start:], top, min(BLOCK, n - start)))
        start += BLOCK
    return T(total)


@inlined
def block_exponentials(into, row, top, n):
    """Write exp(row - top) of a block; gives the sum."""
    share = T(0.0)
    if n > FEW and n <= SHORT:
        for j in short(n):
            e = exp(row[j] - top)
            into[j] = e
            share = accumulate(share, e)
    else:
        for j in range(n):
            e = exp(row[j] - top)
            into[j] = e
            share = accumulate(share, e)
    return share


@inlined
def row_exponentials(into, row, top, n):
    """Write exp(row - top); gives the sum."""
    total: f64 = 0.0
    start = 0
    while start < n:
        count = min(BLOCK, n - start)
        total += f64(block_exponentials(into[start:], row[start:], top, count))
        start += BLOCK
    return T(total)


@inlined
def row_scale(row, factor, n):
    """Multiply a row by a number."""
    if n > FEW and n <= SHORT:
        for j in short(n):
            row[j] = row[j] * factor
    else:
        for j in range(n):
            row[j] = row[j] * factor


@inlined
def block_sum(row, n):
    """The sum of a block."""
    total = T(0.0)
    if n > FEW and n <= SHORT:
        for j in short(n):
            total = accumulate(total, row[j])
    else:
        for j in range(n):
            total = accumulate(total, row[j])
    return total


@inlined
def long_sum(row, n):
    """The sum of n elements, as a double."""
    total: f64 = 0.0
    start = 0
    while start < n:
        total += f64(block_sum(row[start:], min(BLOCK, n - start)))
        start += BLOCK
    return total
