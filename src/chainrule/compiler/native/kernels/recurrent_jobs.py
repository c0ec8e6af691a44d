"""Recurrent layers as jobs of threads: some examples of the batch go through all steps.

Examples do not meet in a recurrence, so a thread takes its own through the sequence without waiting
for anybody. Each step is a product with weights that were packed once for the whole sequence
(`compiler/products/packed_text.py`), and one pass of functions over its result.

All layers share two jobs. A piece of work is a row of numbers, in the order of `FIELDS`: addresses,
bytes from one row to the next, sizes. Steps come in the order in which they run. Step t has
`counts[t]` examples; example r of it is row `places[t] + r * apart` of inputs, outputs and their
gradients. Arrays that stay inside have the rows of each step side by side, from `starts[t]` on.

The array `kept` serves the backward pass: its rows are the activated gates, what else a layer keeps
(cells, their tanh), then the input and the state that they came from, side by side as the weights'
gradient wants them. While a step multiplies, it asks for the rows of the next one.
"""

from __future__ import annotations

from ..language.words import PerType, T, inlined, pointer, sigmoid, tanh
from .product_calls import call_product

FIELDS = (
    "kind", "first", "rows", "steps", "starts", "counts", "places", "apart", "inputs", "width",
    "gates", "multiply", "block_rows", "zeros", "weight", "depth", "kept", "kept_row",
    "left", "x", "x_row", "y", "h", "cell", "bias", "bias_step",
    "state_weight", "state_depth", "state_bias",
    "g", "g_row", "dh", "dc", "slopes", "slopes_row", "sums", "sum_count",
)  # fmt: skip
(
    KIND, FIRST, ROWS, STEPS, STARTS, COUNTS, PLACES, APART, INPUTS, WIDTH,
    GATES, MULTIPLY, BLOCK_ROWS, ZEROS, WEIGHT, DEPTH, KEPT, KEPT_ROW,
    LEFT, X, X_ROW, Y, H, CELL, BIAS, BIAS_STEP,
    STATE_WEIGHT, STATE_DEPTH, STATE_BIAS,
    G, G_ROW, DH, DC, SLOPES, SLOPES_ROW, SUMS, SUM_COUNT,
) = range(len(FIELDS))  # fmt: skip
LSTM, GRU, TANH, RELU = range(4)  # kinds

SIZE = PerType(f32=4, f64=8)
SCRATCH = 1 << 20  # where the workspace is free: before it lie the panels of products
SCRATCH_BYTES = 3 << 20


@inlined
def multiply(
    p, workspace, a, a_row, weight, depth, c, c_row, m, n, k, bias, bias_step, adds, ahead
):
    """c = a @ weight + bias, or c + a @ weight: addresses, strides in bytes, sizes; what lies at
    `ahead` will be wanted next.
    """
    call_product(
        p[MULTIPLY], workspace, a, a_row, SIZE, weight, ahead, 0, c, c_row, m, n, k,
        p[BLOCK_ROWS], depth, bias, bias_step, p[ZEROS], adds,
    )  # fmt: skip


# ---- forward -------------------------------------------------------------------------------------


@inlined(apart=True)
def copy_row(out, row, n):
    """out = row."""
    for j in range(n):
        out[j] = row[j]


@inlined(apart=True)
def lstm_step(zi, zf, zg, zo, cell, before, top, h, y, width):
    """One example's step from the sums of its gates, which become the gates."""
    for j in range(width):
        i = sigmoid(zi[j])
        f = sigmoid(zf[j])
        g = tanh(zg[j])
        o = sigmoid(zo[j])
        old = cell[j]
        new = f * old + i * g
        up = tanh(new)
        out = o * up
        zi[j] = i
        zf[j] = f
        zg[j] = g
        zo[j] = o
        before[j] = old
        top[j] = up
        cell[j] = new
        h[j] = out
        y[j] = out


@inlined(apart=True)
def gru_step(zr, zu, zn, pr, pu, pn, late, h, y, width):
    """One example's step from what its input (z) and its state (p) give to the gates."""
    for j in range(width):
        r = sigmoid(zr[j] + pr[j])
        u = sigmoid(zu[j] + pu[j])
        part = pn[j]
        n = tanh(zn[j] + r * part)
        out = n + u * (h[j] - n)
        zr[j] = r
        zu[j] = u
        zn[j] = n
        late[j] = part
        h[j] = out
        y[j] = out


@inlined(apart=True)
def tanh_step(y, h, width):
    """One example's step from the sum in y."""
    for j in range(width):
        out = tanh(y[j])
        h[j] = out
        y[j] = out


@inlined(apart=True)
def relu_step(y, h, width):
    """One example's step from the sum in y."""
    for j in range(width):
        out = T(0.0) if y[j] <= 0.0 else y[j]  # NaN stays NaN
        h[j] = out
        y[j] = out


@inlined
def gate_sums(p, workspace, at, place, count, ahead):
    """The sums of the gates of `count` examples from row `at` on: in `kept`, or in y (from `place`
    on) where a layer has no gates. What the states of a GRU give lies in the workspace.
    """
    inputs = p[INPUTS]
    width = p[WIDTH]
    gates = p[GATES]
    row = p[KEPT_ROW]
    z = p[KEPT] + at * row
    a = z + p[LEFT] * SIZE
    if p[KIND] == GRU:
        multiply(
            p, workspace, a, row, p[WEIGHT], p[DEPTH], z, row, count, gates, inputs,
            p[BIAS], p[BIAS_STEP], 0, ahead,
        )  # fmt: skip
        multiply(
            p, workspace, a + inputs * SIZE, row, p[STATE_WEIGHT], p[STATE_DEPTH],
            workspace + SCRATCH, gates * SIZE, count, gates, width, p[STATE_BIAS], p[BIAS_STEP],
            0, ahead,
        )  # fmt: skip
    elif p[KIND] == LSTM:
        multiply(
            p, workspace, a, row, p[WEIGHT], p[DEPTH], z, row, count, gates, inputs + width,
            p[BIAS], p[BIAS_STEP], 0, ahead,
        )  # fmt: skip
    else:
        line = width * SIZE
        multiply(
            p, workspace, a, row, p[WEIGHT], p[DEPTH], p[Y] + place * line, p[APART] * line, count,
            width, inputs + width, p[BIAS], p[BIAS_STEP], 0, ahead,
        )  # fmt: skip


@inlined
def step_of(p, workspace, row, place, example, k):
    """The functions of one example's step, which is number k of its piece."""
    width = p[WIDTH]
    line = width * SIZE
    z = pointer("T", p[KEPT] + row * p[KEPT_ROW])
    y = pointer("T", p[Y] + place * line)
    h = pointer("T", p[H] + example * line)
    if p[KIND] == LSTM:
        cell = pointer("T", p[CELL] + example * line)
        lstm_step(
            z[0:], z[width:], z[2 * width :], z[3 * width :], cell, z[4 * width :], z[5 * width :],
            h, y, width,
        )  # fmt: skip
    elif p[KIND] == GRU:
        s = pointer("T", workspace + SCRATCH + k * p[GATES] * SIZE)
        gru_step(
            z[0:], z[width:], z[2 * width :], s[0:], s[width:], s[2 * width :], z[3 * width :],
            h, y, width,
        )  # fmt: skip
    elif p[KIND] == TANH:
        tanh_step(y, h, width)
    else:
        relu_step(y, h, width)


@inlined
def gather_left(p, row, place, example):
    """Input and state of one example side by side: what its step multiplies by the weights."""
    into = pointer("T", p[KEPT] + row * p[KEPT_ROW] + p[LEFT] * SIZE)
    copy_row(into, pointer("T", p[X] + place * p[X_ROW]), p[INPUTS])
    copy_row(into[p[INPUTS] :], pointer("T", p[H] + example * p[WIDTH] * SIZE), p[WIDTH])


@inlined
def recur(p, workspace):
    """All steps of some examples; h (and cell) become their last states."""
    starts = pointer("i64", p[STARTS])
    counts = pointer("i64", p[COUNTS])
    places = pointer("i64", p[PLACES])
    first = p[FIRST]
    apart = p[APART]
    for t in range(p[STEPS]):
        count = min(counts[t] - first, p[ROWS])
        at = starts[t] + first
        place = places[t] + first * apart
        if count > 0:
            for k in range(count):
                gather_left(p, at + k, place + k * apart, first + k)
            later = starts[min(t + 1, p[STEPS] - 1)] + first
            gate_sums(p, workspace, at, place, count, p[KEPT] + later * p[KEPT_ROW])
            for k in range(count):
                step_of(p, workspace, at + k, place + k * apart, first + k, k)


# ---- gradients -----------------------------------------------------------------------------------


@inlined(apart=True)
def lstm_pull(si, sf, sg, so, zi, zf, zg, zo, bi, bf, bg, bo, before, top, d, e, g, width):
    """One example's gradients of its gates' sums (s, added to b) from those of state and cell."""
    for j in range(width):
        i = zi[j]
        f = zf[j]
        c = zg[j]
        o = zo[j]
        up = top[j]
        m = d[j] + g[j]
        through = e[j] + m * o * (1.0 - up * up)
        to_i = through * c * i * (1.0 - i)
        to_f = through * before[j] * f * (1.0 - f)
        to_c = through * i * (1.0 - c * c)
        to_o = m * up * o * (1.0 - o)
        si[j] = to_i
        sf[j] = to_f
        sg[j] = to_c
        so[j] = to_o
        bi[j] = bi[j] + to_i
        bf[j] = bf[j] + to_f
        bg[j] = bg[j] + to_c
        bo[j] = bo[j] + to_o
        e[j] = through * f


@inlined(apart=True)
def gru_pull(sr, su, sp, sn, zr, zu, zn, br, bu, bp, bn, late, old, d, g, width):
    """One example's gradients of its gates, of what its state gave to the candidate (p), and of the
    candidate (n); d becomes what goes to the old state at once.
    """
    for j in range(width):
        r = zr[j]
        u = zu[j]
        n = zn[j]
        m = d[j] + g[j]
        keep = m * u
        to_n = (m - keep) * (1.0 - n * n)
        to_r = to_n * late[j] * r * (1.0 - r)
        to_u = m * (old[j] - n) * u * (1.0 - u)
        to_p = to_n * r
        sr[j] = to_r
        su[j] = to_u
        sp[j] = to_p
        sn[j] = to_n
        br[j] = br[j] + to_r
        bu[j] = bu[j] + to_u
        bp[j] = bp[j] + to_p
        bn[j] = bn[j] + to_n
        d[j] = keep


@inlined(apart=True)
def tanh_pull(s, b, y, d, g, width):
    """One example's gradients before its function."""
    for j in range(width):
        slope = (d[j] + g[j]) * (1.0 - y[j] * y[j])
        s[j] = slope
        b[j] = b[j] + slope


@inlined(apart=True)
def relu_pull(s, b, y, d, g, width):
    """One example's gradients before its function."""
    for j in range(width):
        m = d[j] + g[j]
        slope = T(0.0) if y[j] <= 0.0 else m
        s[j] = slope
        b[j] = b[j] + slope


@inlined
def pull_of(p, row, place, example):
    """The gradients of one example's step."""
    width = p[WIDTH]
    line = width * SIZE
    s = pointer("T", p[SLOPES] + row * p[SLOPES_ROW])
    b = pointer("T", p[SUMS])
    z = pointer("T", p[KEPT] + row * p[KEPT_ROW])
    g = pointer("T", p[G] + place * p[G_ROW])
    d = pointer("T", p[DH] + example * line)
    if p[KIND] == LSTM:
        e = pointer("T", p[DC] + example * line)
        lstm_pull(
            s[0:], s[width:], s[2 * width :], s[3 * width :],
            z[0:], z[width:], z[2 * width :], z[3 * width :],
            b[0:], b[width:], b[2 * width :], b[3 * width :], z[4 * width :], z[5 * width :],
            d, e, g, width,
        )  # fmt: skip
    elif p[KIND] == GRU:
        gru_pull(
            s[0:], s[width:], s[2 * width :], s[3 * width :], z[0:], z[width:], z[2 * width :],
            b[0:], b[width:], b[2 * width :], b[3 * width :], z[3 * width :],
            z[p[LEFT] + p[INPUTS] :], d, g, width,
        )  # fmt: skip
    else:
        y = pointer("T", p[Y] + place * line)
        if p[KIND] == TANH:
            tanh_pull(s, b, y, d, g, width)
        else:
            relu_pull(s, b, y, d, g, width)


@inlined
def recur_back(p, workspace):
    """Gradients of the sums in all steps, and their sums over the rows; dh (and dc) become those of
    the first states.
    """
    starts = pointer("i64", p[STARTS])
    counts = pointer("i64", p[COUNTS])
    places = pointer("i64", p[PLACES])
    sums = pointer("T", p[SUMS])
    first = p[FIRST]
    line = p[WIDTH] * SIZE
    for j in range(p[SUM_COUNT]):
        sums[j] = 0.0
    for back in range(p[STEPS]):
        t = p[STEPS] - 1 - back
        count = min(counts[t] - first, p[ROWS])
        at = starts[t] + first
        if count > 0:
            earlier = starts[max(t - 1, 0)] + first
            for k in range(count):
                pull_of(p, at + k, places[t] + (first + k) * p[APART], first + k)
            multiply(
                p, workspace, p[SLOPES] + at * p[SLOPES_ROW], p[SLOPES_ROW],
                p[STATE_WEIGHT], p[STATE_DEPTH], p[DH] + first * line, line, count, p[WIDTH],
                max(p[GATES], p[WIDTH]), p[ZEROS], 0, 1 if p[KIND] == GRU else 0,
                p[KEPT] + earlier * p[KEPT_ROW],
            )  # fmt: skip
