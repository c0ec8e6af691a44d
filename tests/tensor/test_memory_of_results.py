"""Where element-wise results lie in memory, and what `resize_` reads: values of PyTorch 2.13."""

import numpy as np
import pytest

import chainrule as torch


def operands():
    numbers = torch.arange(400.0)
    return {
        "rows": numbers[:60].reshape(3, 4, 5),
        "turned": numbers[:60].reshape(5, 4, 3).permute(2, 1, 0),
        "swapped": numbers[:60].reshape(3, 5, 4).transpose(1, 2),
        "windows": numbers.as_strided((3, 4, 5), (4, 1, 2)),
        "all over": numbers.as_strided((3, 4, 5), (1, 1, 1)),
        "row": numbers[:5],
        "sheet": numbers[:20].reshape(5, 4).t(),
    }


@pytest.mark.parametrize(
    "first, second, strides",
    [
        ("rows", "turned", (20, 5, 1)),
        ("turned", "rows", (1, 3, 12)),
        ("turned", "swapped", (1, 3, 12)),
        ("swapped", "turned", (20, 1, 4)),
        ("windows", "rows", (20, 1, 4)),
        ("all over", "turned", (1, 3, 12)),
        ("row", "turned", (1, 3, 12)),
        ("sheet", "rows", (20, 1, 4)),
    ],
)
def test_the_first_operand_says_how_a_result_lies(first, second, strides):
    a, b = operands()[first], operands()[second]
    for result in (a + b, a * b, torch.maximum(a, b), torch.where(a > 3, a, b), a < b):
        assert result.stride() == strides
    assert (a.requires_grad_() * b).stride() == strides
    np.testing.assert_array_equal((a + b).detach().numpy(), a.detach().numpy() + b.numpy())


def test_reshape_of_a_result_is_a_copy_where_it_is_one_in_pytorch():
    made = operands()["turned"] + operands()["rows"]
    before = made.clone()
    made.reshape(-1).mul_(2)
    assert torch.equal(made, before)
    with pytest.raises(RuntimeError, match="view"):
        made.view(-1)


def test_a_masked_fill_lies_in_c_order():
    turned, rows = operands()["turned"], operands()["rows"]
    assert turned.masked_fill(rows > 3, 1.0).is_contiguous()
    assert turned.masked_fill(turned > 3, torch.tensor(1.0)).is_contiguous()


def test_a_masked_fill_of_one_number_keeps_its_shape():
    x = torch.tensor(2.0)
    assert x.masked_fill(x > 0, torch.tensor(1.0)).shape == ()
    assert x.masked_fill_(x > 0, torch.tensor(3.0)).item() == 3.0
    assert torch.ones(3).masked_fill(x > 0, 4.0).shape == (3,)


def test_resize_reads_memory_in_its_own_order():
    x = torch.arange(6.0).reshape(2, 3) + 1
    x.swapaxes_(0, 1)
    made = x * 2
    made.resize_(6)
    assert made.tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    made = -x.t().clone().t()
    view = made.detach()
    view.resize_(4)
    view[0] = 9
    assert view.tolist() == [9.0, -2.0, -3.0, -4.0] and made[0, 0] == 9


def test_products_lie_in_c_order():
    turned = operands()["turned"]
    assert (turned @ turned.mT).is_contiguous()
    one = torch.arange(6.0).reshape(2, 1, 3).transpose(0, 2)
    made = torch.zeros(3, 2).addbmm_(one.expand(3, 3, 2), torch.ones(3, 2, 2))
    assert made.tolist() == [[15.0, 15.0]] * 3
