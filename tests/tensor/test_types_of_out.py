"""What `out=` of another type is given, and when that is refused."""

import pytest

import chainrule as torch

HALF = torch.full((9,), 0.1, dtype=torch.float16)  # 0.0999755859375, exactly


@pytest.mark.parametrize("name", ["sum", "nansum"])
def test_sums_are_computed_in_the_type_of_out(name):
    out = torch.empty((), dtype=torch.float64)
    assert getattr(torch, name)(HALF, 0, out=out) is out
    assert out.item() == 9 * 0.0999755859375


def test_products_are_computed_in_the_type_of_out():
    out = torch.empty((), dtype=torch.float64)
    torch.prod(HALF, 0, out=out)
    assert out.item() == pytest.approx(0.0999755859375**9, rel=1e-14)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "nansum", "nanmean"])
def test_a_type_that_is_asked_for_is_the_type_of_out(name):
    out = torch.zeros(())
    with pytest.raises(RuntimeError, match=r"(?i)dtype"):
        getattr(torch, name)(torch.ones(2), 0, dtype=torch.float64, out=out)
    assert out.item() == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.argsort(torch.ones(2), stable=True, out=torch.ones(2)), "dtype long long"),
        (lambda: torch.softmax(HALF, 0, out=torch.ones(9)), "dtype c10::Half"),
        (lambda: torch.all(HALF, 0, out=torch.ones(())), "all only supports bool tensor"),
        (lambda: torch.any(HALF, out=torch.ones(()).int()), "any only supports bool tensor"),
    ],
)
def test_types_that_out_cannot_have(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_results_without_a_history_are_written_whatever_is_asked_of_the_inputs():
    x = torch.tensor([2.0, 1.0], requires_grad=True)
    assert torch.argmax(x, out=torch.tensor(7)).item() == 0
    assert torch.eq(x, x, out=torch.zeros(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.exp(x, out=torch.zeros(2))


@pytest.mark.parametrize("dim", [-3, 2, -4])
def test_a_dimension_that_stack_does_not_make(dim):
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\]"):
        torch.stack([torch.ones(2), torch.ones(2)], dim)


@pytest.mark.parametrize(
    ("values", "dtype", "words"),
    [
        (torch.ones(2, 2), torch.complex64, "should be real for real inputs"),
        (torch.ones(2, 2) * 1j, torch.float32, "should be complex for complex inputs"),
        (torch.ones(2, 2).double(), torch.float32, "without narrowing"),
        (torch.ones(2, 2).int(), torch.float32, "Expected a floating point or complex tensor"),
    ],
)
@pytest.mark.parametrize("norm", [torch.norm, torch.linalg.vector_norm, torch.linalg.matrix_norm])
def test_types_that_norms_do_not_have(values, dtype, words, norm):
    with pytest.raises(RuntimeError, match=words):
        norm(values, dtype=dtype)


def test_slices_without_elements_are_not_unique():
    with pytest.raises(RuntimeError, match="0 sized dimensions"):
        torch.unique(torch.ones(2, 0), dim=0)
    assert torch.unique(torch.ones(0, 3), dim=0).shape == (0, 3)


POINTS = torch.tensor([[1.0, 2.0], [2.0, 2.0]], requires_grad=True)


@pytest.mark.parametrize(
    "made_of",
    [
        torch.unique,
        lambda x: torch.unique(x, dim=0),
        torch.unique_consecutive,
        lambda x: torch.histogram(x, 3).hist,
        lambda x: torch.histogram(x.detach(), 3, weight=x).hist,
        lambda x: torch.histogramdd(x, [2, 2]).hist,
    ],
)
def test_what_has_no_derivative_stops_gradients(made_of):
    for total in (made_of(POINTS).sum(), made_of(POINTS).sum() + POINTS.sum()):
        with pytest.raises(RuntimeError, match="is not implemented"):
            total.backward()
    with pytest.raises(RuntimeError, match="is not implemented"):
        torch.func.grad(lambda x: made_of(x).sum() + x.sum())(POINTS.detach())
    assert not made_of(POINTS.detach()).requires_grad
