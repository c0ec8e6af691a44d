"""What one step of a recurrent cell does behind its products, in one op each.

`z` and `x` hold what the gates get, side by side; nothing is kept for the backward pass but the
operands. Traces and transforms take the same steps as ops (`tensor/functions/nn_recurrent.py`).
"""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Plain
from .kernels import fast
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


def _as_last(*operands):
    return [(operands[-1].shape, operands[-1].dtype)]


def _on_three(arrays):
    """The rule on arrays; the function comes through a closure, as it speaks NumPy."""

    def joint(g, x, z, h):
        return arrays(g, x, z, h)

    return joint


def _on_two(arrays):
    def joint(g, z, c):
        return arrays(g, z, c)

    return joint


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


@helper
def gate_block(z, k, count):
    """The k-th of `count` blocks of columns."""
    width = z.shape[-1] // count
    return slice_axis(z, axis=1, start=k * width, stop=(k + 1) * width, step=1)


# ---- gated recurrent unit ------------------------------------------------------------------------


@helper
def gru_gates(x, z):
    """(reset, keep, proposal) of one step."""
    reset = sigmoid(gate_block(x, 0, 3) + gate_block(z, 0, 3))
    keep = sigmoid(gate_block(x, 1, 3) + gate_block(z, 1, 3))
    return reset, keep, tanh(gate_block(x, 2, 3) + reset * gate_block(z, 2, 3))


@helper
def gru_step_in_ops(x, z, h):
    """gru_step, written in ops."""
    _, keep, new = gru_gates(x, z)
    return (h - new) * keep + new


@helper
def gru_step_gradients(g, x, z, h):
    """The gradients of x, z and h, written in ops."""
    reset, keep, new = gru_gates(x, z)
    to_new = g * (1 - keep) * (1 - new * new)
    to_reset = to_new * gate_block(z, 2, 3) * reset * (1 - reset)
    to_keep = g * (h - new) * keep * (1 - keep)
    to_x = cat(to_reset, to_keep, to_new, axis=1)
    return to_x, cat(to_reset, to_keep, to_new * reset, axis=1), g * keep


@helper
def gru_step_tangent(t_x, t_z, t_h, x, z, h):
    """The tangent of the new state."""
    reset, keep, new = gru_gates(x, z)
    t_reset = (gate_block(t_x, 0, 3) + gate_block(t_z, 0, 3)) * reset * (1 - reset)
    t_keep = (gate_block(t_x, 1, 3) + gate_block(t_z, 1, 3)) * keep * (1 - keep)
    t_new = gate_block(t_x, 2, 3) + t_reset * gate_block(z, 2, 3) + reset * gate_block(t_z, 2, 3)
    t_new = t_new * (1 - new * new)
    return (t_h - t_new) * keep + (h - new) * t_keep + t_new


def _gru_arrays(g, x, z, h):
    done = fast.gru_step_pull(g, x, z, h)
    if done is not None:
        return done
    width = h.shape[1]
    reset, keep = (_sigmoid(x[:, k : k + width] + z[:, k : k + width]) for k in (0, width))
    new = np.tanh(x[:, 2 * width :] + reset * z[:, 2 * width :])
    to_new = g * (1 - keep) * (1 - new * new)
    to_reset = to_new * z[:, 2 * width :] * reset * (1 - reset)
    to_keep = g * (h - new) * keep * (1 - keep)
    to_x = np.concatenate((to_reset, to_keep, to_new), 1)
    return to_x, np.concatenate((to_reset, to_keep, to_new * reset), 1), g * keep


@op(
    joint=_on_three(_gru_arrays),
    plain_joint=lambda g, x, z, h: gru_step_gradients(g, x, z, h),
    jvp=lambda t_x, t_z, t_h, x, z, h: gru_step_tangent(t_x, t_z, t_h, x, z, h),
    batch=Plain(lambda x, z, h: gru_step_in_ops(x, z, h)),
    lower=ir.compose(lambda x, z, h: gru_step_in_ops(x, z, h)),
    node="AddBackward0", aten=("_thnn_fused_gru_cell",), types=_as_last,
)  # fmt: skip
def gru_step(x, z, h):
    """The new state of a gated recurrent unit: x from the input, z from the state h."""
    done = fast.gru_step(x, z, h)
    if done is not None:
        return done
    width = h.shape[1]
    reset, keep = (_sigmoid(x[:, k : k + width] + z[:, k : k + width]) for k in (0, width))
    new = np.tanh(x[:, 2 * width :] + reset * z[:, 2 * width :])
    return (h - new) * keep + new


# ---- long short-term memory ----------------------------------------------------------------------


@helper
def lstm_cell_in_ops(z, c):
    """lstm_cell_step, written in ops."""
    return sigmoid(gate_block(z, 1, 4)) * c + sigmoid(gate_block(z, 0, 4)) * tanh(
        gate_block(z, 2, 4)
    )


@helper
def lstm_cell_gradients(g, z, c):
    """The gradients of z and c, written in ops."""
    i, f, new = (
        sigmoid(gate_block(z, 0, 4)),
        sigmoid(gate_block(z, 1, 4)),
        tanh(gate_block(z, 2, 4)),
    )
    to_z = cat(
        g * new * i * (1 - i), g * c * f * (1 - f), g * i * (1 - new * new), g * 0, axis=1
    )  # fmt: skip
    return to_z, g * f


@helper
def lstm_cell_tangent(t_z, t_c, z, c):
    """The tangent of the new cells."""
    i, f, new = (
        sigmoid(gate_block(z, 0, 4)),
        sigmoid(gate_block(z, 1, 4)),
        tanh(gate_block(z, 2, 4)),
    )
    through_i = gate_block(t_z, 0, 4) * i * (1 - i) * new
    through_f = gate_block(t_z, 1, 4) * f * (1 - f) * c
    return through_f + f * t_c + through_i + i * gate_block(t_z, 2, 4) * (1 - new * new)


def _lstm_cell_arrays(g, z, c):
    done = fast.lstm_cell_pull(g, z, c)
    if done is not None:
        return done
    width = c.shape[1]
    i, f = _sigmoid(z[:, :width]), _sigmoid(z[:, width : 2 * width])
    new = np.tanh(z[:, 2 * width : 3 * width])
    parts = (g * new * i * (1 - i), g * c * f * (1 - f), g * i * (1 - new * new), np.zeros_like(g))
    return np.concatenate(parts, 1), g * f


@op(
    joint=_on_two(_lstm_cell_arrays),
    plain_joint=lambda g, z, c: lstm_cell_gradients(g, z, c),
    jvp=lambda t_z, t_c, z, c: lstm_cell_tangent(t_z, t_c, z, c),
    batch=Plain(lambda z, c: lstm_cell_in_ops(z, c)),
    lower=ir.compose(lambda z, c: lstm_cell_in_ops(z, c)),
    node="AddBackward0", aten=("_thnn_fused_lstm_cell",), types=_as_last,
)  # fmt: skip
def lstm_cell_step(z, c):
    """The new cells of long short-term memory, from what its four gates get."""
    done = fast.lstm_cell_step(z, c)
    if done is not None:
        return done
    width = c.shape[1]
    kept = _sigmoid(z[:, width : 2 * width]) * c
    return kept + _sigmoid(z[:, :width]) * np.tanh(z[:, 2 * width : 3 * width])


@helper
def lstm_state_in_ops(z, c):
    """lstm_state, written in ops."""
    return sigmoid(gate_block(z, 3, 4)) * tanh(c)


@helper
def lstm_state_gradients(g, z, c):
    """The gradients of z and c, written in ops."""
    o, top = sigmoid(gate_block(z, 3, 4)), tanh(c)
    nothing = g * 0
    to_z = cat(nothing, nothing, nothing, g * top * o * (1 - o), axis=1)
    return to_z, g * o * (1 - top * top)


@helper
def lstm_state_tangent(t_z, t_c, z, c):
    """The tangent of the new state."""
    o, top = sigmoid(gate_block(z, 3, 4)), tanh(c)
    return gate_block(t_z, 3, 4) * o * (1 - o) * top + o * (1 - top * top) * t_c


def _lstm_state_arrays(g, z, c):
    done = fast.lstm_state_pull(g, z, c)
    if done is not None:
        return done
    width = c.shape[1]
    o, top = _sigmoid(z[:, 3 * width :]), np.tanh(c)
    to_z = np.zeros_like(z)
    to_z[:, 3 * width :] = g * top * o * (1 - o)
    return to_z, g * o * (1 - top * top)


@op(
    joint=_on_two(_lstm_state_arrays),
    plain_joint=lambda g, z, c: lstm_state_gradients(g, z, c),
    jvp=lambda t_z, t_c, z, c: lstm_state_tangent(t_z, t_c, z, c),
    batch=Plain(lambda z, c: lstm_state_in_ops(z, c)),
    lower=ir.compose(lambda z, c: lstm_state_in_ops(z, c)),
    node="MulBackward0", aten=("_thnn_fused_lstm_cell",), types=_as_last,
)  # fmt: skip
def lstm_state(z, c):
    """The new state of long short-term memory, from the output gate's share of z and the cells."""
    done = fast.lstm_state(z, c)
    if done is not None:
        return done
    return _sigmoid(z[:, 3 * c.shape[1] :]) * np.tanh(c)
