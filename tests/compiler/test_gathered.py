"""Convolutions whose windows are gathered in machine code agree with those that build columns."""

import ctypes
import itertools

import numpy as np
import pytest

from chainrule.compiler.machine import worker_threads
from chainrule.compiler.products import convolution
from chainrule.compiler.products.gemm_text import TILES
from chainrule.ops import conv_arrays, kernels

CASES = [
    # x, w, stride, padding, dilation, groups
    ((4, 3, 12, 11), (16, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    ((3, 6, 9, 14), (9, 6, 2, 3), (2, 1), (1, 2), (1, 2), 1),
    ((9, 8, 7, 7), (24, 4, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    ((5, 4, 40), (10, 4, 5), (3,), (2,), (2,), 1),
    ((2, 3, 5, 6, 7), (8, 3, 2, 3, 3), (1, 2, 1), (1, 0, 2), (2, 1, 1), 1),
    ((1, 1, 28, 28), (32, 1, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    ((17, 20, 4, 4), (70, 20, 1, 1), (1, 1), (0, 0), (1, 1), 1),
]


def both(monkeypatch, function, *arguments):
    """What machine code computes, and what columns do; fails if the former was not used."""
    used = []

    def watched(*given):
        used.append(kernels.gathered_product(*given))
        return used[-1]

    monkeypatch.setattr(conv_arrays, "LARGE", 0)
    monkeypatch.setattr(conv_arrays, "gathered_product", watched)
    fast = function(*arguments)
    assert used and all(used)
    monkeypatch.setattr(conv_arrays, "gathered_product", lambda *given: False)
    return fast, function(*arguments)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_forward_and_gradients(monkeypatch, case, dtype):
    x_shape, w_shape, *options = case
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(dtype) for s in (x_shape, w_shape))
    b = random.standard_normal(len(w)).astype(dtype)
    fast, slow = both(monkeypatch, conv_arrays.conv_forward, x, w, b, *options)
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(fast, slow, rtol=tolerance, atol=tolerance)
    gy = random.standard_normal(slow.shape).astype(dtype)
    fast, slow = both(monkeypatch, conv_arrays.conv_weight_gradient, x, gy, w.shape, *options)
    np.testing.assert_allclose(fast, slow, rtol=tolerance, atol=20 * tolerance)


def test_bits_do_not_depend_on_threads(monkeypatch):
    random = np.random.default_rng(1)
    x = random.standard_normal((11, 16, 10, 10)).astype(np.float32)
    w = random.standard_normal((16, 16, 3, 3)).astype(np.float32)
    options = (1, 1), (1, 1), (1, 1), 1
    monkeypatch.setattr(conv_arrays, "LARGE", 0)
    seen = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(worker_threads, "thread_count", lambda threads=threads: threads)
        y = conv_arrays.conv_forward(x, w, None, *options)
        seen.append((y, conv_arrays.conv_weight_gradient(x, y, w.shape, *options)))
    for one, other in itertools.pairwise(seen):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_nan_stays_in_its_windows(monkeypatch):
    monkeypatch.setattr(conv_arrays, "LARGE", 0)
    x = np.ones((2, 1, 6, 6), np.float32)
    x[1, 0, 0, 0] = np.nan
    y = conv_arrays.conv_forward(
        x, np.ones((8, 1, 3, 3), np.float32), None, (1, 1), (0, 0), (1, 1), 1
    )
    assert np.isnan(y[1, :, 0, 0]).all()
    assert np.isnan(y).sum() == 8


def test_wrong_code_is_never_used():
    class Wrong:
        def function(self, name, arguments):
            self.kept = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: None)
            return self.kept

    product = convolution.Gathered(TILES[64], lambda name, text: Wrong())
    a, image = np.ones((8, 16), np.float32), np.ones((1, 64), np.float32)
    rows, columns = np.arange(16) * 4, np.arange(16, dtype=np.int32)
    assert product(a, image, rows, columns, np.empty((1, 8, 16), np.float32)) is False
