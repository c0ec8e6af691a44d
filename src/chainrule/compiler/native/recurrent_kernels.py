"""Recurrent layers over whole sequences: the examples of a batch are shared among threads.

Examples do not meet in a recurrence, so a thread takes eight of them through all steps without
waiting for anybody. Their products with the weights keep the rows of results in the cache and read
each weight once for all eight. Rows of a sequence are as in `ops/recurrent_arrays.py`: step t
has `counts[t]` of them from `starts[t]` on, and steps come in the order in which they run.
"""

from __future__ import annotations

from .language import T, inlined, native, shared, sigmoid, stack, tanh

EXAMPLES = 8  # that go through the steps together
MOST = 2048  # results of a product for one example, at most
# From one row of results to the next: not a multiple of 4 KB, or loads would wait for the stores of
# another row, which a processor tells apart by the last twelve bits of their addresses.
PITCH = MOST + 48


@inlined
def add_four(c, a0, a1, a2, a3, w, p, n):
    """c += four columns of a from p on @ four rows of w, for four rows of a."""
    c0 = c[0:]
    c1 = c[PITCH:]
    c2 = c[2 * PITCH :]
    c3 = c[3 * PITCH :]
    w0 = w[p * n :]
    w1 = w[(p + 1) * n :]
    w2 = w[(p + 2) * n :]
    w3 = w[(p + 3) * n :]
    a00 = a0[p]
    a01 = a0[p + 1]
    a02 = a0[p + 2]
    a03 = a0[p + 3]
    a10 = a1[p]
    a11 = a1[p + 1]
    a12 = a1[p + 2]
    a13 = a1[p + 3]
    a20 = a2[p]
    a21 = a2[p + 1]
    a22 = a2[p + 2]
    a23 = a2[p + 3]
    a30 = a3[p]
    a31 = a3[p + 1]
    a32 = a3[p + 2]
    a33 = a3[p + 3]
    for j in range(n):
        u0 = w0[j]
        u1 = w1[j]
        u2 = w2[j]
        u3 = w3[j]
        c0[j] = c0[j] + a00 * u0 + a01 * u1 + a02 * u2 + a03 * u3
        c1[j] = c1[j] + a10 * u0 + a11 * u1 + a12 * u2 + a13 * u3
        c2[j] = c2[j] + a20 * u0 + a21 * u1 + a22 * u2 + a23 * u3
        c3[j] = c3[j] + a30 * u0 + a31 * u1 + a32 * u2 + a33 * u3


@inlined
def add_one(c, a0, a1, a2, a3, w, p, n):
    """c += one column of a @ one row of w, for four rows of a."""
    c0 = c[0:]
    c1 = c[PITCH:]
    c2 = c[2 * PITCH :]
    c3 = c[3 * PITCH :]
    row = w[p * n :]
    b0 = a0[p]
    b1 = a1[p]
    b2 = a2[p]
    b3 = a3[p]
    for j in range(n):
        u = row[j]
        c0[j] = c0[j] + b0 * u
        c1[j] = c1[j] + b1 * u
        c2[j] = c2[j] + b2 * u
        c3[j] = c3[j] + b3 * u


@inlined
def add_rows(c, a, first, count, w, k, n):
    """c += rows of a @ w, for up to eight rows from the first on; missing ones repeat the first.

    The second four follow while the rows of w that the first four read are still near.
    """
    k1 = 1 if count > 1 else 0
    k2 = 2 if count > 2 else 0
    k3 = 3 if count > 3 else 0
    k4 = 4 if count > 4 else 0
    k5 = 5 if count > 5 else 0
    k6 = 6 if count > 6 else 0
    k7 = 7 if count > 7 else 0
    a0 = a[first * k :]
    a1 = a[(first + k1) * k :]
    a2 = a[(first + k2) * k :]
    a3 = a[(first + k3) * k :]
    a4 = a[(first + k4) * k :]
    a5 = a[(first + k5) * k :]
    a6 = a[(first + k6) * k :]
    a7 = a[(first + k7) * k :]
    p = 0
    while p + 4 <= k:
        add_four(c, a0, a1, a2, a3, w, p, n)
        if count > 4:
            add_four(c[4 * PITCH :], a4, a5, a6, a7, w, p, n)
        p += 4
    while p < k:
        add_one(c, a0, a1, a2, a3, w, p, n)
        if count > 4:
            add_one(c[4 * PITCH :], a4, a5, a6, a7, w, p, n)
        p += 1


@inlined
def set_rows(c, bias, n):
    """The rows of c as the bias."""
    for k in range(EXAMPLES):
        row = c[k * PITCH :]
        for j in range(n):
            row[j] = bias[j]


@inlined
def zero_rows(c, n):
    """The rows of c as zeros."""
    for k in range(EXAMPLES):
        row = c[k * PITCH :]
        for j in range(n):
            row[j] = 0.0


# ---- long short-term memory ----------------------------------------------------------------------


@inlined
def lstm_step(s, z, cell, before, top, h, y, width):
    """One example's step from the gates' sums s."""
    for j in range(width):
        i = sigmoid(s[j])
        f = sigmoid(s[width + j])
        g = tanh(s[2 * width + j])
        o = sigmoid(s[3 * width + j])
        old = cell[j]
        new = f * old + i * g
        up = tanh(new)
        out = o * up
        z[j] = i
        z[width + j] = f
        z[2 * width + j] = g
        z[3 * width + j] = o
        before[j] = old
        top[j] = up
        cell[j] = new
        h[j] = out
        y[j] = out


@native(
    "T x[total, inputs], T w_ih[inputs, gates], T w_hh[width, gates], T bias[gates],"
    "i64 starts[steps], i64 counts[steps], T h[batch, width], T cell[batch, width],"
    "T y[total, width], T z[total, gates], T before[total, width], T top[total, width],"
    "u8 parts[groups]"
)
def lstm_sequence(
    x, w_ih, w_hh, bias, starts, counts, h, cell, y, z, before, top, parts,
    total, inputs, gates, width, steps, batch, groups,
):  # fmt: skip
    """All steps of a layer; h and cell become the last states, z the activated gates."""
    if gates > MOST or gates != 4 * width:
        return False
    s = stack("T", EXAMPLES * PITCH)
    for q in shared(groups):
        r = EXAMPLES * q
        for t in range(steps):
            count = min(counts[t] - r, EXAMPLES)
            at = starts[t] + r
            if count > 0:
                set_rows(s, bias, gates)
                add_rows(s, x, at, count, w_ih, inputs, gates)
                add_rows(s, h, r, count, w_hh, width, gates)
                for k in range(count):
                    row = at + k
                    lstm_step(
                        s[k * PITCH :], z[row * gates :], cell[(r + k) * width :],
                        before[row * width :], top[row * width :], h[(r + k) * width :],
                        y[row * width :], width,
                    )  # fmt: skip


@inlined
def lstm_pull(slope, z, before, top, d, e, g, width):
    """One example's gradients of the gates' sums from those of its state and cell."""
    for j in range(width):
        i = z[j]
        f = z[width + j]
        c = z[2 * width + j]
        o = z[3 * width + j]
        up = top[j]
        m = d[j] + g[j]
        through = e[j] + m * o * (1.0 - up * up)
        slope[j] = through * c * i * (1.0 - i)
        slope[width + j] = through * before[j] * f * (1.0 - f)
        slope[2 * width + j] = through * i * (1.0 - c * c)
        slope[3 * width + j] = m * up * o * (1.0 - o)
        e[j] = through * f


@native(
    "T gy[total, width], T w_hh[gates, width], i64 starts[steps], i64 counts[steps],"
    "T z[total, gates], T before[total, width], T top[total, width], T dh[batch, width],"
    "T dc[batch, width], T slopes[total, gates], u8 parts[groups]"
)
def lstm_slopes(
    gy, w_hh, starts, counts, z, before, top, dh, dc, slopes, parts,
    total, width, gates, steps, batch, groups,
):  # fmt: skip
    """Gradients of the gates' sums in all steps; dh and dc become those of the first states."""
    if width > MOST or gates != 4 * width:
        return False
    s = stack("T", EXAMPLES * PITCH)
    for q in shared(groups):
        r = EXAMPLES * q
        for back in range(steps):
            t = steps - 1 - back
            count = min(counts[t] - r, EXAMPLES)
            at = starts[t] + r
            if count > 0:
                for k in range(count):
                    row = at + k
                    lstm_pull(
                        slopes[row * gates :], z[row * gates :], before[row * width :],
                        top[row * width :], dh[(r + k) * width :], dc[(r + k) * width :],
                        gy[row * width :], width,
                    )  # fmt: skip
                zero_rows(s, width)
                add_rows(s, slopes, at, count, w_hh, gates, width)
                for k in range(count):
                    into = dh[(r + k) * width :]
                    own = s[k * PITCH :]
                    for j in range(width):
                        into[j] = own[j]


# ---- gated recurrent unit ------------------------------------------------------------------------


@inlined
def gru_step(s, p, z, part, h, y, width):
    """One example's step from what input (s) and state (p) give to the gates."""
    for j in range(width):
        r = sigmoid(s[j] + p[j])
        u = sigmoid(s[width + j] + p[width + j])
        late = p[2 * width + j]
        n = tanh(s[2 * width + j] + r * late)
        out = n + u * (h[j] - n)
        z[j] = r
        z[width + j] = u
        z[2 * width + j] = n
        part[j] = late
        h[j] = out
        y[j] = out


@native(
    "T x[total, inputs], T w_ih[inputs, gates], T w_hh[width, gates], T b_ih[gates],"
    "T b_hh[gates], i64 starts[steps], i64 counts[steps], T h[batch, width], T y[total, width],"
    "T z[total, gates], T late[total, width], u8 parts[groups]"
)
def gru_sequence(
    x, w_ih, w_hh, b_ih, b_hh, starts, counts, h, y, z, late, parts,
    total, inputs, gates, width, steps, batch, groups,
):  # fmt: skip
    """All steps of a layer; h becomes the last state, z the activated gates."""
    if gates > MOST or gates != 3 * width:
        return False
    s = stack("T", EXAMPLES * PITCH)
    p = stack("T", EXAMPLES * PITCH)
    for q in shared(groups):
        r = EXAMPLES * q
        for t in range(steps):
            count = min(counts[t] - r, EXAMPLES)
            at = starts[t] + r
            if count > 0:
                set_rows(s, b_ih, gates)
                set_rows(p, b_hh, gates)
                add_rows(s, x, at, count, w_ih, inputs, gates)
                add_rows(p, h, r, count, w_hh, width, gates)
                for k in range(count):
                    row = at + k
                    gru_step(
                        s[k * PITCH :], p[k * PITCH :], z[row * gates :], late[row * width :],
                        h[(r + k) * width :], y[row * width :], width,
                    )  # fmt: skip


@inlined
def gru_pull(slope, to_n, stays, z, part, old, d, g, width):
    """One example's gradients of its gates; `stays` is what goes to the old state at once."""
    for j in range(width):
        r = z[j]
        u = z[width + j]
        n = z[2 * width + j]
        m = d[j] + g[j]
        keep = m * u
        dn = (m - keep) * (1.0 - n * n)
        to_n[j] = dn
        slope[j] = dn * part[j] * r * (1.0 - r)
        slope[width + j] = m * (old[j] - n) * u * (1.0 - u)
        slope[2 * width + j] = dn * r
        stays[j] = keep


@native(
    "T gy[total, width], T w_hh[gates, width], i64 starts[steps], i64 counts[steps],"
    "T z[total, gates], T late[total, width], T states[total, width], T dh[batch, width],"
    "T slopes[total, gates], T to_n[total, width], u8 parts[groups]"
)
def gru_slopes(
    gy, w_hh, starts, counts, z, late, states, dh, slopes, to_n, parts,
    total, width, gates, steps, batch, groups,
):  # fmt: skip
    """Gradients of the gates and of the candidate before its tanh, in all steps."""
    if width > MOST or gates != 3 * width:
        return False
    s = stack("T", EXAMPLES * PITCH)
    for q in shared(groups):
        r = EXAMPLES * q
        for back in range(steps):
            t = steps - 1 - back
            count = min(counts[t] - r, EXAMPLES)
            at = starts[t] + r
            if count > 0:
                for k in range(count):
                    row = at + k
                    gru_pull(
                        slopes[row * gates :], to_n[row * width :], s[k * PITCH :],
                        z[row * gates :], late[row * width :], states[row * width :],
                        dh[(r + k) * width :], gy[row * width :], width,
                    )  # fmt: skip
                add_rows(s, slopes, at, count, w_hh, gates, width)
                for k in range(count):
                    into = dh[(r + k) * width :]
                    own = s[k * PITCH :]
                    for j in range(width):
                        into[j] = own[j]


# ---- plain recurrence ----------------------------------------------------------------------------


@inlined
def rnn_step(s, h, y, relu, width):
    """One example's step."""
    if relu:
        for j in range(width):
            out = s[j] if s[j] > 0.0 else T(0.0)
            h[j] = out
            y[j] = out
    else:
        for j in range(width):
            out = tanh(s[j])
            h[j] = out
            y[j] = out


@native(
    "T x[total, inputs], T w_ih[inputs, width], T w_hh[width, width], T bias[width],"
    "i64 starts[steps], i64 counts[steps], T h[batch, width], T y[total, width], bool relu,"
    "u8 parts[groups]"
)
def rnn_sequence(
    x, w_ih, w_hh, bias, starts, counts, h, y, relu, parts,
    total, inputs, width, steps, batch, groups,
):  # fmt: skip
    """All steps of a layer; h becomes the last state."""
    if width > MOST:
        return False
    s = stack("T", EXAMPLES * PITCH)
    for q in shared(groups):
        r = EXAMPLES * q
        for t in range(steps):
            count = min(counts[t] - r, EXAMPLES)
            at = starts[t] + r
            if count > 0:
                set_rows(s, bias, width)
                add_rows(s, x, at, count, w_ih, inputs, width)
                add_rows(s, h, r, count, w_hh, width, width)
                for k in range(count):
                    rnn_step(
                        s[k * PITCH :], h[(r + k) * width :], y[(at + k) * width :], relu, width
                    )


@inlined
def rnn_pull(slope, y, d, g, relu, width):
    """One example's gradients before its function."""
    if relu:
        for j in range(width):
            m = d[j] + g[j]
            slope[j] = m if y[j] > 0.0 else T(0.0)
    else:
        for j in range(width):
            slope[j] = (d[j] + g[j]) * (1.0 - y[j] * y[j])


@native(
    "T gy[total, width], T w_hh[width, width], i64 starts[steps], i64 counts[steps],"
    "T y[total, width], T dh[batch, width], T slopes[total, width], bool relu, u8 parts[groups]"
)
def rnn_slopes(
    gy, w_hh, starts, counts, y, dh, slopes, relu, parts, total, width, steps, batch, groups
):
    """Gradients before the function in all steps; dh becomes that of the first state."""
    if width > MOST:
        return False
    s = stack("T", EXAMPLES * PITCH)
    for q in shared(groups):
        r = EXAMPLES * q
        for back in range(steps):
            t = steps - 1 - back
            count = min(counts[t] - r, EXAMPLES)
            at = starts[t] + r
            if count > 0:
                for k in range(count):
                    row = (at + k) * width
                    rnn_pull(slopes[row:], y[row:], dh[(r + k) * width :], gy[row:], relu, width)
                zero_rows(s, width)
                add_rows(s, slopes, at, count, w_hh, width, width)
                for k in range(count):
                    into = dh[(r + k) * width :]
                    own = s[k * PITCH :]
                    for j in range(width):
                        into[j] = own[j]
