"""Layers of empty batches, bags and sequences, and arguments that say where nothing is."""

from __future__ import annotations

import pytest

import chainrule as torch
from chainrule.nn import functional as F
from chainrule.nn.utils import rnn

RECURRENT = {
    "RNN": (5, 0, 3), "LSTM": (5, 0, 3), "GRU": (5, 0, 3), "RNNCell": (0, 3), "LSTMCell": (0, 3),
    "GRUCell": (0, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_layers_take_no_examples(name):
    layer = getattr(torch.nn, name)(3, 4)
    x = torch.randn(RECURRENT[name], requires_grad=True)
    out = layer(x)
    out = out[0] if isinstance(out, tuple) else out
    out.sum().backward()
    assert out.shape == (*x.shape[:-1], 4) and x.grad.shape == x.shape
    assert all(torch.equal(p.grad, torch.zeros_like(p)) for p in layer.parameters())


@pytest.mark.parametrize("shape", [(0, 2, 4), (3, 0, 4)])
def test_attention_takes_no_queries_or_examples(shape):
    x = torch.randn(shape)
    out, weights = torch.nn.MultiheadAttention(4, 2)(x, x, x)
    assert out.shape == shape and weights.shape == (shape[1], shape[0], shape[0])


def test_sampling_no_images():
    out = F.grid_sample(torch.randn(0, 2, 4, 4), torch.randn(0, 3, 3, 2), align_corners=False)
    assert out.shape == (0, 2, 3, 3)


@pytest.mark.parametrize("nd", [1, 2, 3])
def test_adaptive_pooling_of_no_examples_or_into_nothing(nd):
    for kind in ("avg", "max"):
        pool = getattr(F, f"adaptive_{kind}_pool{nd}d")
        assert pool(torch.randn(0, 2, *(4,) * nd), 3).shape == (0, 2, *(3,) * nd)
        assert pool(torch.randn(1, 2, *(4,) * nd), 0).shape == (1, 2, *(0,) * nd)
        with pytest.raises(RuntimeError, match="non-zero size for non-batch dimensions"):
            pool(torch.randn(1, 2, *(0,) * nd), 3)
    with pytest.raises(RuntimeError, match="non-zero size for non-batch dimensions"):
        getattr(F, f"adaptive_max_pool{nd}d")(torch.randn(1, 0, *(4,) * nd), 3)
    with pytest.raises(RuntimeError, match=r"optional 0 dim batch size|to have positive length"):
        getattr(F, f"max_pool{nd}d")(torch.randn(1, 0, *(4,) * nd), 2)


# ---- bags ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offsets", "phrase", "last"),
    [
        ([1, 2], r"offsets\[0\] has to be 0", False),
        ([0, 7], r"offsets\[-1\] can not be greater than input's length 4", False),
        ([0, 3, 2], "cannot go back", False),
        ([0, 3], "last offset value should be the size of the indices", True),
    ],
)
def test_bags_follow_each_other(offsets, phrase, last):
    for mode in ("sum", "mean", "max"):
        with pytest.raises(RuntimeError, match=phrase):
            F.embedding_bag(
                torch.arange(4), torch.ones(4, 2), torch.tensor(offsets), mode=mode,
                include_last_offset=last,
            )  # fmt: skip


def test_the_padding_of_bags_is_a_row():
    for padding in (-5, 4):
        with pytest.raises(RuntimeError, match="padding_idx must be within the number of"):
            F.embedding_bag(torch.zeros(1, 2).long(), torch.ones(4, 2), padding_idx=padding)


def test_limiting_rows_leaves_their_tangents():
    weight, tangent = torch.ones(3, 4) * 2, torch.randn(3, 4)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(weight, tangent)
        out = F.embedding(torch.tensor([0, 2]), dual, max_norm=1.0)
        found = torch.autograd.forward_ad.unpack_dual(out)
    assert torch.equal(found.tangent, tangent[[0, 2]])
    torch.testing.assert_close(found.primal.norm(dim=1), torch.ones(2))
    assert weight[0].norm() < 1.001 and weight[1].norm() == 4


# ---- sequences -----------------------------------------------------------------------------------


def test_nothing_cannot_be_packed():
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        rnn.pack_padded_sequence(torch.randn(0, 0), [])
    with pytest.raises(RuntimeError, match="batch_sizes can not be empty"):
        rnn.pad_packed_sequence(
            rnn.PackedSequence(torch.randn(0, 5), torch.tensor([], dtype=torch.int64), None, None)
        )


# ---- random windows ------------------------------------------------------------------------------


def test_random_windows_need_samples_for_each_plane():
    x = torch.arange(256.0).reshape(1, 1, 16, 16)
    with pytest.raises(RuntimeError, match="Expect _random_samples"):
        F.fractional_max_pool2d(x, 2, 4, _random_samples=torch.rand(0, 1, 2))
    with pytest.raises(RuntimeError, match="kernel_size must either"):
        F.fractional_max_pool3d(torch.randn(1, 1, 7, 7, 7), (1, 1), 3)
    with pytest.raises(RuntimeError, match="too large relative to input height"):
        F.fractional_max_pool2d(x, 2, (16, 3))
    # PyTorch 2.13's value: starts are cut towards zero, whatever the samples are
    below = torch.tensor([[[-3.0691, -7.2295]]])
    found = F.fractional_max_pool2d(x, 1, 8, _random_samples=below, return_indices=True)[1]
    assert (found[0, 0, 0] % 16).tolist() == [0, 2, 4, 6, 7, 10, 12, 15]


# ---- gradients as functions ----------------------------------------------------------------------


@pytest.mark.parametrize("nd", [1, 2, 3])
def test_gradients_of_convolutions_as_functions(nd):
    x = torch.randn(2, 4, *(5,) * nd, requires_grad=True)
    w = torch.randn(6, 2, *(3,) * nd, requires_grad=True)
    settings = {"stride": 2, "padding": 1, "groups": 2}
    out = getattr(F, f"conv{nd}d")(x, w, **settings)
    g = torch.randn_like(out)
    gx, gw = torch.autograd.grad(out, (x, w), g)
    by_input = getattr(torch.nn.grad, f"conv{nd}d_input")
    by_weight = getattr(F.grad, f"conv{nd}d_weight")
    torch.testing.assert_close(by_input(x.shape, w, g, **settings), gx)
    torch.testing.assert_close(by_weight(x, w.shape, g, **settings), gw)


# ---- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize(
    ("have", "given"), [((3,), (1,)), ((3,), ()), ((2, 3), (3,)), ((), (3,)), ((3,), (1, 3))]
)
def test_a_state_of_another_shape_is_refused(have, given, assign):
    for buffer in (False, True):
        module = torch.nn.Module()
        if buffer:
            module.register_buffer("w", torch.zeros(have))
        else:
            module.w = torch.nn.Parameter(torch.zeros(have))
        with pytest.raises(RuntimeError, match="size mismatch for w"):
            module.load_state_dict({"w": torch.ones(given)}, assign=assign)
        assert torch.equal(module.w, torch.zeros(have))
    scalar = torch.nn.Module()
    scalar.w = torch.nn.Parameter(torch.zeros(()))
    scalar.load_state_dict({"w": torch.ones(1)})  # as very old files have it
    assert scalar.w == 1
