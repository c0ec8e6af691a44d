"""One step of a recurrent cell behind its products; the gates are made again for the gradient."""

from __future__ import annotations

from ..language.words import T, native, shared, sigmoid, tanh


@native("T x[rows, three], T z[rows, three], T h[rows, width], out T new[rows, width]")
def gru_step(x, z, h, new, rows, three, width):
    """(h - proposal) * keep + proposal."""
    if three != 3 * width:
        return False
    for r in shared(rows):
        a = x[r * three :]
        b = z[r * three :]
        before = h[r * width :]
        into = new[r * width :]
        for j in range(width):
            reset = sigmoid(a[j] + b[j])
            keep = sigmoid(a[width + j] + b[width + j])
            made = tanh(a[2 * width + j] + reset * b[2 * width + j])
            into[j] = (before[j] - made) * keep + made


@native(
    "T g[rows, width], T x[rows, three], T z[rows, three], T h[rows, width], "
    "out T gx[rows, three], out T gz[rows, three], out T gh[rows, width]"
)
def gru_step_pull(g, x, z, h, gx, gz, gh, rows, width, three):
    """The gradients of what the gates get and of the state."""
    if three != 3 * width:
        return False
    for r in shared(rows):
        a = x[r * three :]
        b = z[r * three :]
        to_a = gx[r * three :]
        to_b = gz[r * three :]
        for j in range(width):
            reset = sigmoid(a[j] + b[j])
            keep = sigmoid(a[width + j] + b[width + j])
            made = tanh(a[2 * width + j] + reset * b[2 * width + j])
            d = g[r * width + j]
            to_made = d * (T(1.0) - keep) * (T(1.0) - made * made)
            to_reset = to_made * b[2 * width + j] * reset * (T(1.0) - reset)
            to_keep = d * (h[r * width + j] - made) * keep * (T(1.0) - keep)
            to_a[j] = to_reset
            to_b[j] = to_reset
            to_a[width + j] = to_keep
            to_b[width + j] = to_keep
            to_a[2 * width + j] = to_made
            to_b[2 * width + j] = to_made * reset
            gh[r * width + j] = d * keep


@native("T z[rows, four], T c[rows, width], out T new[rows, width]")
def lstm_cell_step(z, c, new, rows, four, width):
    """forget * c + input * proposal."""
    if four != 4 * width:
        return False
    for r in shared(rows):
        a = z[r * four :]
        for j in range(width):
            kept = sigmoid(a[width + j]) * c[r * width + j]
            new[r * width + j] = kept + sigmoid(a[j]) * tanh(a[2 * width + j])


@native(
    "T g[rows, width], T z[rows, four], T c[rows, width], out T gz[rows, four], "
    "out T gc[rows, width]"
)
def lstm_cell_pull(g, z, c, gz, gc, rows, width, four):
    """The gradients of what the gates get, of which the last has none here, and of the cells."""
    if four != 4 * width:
        return False
    for r in shared(rows):
        a = z[r * four :]
        to = gz[r * four :]
        for j in range(width):
            d = g[r * width + j]
            i = sigmoid(a[j])
            f = sigmoid(a[width + j])
            made = tanh(a[2 * width + j])
            to[j] = d * made * i * (T(1.0) - i)
            to[width + j] = d * c[r * width + j] * f * (T(1.0) - f)
            to[2 * width + j] = d * i * (T(1.0) - made * made)
            to[3 * width + j] = 0.0
            gc[r * width + j] = d * f


@native("T z[rows, four], T c[rows, width], out T h[rows, width]")
def lstm_state(z, c, h, rows, four, width):
    """output * tanh(c)."""
    if four != 4 * width:
        return False
    for r in shared(rows):
        a = z[r * four + 3 * width :]
        for j in range(width):
            h[r * width + j] = sigmoid(a[j]) * tanh(c[r * width + j])


@native(
    "T g[rows, width], T z[rows, four], T c[rows, width], out T gz[rows, four], "
    "out T gc[rows, width]"
)
def lstm_state_pull(g, z, c, gz, gc, rows, width, four):
    """The gradients of what the gates get, all but the last zero, and of the cells."""
    if four != 4 * width:
        return False
    for r in shared(rows):
        a = z[r * four + 3 * width :]
        to = gz[r * four :]
        for j in range(3 * width):
            to[j] = 0.0
        for j in range(width):
            d = g[r * width + j]
            o = sigmoid(a[j])
            top = tanh(c[r * width + j])
            to[3 * width + j] = d * top * o * (T(1.0) - o)
            gc[r * width + j] = d * o * (T(1.0) - top * top)
