"""Products with a gathered right factor as a function of arrays: many images at once.

Threads divide rows or columns of results, never sums: these are taken over the images in their
order, so the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..machine import worker_threads
from ..machine.addresses import address
from .convolution_text import BORDER, module_text, room_for_copy
from .gemm import DTYPES, ZEROS_AT
from .gemm_text import ARGUMENTS, blocks, cuts

_AT = {name: i for i, name in enumerate(ARGUMENTS)}
_PIECE_BYTES = 24
_LISTS = 4  # lists of products for each thread
# Images with fewer windows than this are multiplied together: the kernels are packed once for all.
_FEW_WINDOWS = 256
_WINDOWS = 512  # of images that are multiplied together


class Gathered:
    """Calls the machine code, which is made for a dtype when it is first needed."""

    def __init__(self, tiles: Any, load_module: Any) -> None:
        self._tiles = tiles
        self._load = load_module
        self._pool = worker_threads.shared()
        self._lock = threading.Lock()
        self._functions: dict[np.dtype, int | None] = {}
        self._compiled: list[Any] = []  # owns the code

    def __call__(
        self,
        a: np.ndarray,
        images: np.ndarray,
        rows: np.ndarray,
        columns: np.ndarray,
        c: np.ndarray,
        border: tuple[int, ...] | None = None,
        bias: np.ndarray | None = None,
    ) -> bool:
        """c[i] = a[i] @ gathered(images[i]) (+ bias by row); False if this is not for it.

        a is one matrix for all images or one each; a matrix c takes the sum over the images.
        `rows` holds bytes (int64), `columns` elements (int32).
        """
        if border is not None and border[-1] > room_for_copy(worker_threads.WORKSPACE_BYTES):
            return False
        function = self._function(a.dtype)
        matrix = a if a.ndim == 2 else a[0]
        if function is None or matrix.itemsize not in matrix.strides:
            return False
        sums = c.ndim == 2
        together = images_together(images, len(rows) if sums else len(columns), border)
        if together > 1:
            border, step = _border_of_many(images, border, together)
            number = np.arange(together)[:, None]
            if sums:
                rows = (rows + step * number).ravel()
                a = _side_by_side(a, together)
            else:
                places = columns + np.int32(step // images.itemsize) * number.astype(np.int32)
                return self._beside(function, a, images, rows, places, c, border, bias)
            images = images[::together]
        table = self._products(a, images, rows, columns, c, bias)
        if sums:
            table[1:, _AT["accumulate"]] = 1
            table[:, _AT["c"]] = address(c)
            self._run_columns(function, table, c.itemsize, border)
        else:
            self._run(function, table, border)
        return True

    def _beside(
        self,
        function: int,
        a: np.ndarray,
        images: np.ndarray,
        rows: np.ndarray,
        places: np.ndarray,
        c: np.ndarray,
        border: tuple[int, ...] | None,
        bias: np.ndarray | None,
    ) -> bool:
        """Several images in each product: the results of all lie side by side at first."""
        together, windows = places.shape
        count, height = len(images) // together, a.shape[0]
        result = np.empty((height, count, together, windows), c.dtype)
        every = result.reshape(height, count, -1).swapaxes(0, 1)
        table = self._products(a, images[::together], rows, places.ravel(), every, bias)
        threads = worker_threads.thread_count()
        if threads > 1 and count < 2 * threads:
            table = self._cut_rows(table, height, -(-2 * threads // count))
        self._run(function, table, border)
        c.reshape(count, together, height, windows)[...] = result.transpose(1, 2, 0, 3)
        return True

    def _cut_rows(self, table: np.ndarray, height: int, count: int) -> np.ndarray:
        """Each product as several with some of its rows, which do not wait for each other."""
        parts = []
        for start, length in cuts(height, count, 4 * self._tiles.height):
            part = table.copy()
            part[:, _AT["a"]] += start * part[:, _AT["a_row"]]
            part[:, _AT["c"]] += start * part[:, _AT["c_row"]]
            part[:, _AT["row_bias"]] += start * part[:, _AT["row_bias_step"]]
            part[:, _AT["m"]] = length
            parts.append(part)
        return np.concatenate(parts)

    def _function(self, dtype: np.dtype) -> int | None:
        if dtype not in DTYPES:
            return None
        if dtype not in self._functions:
            with self._lock:
                if dtype not in self._functions:
                    kind = DTYPES[dtype]
                    compiled = self._load(
                        f"gathered {kind} {self._tiles}", lambda: module_text(self._tiles, kind)
                    )
                    self._compiled.append(compiled)
                    function = worker_threads.address_of(compiled.function("gathered_piece", 2))
                    right = self._convolves(function, dtype)
                    self._functions[dtype] = function if right else None
        return self._functions[dtype]

    def _convolves(self, function: int, dtype: np.dtype) -> bool:
        """Whether windows of a small image, in runs and scattered, give what NumPy gives."""
        random = np.random.Generator(np.random.PCG64(0))
        images = random.uniform(-1, 1, (2, 400)).astype(dtype)
        a = random.uniform(-1, 1, (9, 45)).astype(dtype)
        bound = 45 * np.finfo(dtype).eps * 10
        for near in (np.r_[0:23, 40:61], np.arange(44) * 5):
            places, offsets = near.astype(np.int32), np.r_[0:30, 50:80:2].astype(np.int64)
            c = np.full((2, 9, len(places)), np.nan, dtype)
            table = self._products(a, images, offsets * dtype.itemsize, places, c, None)
            self._run(function, table, None)
            expected = a @ images[:, offsets[:, None] + near]
            if not np.abs(c - expected).max() < bound:
                return False
        return True

    def _products(
        self,
        a: np.ndarray,
        images: np.ndarray,
        rows: np.ndarray,
        columns: np.ndarray,
        c: np.ndarray,
        bias: np.ndarray | None,
    ) -> np.ndarray:
        """ARGUMENTS of every image's product (or of several that follow each other)."""
        (m, k), n, size = a.shape[-2:], len(columns), a.itemsize
        depth, block = blocks(k, size, self._tiles)
        level, step = (ZEROS_AT, 0) if bias is None else (address(bias), bias.strides[0])
        one = (
            address(a), *a.strides[-2:], address(images), address(rows), address(columns),
            address(c), c.strides[-2], m, n, k, block, depth, ZEROS_AT, 0, level, step, 0,
        )  # fmt: skip
        table = np.tile(np.array(one, np.int64), (len(images), 1))
        number = np.arange(len(images))
        table[:, _AT["b"]] += number * images.strides[0]
        if a.ndim == 3:
            table[:, _AT["a"]] += number * a.strides[0]
        if c.ndim == 3:
            table[:, _AT["c"]] += number * c.strides[0]
        return table

    def _run(self, function: int, table: np.ndarray, border: tuple[int, ...] | None) -> None:
        """The products in lists of nearly equal length, which threads take one by one."""
        threads = worker_threads.thread_count()
        count = min(len(table), _LISTS * threads)
        starts = np.array([len(table) * i // count for i in range(count + 1)])
        pieces = np.empty((count, 3), np.int64)
        pieces[:, 0] = address(table) + starts[:-1] * table.strides[0]
        pieces[:, 1] = starts[1:] - starts[:-1]
        self._run_pieces(function, pieces, border, threads)

    def _run_columns(
        self, function: int, table: np.ndarray, size: int, border: tuple[int, ...] | None
    ) -> None:
        """Products that add up in one result: threads take some of its columns each."""
        threads = worker_threads.thread_count()
        n = int(table[0, _AT["n"]])
        parts = cuts(n, 1 if threads == 1 else 2 * threads, self._tiles.vector_bytes // size)
        tables = np.repeat(table[None], len(parts), 0)
        for part, (start, length) in zip(tables, parts, strict=True):
            part[:, _AT["b_column"]] += 4 * start
            part[:, _AT["c"]] += size * start
            part[:, _AT["n"]] = length
        pieces = np.empty((len(parts), 3), np.int64)
        pieces[:, 0] = address(tables) + np.arange(len(parts)) * tables.strides[0]
        pieces[:, 1] = len(table)
        self._run_pieces(function, pieces, border, threads)

    def _run_pieces(
        self, function: int, pieces: np.ndarray, border: tuple[int, ...] | None, threads: int
    ) -> None:
        sizes = np.array(border if border is not None else (0,) * len(BORDER), np.int64)
        pieces[:, 2] = 0 if border is None else address(sizes)
        self._pool.run(function, address(pieces), _PIECE_BYTES, len(pieces), threads)


def images_together(images: np.ndarray, windows: int, border: tuple[int, ...] | None) -> int:
    """How many images are multiplied at a time; it divides their number."""
    most = min(len(images), _WINDOWS // windows)
    if border is not None:
        most = min(most, room_for_copy(worker_threads.WORKSPACE_BYTES) // border[-1])
    if windows >= _FEW_WINDOWS or most < 2 or not images.flags.c_contiguous:
        return 1
    return max(q for q in range(1, most + 1) if len(images) % q == 0)


def _border_of_many(
    images: np.ndarray, border: tuple[int, ...] | None, count: int
) -> tuple[tuple[int, ...] | None, int]:
    """The copy of several images with their borders, and the bytes from one to the next.

    As images follow each other in memory, many are one with more channels.
    """
    if border is None:
        return None, images.strides[0]
    return (count * border[0], *border[1:-1], count * border[-1]), border[-1]


def _side_by_side(a: np.ndarray, together: int) -> np.ndarray:
    """The left factors of images that are multiplied together, as one factor with longer rows."""
    count, height, length = len(a) // together, *a.shape[1:]
    rows = a.reshape(count, together, height, length).swapaxes(1, 2)
    return np.ascontiguousarray(rows).reshape(count, height, together * length)
