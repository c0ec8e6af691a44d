"""What users lean on in layers beyond one call: conversion, loading, sharing, pickling."""

import copy
import pickle

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.autograd import gradcheck


def test_a_pretrained_table_is_frozen_unless_asked():
    table = torch.randn(4, 3)
    frozen = nn.Embedding.from_pretrained(table)
    assert not frozen.weight.requires_grad
    assert torch.equal(frozen(torch.tensor([2])), table[2:3])
    assert nn.Embedding.from_pretrained(table, freeze=False, padding_idx=1).weight.requires_grad
    bag = nn.EmbeddingBag.from_pretrained(table, mode="sum")
    assert not bag.weight.requires_grad
    assert torch.allclose(bag(torch.tensor([[0, 1]]))[0], table[0] + table[1])


def test_the_padding_row_starts_at_zero_and_stays_there():
    words = nn.Embedding(5, 3, padding_idx=2)
    assert float(words.weight[2].abs().sum()) == 0
    words(torch.tensor([2, 2, 1])).sum().backward()
    assert words.weight.grad.abs().sum(1).tolist() == [0.0, 3.0, 0.0, 0.0, 0.0]


def test_a_bags_gradient_is_divided_by_the_rows_frequency():
    bag = nn.EmbeddingBag(4, 1, mode="sum", scale_grad_by_freq=True)
    bag(torch.tensor([[3, 3, 1, 3], [0, 1, 1, 3]])).sum().backward()
    assert bag.weight.grad[:, 0].tolist() == [1.0, 1.0, 0.0, 1.0]


def test_batch_norms_become_synchronised_ones_with_their_state():
    model = nn.Sequential(nn.BatchNorm1d(3, momentum=0.2), nn.Sequential(nn.BatchNorm2d(3)))
    model[0](torch.randn(5, 3))
    model.eval()
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert [type(m).__name__ for m in converted.modules()] == [
        "Sequential", "SyncBatchNorm", "Sequential", "SyncBatchNorm",
    ]  # fmt: skip
    assert converted[0].momentum == 0.2 and not converted[0].training
    assert converted[0].num_batches_tracked.item() == 1


def test_batch_norm_loads_states_saved_before_batches_were_counted():
    old = {"weight": torch.ones(2), "bias": torch.zeros(2), "running_mean": torch.ones(2)}
    old["running_var"] = torch.ones(2)
    norm = nn.BatchNorm1d(2)
    norm.load_state_dict(dict(old))
    assert norm.num_batches_tracked.item() == 0
    assert norm.running_mean.tolist() == [1.0, 1.0]


def test_running_statistics_can_be_forgotten():
    norm = nn.BatchNorm1d(2)
    norm(torch.randn(5, 2) + 3)
    norm.reset_running_stats()
    assert norm.running_mean.tolist() == [0.0, 0.0] and norm.running_var.tolist() == [1.0, 1.0]
    assert norm.num_batches_tracked.item() == 0


def test_evaluation_uses_and_keeps_the_running_statistics():
    norm = nn.BatchNorm1d(2, affine=False)
    norm(torch.randn(50, 2) * 2 + 3)
    norm.eval()
    before = norm.running_mean.clone()
    one = norm(torch.zeros(1, 2))
    assert torch.allclose(one[0], -before / (norm.running_var + 1e-5).sqrt())
    assert torch.equal(norm.running_mean, before)


def test_the_written_statistics_spoil_a_graph_that_saved_them():
    norm = nn.BatchNorm1d(2, affine=False)
    x = torch.randn(4, 2, requires_grad=True)
    product = (x * norm.running_var).sum()
    norm(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_batch_norm_of_half_precision_statistics_takes_the_general_way():
    norm = nn.BatchNorm1d(2).half()
    norm(torch.randn(8, 2).half())
    assert norm.running_mean.dtype is torch.float16
    assert float(norm.running_mean.abs().sum()) > 0


@pytest.mark.parametrize(
    ("lazy", "source", "x"),
    [
        (nn.LazyLinear(3), nn.Linear(4, 3), torch.randn(2, 4)),
        (nn.LazyConv1d(6, 2, groups=2), nn.Conv1d(4, 6, 2, groups=2), torch.randn(2, 4, 5)),
        (nn.LazyConvTranspose1d(3, 2), nn.ConvTranspose1d(4, 3, 2), torch.randn(2, 4, 5)),
        (nn.LazyBatchNorm1d(), nn.BatchNorm1d(4), torch.randn(2, 4)),
        (nn.LazyBatchNorm1d(affine=False), nn.BatchNorm1d(4, affine=False), torch.randn(2, 4)),
    ],
)
def test_a_lazy_layer_loads_the_shape_it_is_given(lazy, source, x):
    lazy = copy.deepcopy(lazy)
    lazy.load_state_dict(source.state_dict())
    assert torch.equal(lazy(x), source(x))
    assert repr(lazy) == repr(source)


def test_a_lazy_instance_norm_takes_the_channels_of_a_single_example():
    norm = nn.LazyInstanceNorm1d()
    assert norm(torch.randn(3, 5)).shape == (3, 5)
    assert norm.num_features == 3


@pytest.mark.parametrize(
    ("make", "x"),
    [
        (lambda: nn.Linear(3, 2), torch.randn(4, 3)),
        (lambda: nn.Conv2d(2, 3, 2, padding=1, padding_mode="circular"), torch.randn(1, 2, 4, 4)),
        (lambda: nn.BatchNorm1d(3), torch.randn(4, 3)),
        (lambda: nn.LayerNorm(3), torch.randn(4, 3)),
        (lambda: nn.Embedding(5, 2, padding_idx=0), torch.tensor([0, 3])),
        (lambda: nn.PReLU(), torch.randn(3)),
        (lambda: nn.Upsample(scale_factor=2), torch.randn(1, 1, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copied", "pickled"]
)
def test_layers_survive_copying_and_pickling(make, x, again):
    layer = make()
    other = again(layer)
    assert repr(other) == repr(layer)
    assert torch.equal(other(x), layer(x))


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (nn.Linear(3, 2), torch.randn(4, 3)),
        (nn.Conv1d(3, 2, 2), torch.randn(4, 3, 5)),
        (nn.LayerNorm(3), torch.randn(4, 3)),
        (nn.BatchNorm1d(3), torch.randn(4, 3)),
        (nn.Embedding(4, 3), torch.tensor([0, 3])),
    ],
)
def test_a_weight_that_is_no_parameter_any_more_is_used(layer, x):
    """As weight norms and parametrizations do: the parameter goes, an attribute comes."""
    layer = copy.deepcopy(layer)
    weight = layer.weight.detach() * 2
    del layer._parameters["weight"]
    layer.weight = weight.requires_grad_()
    layer(x).sum().backward()
    assert layer.weight.grad is not None


def test_a_shared_weight_collects_both_gradients():
    words = nn.Embedding(5, 3)
    head = nn.Linear(3, 5, bias=False)
    head.weight = words.weight
    head(words(torch.tensor([1, 4]))).logsumexp(1).sum().backward()
    assert bool((words.weight.grad.abs().sum(1) > 0).all())


def test_the_name_saved_models_have_for_attentions_projection():
    from chainrule.nn.modules.linear import NonDynamicallyQuantizableLinear

    assert isinstance(NonDynamicallyQuantizableLinear(2, 2), nn.Linear)


def test_cross_map_norm_has_the_gradient_of_what_it_computes():
    x = torch.randn(1, 5, 2, 2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(nn.CrossMapLRN2d(3, alpha=0.5, k=2.0), (x,))


def test_dropout_draws_again_in_every_call_and_not_in_evaluation():
    drop, x = nn.Dropout(0.5), torch.ones(100)
    assert not torch.equal(drop(x), drop(x))
    assert drop.eval()(x) is x


def test_parameters_are_made_in_the_type_and_place_asked_for():
    layer = nn.Conv2d(1, 1, 2, device="cpu", dtype=torch.float64)
    assert layer.weight.dtype is layer.bias.dtype is torch.float64
    norm = nn.BatchNorm2d(1, dtype=torch.float64)
    assert norm.running_mean.dtype is torch.float64
    assert norm.num_batches_tracked.dtype is torch.int64


def test_utils_of_sizes():
    from chainrule.nn.modules.utils import _ntuple, _pair, _reverse_repeat_tuple, _triple

    assert (_pair(3), _pair((1, 2)), _triple(0), _ntuple(4)("ab")) == (
        (3, 3), (1, 2), (0, 0, 0), ("a", "b"),
    )  # fmt: skip
    assert _reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)


def test_a_prefix_is_taken_off_a_state_dict_and_its_versions():
    wrapped = nn.Sequential()
    wrapped.module = nn.Sequential(nn.BatchNorm1d(2))
    state = wrapped.state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == list(wrapped.module.state_dict())
    assert state._metadata == wrapped.module.state_dict()._metadata


@pytest.mark.parametrize("drop", [nn.functional.dropout, nn.functional.alpha_dropout])
def test_dropout_draws_in_the_order_of_the_memory(drop):
    x = torch.arange(1.0, 25.0).reshape(2, 3, 4)
    torch.manual_seed(0)
    expected = drop(x, 0.5, True)
    for order, back in (((1, 0, 2), (1, 0, 2)), ((2, 0, 1), (1, 2, 0))):
        torch.manual_seed(0)
        turned = drop(x.permute(order), 0.5, True)
        assert torch.equal(turned.permute(back), expected)
