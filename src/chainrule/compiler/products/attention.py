"""Attention on arrays by jobs (`native/kernels/attention_jobs.py`): one call of the threads.

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

from ...ops.locks import keep_through_forks
from ..machine import worker_threads
from ..machine.addresses import address, stack_offsets
from ..native import library
from ..native.kernels.attention_jobs import (
    ADDED,
    CHOSEN,
    FIELDS,
    MANY_QUERIES,
    MOST_KEPT_QUERIES,
    SCORES,
    TOPS,
)
from .gemm import DTYPES, ZEROS_AT
from .gemm_text import DEPTH, blocks

AT = {name: i for i, name in enumerate(FIELDS)}
_PARTS = 4  # pieces of a gradient at least, where there are enough queries
_SHORTEST = 256  # queries of such a piece
FEWEST = 8  # rows and columns of scores: tiles of smaller products would be mostly border


class Attention:
    """Calls the machine code, which is made for a dtype when it is first needed."""

    def __init__(self, product: Any, tiles: Any) -> None:
        self._product, self._tiles = product, tiles
        self._workers = worker_threads.shared()
        self._lock = keep_through_forks(threading.Lock(), 1)
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
        if weights is not None and not _keeps(weights):
            return None
        q, k, v = (_plain(x) for x in (q, k, v))
        sums = np.empty((*q.shape[:-1], 1), q.dtype)
        named = {"q": q, "k": k, "v": v, "out": out, "sums": sums}
        if weights is not None:
            named["weights"] = weights
        cuts = parts_of_queries(q.shape[-2], DTYPES[q.dtype], weights is not None)
        mask = _queries_together(mask)
        self._run(job, self._table(named, mask, scale, causal, cuts))
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
            if not _keeps(weights):
                return False
            gq, gk, gv = found
            named = {"q": q, "k": k, "v": v, "g": g, "gq": gq, "gk": gk, "gv": gv}
            named["weights"] = weights
            self._run(job, self._table(named, None, scale, causal, ((0, q.shape[-2]),)))
            return True
        sums = np.ascontiguousarray(sums)
        heads = sums.size // max(1, q.shape[-2])
        cuts = parts_of_gradients(heads, q.shape[-2], DTYPES[q.dtype])
        gq, gk, gv = found
        if len(cuts) > 1:
            gk, gv = (np.empty((len(cuts), *x.shape), x.dtype) for x in (gk, gv))
        named = {"q": q, "k": k, "v": v, "out": out, "sums": sums, "g": g, "gq": gq}
        partial = {"gk": gk, "gv": gv}
        if len(cuts) == 1:
            named.update(partial)
        mask = _queries_together(mask)
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
            and min(sizes) >= FEWEST
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
        sizes = k.shape[-2], q.shape[-1], v.shape[-1]
        numbers = numbers_of(sizes, kind, scale, causal, q.itemsize, self._tiles)
        bases = [0] * len(FIELDS)
        for name, x in named.items():
            bases[AT[name]] = address(x)
        bases[AT["product"]] = self._product.address(q.dtype)
        bases[AT["zeros"]] = ZEROS_AT
        return offsets(q.shape[:-2], layout, numbers, cuts) + np.array(bases, np.int64)

    def _run(self, job: int, table: np.ndarray) -> None:
        self._workers.run(  # pyright: ignore[reportOptionalMemberAccess]
            job, address(table), table.strides[0], len(table), worker_threads.thread_count()
        )


def numbers_of(
    sizes: tuple[int, int, int], mask_kind: int, scale: float, causal: bool, size: int, tiles: Any
) -> tuple[tuple[str, int], ...]:
    """Fields that are the same in all rows; sizes are keys, width of queries, width of values."""
    keys, width, value_width = sizes
    _, rows = blocks(1, size, tiles)
    return (
        ("keys", keys), ("width", width), ("value_width", value_width), ("causal", int(causal)),
        ("mask_kind", mask_kind), ("block_rows", rows), ("deepest", DEPTH),
        ("scale", struct.unpack("=q", struct.pack("=d", scale))[0]),
    )  # fmt: skip


@functools.lru_cache(maxsize=256)
def offsets(
    lead: tuple[int, ...],
    layout: tuple[tuple[str, tuple[int, ...]], ...],
    numbers: tuple[tuple[str, int], ...],
    cuts: tuple[tuple[int, int], ...],
) -> np.ndarray:
    """The table with addresses counted from the beginning of each array."""
    table = np.zeros((math.prod(lead), len(cuts), len(FIELDS)), np.int64)
    for name, strides in layout:
        table[:, :, AT[name]] = stack_offsets(lead, strides)[:, None]
        if f"{name}_row" in AT:
            table[:, :, AT[f"{name}_row"]] = strides[-2]
        if f"{name}_column" in AT:
            table[:, :, AT[f"{name}_column"]] = strides[-1]
    for name, value in numbers:
        table[:, :, AT[name]] = value
    table[:, :, AT["start"]], table[:, :, AT["stop"]] = np.array(cuts).T
    return table.reshape(-1, len(FIELDS))


def _spread(table: np.ndarray, partial: dict[str, np.ndarray], parts: int) -> None:
    """Give every part of the queries its own gradients of keys and values."""
    view = table.reshape(-1, parts, len(FIELDS))
    for name, x in partial.items():
        heads = stack_offsets(x.shape[1:-2], x.strides[1:])
        view[:, :, AT[name]] = address(x) + heads[:, None] + np.arange(parts) * x.strides[0]
        view[:, :, AT[f"{name}_row"]] = x.strides[-2]


def _keeps(weights: np.ndarray) -> bool:
    return keepable(*weights.shape[-2:], weights.itemsize) and weights.flags.c_contiguous  # pyright: ignore[reportCallIssue]


def keepable(keys: int, queries: int, size: int) -> bool:
    """Whether the jobs have room for the gradients of so many weights."""
    return keys * queries * size <= TOPS - SCORES and queries <= MOST_KEPT_QUERIES


_MOST_COPIED = 1 << 22  # elements of a mask


def _queries_together(mask: np.ndarray | None) -> np.ndarray | None:
    """A mask whose elements for the queries of one key lie side by side, as scores do in jobs."""
    if mask is None or mask.strides[-2] in (0, mask.itemsize):
        return mask
    own = mask[tuple(slice(0, 1 if step == 0 else None) for step in mask.strides[:-2])]
    if own.size > _MOST_COPIED:
        return mask
    together = np.ascontiguousarray(own.swapaxes(-1, -2)).swapaxes(-1, -2)
    return np.broadcast_to(together, mask.shape)


def parts_of_queries(length: int, dtype: str, keeps: bool) -> tuple[tuple[int, int], ...]:
    """The queries of a head that are a piece of work each: (start, stop)."""
    return _steps(length, max(1, length) if keeps else getattr(MANY_QUERIES, dtype))


def parts_of_gradients(heads: int, length: int, dtype: str) -> tuple[tuple[int, int], ...]:
    """The same for gradients from weights that were not kept."""
    parts = max(1, min(-(-_PARTS // max(1, heads)), length // _SHORTEST))
    step = getattr(MANY_QUERIES, dtype)
    return _steps(length, -(-length // (parts * step)) * step)


def _steps(length: int, step: int) -> tuple[tuple[int, int], ...]:
    """(start, stop) of each part."""
    return tuple((i, min(i + step, length)) for i in range(0, length, step))


def _plain(x: np.ndarray) -> np.ndarray:
    """x, or a copy whose last dimension lies in one piece."""
    return x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x)
