"""`torch.masked`: what a mask leaves out takes no part. Expected numbers are PyTorch's."""

import math

import pytest

import chainrule as torch

X = torch.tensor([[1.0, -2.0, 3.0, 0.5], [4.0, 5.0, -6.0, 7.0], [2.0, 0.0, 1.0, -1.0]])
KEEP = torch.tensor([[True, False, True, True], [False] * 4, [True, True, True, False]])
RESULTS = {
    "sum": [4.5, 0.0, 3.0], "prod": [1.5, 1.0, 0.0], "amax": [3.0, -math.inf, 2.0],
    "amin": [0.5, math.inf, 0.0], "mean": [1.5, math.nan, 1.0], "argmax": [2.0, 0.0, 0.0],
    "argmin": [3.0, 0.0, 1.0], "var": [1.75, math.nan, 1.0],
    "std": [1.75**0.5, math.nan, 1.0], "norm": [10.25**0.5, 0.0, 5.0**0.5],
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_reductions(name):
    function = getattr(torch.masked, name)
    options = {"dim": 1}
    found = function(X, mask=KEEP, **options)
    expected = torch.tensor(RESULTS[name])
    torch.testing.assert_close(found, expected, equal_nan=True)
    kept = function(X, mask=KEEP, keepdim=True, **options)
    torch.testing.assert_close(kept, expected[:, None], equal_nan=True)
    torch.testing.assert_close(
        function(X, mask=torch.ones(4, dtype=torch.bool), **options), function(X, **options)
    )


def test_normalizations():
    found = torch.masked.softmax(X, 1, mask=KEEP)
    assert found[0, 1] == 0 and found[1].isnan().all()
    torch.testing.assert_close(found[0, [0, 2, 3]], torch.softmax(X[0, [0, 2, 3]], 0))
    torch.testing.assert_close(
        torch.masked.log_softmax(X, 1, mask=KEEP)[2, :3], torch.log_softmax(X[2, :3], 0)
    )
    torch.testing.assert_close(
        torch.masked.softmin(X, 1, mask=KEEP)[2, :3], torch.softmax(-X[2, :3], 0)
    )
    assert torch.masked.cumsum(X, 1, mask=KEEP)[0].tolist() == [1, 1, 4, 4.5]
    assert torch.masked.cumprod(X, 1, mask=KEEP)[0].tolist() == [1, 1, 3, 1.5]
    assert torch.masked.median(X, 0, mask=KEEP)[:3].tolist() == [1, 0, 1]
    one = torch.masked.normalize(X, 2.0, 1, mask=KEEP)[0]
    assert one[1] == 0 and one.norm().item() == pytest.approx(1)
    assert torch.masked.logaddexp(X, X, input_mask=KEEP, other_mask=~KEEP).equal(X)


def test_gradients_reach_only_what_counts():
    x = X.clone().requires_grad_()
    torch.masked.mean(x, 1, mask=KEEP)[0].backward()
    third = pytest.approx(1 / 3)
    assert x.grad[0].tolist() == [third, 0, third, third] and not x.grad[1:].any()


def test_types_of_results_and_wrong_masks():
    whole = torch.arange(4)
    keep = torch.tensor([True, False, True, True])
    assert torch.masked.sum(whole.int(), mask=keep).dtype is torch.int64
    assert torch.masked.amax(whole, mask=~keep).item() == 1
    assert torch.masked.amax(keep, mask=~keep).item() is False
    assert torch.masked.amin(keep, mask=~keep).item() is False
    small = torch.tensor([200, 100], dtype=torch.uint8)
    assert torch.masked.cumsum(small, 0).tolist() == [200, 44]
    assert torch.masked.cumprod(small, 0).dtype is torch.uint8
    spread = torch.masked.var(torch.tensor([1 + 2j, 3 - 1j, 2j]), 0)
    assert spread.dtype is torch.complex64 and abs(spread.item() - 16 / 3) < 1e-5
    with pytest.raises(ValueError, match="could not infer output dtype"):
        torch.masked.mean(whole, mask=keep)
    with pytest.raises(IndexError, match="broadcastable mask"):
        torch.masked.sum(whole, mask=keep[None])
    with pytest.raises(TypeError, match="bool tensor"):
        torch.masked.sum(whole, mask=whole)


def test_tensors_that_carry_their_mask():
    x = torch.masked.masked_tensor(X[:2], KEEP[:2], requires_grad=True)
    y = torch.masked.as_masked_tensor(torch.tensor([1, 2]), torch.tensor([True, False]))
    assert repr(y) == "MaskedTensor(\n  [1,       --]\n)"
    assert repr(x[0].detach()) == "MaskedTensor(\n  [  1.0000,       --,   3.0000,   0.5000]\n)"
    total = (x * x + 1).sum(1)
    assert total.get_mask().tolist() == [True, False] and total.get_data()[0] == 13.25
    (x * x).sum().backward()
    assert x.grad.to_tensor(-1.0)[0].tolist() == [2, -1, 6, 1]
    assert x.grad.get_data()[1].tolist() == [0, 0, 0, 0]
    assert repr(x.detach().mean()) == "MaskedTensor(  1.5000, True)"
    with pytest.raises(ValueError, match="Input masks must match"):
        x + torch.masked.masked_tensor(X[:2], ~KEEP[:2])
    with pytest.raises(AttributeError, match="to_tensor"):
        x.matmul(x)


def test_logsumexp_of_integers_is_a_float():
    x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    got = torch.masked.logsumexp(x, 1, mask=torch.tensor([[True, False, True], [False] * 3]))
    assert got.dtype is torch.float32 and got[1] == -math.inf
    assert got[0].item() == pytest.approx(math.log(math.exp(1) + math.exp(3)))
