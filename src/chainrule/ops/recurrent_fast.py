"""Recurrent layers as jobs (`compiler/products/recurrent.py`), where there is machine code.

Every function gives None where there is none, or where the weights are too large to stay in the
cache while a few examples go through the steps: then `recurrent_arrays` computes it.

What is kept for the backward pass is a matrix with a row for each example of each step: its gates,
arrays of the layer's own, its input, and the state before that step.
"""

from __future__ import annotations

import numpy as np

from .buffers import borrow
from .kernels import recurrent_jobs

_WEIGHTS = 1 << 24  # bytes of a weight that stays in the cache which cores share
_LINE = 64  # bytes; vectors that lie across two lines cost twice as much
_ALIKE = 2048  # bytes; rows a multiple of it apart share few lines of the cache


def jobs_for(x, h0, w_ih, w_hh, biases, blocks, sizes):
    """What runs a layer of these sizes as jobs; None where nothing does, or where shapes do not
    fit: machine code would not see it, and NumPy says why.
    """
    gates, width = blocks * h0.shape[1], h0.shape[1]
    fits = (
        x.shape == (sum(sizes), w_ih.shape[1])
        and len(h0) == max(sizes)
        and w_ih.shape[0] == gates
        and w_hh.shape == (gates, width)
        and all(b is None or b.shape == (gates,) for b in biases)
    )
    small = max(w_ih.nbytes, w_hh.nbytes) <= _WEIGHTS
    if (
        not fits
        or not small
        or not x.size
        or not width
        or not x.dtype == h0.dtype == w_ih.dtype == w_hh.dtype
    ):
        return None
    return recurrent_jobs()


def rows_of(count, width, dtype):
    """A matrix of at least so many columns with any contents; its rows begin at cache lines."""
    item = dtype.itemsize
    whole = -(-width * item // _LINE) * _LINE
    pitch = (whole + _LINE if whole % _ALIKE == 0 else whole) // item
    room = borrow(count * pitch + _LINE // item, dtype)
    skip = -room.__array_interface__["data"][0] % _LINE // item
    return room[skip : skip + count * pitch].reshape(count, pitch)


def inputs_and_states(kept, skip, x, h0):
    """The inputs and the states in what was kept, which come after so many columns."""
    return kept[:, skip : skip + x.shape[1] + h0.shape[1]]


def plain(x):
    """x, or a copy whose rows lie in one piece."""
    return x if x.strides[1] == x.itemsize else np.ascontiguousarray(x)


def gradient_of(gy, y):
    """The gradient of the outputs, zeros where there is none."""
    return np.broadcast_to(np.zeros(y.shape[1], y.dtype), y.shape) if gy is None else plain(gy)


def lstm_forward(x, h0, c0, w_ih, w_hh, bias, sizes, apart, reverse):
    """(y, last h, last c, kept); the layer's own are cells before and tanh of cells after."""
    jobs = jobs_for(x, h0, w_ih, w_hh, [bias], 4, sizes)
    if jobs is None or c0.shape != h0.shape:
        return None
    h, c = np.array(h0, order="C"), np.array(c0, order="C")
    y = np.empty((len(x), h.shape[1]), x.dtype)
    joined = np.concatenate((w_ih, w_hh), axis=1)
    kept = rows_of(len(x), 6 * h.shape[1] + joined.shape[1], x.dtype)
    arrays = {"x": plain(x), "y": y, "h": h, "cell": c, "kept": kept}
    biases = None if bias is None else [bias]
    done = jobs.forward("lstm", arrays, [joined], biases, sizes, apart, reverse)
    return (y, h, c, kept) if done else None


def gru_forward(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse):
    """(y, last h, kept); the layer's own is what the state gives to the candidate."""
    jobs = jobs_for(x, h0, w_ih, w_hh, [b_ih, b_hh], 3, sizes)
    if jobs is None:
        return None
    h = np.array(h0, order="C")
    y = np.empty((len(x), h.shape[1]), x.dtype)
    kept = rows_of(len(x), 5 * h.shape[1] + x.shape[1], x.dtype)
    arrays = {"x": plain(x), "y": y, "h": h, "kept": kept}
    biases = None if b_ih is None else [np.ascontiguousarray(b) for b in (b_ih, b_hh)]
    done = jobs.forward("gru", arrays, [w_ih, w_hh], biases, sizes, apart, reverse)
    return (y, h, kept) if done else None


def rnn_forward(x, h0, w_ih, w_hh, bias, sizes, apart, reverse, relu):
    """(y, last h, kept)."""
    jobs = jobs_for(x, h0, w_ih, w_hh, [bias], 1, sizes)
    if jobs is None:
        return None
    h = np.array(h0, order="C")
    y = np.empty((len(x), h.shape[1]), x.dtype)
    joined = np.concatenate((w_ih, w_hh), axis=1)
    kept = rows_of(len(x), joined.shape[1], x.dtype)
    arrays = {"x": plain(x), "y": y, "h": h, "kept": kept}
    biases = None if bias is None else [bias]
    kind = "relu" if relu else "tanh"
    done = jobs.forward(kind, arrays, [joined], biases, sizes, apart, reverse)
    return (y, h, kept) if done else None


def slopes_of(kind, gy, y, x, w_hh, kept, sizes, apart, reverse, states):
    """(gradients of the sums of the gates in all rows, their sums over the rows); `states` hold dh
    and dc, which become the gradients of the first states.
    """
    jobs = recurrent_jobs()
    if jobs is None:
        return None
    y, width = np.ascontiguousarray(y), y.shape[1]
    columns = width if kind in ("tanh", "relu") else 4 * width
    slopes = rows_of(len(y), columns, y.dtype)[:, :columns]
    arrays = {"y": y, "kept": kept, "g": gradient_of(gy, y), "slopes": slopes, **states}
    sums = jobs.backward(kind, arrays, w_hh, x.shape[1], sizes, apart, reverse)
    return None if sums is None else (slopes, sums)
