"""Recurrent layers on arrays through the jobs of `native/kernels/recurrent_jobs.py`.

How a batch is cut depends on its size alone, never on the number of threads: the bits of a result
do not either.
"""

from __future__ import annotations

import functools
import struct
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...ops.buffers import borrow
from ...ops.locks import keep_through_forks
from ..machine import worker_threads
from ..machine.addresses import address
from ..native import library
from ..native.kernels import recurrent_jobs as job
from .gemm import DTYPES, ZEROS_AT
from .gemm_text import ARGUMENTS, Tiles, blocks
from .packed_text import module_text, packed_bytes

_AT = {name: i for i, name in enumerate(job.FIELDS)}
_ROW_AT = {name: _AT.get(f"{name}_row") for name in job.FIELDS}
_CALL = struct.Struct(f"={len(ARGUMENTS)}q").pack
_KINDS = {"lstm": job.LSTM, "gru": job.GRU, "tanh": job.TANH, "relu": job.RELU}
_BEFORE_INPUTS = {"lstm": 6, "gru": 4, "tanh": 0, "relu": 0}  # blocks of columns in what is kept
_TOGETHER = 8  # examples that go through the steps together: a tile, which reads each weight once
_LARGE = 1 << 20  # bytes of weights that leave a core's own cache: more examples should share them
_TOGETHER_IF_LARGE = 32
_FEW = 8  # examples that one thread takes alone
_LINE = 64  # bytes


class _Code(NamedTuple):
    """Addresses of the machine code for one dtype."""

    pack: int
    multiply: int
    recur: int
    recur_back: int


class _Steps(NamedTuple):
    """A sequence: the first row of each step inside and outside of the jobs, how many rows it has,
    which examples go together.
    """

    starts: np.ndarray
    places: np.ndarray
    counts: np.ndarray
    cuts: tuple[tuple[int, int], ...]


class Recurrent:
    """Calls the machine code, which is made for a dtype when it is first needed."""

    def __init__(self, tiles: Tiles, load_module: Callable[..., Any]) -> None:
        self._tiles, self._load = tiles, load_module
        self._workers: Any = worker_threads.shared()
        self._lock = keep_through_forks(threading.Lock(), 1)
        self._codes: dict[np.dtype, _Code | None] = {}
        self._compiled: list[Any] = []  # owns the code

    def forward(
        self, kind: str, arrays: Mapping[str, np.ndarray], weights: list[np.ndarray],
        biases: list[np.ndarray] | None, sizes: tuple[int, ...], apart: int, reverse: bool,
    ) -> bool:  # fmt: skip
        """Fill y and kept, and take h and cell to the last states; False if this is not for it.
        `weights` are those of inputs and states, for a GRU one by one, else joined.
        """
        code = self._code(weights[0].dtype)
        steps = _steps(sizes, apart, reverse, _together(sum(w.nbytes for w in weights)))
        scratch = steps.cuts[0][1] * len(weights[0]) * weights[0].itemsize
        if code is None or (kind == "gru" and scratch > job.SCRATCH_BYTES):
            return False
        row = self._shared(kind, arrays, sizes, apart, code)
        row[job.GATES] = 0 if kind in ("tanh", "relu") else len(weights[0])
        row[job.INPUTS] = arrays["x"].shape[1]
        packed = [self._packed(w.T, code) for w in weights]  # must live until the job is done
        row[job.WEIGHT], row[job.DEPTH] = _start(packed[0][0]), packed[0][1]
        row[job.STATE_WEIGHT], row[job.STATE_DEPTH] = _start(packed[-1][0]), packed[-1][1]
        if biases is None:
            row[job.BIAS] = row[job.STATE_BIAS] = ZEROS_AT
        else:
            row[job.BIAS_STEP] = weights[0].itemsize
            row[job.BIAS], row[job.STATE_BIAS] = address(biases[0]), address(biases[-1])
        self._run(code.recur, row, steps)
        return True

    def backward(
        self, kind: str, arrays: Mapping[str, np.ndarray], w_hh: np.ndarray, inputs: int,
        sizes: tuple[int, ...], apart: int, reverse: bool,
    ) -> np.ndarray | None:  # fmt: skip
        """Fill slopes, and take dh and dc to the gradients of the first states; gives the sums of
        the slopes' rows, or None if this is not for it.
        """
        code = self._code(w_hh.dtype)
        if code is None:
            return None
        slopes = arrays["slopes"]
        row = self._shared(kind, arrays, sizes, apart, code)
        row[job.GATES] = 0 if kind in ("tanh", "relu") else len(w_hh)
        row[job.INPUTS] = inputs
        packed, row[job.STATE_DEPTH] = self._packed(w_hh, code)
        row[job.STATE_WEIGHT] = _start(packed)
        steps = _steps(sizes, apart, reverse, _together(w_hh.nbytes))
        sums = np.empty((len(steps.cuts), slopes.shape[1]), slopes.dtype)
        row[job.SUMS], row[job.SUM_COUNT] = address(sums), sums.shape[1]
        self._run(code.recur_back, row, steps, sums.strides[0])
        return sums[0] if len(sums) == 1 else np.add.reduce(sums, axis=0)

    def _shared(
        self, kind: str, arrays: Mapping[str, np.ndarray], sizes: tuple[int, ...], apart: int,
        code: _Code,
    ) -> list[int]:  # fmt: skip
        """A piece of work in the order of FIELDS, with what forward and backward both say."""
        y = arrays["y"]
        row = [0] * len(job.FIELDS)
        row[job.KIND], row[job.STEPS], row[job.APART] = _KINDS[kind], len(sizes), apart
        row[job.WIDTH], row[job.LEFT] = y.shape[1], _BEFORE_INPUTS[kind] * y.shape[1]
        row[job.MULTIPLY], row[job.ZEROS] = code.multiply, ZEROS_AT
        row[job.BLOCK_ROWS] = blocks(1, y.itemsize, self._tiles)[1]
        for name, x in arrays.items():
            row[_AT[name]] = address(x)
            at = _ROW_AT[name]
            if at is not None:
                row[at] = x.strides[0]
        return row

    def product(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """a @ b by packing b, as a step does it; rows of a lie in one piece."""
        code = self._code(a.dtype)
        assert code is not None
        return self._product(a, b, code)

    def _product(self, a: np.ndarray, b: np.ndarray, code: _Code) -> np.ndarray:
        packed, depth = self._packed(b, code)
        (m, k), n = a.shape, b.shape[1]
        c = np.empty((m, n), a.dtype)
        self._call(
            code.multiply,
            address(a), a.strides[0], a.itemsize, _start(packed), 0, 0, address(c), c.strides[0],
            m, n, k, blocks(k, a.itemsize, self._tiles)[1], depth, ZEROS_AT, 0,
            ZEROS_AT, 0, 0,
        )  # fmt: skip
        return c

    def _packed(self, b: np.ndarray, code: _Code) -> tuple[np.ndarray, int]:
        """A right factor as panels, and how many rows of it a block of them has."""
        b = b if b.itemsize in b.strides else np.ascontiguousarray(b)
        k, n = b.shape
        depth, _ = blocks(k, b.itemsize, self._tiles)
        room = packed_bytes(k, n, self._tiles, DTYPES[b.dtype]) + _LINE
        out = borrow(room // b.itemsize, b.dtype)
        self._call(
            code.pack,
            0, 0, 0, address(b), *b.strides, _start(out), 0, 0, n, k, 0, depth, 0, 0, 0, 0, 0,
        )  # fmt: skip
        return out, depth

    def _call(self, function: int, *arguments: int) -> None:
        """Call machine code that takes ARGUMENTS, on this thread."""
        self._workers.run(function, _CALL(*arguments), 8 * len(ARGUMENTS), 1, 1)

    def _run(self, function: int, row: list[int], steps: _Steps, sum_bytes: int = 0) -> None:
        """One piece of work for each of the cuts, each with its own sums."""
        row[job.STARTS], row[job.PLACES] = address(steps.starts), address(steps.places)
        row[job.COUNTS] = address(steps.counts)
        values: list[int] = []
        for row[job.FIRST], row[job.ROWS] in steps.cuts:
            values += row
            row[job.SUMS] += sum_bytes
        pieces = struct.pack(f"={len(values)}q", *values)
        self._workers.run(
            function, pieces, 8 * len(row), len(steps.cuts), worker_threads.thread_count()
        )

    def _code(self, dtype: np.dtype) -> _Code | None:
        if dtype not in self._codes:
            with self._lock:
                if dtype not in self._codes:
                    self._codes[dtype] = self._make(dtype) if dtype in DTYPES else None
        return self._codes[dtype]

    def _make(self, dtype: np.dtype) -> _Code | None:
        jobs = [library.job(name, DTYPES[dtype]) for name in ("recur", "recur_back")]
        if None in jobs:
            return None
        kind = DTYPES[dtype]
        compiled = self._load(
            f"packed {kind} {self._tiles}", lambda: module_text(self._tiles, kind)
        )
        self._compiled.append(compiled)
        functions = (compiled.function(name, 2) for name in ("pack_right", "packed_piece"))
        code = _Code(*map(worker_threads.address_of, functions), *jobs)
        return code if self._multiplies(code, dtype) else None

    def _multiplies(self, code: _Code, dtype: np.dtype) -> bool:
        """Whether products with borders in all directions come out as NumPy's."""
        random = np.random.Generator(np.random.PCG64(0))
        a = random.uniform(-1, 1, (21, 301)).astype(dtype)
        b = random.uniform(-1, 1, (301, 85)).astype(dtype)
        expected, bound = a.dot(b), 301 * np.finfo(dtype).eps * 10
        return all(
            np.abs(self._product(a, y, code) - expected).max() < bound
            for y in (b, np.asfortranarray(b))
        )


@functools.lru_cache(maxsize=64)
def _steps(sizes: tuple[int, ...], apart: int, reverse: bool, together: int) -> _Steps:
    counts = np.array(sizes, np.int64)
    starts = np.cumsum(counts) - counts
    places = starts if apart == 1 else np.arange(len(sizes))
    if reverse:
        starts, places, counts = (x[::-1].copy() for x in (starts, places, counts))
    return _Steps(starts, places, counts, tuple(_cuts(max(sizes), together)))


def _together(weight_bytes: int) -> int:
    return _TOGETHER if weight_bytes <= _LARGE else _TOGETHER_IF_LARGE


def _cuts(batch: int, together: int) -> list[tuple[int, int]]:
    """(first example, how many) of each piece of work: a power of two of them, for threads."""
    parts = 1 if batch < _FEW else max(2, 1 << (batch // together).bit_length() >> 1)
    rows = -(-batch // (4 * parts)) * 4
    return [(i, min(rows, batch - i)) for i in range(0, batch, rows)]


def _start(memory: np.ndarray) -> int:
    """The first line of the cache that lies in an array."""
    return (address(memory) + _LINE - 1) & -_LINE
