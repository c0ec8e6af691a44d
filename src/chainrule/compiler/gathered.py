"""Products with a gathered right factor as a function of arrays: many images at once.

How the work is cut depends on the images alone, never on the number of threads: the bits of a
result do not either.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from . import pool
from .addresses import address
from .gather_text import BORDER, module_text, room_for_copy
from .gemm import DTYPES, ZEROS_AT
from .gemm_text import ARGUMENTS, blocks

_PARTS = 8  # sums over images are cut into so many, and images into pieces of at most an eighth
_AT = {name: i for i, name in enumerate(ARGUMENTS)}
_PIECE_BYTES = 24


class Gathered:
    """Calls the machine code, which is made for a dtype when it is first needed."""

    def __init__(self, tiles: Any, load_module: Any) -> None:
        self._tiles = tiles
        self._load = load_module
        self._pool = pool.shared()
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
        if border is not None and border[-1] > room_for_copy(pool.WORKSPACE_BYTES):
            return False
        function = self._function(a.dtype)
        matrix = a if a.ndim == 2 else a[0]
        if function is None or matrix.itemsize not in matrix.strides:
            return False
        table = self._products(a, images, rows, columns, c, bias)
        if c.ndim == 3:
            self._run(function, table, min(len(table), 4 * _PARTS), border)
            return True
        parts = min(len(images), _PARTS)
        partial = np.empty((parts, *c.shape), c.dtype)
        starts = [len(images) * i // parts for i in range(parts)]
        table[:, _AT["accumulate"]] = 1
        table[starts, _AT["accumulate"]] = 0
        owner = np.searchsorted(starts, np.arange(len(images)), side="right") - 1
        table[:, _AT["c"]] = address(partial) + owner * partial.strides[0]
        table[:, _AT["c_row"]] = partial.strides[1]
        self._run(function, table, parts, border)
        np.add.reduce(partial, axis=0, out=c)
        return True

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
                    function = pool.address_of(compiled.function("gathered_piece", 2))
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
            self._run(function, table, 2, None)
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
        """ARGUMENTS of every image's product."""
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

    def _run(
        self, function: int, table: np.ndarray, count: int, border: tuple[int, ...] | None
    ) -> None:
        """The products in `count` lists of nearly equal length, which threads take one by one."""
        sizes = np.array(border if border is not None else (0,) * len(BORDER), np.int64)
        starts = np.array([len(table) * i // count for i in range(count + 1)])
        pieces = np.empty((count, 3), np.int64)
        pieces[:, 0] = address(table) + starts[:-1] * table.strides[0]
        pieces[:, 1] = np.diff(starts)
        pieces[:, 2] = 0 if border is None else address(sizes)
        threads = pool.thread_count()
        self._pool.run(function, address(pieces), _PIECE_BYTES, count, threads)
