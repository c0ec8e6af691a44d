"""Sums of contiguous arrays over groups of neighbouring dimensions.

Long runs are summed in blocks whose sums are added as doubles, so that errors do not grow with the
length.
"""

from __future__ import annotations

from .language import T, f64, inlined, native, shared
from .rows import row_sum

_BLOCK = 1024


@inlined
def long_sum(x, n):
    """The sum of n elements, as a double."""
    total: f64 = 0.0
    start = 0
    while start < n:
        total += f64(row_sum(x[start:], min(_BLOCK, n - start)))
        start += _BLOCK
    return total


@native("T x[*n], out T y[]")
def sum_all(x, y, n):
    """The sum of everything."""
    y[0] = T(long_sum(x, n))


@native("T x[*n], i64 chunks, out f64 y[chunks]")
def sum_parts(x, chunks, y, n):
    """The sums of `chunks` parts."""
    for c in shared(chunks):
        start = n * c // chunks
        y[c] = long_sum(x[start:], n * (c + 1) // chunks - start)


@native("T x[*size], i64 rows, i64 n, out T y[rows]")
def row_sums(x, rows, n, y, size):
    """The sum of each row."""
    if rows * n != size:
        return False
    for r in shared(rows):
        y[r] = T(long_sum(x[r * n :], n))


@native("T x[*size], i64 rows, i64 n, i64 chunks, out T y[chunks, n]")
def column_sums(x, rows, n, chunks, y, size):
    """The sum of each column, over `chunks` groups of rows."""
    if rows * n != size:
        return False
    for c in shared(chunks):
        into = y[c * n :]
        for j in range(n):
            into[j] = 0.0
        r = rows * c // chunks
        last = rows * (c + 1) // chunks
        while r + 4 <= last:  # the sums are read and written once for four rows
            first = x[r * n :]
            second = first[n:]
            third = second[n:]
            fourth = third[n:]
            for j in range(n):
                into[j] = into[j] + ((first[j] + second[j]) + (third[j] + fourth[j]))
            r += 4
        while r < last:
            row = x[r * n :]
            for j in range(n):
                into[j] = into[j] + row[j]
            r += 1


@native("T x[*size], i64 rows, i64 n, i64 blocks, out T y[n]")
def wide_column_sums(x, rows, n, blocks, y, size):
    """The sum of each column, a block of columns at a time: for many columns and not many rows."""
    if rows * n != size:
        return False
    for c in shared(blocks):
        first = n * c // blocks
        add_columns(x[first:], y[first:], rows, n, n * (c + 1) // blocks - first)


@inlined(apart=True)
def add_columns(x, y, rows, n, width):
    """y = the sums of `width` columns of an array with n in a row."""
    for j in range(width):
        y[j] = 0.0
    r = 0
    while r + 8 <= rows:  # the sums are read and written once for eight rows
        a = x[r * n :]
        for j in range(width):
            low = (a[j] + a[n + j]) + (a[2 * n + j] + a[3 * n + j])
            high = (a[4 * n + j] + a[5 * n + j]) + (a[6 * n + j] + a[7 * n + j])
            y[j] = y[j] + (low + high)
        r += 8
    while r < rows:
        a = x[r * n :]
        for j in range(width):
            y[j] = y[j] + a[j]
        r += 1


@native("T x[*size], i64 images, i64 channels, i64 inner, out T y[channels]")
def channel_sums(x, images, channels, inner, y, size):
    """The sum of each channel over images and positions."""
    if images * channels * inner != size:
        return False
    for c in shared(channels):
        total: f64 = 0.0
        for k in range(images):
            total += long_sum(x[(k * channels + c) * inner :], inner)
        y[c] = T(total)


@native("T a[*n], T b[*n], out T y[like a]")
def add_arrays(a, b, y, n):
    """a + b, element by element."""
    for i in shared(n):
        y[i] = a[i] + b[i]


@native("T a[*rows, n], T b[n], out T y[like a]")
def add_to_rows(a, b, y, rows, n):
    """a + b for every row of a."""
    for r in shared(rows):
        row = a[r * n :]
        into = y[r * n :]
        for j in range(n):
            into[j] = row[j] + b[j]
