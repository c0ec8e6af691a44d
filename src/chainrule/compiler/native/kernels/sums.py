"""Sums of contiguous arrays over groups of neighbouring dimensions.

They are written by hand: what is summed over comes first or lies in the middle of memory, and
chunks and strips are chosen by the caller, while a formula of rows knows one order only.

Long runs are summed in blocks whose sums are added as doubles, columns in trees of sixteen rows
which are, so that errors do not grow with the length.
"""

from __future__ import annotations

from ..language.words import T, f64, inlined, native, shared, stack
from .row_helpers import long_sum

_STRIP = 64  # columns whose sums stay in the first cache


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


@inlined(apart=True)
def strip_sums(x, sums, rows, n, width):
    """sums = the sums of `width` columns, at most 64, of an array with n in a row."""
    for j in range(width):
        sums[j] = 0.0
    r = 0
    while r + 16 <= rows:  # a tree of sixteen rows, then one addition of doubles
        a = x[r * n :]
        b = a[8 * n :]
        for j in range(width):
            low = (a[j] + a[n + j]) + (a[2 * n + j] + a[3 * n + j])
            high = (a[4 * n + j] + a[5 * n + j]) + (a[6 * n + j] + a[7 * n + j])
            more = (b[j] + b[n + j]) + (b[2 * n + j] + b[3 * n + j])
            most = (b[4 * n + j] + b[5 * n + j]) + (b[6 * n + j] + b[7 * n + j])
            sums[j] = sums[j] + f64((low + high) + (more + most))
        r += 16
    while r < rows:
        a = x[r * n :]
        for j in range(width):
            sums[j] = sums[j] + f64(a[j])
        r += 1


@inlined(apart=True)
def add_columns(x, y, rows, n, width):
    """y = the sums of `width` columns of an array with n in a row."""
    sums = stack("f64", 64)
    first = 0
    while first < width:
        count = min(_STRIP, width - first)
        strip_sums(x[first:], sums, rows, n, count)
        for j in range(count):
            y[first + j] = T(sums[j])
        first += _STRIP


@native("T x[*size], i64 rows, i64 n, i64 chunks, out f64 y[chunks, n]")
def column_sums(x, rows, n, chunks, y, size):
    """The sum of each column, over `chunks` groups of rows."""
    if rows * n != size:
        return False
    for c in shared(chunks):
        start = rows * c // chunks
        count = rows * (c + 1) // chunks - start
        first = 0
        while first < n:
            width = min(_STRIP, n - first)
            strip_sums(x[start * n + first :], y[c * n + first :], count, n, width)
            first += _STRIP


@native("T x[*size], i64 rows, i64 n, i64 blocks, out T y[n]")
def wide_column_sums(x, rows, n, blocks, y, size):
    """The sum of each column, a block of columns at a time: for many columns and not many rows."""
    if rows * n != size:
        return False
    for c in shared(blocks):
        first = n * c // blocks
        add_columns(x[first:], y[first:], rows, n, n * (c + 1) // blocks - first)


@native("T x[*size], i64 images, i64 rows, i64 n, out T y[images, n]")
def middle_sums(x, images, rows, n, y, size):
    """The sum of each column of each image."""
    if images * rows * n != size:
        return False
    for k in shared(images):
        add_columns(x[k * rows * n :], y[k * n :], rows, n, n)


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
