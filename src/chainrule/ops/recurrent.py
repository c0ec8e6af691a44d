"""Recurrent layers: one op for a layer in one direction over a whole sequence.

`x` holds the rows of all steps (`sizes[t]` rows in step t, from one example to the next so many
rows as `apart` says, see `recurrent_arrays`), `h0` and `c0` the first state of every example. An
absent bias or projection is a 0-dim stand-in. What the backward pass reads (activated gates, cells)
is an output without gradient, which the public functions drop; where it is empty, because the op
ran as other ops, it is computed again.

The rules below are the same computation step by step in ops: they serve second order, forward mode
and vmap.
"""

from __future__ import annotations

import numpy as np

from . import flops
from .batching import Plain
from .later import Later
from .schema import TABLE, helper, op

arrays = Later(".recurrent_arrays", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def _by_one_step(name):
    """The types of a layer's results by one step: all are alike, and what is kept depends on the
    kernels that are there."""

    def types(x, *others, sizes, **params):
        rows = sizes[0]
        one = np.zeros((rows, *x.shape[1:]), x.dtype)
        outs = TABLE[name].forward(one, *others, **{**params, "sizes": (rows,), "apart": 1})
        found = []
        for k, out in enumerate(outs):
            all_steps = k in (0, len(outs) - 1) and out.shape[0]
            length = out.shape[0] * len(x) // rows if all_steps else out.shape[0]
            found.append(((length, *out.shape[1:]), out.dtype))
        return found

    return types


# ---- steps, in ops -------------------------------------------------------------------------------


@helper
def step_spans(sizes, apart, reverse):
    """(first row, rows) of every step, in the order in which they run."""
    found, start = [], 0
    for n in sizes:
        found.append((start, n))
        start += n if apart == 1 else 1
    return list(reversed(found)) if reverse else found


@helper
def rows_of_step(x, start, n, apart):
    """n rows of x from `start` on, so far apart from each other."""
    return slice_axis(x, axis=0, start=start, stop=start + (n - 1) * apart + 1, step=apart)


@helper
def rows_between(x, start, stop):
    """The rows start to stop of x."""
    if start == 0 and stop == x.shape[0]:
        return x
    return slice_axis(x, axis=0, start=start, stop=stop, step=1)


@helper
def with_first_rows(state, new, n):
    """The state with its first n rows replaced."""
    total = state.shape[0]
    return new if n == total else cat(new, rows_between(state, n, total), axis=0)


@helper
def in_time_order(parts, apart, reverse):
    """The rows of all steps, given in the order in which the steps ran."""
    parts = list(reversed(parts)) if reverse else parts
    if apart == 1:
        return cat(*parts, axis=0)
    n, width = parts[0].shape
    return reshape(cat(*parts, axis=1), shape=(n * len(parts), width))


@helper
def inputs_projected(x, w_ih, b_ih, b_hh, biased):
    """x w_ih^T + both biases."""
    z = matmul(x, mT(w_ih))
    return z + b_ih + b_hh if biased else z


@helper
def halves(z, count):
    """z cut into `count` blocks of columns."""
    width = z.shape[1] // count
    return split_with_sizes(z, sizes=(width,) * count, axis=1)


@helper
def or_zeros(g, like):
    """A gradient, or zeros for an output nobody used."""
    return like * 0 if g is None else g


@helper
def nothing_kept(x):
    """What stands for arrays that were not kept for the backward pass."""
    return reshape(slice_axis(x, axis=0, start=0, stop=0, step=1), shape=(0,))


# ---- long short-term memory ----------------------------------------------------------------------


@helper
def lstm_steps(x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected):
    """(what each step computed, last h, last c)."""
    z_all = inputs_projected(x, w_ih, b_ih, b_hh, biased)
    h, c, found = h0, c0, []
    for start, n in step_spans(sizes, apart, reverse):
        h_old, c_old = rows_between(h, 0, n), rows_between(c, 0, n)
        z = rows_of_step(z_all, start, n, apart) + matmul(h_old, mT(w_hh))
        zi, zf, zg, zo = halves(z, 4)
        i, f, g, o = sigmoid(zi), sigmoid(zf), tanh(zg), sigmoid(zo)
        c_new = f * c_old + i * g
        top = tanh(c_new)
        m = o * top
        h_new = matmul(m, mT(w_hr)) if projected else m
        found.append((i, f, g, o, h_old, c_old, top, m, h_new))
        h, c = with_first_rows(h, h_new, n), with_first_rows(c, c_new, n)
    return found, h, c


@helper
def lstm_in_ops(x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected):
    """The layer in ops; nothing is kept."""
    found, h, c = lstm_steps(
        x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected
    )
    return in_time_order([s[-1] for s in found], apart, reverse), h, c, nothing_kept(x)


@helper
def lstm_gradients_in_ops(
    g, mask, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected
):
    """lstm_gradients, written in ops."""
    found, h, c = lstm_steps(
        x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected
    )
    dh, dc, slopes, held = or_zeros(g[1], h), or_zeros(g[2], c), [], []
    for span, step in zip(step_spans(sizes, apart, not reverse), reversed(found), strict=True):
        start, n = span
        i, f, cand, o, _, c_old, top, _, _ = step
        d = rows_between(dh, 0, n)
        if g[0] is not None:
            d = d + rows_of_step(g[0], start, n, apart)
        m = matmul(d, w_hr) if projected else d
        e = rows_between(dc, 0, n) + m * o * (1 - top * top)
        slope = cat(
            e * cand * i * (1 - i), e * c_old * f * (1 - f), e * i * (1 - cand * cand),
            m * top * o * (1 - o), axis=1,
        )  # fmt: skip
        slopes.append(slope)
        held.append(d)
        dh, dc = with_first_rows(dh, matmul(slope, w_hh), n), with_first_rows(dc, e * f, n)
    slope = in_time_order(slopes, apart, not reverse)
    gw_hh = gb = gw_hr = None
    if mask[4]:
        gw_hh = matmul(mT(slope), in_time_order([s[4] for s in found], apart, reverse))
    if mask[5] or mask[6]:
        gb = reduce_sum(slope, axis=(0,), keepdims=False)
    if mask[7]:
        raw = in_time_order([s[7] for s in found], apart, reverse)
        gw_hr = matmul(mT(in_time_order(held, apart, not reverse)), raw)
    gx = matmul(slope, w_ih) if mask[0] else None
    gw_ih = matmul(mT(slope), x) if mask[3] else None
    return gx, dh, dc, gw_ih, gw_hh, gb, gb, gw_hr


@helper
def lstm_tangents(
    tx, th, tc, tw_ih, tw_hh, tb_ih, tb_hh, tw_hr, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr,
    sizes, apart, reverse, biased, projected,
):  # fmt: skip
    """Tangents of the results for tangents of all inputs."""
    found, _, _ = lstm_steps(
        x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected
    )
    tz_all = inputs_projected(tx, w_ih, tb_ih, tb_hh, biased) + matmul(x, mT(tw_ih))
    ty = []
    for span, step in zip(step_spans(sizes, apart, reverse), found, strict=True):
        start, n = span
        i, f, g, o, h_old, c_old, top, m, _ = step
        tz = rows_of_step(tz_all, start, n, apart) + matmul(h_old, mT(tw_hh))
        ti, tf, tg, to = halves(tz + matmul(rows_between(th, 0, n), mT(w_hh)), 4)
        ti, tf, to = ti * i * (1 - i), tf * f * (1 - f), to * o * (1 - o)
        t_cell = tf * c_old + f * rows_between(tc, 0, n) + ti * g + i * tg * (1 - g * g)
        t_new = to * top + o * t_cell * (1 - top * top)
        if projected:
            t_new = matmul(t_new, mT(w_hr)) + matmul(m, mT(tw_hr))
        ty.append(t_new)
        th, tc = with_first_rows(th, t_new, n), with_first_rows(tc, t_cell, n)
    return in_time_order(ty, apart, reverse), th, tc, None


def _lstm_on_arrays(arrays):
    """The rule on arrays; the functions come through a closure, as they speak NumPy."""

    def joint(
        g, mask, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, out0, out3,
        sizes, apart, reverse, biased, projected,
    ):  # fmt: skip
        return arrays.lstm_gradients(
            g, mask, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, out0, out3,
            sizes, apart, reverse, biased, projected,
        )  # fmt: skip

    return joint


@op(
    joint=_lstm_on_arrays(arrays),
    plain_joint=lambda g, mask, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse,
    biased, projected: lstm_gradients_in_ops(
        g, mask, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected),
    jvp=lambda t_x, t_h0, t_c0, t_w_ih, t_w_hh, t_b_ih, t_b_hh, t_w_hr, x, h0, c0, w_ih, w_hh,
    b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected: lstm_tangents(
        t_x, t_h0, t_c0, t_w_ih, t_w_hh, t_b_ih, t_b_hh, t_w_hr, x, h0, c0, w_ih, w_hh, b_ih,
        b_hh, w_hr, sizes, apart, reverse, biased, projected),
    batch=Plain(
        lambda x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, *, sizes, apart, reverse, biased, projected:
        lstm_in_ops(
            x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected)),
    n_out=4, nondiff_out=(3,), materialise=False, overwritable=("out0",),
    node="MkldnnRnnLayerBackward0", aten=("lstm",),
    work=flops.recurrent(3),
    types=_by_one_step("lstm_layer"),
)  # fmt: skip
def lstm_layer(
    x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, *, sizes, apart, reverse, biased, projected
):  # fmt: skip
    """Long short-term memory over a sequence: (outputs, last h, last c, an array kept)."""
    return arrays.lstm_arrays(
        x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, sizes, apart, reverse, biased, projected
    )


# ---- gated recurrent unit ------------------------------------------------------------------------


@helper
def gru_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased):
    """(what each step computed, last h)."""
    z_all = matmul(x, mT(w_ih))
    z_all = z_all + b_ih if biased else z_all
    h, found = h0, []
    for start, n in step_spans(sizes, apart, reverse):
        h_old = rows_between(h, 0, n)
        from_h = matmul(h_old, mT(w_hh))
        hr, hz, hn = halves(from_h + b_hh if biased else from_h, 3)
        xr, xz, xn = halves(rows_of_step(z_all, start, n, apart), 3)
        r, z = sigmoid(xr + hr), sigmoid(xz + hz)
        new = tanh(xn + r * hn)
        h_new = new + z * (h_old - new)
        found.append((r, z, new, hn, h_old, h_new))
        h = with_first_rows(h, h_new, n)
    return found, h


@helper
def gru_in_ops(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased):
    """The layer in ops; nothing is kept."""
    found, h = gru_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased)
    return in_time_order([s[-1] for s in found], apart, reverse), h, nothing_kept(x)


@helper
def gru_gradients_in_ops(g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased):
    """gru_gradients, written in ops."""
    found, h = gru_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased)
    dh, to_x, to_h = or_zeros(g[1], h), [], []
    for span, step in zip(step_spans(sizes, apart, not reverse), reversed(found), strict=True):
        start, n = span
        r, z, new, hn, h_old, _ = step
        d = rows_between(dh, 0, n)
        if g[0] is not None:
            d = d + rows_of_step(g[0], start, n, apart)
        dn = d * (1 - z) * (1 - new * new)
        dr, dz = dn * hn * r * (1 - r), d * (h_old - new) * z * (1 - z)
        slope = cat(dr, dz, dn * r, axis=1)
        to_x.append(cat(dr, dz, dn, axis=1))
        to_h.append(slope)
        dh = with_first_rows(dh, d * z + matmul(slope, w_hh), n)
    to_x, to_h = in_time_order(to_x, apart, not reverse), in_time_order(to_h, apart, not reverse)
    gx = matmul(to_x, w_ih) if mask[0] else None
    gw_ih = matmul(mT(to_x), x) if mask[2] else None
    gw_hh = gb_ih = gb_hh = None
    if mask[3]:
        gw_hh = matmul(mT(to_h), in_time_order([s[4] for s in found], apart, reverse))
    if mask[4]:
        gb_ih = reduce_sum(to_x, axis=(0,), keepdims=False)
    if mask[5]:
        gb_hh = reduce_sum(to_h, axis=(0,), keepdims=False)
    return gx, dh, gw_ih, gw_hh, gb_ih, gb_hh


@helper
def gru_tangents(
    tx, th, tw_ih, tw_hh, tb_ih, tb_hh, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased
):
    """Tangents of the results for tangents of all inputs."""
    found, _ = gru_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased)
    tx_all = matmul(tx, mT(w_ih)) + matmul(x, mT(tw_ih))
    tx_all = tx_all + tb_ih if biased else tx_all
    ty = []
    for span, step in zip(step_spans(sizes, apart, reverse), found, strict=True):
        start, n = span
        r, z, new, hn, h_old, _ = step
        t_old = rows_between(th, 0, n)
        t_from_h = matmul(t_old, mT(w_hh)) + matmul(h_old, mT(tw_hh))
        t_hr, t_hz, t_hn = halves(t_from_h + tb_hh if biased else t_from_h, 3)
        t_xr, t_xz, t_xn = halves(rows_of_step(tx_all, start, n, apart), 3)
        tr, tz = (t_xr + t_hr) * r * (1 - r), (t_xz + t_hz) * z * (1 - z)
        tn = (t_xn + tr * hn + r * t_hn) * (1 - new * new)
        t_new = tn + tz * (h_old - new) + z * (t_old - tn)
        ty.append(t_new)
        th = with_first_rows(th, t_new, n)
    return in_time_order(ty, apart, reverse), th, None


def _gru_on_arrays(arrays):
    def joint(g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, out0, out2, sizes, apart, reverse, biased):
        return arrays.gru_gradients(
            g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, out0, out2, sizes, apart, reverse, biased
        )

    return joint


@op(
    joint=_gru_on_arrays(arrays),
    plain_joint=lambda g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased:
    gru_gradients_in_ops(g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased),
    jvp=lambda t_x, t_h0, t_w_ih, t_w_hh, t_b_ih, t_b_hh, x, h0, w_ih, w_hh, b_ih, b_hh, sizes,
    apart, reverse, biased: gru_tangents(
        t_x, t_h0, t_w_ih, t_w_hh, t_b_ih, t_b_hh, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart,
        reverse, biased),
    batch=Plain(lambda x, h0, w_ih, w_hh, b_ih, b_hh, *, sizes, apart, reverse, biased: gru_in_ops(
        x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased)),
    n_out=3, nondiff_out=(2,), materialise=False, overwritable=("out0",),
    node="GruBackward0", aten=("gru",),
    work=flops.recurrent(2),
    types=_by_one_step("gru_layer"),
)  # fmt: skip
def gru_layer(x, h0, w_ih, w_hh, b_ih, b_hh, *, sizes, apart, reverse, biased):
    """Gated recurrent units over a sequence: (outputs, last h, an array kept)."""
    return arrays.gru_arrays(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased)


# ---- plain recurrence ----------------------------------------------------------------------------


@helper
def rnn_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu_):
    """(state before and after each step, last h)."""
    z_all = inputs_projected(x, w_ih, b_ih, b_hh, biased)
    h, found = h0, []
    for start, n in step_spans(sizes, apart, reverse):
        h_old = rows_between(h, 0, n)
        z = rows_of_step(z_all, start, n, apart) + matmul(h_old, mT(w_hh))
        h_new = relu(z) if relu_ else tanh(z)
        found.append((h_old, h_new))
        h = with_first_rows(h, h_new, n)
    return found, h


@helper
def rnn_in_ops(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu_):
    """The layer in ops."""
    found, h = rnn_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu_)
    return in_time_order([s[1] for s in found], apart, reverse), h, nothing_kept(x)


@helper
def rnn_slope(d, new, relu_):
    """d through the function whose value is `new`."""
    return where(new <= 0, 0.0, d) if relu_ else d * (1 - new * new)


@helper
def rnn_gradients_in_ops(
    g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu_
):
    """rnn_gradients, written in ops."""
    found, h = rnn_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu_)
    dh, slopes = or_zeros(g[1], h), []
    for span, step in zip(step_spans(sizes, apart, not reverse), reversed(found), strict=True):
        start, n = span
        d = rows_between(dh, 0, n)
        if g[0] is not None:
            d = d + rows_of_step(g[0], start, n, apart)
        slope = rnn_slope(d, step[1], relu_)
        slopes.append(slope)
        dh = with_first_rows(dh, matmul(slope, w_hh), n)
    slope = in_time_order(slopes, apart, not reverse)
    gx = matmul(slope, w_ih) if mask[0] else None
    gw_ih = matmul(mT(slope), x) if mask[2] else None
    gw_hh = gb = None
    if mask[3]:
        gw_hh = matmul(mT(slope), in_time_order([s[0] for s in found], apart, reverse))
    if mask[4] or mask[5]:
        gb = reduce_sum(slope, axis=(0,), keepdims=False)
    return gx, dh, gw_ih, gw_hh, gb, gb


@helper
def rnn_tangents(
    tx, th, tw_ih, tw_hh, tb_ih, tb_hh, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse,
    biased, relu_,
):  # fmt: skip
    """Tangents of the results for tangents of all inputs."""
    found, _ = rnn_steps(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu_)
    tz_all = inputs_projected(tx, w_ih, tb_ih, tb_hh, biased) + matmul(x, mT(tw_ih))
    ty = []
    for span, step in zip(step_spans(sizes, apart, reverse), found, strict=True):
        start, n = span
        tz = rows_of_step(tz_all, start, n, apart) + matmul(rows_between(th, 0, n), mT(w_hh))
        t_new = rnn_slope(tz + matmul(step[0], mT(tw_hh)), step[1], relu_)
        ty.append(t_new)
        th = with_first_rows(th, t_new, n)
    return in_time_order(ty, apart, reverse), th, None


def _rnn_on_arrays(arrays):
    def joint(
        g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, out0, out2, sizes, apart, reverse, biased, relu
    ):
        return arrays.rnn_gradients(
            g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, out0, out2, sizes, apart, reverse, biased, relu
        )

    return joint


@op(
    joint=_rnn_on_arrays(arrays),
    plain_joint=lambda g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu:
    rnn_gradients_in_ops(
        g, mask, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu),
    jvp=lambda t_x, t_h0, t_w_ih, t_w_hh, t_b_ih, t_b_hh, x, h0, w_ih, w_hh, b_ih, b_hh, sizes,
    apart, reverse, biased, relu: rnn_tangents(
        t_x, t_h0, t_w_ih, t_w_hh, t_b_ih, t_b_hh, x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart,
        reverse, biased, relu),
    batch=Plain(lambda x, h0, w_ih, w_hh, b_ih, b_hh, *, sizes, apart, reverse, biased, relu:
        rnn_in_ops(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu)),
    n_out=3, nondiff_out=(2,), materialise=False, overwritable=("out0",),
    node="RnnBackward0", aten=("rnn_tanh",),
    work=flops.recurrent(2),
    types=_by_one_step("rnn_layer"),
)  # fmt: skip
def rnn_layer(x, h0, w_ih, w_hh, b_ih, b_hh, *, sizes, apart, reverse, biased, relu):
    """h' = tanh or relu of a linear map of input and state, over a sequence: (outputs, last h, an
    array kept).
    """
    return arrays.rnn_arrays(x, h0, w_ih, w_hh, b_ih, b_hh, sizes, apart, reverse, biased, relu)
