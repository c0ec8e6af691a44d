"""What kernels over rows share."""

from __future__ import annotations

from .language import T, accumulate, exp, inlined, maximum


@inlined
def row_maximum(row, n):
    """The largest element; NaN if there is one."""
    top = row[0]
    for j in range(1, n):
        top = maximum(top, row[j])
    return top


@inlined
def row_share(row, top, n):
    """The sum of exp(row - top)."""
    share = T(0.0)
    for j in range(n):
        share = accumulate(share, exp(row[j] - top))
    return share


@inlined
def row_sum(row, n):
    """The sum of a row."""
    total = T(0.0)
    for j in range(n):
        total = accumulate(total, row[j])
    return total
