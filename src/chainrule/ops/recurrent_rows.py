"""The rows of a sequence: where those of a step lie, in which order, and sums over them.

See `recurrent_arrays` for what `sizes`, `apart` and `reverse` say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .buffers import borrow, borrow_like
from .products import multiply
from .reduce import ones_vector
from .sums import native_sum


def spans(sizes, reverse):
    """(first row, end, rows) of every step, in the order in which they run."""
    found, start = [], 0
    for n in sizes:
        found.append((start, start + n, n))
        start += n
    return found[::-1] if reverse else found


def step_by_step(rows, apart) -> Any:
    """Rows that lie example after example, in the order of the steps."""
    if apart == 1 or rows is None or not len(rows):
        return rows
    return rows.reshape(-1, apart, rows.shape[1]).swapaxes(0, 1).reshape(rows.shape)


def example_by_example(rows, apart) -> Any:
    """The opposite of step_by_step."""
    return rows if apart == 1 or not len(rows) else step_by_step(rows, len(rows) // apart)


def previous_states(y, h0, sizes, reverse, out=None):
    """The state that each row of y was computed from."""
    steps = spans(sizes, reverse)
    out = borrow_like(y) if out is None else out
    n = len(h0)
    if sizes[-1] == n:  # rectangular
        inner, outer = (slice(None, -n), slice(n, None)) if reverse else (
            slice(n, None), slice(None, -n))  # fmt: skip
        out[inner] = y[outer]
        out[-n if reverse else 0 :][:n] = h0
        return out
    state = h0.copy()
    for start, stop, rows in steps:
        out[start:stop] = state[:rows]
        state[:rows] = y[start:stop]
    return out


def inputs_and_states(x, y, h0, sizes, reverse):
    """The input of each row and the state before it, side by side."""
    width = x.shape[1]
    together = width + y.shape[1]
    both = borrow(len(x) * together, x.dtype).reshape(len(x), together)
    both[:, :width] = x
    previous_states(y, h0, sizes, reverse, out=both[:, width:])
    return both


def weight_gradients(slopes, both, width, wants_input, wants_state):
    """Gradients of the weights of inputs (so many columns of `both`) and of states; of both by one
    product, which reads the slopes once.
    """
    if not (wants_input and wants_state):
        return (
            multiply(slopes.T, both[:, :width]) if wants_input else None,
            multiply(slopes.T, both[:, width:]) if wants_state else None,
        )
    if slopes.shape[1] > both.shape[1]:  # the left factor of a product is the slower one to copy
        product = multiply(both.T, slopes).T
    else:
        product = multiply(slopes.T, both)
    return np.ascontiguousarray(product[:, :width]), np.ascontiguousarray(product[:, width:])


def column_sums(g):
    """The sum of the rows."""
    done = native_sum(g, (0,), False) if g.flags.c_contiguous else None
    return ones_vector(len(g), g.dtype).dot(g) if done is None else done
