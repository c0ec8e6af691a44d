"""Convolutions of 3x3 with stride 1 by Winograd's products: 16 in place of 36 for 2x2 results.

A tile is 2x2 results, which depend on 4x4 elements of an image.  Kernels, images and gradients
are changed by sums and differences (`G g G^T`, `B^T d B`, `A y A^T`) into 16 numbers each; number f
of a tile is then a matrix product over the channels, and `A^T m A` gives the results.

A piece of work is a block of tiles of some images (lines of tiles `first` to `last`), for some of
the outputs.  Its numbers lie in the workspace of the thread, each of the 16 as a matrix
(channels, tiles), so that products find them in the cache.  How sums are divided depends on shapes
alone: the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

from ..language.words import T, accumulate, bits, from_bits, inlined, pointer, short, stack
from .product_calls import call_product

FIELDS = (
    "x", "x_image", "channels", "height", "width", "padding", "u", "u_number", "u_row", "u_column",
    "flipped", "outputs", "y", "y_image", "high", "wide", "bias", "images", "first", "last",
    "across", "tiles", "line", "some", "product", "block_rows", "depth", "tile_depth", "zeros",
    "found",
)  # fmt: skip
(
    X, X_IMAGE, CHANNELS, HEIGHT, WIDTH, PADDING, U, U_NUMBER, U_ROW, U_COLUMN,
    FLIPPED, OUTPUTS, Y, Y_IMAGE, HIGH, WIDE, BIAS, IMAGES, FIRST, LAST, ACROSS,
    TILES, LINE, SOME, PRODUCT, BLOCK_ROWS, DEPTH, TILE_DEPTH, ZEROS, FOUND,
) = range(len(FIELDS))  # fmt: skip

COUNT = len(FIELDS)
SIZE = 4  # bytes of a number
NUMBERS = 1 << 20  # where those of images lie in the workspace; before them, panels of products
RESULTS = (3 << 20) + 8192  # and where those of results lie
SKEW = 80  # elements between matrices: no multiple of a page apart, lines of the cache are few
ROOM = 1088  # half of the elements that a block of tiles sees, with a border


# ---- images --------------------------------------------------------------------------------------


@inlined(apart=True)
def mix_lines(o0, o1, o2, o3, d, half, count):
    """B^T d of four lines."""
    d1 = d[half:]
    d2 = d[2 * half :]
    d3 = d[3 * half :]
    for j in short(count):
        o0[j] = d[j] - d2[j]
        o1[j] = d1[j] + d2[j]
        o2[j] = d2[j] - d1[j]
        o3[j] = d1[j] - d3[j]


@inlined(apart=True)
def take_lines(plain, image, top, count, height, width, padding, wide):
    """Lines of an image from `top` on into the middle of zeros, `wide` from one to the next."""
    for r in range(max(padding - top, 0), min(count, height + padding - top)):
        source = image[(top + r - padding) * width :]
        into = plain[r * wide + padding :]
        for j in short(width):
            into[j] = source[j]


@inlined(apart=True)
def mix_columns(o0, o1, o2, o3, plain, found, count):
    """d B of all lines, two columns at a time; the largest amount and the sum of amounts go to
    `found`.  Bits of amounts are in their order, and those of NaN come last.
    """
    largest = bits(found[0])
    total = T(0.0)
    for j in range(count):
        d0 = plain[2 * j]
        d1 = plain[2 * j + 1]
        d2 = plain[2 * j + 2]
        o0[j] = d0 - d2
        o1[j] = d1 + d2
        o2[j] = d2 - d1
        o3[j] = d1 - plain[2 * j + 3]
        largest = max(largest, max(bits(abs(d0)), bits(abs(d1))))
        total = accumulate(total, abs(d0) + abs(d1))
    found[0] = T(from_bits(largest))
    found[1] = found[1] + total


@inlined
def image_numbers(p, v, plain, mixed, found, image, tile, step):
    """The numbers of the tiles of one channel of an image: v[f * step + tile ...]."""
    half = p[ACROSS] + 1
    count = 2 * (p[LAST] - p[FIRST]) + 2
    take_lines(plain, image, 2 * p[FIRST], count, p[HEIGHT], p[WIDTH], p[PADDING], 2 * half)
    mix_columns(
        mixed, mixed[ROOM:], mixed[2 * ROOM :], mixed[3 * ROOM :], plain, found,
        (count * half + 31) // 32 * 32,
    )  # fmt: skip
    for i in range(p[LAST] - p[FIRST]):
        at = tile + i * p[ACROSS]
        for b in range(4):
            mix_lines(
                v[b * step + at :], v[(b + 4) * step + at :], v[(b + 8) * step + at :],
                v[(b + 12) * step + at :], mixed[b * ROOM + 2 * i * half :], half, p[ACROSS],
            )  # fmt: skip


@inlined
def block_numbers(p, workspace, found):
    """The numbers of all channels of a block of tiles: matrices (channels, tiles)."""
    plain = stack("T", 2304)
    mixed = stack("T", 4352)
    for j in range(2304):
        plain[j] = 0.0
    v = pointer("T", workspace + NUMBERS)
    x = pointer("T", p[X])
    each = (p[LAST] - p[FIRST]) * p[ACROSS]
    for n in range(p[IMAGES]):
        for c in range(p[CHANNELS]):
            image = x[n * p[X_IMAGE] + c * p[HEIGHT] * p[WIDTH] :]
            tile = c * p[LINE] + n * each
            image_numbers(p, v, plain, mixed, found, image, tile, p[CHANNELS] * p[LINE] + SKEW)


# ---- results -------------------------------------------------------------------------------------


@inlined(apart=True)
def result_line(left, right, m, from_, step, sign, level, count):
    """One line of 2x2 results: m0 + m1 + m2 of the lines of numbers, or m1 - m2 - m3."""
    a0 = m[from_ * 4 * step :]
    a1 = m[(from_ * 4 + 1) * step :]
    a2 = m[(from_ * 4 + 2) * step :]
    a3 = m[(from_ * 4 + 3) * step :]
    b0 = m[(from_ * 4 + 4) * step :]
    b1 = m[(from_ * 4 + 5) * step :]
    b2 = m[(from_ * 4 + 6) * step :]
    b3 = m[(from_ * 4 + 7) * step :]
    c0 = m[(from_ * 4 + 8) * step :]
    c1 = m[(from_ * 4 + 9) * step :]
    c2 = m[(from_ * 4 + 10) * step :]
    c3 = m[(from_ * 4 + 11) * step :]
    for j in short(count):
        d0 = a0[j] + sign * b0[j] + sign * c0[j]
        d1 = a1[j] + sign * b1[j] + sign * c1[j]
        d2 = a2[j] + sign * b2[j] + sign * c2[j]
        d3 = a3[j] + sign * b3[j] + sign * c3[j]
        left[j] = d0 + d1 + d2 + level
        right[j] = d1 - d2 - d3 + level


@inlined(apart=True)
def join(into, left, right, count):
    """Elements of even and of odd number of a line."""
    for j in range(count // 2):
        into[2 * j] = left[j]
        into[2 * j + 1] = right[j]
    if count % 2 == 1:
        into[count - 1] = left[count // 2]


@inlined
def number_of_kernel(p, f):
    """Kernels that are turned by half a circle have the same numbers in another order."""
    a = f // 4
    b = f % 4
    if p[FLIPPED] != 0:
        a = 3 - a if a % 3 == 0 else a
        b = 3 - b if b % 3 == 0 else b
    return 4 * a + b


@inlined
def block_results(p, m, left, right, output, level, at):
    """The results of one output, from its numbers m[f * step + ...]."""
    y = pointer("T", p[Y])
    step = p[SOME] * p[LINE] + SKEW
    lines = p[LAST] - p[FIRST]
    for n in range(p[IMAGES]):
        for i in range(lines):
            tile = m[at + (n * lines + i) * p[ACROSS] :]
            row = 2 * (p[FIRST] + i)
            into = y[n * p[Y_IMAGE] + (output * p[HIGH] + row) * p[WIDE] :]
            result_line(left, right, tile, 0, step, T(1.0), level, p[ACROSS])
            join(into, left, right, p[WIDE])
            if row + 1 < p[HIGH]:
                result_line(left, right, tile, 1, step, T(-1.0), level, p[ACROSS])
                join(into[p[WIDE] :], left, right, p[WIDE])


@inlined
def convolve(p, workspace):
    """The results of a block of tiles."""
    left = stack("T", 256)
    right = stack("T", 256)
    found = pointer("T", p[FOUND])
    found[0] = 0.0
    found[1] = 0.0
    block_numbers(p, workspace, found)
    m = pointer("T", workspace + RESULTS)
    line = p[LINE] * SIZE
    start = 0
    while start < p[OUTPUTS]:
        count = min(p[SOME], p[OUTPUTS] - start)
        for f in range(16):
            call_product(
                p[PRODUCT], workspace,
                p[U] + number_of_kernel(p, f) * p[U_NUMBER] + start * p[U_ROW],
                p[U_ROW], p[U_COLUMN],
                workspace + NUMBERS + f * (p[CHANNELS] * line + SKEW * SIZE), line, SIZE,
                workspace + RESULTS + f * (p[SOME] * line + SKEW * SIZE), line,
                count, p[TILES], p[CHANNELS], p[BLOCK_ROWS], p[DEPTH], p[ZEROS], 0, p[ZEROS], 0,
            )  # fmt: skip
        for k in range(count):
            level = T(0.0)
            if p[BIAS] != 0:
                levels = pointer("T", p[BIAS])
                level = levels[start + k]
            block_results(p, m, left, right, start + k, level, k * p[LINE])
        start += count


# ---- gradients of kernels ------------------------------------------------------------------------


@inlined(apart=True)
def spread_columns(o0, o1, o2, o3, plain, found, count):
    """y A^T of all lines, and what mix_columns finds."""
    largest = bits(found[0])
    total = T(0.0)
    for j in range(count):
        d0 = plain[2 * j]
        d1 = plain[2 * j + 1]
        o0[j] = d0
        o1[j] = d0 + d1
        o2[j] = d0 - d1
        o3[j] = -d1
        largest = max(largest, max(bits(abs(d0)), bits(abs(d1))))
        total = accumulate(total, abs(d0) + abs(d1))
    found[0] = T(from_bits(largest))
    found[1] = found[1] + total


@inlined(apart=True)
def spread_lines(o0, o1, o2, o3, d, half, count):
    """A y of two lines."""
    d1 = d[half:]
    for j in short(count):
        o0[j] = d[j]
        o1[j] = d[j] + d1[j]
        o2[j] = d[j] - d1[j]
        o3[j] = -d1[j]


@inlined
def gradient_numbers(p, v, plain, spread, found, image, tile, step):
    """The numbers of the gradients of one output of an image."""
    half = p[ACROSS]
    count = 2 * (p[LAST] - p[FIRST])
    take_lines(plain, image, 2 * p[FIRST], count, p[HIGH], p[WIDE], 0, 2 * half)
    spread_columns(
        spread, spread[ROOM:], spread[2 * ROOM :], spread[3 * ROOM :], plain, found,
        (count * half + 31) // 32 * 32,
    )  # fmt: skip
    for i in range(p[LAST] - p[FIRST]):
        at = tile + i * half
        for b in range(4):
            spread_lines(
                v[b * step + at :], v[(b + 4) * step + at :], v[(b + 8) * step + at :],
                v[(b + 12) * step + at :], spread[b * ROOM + 2 * i * half :], half, half,
            )  # fmt: skip


@inlined
def block_gradients(p, workspace, found, start, count):
    """The numbers of the gradients of some outputs: matrices (outputs, tiles)."""
    plain = stack("T", 2304)
    spread = stack("T", 4352)
    for j in range(2304):
        plain[j] = 0.0
    v = pointer("T", workspace + RESULTS)
    y = pointer("T", p[Y])
    each = (p[LAST] - p[FIRST]) * p[ACROSS]
    for n in range(p[IMAGES]):
        for k in range(count):
            image = y[n * p[Y_IMAGE] + (start + k) * p[HIGH] * p[WIDE] :]
            tile = k * p[LINE] + n * each
            gradient_numbers(p, v, plain, spread, found, image, tile, p[SOME] * p[LINE] + SKEW)


@inlined
def convolve_back(q, workspace):
    """The numbers of the gradients of some outputs' kernels, added over all blocks of tiles.

    q is (address of the blocks' FIELDS, how many blocks).
    """
    for b in range(q[1]):
        p = pointer("i64", q[0] + b * 8 * COUNT)
        found = pointer("T", p[FOUND])
        for j in range(4):
            found[j] = 0.0
        block_numbers(p, workspace, found)
        line = p[LINE] * SIZE
        start = 0
        while start < p[OUTPUTS]:
            count = min(p[SOME], p[OUTPUTS] - start)
            block_gradients(p, workspace, found[2:], start, count)
            for f in range(16):
                call_product(
                    p[PRODUCT], workspace,
                    workspace + RESULTS + f * (p[SOME] * line + SKEW * SIZE), line, SIZE,
                    workspace + NUMBERS + f * (p[CHANNELS] * line + SKEW * SIZE), SIZE, line,
                    p[U] + f * p[U_NUMBER] + start * p[U_ROW], p[U_ROW],
                    count, p[CHANNELS], p[TILES], p[BLOCK_ROWS], p[TILE_DEPTH],
                    p[ZEROS], 0, p[ZEROS], b,
                )  # fmt: skip
            start += count
