"""Rows of a table by number, and their transpose: sums of rows."""

from __future__ import annotations

import math

import numpy as np

from .. import ir
from .halves import wide
from .kernels import fast
from .later import Later
from .schema import Refused, op

interrupts = Later(".interrupts", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_LARGE = 1 << 14  # elements that several threads add
_VERY_LARGE = 1 << 20  # elements from which SciPy's sparse product is worth its import


@op(
    vjp={
        "w": lambda g, index, w_shape, padding, by_count: embedding_sum(
            g, index, rows=w_shape[0], padding=padding, by_count=by_count
        )
    },
    jvp={"w": lambda t, index: embedding(t, index, padding=-1, by_count=False)},
    nondiff=("index",),
    batch="loop",
    lower=ir.compose(lambda w, index, *, padding, by_count: numbered_rows(w, index)),
    types=lambda w, index, **rest: [((*index.shape, w.shape[1]), w.dtype)],
)
def embedding(w, index, *, padding, by_count):
    """The rows of w numbered by index. `padding` names a row without gradient (-1: none)."""
    if index.size and (np.minimum.reduce(index, None) < 0):
        raise IndexError("index out of range in self")
    rows = rows_by_number(w, index)
    return w.take(index, 0) if rows is None else rows


def rows_by_number(x, index):
    """x[index] along the first axis as one pass of machine code; None where it is not for that."""
    if x.ndim < 2 or x.dtype.char not in "fd" or not x.flags.c_contiguous or not x.size:
        return None
    done = fast.rows_by_number(x.reshape(len(x), -1), index.reshape(-1), index.size)
    return None if done is None else done.reshape(*index.shape, *x.shape[1:])


def sum_by_number(g, index, rows, axis=0):
    """Zeros with `rows` along an axis, plus the parts of g along it where the 1-D index says; by
    machine code, None where it is not for that. Threads divide what lies behind the axis, so that
    the order of sums does not depend on them."""
    if g.dtype.char not in "fd":
        return None
    outer, width = math.prod(g.shape[:axis]), math.prod(g.shape[axis + 1 :])
    parts = np.ascontiguousarray(g).reshape(outer, index.size, width)
    done = sum_in_blocks(parts, np.ascontiguousarray(index), rows)
    return None if done is None else done.reshape(*g.shape[:axis], rows, *g.shape[axis + 1 :])


def sum_in_blocks(parts, index, rows):
    """The same for (outer, places, width) of floats in one block of memory each."""
    width = parts.shape[2]
    pieces = 1 if parts.size < _LARGE or width < 32 else (2 if width < 256 else 4)
    return fast.sum_by_number(parts, index, rows, pieces)


def sum_rows(g, index, rows):
    """Zeros of `rows` rows, plus g[i] at row index[i]."""
    done = sum_by_number(g, index, rows)
    if done is not None:
        return done
    if g.size > _VERY_LARGE:
        # A sparse 0/1 matrix times g: then faster than sorting and np.add.reduceat.
        interrupts.load("scipy.sparse")
        from scipy.sparse import csr_array

        n = len(index)
        picks = csr_array((np.ones(n, g.dtype), index, np.arange(n + 1)), shape=(n, rows))
        return picks.T @ g
    out = np.zeros((rows, g.shape[1]), g.dtype)
    if not index.size:
        return out
    order = np.argsort(index, kind="stable")
    numbers = index[order]
    starts = np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))
    if len(starts) == len(numbers):  # no row twice
        out[index] = g
    else:
        out[numbers[starts]] = np.add.reduceat(g[order], starts, 0)
    return out


@op(
    vjp={
        "g": lambda g, index, rows, padding, by_count: embedding_pick(
            g, index, padding=padding, by_count=by_count
        )
    },
    linear_in=("g",),
    nondiff=("index",),
    batch="loop",
)
def embedding_sum(g, index, *, rows, padding, by_count):
    """g summed into the rows numbered by index: the transpose of `embedding`."""
    flat = index.reshape(-1)
    parts = wide(g).reshape(flat.size, math.prod(g.shape[index.ndim :]))
    if by_count and flat.size:
        parts = parts / np.bincount(flat, minlength=rows)[flat][:, None].astype(parts.dtype)
    out = sum_rows(parts, flat, rows)
    if padding >= 0:
        out[padding] = 0
    return out.reshape(rows, *g.shape[index.ndim :]).astype(g.dtype, copy=False)


@op(
    vjp={
        "w": lambda g, index, w_shape, padding, by_count: embedding_sum(
            g, index, rows=w_shape[0], padding=padding, by_count=by_count
        )
    },
    linear_in=("w",),
    nondiff=("index",),
    batch="loop",
)
def embedding_pick(w, index, *, padding, by_count):
    """The transpose of embedding_sum: rows by number, zeros at the padding."""
    out = w.take(index, 0)
    if by_count and index.size:
        counts = np.bincount(index.reshape(-1), minlength=len(w))[index]
        out = out / counts.reshape(*index.shape, *([1] * (w.ndim - 1))).astype(wide(w).dtype)
    if padding >= 0:
        out[index == padding] = 0
    return out.astype(w.dtype, copy=False)


# ---- bags ----------------------------------------------------------------------------------------


@op(nondiff=("offsets",), batch="loop", refuses_values="iu")
def bag_numbers(offsets, *, length, count):
    """For each of `length` indices the number of its bag, given where the bags start."""
    if offsets.size:
        _check_offsets(offsets, length)
    return np.searchsorted(offsets[:count], np.arange(length), side="right") - 1


def _check_offsets(offsets, length):
    """Bags follow each other from the first index to the last."""
    if offsets[0] != 0:
        raise Refused(
            RuntimeError,
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {int(offsets[0])}",
        )
    if offsets[-1] > length:
        raise Refused(
            RuntimeError,
            f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of "
            f"{int(offsets[-1])}",
        )
    if (np.diff(offsets) < 0).any():
        raise Refused(
            RuntimeError, f"offsets say where bags begin and cannot go back: {offsets.tolist()}"
        )


@op(nondiff=("index", "bags"), batch="loop")
def bag_shares(index, bags, *, count, padding, mean, dtype):
    """The weight of each index in its bag: 1, or 1 / the bag's size; 0 for the padding."""
    real = (index != padding).astype(np.float64)
    if mean:
        real /= np.maximum(np.bincount(bags, weights=real, minlength=count), 1)[bags]
    return real.astype(dtype)


@op(nondiff=("w", "index", "bags"), batch="loop")
def bag_max_rows(w, index, bags, *, count, padding):
    """Per bag and column, the number of the row with the largest entry (-1 in an empty bag)."""
    best = np.full((count, w.shape[1]), -1, np.int64)
    columns = np.arange(w.shape[1])
    for row, bag in zip(index, bags, strict=True):
        if row != padding:
            better = (best[bag] < 0) | (w[row] > w[best[bag], columns])
            best[bag] = np.where(better, row, best[bag])
    return best
