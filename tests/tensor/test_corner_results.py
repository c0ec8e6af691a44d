"""Corners of shape, type and sign, with the values PyTorch 2.13 gives."""

import math

import pytest

import chainrule as torch

F = torch.nn.functional

OWN_RESULTS = {
    "softmax": lambda x: x.softmax(0),
    "log_softmax": lambda x: x.log_softmax(-1),
    "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: x.cumprod(0),
    "cummax": lambda x: x.cummax(0)[0],
    "logcumsumexp": lambda x: x.logcumsumexp(0),
    "max": lambda x: x.max(0)[0],
    "median": lambda x: x.median(0)[0],
    "mode": lambda x: x.mode(0)[0],
    "kthvalue": lambda x: x.kthvalue(1)[0],
    "topk": lambda x: x.topk(1)[0],
    "sort": lambda x: x.sort()[0],
    "argsort": lambda x: x.argsort(),
    "quantile": lambda x: x.quantile(0.5),
    "gather": lambda x: x.gather(0, torch.tensor(0)),
    "index_select": lambda x: x.index_select(0, torch.tensor([0])),
    "index_copy": lambda x: x.index_copy(0, torch.tensor([0]), torch.tensor(2.0)),
    "index_add": lambda x: x.index_add(0, torch.tensor([0]), torch.tensor(2.0)),
    "scatter": lambda x: x.scatter(0, torch.tensor(0), 1.0),
    "put": lambda x: x.put(torch.tensor(0), torch.tensor(1.0)),
    "kron": lambda x: x.kron(torch.ones(2)),
    "masked_scatter": lambda x: x.masked_scatter(torch.tensor(True), torch.ones(1)),
    "sum_to_size": lambda x: torch.ones(5).sum_to_size(1),
    "vector times matrix": lambda x: torch.ones(3) @ torch.ones(3, 2),
    "matrices times vector": lambda x: torch.ones(4, 2, 3) @ torch.ones(3),
    "pdist": lambda x: F.pdist(torch.ones(3, 2)),
    "multilabel_margin_loss": lambda x: F.multilabel_margin_loss(
        torch.ones(3), torch.tensor([1, -1, 0]), reduction="none"
    ),
    "multi_margin_loss": lambda x: F.multi_margin_loss(
        torch.ones(3), torch.tensor(1), reduction="none"
    ),
    "grid_sample": lambda x: F.grid_sample(
        torch.ones(1, 1, 2, 2), torch.zeros(1, 2, 2, 2), align_corners=False
    ),
}


@pytest.mark.parametrize("name", OWN_RESULTS)
def test_results_are_not_views_of_what_was_computed_on_the_way(name):
    y = OWN_RESULTS[name](torch.tensor(1.5, requires_grad=True))
    assert not y._is_view() and y._base is None
    y.detach_()  # which a view refuses
    assert y.is_leaf and not y.requires_grad


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_a_remainder_of_zero_has_the_sign_of_the_dividend(dtype):
    a = torch.tensor([-2.0, 2.0, -2.0, 2.0, -0.0, 0.0], dtype=dtype)
    b = torch.tensor([1.0, 1.0, -1.0, -1.0, 1.0, -1.0], dtype=dtype)
    signs = [True, False, True, False, True, False]
    assert torch.remainder(a, b).signbit().tolist() == signs
    assert (a % 2).signbit().tolist() == signs
    assert a.clone().remainder_(b).signbit().tolist() == signs
    assert (torch.tensor([-3.0, 3.0], dtype=dtype) % 2).tolist() == [1.0, 1.0]
    compiled = torch.compile(lambda a, b: torch.remainder(a, b))
    for _ in range(2):
        assert compiled(a, b).signbit().tolist() == signs


def test_the_complex_logarithm_of_running_sums_stays_on_its_branch():
    x = torch.tensor([3 + 5j, -2 + 4j, 1 - 8j, 2 + 2j], dtype=torch.complex128)
    imaginary = torch.tensor([5.0, 4.9944, 4.9445, 4.8510], dtype=torch.float64)
    torch.testing.assert_close(x.logcumsumexp(0).imag, imaginary, atol=1e-4, rtol=0)
    torch.testing.assert_close(x.logcumsumexp(0).exp(), x.exp().cumsum(0))
    inf = float("inf")
    ends = torch.tensor([complex(-inf, 3), 2, complex(inf, 1)], dtype=torch.complex128)
    assert ends.logcumsumexp(0).tolist() == [complex(-inf, 0), 2, complex(inf, 1)]


def test_index_put_takes_single_numbers_as_indices():
    x = torch.zeros(2, 3)
    x.index_put_((torch.tensor(1),), torch.arange(3.0))
    assert x.tolist() == [[0, 0, 0], [0, 1, 2]]
    x.index_put_((torch.tensor(0), torch.tensor([0, 2])), torch.tensor(5.0), accumulate=True)
    assert x.tolist() == [[5, 0, 5], [0, 1, 2]]
    x.index_put_((torch.tensor(0), torch.tensor(-2)), torch.tensor(7.0))
    assert x[0, 1] == 7


def test_index_put_of_one_value_by_a_mask_converts_it():
    x = torch.zeros(2, dtype=torch.int64)
    x.index_put_((torch.tensor([True, False]),), torch.tensor([2.5]))
    assert x.tolist() == [2, 0]
    y = torch.zeros(2).index_put((torch.tensor(True),), torch.tensor(3))
    assert y.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="dtype"):
        x.index_put_((torch.tensor([True, False]),), torch.tensor([2.5]), accumulate=True)


@pytest.mark.parametrize("indices", [(0,), ([0, 1],), (slice(None),), torch.tensor([1, 0])])
def test_index_put_refuses_indices_that_are_not_tensors(indices):
    with pytest.raises(TypeError, match=r"expected Tensor as element 0|must be tuple of Tensors"):
        torch.zeros(2, 3).index_put_(indices, torch.tensor(1.0))


@pytest.mark.parametrize("shapes", [((), (1,)), ((3,), ())])
def test_index_add_and_reduce_want_sources_of_the_same_rank(shapes):
    own, given = shapes
    x, source, index = torch.ones(own), torch.ones(given), torch.tensor([0])
    with pytest.raises(RuntimeError, match="source tensor shape must match self tensor shape"):
        x.index_add(0, index, source)
    with pytest.raises(RuntimeError, match="source tensor shape must match self tensor shape"):
        x.index_reduce(0, index, source, "amax")
    assert x.index_copy(0, index, source).shape == x.shape


def test_in_place_forms_that_would_change_the_type_are_refused():
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex tensors"):
        torch.tensor([3 + 4j]).abs_()
    for dtype in (torch.float32, torch.complex64):
        with pytest.raises(RuntimeError, match="the base given to float_power_ has dtype"):
            torch.ones(2, dtype=dtype).float_power_(2)
    assert torch.full((1,), 3.0, dtype=torch.float64).float_power_(2).item() == 9


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (lambda x: x.argmax(), "Expected reduction dim to be specified"),
        (lambda x: x.argmin(), "Expected reduction dim to be specified"),
        (lambda x: x.mode(0), r"mode\(\): Expected reduction dim 0 to have non-zero size"),
        (lambda x: x.kthvalue(1, 0), r"kthvalue\(\): Expected reduction dim 0 to have non-zero"),
    ],
)
def test_positions_in_nothing_are_index_errors(call, phrase):
    with pytest.raises(IndexError, match=phrase):
        call(torch.ones(0, 3))


def test_transposes_of_single_numbers_are_themselves():
    x = torch.tensor(2.0)
    for read in (lambda: x.mT, lambda: x.mH, x.adjoint):
        with pytest.warns(UserWarning, match="deprecated on 0-D tensors"):
            assert read() is x
    with pytest.warns(UserWarning, match="deprecated on 0-D tensors"):
        assert torch.tensor(2j).mH.item() == -2j


def test_products_of_many_empty_matrices_in_half_precision():
    y = torch.ones(5, 4, 0, dtype=torch.bfloat16) @ torch.ones(0, 3, dtype=torch.bfloat16)
    assert y.shape == (5, 4, 3) and not y.any()


def test_too_few_elements_to_combine_still_belong_to_the_graph():
    x = torch.ones(1, requires_grad=True)
    rows = torch.combinations(x, 2)
    assert rows.shape == (0, 2) and rows.requires_grad
    rows.sum().backward()
    assert x.grad.tolist() == [0.0]


def test_rows_without_a_score_have_no_gradient_in_a_safe_softmax():
    x = torch.tensor([[1.0, 2.0], [-math.inf, -math.inf]], requires_grad=True)
    y = torch.ops.aten._safe_softmax.default(x, 1)
    (y * torch.tensor([1.0, 3.0])).sum().backward()
    assert y[1].tolist() == [0.0, 0.0] and x.grad[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("wrap", [lambda f: f, torch.compile], ids=["eager", "compiled"])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_numbers_that_divide_one(dtype, wrap):
    def quotients(x):
        return x.reciprocal(), x.rsqrt(), x**-1, x**-0.5, 1 / x

    function = wrap(quotients)
    for _ in range(4):
        zeros = torch.tensor([0j, complex(-0.0, -0.0)], dtype=dtype)
        *inverses, quotient = function(zeros)
        for y in inverses:
            assert torch.isinf(y.real).all() and (y.real > 0).all() and torch.isnan(y.imag).all()
        assert torch.isnan(quotient.real).all()  # PyTorch multiplies by 1 + 0j
        for y in function(torch.tensor([4.0 + 0j, complex(math.inf, 0.0)], dtype=dtype)):
            assert y[0].real in (0.25, 0.5) and y[1] == 0
            assert y.imag.tolist() == [0, 0] and not torch.signbit(y.imag).any()


def test_a_dimension_without_elements_has_no_index():
    x = torch.zeros(3, 0)
    for call in (
        lambda: x[0:0, [0]],
        lambda: x[0:0, torch.tensor([0])],
        lambda: x[:0].index_select(1, torch.tensor([0])),
        lambda: x[1:1, torch.tensor([[-1]])],
    ):
        with pytest.raises(IndexError, match="out of bounds for dimension 1 with size 0"):
            call()
    assert x[0:0, []].shape == (0, 0)
    assert torch.zeros(2, 3)[0:0, [5]].shape == (0, 1)  # nothing is taken: nobody looks


@pytest.mark.parametrize("negate", [torch.neg, torch.negative])
def test_negatives_are_written_in_their_own_type(negate):
    x = torch.ones(2)
    for dtype in (torch.float64, torch.float16, torch.complex64, torch.int64):
        out = torch.zeros(2, dtype=dtype)
        with pytest.raises(RuntimeError):
            negate(x, out=out)
        assert not out.any()
    assert negate(x, out=torch.zeros(2)).tolist() == [-1, -1]
