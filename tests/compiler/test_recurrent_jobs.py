"""Recurrent layers as jobs of threads compute what their NumPy forms compute."""

from __future__ import annotations

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.compiler.products import offered
from chainrule.ops import recurrent_fast

from .test_native_kernels import close, tensors

DTYPES = (torch.float32, torch.float64)
LAYERS = ("LSTM", "GRU", "RNN")
SHAPES = [  # steps, batch, inputs, width
    (1, 1, 1, 1), (3, 2, 5, 7), (4, 8, 16, 16), (2, 33, 3, 33), (5, 9, 300, 20), (3, 64, 4, 64),
]  # fmt: skip


class Watched:
    """The jobs, counting what they did."""

    def __init__(self, jobs):
        self.jobs, self.done = jobs, []

    def forward(self, kind, *arguments):
        made = self.jobs.forward(kind, *arguments)
        self.done += ["forward"] if made else []
        return made

    def backward(self, kind, *arguments):
        made = self.jobs.backward(kind, *arguments)
        self.done += [] if made is None else ["backward"]
        return made


@pytest.fixture
def both(monkeypatch):
    """Run a function by NumPy and by jobs: (results, results); jobs must have done all of it."""
    if offered.shared() is None:
        pytest.skip("no machine code for products on this machine")

    def run(function, layers=1):
        watched = Watched(offered.shared().recurrent)
        monkeypatch.setattr(recurrent_fast, "recurrent_jobs", lambda: None)
        expected = function()
        monkeypatch.setattr(recurrent_fast, "recurrent_jobs", lambda: watched)
        found = function()
        assert sorted(watched.done) == ["backward"] * layers + ["forward"] * layers
        return expected, found

    return run


def outcome(layer, x):
    """Outputs, last states and all gradients."""
    out, last = layer(x)
    rows = out.data if isinstance(out, nn.utils.rnn.PackedSequence) else out
    last = last if isinstance(last, tuple) else (last,)
    loss = rows.sin().sum() + sum(s.cos().sum() for s in last)
    data = x.data if isinstance(x, nn.utils.rnn.PackedSequence) else x
    return [rows, *last, *torch.autograd.grad(loss, [data, *layer.parameters()])]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_recurrent_layers(both, name, shape, dtype):
    steps, batch, inputs, width = shape
    torch.manual_seed(0)
    layer = getattr(nn, name)(inputs, width, bidirectional=True).to(dtype)
    (x,) = tensors([(steps, batch, inputs)], dtype)
    expected, found = both(lambda: outcome(layer, x), layers=2)
    close(found, expected, dtype)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize(
    "lengths",
    [(5, 5, 4, 3, 3, 1), (4, 1), (2, 2, 2, 2, 1), (*[6] * 9, *[4] * 9, *[2] * 9, 1)],
    ids=["six", "two", "five", "many"],
)
def test_packed_sequences(both, name, lengths):
    torch.manual_seed(0)
    layer = getattr(nn, name)(3, 6, bidirectional=True, bias=False).double()
    packed = nn.utils.rnn.pack_sequence(tensors([(n, 3) for n in lengths], torch.float64))
    expected, found = both(lambda: outcome(layer, packed), layers=2)
    close(found, expected, torch.float64)


@pytest.mark.parametrize("name", LAYERS)
def test_sequences_example_by_example(both, name):
    torch.manual_seed(0)
    layer = getattr(nn, name)(5, 6, bidirectional=True, batch_first=True).double()
    (x,) = tensors([(9, 4, 5)], torch.float64)
    expected, found = both(lambda: outcome(layer, x), layers=2)
    close(found, expected, torch.float64)
    layer.batch_first = False
    rows, *others = outcome(layer, x.transpose(0, 1))
    gradient = others.pop(len(others) - 1 - len(list(layer.parameters())))
    moved = [rows.transpose(0, 1), *others, gradient.transpose(0, 1)]
    place = len(others) - len(list(layer.parameters()))
    found.append(found.pop(1 + place))
    close(found, moved, torch.float64)


@pytest.mark.parametrize("name", LAYERS)
def test_second_order_example_by_example(name):
    layer = getattr(nn, name)(2, 3, batch_first=True).double()
    (x,) = tensors([(2, 3, 2)], torch.float64)
    assert torch.autograd.gradgradcheck(lambda x: layer(x)[0], (x,))


def test_relu(both):
    layer = nn.RNN(3, 6, nonlinearity="relu").double()
    (x,) = tensors([(4, 5, 3)], torch.float64)
    expected, found = both(lambda: outcome(layer, x))
    close(found, expected, torch.float64)


def test_the_last_state_alone_has_a_gradient(both):
    for name in LAYERS:
        layer = getattr(nn, name)(3, 6).double()
        (x,) = tensors([(4, 5, 3)], torch.float64)

        def run(layer=layer, x=x):
            last = layer(x)[1]
            last = last[0] if isinstance(last, tuple) else last
            return torch.autograd.grad(last.sin().sum(), [x, *layer.parameters()])

        expected, found = both(run)
        close(found, expected, torch.float64)


def test_half_precision_is_computed_in_single(both):
    layer = nn.LSTM(8, 16).bfloat16()
    (x,) = tensors([(4, 16, 8)], torch.float32)
    expected, found = both(lambda: [t.float() for t in outcome(layer, x.bfloat16())])
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=2e-2, atol=2e-2)


def test_bits_do_not_depend_on_the_number_of_threads():
    layer = nn.LSTM(96, 40)  # NumPy multiplies narrower ones on one thread
    (x,) = tensors([(6, 70, 96)], torch.float32)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append([t.detach().numpy() for t in outcome(layer, x)])
    finally:
        torch.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("by_example", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_a_graph_made_with_jobs_is_pulled_back_without_them(monkeypatch, name, by_example):
    """What jobs keep can be read by the NumPy form."""
    layer = getattr(nn, name)(3, 6).double()
    layer.batch_first = by_example
    (x,) = tensors([(4, 5, 3)], torch.float64)
    expected = torch.autograd.grad(layer(x)[0].sin().sum(), [x, *layer.parameters()])
    loss = layer(x)[0].sin().sum()
    monkeypatch.setattr(recurrent_fast, "recurrent_jobs", lambda: None)
    close(torch.autograd.grad(loss, [x, *layer.parameters()]), expected, torch.float64)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "size", [(1, 1, 1), (4, 48, 264), (13, 50, 265), (9, 97, 600), (16, 20, 8)]
)
@pytest.mark.parametrize("transposed", [False, True])
def test_products_with_packed_weights(size, dtype, transposed):
    product = offered.shared()
    if product is None:
        pytest.skip("no machine code for products on this machine")
    m, n, k = size
    random = np.random.Generator(np.random.PCG64(3))
    a, b = random.standard_normal((m, k)), random.standard_normal((k, n))
    a, b = a.astype(dtype), np.asarray(b.astype(dtype), order="F" if transposed else "C")
    found = product.recurrent.product(a, b)
    bound = 20 * k * np.finfo(dtype).eps
    np.testing.assert_allclose(found, a.astype(np.float64) @ b, rtol=0, atol=bound)


@pytest.mark.parametrize("rows", [1, 4, 9])
def test_states_of_another_batch_are_refused(rows):
    """Machine code does not see how many rows a state has."""
    layer = nn.GRU(3, 6)
    weights = [p.detach() for p in layer.parameters()]
    x, h = torch.ones(4, 5, 3), torch.zeros(1, rows, 6)
    with pytest.raises(RuntimeError, match=rf"tensor a \({rows}\) must match .* b \(5\)"):
        torch.gru(x, h, weights, True, 1, 0.0, False, False, False)
