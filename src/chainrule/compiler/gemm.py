"""The blocked matrix product as a function of arrays: when it is used, on how many threads.

The columns (or rows) of the result are cut into pieces for several threads.  The inner dimension
is never cut, hence the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor import settings
from . import gemm_pool
from .gemm_text import ARGUMENTS, TILES, UNROLL, Tiles, module_text

_ROWS = 512  # rows of a that are packed at once (half as many doubles): half of the L2 cache
_DEPTH = 264  # elements along k that are summed in registers before they go to c
_PIECE = 100_000_000  # multiplications of a piece of work, where there are enough

_DTYPES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}


def load() -> Product | None:
    """The product for this machine; None where there is none."""
    try:
        from . import llvm
    except ImportError:
        return None
    tiles = TILES.get(llvm.target().vector_bytes)
    return None if tiles is None else Product(tiles, llvm.Compiled.cached)


class Product:
    """Calls the machine code; `product(a, b)` decides whether it or NumPy is faster."""

    def __init__(self, tiles: Tiles, compile_text: Callable[[str], Any]) -> None:
        self._tiles = tiles
        self._compile = compile_text
        self._lock = threading.RLock()
        self._functions: dict[np.dtype, Callable[..., int] | None] = {}
        self._compiled: list[Any] = []  # owns the code
        self._workspace = threading.local()
        self._pool: gemm_pool.Pool | None = None

    def __call__(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        m, k = a.shape
        n = b.shape[1]
        threads = thread_count()
        if b.shape[0] == k and worthwhile(m, k, n, threads) and self.has(a.dtype):
            return self.compute(a, b, threads)
        return a.dot(b)

    def has(self, dtype: np.dtype) -> bool:
        """Whether there is code for this type: made when first asked for, and tried."""
        if dtype not in self._functions:
            with self._lock:
                if dtype not in self._functions:
                    self._make(dtype)
        return self._functions[dtype] is not None

    def _make(self, dtype: np.dtype) -> None:
        if dtype not in _DTYPES:
            self._functions[dtype] = None
            return
        compiled = self._compile(module_text(self._tiles, _DTYPES[dtype]))
        self._compiled.append(compiled)
        function = compiled.function("gemm", len(ARGUMENTS))
        self._functions[dtype] = function if self._multiplies(function, dtype) else None

    def _multiplies(self, function: Callable[..., int], dtype: np.dtype) -> bool:
        """Whether products with borders in all directions come out as NumPy's."""
        random = np.random.Generator(np.random.PCG64(0))
        a = random.uniform(-1, 1, (45, 301)).astype(dtype)
        b = random.uniform(-1, 1, (301, 85)).astype(dtype)
        expected, bound = a.dot(b), 301 * np.finfo(dtype).eps * 10
        result = np.empty_like(expected)
        for x, y in ((a, b), (np.asfortranarray(a), np.asfortranarray(b))):
            result.fill(np.nan)
            self._run(function, x, y, result)
            if not np.abs(result - expected).max() < bound:
                return False
        return True

    def compute(self, a: np.ndarray, b: np.ndarray, threads: int) -> np.ndarray:
        """a @ b on at most so many threads, whatever the size; `has(a.dtype)` must hold."""
        (m, k), n = a.shape, b.shape[1]
        if 0 in (m, k, n):
            return np.zeros((m, n), a.dtype)
        function = self._functions[a.dtype]
        a, b, c = _readable(a), _readable(b), np.empty((m, n), a.dtype)
        if threads == 1:
            self._run(function, a, b, c)
        else:
            pieces = [self._arguments(*piece) for piece in self._pieces(a, b, c, threads)]
            if not self._workers().run(function, pieces, threads):
                self._run(function, a, b, c)
        return c

    def _workers(self) -> gemm_pool.Pool:
        if self._pool is None:
            with self._lock:
                if self._pool is None:
                    self._pool = gemm_pool.Pool(self._compile(gemm_pool.text()), self._panels)
        return self._pool

    def _pieces(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, threads: int) -> list[Any]:
        """The factors and the part of the result of each piece of work."""
        (m, n), k = c.shape, a.shape[1]
        count = threads * max(1, min(4, m * n * k // (threads * _PIECE)))
        count = min(count, gemm_pool.MOST_PIECES)
        if n >= m:
            lanes = self._tiles.lanes(_DTYPES[a.dtype])
            return [(a, b[:, s], c[:, s]) for s in _cuts(n, count, lanes)]
        return [(a[s], b, c[s]) for s in _cuts(m, count, self._tiles.height)]

    def _run(self, function: Any, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        function(*self._arguments(a, b, c), *self._panels())

    def _arguments(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[int, ...]:
        """ARGUMENTS of the machine code without the panels."""
        (m, k), n = a.shape, b.shape[1]
        blocks = -(-k // _DEPTH)
        depth = -(-k // (blocks * UNROLL)) * UNROLL
        rows = _ROWS * 4 // a.itemsize // self._tiles.height * self._tiles.height
        return (
            _address(a), *a.strides, _address(b), *b.strides, _address(c), c.strides[0],
            m, n, k, rows, depth,
        )  # fmt: skip

    def _panels(self) -> tuple[int, int]:
        """Addresses of this thread's memory for the panels of a and of b."""
        try:
            return self._workspace.addresses
        except AttributeError:
            depth = _DEPTH + 16  # squares that are transposed may reach beyond the end
            sizes = (_ROWS + 32) * depth * 4, self._tiles.columns("f32") * depth * 8
            # A page between them: panels must begin at a multiple of a vector.
            memory = self._workspace.memory = np.empty(sum(sizes) + 3 * 4096, np.uint8)
            first = (_address(memory) + 4095) & -4096
            self._workspace.addresses = first, (first + sizes[0] + 4095) & -4096
            return self._workspace.addresses


def worthwhile(m: int, k: int, n: int, threads: int) -> bool:
    """Whether the blocked product measures faster than the BLAS that NumPy has.

    On one thread it does (128x784x512: 735 µs against 946). On two, OpenBLAS shares the work better
    (524 µs against 617), so it keeps those.
    """
    if m < 8 or k < 8 or n < 96:  # tiles that would be mostly border
        return False
    return threads == 1


def thread_count() -> int:
    """As set_num_threads or the environment say, otherwise the cores of this process."""
    return settings.chosen_num_threads() or _threads_of_environment() or settings.get_num_threads()


def _threads_of_environment() -> int:
    for name in ("CHAINRULE_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return 0


def _readable(x: np.ndarray) -> np.ndarray:
    """x itself if its rows or its columns are contiguous, else a copy."""
    return x if x.itemsize in x.strides else np.ascontiguousarray(x)


def _address(x: np.ndarray) -> int:
    return x.__array_interface__["data"][0]


def _cuts(length: int, count: int, unit: int) -> list[slice]:
    """About `count` slices of equal length, cut at multiples of `unit`."""
    step = max(unit, -(-length // (count * unit)) * unit)
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]
