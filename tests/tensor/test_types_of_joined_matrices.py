"""Result types of functions that put matrices together."""

import pytest

import chainrule as torch

CASES = [
    (torch.float32, torch.float64, torch.float32),
    (torch.int8, torch.int64, torch.int8),
    (torch.int8, torch.float64, torch.float64),
]


@pytest.mark.parametrize(("matrix", "number", "expected"), CASES, ids=str)
def test_block_diag_takes_tensors_without_dimensions_as_numbers(matrix, number, expected):
    blocks = torch.ones(2, 2, dtype=matrix), torch.tensor(1, dtype=number)
    assert torch.block_diag(*blocks).dtype == expected


@pytest.mark.parametrize("count", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8], ids=str)
def test_powers_of_integers_are_int64_however_many(dtype, count):
    assert torch.vander(torch.tensor([1, 2], dtype=dtype), N=count).dtype == torch.int64
