"""Losses with a weight per element: what their means are divided by."""

import pytest

import chainrule as torch
from chainrule.nn import functional as F

X, Y = torch.tensor([0.5, 2.5]), torch.tensor([0.0, 1.0])
WEIGHT = torch.tensor([2.0, -3.0])


@pytest.mark.parametrize(
    ("loss", "each", "divisor"),
    [
        (F.huber_loss, [0.25, -3.0], 2),  # the number of elements
        (F.mse_loss, [0.5, -6.75], -1),  # the sum of the weights
        (F.l1_loss, [1.0, -4.5], -1),
    ],
)
def test_weighted_losses(loss, each, divisor):
    assert loss(X, Y, weight=WEIGHT, reduction="none").tolist() == each
    assert loss(X, Y, weight=WEIGHT, reduction="sum").item() == sum(each)
    assert loss(X, Y, weight=WEIGHT).item() == sum(each) / divisor
