"""Bad input to layers: PyTorch's phrase, the layer, the values, the user's line and the fix."""

import pytest

import chainrule as torch
from chainrule import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(10, 4), nn.ReLU(), nn.Linear(5, 2))

    def forward(self, x):
        return self.body(x)


def said(call, kind):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def test_wrong_in_features_names_the_layer_the_shapes_and_the_fix():
    text = said(lambda: Net()(torch.zeros(3, 2, 5)), RuntimeError)
    assert text.startswith("mat1 and mat2 shapes cannot be multiplied (3x4 and 5x2)")
    assert "in Linear(in_features=5, out_features=2, bias=True)" in text
    assert "Fix: give the layer in_features=4" in text
    assert "test_layers_errors.py" in text


def test_the_layer_is_named_once_in_nested_layers():
    attention = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3])
    text = said(lambda: attention(torch.zeros(2, 7), torch.tensor([1, 2])), RuntimeError)
    assert text.count("in Linear(") == 1


def test_wrong_channels_name_the_layer_and_the_fix():
    text = said(lambda: nn.Conv2d(3, 8, 3)(torch.zeros(2, 5, 9, 9)), RuntimeError)
    assert "expected input[2, 5, 9, 9] to have 3 channels, but got 5 channels instead" in text
    assert "Fix: in_channels=5" in text
    assert "in Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))" in text


def test_a_target_out_of_range_says_the_classes_and_the_fix():
    text = said(lambda: nn.CrossEntropyLoss()(torch.zeros(2, 3), torch.tensor([1, 3])), IndexError)
    assert text.startswith("Target 3 is out of bounds.")
    assert "The classes are 0..2" in text and "ignore_index" in text


def test_an_index_out_of_range_says_the_table_and_the_fix():
    text = said(lambda: nn.Embedding(3, 2)(torch.tensor([0, 7])), IndexError)
    assert text.startswith("index out of range in self")
    assert "index 7, but the table has 3 rows" in text and "in Embedding(3, 2)" in text


def test_an_input_of_another_type_says_how_to_convert_it():
    text = said(lambda: nn.Linear(3, 2)(torch.zeros(2, 3, dtype=torch.float64)), RuntimeError)
    assert text.startswith("mat1 and mat2 must have the same dtype")
    assert "Fix: convert one of them, e.g. input.to(weight.dtype)." in text


def test_one_value_per_channel_says_what_to_do():
    text = said(lambda: nn.BatchNorm1d(3)(torch.zeros(1, 3)), ValueError)
    assert text.startswith("Expected more than 1 value per channel when training")
    assert "model.eval()" in text


def test_an_empty_batch_passes_through_layers():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2, 4))
    out = model(torch.zeros(0, 1, 3, 3))
    assert out.shape == (0, 4)
    out.sum().backward()
    assert float(model[3].weight.grad.abs().sum()) == 0


def test_the_mean_loss_of_an_empty_batch_is_nan_as_in_pytorch():
    nothing = torch.zeros(0, dtype=torch.long)
    with pytest.warns(UserWarning, match="cross_entropy of an empty batch is nan"):
        assert torch.isnan(nn.CrossEntropyLoss()(torch.zeros(0, 3), nothing))
    assert nn.CrossEntropyLoss(reduction="sum")(torch.zeros(0, 3), nothing).item() == 0


CONSTRUCTORS = [
    (lambda: nn.Conv2d(3, 4, 2, groups=2), ValueError, "in_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 3, 2, groups=2), ValueError, "out_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 4, 2, groups=0), ValueError, "groups must be a positive integer"),
    (lambda: nn.Conv1d(4, 4, 2, padding="half"), ValueError, "Invalid padding string 'half'"),
    (lambda: nn.Conv1d(4, 4, 2, 2, "same"), ValueError, "padding='same' is not supported for str"),
    (lambda: nn.Conv1d(4, 4, 2, padding_mode="x"), ValueError, "padding_mode must be one of"),
    (
        lambda: nn.ConvTranspose2d(4, 4, 2, padding_mode="reflect"),
        ValueError,
        'Only "zeros" padding mode is supported for ConvTranspose2d',
    ),
    (lambda: nn.Bilinear(0, 2, 2), ValueError, "in1_features must be > 0"),
    (lambda: nn.GroupNorm(3, 4), ValueError, r"num_channels \(4\) must be divisible by num_groups"),
    (lambda: nn.Dropout(1.5), ValueError, "dropout probability has to be between 0 and 1"),
    (lambda: nn.Embedding(3, 2, padding_idx=5), AssertionError, "Padding_idx must be within num_e"),
    (lambda: nn.EmbeddingBag(3, 2, padding_idx=-4), AssertionError, "padding_idx must be within"),
    (
        lambda: nn.Embedding(3, 2, _weight=torch.zeros(2, 2)),
        AssertionError,
        "Shape of weight does not match num_embeddings and embedding_dim",
    ),
    (
        lambda: nn.Embedding.from_pretrained(torch.zeros(3)),
        AssertionError,
        "Embeddings parameter is expected to be 2-dimensional",
    ),
    (lambda: nn.Unflatten(1, 3), TypeError, "unflattened_size must be a tuple of ints, but found"),
    (lambda: nn.Unflatten(1, ("a", 3)), TypeError, "found element of type str at pos 0"),
    (lambda: nn.Hardtanh(2, 1), AssertionError, r"max_val \(1\) must be greater than min_val"),
    (lambda: nn.FractionalMaxPool2d(2), ValueError, "requires specifying either an output size"),
    (
        lambda: nn.FractionalMaxPool2d(2, output_size=2, output_ratio=0.5),
        ValueError,
        "only one of output_size and output_ratio may be specified",
    ),
    (
        lambda: nn.FractionalMaxPool3d(2, output_ratio=1.5),
        ValueError,
        r"output_ratio must be between 0 and 1 \(got 1.5\)",
    ),
    (
        lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 10, []),
        ValueError,
        "cutoffs should be a sequence of length larger than 0",
    ),
    *(
        (
            lambda cutoffs=cutoffs: nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs),
            ValueError,
            "cutoffs should be a sequence of unique, positive integers sorted",
        )
        for cutoffs in ([6, 3], [3, 3], [3, 10], [3.5], [0, 3])
    ),
]


@pytest.mark.parametrize(("call", "kind", "phrase"), CONSTRUCTORS)
def test_bad_constructor_arguments(call, kind, phrase):
    with pytest.raises(kind, match=phrase) as error:
        call()
    assert "test_layers_errors.py" in str(error.value)


def zeros(*shape):
    return torch.zeros(shape)


CALLS = [
    (lambda: nn.BatchNorm1d(3)(zeros(3)), ValueError, r"expected 2D or 3D input \(got 1D input\)"),
    (lambda: nn.BatchNorm2d(3)(zeros(3, 2)), ValueError, r"expected 4D input \(got 2D input\)"),
    (lambda: nn.BatchNorm1d(3)(zeros(2, 4)), RuntimeError, "running_mean should contain 4 element"),
    (lambda: nn.SyncBatchNorm(3)(zeros(3)), ValueError, "expected at least 2D input"),
    (lambda: nn.SyncBatchNorm(3)(zeros(3, 0)), ValueError, "input channels should be non-zero"),
    (
        lambda: nn.InstanceNorm1d(3, affine=True)(zeros(2, 4, 5)),
        ValueError,
        r"expected input's size at dim=1 to match num_features \(3\), but got: 4",
    ),
    (lambda: nn.InstanceNorm1d(3)(zeros(2, 3, 1)), ValueError, "Expected more than 1 spatial elem"),
    (lambda: nn.LayerNorm(4)(zeros(3, 5)), RuntimeError, r"expected input with shape \[\*, 4\]"),
    (lambda: nn.RMSNorm(4)(zeros(3, 5)), RuntimeError, r"expected input with shape \[\*, 4\]"),
    (lambda: nn.GroupNorm(2, 4)(zeros(2, 6, 3)), RuntimeError, "Expected weight to be a vector"),
    (lambda: nn.CrossMapLRN2d(3)(zeros(2, 3)), ValueError, "Expected input to be 4D, got 2D"),
    (lambda: nn.Softmax2d()(zeros(3, 3)), ValueError, "Softmax2d: expected input to be 3D or 4D"),
    (lambda: nn.CircularPad2d(1)(zeros(3, 3)), ValueError, r"expected 3D or 4D input \(got 2D"),
    (lambda: nn.LazyConv2d(3, 2)(zeros(3, 3)), RuntimeError, r"Expected 3D \(unbatched\) or 4D"),
    (
        lambda: nn.LazyConv2d(4, 2, groups=2)(zeros(1, 3, 5, 5)),
        ValueError,
        "in_channels must be divisible by groups",
    ),
    (
        lambda: nn.ConvTranspose2d(4, 3, 2)(zeros(1, 4, 5, 5), output_size=(3, 3, 3)),
        ValueError,
        r"for 4D input, output_size must have 2 or 4 elements \(got 3\)",
    ),
    (
        lambda: nn.ConvTranspose2d(4, 3, 2)(zeros(1, 4, 5, 5), output_size=(3, 3)),
        ValueError,
        r"requested an output size of \(3, 3\), but valid sizes range from \[6, 6\] to \[6, 6\]",
    ),
    (lambda: nn.Bilinear(2, 3, 4)(zeros(5, 2), zeros(5, 2)), RuntimeError, "does not match weight"),
    (
        lambda: nn.EmbeddingBag(3, 2, mode="x")(torch.tensor([1]), torch.tensor([0])),
        ValueError,
        "mode has to be one of sum, mean or max",
    ),
    *(
        (
            lambda target=target: nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3])(zeros(2, 8), target),
            RuntimeError,
            phrase,
        )
        for target, phrase in (
            (torch.tensor([1]), "Input and target should have the same size in the batch dim"),
            (torch.tensor([1, 10]), r"Target values should be in \[0, 9\], but values in range"),
            (torch.tensor([[1, 1]]), "0D or 1D target tensor expected, multi-target not support"),
        )
    ),
]


@pytest.mark.parametrize(("call", "kind", "phrase"), CALLS)
def test_bad_inputs(call, kind, phrase):
    with pytest.raises(kind, match=phrase):
        call()


def test_features_that_are_not_used_are_warned_about():
    with pytest.warns(UserWarning, match="does not match num_features") as found:
        nn.InstanceNorm1d(3)(torch.randn(2, 4, 5))
    assert found[0].filename == __file__


def test_old_keywords_of_hardtanh_are_warned_about():
    with pytest.warns(FutureWarning, match="`min_value` is deprecated and renamed to `min_val`"):
        assert nn.Hardtanh(min_value=-2.0).min_val == -2.0


@pytest.mark.parametrize("sizes", [[1, 2, 3], [3, 2, 2], [4, 2, 1], [3, -1, 4]])
def test_sizes_of_a_packed_sequence_that_do_not_fit(sizes):
    packed = torch.nn.utils.rnn.PackedSequence(torch.ones(6, 3), torch.tensor(sizes))
    with pytest.raises(RuntimeError, match="batch_sizes must be decreasing"):
        torch.nn.GRU(3, 2)(packed)
