"""Kernels of casts and of activations with a kink agree with NumPy."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.ops import halves
from chainrule.ops.kernels import fast

BFLOAT16 = torch.bfloat16.np


def awkward():
    every = np.arange(1 << 16, dtype=np.uint32) << 16
    near = np.concatenate([every, every | 0x8000, every | 0x8001, every | 0x7FFF])
    random = np.random.default_rng(0).integers(0, 1 << 32, 1 << 16, dtype=np.uint32)
    return np.concatenate([near, random]).view(np.float32)


def test_rounding_is_that_of_the_type():
    x = awkward()
    found, expected = halves.rounded(x, BFLOAT16), x.astype(BFLOAT16)
    assert found.dtype == expected.dtype
    nan = np.isnan(expected)
    assert np.array_equal(nan, np.isnan(found))
    assert np.array_equal(found.view(np.uint16)[~nan], expected.view(np.uint16)[~nan])


def test_widening_is_exact():
    x = np.arange(1 << 16, dtype=np.uint16).view(BFLOAT16)
    assert np.array_equal(halves.single(x), x.astype(np.float32), equal_nan=True)


@pytest.mark.parametrize("shape", [(4096,), (4097,), (64, 65), (3, 40, 50), (0, 5), (1, 1)])
def test_shapes_and_orders_stay(shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for given in (x, x.T, x[..., ::-1]):
        half = halves.rounded(given, BFLOAT16)
        assert np.array_equal(half, given.astype(BFLOAT16))
        assert half.strides == given.astype(BFLOAT16).strides
        single = halves.single(half)
        assert np.array_equal(single, half.astype(np.float32)) and single.flags.writeable


KINKS = {
    "elu": lambda x: torch.nn.functional.elu(x, 0.7),
    "selu": torch.nn.functional.selu,
    "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.2),
    "relu6": torch.nn.functional.relu6,
    "hardtanh": lambda x: torch.nn.functional.hardtanh(x, -0.5, 0.25),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", KINKS)
def test_activations_with_a_kink(monkeypatch, name, dtype):
    values = np.random.default_rng(0).standard_normal(999) * 4
    values[:7] = [0.0, -0.0, np.nan, np.inf, -np.inf, -0.5, 0.25]
    results = []
    for kernels in (True, False):
        if not kernels:
            for kernel in ("elu", "leaky_relu", "hardtanh"):
                monkeypatch.setattr(fast, kernel, lambda *_: None, raising=False)
                monkeypatch.setattr(fast, f"{kernel}_gradient", lambda *_: None, raising=False)
        x = torch.tensor(values, dtype=dtype, requires_grad=True)
        y = KINKS[name](x)
        y.sum().backward()
        results.append((y.detach(), x.grad))
    near = 4e-6 if dtype is torch.float32 else 1e-14
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=near, atol=near, equal_nan=True)
