"""Convolutions of 1 to 3 spatial dimensions on arrays: windows as columns, then one matrix product.

Columns are built for a few images at a time, so that they are still in the cache when BLAS reads
them. With stride 1 a kernel offset is a constant shift in the padded image's memory, so a column
is copied as one long run; the few positions that straddle rows are computed too and cut off.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .conv_scatter import add_columns, scattered
from .conv_winograd import fewer_products, fewer_products_gradient
from .halves import wide
from .kernels import LARGE, fast, gathered_product
from .layout import as_channels_last, has_channels_last

_FEWEST_ROWS = 8  # output channels of a group below which tiles would be mostly empty
_CHUNK = 1 << 18  # elements of the columns of one chunk
_MANY_PLACES, _FEW_WINDOWS = (
    1 << 14,
    64,
)  # windows are few against 64 places each, if these are many


class Geometry:
    """The sizes of one convolution of x (N, C, *spatial) with w (O, C / groups, *kernel); they
    never change."""

    def __init__(self, x_shape, w_shape, stride, padding, dilation, groups, out=None, padded=None):
        self.channels, self.outputs = x_shape[1], w_shape[0]
        self.spatial, self.kernel = tuple(x_shape[2:]), tuple(w_shape[2:])
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.groups = groups
        self.products: dict[tuple[int, bool], Any] = {}  # as they were asked for
        even = tuple(n + 2 * p for n, p in zip(self.spatial, padding, strict=True))
        # Zeros on the far sides of an image may be more or fewer than on the near ones.
        self.padded, self.even = padded or even, padded is None
        # A transposed convolution may be asked for more room than its windows reach into: then
        # there are fewer windows (`out`) than would fit.
        self.out = self.fitting() if out is None else tuple(out)
        rows = math.prod(self.kernel) * (self.channels // groups)
        shifts = all(s == 1 for s in stride)
        # Runs pay when cutting off their extra positions costs less than short copies.
        self.run = shifts and len(self.out) > 1 and self.outputs // groups <= 2 * rows

    def fitting(self):
        """How many windows have room in the padded image."""
        return tuple(
            (n - d * (k - 1) - 1) // s + 1
            for n, k, s, d in zip(self.padded, self.kernel, self.stride, self.dilation, strict=True)
        )

    @functools.cached_property
    def plain(self):
        """Whether windows are single points: the image is its own columns."""
        return (
            all(k == 1 for k in self.kernel)
            and all(s == 1 for s in self.stride)
            and not any(self.padding)
            and self.out == self.spatial
        )

    @functools.cached_property
    def sparse(self):
        """Whether there are far fewer windows than places: most of what they see is padding."""
        return math.prod(self.spatial) > max(_MANY_PLACES, _FEW_WINDOWS * math.prod(self.out))

    @functools.cached_property
    def thinned(self):
        """Whether windows are single points, not all of which are seen."""
        return (
            all(k == 1 for k in self.kernel)
            and any(s > 1 for s in self.stride)
            and not any(self.padding)
        )

    def seen(self, x):
        """The points that such windows see, as an image of their own."""
        if len(self.out) == 2 and x.flags.c_contiguous and x.size >= _CHUNK // 16:
            made = fast.points_seen(x, *self.out, *self.stride)
            if made is not None:
                return made.reshape(*x.shape[:2], *self.out)
        places = (slice(0, s * (n - 1) + 1, s) for s, n in _pairs(self.stride, self.out))
        return np.ascontiguousarray(x[(..., *places)])

    @functools.cached_property
    def row_strides(self):
        """Elements to the next index, per spatial dimension of the padded image."""
        strides = [1]
        for n in self.padded[:0:-1]:
            strides.insert(0, strides[0] * n)
        return strides

    @functools.cached_property
    def length(self):
        """Positions per column: all outputs, or the run that covers them."""
        if not self.run:
            return math.prod(self.out)
        return sum((n - 1) * s for n, s in zip(self.out, self.row_strides, strict=True)) + 1

    @functools.cached_property
    def room(self):
        """Positions of a run filled up to whole rows."""
        return self.out[0] * self.row_strides[0] if self.run else self.length

    @functools.cached_property
    def columns(self):
        """Rows of the column matrix of one group."""
        return self.channels // self.groups * math.prod(self.kernel)

    def chunk(self, n):
        """How many images to treat at a time."""
        per_image = max(1, self.columns * self.groups * self.length)
        return max(1, min(n, _CHUNK // per_image))

    # ---- as products with a gathered factor ------------------------------------------------------

    def worth_gathering(self, x):
        """Whether machine code that gathers windows beats building columns."""
        rows = self.outputs // self.groups
        work = len(x) * rows * self.columns * math.prod(self.out)
        return x.dtype.char in "fd" and rows >= _FEWEST_ROWS and work >= LARGE

    def kernel_places(self, size):
        """Where the elements of a kernel lie, seen from the first of a window: in bytes of elements
        of some size, or for 0 in elements."""
        strides = (s * d for s, d in _pairs(self.row_strides, self.dilation))
        shape = (self.channels // self.groups, *self.kernel)
        return _places((math.prod(self.padded), *strides), shape, size)

    def window_places(self, size):
        """Where windows begin in a padded image, as kernel_places says it."""
        strides = [s * k for s, k in _pairs(self.row_strides, self.stride)]
        return _places(strides, self.out, size)

    def gathered(self, size, by_window=False):
        """(places by row, places by column, border) of products with elements of this size, whose
        rows are elements of kernels and columns windows, or the other way round."""
        found = self.products.get((size, by_window))
        if found is None:
            rows, columns = self.kernel_places, self.window_places
            if by_window:
                rows, columns = columns, rows
            found = rows(size), columns(0), self.border(size)
            self.products[size, by_window] = found
        return found

    def border(self, size):
        """How an image of one group is copied into the middle of zeros; None without padding."""
        if self.padded == self.spatial:
            return None
        missing = (1,) * (3 - len(self.spatial))
        channels = self.channels // self.groups
        spatial, padded = (*missing, *self.spatial), (*missing, *self.padded)
        steps = [size * n for n in (padded[1] * padded[2], padded[2], 1)]
        padding = (*((0,) * len(missing)), *self.padding)
        first = sum(p * s for p, s in _pairs(padding, steps))
        channel, wide_channel = size * math.prod(spatial), size * math.prod(padded)
        return (
            channels, spatial[0], spatial[1], size * spatial[2], channel,
            size * spatial[1] * spatial[2], size * spatial[2], wide_channel, steps[0], steps[1],
            first, channels * wide_channel,
        )  # fmt: skip

    def of_group(self, array, group, count):
        """The channels of one group, `count` in each."""
        return array[:, group * count : (group + 1) * count]


@functools.lru_cache(maxsize=256)
def geometry_of(x_shape, w_shape, stride, padding, dilation, groups, out=None, padded=None):
    """The same geometry for the same sizes, with the places that it has found."""
    return Geometry(x_shape, w_shape, stride, padding, dilation, groups, out, padded)


def _pairs(a, b):
    return zip(a, b, strict=True)


def _places(strides, shape, size):
    """stride * index, summed over dimensions, for every index of `shape`; times a size, if any."""
    places = np.zeros((), np.int64)
    for stride, n in _pairs(strides, shape):
        places = places[..., None] + stride * np.arange(n)
    places = places.ravel()
    return places * size if size else places.astype(np.int32)


def in_c_order(x):
    """The array, or a copy of it, in C order."""
    if x.ndim == 4 and x.size >= _CHUNK // 16 and has_channels_last(x):
        n, channels, height, width = x.shape
        into = np.empty((n, channels, height * width, 1), x.dtype)
        rows = x.transpose(0, 2, 3, 1).reshape(n, height * width, channels, 1)
        if fast.swap_blocks(into, rows, n * channels) is not None:
            return into.reshape(x.shape)
    return np.ascontiguousarray(x)


def gather_forward(x, w, b, g, out):
    """Fill out with the convolution; False where that is left to columns."""
    if not g.worth_gathering(x):
        return False
    x = in_c_order(x)
    rows, columns, border = g.gathered(x.itemsize)
    inputs, outputs = g.channels // g.groups, g.outputs // g.groups
    kernels = w.reshape(g.groups, outputs, g.columns)
    if x.itemsize not in kernels.strides[-2:]:
        kernels = np.ascontiguousarray(kernels)
    return all(
        gathered_product(
            kernels[i],
            g.of_group(x, i, inputs),
            rows,
            columns,
            g.of_group(out, i, outputs).reshape(len(x), outputs, -1),
            border,
            None if b is None else b[i * outputs : (i + 1) * outputs],
        )
        for i in range(g.groups)
    )


def gather_weight_gradient(x, gy, g):
    """The gradient of the kernels, (groups, outputs, columns); None where left to columns."""
    if not g.worth_gathering(x):
        return None
    x, gy = in_c_order(x), in_c_order(gy)
    rows, columns, border = g.gathered(x.itemsize, by_window=True)
    inputs, outputs = g.channels // g.groups, g.outputs // g.groups
    total = np.empty((g.groups, outputs, g.columns), x.dtype)
    for i in range(g.groups):
        part = g.of_group(gy, i, outputs).reshape(len(x), outputs, -1)
        if not gathered_product(part, g.of_group(x, i, inputs), rows, columns, total[i], border):
            return None
    return total


def pad_into(buffer, x, geometry):
    """x in the middle of a zeroed buffer."""
    inner = tuple(slice(p, p + n) for p, n in zip(geometry.padding, geometry.spatial, strict=True))
    buffer[(slice(0, len(x)), slice(None), *inner)] = x


class Columns:
    """Builds the columns of chunks of images, reusing its buffers."""

    def __init__(self, x, geometry):
        self.x, self.geometry = x, geometry
        self.size = geometry.chunk(len(x))
        g = geometry
        self.padded: Any = None
        self.buffer: Any = None
        if not g.plain:
            if g.padded != g.spatial or not x.flags.c_contiguous:
                self.padded = np.zeros((self.size, g.channels, *g.padded), x.dtype)
            self.buffer = np.empty((self.size, g.groups, g.columns, g.length), x.dtype)

    def chunks(self):
        """(first, end, columns of shape (images, groups, columns, positions))."""
        for start in range(0, len(self.x), self.size):
            part = self.x[start : start + self.size]
            yield start, start + len(part), self.of(part)

    def of(self, part):
        g = self.geometry
        m = len(part)
        if g.plain:
            return part.reshape(m, g.groups, g.columns, g.length)
        if self.padded is not None:
            pad_into(self.padded, part, g)
            part = self.padded[:m]
        outer, item = part.strides[:2], part.itemsize
        steps = [s * item for s in g.row_strides]
        offsets = [s * d for s, d in zip(steps, g.dilation, strict=True)]
        if g.run:
            shape, strides = (g.length,), (item,)
        else:
            shape = g.out
            strides = tuple(s * k for s, k in zip(steps, g.stride, strict=True))
        seen = (m, g.channels, *g.kernel, *shape)
        view = np.ndarray(seen, part.dtype, part, 0, (*outer, *offsets, *strides))
        columns = self.buffer[:m]
        columns.reshape(view.shape)[...] = view
        return columns


def in_format(out, x, w):
    """A result with channels last in memory if an operand has them last, as PyTorch's."""
    if has_channels_last(x) or has_channels_last(w):
        if out.ndim == 4 or out.dtype.char != "d":
            return as_channels_last(out)
    return out


def conv_forward(x, w, b, stride, padding, dilation, groups, tried=False):
    """x * w (+ b): (N, O, *out); `tried` says that fewer products are not for it."""
    dtype = x.dtype
    x, w = wide(x), wide(w)
    g = geometry_of(x.shape, w.shape, stride, padding, dilation, groups)
    if g.thinned:
        x, stride = g.seen(x), (1,) * len(stride)
        g = geometry_of(x.shape, w.shape, stride, padding, dilation, groups)
    out = _convolved(x, w, None if b is None else wide(b), g, tried)
    return out.astype(dtype, copy=False)


def _convolved(x, w, b, g, tried=False):
    """The same by a geometry, of numbers that are not halves."""
    n, groups, per_group = len(x), g.groups, g.outputs // g.groups
    out = np.empty((n, g.outputs, *g.out), x.dtype)
    if not out.size:
        return out
    if groups > 1:
        from .conv_windows import forward

        direct = forward(x, w, b, g)
        if direct is not None:
            return direct
    if not tried and fewer_products(x, w, b, g, out):
        return out
    if gather_forward(x, w, b, g, out):
        return out
    kernel = np.ascontiguousarray(w).reshape(groups, per_group, g.columns)
    grouped = out.reshape(n, groups, per_group, -1)
    columns = Columns(x if x.flags.c_contiguous or not g.plain else x.copy(), g)
    buffer = np.empty((columns.size, groups, per_group, g.room), x.dtype) if g.run else None
    for start, end, cols in columns.chunks():
        if buffer is None:
            np.matmul(kernel, cols, out=grouped[start:end])
            continue
        part = buffer[: end - start]
        np.matmul(kernel, cols, out=part[..., : g.length])
        rows = part.reshape(end - start, g.outputs, g.out[0], *g.padded[1:])
        out[start:end] = rows[(..., *(slice(0, k) for k in g.out[1:]))]
    if b is not None:
        out += b.reshape(-1, *([1] * len(g.out)))
    return out


def conv_weight_gradient(x, gy, w_shape, stride, padding, dilation, groups):
    """The derivative of sum(gy * conv(x, w)) by w."""
    dtype = x.dtype
    x, gy = wide(x), wide(gy)
    g = geometry_of(x.shape, tuple(w_shape), stride, padding, dilation, groups, gy.shape[2:])
    if g.thinned:
        x, stride = g.seen(x), (1,) * len(stride)
        g = geometry_of(x.shape, tuple(w_shape), stride, padding, dilation, groups)
    per_group = g.outputs // groups
    total = np.zeros((groups, per_group, g.columns), x.dtype)
    if not gy.size or not x.size:
        return total.reshape(w_shape).astype(dtype, copy=False)
    gathered = None
    if groups > 1:
        from .conv_windows import weight_gradient

        gathered = weight_gradient(x, gy, g)
    if gathered is None:
        gathered = fewer_products_gradient(x, gy, g)
    if gathered is None:
        gathered = gather_weight_gradient(x, gy, g)
    if gathered is not None:
        return gathered.reshape(w_shape).astype(dtype, copy=False)
    columns = Columns(x if x.flags.c_contiguous or not g.plain else x.copy(), g)
    spread = (
        np.zeros((columns.size, g.outputs, g.out[0], *g.padded[1:]), x.dtype) if g.run else None
    )
    for start, end, cols in columns.chunks():
        if spread is None:
            part = gy[start:end].reshape(end - start, groups, per_group, -1)
        else:
            rows = spread[: end - start]
            rows[(..., *(slice(0, k) for k in g.out[1:]))] = gy[start:end]
            part = rows.reshape(end - start, groups, per_group, -1)[..., : g.length]
        total += np.matmul(part, cols.swapaxes(-1, -2)).sum(0)
    return total.reshape(w_shape).astype(dtype, copy=False)


def conv_input_gradient(gy, w, spatial, stride, padding, dilation, groups):
    """The derivative of sum(gy * conv(x, w)) by x: a transposed convolution."""
    dtype = gy.dtype
    gy, w = wide(gy), wide(w)
    x_shape = (len(gy), w.shape[1] * groups, *spatial)
    g = geometry_of(x_shape, w.shape, stride, padding, dilation, groups, gy.shape[2:])
    back = tuple(d * (k - 1) - p for d, k, p in zip(dilation, g.kernel, padding, strict=True))
    if all(s == 1 for s in stride) and min(back) >= 0 and g.out == g.fitting() and not g.sparse:
        out = _flipped(gy, w, back, g)
    else:
        out = None
        if groups > 1 and gy.size:
            from .conv_windows import input_gradient

            out = input_gradient(gy, w, g)
        if out is None and g.thinned and g.out == g.fitting():
            out = _spread(gy, w, x_shape, g)
        if out is None:
            out = (_in_phases if _suits_phases(gy, g) else scattered)(gy, w, x_shape, g)
    return out.astype(dtype, copy=False)


def _spread(gy, w, x_shape, g):
    """Windows of single points: what was not seen has no gradient."""
    nd = len(g.stride)
    out = np.zeros(x_shape, gy.dtype)
    ones, none = (1,) * nd, (0,) * nd
    seen = conv_forward(gy, _turned(w, (slice(None),) * nd, g), None, ones, none, ones, g.groups)
    _put(out, seen, none, g.stride)
    return out


def _put(out, part, first, stride):
    """The part into every place of the images that lies a number of strides from the first."""
    large = part.ndim == 4 and part.size >= _CHUNK // 16 and part.flags.c_contiguous
    if not large or fast.put_points(out, part, *first, *stride) is None:
        ends = (f + s * (n - 1) + 1 for f, s, n in zip(first, stride, part.shape[2:], strict=True))
        out[(..., *(slice(f, e, s) for f, e, s in zip(first, ends, stride, strict=True)))] = part


def _flipped(gy, w, padding, g):
    """Stride 1: the convolution of gy with the flipped kernels, inputs and outputs exchanged."""
    nd = len(g.kernel)
    tried = g.kernel == (3, 3) and g.groups == 1
    if tried:
        shape = (g.channels, g.outputs, 3, 3)
        back = geometry_of(gy.shape, shape, g.stride, padding, g.dilation, 1)
        out = np.empty((len(gy), g.channels, *g.spatial), gy.dtype)
        if fewer_products(gy, w, None, back, out, flipped=True):
            return out
    flipped = _turned(w, (slice(None, None, -1),) * nd, g)
    return conv_forward(gy, flipped, None, (1,) * nd, padding, g.dilation, g.groups, tried)


def _turned(w, places, g):
    """Elements of the kernels at some places, inputs and outputs of each group exchanged."""
    per_group, inputs = g.outputs // g.groups, g.channels // g.groups
    several = math.prod(g.kernel) > 1  # else it is a view
    if several and g.groups == 1 and w.flags.c_contiguous and w.size >= _CHUNK // 16:
        picks = np.arange(math.prod(g.kernel)).reshape(g.kernel)[places]
        made = fast.turned_kernels(w.reshape(*w.shape[:2], -1), np.ascontiguousarray(picks).ravel())
        if made is not None:
            return made.reshape(g.channels, g.outputs, *picks.shape)
    part = w[(..., *places)]
    taps = part.shape[2:]
    part = part.reshape(g.groups, per_group, inputs, *taps).swapaxes(1, 2)
    return part.reshape(g.channels, per_group, *taps)


def _suits_phases(gy, g):
    """Whether the positions of each remainder by the stride are worth a convolution each."""
    rows = g.channels // g.groups
    work = gy.size * rows * math.prod(g.kernel)
    return (
        len(g.kernel) == 2
        and all(d == 1 for d in g.dilation)
        and all(k >= s for k, s in _pairs(g.kernel, g.stride))
        and rows >= _FEWEST_ROWS
        and gy.dtype.char in "fd"
        and work >= 4 * LARGE
    )


def _in_phases(gy, w, x_shape, g):
    """Any stride: positions with one remainder by it see the same elements of the kernels, so each
    such set is a convolution of gy with these elements, flipped."""
    out = np.zeros(x_shape, gy.dtype)
    for first in np.ndindex(*g.stride):
        lines = list(
            zip(first, g.stride, g.kernel, g.padding, g.spatial, gy.shape[2:], strict=True)
        )
        part = _turned(w, tuple(_taps(f, s, k) for f, s, k, *_ in lines), g)
        ends = [_phase(*line) for line in lines]
        counts = tuple(e.count for e in ends)
        if 0 in counts:
            continue
        room, before = tuple(e.room for e in ends), tuple(e.before for e in ends)
        seen = gy[(..., *(slice(e.unseen, None) for e in ends))]
        phase = geometry_of(seen.shape, part.shape, (1, 1), before, (1, 1), g.groups, counts, room)
        _put(out, _convolved(seen, part, None, phase), tuple(e.start for e in ends), g.stride)
    return out


def _taps(first, stride, kernel):
    """The elements of a kernel that positions of one remainder see, from the last to the first."""
    last = first + (kernel - 1 - first) // stride * stride
    return slice(last, first - stride if first >= stride else None, -stride)


class _Phase(NamedTuple):
    """Positions of one remainder along an axis of an image, as windows on an axis of gradients."""

    start: int  # the first of them
    count: int
    unseen: int  # gradients before those that any window sees
    before: int  # zeros before the others
    room: int  # places in all, with zeros


def _phase(first, stride, kernel, padding, size, windows):
    """See _Phase."""
    taps = -((first - kernel) // stride)
    skipped = max(0, -((first - padding) // stride))  # windows that lie before the image
    start = first - padding + stride * skipped
    count = max(0, min(windows + taps - 1 - skipped, -((start - size) // stride)))
    before = max(0, taps - 1 - skipped)
    unseen = min(max(0, skipped - taps + 1), windows)
    room = max(count + taps - 1, before + windows - unseen)
    return _Phase(start, count, unseen, before, room)


# ---- windows as columns --------------------------------------------------------------------------


def windows_as_columns(x, kernel, dilation, padding, stride):
    """(N, C * kernel, positions) of x (N, C, *spatial)."""
    g = Geometry(x.shape, (1, x.shape[1], *kernel), stride, padding, dilation, 1)
    padded = np.zeros((len(x), g.channels, *g.padded), x.dtype)
    pad_into(padded, x, g)
    outer, steps = padded.strides[:2], padded.strides[2:]
    view = as_strided(
        padded,
        (len(x), g.channels, *kernel, *g.out),
        (
            *outer,
            *(s * d for s, d in zip(steps, dilation, strict=True)),
            *(s * k for s, k in zip(steps, stride, strict=True)),
        ),
        writeable=False,
    )
    shape = (len(x), g.channels * math.prod(kernel), math.prod(g.out))
    return np.array(view, order="C").reshape(shape)


def columns_into_image(y, size, kernel, dilation, padding, stride):
    """Columns (N, C * kernel, positions) added where windows_as_columns took them from."""
    dtype, y = y.dtype, wide(y)
    channels = y.shape[1] // math.prod(kernel)
    g = Geometry((len(y), channels, *size), (1, channels, *kernel), stride, padding, dilation, 1)
    padded = np.zeros((len(y), channels, *g.padded), y.dtype)
    cols = y.reshape(len(y), channels, math.prod(kernel), *g.out)
    add_columns(padded, cols, g)
    inner = tuple(slice(p, p + m) for p, m in zip(padding, size, strict=True))
    return np.ascontiguousarray(padded[(..., *inner)]).astype(dtype, copy=False)
