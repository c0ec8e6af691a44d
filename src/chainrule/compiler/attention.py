"""Attention on arrays through the jobs of `native/attention_jobs.py`: one call of the threads.

How the work is cut depends on the arrays alone, never on the number of threads: the bits of a
result do not either.
"""

from __future__ import annotations

import functools
import math
import struct
import threading
from typing import Any

import numpy as np

from . import pool
from .addresses import address, stack_offsets
from .gemm import DTYPES, ZEROS_AT
from .gemm_text import DEPTH, blocks
from .native import library
from .native.attention_jobs import (
    ADDED,
    CHOSEN,
    FIELDS,
    MANY_QUERIES,
    MOST_KEPT_QUERIES,
    SCORES,
    TOPS,
)

_AT = {name: i for i, name in enumerate(FIELDS)}
_PARTS = 4  # pieces of a gradient at least, where there are enough queries
_SHORTEST = 256  # queries of such a piece
_FEWEST = 8  # rows and columns of scores: tiles of smaller products would be mostly border


class Attention:
    """Calls the machine code, which is made for a dtype when it is first needed."""

    def __init__(self, product: Any, tiles: Any) -> None:
        self._product, self._tiles = product, tiles
        self._pool = pool.shared()
        self._lock = threading.Lock()
        self._jobs: dict[tuple[str, np.dtype], int | None] = {}

    def forward(
        self, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | None,
        scale: float, causal: bool, out: np.ndarray, weights: np.ndarray | None = None,
    ) -> np.ndarray | None:  # fmt: skip
        """softmax(q k^T scale + mask) v into `out`; gives the logarithms of the sums, or None if
        this is not for it. The mask has the shape of the scores. The weights are kept, transposed,
        if there is an array for them.
        """
        job = self._job("attend" if weights is None else "attend_keeping", q.dtype)
        if job is None or not self._suits(q, k, v, mask):
            return None
        if weights is not None and not _keepable(weights):
            return None
        q, k, v = (_plain(x) for x in (q, k, v))
        sums = np.empty((*q.shape[:-1], 1), q.dtype)
        step = getattr(MANY_QUERIES, DTYPES[q.dtype])
        named = {"q": q, "k": k, "v": v, "out": out, "sums": sums}
        if weights is not None:
            named["weights"] = weights
            step = max(1, q.shape[-2])
        table = self._table(named, mask, scale, causal, tuple(_steps(q.shape[-2], step)))
        self._run(job, table)
        return sums

    def backward(
        self, g: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | None,
        out: np.ndarray, sums: np.ndarray, scale: float, causal: bool, found: list[np.ndarray],
        weights: np.ndarray | None = None,
    ) -> bool:  # fmt: skip
        """Write the gradients of q, k and v to the arrays found; False if this is not for it."""
        job = self._job("attend_back" if weights is None else "pull_keeping", q.dtype)
        if job is None or not self._suits(q, k, v, mask) or g.dtype != q.dtype:
            return False
        q, k, v, g, out = (_plain(x) for x in (q, k, v, g, out))
        if weights is not None:
            if not _keepable(weights):
                return False
            gq, gk, gv = found
            named = {"q": q, "k": k, "v": v, "g": g, "gq": gq, "gk": gk, "gv": gv}
            named["weights"] = weights
            self._run(job, self._table(named, None, scale, causal, ((0, q.shape[-2]),)))
            return True
        sums = np.ascontiguousarray(sums)
        heads, length = sums.size // max(1, q.shape[-2]), q.shape[-2]
        parts = max(1, min(-(-_PARTS // max(1, heads)), length // _SHORTEST))
        step = getattr(MANY_QUERIES, DTYPES[q.dtype])
        cuts = tuple(_steps(length, -(-length // (parts * step)) * step))
        gq, gk, gv = found
        if len(cuts) > 1:
            gk, gv = (np.empty((len(cuts), *x.shape), x.dtype) for x in (gk, gv))
        named = {"q": q, "k": k, "v": v, "out": out, "sums": sums, "g": g, "gq": gq}
        partial = {"gk": gk, "gv": gv}
        if len(cuts) == 1:
            named.update(partial)
        table = self._table(named, mask, scale, causal, cuts)
        if len(cuts) > 1:
            _spread(table, partial, len(cuts))
        self._run(job, table)
        if len(cuts) > 1:
            for whole, piece in zip(found[1:], (gk, gv), strict=True):
                np.add.reduce(piece, axis=0, out=whole)
        return True

    def _suits(self, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | None) -> bool:
        lead, sizes = q.shape[:-2], (q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1])
        return (
            q.dtype == k.dtype == v.dtype
            and k.shape[:-2] == lead == v.shape[:-2]
            and min(sizes) >= _FEWEST
            and (mask is None or mask.dtype in (q.dtype, np.bool_))
        )

    def _job(self, name: str, dtype: np.dtype) -> int | None:
        key = name, dtype
        if key not in self._jobs:
            with self._lock:
                if key not in self._jobs:
                    there = dtype in DTYPES and self._product.has(dtype)
                    self._jobs[key] = library.job(name, DTYPES[dtype]) if there else None
        return self._jobs[key]

    def _table(
        self, named: dict[str, np.ndarray], mask: np.ndarray | None, scale: float, causal: bool,
        cuts: tuple[tuple[int, int], ...],
    ) -> np.ndarray:  # fmt: skip
        """A row of FIELDS for every head and part of its queries."""
        q, k, v = named["q"], named["k"], named["v"]
        layout = tuple((name, x.strides) for name, x in named.items())
        kind = 0
        if mask is not None:
            named = {**named, "mask": mask}
            layout = (*layout, ("mask", mask.strides))
            kind = CHOSEN if mask.dtype == np.bool_ else ADDED
        _, rows = blocks(1, q.itemsize, self._tiles)
        numbers = (
            ("keys", k.shape[-2]), ("width", q.shape[-1]), ("value_width", v.shape[-1]),
            ("causal", int(causal)), ("mask_kind", kind), ("block_rows", rows), ("deepest", DEPTH),
            ("scale", struct.unpack("=q", struct.pack("=d", scale))[0]),
        )  # fmt: skip
        table = _offsets(q.shape[:-2], layout, numbers, cuts).copy()
        for name, x in named.items():
            table[:, _AT[name]] += address(x)
        table[:, _AT["product"]] = self._product.address(q.dtype)
        table[:, _AT["zeros"]] = ZEROS_AT
        return table

    def _run(self, job: int, table: np.ndarray) -> None:
        self._pool.run(job, address(table), table.strides[0], len(table), pool.thread_count())


@functools.lru_cache(maxsize=256)
def _offsets(
    lead: tuple[int, ...],
    layout: tuple[tuple[str, tuple[int, ...]], ...],
    numbers: tuple[tuple[str, int], ...],
    cuts: tuple[tuple[int, int], ...],
) -> np.ndarray:
    """The table with addresses counted from the beginning of each array."""
    table = np.zeros((math.prod(lead), len(cuts), len(FIELDS)), np.int64)
    for name, strides in layout:
        table[:, :, _AT[name]] = stack_offsets(lead, strides)[:, None]
        if f"{name}_row" in _AT:
            table[:, :, _AT[f"{name}_row"]] = strides[-2]
        if f"{name}_column" in _AT:
            table[:, :, _AT[f"{name}_column"]] = strides[-1]
    for name, value in numbers:
        table[:, :, _AT[name]] = value
    table[:, :, _AT["start"]], table[:, :, _AT["stop"]] = np.array(cuts).T
    return table.reshape(-1, len(FIELDS))


def _spread(table: np.ndarray, partial: dict[str, np.ndarray], parts: int) -> None:
    """Give every part of the queries its own gradients of keys and values."""
    view = table.reshape(-1, parts, len(FIELDS))
    for name, x in partial.items():
        heads = stack_offsets(x.shape[1:-2], x.strides[1:])
        view[:, :, _AT[name]] = address(x) + heads[:, None] + np.arange(parts) * x.strides[0]
        view[:, :, _AT[f"{name}_row"]] = x.strides[-2]


def _keepable(weights: np.ndarray) -> bool:
    """Whether the jobs have room for the gradients of these weights."""
    keys, queries = weights.shape[-2:]
    room = keys * queries * weights.itemsize <= TOPS - SCORES
    return room and queries <= MOST_KEPT_QUERIES and weights.flags.c_contiguous


def _steps(length: int, step: int) -> list[tuple[int, int]]:
    """(start, stop) of each part."""
    return [(i, min(i + step, length)) for i in range(0, length, step)]


def _plain(x: np.ndarray) -> np.ndarray:
    """x, or a copy whose last dimension lies in one piece."""
    return x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x)
