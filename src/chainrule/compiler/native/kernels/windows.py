"""Convolutions of groups with few channels, as one channel each: images (n, channels, h, w).

A strip of an image is copied into planes on the stack, with zeros where windows reach beyond it:
one plane for each remainder of the row and the column by the stride.  All that one element of a
kernel meets then lies in one run of memory, for every stride, and a strip of the result is one
long loop over all elements of the kernel.  The positions between the lines of the result are
computed too and left out when they are copied.
"""

from __future__ import annotations

from ..language.words import T, accumulate, f64, inlined, native, shared, short, stack
from .pooling import end_inside, first_inside

ROOM = 16384  # elements of the planes of a strip
TAPS = 128  # elements of a kernel


@inlined
def strip_rows(oh, ow, inputs, kh, kw, sh, sw, dh, dw):
    """How many lines of the result are computed at a time; 0 where planes have no room."""
    width = ow + (kw - 1) * dw // sw
    lines = ROOM // (width * sh * sw * inputs) - (kh - 1) * dh // sh
    return min(oh, lines) if kh * kw <= TAPS else 0


@inlined
def copy_line(into, source, offset, stride, width, count):
    """into[j] = source[offset + j * stride], zeros where that is beyond the line."""
    first = min(first_inside(offset, stride), count)
    end = max(end_inside(offset, stride, width, count), first)
    for j in range(first):
        into[j] = 0.0
    if stride == 1:
        for j in range(first, end):
            into[j] = source[offset + j]
    elif stride == 2:
        for j in range(first, end):
            into[j] = source[offset + 2 * j]
    else:
        for j in range(first, end):
            into[j] = source[offset + j * stride]
    for j in range(end, count):
        into[j] = 0.0


@inlined(apart=True)
def copy_planes(planes, image, top, rows, across, height, width, sh, sw, ph, pw):
    """Lines of an image from `top` on (counted in strides) as planes of `rows` x `across`."""
    for p in range(sh):
        for r in range(rows):
            line = (top + r) * sh + p - ph
            for q in range(sw):
                into = planes[((p * sw + q) * rows + r) * across :]
                if line >= 0 and line < height:
                    copy_line(into, image[line * width :], q - pw, sw, width, across)
                else:
                    for j in range(across):
                        into[j] = 0.0


@inlined
def find_places(place, rows, across, kh, kw, sh, sw, dh, dw):
    """Where the element of a plane lies that each element of a kernel meets first."""
    for a in range(kh):
        for b in range(kw):
            plane = a * dh % sh * sw + b * dw % sw
            place[a * kw + b] = (plane * rows + a * dh // sh) * across + b * dw // sw


@inlined(apart=True)
def add_nine(into, planes, w, place, count):
    """A kernel of nine elements in one pass."""
    x0 = planes[place[0] :]
    x1 = planes[place[1] :]
    x2 = planes[place[2] :]
    x3 = planes[place[3] :]
    x4 = planes[place[4] :]
    x5 = planes[place[5] :]
    x6 = planes[place[6] :]
    x7 = planes[place[7] :]
    x8 = planes[place[8] :]
    w0 = w[0]
    w1 = w[1]
    w2 = w[2]
    w3 = w[3]
    w4 = w[4]
    w5 = w[5]
    w6 = w[6]
    w7 = w[7]
    w8 = w[8]
    for j in range(count):
        above = into[j] + x0[j] * w0 + x1[j] * w1 + x2[j] * w2
        beside = x3[j] * w3 + x4[j] * w4 + x5[j] * w5
        below = x6[j] * w6 + x7[j] * w7 + x8[j] * w8
        into[j] = above + beside + below


@inlined(apart=True)
def add_some(into, planes, w, place, first, taps, count):
    """Elements of a kernel from `first` on: five in one pass, or one."""
    t = first
    while t + 5 <= taps:
        x0 = planes[place[t] :]
        x1 = planes[place[t + 1] :]
        x2 = planes[place[t + 2] :]
        x3 = planes[place[t + 3] :]
        x4 = planes[place[t + 4] :]
        w0 = w[t]
        w1 = w[t + 1]
        w2 = w[t + 2]
        w3 = w[t + 3]
        w4 = w[t + 4]
        for j in range(count):
            one = into[j] + x0[j] * w0 + x1[j] * w1
            into[j] = one + (x2[j] * w2 + x3[j] * w3 + x4[j] * w4)
        t += 5
    while t < taps:
        only = planes[place[t] :]
        factor = w[t]
        for j in range(count):
            into[j] = into[j] + only[j] * factor
        t += 1


@native(
    "T x[n, channels, height, width], T w[outputs, inputs, kh, kw], T? b[outputs], i64 turns,"
    "i64 oh, i64 ow, i64 sh, i64 sw, i64 ph, i64 pw, i64 dh, i64 dw, out T y[n, outputs, oh, ow]"
)
def window_sums(
    x, w, b, turns, oh, ow, sh, sw, ph, pw, dh, dw, y,
    n, channels, height, width, outputs, inputs, kh, kw,
):  # fmt: skip
    """The convolution, group by group: a turn is a group of an image."""
    planes = stack("T", 16384)
    total = stack("T", 16384)
    place = stack("i64", 128)
    taps = kh * kw
    lines = strip_rows(oh, ow, inputs, kh, kw, sh, sw, dh, dw)
    if lines < 1:
        return False
    groups = channels // inputs
    each = outputs // groups
    across = ow + (kw - 1) * dw // sw
    for k in shared(turns):
        top = 0
        while top < oh:
            high = min(lines, oh - top)
            rows = high + (kh - 1) * dh // sh
            count = (high - 1) * across + ow
            size = sh * sw * rows * across
            find_places(place, rows, across, kh, kw, sh, sw, dh, dw)
            for c in range(inputs):
                image = x[(k * inputs + c) * height * width :]
                into = planes[c * size :]
                copy_planes(into, image, top, rows, across, height, width, sh, sw, ph, pw)
            for o in range(each):
                level = T(0.0)
                if b is not None:
                    level = b[k % groups * each + o]
                for j in range(count):
                    total[j] = level
                for c in range(inputs):
                    kernel = w[((k % groups * each + o) * inputs + c) * taps :]
                    if taps == 9:
                        add_nine(total, planes[c * size :], kernel, place, count)
                    else:
                        add_some(total, planes[c * size :], kernel, place, 0, taps, count)
                for i in range(high):
                    row = total[i * across :]
                    into = y[((k * each + o) * oh + top + i) * ow :]
                    for j in range(ow):
                        into[j] = row[j]
            top += high


# ---- gradients -----------------------------------------------------------------------------------


@inlined(apart=True)
def spread_lines(into, g, high, across, ow):
    """Lines of a gradient with zeros between them, as wide as the planes."""
    for i in range(high):
        row = into[i * across :]
        line = g[i * ow :]
        for j in range(ow):
            row[j] = line[j]
        for j in range(ow, across):
            row[j] = 0.0


@inlined(apart=True)
def nine_dots(sums, g, planes, place, count):
    """sums[t] += g times the run of plane that element t of a kernel meets."""
    x0 = planes[place[0] :]
    x1 = planes[place[1] :]
    x2 = planes[place[2] :]
    x3 = planes[place[3] :]
    x4 = planes[place[4] :]
    x5 = planes[place[5] :]
    x6 = planes[place[6] :]
    x7 = planes[place[7] :]
    x8 = planes[place[8] :]
    s0 = T(0.0)
    s1 = T(0.0)
    s2 = T(0.0)
    s3 = T(0.0)
    s4 = T(0.0)
    s5 = T(0.0)
    s6 = T(0.0)
    s7 = T(0.0)
    s8 = T(0.0)
    for j in range(count):
        v = g[j]
        s0 = accumulate(s0, v * x0[j])
        s1 = accumulate(s1, v * x1[j])
        s2 = accumulate(s2, v * x2[j])
        s3 = accumulate(s3, v * x3[j])
        s4 = accumulate(s4, v * x4[j])
        s5 = accumulate(s5, v * x5[j])
        s6 = accumulate(s6, v * x6[j])
        s7 = accumulate(s7, v * x7[j])
        s8 = accumulate(s8, v * x8[j])
    sums[0] += f64(s0)
    sums[1] += f64(s1)
    sums[2] += f64(s2)
    sums[3] += f64(s3)
    sums[4] += f64(s4)
    sums[5] += f64(s5)
    sums[6] += f64(s6)
    sums[7] += f64(s7)
    sums[8] += f64(s8)


@inlined(apart=True)
def some_dots(sums, g, planes, place, taps, count):
    """As nine_dots, one by one."""
    for t in range(taps):
        run = planes[place[t] :]
        s = T(0.0)
        for j in range(count):
            s = accumulate(s, g[j] * run[j])
        sums[t] += f64(s)


@native(
    "T x[n, channels, height, width], T g[n, outputs, oh, ow], i64 pairs, i64 inputs,"
    "i64 kh, i64 kw, i64 sh, i64 sw, i64 ph, i64 pw, i64 dh, i64 dw,"
    "out T gw[outputs, inputs, kh, kw]"
)
def window_weights(
    x, g, pairs, inputs, kh, kw, sh, sw, ph, pw, dh, dw, gw,
    n, channels, height, width, outputs, oh, ow,
):  # fmt: skip
    """The gradient of the kernels; declined where a sum is not a number, which zeros may cause."""
    planes = stack("T", 16384)
    spread = stack("T", 16384)
    place = stack("i64", 128)
    sums = stack("f64", 128)
    taps = kh * kw
    lines = strip_rows(oh, ow, 1, kh, kw, sh, sw, dh, dw)
    if lines < 1:
        return False
    each = outputs * inputs // channels
    across = ow + (kw - 1) * dw // sw
    for k in shared(pairs):
        o = k // inputs
        c = o // each * inputs + k % inputs
        for t in range(taps):
            sums[t] = 0.0
        for m in range(n):
            image = x[(m * channels + c) * height * width :]
            top = 0
            while top < oh:
                high = min(lines, oh - top)
                rows = high + (kh - 1) * dh // sh
                count = (high - 1) * across + ow
                find_places(place, rows, across, kh, kw, sh, sw, dh, dw)
                copy_planes(planes, image, top, rows, across, height, width, sh, sw, ph, pw)
                spread_lines(spread, g[((m * outputs + o) * oh + top) * ow :], high, across, ow)
                if taps == 9:
                    nine_dots(sums, spread, planes, place, count)
                else:
                    some_dots(sums, spread, planes, place, taps, count)
                top += high
        for t in range(taps):
            if sums[t] != sums[t]:
                return False
            gw[k * taps + t] = T(sums[t])


@inlined(apart=True)
def add_runs(planes, spread, w, place, taps, count):
    """planes[place[t] + j] += w[t] * spread[j] for every element t of a kernel."""
    for t in range(taps):
        into = planes[place[t] :]
        factor = w[t]
        for j in range(count):
            into[j] = into[j] + spread[j] * factor


@inlined
def add_line(into, source, offset, stride, width, count):
    """into[offset + j * stride] += source[j], where that is inside of the line."""
    first = min(first_inside(offset, stride), count)
    end = max(end_inside(offset, stride, width, count), first)
    if stride == 1:
        for j in range(first, end):
            into[offset + j] = into[offset + j] + source[j]
    elif stride == 2:
        for j in range(first, end):
            into[offset + 2 * j] = into[offset + 2 * j] + source[j]
    else:
        for j in range(first, end):
            into[offset + j * stride] = into[offset + j * stride] + source[j]


@inlined(apart=True)
def add_planes(image, planes, top, rows, across, height, width, sh, sw, ph, pw):
    """The opposite of copy_planes: what lies in the planes is added to the lines."""
    for p in range(sh):
        for r in range(rows):
            line = (top + r) * sh + p - ph
            if line >= 0 and line < height:
                for q in range(sw):
                    source = planes[((p * sw + q) * rows + r) * across :]
                    add_line(image[line * width :], source, q - pw, sw, width, across)


@native(
    "T g[n, outputs, oh, ow], T w[outputs, inputs, kh, kw], i64 images, i64 height, i64 width,"
    "i64 sh, i64 sw, i64 ph, i64 pw, i64 dh, i64 dw, i64 channels,"
    "out T gx[n, channels, height, width]"
)
def window_images(
    g, w, images, height, width, sh, sw, ph, pw, dh, dw, channels, gx,
    n, outputs, oh, ow, inputs, kh, kw,
):  # fmt: skip
    """The gradient of the images; declined where a weight is infinite, which meets zeros here."""
    planes = stack("T", 16384)
    spread = stack("T", 16384)
    place = stack("i64", 128)
    taps = kh * kw
    lines = strip_rows(oh, ow, 1, kh, kw, sh, sw, dh, dw)
    if lines < 1:
        return False
    groups = channels // inputs
    for t in range(outputs * inputs * taps):
        if w[t] - w[t] != 0.0:
            return False
    each = outputs // groups
    across = ow + (kw - 1) * dw // sw
    for k in shared(images):
        image = gx[k * height * width :]
        group = k // inputs % groups
        for j in range(height * width):
            image[j] = 0.0
        top = 0
        while top < oh:
            high = min(lines, oh - top)
            rows = high + (kh - 1) * dh // sh
            count = (high - 1) * across + ow
            find_places(place, rows, across, kh, kw, sh, sw, dh, dw)
            for j in range(sh * sw * rows * across):
                planes[j] = 0.0
            for o in range(each):
                seen = (k // channels * outputs + group * each + o) * oh + top
                spread_lines(spread, g[seen * ow :], high, across, ow)
                kernel = w[((group * each + o) * inputs + k % inputs) * taps :]
                add_runs(planes, spread, kernel, place, taps, count)
            add_planes(image, planes, top, rows, across, height, width, sh, sw, ph, pw)
            top += high


# ---- points that strides leave out ---------------------------------------------------------------


@native("T x[*planes, height, width], i64 oh, i64 ow, i64 sh, i64 sw, out T y[planes, oh, ow]")
def points_seen(x, oh, ow, sh, sw, y, planes, height, width):
    """Every sh-th line and sw-th column."""
    if (oh - 1) * sh >= height or (ow - 1) * sw >= width:
        return False
    for k in shared(planes):
        for i in range(oh):
            copy_line(y[(k * oh + i) * ow :], x[(k * height + i * sh) * width :], 0, sw, width, ow)


@inlined(apart=True)
def put_line(into, source, stride, count):
    """into[j * stride] = source[j]."""
    if stride == 2:
        for j in range(count):
            into[2 * j] = source[j]
    else:
        for j in range(count):
            into[j * stride] = source[j]


@native("T y[*planes, height, width], T x[*planes, oh, ow], i64 top, i64 left, i64 sh, i64 sw")
def put_points(y, x, top, left, sh, sw, planes, height, width, oh, ow):
    """Elements of x into every sh-th line from `top` on and every sw-th column from `left` on."""
    if top + (oh - 1) * sh >= height or left + (ow - 1) * sw >= width:
        return False
    for k in shared(planes):
        for i in range(oh):
            line = y[(k * height + top + i * sh) * width + left :]
            put_line(line, x[(k * oh + i) * ow :], sw, ow)


# ---- kernels for the way back --------------------------------------------------------------------


@native("T w[outputs, inputs, taps], i64 picks[count], out T f[inputs, outputs, count]")
def turned_kernels(w, picks, f, outputs, inputs, taps, count):
    """Elements of kernels in another order, inputs and outputs exchanged."""
    for t in range(count):
        if picks[t] < 0 or picks[t] >= taps:
            return False
    for c in shared(inputs):
        for o in range(outputs):
            source = w[(o * inputs + c) * taps :]
            into = f[(c * outputs + o) * count :]
            for t in range(count):
                into[t] = source[picks[t]]


@native("T y[outer, b, a, length], T x[outer, a, b, length], i64 turns")
def swap_blocks(y, x, turns, outer, b, a, length):
    """Two axes exchanged; a turn is one row of the result."""
    if turns != outer * b:
        return False
    for k in shared(turns):
        into = y[k * a * length :]
        source = x[(k // b * a * b + k % b) * length :]
        if length == 1:
            for i in range(a):
                into[i] = source[i * b]
        else:
            for i in range(a):
                copy_run(into[i * length :], source[i * b * length :], length)


@inlined(apart=True)
def copy_run(into, source, count):
    """into[j] = source[j]."""
    for j in short(count):
        into[j] = source[j]
