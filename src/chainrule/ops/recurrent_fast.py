"""Recurrent layers by native kernels (`compiler/native/recurrent_kernels.py`), where they fit.

Every function gives None where there is no kernel, or where the weights are too large to stay in a
core's cache while a few examples go through the steps: then `recurrent_arrays` computes it.
"""

from __future__ import annotations

import functools

import numpy as np

from .buffers import borrow, borrow_like
from .kernels import fast

_WEIGHTS = 1 << 20  # bytes of a weight that stays in the cache
_EXAMPLES = 8  # that the kernels take together
_LINE = 64  # bytes; vectors that lie across two lines cost twice as much


@functools.lru_cache(maxsize=64)
def plan(sizes, reverse):
    """(first row, number of rows) of each step in the order in which they run, and the parts that
    threads may take.
    """
    counts = np.array(sizes, np.int64)
    starts = np.cumsum(counts) - counts
    if reverse:
        starts, counts = starts[::-1].copy(), counts[::-1].copy()
    return starts, counts, np.zeros((max(sizes) + _EXAMPLES - 1) // _EXAMPLES, np.uint8)


def aligned(w):
    """A copy of w at the start of a cache line."""
    item = w.dtype.itemsize
    room = borrow(w.size + _LINE // item, w.dtype)
    skip = -room.__array_interface__["data"][0] % _LINE // item
    out = room[skip : skip + w.size].reshape(w.shape)
    out[...] = w
    return out


def suits(w_ih, w_hh):
    """Whether kernels are for these weights."""
    return w_ih.dtype.kind == "f" and max(w_ih.nbytes, w_hh.nbytes) <= _WEIGHTS


def bias_of(b, w):
    """A bias, zeros where there is none."""
    return np.zeros(len(w), w.dtype) if b is None else b


def gradient_of(gy, y):
    """The gradient of the outputs, zeros where there is none."""
    if gy is not None and gy.flags.c_contiguous:
        return gy
    out = borrow_like(y)
    out[...] = 0 if gy is None else gy
    return out


def lstm_forward(x, h0, c0, w_ih, w_hh, bias, sizes, reverse):
    """(y, last h, last c, gates, cells before, tanh of cells after), rows of gates i f g o."""
    if not suits(w_ih, w_hh):
        return None
    h, c = np.array(h0, order="C"), np.array(c0, order="C")
    y = np.empty((len(x), h.shape[1]), x.dtype)
    z = borrow(4 * y.size, x.dtype).reshape(len(x), 4 * h.shape[1])
    before, tops = borrow_like(y), borrow_like(y)
    starts, counts, parts = plan(sizes, reverse)
    done = fast.lstm_sequence(
        np.ascontiguousarray(x), aligned(w_ih.T), aligned(w_hh.T), bias_of(bias, w_hh), starts,
        counts, h, c, y, z, before, tops, parts,
    )  # fmt: skip
    return (y, h, c, z, before, tops) if done else None


def lstm_slopes(gy, dh, dc, w_hh, z, before, tops, sizes, reverse):
    """Gradients of the gates' sums; dh and dc become those of the first states."""
    slopes = borrow_like(z)
    starts, counts, parts = plan(sizes, reverse)
    done = fast.lstm_slopes(
        gradient_of(gy, tops), aligned(w_hh), starts, counts, z, before, tops, dh, dc, slopes, parts
    )
    return slopes if done else None


def gru_forward(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, reverse):
    """(y, last h, gates, recurrent part of the candidate), rows of gates r z n."""
    if not suits(w_ih, w_hh):
        return None
    h = np.array(h0, order="C")
    y = np.empty((len(x), h.shape[1]), x.dtype)
    z, late = borrow(3 * y.size, x.dtype).reshape(len(x), 3 * h.shape[1]), borrow_like(y)
    starts, counts, parts = plan(sizes, reverse)
    done = fast.gru_sequence(
        np.ascontiguousarray(x), aligned(w_ih.T), aligned(w_hh.T), bias_of(b_ih, w_hh),
        bias_of(b_hh, w_hh), starts, counts, h, y, z, late, parts,
    )  # fmt: skip
    return (y, h, z, late) if done else None


def gru_slopes(gy, dh, w_hh, z, late, states, sizes, reverse):
    """(gradients of what the recurrent weight gave the gates, of the candidate before its tanh)."""
    slopes, to_n = borrow_like(z), borrow_like(late)
    starts, counts, parts = plan(sizes, reverse)
    done = fast.gru_slopes(
        gradient_of(gy, late), aligned(w_hh), starts, counts, z, late, states, dh, slopes, to_n,
        parts,
    )  # fmt: skip
    return (slopes, to_n) if done else None


def rnn_forward(x, h0, w_ih, w_hh, bias, sizes, reverse, relu):
    """(y, last h)."""
    if not suits(w_ih, w_hh):
        return None
    h = np.array(h0, order="C")
    y = np.empty((len(x), h.shape[1]), x.dtype)
    starts, counts, parts = plan(sizes, reverse)
    done = fast.rnn_sequence(
        np.ascontiguousarray(x), aligned(w_ih.T), aligned(w_hh.T), bias_of(bias, w_hh), starts,
        counts, h, y, relu, parts,
    )  # fmt: skip
    return (y, h) if done else None


def rnn_slopes(gy, dh, w_hh, y, sizes, reverse, relu):
    """Gradients before the function; dh becomes that of the first state."""
    if not suits(w_hh, w_hh):
        return None
    slopes = borrow_like(y)
    starts, counts, parts = plan(sizes, reverse)
    done = fast.rnn_slopes(
        gradient_of(gy, y), aligned(w_hh), starts, counts, y, dh, slopes, relu, parts
    )
    return slopes if done else None
