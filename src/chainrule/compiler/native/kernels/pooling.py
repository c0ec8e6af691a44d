"""Pooling of images (..., height, width): largest elements and means of windows."""

from __future__ import annotations

from ..language.words import T, i32, i64, inlined, maximum, narrow, native, shared, short, stack

INFINITY = float("inf")


@inlined
def first_inside(offset, stride):
    """The first window whose element at this offset (from the image's edge) is not before it."""
    return (stride - 1 - offset) // stride if offset < 0 else 0


@inlined
def end_inside(offset, stride, size, count):
    """The number of windows before the first whose element at this offset is beyond the edge."""
    last = size - 1 - offset
    return min(count, max(last, 0) // stride + 1) if last >= 0 else 0


@inlined
def take_maxima(into, row, first, end, offset, stride):
    """into[j] = max(into[j], row[offset + j * stride]); the usual strides vectorise."""
    if stride == 1:
        for j in short(first, end):
            into[j] = maximum(into[j], row[offset + j])
    elif stride == 2:
        for j in range(first, end):
            into[j] = maximum(into[j], row[offset + 2 * j])
    else:
        for j in range(first, end):
            into[j] = maximum(into[j], row[offset + j * stride])


@native(
    "T x[*images, height, width], i64 oh, i64 ow, i64 kh, i64 kw, i64 sh, i64 sw, i64 ph, i64 pw,"
    "i64 dh, i64 dw, out T y[images, oh, ow]"
)
def max_pool2d(x, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw, y, images, height, width):
    """The largest element of each window; NaN counts as largest."""
    for k in shared(images):
        for i in range(oh):
            into = y[(k * oh + i) * ow :]
            for j in range(ow):
                into[j] = -INFINITY
            for a in range(kh):
                r = i * sh - ph + a * dh
                if r >= 0 and r < height:
                    row = x[(k * height + r) * width :]
                    for b in range(kw):
                        offset = b * dw - pw
                        first = first_inside(offset, sw)
                        end = end_inside(offset, sw, width, ow)
                        take_maxima(into, row, first, end, offset, sw)


@native("T x[*images, height, width], i64 oh, i64 ow, out T y[images, oh, ow]")
def max_pool_halves(x, oh, ow, y, images, height, width):
    """The largest of each 2 x 2 block."""
    for k in shared(images):
        for i in range(oh):
            above = x[(k * height + 2 * i) * width :]
            below = above[width:]
            into = y[(k * oh + i) * ow :]
            for j in range(ow):
                into[j] = maximum(
                    maximum(above[2 * j], above[2 * j + 1]), maximum(below[2 * j], below[2 * j + 1])
                )


@native("T g[*images, oh, ow], T x[*images, height, width], out T gx[like x]")
def max_pool_halves_gradient(g, x, gx, images, oh, ow, height, width):
    """g at the first largest element of each 2 x 2 block; declined where there is NaN."""
    for k in shared(images):
        image = k * height * width
        for j in range(image + 2 * oh * width, image + height * width):
            gx[j] = 0.0
        for i in range(oh):
            above = x[image + 2 * i * width :]
            below = above[width:]
            gabove = gx[image + 2 * i * width :]
            gbelow = gabove[width:]
            grow = g[(k * oh + i) * ow :]
            for j in range(2 * ow, width):
                gabove[j] = 0.0
                gbelow[j] = 0.0
            odd = 0
            for j in narrow(ow):
                p = above[2 * j]
                q = above[2 * j + 1]
                r = below[2 * j]
                s = below[2 * j + 1]
                best = maximum(maximum(p, q), maximum(r, s))
                odd += 1 if best != best else 0
                share = grow[j]
                gabove[2 * j] = share if p == best else 0.0
                gabove[2 * j + 1] = share if (q == best) & (p != best) else 0.0
                gbelow[2 * j] = share if (r == best) & (p != best) & (q != best) else 0.0
                last = (p != best) & (q != best) & (r != best)
                gbelow[2 * j + 1] = share if last else 0.0
            if odd > 0:
                return False


@inlined
def take_places(best, place, row, number, first, end, start, offset, stride):
    """Where an element of the row is larger (or NaN): keep it and its number in the image."""
    if stride == 2:
        for j in range(first, end):
            v = row[offset + 2 * j]
            better = (place[j - start] < 0) | (v > best[j - start]) | (v != v)
            best[j - start] = v if better else best[j - start]
            place[j - start] = i32(number + offset + 2 * j) if better else place[j - start]
    else:
        for j in range(first, end):
            v = row[offset + j * stride]
            better = (place[j - start] < 0) | (v > best[j - start]) | (v != v)
            best[j - start] = v if better else best[j - start]
            place[j - start] = i32(number + offset + j * stride) if better else place[j - start]


@native(
    "T g[*images, oh, ow], T x[*images, height, width], i64 kh, i64 kw, i64 sh, i64 sw, i64 ph,"
    "i64 pw, i64 dh, i64 dw, out T gx[like x]"
)
def max_pool2d_gradient(g, x, kh, kw, sh, sw, ph, pw, dh, dw, gx, images, oh, ow, height, width):
    """g at the first largest element of each window; the last NaN counts as largest."""
    best = stack("T", 256)
    place = stack("i32", 256)
    if height * width > 2000000000:
        return False
    for k in shared(images):
        image = x[k * height * width :]
        into = gx[k * height * width :]
        for j in range(height * width):
            into[j] = 0.0
        for i in range(oh):
            start = 0
            while start < ow:
                stop = min(start + 256, ow)
                for j in range(256):
                    place[j] = i32(-1)
                for a in range(kh):
                    r = i * sh - ph + a * dh
                    if r >= 0 and r < height:
                        for b in range(kw):
                            offset = b * dw - pw
                            first = max(start, first_inside(offset, sw))
                            end = min(stop, end_inside(offset, sw, width, ow))
                            row = image[r * width :]
                            take_places(best, place, row, r * width, first, end, start, offset, sw)
                for j in range(start, stop):
                    at = i64(place[j - start])
                    if at >= 0:
                        into[at] = into[at] + g[(k * oh + i) * ow + j]
                start = stop


@native("T x[*images, height, width], i64 oh, i64 ow, out T y[images, oh, ow]")
def avg_pool_halves(x, oh, ow, y, images, height, width):
    """The mean of each 2 x 2 block."""
    for k in shared(images):
        for i in range(oh):
            above = x[(k * height + 2 * i) * width :]
            below = above[width:]
            into = y[(k * oh + i) * ow :]
            for j in narrow(ow):
                left = above[2 * j] + below[2 * j]
                right = above[2 * j + 1] + below[2 * j + 1]
                into[j] = (left + right) * 0.25


@native("T g[*images, oh, ow], i64 height, i64 width, out T gx[images, height, width]")
def avg_pool_halves_gradient(g, height, width, gx, images, oh, ow):
    """A quarter of g to each element of its 2 x 2 block."""
    for k in shared(images):
        for j in range((k * height + 2 * oh) * width, (k + 1) * height * width):
            gx[j] = 0.0
        for i in range(oh):
            above = gx[(k * height + 2 * i) * width :]
            below = above[width:]
            for j in range(2 * ow, width):
                above[j] = 0.0
                below[j] = 0.0
            row = g[(k * oh + i) * ow :]
            for j in narrow(ow):
                share = row[j] * 0.25
                above[2 * j] = share
                above[2 * j + 1] = share
                below[2 * j] = share
                below[2 * j + 1] = share


@native(
    "T x[*images, height, width], i64 oh, i64 ow, i64 kh, i64 kw, i64 sh, i64 sw, i64 ph, i64 pw,"
    "bool padded, i64 divisor, out T y[images, oh, ow]"
)
def avg_pool2d(
    x, oh, ow, kh, kw, sh, sw, ph, pw, padded, divisor, y, images, height, width
):  # fmt: skip
    """The mean of each window."""
    for k in shared(images):
        for i in range(oh):
            into = y[(k * oh + i) * ow :]
            for j in range(ow):
                into[j] = 0.0
            for a in range(kh):
                r = i * sh - ph + a
                if r >= 0 and r < height:
                    row = x[(k * height + r) * width :]
                    for b in range(kw):
                        first = first_inside(b - pw, sw)
                        end = end_inside(b - pw, sw, width, ow)
                        add_elements(into, row, first, end, b - pw, sw)
            for j in range(ow):
                size = window_size(i * sh - ph, j * sw - pw, kh, kw, ph, pw, height, width, padded)
                into[j] = into[j] / T(divisor if divisor > 0 else size)


@inlined
def add_elements(into, row, first, end, offset, stride):
    """into[j] += row[offset + j * stride]; the usual strides vectorise."""
    if stride == 1:
        for j in short(first, end):
            into[j] = into[j] + row[offset + j]
    elif stride == 2:
        for j in range(first, end):
            into[j] = into[j] + row[offset + 2 * j]
    else:
        for j in range(first, end):
            into[j] = into[j] + row[offset + j * stride]


@inlined
def window_size(top, left, kh, kw, ph, pw, height, width, padded):
    """Elements of a window, with those in the padding or without."""
    whole = (min(top + kh, height + ph) - top) * (min(left + kw, width + pw) - left)
    rows = min(top + kh, height) - max(top, 0)
    return whole if padded else rows * (min(left + kw, width) - max(left, 0))


@native(
    "T g[*images, oh, ow], i64 height, i64 width, i64 kh, i64 kw, i64 sh, i64 sw, i64 ph, i64 pw,"
    "bool padded, i64 divisor, out T gx[images, height, width]"
)
def avg_pool2d_gradient(
    g, height, width, kh, kw, sh, sw, ph, pw, padded, divisor, gx, images, oh, ow
):  # fmt: skip
    """Each mean's gradient spread over its window."""
    for k in shared(images):
        into = gx[k * height * width :]
        for j in range(height * width):
            into[j] = 0.0
        for i in range(oh):
            for j in range(ow):
                size = window_size(i * sh - ph, j * sw - pw, kh, kw, ph, pw, height, width, padded)
                share = g[(k * oh + i) * ow + j] / T(divisor if divisor > 0 else size)
                for r in range(max(i * sh - ph, 0), min(i * sh - ph + kh, height)):
                    for c in range(max(j * sw - pw, 0), min(j * sw - pw + kw, width)):
                        into[r * width + c] = into[r * width + c] + share
