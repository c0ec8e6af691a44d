"""Pooling of images (..., height, width): largest elements and means of windows."""

from __future__ import annotations

from .language import T, inlined, max, maximum, min, native, shared  # noqa: A004 - kernels' words


@native(
    "T x[*images, height, width], i64 oh, i64 ow, i64 kh, i64 kw, i64 sh, i64 sw, i64 ph, i64 pw,"
    "i64 dh, i64 dw, out T y[images, oh, ow]"
)
def max_pool2d(x, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw, y, images, height, width):
    """The largest element of each window; NaN counts as largest."""
    for k in shared(images):
        image = x[k * height * width :]
        for i in range(oh):
            into = y[(k * oh + i) * ow :]
            for j in range(ow):
                into[j] = window_maximum(
                    image, i * sh - ph, j * sw - pw, kh, kw, dh, dw, height, width
                )


@inlined
def window_maximum(image, top, left, kh, kw, dh, dw, height, width):
    """The largest element of a window that may reach beyond the image."""
    best = T(-1.0) / T(0.0)
    for a in range(kh):
        r = top + a * dh
        if r >= 0 and r < height:
            for b in range(kw):
                c = left + b * dw
                if c >= 0 and c < width:
                    best = maximum(best, image[r * width + c])
    return best


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
            for j in range(ow):
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


@native(
    "T g[*images, oh, ow], T x[*images, height, width], i64 kh, i64 kw, i64 sh, i64 sw, i64 ph,"
    "i64 pw, i64 dh, i64 dw, out T gx[like x]"
)
def max_pool2d_gradient(g, x, kh, kw, sh, sw, ph, pw, dh, dw, gx, images, oh, ow, height, width):
    """g at the first largest element of each window; the last NaN counts as largest."""
    for k in shared(images):
        image = x[k * height * width :]
        into = gx[k * height * width :]
        for j in range(height * width):
            into[j] = 0.0
        for i in range(oh):
            for j in range(ow):
                top = i * sh - ph
                left = j * sw - pw
                place = -1
                best = T(0.0)
                for a in range(kh):
                    r = top + a * dh
                    if r >= 0 and r < height:
                        for b in range(kw):
                            c = left + b * dw
                            if c >= 0 and c < width:
                                v = image[r * width + c]
                                if place < 0 or v > best or v != v:
                                    place = r * width + c
                                    best = v
                if place >= 0:
                    into[place] = into[place] + g[(k * oh + i) * ow + j]


@native(
    "T x[*images, height, width], i64 oh, i64 ow, i64 kh, i64 kw, i64 sh, i64 sw, i64 ph, i64 pw,"
    "bool padded, i64 divisor, out T y[images, oh, ow]"
)
def avg_pool2d(
    x, oh, ow, kh, kw, sh, sw, ph, pw, padded, divisor, y, images, height, width
):  # fmt: skip
    """The mean of each window."""
    for k in shared(images):
        image = x[k * height * width :]
        for i in range(oh):
            for j in range(ow):
                top = max(i * sh - ph, 0)
                left = max(j * sw - pw, 0)
                bottom = min(i * sh - ph + kh, height)
                right = min(j * sw - pw + kw, width)
                total = T(0.0)
                for r in range(top, bottom):
                    for c in range(left, right):
                        total = total + image[r * width + c]
                size = window_size(i * sh - ph, j * sw - pw, kh, kw, ph, pw, height, width)
                inside = (bottom - top) * (right - left)
                size = size if padded else inside
                y[(k * oh + i) * ow + j] = total / T(divisor if divisor > 0 else size)


@inlined
def window_size(top, left, kh, kw, ph, pw, height, width):
    """Elements of a window, those in the padding included."""
    return (min(top + kh, height + ph) - top) * (min(left + kw, width + pw) - left)


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
                top = max(i * sh - ph, 0)
                left = max(j * sw - pw, 0)
                bottom = min(i * sh - ph + kh, height)
                right = min(j * sw - pw + kw, width)
                size = window_size(i * sh - ph, j * sw - pw, kh, kw, ph, pw, height, width)
                inside = (bottom - top) * (right - left)
                size = size if padded else inside
                share = g[(k * oh + i) * ow + j] / T(divisor if divisor > 0 else size)
                for r in range(top, bottom):
                    for c in range(left, right):
                        into[r * width + c] = into[r * width + c] + share
