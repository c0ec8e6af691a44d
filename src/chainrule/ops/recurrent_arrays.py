"""Recurrent layers on arrays: a whole sequence forward, and all its gradients.

A sequence is a matrix of rows, step after step; step t has `sizes[t]` rows, the first ones of the
batch (a packed sequence; a rectangular one has equal sizes). `reverse` runs from the last step.
Where `apart` is not 1, a rectangular one lies example after example instead, each with so many
steps; NumPy's way brings it in order first.

The projection of the inputs is one product over as many steps as a cache holds, every weight
gradient one product over all steps; a step itself is one small product and a few passes over
buffers that are in the cache. Sigmoids are (1 + tanh(z / 2)) / 2: the halves go into a copy of the
weights, so that one pass of tanh serves all gates of a step. What is kept lies step after step and
within a step gate after gate, because passes over strided rows cost two to three times as much.
"""

from __future__ import annotations

import numpy as np

from . import recurrent_fast
from .buffers import borrow
from .halves import wide
from .products import multiply
from .recurrent_rows import (
    column_sums,
    example_by_example,
    inputs_and_states,
    spans,
    step_by_step,
    weight_gradients,
)


class Gates:
    """A weight with its blocks of rows in the order the computation wants."""

    def __init__(self, order, sigmoids, others):
        self.order = order  # position of each wanted block in PyTorch's order
        self.sigmoids = sigmoids  # how many of the first blocks are gates
        self.others = others  # how many arrays like a state are kept beside the gates

    def halved(self, w):
        """The blocks of w in our order, those of sigmoids halved, as columns of a matrix."""
        width = len(w) // len(self.order)
        out = np.empty((*w.shape[1:], len(w)), w.dtype)
        for k, source in enumerate(self.order):
            part = w[source * width : (source + 1) * width]
            factor = w.dtype.type(0.5 if k < self.sigmoids else 1.0)
            np.multiply(part.T, factor, out=out[..., k * width : (k + 1) * width])
        return out


LSTM_GATES = Gates([0, 1, 3, 2], 3, 2)  # i, f, o, g
GRU_GATES = Gates([0, 1, 2], 2, 1)  # r, z, n

_CHUNK = 1 << 17  # elements of projected inputs that are held at a time: half of an L2 cache


class Projection:
    """x @ w + bias for the rows of a step, made for many steps at a time."""

    def __init__(self, x, w, bias, steps):
        self.x, self.w, self.bias = x, w, bias
        most = max(n for _, _, n in steps)
        self.rows = max(most, _CHUNK // w.shape[1])
        rows = min(self.rows, len(x))
        self.buffer = borrow(rows * w.shape[1], x.dtype).reshape(rows, w.shape[1])
        self.first = self.end = 0
        self.backwards = len(steps) > 1 and steps[0][0] > steps[1][0]

    def of(self, start, stop):
        """The projected rows of a step; they may be written to."""
        if not self.first <= start < stop <= self.end:
            self._make(start, stop)
        return self.buffer[start - self.first : stop - self.first]

    def _make(self, start, stop):
        if self.backwards:
            start = max(0, stop - self.rows)
        else:
            stop = min(len(self.x), start + self.rows)
        self.first, self.end = start, stop
        out = self.buffer[: stop - start]
        np.dot(self.x[start:stop], self.w, out=out)
        if self.bias is not None:
            out += self.bias


def state_of(g, like):
    """A writable copy of the gradient of a final state, zeros where there is none."""
    return (
        np.zeros(like.shape, like.dtype) if g is None else np.array(wide(g), like.dtype, order="C")
    )


def as_given(grads, inputs):
    """Gradients in the types of their inputs."""
    return tuple(
        None if g is None else g.astype(x.dtype, copy=False)
        for g, x in zip(grads, inputs, strict=True)
    )


def block_of(flat, start, stop, count, width):
    """The values of `count` gates of one step, gate after gate."""
    each = count * width
    return flat[each * start : each * stop].reshape(count, stop - start, width)


def by_gate(rows, count):
    """Rows of gates side by side, seen gate after gate."""
    return rows.reshape(len(rows), count, rows.shape[1] // count).transpose(1, 0, 2)


def parts_of(kept, kind, width, steps):
    """What is kept of all steps: the gates, step after step and gate after gate, and the rows of
    the other parts. Jobs keep it all in rows.
    """
    count = len(kind.order)
    if kept.ndim == 1:
        rows = steps[-1][1] if steps[0][0] == 0 else steps[0][1]
        gates = count * rows * width
        return (kept[:gates], *kept[gates:].reshape(kind.others, rows, width))
    gates = np.empty(len(kept) * count * width, kept.dtype)
    for start, stop, _ in steps:
        rows = by_gate(kept[start:stop, : count * width], count)
        block_of(gates, start, stop, count, width)[...] = rows[kind.order]
    others = range(count, count + kind.others)
    return (gates, *(kept[:, i * width : (i + 1) * width] for i in others))


def sigmoid_from_tanh(t):
    """sigmoid(z) where t is tanh(z / 2), in place."""
    t *= 0.5
    t += 0.5


# ---- long short-term memory ----------------------------------------------------------------------


def lstm_arrays(x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected):
    """(y, last h, last c, kept: gates, cells before each step, tanh of the cells after it)."""
    dtype = x.dtype
    x, h0, c0, w_ih, w_hh = map(wide, (x, h0, c0, w_ih, w_hh))
    bias = wide(b_ih) + wide(b_hh) if biased else None
    if not projected:
        done = recurrent_fast.lstm_forward(x, h0, c0, w_ih, w_hh, bias, sizes, apart, reverse)
        if done is not None:
            return (*(a.astype(dtype, copy=False) for a in done[:3]), *done[3:])
    x, steps = step_by_step(x, apart), spans(sizes, reverse)
    bias = LSTM_GATES.halved(bias) if biased else None
    inputs = Projection(x, LSTM_GATES.halved(w_ih), bias, steps)
    recurrent = LSTM_GATES.halved(w_hh)
    h, c = np.array(h0, order="C"), np.array(c0, order="C")
    width = c.shape[1]
    down = np.ascontiguousarray(wide(w_hr).T) if projected else None
    y = np.empty((len(x), h.shape[1]), x.dtype)
    kept = borrow(len(x) * 6 * width, x.dtype)
    gates, before, tops = parts_of(kept, LSTM_GATES, width, steps)
    product, scratch = np.empty((len(h), 4 * width), x.dtype), np.empty_like(c)
    for start, stop, n in steps:
        z, new, top = block_of(gates, start, stop, 4, width), y[start:stop], scratch[:n]
        state, cell, p = h[:n], c[:n], product[:n]
        before[start:stop] = cell
        np.dot(state, recurrent, out=p)
        p += inputs.of(start, stop)
        np.tanh(by_gate(p, 4), out=z)
        sigmoid_from_tanh(z[:3])
        cell *= z[1]
        cell += np.multiply(z[0], z[3], out=top)
        top = np.tanh(cell, out=tops[start:stop])
        if down is None:
            np.multiply(z[2], top, out=new)
        else:
            np.dot(z[2] * top, down, out=new)
        state[...] = new
    found = (a.astype(dtype, copy=False) for a in (example_by_example(y, apart), h, c))
    return (*found, kept)


def lstm_gradients(
    g, mask, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, y, kept,
    sizes, apart, reverse, biased, projected,
):  # fmt: skip
    """Gradients of lstm_arrays for the wanted of its eight inputs."""
    inputs = (x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr)
    if kept.size == 0 < len(x):  # the forward pass ran in ops that keep nothing for us
        kept = lstm_arrays(*inputs, sizes, apart, reverse, biased, projected)[3]
    if y is None:  # overwritten
        y = lstm_arrays(*inputs, sizes, apart, reverse, biased, projected)[0]
    x, h0, c0, w_ih, w_hh, w_hr, y = map(wide, (x, h0, c0, w_ih, w_hh, w_hr, y))
    gy = None if g[0] is None else wide(g[0])
    dh, dc = state_of(g[1], h0), state_of(g[2], c0)
    width, both, found, held = dc.shape[1], None, None, None
    if kept.ndim == 2:
        both = recurrent_fast.inputs_and_states(kept, 6 * width, x, h0)
        own = {"dh": dh, "dc": dc}
        found = recurrent_fast.slopes_of("lstm", gy, y, x, w_hh, kept, sizes, apart, reverse, own)
    if found is None:
        x, y, gy = (step_by_step(a, apart) for a in (x, y, gy))
        steps = spans(sizes, reverse)
        gates, before, tops = parts_of(kept, LSTM_GATES, width, steps)
        down = w_hr if projected else None
        slopes, held = _lstm_slopes(gy, dh, dc, w_hh, down, gates, before, tops, steps)
        found = slopes, column_sums(slopes)
    slopes, gb_ih = found
    gx = example_by_example(multiply(slopes, w_ih), apart) if mask[0] else None
    gw_ih = gw_hh = gw_hr = None
    if mask[3] or mask[4]:
        both = inputs_and_states(x, y, h0, sizes, reverse) if both is None else both
        gw_ih, gw_hh = weight_gradients(slopes, both, x.shape[1], mask[3], mask[4])
    gb_hh = gb_ih.copy()
    if mask[7]:
        assert held is not None  # layers with a projection have no kernel
        gw_hr = np.zeros(w_hr.shape, w_hr.dtype)
        for start, stop, _ in steps:
            o = block_of(gates, start, stop, 4, width)[2]
            gw_hr += held[start:stop].T.dot(o * tops[start:stop])
    return as_given((gx, dh, dc, gw_ih, gw_hh, gb_ih, gb_hh, gw_hr), inputs)


def _lstm_slopes(gy, dh, dc, recurrent, w_hr, gates, before, tops, steps):
    """(gradients of the gates before their functions, gradients of the projected states); dh and
    dc become those of the first states.
    """
    width = dc.shape[1]
    slopes = borrow(gates.size, dc.dtype).reshape(gates.size // (4 * width), 4 * width)
    held = None if w_hr is None else np.empty((len(slopes), dh.shape[1]), dh.dtype)
    bends, pulls = (borrow(4 * dc.size, dc.dtype) for _ in range(2))
    scratch = np.empty_like(dc)
    for start, stop, n in reversed(steps):
        z, slope = block_of(gates, start, stop, 4, width), slopes[start:stop]
        top, d, e, u = tops[start:stop], dh[:n], dc[:n], scratch[:n]
        bend, pull = block_of(bends, 0, n, 4, width), block_of(pulls, 0, n, 4, width)
        if gy is not None:
            d += gy[start:stop]
        m = d
        if held is not None:
            held[start:stop] = d
            m = d.dot(w_hr)
        np.multiply(top, top, out=u)
        np.subtract(1, u, out=u)
        u *= m
        u *= z[2]
        e += u
        np.multiply(e, z[3], out=pull[0])
        np.multiply(e, before[start:stop], out=pull[1])
        np.multiply(m, top, out=pull[2])
        np.multiply(e, z[0], out=pull[3])
        e *= z[1]
        np.multiply(z, z, out=bend)
        np.subtract(z[:3], bend[:3], out=bend[:3])
        np.subtract(1, bend[3], out=bend[3])
        own = by_gate(slope, 4)
        np.multiply(pull[:2], bend[:2], out=own[:2])
        np.multiply(pull[2], bend[2], out=own[3])
        np.multiply(pull[3], bend[3], out=own[2])
        np.dot(slope, recurrent, out=d)
    return slopes, held


# ---- gated recurrent unit ------------------------------------------------------------------------


def gru_arrays(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased):
    """(y, last h, kept: gates, recurrent part of the candidate)."""
    dtype = x.dtype
    x, w_ih, w_hh, h = wide(x), wide(w_ih), wide(w_hh), np.array(wide(h0), order="C")
    width, steps = h.shape[1], spans(sizes, reverse)
    biases = (wide(b_ih), wide(b_hh)) if biased else (None, None)
    done = recurrent_fast.gru_forward(x, h, w_ih, w_hh, *biases, sizes, apart, reverse)
    if done is not None:
        return (*(a.astype(dtype, copy=False) for a in done[:2]), *done[2:])
    x, bias, extra = step_by_step(x, apart), None, None
    if biased:
        bias, extra = np.array(wide(b_ih)), wide(b_hh)[2 * width :]
        bias[: 2 * width] += wide(b_hh)[: 2 * width]
        bias = GRU_GATES.halved(bias)
    inputs = Projection(x, GRU_GATES.halved(w_ih), bias, steps)
    recurrent = GRU_GATES.halved(w_hh)
    y = np.empty((len(x), width), x.dtype)
    kept = borrow(4 * y.size, x.dtype)
    gates, parts = parts_of(kept, GRU_GATES, width, steps)
    product, scratch = np.empty((len(h), 3 * width), x.dtype), np.empty_like(h)
    for start, stop, n in steps:
        z, new, part = block_of(gates, start, stop, 3, width), y[start:stop], parts[start:stop]
        state, u, p, given = h[:n], scratch[:n], product[:n], inputs.of(start, stop)
        np.dot(state, recurrent, out=p)
        part[...] = p[:, 2 * width :]
        if extra is not None:
            part += extra
        p += given
        np.tanh(by_gate(p, 3)[:2], out=z[:2])
        sigmoid_from_tanh(z[:2])
        np.multiply(z[0], part, out=u)
        u += given[:, 2 * width :]
        np.tanh(u, out=z[2])
        np.subtract(state, z[2], out=u)  # new = n + z (h - n)
        u *= z[1]
        np.add(u, z[2], out=new)
        state[...] = new
    y = example_by_example(y, apart)
    return y.astype(dtype, copy=False), h.astype(dtype, copy=False), kept


def gru_gradients(g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, y, kept, sizes, apart, reverse, biased):
    """Gradients of gru_arrays for the wanted of its six inputs."""
    inputs = (x, h0, w_ih, w_hh, b_ih, b_hh)
    if kept.size == 0 < len(x):  # the forward pass ran in ops that keep nothing for us
        kept = gru_arrays(*inputs, sizes, apart, reverse, biased)[2]
    if y is None:  # overwritten
        y = gru_arrays(*inputs, sizes, apart, reverse, biased)[0]
    x, h0, w_ih, w_hh, y = map(wide, (x, h0, w_ih, w_hh, y))
    gy = None if g[0] is None else wide(g[0])
    dh, width = state_of(g[1], h0), h0.shape[1]
    both = found = None
    if kept.ndim == 2:
        both = recurrent_fast.inputs_and_states(kept, 4 * width, x, h0)
        own = {"dh": dh}
        found = recurrent_fast.slopes_of("gru", gy, y, x, w_hh, kept, sizes, apart, reverse, own)
    if both is None:
        x, y = step_by_step(x, apart), step_by_step(y, apart)
        both = inputs_and_states(x, y, h0, sizes, reverse)
    x, states = both[:, : x.shape[1]], both[:, x.shape[1] :]
    if found is None:
        steps, gy = spans(sizes, reverse), step_by_step(gy, apart)
        gates, parts = parts_of(kept, GRU_GATES, width, steps)
        slopes = _gru_slopes(gy, dh, w_hh, gates, parts, states, steps)
        found = slopes, column_sums(slopes)
    slopes, sums = found
    gx = gw_ih = None
    gates_only, late = slopes[:, : 2 * width], slopes[:, 3 * width :]
    if mask[0]:
        gx = multiply(gates_only, w_ih[: 2 * width])
        gx += multiply(late, w_ih[2 * width :])
        gx = example_by_example(gx, apart)
    if mask[2]:
        gw_ih = np.concatenate((multiply(gates_only.T, x), multiply(late.T, x)))
    gw_hh = multiply(slopes[:, : 3 * width].T, states) if mask[3] else None
    gb_ih = np.concatenate((sums[: 2 * width], sums[3 * width :]))
    gb_hh = sums[: 3 * width]
    return as_given((gx, dh, gw_ih, gw_hh, gb_ih, gb_hh), inputs)


def _gru_slopes(gy, dh, recurrent, gates, parts, states, steps):
    """Gradients of what the recurrent weight gave the gates, beside them those of the candidate
    before its tanh; dh becomes the gradient of the first state.
    """
    width = dh.shape[1]
    found = borrow(4 * parts.size, dh.dtype).reshape(len(parts), 4 * width)
    slopes, late = found[:, : 3 * width], found[:, 3 * width :]
    bends, pulls = (borrow(2 * dh.size, dh.dtype) for _ in range(2))
    scratch, passed = np.empty_like(dh), np.empty_like(dh)
    for start, stop, n in reversed(steps):
        z, slope = block_of(gates, start, stop, 3, width), slopes[start:stop]
        bend, pull = block_of(bends, 0, n, 2, width), block_of(pulls, 0, n, 2, width)
        to_n, d, u, keep = late[start:stop], dh[:n], scratch[:n], passed[:n]
        if gy is not None:
            d += gy[start:stop]
        np.multiply(d, z[1], out=keep)
        np.multiply(z[2], z[2], out=u)
        np.subtract(1, u, out=u)
        np.subtract(d, keep, out=to_n)
        to_n *= u
        np.multiply(to_n, parts[start:stop], out=pull[0])
        np.subtract(states[start:stop], z[2], out=u)
        np.multiply(u, d, out=pull[1])
        np.multiply(z[:2], z[:2], out=bend)
        np.subtract(z[:2], bend, out=bend)
        halves = by_gate(slope, 3)
        np.multiply(pull, bend, out=halves[:2])
        np.multiply(to_n, z[0], out=halves[2])
        np.dot(slope, recurrent, out=d)
        d += keep
    return found


# ---- plain recurrence ----------------------------------------------------------------------------


def rnn_arrays(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu):
    """(y, last h, what is kept) of h' = f(x w_ih^T + h w_hh^T + b)."""
    dtype = x.dtype
    x, h, bias = wide(x), np.array(wide(h0), order="C"), None
    if biased:
        bias = wide(b_ih) + wide(b_hh)
    weights = wide(w_ih), wide(w_hh)
    done = recurrent_fast.rnn_forward(x, h, *weights, bias, sizes, apart, reverse, relu)
    if done is not None:
        return (*(a.astype(dtype, copy=False) for a in done[:2]), done[2])
    inputs, recurrent = (np.ascontiguousarray(w.T) for w in weights)
    y = multiply(step_by_step(x, apart), inputs)
    if bias is not None:
        y += bias
    product = np.empty_like(h)
    for start, stop, n in spans(sizes, reverse):
        z, state = y[start:stop], h[:n]
        z += np.dot(state, recurrent, out=product[:n])
        if relu:
            np.maximum(z, 0, out=z)
        else:
            np.tanh(z, out=z)
        state[...] = z
    y = example_by_example(y, apart)
    return y.astype(dtype, copy=False), h.astype(dtype, copy=False), np.empty(0, x.dtype)


def rnn_gradients(
    g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, y, kept, sizes, apart, reverse, biased, relu
):
    """Gradients of rnn_arrays for the wanted of its six inputs."""
    inputs = (x, h0, w_ih, w_hh, b_ih, b_hh)
    if y is None:  # overwritten
        y = rnn_arrays(*inputs, sizes, apart, reverse, biased, relu)[0]
    x, h0, w_ih, w_hh, y = map(wide, (x, h0, w_ih, w_hh, y))
    gy = None if g[0] is None else wide(g[0])
    dh = state_of(g[1], h0)
    both = found = None
    if kept.ndim == 2:
        kind, both = "relu" if relu else "tanh", recurrent_fast.inputs_and_states(kept, 0, x, h0)
        own = {"dh": dh}
        found = recurrent_fast.slopes_of(kind, gy, y, x, w_hh, kept, sizes, apart, reverse, own)
    if found is None:
        x, y, gy = (step_by_step(a, apart) for a in (x, y, gy))
        slopes = _rnn_slopes(gy, dh, w_hh, y, spans(sizes, reverse), relu)
        found = slopes, column_sums(slopes)
    slopes, gb_ih = found
    gx = example_by_example(multiply(slopes, w_ih), apart) if mask[0] else None
    gw_ih = gw_hh = None
    if mask[2] or mask[3]:
        both = inputs_and_states(x, y, h0, sizes, reverse) if both is None else both
        gw_ih, gw_hh = weight_gradients(slopes, both, x.shape[1], mask[2], mask[3])
    return as_given((gx, dh, gw_ih, gw_hh, gb_ih, gb_ih.copy()), inputs)


def _rnn_slopes(gy, dh, recurrent, y, steps, relu):
    """Gradients before the function; dh becomes that of the first state."""
    slopes = np.empty(y.shape, y.dtype)
    for start, stop, n in reversed(steps):
        out, slope, d = y[start:stop], slopes[start:stop], dh[:n]
        if gy is not None:
            d += gy[start:stop]
        if relu:
            slope[...] = np.where(out <= 0, 0, d)
        else:
            np.multiply(out, out, out=slope)
            np.subtract(1, slope, out=slope)
            slope *= d
        np.dot(slope, recurrent, out=d)
    return slopes
