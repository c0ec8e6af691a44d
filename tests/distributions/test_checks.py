"""Checks of parameters and samples: what is refused, whoever asks."""

import pytest

import chainrule as torch
from chainrule import distributions as D

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "inside", "outside"),
    [
        (lambda: D.Normal(0.0, 1.0), [0.0, 1e30, -INF], [NAN]),
        (lambda: D.Bernoulli(torch.tensor(0.5)), [0.0, 1.0], [0.5, -1.0, NAN]),
        (lambda: D.Poisson(torch.tensor(3.0)), [0.0, 7.0], [-1.0, 0.5, NAN, INF]),
        (lambda: D.Exponential(torch.tensor(1.0)), [0.0, 3.0], [-1e-3, NAN]),
        (lambda: D.Beta(torch.tensor(2.0), torch.tensor(2.0)), [0.25, 0.5], [-0.1, 1.1, NAN]),
        (lambda: D.Geometric(torch.tensor(0.5)), [0.0, 4.0], [-1.0, 1.5]),
    ],
)
def test_samples(make, inside, outside):
    for dtype in (torch.float32, torch.float64):
        for x in inside:
            make().log_prob(torch.tensor([x, inside[0]], dtype=dtype))
        for x in outside:
            with pytest.raises(ValueError, match="within the support"):
                make().log_prob(torch.tensor([inside[0], x], dtype=dtype))


def test_numbers_of_categories():
    categories = D.Categorical(logits=torch.zeros(2, 3))
    assert categories.log_prob(torch.tensor([0, 2])).shape == (2,)
    assert categories.log_prob(torch.tensor([[0], [2], [1]])).shape == (3, 2)
    for bad in ([0, 3], [-1, 0]):
        with pytest.raises(ValueError, match="within the support"):
            categories.log_prob(torch.tensor(bad))


def test_parameters():
    for bad in (0.0, -1.0, NAN):
        with pytest.raises(ValueError, match="Expected parameter scale"):
            D.Normal(torch.zeros(2), torch.tensor([1.0, bad]))
    with pytest.raises(ValueError, match="Expected parameter logits"):
        D.Categorical(logits=torch.tensor([0.0, NAN]))


def test_a_check_inside_of_vmap_or_a_compiled_function_says_the_same():
    def score(x):
        return D.Exponential(torch.ones(())).log_prob(x)

    compiled = torch.compile(score)
    for _ in range(4):
        assert torch.allclose(compiled(torch.tensor([1.0, 2.0])), torch.tensor([-1.0, -2.0]))
        with pytest.raises(ValueError, match="within the support"):
            compiled(torch.tensor([1.0, -2.0]))
