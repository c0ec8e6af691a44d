"""What kernels over rows share. Short rows fit one vector with a mask."""

from __future__ import annotations

from .language import T, accumulate, exp, inlined, maximum, short

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
def row_share(row, top, n):
    """The sum of exp(row - top)."""
    share = T(0.0)
    if n > FEW and n <= SHORT:
        for j in short(n):
            share = accumulate(share, exp(row[j] - top))
    else:
        for j in range(n):
            share = accumulate(share, exp(row[j] - top))
    return share


@inlined
def row_exponentials(into, row, top, n):
    """Write exp(row - top); gives the sum."""
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
def row_scale(row, factor, n):
    """Multiply a row by a number."""
    if n > FEW and n <= SHORT:
        for j in short(n):
            row[j] = row[j] * factor
    else:
        for j in range(n):
            row[j] = row[j] * factor


@inlined
def row_sum(row, n):
    """The sum of a row."""
    total = T(0.0)
    if n > FEW and n <= SHORT:
        for j in short(n):
            total = accumulate(total, row[j])
    else:
        for j in range(n):
            total = accumulate(total, row[j])
    return total
