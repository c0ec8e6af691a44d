"""What layers and losses refuse, by PyTorch's phrase: each of these gave a number before."""

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F

ROWS, CLASSES = torch.zeros(5, 10), torch.zeros(3, dtype=torch.long)
LOG_PROBS, LABELS = torch.zeros(5, 2, 4), torch.ones(2, 3, dtype=torch.long)
IMAGE = torch.zeros(1, 2, 5, 5)
X = torch.zeros(2, 3)

REFUSED = {
    "batch_norm in training, eps 0": (
        lambda: F.batch_norm(X, None, None, training=True, eps=0.0),
        ValueError,
        "eps must be positive",
    ),
    "batch_norm, negative eps": (
        lambda: F.batch_norm(X, torch.zeros(3), torch.ones(3), eps=-1.0),
        ValueError,
        "eps must be non-negative",
    ),
    "batch_norm of doubles with float parameters": (
        lambda: nn.BatchNorm1d(3)(X.double()),
        RuntimeError,
        "mixed dtype",
    ),
    "batch_norm of floats with half parameters": (
        lambda: nn.BatchNorm1d(3).half()(X),
        RuntimeError,
        "expect parameter to have scalar type of Float",
    ),
    "instance_norm of doubles with float parameters": (
        lambda: nn.InstanceNorm1d(3, affine=True)(torch.zeros(2, 3, 4).double()),
        RuntimeError,
        "mixed dtype",
    ),
    "instance_norm without statistics": (
        lambda: F.instance_norm(torch.zeros(2, 3, 4), use_input_stats=False),
        RuntimeError,
        "Expected running_mean and running_var to be defined",
    ),
    "layer_norm over no dimension": (
        lambda: nn.LayerNorm(())(torch.zeros(())),
        RuntimeError,
        "Expected normalized_shape to be at least 1-dimensional",
    ),
    "cosine_similarity, negative eps": (
        lambda: F.cosine_similarity(X, X, eps=-1.0),
        RuntimeError,
        "eps must be non-negative",
    ),
    "cross_entropy of sequences of two lengths": (
        lambda: F.cross_entropy(torch.zeros(2, 3, 5), torch.zeros(2, 4, dtype=torch.long)),
        RuntimeError,
        r"Expected target size \[2, 5\], got \[2, 4\]",
    ),
    "nll_loss of one example and several targets": (
        lambda: F.nll_loss(torch.zeros(10), CLASSES),
        ValueError,
        "For 1D input, 1D target must have size 1",
    ),
    "cross_entropy, smoothing above 1": (
        lambda: F.cross_entropy(ROWS, CLASSES, label_smoothing=1.2),
        RuntimeError,
        "label_smoothing must be between 0.0 and 1.0",
    ),
    "nll_loss, weights of another type": (
        lambda: F.nll_loss(X, CLASSES[:2], torch.ones(3).half()),
        RuntimeError,
        "expected scalar type Float but found Half",
    ),
    "multi_margin_loss, too few targets": (
        lambda: F.multi_margin_loss(ROWS, CLASSES),
        RuntimeError,
        r"Expected target size \[5\], but got \[3\]",
    ),
    "multi_margin_loss, too few weights": (
        lambda: F.multi_margin_loss(ROWS[:3], CLASSES, weight=torch.ones(4)),
        RuntimeError,
        "inconsistent weight size",
    ),
    "multilabel_margin_loss, no such class": (
        lambda: F.multilabel_margin_loss(ROWS, torch.full((5, 10), 11)),
        RuntimeError,
        "out of range",
    ),
    "multilabel_margin_loss of floats": (
        lambda: F.multilabel_margin_loss(ROWS, ROWS),
        RuntimeError,
        "expected scalar type Long but found Float",
    ),
    "triplet_margin_loss of two ranks": (
        lambda: F.triplet_margin_loss(X, X, X[0]),
        RuntimeError,
        "same number of dimensions",
    ),
    "HuberLoss of a complex delta": (
        lambda: nn.HuberLoss(delta=1 + 0j),
        TypeError,
        "delta must be a float or int",
    ),
    "ctc_loss of nothing": (
        lambda: F.ctc_loss(torch.zeros(0, 0, 4), LABELS[:0], (), ()),
        RuntimeError,
        "log_probs tensor must not be empty",
    ),
    "ctc_loss, lengths that are no integers": (
        lambda: F.ctc_loss(LOG_PROBS, LABELS, torch.tensor([5.0, 5.0]), (3, 3)),
        RuntimeError,
        "input_lengths must be integral",
    ),
    "ctc_loss, a negative length": (
        lambda: F.ctc_loss(LOG_PROBS, LABELS, (5, 5), (3, -1)),
        RuntimeError,
        "Expected target_lengths to have value at least 0",
    ),
    "ctc_loss, targets that are left over": (
        lambda: F.ctc_loss(LOG_PROBS, torch.ones(5, dtype=torch.long), (5, 5), (3, 1)),
        RuntimeError,
        "Expected tensor to have size 4 at dimension 0, but got size 5",
    ),
    "unfold, kernels larger than the image": (
        lambda: F.unfold(IMAGE, (6, 3)),
        RuntimeError,
        "its components must be at least one",
    ),
    "unfold, no kernel": (
        lambda: F.unfold(IMAGE, (0, 3)),
        RuntimeError,
        "kernel size should be greater than zero",
    ),
    "unfold, no dilation": (
        lambda: F.unfold(IMAGE, 2, dilation=0),
        RuntimeError,
        "dilation should be greater than zero",
    ),
    "unfold, no channels": (
        lambda: F.unfold(torch.zeros(3, 0, 3, 4), (2, 3)),
        RuntimeError,
        "Expected 3D or 4D",
    ),
    "fold, kernels larger than the image": (
        lambda: F.fold(torch.zeros(1, 12, 12), (4, 5), 2, dilation=8),
        RuntimeError,
        "calculated shape of the array of sliding blocks as",
    ),
    "softshrink beyond the type": (
        lambda: F.softshrink(X.half(), 1e6),
        RuntimeError,
        "lambda must be in range",
    ),
    "rrelu, bounds that are no numbers": (
        lambda: F.rrelu(X, lower=float("inf")),
        RuntimeError,
        "rrelu: lower bound must be finite",
    ),
    "rrelu, bounds in the wrong order": (
        lambda: F.rrelu(X, 0.3, 0.1, training=True),
        RuntimeError,
        "Lower bound should be less than or equal to the upper bound",
    ),
    "glu of a number": (lambda: F.glu(torch.zeros(())), RuntimeError, "does not support scalars"),
    "LSTM, bias that is no bool": (
        lambda: nn.LSTM(3, 4, bias=1),
        TypeError,
        "bias should be of type bool, got: int",
    ),
    "GRU, batch_first that is no bool": (
        lambda: nn.GRU(3, 4, batch_first="False"),
        TypeError,
        "batch_first should be of type bool, got: str",
    ),
    "lstm_cell, rows of weights that do not fit": (
        lambda: torch.lstm_cell(X, (X, X), torch.zeros(13, 3), torch.zeros(12, 3)),
        RuntimeError,
        r"weight_ih first dim must be 4 \* hidden_size = 12, but got 13",
    ),
    "FractionalMaxPool2d, three ratios": (
        lambda: nn.FractionalMaxPool2d(2, output_ratio=[0.5, 0.5, 0.6])(IMAGE),
        ValueError,
        "requires output_ratio to either be a single Int or tuple of Ints",
    ),
    "grid_sample of an image without pixels": (
        lambda: F.grid_sample(IMAGE[:, :, :0], torch.zeros(1, 3, 3, 2), align_corners=False),
        RuntimeError,
        "expected input to have non-empty spatial dimensions",
    ),
    "grid_sample, a grid of other coordinates": (
        lambda: F.grid_sample(IMAGE, torch.zeros(1, 3, 3, 3), align_corners=False),
        RuntimeError,
        "expected grid to have size 2 in last dimension",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_phrase_people_search_for(name: str) -> None:
    call, error, phrase = REFUSED[name]
    with pytest.raises(error, match=phrase):
        call()


# ---- accepted ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers_take_batches_without_examples(kind) -> None:
    layer = kind(3, 4)
    out = layer(torch.zeros(5, 0, 3))[0]
    assert out.shape == (5, 0, 4)
    out.sum().backward()
    assert layer.weight_ih_l0.grad.abs().sum() == 0


def test_cells_without_units_and_grids_without_points_give_empty_results() -> None:
    assert nn.GRUCell(10, 0)(torch.zeros(3, 10)).shape == (3, 0)
    assert nn.RNNCell(10, 0)(torch.zeros(3, 10), torch.zeros(3, 0)).shape == (3, 0)
    assert nn.LSTMCell(10, 0)(torch.zeros(3, 10))[1].shape == (3, 0)
    volume, grid = torch.zeros(2, 3, 4, 4, 4), torch.zeros(2, 0, 3, 3, 3)
    assert F.grid_sample(volume, grid, align_corners=False).shape == (2, 3, 0, 3, 3)


def test_one_example_takes_the_first_draws_of_fractional_pooling() -> None:
    x, draws = torch.arange(500.0).reshape(4, 5, 5, 5), torch.rand(2, 4, 3)
    pooled = F.fractional_max_pool3d(x, 2, output_ratio=0.5, _random_samples=draws)
    first = F.fractional_max_pool3d(x[None], 2, output_ratio=0.5, _random_samples=draws[:1])
    assert torch.equal(pooled, first[0])


def test_draws_beyond_the_batch_are_left_alone() -> None:
    x, draws = torch.arange(300.0).reshape(1, 3, 10, 10), torch.rand(2, 3, 2)
    found = F.fractional_max_pool2d(x, 2, output_size=4, _random_samples=draws)
    expected = F.fractional_max_pool2d(x, 2, output_size=4, _random_samples=draws[:1])
    assert torch.equal(found, expected)


def test_a_layer_without_its_training_flag_says_so() -> None:
    layer = nn.InstanceNorm1d(3)
    del layer.training
    with pytest.raises(AttributeError, match="no attribute 'training'"):
        layer(torch.zeros(2, 3, 4))


def test_half_precision_normalises_with_float_parameters() -> None:
    x = torch.randn(4, 3).to(torch.bfloat16)
    assert nn.BatchNorm1d(3)(x).dtype is torch.bfloat16
    assert nn.BatchNorm1d(3).to(torch.bfloat16)(x).dtype is torch.bfloat16


def test_buffers_may_be_objects_that_act_as_tensors() -> None:
    class TensorLike:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError

    module, first, second = nn.Module(), TensorLike(), TensorLike()
    module.register_buffer("x", first)
    assert module.get_buffer("x") is first
    module.x = second
    assert module.x is second
    with pytest.raises(TypeError, match="cannot assign 'object' object to buffer"):
        module.register_buffer("y", object())


def test_an_override_of_register_buffer_need_not_know_persistent() -> None:
    class Layer(nn.Linear):
        def __init__(self) -> None:
            super().__init__(2, 2)
            self.mask = nn.Buffer(torch.ones(2))

        def register_buffer(self, name, value):
            super().register_buffer(name, value, True)

    assert Layer().mask.tolist() == [1.0, 1.0]
