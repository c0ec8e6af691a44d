"""Calls are taken in every spelling within autocast too, where other code stands before them."""

import pytest

import chainrule as torch


@pytest.mark.filterwarnings("ignore:This overload of addbmm is deprecated")
def test_spellings_within_autocast():
    c, a, b = torch.ones(2, 2), torch.ones(3, 2, 2), torch.ones(3, 2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        product = torch.baddbmm(a, a, b)
        assert product.dtype is torch.bfloat16
        assert torch.equal(torch.baddbmm(x=a, batch1=a, batch2=b), product)
        assert torch.equal(torch.addbmm(2, c, a, b), torch.addbmm(c, a, b, beta=2))
    assert torch.baddbmm(x=a, batch1=a, batch2=b).dtype is torch.float32
