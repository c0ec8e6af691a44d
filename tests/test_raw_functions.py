"""Functions of `torch` below its Python ones, with reductions as numbers; numbers of PyTorch's."""

import pytest

import chainrule as torch
from chainrule.nn import _reduction, init
from chainrule.nn import functional as F

D = torch.float64
X = torch.linspace(-1, 1, 12, dtype=D).reshape(1, 3, 4)
Y = X.flip(2).abs() + 0.1
W = torch.linspace(0.5, 1.5, 3, dtype=D)
IMAGE = torch.linspace(-1, 1, 18, dtype=D).reshape(1, 2, 3, 3)
KERNEL = torch.linspace(-1, 1, 8, dtype=D).reshape(1, 2, 2, 2)
THETA = torch.tensor([[[0.5, 0.1, 0.0], [0.2, 0.7, 0.1]]], dtype=D)
SIGNS = torch.tensor([1.0, -1, 1])
# Each result summed with weights 1, 2, 3, ..., by PyTorch.
CALLS = {
    "kl_div": ((X, Y, 2), -2.419667172),
    "cosine_embedding_loss": ((X[0], Y[0], SIGNS, 0.1, 1), 0.666666667),
    "hinge_embedding_loss": ((X, X.sign(), 1.0, 1), 1.045454545),
    "margin_ranking_loss": ((X, Y, X.sign(), 0.5, 2), 3.818181818),
    "poisson_nll_loss": ((X, Y, True, True, 1e-8, 1), 1.204062997),
    "triplet_margin_loss": ((X[0], Y[0], Y[0] * 2, 1.0, 2.0, 1e-6, True, 0), 5.058331948),
    "batch_norm": ((X, W, W, None, None, True, 0.1, 1e-5, False), 107.414784774),
    "instance_norm": ((X, W, W, None, None, True, 0.1, 1e-5, False), 107.414784774),
    "convolution": ((IMAGE, KERNEL, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1), 28.907563025),
    "frobenius_norm": ((X, [1, 2]), 2.174229226),
    "nuclear_norm": ((X[0],), 2.761216699),
    "_softmax_backward_data": ((Y, X.softmax(-1), -1, D), 0.016082604),
    "native_channel_shuffle": ((IMAGE, 2), 57.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_pytorchs(name):
    args, wanted = CALLS[name]
    found = getattr(torch, name)(*args).flatten()
    weighted = (found * torch.arange(1, len(found) + 1)).sum().item()
    assert weighted == pytest.approx(wanted, abs=2e-9)


def test_images_by_a_grid_and_back():
    grid = torch.affine_grid_generator(THETA, [1, 2, 2, 2], False)
    found = torch.grid_sampler(IMAGE, grid, 0, 0, False).flatten()
    assert (found * torch.arange(1, 9)).sum().item() == pytest.approx(12.317647059, abs=2e-9)
    arguments = (IMAGE[:, :1], KERNEL, None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1)
    back = torch.convolution(*arguments).flatten()
    weighted = (back * torch.arange(1, len(back) + 1)).sum().item()
    assert weighted == pytest.approx(-427.462184874, abs=2e-9)


def test_numbers_that_a_trace_might_not_know():
    assert [torch.sym_int(-2.5), torch.sym_max(1, 2.0), torch.sym_sum([1, 2, 3])] == [-2, 2.0, 6]
    assert isinstance(torch.sym_min(1, 2.0), float) and torch.sym_not(0)
    with pytest.raises(RuntimeError, match="Invalid value range"):
        torch.sym_constrain_range(3, max=2)


def test_whole_numbers_are_multiplied_without_overflow():
    a = torch.full((2, 300), 127, dtype=torch.int8)
    assert torch._int_mm(a, a.T).tolist() == [[300 * 127 * 127] * 2] * 2
    with pytest.raises(RuntimeError, match="int8"):
        torch._int_mm(a.float(), a.T)


def test_dropout_says_what_stays():
    kept, mask = torch.native_dropout(torch.ones(1000), 0.25, True)
    assert torch.equal(kept != 0, mask) and 650 < mask.sum() < 850
    assert kept.max().item() == pytest.approx(4 / 3)


def test_reductions_as_words_and_numbers():
    assert [_reduction.get_enum(r) for r in ("none", "mean", "sum")] == [0, 1, 2]
    assert _reduction.legacy_get_string(False, True, emit_warning=False) == "sum"
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        _reduction.get_enum("median")
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        torch.kl_div(X, Y, 3)


def test_helpers_of_attention_and_initialisation():
    mask = F._canonical_mask(torch.tensor([True, False]), "m", None, "o", torch.float32)
    assert mask.tolist() == [float("-inf"), 0.0]
    assert F._mha_shape_check(X, X, X, None, None, 1) and F._none_or_dtype(None) is None
    with pytest.raises(AssertionError, match="expected `key` and `value` to be 3-D"):
        F._mha_shape_check(X, X[0], X, None, None, 1)
    parts = F._in_projection_packed(X, X, X, torch.eye(12, 4, dtype=D))
    assert [tuple(p.shape) for p in parts] == [(1, 3, 4)] * 3
    filled = init._no_grad_fill_(torch.empty(3, requires_grad=True), 2.0)
    assert filled.tolist() == [2.0] * 3 and filled.requires_grad


def test_removed_functions_name_their_successors():
    with pytest.raises(RuntimeError, match=r"removed from PyTorch[\s\S]*torch.linalg"):
        torch.symeig(torch.eye(2))


@pytest.mark.filterwarnings("ignore:.*assert_allclose.* is deprecated:FutureWarning")
def test_the_old_comparison_ignores_types():
    torch.testing.assert_allclose(torch.ones(2), torch.ones(2, dtype=D) + 1e-6)
    torch.testing.assert_allclose([1.0, 2.0], torch.tensor([1.0, 2.0]))
    with pytest.raises(AssertionError):
        torch.testing.assert_allclose(torch.ones(2), torch.ones(2) * 2)
