"""The blocked matrix product as a function of arrays: when it is used, on how many threads.

The columns (or rows) of the result are cut into pieces for several threads.  The inner dimension
is never cut, hence the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math
import struct
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.halves import is_bfloat16
from ...ops.locks import keep_through_forks
from ..machine import host, worker_threads
from ..machine.addresses import address, stack_offsets
from .gemm_text import ARGUMENTS, Tiles, blocks, cuts, module_text

_PIECE = 100_000_000  # multiplications of a piece of work, where there are enough
_SHARED = 1_500_000  # multiplications from which a second thread is worth asking
_LISTS = 4  # lists of stacked products for each thread
_BYTES = 8 * len(ARGUMENTS)

_ZEROS = np.zeros(16)  # the bias of products without one
ZEROS_AT = address(_ZEROS)
DTYPES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}
_SINGLE = np.dtype(np.float32)


class Product:
    """Calls the machine code; `product(a, b)` decides whether it or NumPy is faster."""

    def __init__(self, tiles: Tiles, load_module: Callable[..., Any]) -> None:
        """`load_module(name, text)` gives the code of a module that `text()` writes."""
        self._tiles = tiles
        self._load = load_module
        self._lock = keep_through_forks(threading.RLock(), 1)
        self._functions: dict[np.dtype, int | None] = {}  # addresses
        self._lists: dict[np.dtype, int] = {}
        self._compiled: list[Any] = []  # owns the code
        self._workers = worker_threads.shared()

    def __call__(self, a: np.ndarray, b: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
        m, k = a.shape
        n = b.shape[1]
        threads = 1 if m * n * k < _SHARED else worker_threads.thread_count()
        if b.shape[0] == k and worthwhile(m, k, n, threads) and self.has(a.dtype):
            if bias is None or (bias.shape == (n,) and bias.dtype == a.dtype):
                return self.compute(a, b, threads, bias)
        c = np.matmul(a, b)  # (it reads parts of larger matrices where they are; `dot` copies them)
        if bias is not None:
            c += bias
        return c

    def has(self, dtype: np.dtype) -> bool:
        """Whether there is code for this type: made when first asked for, and tried."""
        if dtype not in self._functions:
            with self._lock:
                if dtype not in self._functions:
                    self._make(dtype)
        return self._functions[dtype] is not None

    def address(self, dtype: Any) -> int | None:
        """Where the machine code for a type is; None if there is none."""
        kind = np.dtype(dtype)
        return self._functions[kind] if self.has(kind) else None

    def halves(self, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
        """a @ b of bfloat16 as float32, by the processor's own products; None if not for it."""
        return self.into(a, b, None) if a.ndim == b.ndim == 2 else self.stacked(a, b, None)

    def _make(self, dtype: np.dtype) -> None:
        kind = DTYPES.get(dtype)
        if kind is None and is_bfloat16(dtype) and host.multiplies_halves():
            kind = "bf16"
        if kind is None:
            self._functions[dtype] = None
            return
        compiled = self._load(f"gemm {kind} {self._tiles}", lambda: module_text(self._tiles, kind))
        self._compiled.append(compiled)
        function = compiled.function("gemm_piece", 2)
        right = self._multiplies(function, dtype)
        if right:
            self._lists[dtype] = worker_threads.address_of(compiled.function("gemm_list", 2))
        self._functions[dtype] = worker_threads.address_of(function) if right else None

    def _multiplies(self, function: Callable[..., int], dtype: np.dtype) -> bool:
        """Whether products with borders in all directions come out as NumPy's."""
        random = np.random.Generator(np.random.PCG64(0))
        a = random.uniform(-1, 1, (45, 301)).astype(dtype)
        b = random.uniform(-1, 1, (301, 85)).astype(dtype)
        summed = _result_type(dtype)
        expected, bound = a.astype(summed).dot(b.astype(summed)), 301 * np.finfo(summed).eps * 10
        result = np.empty_like(expected)
        for x, y in ((a, b), (np.asfortranarray(a), np.asfortranarray(b))):
            result.fill(np.nan)
            function(self._pieces(x, y, result, 1, None)[0], self._workers.workspace())  # pyright: ignore[reportOptionalMemberAccess]
            if not np.abs(result - expected).max() < bound:
                return False
        return True

    def compute(
        self,
        a: np.ndarray,
        b: np.ndarray,
        threads: int,
        bias: np.ndarray | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """a @ b (+ bias) on at most so many threads, whatever the size; `has(dtype)` must hold.

        `out` must have the result's shape and type, and rows that lie in one piece.
        """
        (m, k), n = a.shape, b.shape[1]
        if 0 in (m, k, n):
            c = np.zeros((m, n), _result_type(a.dtype))
            return c if bias is None else c + bias
        a, b = _readable(a), _readable(b)
        c = np.empty((m, n), _result_type(a.dtype)) if out is None else out
        pieces, count = self._pieces(a, b, c, threads, bias)
        self._workers.run(self._functions[a.dtype], pieces, _BYTES, count, threads)  # pyright: ignore[reportArgumentType, reportOptionalMemberAccess]
        return c

    def into(self, a: np.ndarray, b: np.ndarray, out: np.ndarray | None) -> np.ndarray | None:
        """a @ b for two matrices, written to `out`; None if not for it."""
        (m, k), n = a.shape, b.shape[1]
        threads = 1 if m * n * k < _SHARED else worker_threads.thread_count()
        suits = b.shape[0] == k and a.dtype == b.dtype and worthwhile(m, k, n, threads)
        if not suits or not self.has(a.dtype):
            return None
        if out is not None and (out.strides[1] != a.itemsize or out.dtype != a.dtype):
            return None
        return self.compute(a, b, threads, None, out)

    # ---- many products at once -------------------------------------------------------------------

    def stacked(self, a: np.ndarray, b: np.ndarray, out: np.ndarray | None) -> np.ndarray | None:
        """a @ b for stacks of matrices with equal leading dimensions; None if not for it."""
        (m, k), n, lead = a.shape[-2:], b.shape[-1], a.shape[:-2]
        dtype, size = a.dtype, a.itemsize
        usable = (
            lead == b.shape[:-2]
            and b.shape[-2] == k
            and dtype == b.dtype
            and m >= 8
            and n >= 16
            and k >= 8
            and self.has(dtype)
            and size in a.strides[-2:]
            and size in b.strides[-2:]
        )
        if not usable:
            return None
        c = np.empty((*lead, m, n), _result_type(dtype)) if out is None else out
        if c.strides[-1] != c.itemsize or c.dtype != _result_type(dtype):
            return None
        table = self._table(a, b, c).copy()
        table[:, 0] += address(a)
        table[:, 3] += address(b)
        table[:, 6] += address(c)
        threads = worker_threads.thread_count()
        count = min(len(table), _LISTS * threads)
        starts = _starts(len(table), count)
        lists = np.empty((count, 2), np.int64)
        lists[:, 0] = starts[:-1] * _BYTES + address(table)
        lists[:, 1] = starts[1:] - starts[:-1]
        self._workers.run(self._lists[dtype], address(lists), 16, count, threads)  # pyright: ignore[reportOptionalMemberAccess]
        return c

    def _table(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        shapes = a.shape, b.shape[-1]
        together = c.itemsize // a.itemsize
        return _stack_table(
            *shapes, a.strides, b.strides, c.strides, c.itemsize, self._tiles, together
        )

    def _pieces(
        self, a: np.ndarray, b: np.ndarray, c: np.ndarray, threads: int, bias: np.ndarray | None
    ) -> tuple[bytes, int]:
        """ARGUMENTS of each piece of work, one after the other in memory; how many there are."""
        step = 0 if bias is None else bias.strides[0]
        count, pack, values = _cut_product(
            a.shape, b.shape[1], a.strides, b.strides, c.strides[0], c.itemsize, step, threads,
            self._tiles, c.itemsize // a.itemsize,
        )  # fmt: skip
        at_a, at_b, at_c = address(a), address(b), address(c)
        added = ZEROS_AT if bias is None else address(bias)
        values = list(values)
        for i in range(0, count * len(ARGUMENTS), len(ARGUMENTS)):
            values[i] += at_a
            values[i + 3] += at_b
            values[i + 6] += at_c
            values[i + 13] += added
        return pack(*values), count


@functools.lru_cache(maxsize=1024)
def _cut_product(
    a_shape: tuple[int, int],
    n: int,
    a_strides: tuple[int, int],
    b_strides: tuple[int, int],
    c_row: int,
    size: int,
    bias_step: int,
    threads: int,
    tiles: Tiles,
    together: int,
) -> tuple[int, Callable[..., bytes], tuple[int, ...]]:
    """The pieces of a product: their number, how to write them, and ARGUMENTS of all, addresses
    counted from the beginning of each array."""
    (m, k), (a_row, a_column), (b_row, b_column) = a_shape, a_strides, b_strides
    depth, rows = blocks(k, size, tiles, together)
    count = 1 if threads == 1 else threads * max(1, min(4, m * n * k // (threads * _PIECE)))
    across = n >= m
    unit = tiles.vector_bytes // size if across else tiles.height
    parts = cuts(n if across else m, count, unit)
    values: list[int] = []
    for start, length in parts:
        values += (
            (0, a_row, a_column, start * b_column, b_row, b_column, start * size, c_row,
             m, length, k, rows, depth, start * bias_step, bias_step, ZEROS_AT, 0, 0)
            if across else
            (start * a_row, a_row, a_column, 0, b_row, b_column, start * c_row, c_row,
             length, n, k, rows, depth, 0, bias_step, ZEROS_AT, 0, 0)
        )  # fmt: skip
    return len(parts), struct.Struct(f"={len(values)}q").pack, tuple(values)


@functools.lru_cache(maxsize=256)
def _stack_table(
    shape: tuple[int, ...],
    n: int,
    a_strides: tuple[int, ...],
    b_strides: tuple[int, ...],
    c_strides: tuple[int, ...],
    size: int,
    tiles: Tiles,
    together: int,
) -> np.ndarray:
    """ARGUMENTS of every product of a stack, addresses counted from the first matrices."""
    lead, (m, k) = shape[:-2], shape[-2:]
    depth, rows = blocks(k, size, tiles, together)
    one = (
        0, *a_strides[-2:], 0, *b_strides[-2:], 0, c_strides[-2], m, n, k, rows, depth,
        ZEROS_AT, 0, ZEROS_AT, 0, 0,
    )  # fmt: skip
    table = np.tile(np.array(one, np.int64), (math.prod(lead), 1))
    for column, strides in ((0, a_strides), (3, b_strides), (6, c_strides)):
        table[:, column] = stack_offsets(lead, strides)
    return table


@functools.lru_cache(maxsize=256)
def _starts(length: int, count: int) -> np.ndarray:
    """Where each of `count` nearly equal parts begins, and the end."""
    return np.array([length * i // count for i in range(count + 1)])


def worthwhile(m: int, k: int, n: int, threads: int) -> bool:
    """Whether the blocked product measures faster than the BLAS that NumPy has.

    It does unless tiles would be mostly border: 128x784x512 takes 665 µs against 946 on one thread
    and 386 against 564 on two. Narrow results waste lanes, which a second thread makes up for.
    """
    return m >= 8 and k >= 8 and n >= (96 if threads == 1 else 8)


def _result_type(dtype: np.dtype) -> np.dtype:
    """Products of half precision are sums in float32."""
    return _SINGLE if dtype.itemsize == 2 else dtype


def _readable(x: np.ndarray) -> np.ndarray:
    """x itself if its rows or its columns are contiguous, else a copy."""
    return x if x.itemsize in x.strides else np.ascontiguousarray(x)
