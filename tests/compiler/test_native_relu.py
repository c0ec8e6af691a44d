"""The rectifier's kernels say what NumPy says, for every size and kind of number."""

import numpy as np
import pytest

import chainrule
from chainrule.ops.kernels import fast

VALUES = [1.5, -2.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0,), (1,), (8,), (3, 37), (300, 257)])
def test_relu_and_its_gradient(dtype, shape):
    x = np.resize(np.array(VALUES, dtype), shape)
    g = np.resize(np.array([np.inf, 3.0, np.nan], dtype), shape)
    y = fast.relu(x)
    assert np.array_equal(y, np.maximum(x, 0), equal_nan=True)
    assert y.dtype == dtype
    expected = np.where(y <= 0, 0, g)
    assert np.array_equal(fast.relu_gradient(g, y), expected, equal_nan=True)


def test_what_is_not_contiguous_or_not_a_float_is_left_to_numpy():
    assert fast.relu(np.ones((4, 4), np.float32)[:, ::2]) is None
    assert fast.relu(np.ones(4, np.int64)) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_sums(dtype):
    a = np.resize(np.array([1.5, np.nan, np.inf, -0.0], dtype), (300, 257))
    b = np.resize(np.array([-np.inf, 2.0, 1e-45], dtype), (300, 257))
    assert np.array_equal(fast.add_arrays(a, b), a + b, equal_nan=True)
    x, y = chainrule.tensor(a), chainrule.tensor(b)
    assert np.array_equal((x + y).numpy(), a + b, equal_nan=True)
    assert np.array_equal((x.T + y.T).numpy(), (a + b).T, equal_nan=True)
