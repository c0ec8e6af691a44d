"""Recurrent layers: what users see beyond the recorded comparison with PyTorch."""

import copy
import pickle

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn, optim
from chainrule.func import functional_call, grad, jacrev, vmap
from chainrule.ops import buffers

CLASSES = (nn.RNN, nn.LSTM, nn.GRU)
by_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)


def made(cls, *args, **options):
    torch.manual_seed(0)
    return cls(*args, **options).double()


@by_class
def test_the_layer_is_its_cell_step_by_step(cls):
    layer, cell = made(cls, 3, 4), made(getattr(nn, cls.__name__ + "Cell"), 3, 4)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in layer.state_dict().items()})
    x = torch.randn(6, 2, 3, dtype=torch.float64)
    state, outputs = None, []
    for step in x:
        state = cell(step, state)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    torch.testing.assert_close(layer(x)[0], torch.stack(outputs))


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_relu_layer_keeps_what_is_no_number(bad, fast, monkeypatch):
    """It gave 0 for NaN: a network that had overflown looked healthy."""
    if not fast:
        monkeypatch.setattr("chainrule.ops.recurrent_fast.rnn_forward", lambda *_: None)
    layer = made(nn.RNN, 3, 4, nonlinearity="relu")
    x = torch.randn(4, 2, 3, dtype=torch.float64)
    x[0, 0, 0] = bad
    there, here = x.clone().requires_grad_(), x.clone().requires_grad_()
    found, _ = layer(there)
    found.sum().backward()
    gradients = [p.grad.clone() for p in layer.parameters()]
    layer.zero_grad()
    w_ih, w_hh, b_ih, b_hh = layer.parameters()
    h, steps = torch.zeros(2, 4, dtype=torch.float64), []
    for step in here:
        h = torch.relu(step @ w_ih.T + b_ih + h @ w_hh.T + b_hh)
        steps.append(h)
    torch.stack(steps).sum().backward()
    torch.testing.assert_close(found, torch.stack(steps), equal_nan=True)
    torch.testing.assert_close(there.grad, here.grad, equal_nan=True)
    for own, p in zip(gradients, layer.parameters(), strict=True):
        torch.testing.assert_close(own, p.grad, equal_nan=True)


@by_class
def test_a_reversed_direction_is_the_forward_one_on_the_reversed_sequence(cls):
    both, one = made(cls, 3, 4, bidirectional=True), made(cls, 3, 4)
    one.load_state_dict(
        {k.removesuffix("_reverse"): v for k, v in both.state_dict().items() if "reverse" in k}
    )
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    torch.testing.assert_close(both(x)[0][..., 4:], one(x.flip(0))[0].flip(0))


@by_class
def test_a_packed_sequence_gives_what_each_sequence_gives_alone(cls):
    layer = made(cls, 3, 4, 2, bidirectional=True)
    alone = [torch.randn(n, 3, dtype=torch.float64, requires_grad=True) for n in (2, 5, 3)]
    packed = nn.utils.rnn.pack_sequence(alone, enforce_sorted=False)
    found, last = layer(packed)
    h = last[0] if isinstance(last, tuple) else last
    for k, (sequence, out) in enumerate(
        zip(alone, nn.utils.rnn.unpack_sequence(found), strict=True)
    ):
        expected, end = layer(sequence)
        torch.testing.assert_close(out, expected)
        torch.testing.assert_close(h[:, k], end[0] if isinstance(end, tuple) else end)
    found.data.sin().sum().backward()
    gradients = [s.grad.clone() for s in alone]
    for sequence, wanted in zip(alone, gradients, strict=True):
        sequence.grad = None
        layer(sequence)[0].sin().sum().backward()
        torch.testing.assert_close(sequence.grad, wanted)


@by_class
@pytest.mark.parametrize("packed", [False, True])
def test_derivatives_of_first_and_second_order(cls, packed):
    layer = made(cls, 2, 2, bidirectional=True)
    x = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)

    def run(x, w):
        if packed:
            given = nn.utils.rnn.PackedSequence(x, torch.tensor([2, 1, 1]))
        else:
            given = x.view(2, 2, 2)
        found = functional_call(layer, {"weight_hh_l0": w}, (given,))
        return found[0].data if packed else found[0]

    w = layer.weight_hh_l0.detach().clone().requires_grad_()
    assert torch.autograd.gradcheck(run, (x, w), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(run, (x, w))


@by_class
def test_transforms(cls):
    layer = made(cls, 3, 4)
    params = dict(layer.named_parameters())
    x = torch.randn(6, 5, 3, dtype=torch.float64)

    def loss(p, sequence):
        return functional_call(layer, p, (sequence,))[0].square().sum()

    each = vmap(grad(loss), in_dims=(None, 0))(params, x)
    for name, found in each.items():
        for k in range(len(x)):
            (one,) = torch.autograd.grad(loss(params, x[k]), params[name])
            torch.testing.assert_close(found[k], one)
    jacobian = jacrev(lambda sequence: layer(sequence)[0])(x[0])
    assert torch.equal(jacobian[0, :, 1:], torch.zeros(4, 4, 3).double())  # no look at the future


def test_gradients_reach_every_part_of_the_state():
    layer = made(nn.LSTM, 3, 4, proj_size=2)
    h, c = (torch.randn(1, 2, n, dtype=torch.float64, requires_grad=True) for n in (2, 4))
    x = torch.randn(3, 2, 3, dtype=torch.float64)
    _, (h_n, c_n) = layer(x, (h, c))
    (h_n.sum() + c_n.sum()).backward()  # the outputs themselves are not used
    assert h.grad.abs().min() > 0
    assert c.grad.abs().min() > 0
    assert torch.autograd.gradcheck(lambda h, c: layer(x, (h, c))[1], (h, c))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_an_output_may_be_changed_in_place(kind):
    """As in PyTorch: what backward needs is kept apart from the result."""
    layer, x = kind(3, 4).double(), torch.randn(3, 2, 3, dtype=torch.float64, requires_grad=True)
    out = layer(x)[0]
    out.mul_(2)
    wanted = [x, layer.weight_hh_l0]
    found = torch.autograd.grad(out.sum(), wanted)
    expected = torch.autograd.grad((layer(x)[0] * 2).sum(), wanted)
    torch.testing.assert_close(found, expected)


def test_two_graphs_at_once_do_not_share_memory():
    """Buffers are used again only when nobody can see them."""
    layer, x = made(nn.LSTM, 16, 64), torch.randn(20, 16, 16, dtype=torch.float64)
    one = layer(x)[0].sum()
    two = layer(2 * x)[0].sum()
    first = torch.autograd.grad(one, layer.weight_hh_l0)[0]
    second = torch.autograd.grad(two, layer.weight_hh_l0)[0]
    torch.testing.assert_close(
        first, torch.autograd.grad(layer(x)[0].sum(), layer.weight_hh_l0)[0], rtol=0, atol=0
    )
    assert not torch.allclose(first, second)


def test_buffers_are_given_out_again_when_nobody_holds_them():
    kind = np.dtype(np.float32)
    held = buffers.borrow(12345, kind)
    address = held.ctypes.data
    view = held[5:]
    del held
    assert buffers.borrow(12345, kind).ctypes.data != address
    del view
    assert address in {buffers.borrow(12345, kind).ctypes.data for _ in range(2)}


def test_dropout_lies_between_the_layers_only():
    layer = nn.GRU(3, 4, 2, dropout=1.0)
    x = torch.randn(5, 2, 3)
    blind = layer(x)[0]
    torch.testing.assert_close(blind, layer(-x)[0])  # nothing of the first layer passes
    layer.eval()
    assert not torch.allclose(layer(x)[0], layer(-x)[0])
    with pytest.warns(UserWarning, match="non-zero dropout expects num_layers greater than 1"):
        nn.GRU(3, 4, dropout=0.5)


def test_parameters_by_layer_and_copies():
    layer = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    assert [len(own) for own in layer.all_weights] == [5, 5, 5, 5]
    assert layer.all_weights[1][0] is layer.weight_ih_l0_reverse
    layer.flatten_parameters()
    x = torch.randn(5, 2, 3)
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(twin(x)[0], layer(x)[0])
        assert twin.weight_ih_l0 is not layer.weight_ih_l0


@by_class
def test_no_gradient_no_graph_and_half_precision(cls):
    layer, x = cls(3, 4), torch.randn(5, 2, 3)
    with torch.no_grad():
        assert not layer(x)[0].requires_grad
        half = copy.deepcopy(layer).bfloat16()(x.bfloat16())[0]
    assert half.dtype is torch.bfloat16
    torch.testing.assert_close(half.float(), layer(x)[0], rtol=0.05, atol=0.02)
    assert layer(x[:, :0])[0].shape == (5, 0, 4)


ERRORS = [
    (lambda x: nn.LSTM(3, 4)(x[0, 0]), ValueError, "LSTM: Expected input to be 2D or 3D, got 1D"),
    (lambda x: nn.GRU(4, 4)(x), RuntimeError, "must be equal to input_size. Expected 4, got 3"),
    (lambda x: nn.RNN(3, 4)(x.double()), ValueError, r"input.to\(torch.float32\)"),
    (lambda x: nn.RNN(3, 4)(x[:0]), RuntimeError, "sequence length to be larger than 0 in RNN"),
    (
        lambda x: nn.LSTM(3, 4)(x, (torch.zeros(1, 3, 4), torch.zeros(1, 2, 4))),
        RuntimeError,
        r"Expected hidden\[0\] size \(1, 2, 4\), got \[1, 3, 4\]",
    ),
    (
        lambda x: nn.GRU(3, 4)(x, torch.zeros(2, 4)),
        RuntimeError,
        "For batched 3-D input, hx should also be 3-D but got 2-D tensor",
    ),
    (
        lambda x: nn.LSTM(3, 4)(x[:, 0], (torch.zeros(1, 1, 4), torch.zeros(1, 4))),
        RuntimeError,
        r"For unbatched 2-D input, hx and cx should also be 2-D but got \(3-D, 2-D\) tensors",
    ),
    (lambda x: nn.LSTM(3, 4)(x, torch.zeros(1, 2, 4)), IndexError, r"state is \(h, c\)"),
    (lambda x: nn.GRU(3, 4)(x, torch.zeros(1, 2, 4).double()), RuntimeError, "same dtype"),
    (lambda x: nn.GRUCell(3, 4)(x), ValueError, "GRUCell: Expected input to be 1D or 2D, got 3D"),
    (lambda x: nn.RNNCell(2, 4)(x[0]), RuntimeError, "input_size: got 3 expected 2"),
    (lambda x: nn.RNNCell(3, 4, nonlinearity="x")(x[0]), RuntimeError, "Unknown nonlinearity: x"),
    (lambda x: nn.RNN(3, 4, nonlinearity="x"), ValueError, "Select from 'tanh' or 'relu'"),
    (lambda x: nn.GRU(3, 4, proj_size=2), ValueError, "only supported for LSTM, not RNN or GRU"),
    (lambda x: nn.LSTM(3, 4, proj_size=4), ValueError, "has to be smaller than hidden_size"),
    (lambda x: nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
    (lambda x: nn.LSTM(3, 4.0), TypeError, "hidden_size should be of type int, got: float"),
    (lambda x: nn.LSTM(3, 4, dropout=True), ValueError, "dropout should be a number in range"),
]


@pytest.mark.parametrize(("call", "kind", "phrase"), ERRORS)
def test_errors(call, kind, phrase):
    with pytest.raises(kind, match=phrase):
        call(torch.randn(5, 2, 3))


# ---- sequences of different lengths --------------------------------------------------------------


def test_packing_and_padding_are_inverse():
    rnn = nn.utils.rnn
    sequences = [torch.arange(n * 2.0).view(n, 2) for n in (3, 1, 4)]
    padded = rnn.pad_sequence(sequences, batch_first=True, padding_value=-1)
    packed = rnn.pack_padded_sequence(padded, [3, 1, 4], True, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 2, 1]
    assert packed.sorted_indices.tolist() == [2, 0, 1]
    assert packed.unsorted_indices.tolist() == [1, 2, 0]
    again, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1)
    assert torch.equal(again, padded)
    assert lengths.tolist() == [3, 1, 4]
    longer, _ = rnn.pad_packed_sequence(packed, total_length=6)
    assert longer.shape == (6, 3, 2)
    assert [s.tolist() for s in rnn.unpack_sequence(packed)] == [s.tolist() for s in sequences]


def test_padding_on_the_left():
    found = nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(1)], True, padding_side="left")
    assert found.tolist() == [[1, 1], [0, 1]]


def test_a_packed_sequence_converts_like_a_tensor():
    packed = nn.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)])
    assert packed.to("cpu") is packed
    assert packed.double().data.dtype is torch.float64
    assert packed.to(torch.int64).data.tolist() == [1, 1, 1]
    assert packed.long().batch_sizes is packed.batch_sizes
    assert not packed.is_cuda
    data, sizes, *_ = packed
    assert nn.utils.rnn.PackedSequence((data, sizes)).data is data


def test_gradients_flow_through_packing_to_the_real_steps_only():
    padded = torch.ones(3, 2, requires_grad=True)
    packed = nn.utils.rnn.pack_padded_sequence(padded, [3, 1])
    nn.utils.rnn.pad_packed_sequence(packed, padding_value=5.0)[0].sum().backward()
    assert padded.grad.tolist() == [[1, 1], [1, 0], [1, 0]]


PACKING_ERRORS = [
    ([3, 4], RuntimeError, "must be sorted in decreasing order"),
    ([3, 0], RuntimeError, "has to be greater than 0"),
    ([3], RuntimeError, r"equal to batch_size, but got 1 \(batch_size=2\)"),
    ([9, 1], RuntimeError, "more than the 4 steps"),
]


@pytest.mark.parametrize(("lengths", "kind", "phrase"), PACKING_ERRORS)
def test_packing_errors(lengths, kind, phrase):
    with pytest.raises(kind, match=phrase):
        nn.utils.rnn.pack_padded_sequence(torch.ones(4, 2), lengths)


def test_padding_errors():
    rnn = nn.utils.rnn
    with pytest.raises(RuntimeError, match="received an empty list of sequences"):
        rnn.pad_sequence([])
    with pytest.raises(RuntimeError, match="differ in more than their length"):
        rnn.pad_sequence([torch.ones(2), torch.ones(2, 2)])
    with pytest.raises(ValueError, match="got total_length=1 and max sequence length being 2"):
        rnn.pad_packed_sequence(rnn.pack_sequence([torch.ones(2)]), total_length=1)


# ---- training ------------------------------------------------------------------------------------


def test_an_rnn_learns_to_continue_sine_waves():
    torch.manual_seed(0)
    time = torch.linspace(0, 20, 81) + torch.arange(8.0)[:, None]
    wave = torch.sin(time).unsqueeze(-1)
    model = nn.RNN(1, 24, batch_first=True)
    head = nn.Linear(24, 1)
    optimizer = optim.Adam([*model.parameters(), *head.parameters()], lr=0.01)
    for _ in range(100):
        optimizer.zero_grad()
        guess = head(model(wave[:, :-1])[0])
        loss = nn.functional.mse_loss(guess[:, 5:], wave[:, 6:])
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-3  # a constant guess has 0.5
