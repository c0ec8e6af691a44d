"""Depthwise convolutions on arrays: pieces are strips of images and blocks of channels.

How sums are taken depends on shapes alone, so the bits of a result do not depend on the number of
threads.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from ...ops.conv_windows import Sizes
from ...ops.locks import keep_through_forks
from ..machine import worker_threads
from ..machine.addresses import address
from .depthwise_text import FLAT_AT, ITEM, LIST, MOST_TAPS, module_text
from .gemm import DTYPES, ZEROS_AT

AT = {name: i for i, name in enumerate(ITEM)}
_STRIP_BYTES = 192 * 1024  # of pixels, frame and results of a strip: they stay in the caches
# Lanes that may be computed for each channel.  On large images with stride 1 runs along their lines
# (`native/kernels/windows.py`) are nearly as fast.
_LANES, _LANES_OF_LARGE, _LARGE_IMAGE = 2.0, 1.1, 1024
_ITEM_BYTES = 8 * len(ITEM)


class Depthwise:
    """Calls the machine code, which is made for a dtype and a kernel's size when first needed."""

    def __init__(self, tiles: Any, load_module: Any) -> None:
        self._tiles, self._load = tiles, load_module
        self._workers: Any = worker_threads.shared()
        self._lock = keep_through_forks(threading.Lock(), 1)
        self._made: dict[tuple[str, tuple[int, ...]], tuple[Any, dict[str, int]]] = {}

    def forward(
        self, x: np.ndarray, w: np.ndarray, bias: np.ndarray | None, shape: Sizes
    ) -> np.ndarray | None:
        """The convolution of images with one kernel for each channel; None if not for it."""
        table = self._table(x, shape, strips=True)
        if table is None:
            return None
        y = np.empty((shape.images, shape.channels, *shape.out), x.dtype)
        kernels = self._blocks_of(w, shape)
        table[:, AT["x"]] += address(x)
        table[:, AT["y"]] += address(y)
        table[:, AT["w"]] += address(kernels)
        if bias is not None:
            bias = self._blocks_of(bias, shape)
            block = self._tiles.vector_bytes
            table[:, AT["bias"]] = table[:, AT["bias"]] * block + address(bias)
        else:
            table[:, AT["bias"]] = ZEROS_AT
        self._run("forward", x.dtype, shape, table)
        return y

    def weight_gradient(self, x: np.ndarray, g: np.ndarray, shape: Sizes) -> np.ndarray | None:
        """The gradient of the kernels, (channels, taps); None if not for it."""
        table = self._table(x, shape, strips=True)
        if table is None:
            return None
        table[:, AT["x"]] += address(x)
        table[:, AT["y"]] += address(g)
        lanes = self._tiles.vector_bytes // x.itemsize
        blocks, taps = -(-shape.channels // lanes), shape.kernel[0] * shape.kernel[1]
        sums = np.empty((blocks, taps, lanes), x.dtype)
        pieces = np.empty((blocks, len(LIST)), np.int64)
        each, number = len(table) // blocks, np.arange(blocks)
        pieces[:, 0] = address(table) + number * each * _ITEM_BYTES
        pieces[:, 1] = each
        pieces[:, 2] = address(sums) + number * sums.strides[0]
        self._run("weights", x.dtype, shape, pieces)
        return sums.swapaxes(1, 2).reshape(-1, taps)[: shape.channels]

    def image_gradient(self, g: np.ndarray, w: np.ndarray, shape: Sizes) -> np.ndarray | None:
        """The gradient of the images; None if not for it."""
        table = self._table(g, shape, strips=False)
        if table is None:
            return None
        gx = np.empty((shape.images, shape.channels, *shape.spatial), g.dtype)
        kernels = self._blocks_of(w, shape)
        table[:, AT["x"]] += address(gx)
        table[:, AT["y"]] += address(g)
        table[:, AT["w"]] += address(kernels)
        self._run("images", g.dtype, shape, table)
        return gx

    def _table(self, array: np.ndarray, shape: Sizes, strips: bool) -> np.ndarray | None:
        taps = shape.kernel[0] * shape.kernel[1]
        lanes = self._tiles.vector_bytes // array.itemsize
        computed = -(-shape.channels // lanes) * lanes / shape.channels
        large = shape.stride == (1, 1) and shape.out[0] * shape.out[1] >= _LARGE_IMAGE
        few = computed > (_LANES_OF_LARGE if large else _LANES)
        if array.dtype not in DTYPES or taps > MOST_TAPS or few:
            return None
        found = _items(shape, array.itemsize, self._tiles.vector_bytes, strips)
        return None if found is None else found.copy()

    def _blocks_of(self, values: np.ndarray, shape: Sizes) -> np.ndarray:
        """What each channel has, as vectors: (blocks, elements, lanes)."""
        lanes = self._tiles.vector_bytes // values.itemsize
        blocks = -(-shape.channels // lanes)
        rows = values.reshape(shape.channels, -1)
        if blocks * lanes != shape.channels:
            filled = np.zeros((blocks * lanes, rows.shape[1]), rows.dtype)
            filled[: shape.channels] = rows
            rows = filled
        return np.ascontiguousarray(rows.reshape(blocks, lanes, -1).swapaxes(1, 2))

    def _run(self, name: str, dtype: np.dtype, shape: Sizes, pieces: np.ndarray) -> None:
        function = self._functions(DTYPES[dtype], shape.kernel)[name]
        threads = worker_threads.thread_count()
        self._workers.run(function, address(pieces), pieces.strides[0], len(pieces), threads)

    def _functions(self, kind: str, kernel: tuple[int, ...]) -> dict[str, int]:
        key = (kind, kernel)
        if key not in self._made:
            with self._lock:
                if key not in self._made:
                    compiled = self._load(
                        f"depthwise {kind} {kernel} {self._tiles}",
                        lambda: module_text(self._tiles, kind, kernel),
                    )
                    names = ("forward", "weights", "images")
                    self._made[key] = compiled, {n: compiled.address(n) for n in names}
        return self._made[key][1]


@functools.lru_cache(maxsize=256)
def _items(shape: Sizes, size: int, vector_bytes: int, strips: bool) -> np.ndarray | None:
    """ITEM of every strip, with places counted from the arrays' beginnings: block by block, in
    these image by image; None where a strip has no room in the workspace."""
    lanes = vector_bytes // size
    (height, width), (high, across) = shape.spatial, shape.out
    (kh, kw), (sh, sw), (ph, pw) = shape.kernel, shape.stride, shape.padding
    dh, dw = shape.dilation
    wide = (across - 1) * sw + (kw - 1) * dw + 1
    wide = wide if strips else max(wide, pw + width)
    seen = min(width, wide - pw)
    if seen < 1 or min(high, across) < 1:
        return None
    rows_of = functools.partial(_rows, kh=kh, sh=sh, dh=dh)
    each = high
    while (
        strips
        and each > 1
        and _room(each, rows_of(each), wide, width, across, vector_bytes) > (_STRIP_BYTES)
    ):
        each = -(-each // 2)
    found = []
    for first in range(0, high, each):
        count = min(each, high - first)
        begin, rows = first * sh - ph, rows_of(count)
        if not strips:
            begin, rows = -ph, max(rows, ph + height)
        top, end = max(begin, 0), min(begin + rows, height)
        lines = max(end - top, 0)
        flat = FLAT_AT
        out = flat + (lines * width + lanes) * vector_bytes
        frame = out + (count * across + lanes) * vector_bytes
        if frame + rows * wide * vector_bytes > worker_threads.WORKSPACE_BYTES:
            return None
        found.append({
            "x": size * top * width, "y": size * first * across, "width": width, "lines": lines,
            "skip": top - begin, "rows": rows, "high": count, "flat": flat, "frame": frame,
            "out": out,
        })  # fmt: skip
    same = {
        "x_plane": size * height * width, "y_plane": size * high * across, "wide": wide,
        "side": pw, "seen": seen, "across": across, "row_step": sh, "column_step": sw,
        "row_apart": dh, "column_apart": dw,
    }  # fmt: skip
    blocks = -(-shape.channels // lanes)
    table = np.zeros((blocks, shape.images, len(found), len(ITEM)), np.int64)
    for name, value in same.items():
        table[..., AT[name]] = value
    for k, item in enumerate(found):
        for name, value in item.items():
            table[:, :, k, AT[name]] = value
    block, image = np.arange(blocks)[:, None, None], np.arange(shape.images)[:, None]
    first_plane = image * shape.channels + block * lanes
    for name in ("x", "y"):
        table[..., AT[name]] += first_plane * same[f"{name}_plane"]
    table[..., AT["w"]] = block * kh * kw * vector_bytes
    table[..., AT["bias"]] = block
    table[..., AT["channels"]] = np.minimum(lanes, shape.channels - block * lanes)
    return table.reshape(-1, len(ITEM))


def _rows(count: int, kh: int, sh: int, dh: int) -> int:
    """Lines of the frame that so many lines of results see."""
    return (count - 1) * sh + (kh - 1) * dh + 1


def _room(count: int, rows: int, wide: int, width: int, across: int, vector_bytes: int) -> int:
    return (rows * (wide + width) + count * across) * vector_bytes
