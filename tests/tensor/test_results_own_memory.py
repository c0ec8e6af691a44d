"""Functions that compute give memory of their own, also where there was nothing to compute."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F

COMPUTED = {
    "view_copy": (lambda x: torch.view_copy(x, (3, 2)), (2, 3)),
    "t_copy": (torch.t_copy, (2, 3)),
    "unsqueeze_copy": (lambda x: torch.unsqueeze_copy(x, 0), (2, 3)),
    "repeat_interleave by one": (lambda x: x.repeat_interleave(1), (3,)),
    "repeat_interleave of one": (lambda x: x.repeat_interleave(3), (1,)),
    "repeat_interleave along": (lambda x: x.repeat_interleave(2, dim=1), (2, 1)),
    "diff of order 0": (lambda x: torch.diff(x, n=0), (3,)),
    "sum_to_size": (lambda x: x.sum_to_size(()), ()),
    "chain_matmul": (torch.chain_matmul, (2, 3)),
    "unfold by one": (lambda x: F.unfold(x, 1), (1, 2, 3, 3)),
    "unfold": (lambda x: F.unfold(x, 2), (1, 2, 3, 3)),
    "histogram": (lambda x: torch.histogram(torch.rand(9), x)[1], (3,)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMPUTED)
def test_changing_one_leaves_the_other(name):
    function, shape = COMPUTED[name]
    x = torch.arange(float(np.prod(shape))).reshape(shape)
    y = function(x)
    before = y.clone()
    x += 10
    assert torch.equal(y, before)
    x_before = x.clone()
    y += 100
    assert torch.equal(y, before + 100)
    assert torch.equal(x, x_before)


def test_a_number_over_a_tensor_is_rounded_as_its_reciprocal_times_it():
    x = torch.tensor([-1.3210, 10.6400], dtype=torch.float32)
    assert torch.equal(3 / x, x.reciprocal() * 3)
    half = torch.tensor([0.3, 7.0, 13.0], dtype=torch.float16)
    assert torch.equal(3 / half, half.reciprocal() * 3)
    with pytest.raises(TypeError):
        object() / x
    assert (1 / torch.tensor([2, 4])).tolist() == [0.5, 0.25]
    assert torch.equal(2 / torch.tensor([0.0, -0.0]), torch.tensor([torch.inf, -torch.inf]))


# ---- padding, filling and products: values and gradients -----------------------------------------


@pytest.mark.parametrize(
    ("pad", "expected"),
    [((-1, 1), [2, 3, 4, 2]), ((-2, 2), [3, 4, 3, 4]), ((1, -2), [2, 1, 2]), ((-2, -2), [])],
)
def test_circular_padding_cuts_before_it_wraps(pad, expected):
    x = torch.arange(1.0, 5.0).reshape(1, 4)
    assert F.pad(x, pad, mode="circular").tolist() == [expected]


@pytest.mark.parametrize("pad", [(-3, 2), (-4, 1), (-3, -2)])
def test_circular_padding_of_too_little_is_refused(pad):
    with pytest.raises(RuntimeError, match=r"wrapping around|too small"):
        F.pad(torch.ones(1, 4), pad, mode="circular")


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padding_that_leaves_nothing_is_refused(mode):
    with pytest.raises(RuntimeError, match="too small"):
        F.pad(torch.ones(1, 4), (-2, -2), mode=mode)


def test_index_fill_counts_a_place_once():
    x, value = torch.ones(3, 4, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    filled = x.index_fill(0, torch.tensor([1, 1, 2]), value)
    assert filled.tolist() == [[1.0] * 4, [2.0] * 4, [2.0] * 4]
    by_x, by_value = torch.autograd.grad(filled.sum(), [x, value])
    assert by_value.item() == 8.0
    assert by_x.tolist() == [[1.0] * 4, [0.0] * 4, [0.0] * 4]
    assert torch.tensor(1.0).index_fill(0, torch.tensor([0]), 5.0).item() == 5.0


@pytest.mark.parametrize("include_self", [True, False])
def test_second_gradients_of_a_scattered_product_with_a_zero(include_self):
    index = torch.tensor([0, 1, 1])
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    src = torch.tensor([1.5, 0.0, -0.5], dtype=torch.float64, requires_grad=True)

    def product(x, src):
        return x.scatter_reduce(0, index, src, "prod", include_self=include_self)

    assert torch.autograd.gradgradcheck(product, (x, src))
    (g,) = torch.autograd.grad(product(x, src).sum(), src, create_graph=True)
    (second,) = torch.autograd.grad(g[2], src)
    assert second.tolist() == [0.0, 3.0 if include_self else 1.0, 0.0]


def test_an_empty_index_may_have_any_type():
    x = torch.arange(4.0, requires_grad=True)
    found = torch.gather(x, 0, torch.tensor([], dtype=torch.uint8))
    assert found.shape == (0,)
    assert torch.gather(x, 0, torch.empty(2, 0, dtype=torch.int64)).shape == (2, 0)
    assert torch.autograd.grad(found.sum(), x)[0].tolist() == [0.0] * 4
    added = torch.zeros(4).scatter_add(0, torch.tensor([]), torch.tensor([]))
    assert added.tolist() == [0.0] * 4
    with pytest.raises(RuntimeError, match="Expected dtype int32/int64"):
        torch.gather(x, 0, torch.tensor([1], dtype=torch.uint8))


def test_gradient_without_spacing():
    assert torch.gradient(torch.tensor([0.0, 1.0, 4.0]), spacing=None)[0].tolist() == [1, 2, 3]


def test_adaptive_pooling_of_nothing():
    x = torch.ones(0, 8, 8, 8, 8, requires_grad=True)
    y = F.adaptive_avg_pool3d(x, (5, 7, 3))
    assert y.shape == (0, 8, 5, 7, 3)
    assert torch.autograd.grad(y.sum(), x)[0].shape == x.shape


def test_a_product_with_no_reflectors_is_a_copy():
    other = torch.ones(3, 2)
    made = torch.ormqr(torch.zeros(3, 0), torch.zeros(0), other)
    made.add_(1)
    assert other.tolist() == [[1.0, 1.0]] * 3 and made.tolist() == [[2.0, 2.0]] * 3
