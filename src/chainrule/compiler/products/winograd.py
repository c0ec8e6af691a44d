"""Convolutions of 3x3 with stride 1 by Winograd's products (`native/kernels/winograd_jobs.py`).

Two and a quarter times fewer multiplications than windows times kernels, for sums and differences
around them.  These mix the elements of a tile: where one is much larger than the others or not
finite, its neighbours' results would suffer, so that such images are left to the plain product.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import Any, NamedTuple

import numpy as np

from ...ops.kernels import fast
from ...ops.locks import keep_through_forks
from ..machine import worker_threads
from ..machine.addresses import address
from ..native import library
from ..native.kernels.winograd_jobs import FIELDS
from .gemm import ZEROS_AT
from .gemm_text import blocks, cuts

AT = {name: i for i, name in enumerate(FIELDS)}
_SINGLE = np.dtype(np.float32)
_MANY_TILES = 128  # of a block: its numbers fit into the second-level cache
_FEWEST_TILES = 48  # of a block: products would be mostly border
_ALL_TILES = 128  # fewer of them do not make up for changing the kernels
_FEWEST_CHANNELS = 32
_NUMBERS, _RESULTS = 32768, 16128  # elements of one of the 16 matrices in the workspace
_SUMS, _SMALL_SUM = 4, 1 << 14  # parts of a sum over tiles, and kernels of those that have any
_USED = 0.7  # of the results of all tiles at least
_LARGEST = 1024.0  # amount of an element against the mean, see above
_SAFE = 1e30  # amounts of sums that cannot overflow on the way


class Cut(NamedTuple):
    """How images are cut into blocks of tiles."""

    lines: int  # of tiles, in all
    across: int  # tiles of a line
    images: int  # of a block, where it has all lines of an image
    each: int  # lines of a block
    line: int  # elements from one channel's numbers to the next
    some: int  # outputs whose numbers are computed at a time


@functools.lru_cache(maxsize=256)
def cut_of(count: int, channels: int, high: int, wide: int) -> Cut | None:
    """The blocks for so many images with results of this size; None where they do not pay."""
    lines, across = -(-high // 2), -(-wide // 2)
    tiles = lines * across
    most = min(_MANY_TILES, _NUMBERS // channels // 16 * 16)
    if across > most or most < _FEWEST_TILES or count * tiles < _ALL_TILES:
        return None
    if high * wide < _USED * 4 * tiles:
        return None
    images = max(1, min(count, most // tiles))
    parts = 1 if tiles <= most else -(-lines // (most // across))
    each = -(-lines // parts)
    if images * each * across < _FEWEST_TILES:
        return None
    line = -(-images * each * across // 16) * 16
    line += 16 if channels * (line + 16) <= _NUMBERS else 0
    return Cut(lines, across, images, each, line, _RESULTS // line // 8 * 8)


class Winograd:
    """Calls the machine code, which is made when it is first needed."""

    def __init__(self, product: Any, tiles: Any) -> None:
        self._product, self._tiles = product, tiles
        self._workers: Any = worker_threads.shared()
        self._lock = keep_through_forks(threading.Lock(), 1)
        self._jobs: dict[str, int | None] = {}

    def forward(
        self, x: np.ndarray, w: np.ndarray, bias: np.ndarray | None, padding: int, out: np.ndarray,
        flipped: bool = False,
    ) -> bool:  # fmt: skip
        """The convolution of x with w, or with w turned around and its inputs and outputs
        exchanged; False if this is not for it."""
        outputs, inputs = w.shape[:2]
        if flipped:
            outputs, inputs = inputs, outputs
        cut = self._suits(x, out, outputs, inputs)
        job = None if cut is None else self._job("convolve")
        if cut is None or job is None:
            return False
        made = fast.kernel_numbers(np.ascontiguousarray(w).reshape(*w.shape[:2], 9))
        if made is None:
            return False
        u, largest = made
        row, column = (u.strides[2], u.strides[1]) if flipped else (u.strides[1], u.strides[2])
        table = self._table(x, out, padding, cut)
        # Every part of the outputs computes the numbers of the images anew.
        parts = cuts(outputs, -(-worker_threads.thread_count() // len(table)), 32)
        tables = np.repeat(table[None], len(parts), 0)
        found = np.empty((*tables.shape[:2], 4), _SINGLE)
        for part, (start, length) in zip(tables, parts, strict=True):
            part[:, AT["u"]] = address(u) + start * row
            part[:, AT["y"]] += start * out.strides[1]
            part[:, AT["outputs"]] = length
            if bias is not None:
                part[:, AT["bias"]] = address(bias) + start * bias.itemsize
        tables[..., AT["u_number"]] = u.strides[0]
        tables[..., AT["u_row"]], tables[..., AT["u_column"]] = row, column
        tables[..., AT["flipped"]] = flipped
        _name_found(tables, found)
        self._run(job, tables.reshape(-1, len(FIELDS)))
        return _harmless(found[0, :, :2], x.size) and _bounded(
            found[0, :, 0].max() * largest.max() * inputs
        )

    def weight_gradient(self, x: np.ndarray, gy: np.ndarray, padding: int) -> np.ndarray | None:
        """The gradient of the kernels (outputs, inputs, 3, 3); None if this is not for it."""
        inputs, outputs = x.shape[1], gy.shape[1]
        cut = self._suits(x, gy, outputs, inputs)
        job = None if cut is None else self._job("convolve_back")
        if cut is None or job is None:
            return None
        table = self._table(x, gy, padding, cut)
        # A fixed number of sums, so that bits do not depend on threads, where they are small; else
        # threads divide the outputs, for which each computes the numbers of the images anew.
        sums = min(_SUMS, len(table)) if outputs * inputs <= _SMALL_SUM else 1
        parts = cuts(outputs, 1 if sums > 1 else worker_threads.thread_count(), 32)
        u = np.empty((sums, 16, outputs, inputs), _SINGLE)
        table[:, AT["u_number"]], table[:, AT["u_row"]] = u.strides[1:3]
        tables = np.repeat(table[None], len(parts), 0)
        found = np.empty((*tables.shape[:2], 4), _SINGLE)
        starts = np.array([len(table) * i // sums for i in range(sums + 1)])
        owner = np.repeat(np.arange(sums), np.diff(starts))
        for part, (start, length) in zip(tables, parts, strict=True):
            part[:, AT["u"]] = address(u) + start * u.strides[2] + owner * u.strides[0]
            part[:, AT["y"]] += start * gy.strides[1]
            part[:, AT["outputs"]] = length
        _name_found(tables, found)
        pieces = np.empty((len(parts), sums, 2), np.int64)
        pieces[..., 0] = address(tables) + np.arange(len(parts))[:, None] * tables.strides[0]
        pieces[..., 0] += starts[:-1] * tables.strides[1]
        pieces[..., 1] = np.diff(starts)
        self._run(job, pieces.reshape(-1, 2))
        images, gradients = found[0, :, :2], found[:, :, 2:].reshape(-1, 2)
        amount = images[:, 0].max() * gradients[:, 0].max() * (gy.size // outputs)
        if not (_harmless(images, x.size) and _harmless(gradients, gy.size) and _bounded(amount)):
            return None
        made = fast.kernels_of_numbers(u[0] if sums == 1 else np.add.reduce(u, axis=0))
        return None if made is None else made.reshape(outputs, inputs, 3, 3)

    def _suits(self, x: np.ndarray, out: np.ndarray, outputs: int, inputs: int) -> Cut | None:
        plain = x.dtype == _SINGLE == out.dtype and x.flags.c_contiguous and out.flags.c_contiguous
        if not plain or min(inputs, outputs) < _FEWEST_CHANNELS or not self._product.has(x.dtype):
            return None
        return cut_of(len(x), inputs, *out.shape[2:])

    def _job(self, name: str) -> int | None:
        if name not in self._jobs:
            with self._lock:
                if name not in self._jobs:
                    self._jobs[name] = library.job(name, "f32")
        return self._jobs[name]

    def _table(self, x: np.ndarray, y: np.ndarray, padding: int, cut: Cut) -> np.ndarray:
        """FIELDS of every block of tiles, for all outputs."""
        table = _blocks_of(x.shape, y.shape, padding, cut, self._tiles).copy()
        table[:, AT["x"]] += address(x)
        table[:, AT["y"]] += address(y)
        table[:, AT["product"]] = self._product.address(x.dtype)
        return table

    def _run(self, job: int, pieces: np.ndarray) -> None:
        self._workers.run(
            job, address(pieces), pieces.strides[0], len(pieces), worker_threads.thread_count()
        )


@functools.lru_cache(maxsize=256)
def _blocks_of(
    x_shape: tuple[int, ...], y_shape: tuple[int, ...], padding: int, cut: Cut, tiles: Any
) -> np.ndarray:
    """The table with addresses counted from the beginning of each array."""
    count, channels, height, width = x_shape
    at = [
        (n, first) for n in range(0, count, cut.images) for first in range(0, cut.lines, cut.each)
    ]
    image, first = np.array(at).T
    depth, rows = blocks(channels, 4, tiles)
    x_image, y_image = math.prod(x_shape[1:]), math.prod(y_shape[1:])
    known = {
        "x": 4 * image * x_image, "x_image": x_image, "channels": channels, "height": height,
        "width": width, "padding": padding, "y": 4 * image * y_image, "y_image": y_image,
        "outputs": y_shape[1], "high": y_shape[2], "wide": y_shape[3],
        "images": np.minimum(cut.images, count - image), "first": first,
        "last": np.minimum(first + cut.each, cut.lines), "across": cut.across,
        "line": cut.line, "some": cut.some, "block_rows": rows, "depth": depth, "zeros": ZEROS_AT,
    }  # fmt: skip
    table = np.zeros((len(at), len(FIELDS)), np.int64)
    for name, value in known.items():
        table[:, AT[name]] = value
    lines = table[:, AT["last"]] - table[:, AT["first"]]
    table[:, AT["tiles"]] = found = table[:, AT["images"]] * lines * cut.across
    for tile_count in set(found.tolist()):
        table[found == tile_count, AT["tile_depth"]] = blocks(tile_count, 4, tiles)[0]
    return table


def _name_found(tables: np.ndarray, found: np.ndarray) -> None:
    """Give every block of every part its place for what it has seen."""
    number = np.arange(found.shape[0] * found.shape[1]).reshape(found.shape[:2])
    tables[..., AT["found"]] = address(found) + number * found.strides[1]


def _harmless(found: np.ndarray, count: int) -> bool:
    """Whether no element stands out: (largest, sum) of every block, of so many elements."""
    largest, total = float(found[:, 0].max()), float(found[:, 1].sum(dtype=np.float64))
    return largest * count <= _LARGEST * total


def _bounded(amount: Any) -> bool:
    return bool(amount < _SAFE)
