"""The kernels of recurrent layers and attention compute what their NumPy forms compute."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.ops import attention_arrays

from .test_native_kernels import both, close, tensors

__all__ = ["both"]

DTYPES = (torch.float32, torch.float64)
RECURRENT = {
    "LSTM": {"lstm_sequence", "lstm_slopes"},
    "GRU": {"gru_sequence", "gru_slopes"},
    "RNN": {"rnn_sequence", "rnn_slopes"},
}
SHAPES = [  # steps, batch, inputs, width
    (1, 1, 1, 1), (3, 2, 5, 7), (4, 4, 16, 16), (2, 6, 3, 33), (5, 9, 33, 20),
]  # fmt: skip


def outcome(layer, x):
    """Outputs, last states and all gradients."""
    out, last = layer(x)
    rows = out.data if isinstance(out, nn.utils.rnn.PackedSequence) else out
    last = last if isinstance(last, tuple) else (last,)
    loss = rows.sin().sum() + sum(s.cos().sum() for s in last)
    data = x.data if isinstance(x, nn.utils.rnn.PackedSequence) else x
    return [rows, *last, *torch.autograd.grad(loss, [data, *layer.parameters()])]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_recurrent_layers(both, name, shape, dtype):
    steps, batch, inputs, width = shape
    torch.manual_seed(0)
    layer = getattr(nn, name)(inputs, width, bidirectional=True).to(dtype)
    (x,) = tensors([(steps, batch, inputs)], dtype)
    expected, found, used = both(lambda: outcome(layer, x))
    close(found, expected, dtype)
    assert used >= RECURRENT[name]


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("lengths", [(5, 5, 4, 3, 3, 1), (4, 1), (2, 2, 2, 2, 1)], ids=str)
def test_packed_sequences(both, name, lengths):
    torch.manual_seed(0)
    layer = getattr(nn, name)(3, 6, bidirectional=True, bias=False).double()
    packed = nn.utils.rnn.pack_sequence(tensors([(n, 3) for n in lengths], torch.float64))
    expected, found, used = both(lambda: outcome(layer, packed))
    close(found, expected, torch.float64)
    assert used >= RECURRENT[name]


def test_relu(both):
    layer = nn.RNN(3, 6, nonlinearity="relu").double()
    (x,) = tensors([(4, 5, 3)], torch.float64)
    expected, found, used = both(lambda: outcome(layer, x))
    close(found, expected, torch.float64)
    assert used >= RECURRENT["RNN"]


def test_a_graph_made_with_kernels_is_pulled_back_without_them(both):
    """What a kernel keeps can be read by the NumPy form."""
    from chainrule.ops import kernels
    from chainrule.ops.kernels import fast

    for name in RECURRENT:
        layer = getattr(nn, name)(3, 6).double()
        (x,) = tensors([(4, 5, 3)], torch.float64)
        expected = torch.autograd.grad(layer(x)[0].sin().sum(), [x, *layer.parameters()])
        loss, find = layer(x)[0].sin().sum(), fast._find
        try:
            kernels.provide(lambda name: None)
            found = torch.autograd.grad(loss, [x, *layer.parameters()])
        finally:
            kernels.provide(find)
        close(found, expected, torch.float64)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kept", [0, 1 << 18])
@pytest.mark.parametrize(("length", "keys"), [(1, 1), (7, 7), (33, 50), (50, 33)])
def test_attention(both, monkeypatch, dtype, causal, kept, length, keys):
    sizes = {"_KEPT": kept, "_BLOCK": 300, "_QUERIES": 8, "_CAUSAL_QUERIES": 8, "_KEYS": 16}
    for name, value in sizes.items():
        monkeypatch.setattr(attention_arrays, name, value)
    inputs = tensors([(2, 3, length, 4), (2, 3, keys, 4), (2, 3, keys, 5)], dtype)

    def run():
        out = nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
        return [out, *torch.autograd.grad(out.sin().sum(), inputs)]

    expected, found, used = both(run)
    close(found, expected, dtype)
    if kept:
        assert used >= {"attention_softmax", "attention_pull_at_once"}
    else:
        assert used >= {"attention_exponentials", "attention_pull", "attention_again"}


def test_attention_that_sees_nothing_at_first(both, monkeypatch):
    """A first block of keys that is hidden says nothing about how large later scores are."""
    for name, value in {"_KEPT": 0, "_BLOCK": 1, "_QUERIES": 8, "_KEYS": 4}.items():
        monkeypatch.setattr(attention_arrays, name, value)
    q, k, v = tensors([(1, 1, 5, 4), (1, 1, 9, 4), (1, 1, 9, 4)], torch.float64)
    mask = torch.full((5, 9), -500.0, dtype=torch.float64)
    mask[:, :4] = -np.inf
    mask[3] = -np.inf

    def run():
        return [nn.functional.scaled_dot_product_attention(q, k, v, mask)]

    expected, found, _ = both(run)
    close(found, expected, torch.float64)
    shifted = nn.functional.scaled_dot_product_attention(q, k[:, :, 4:], v[:, :, 4:])
    torch.testing.assert_close(found[0][:, :, :3], shifted[:, :, :3])
    assert found[0][:, :, 3].abs().max() == 0
