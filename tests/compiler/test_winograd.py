"""Convolutions of 3x3 by fewer multiplications: as exact as the plain ones, or left to them."""

import ctypes
import itertools
import mmap

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.machine import worker_threads
from chainrule.compiler.products import offered, winograd
from chainrule.ops import conv_arrays

PRODUCT = offered.shared()
pytestmark = pytest.mark.skipif(PRODUCT is None, reason="no products of our own here")
ONE = (1, 1)
# images, inputs, outputs, height, width, padding
CASES = [
    (16, 32, 40, 8, 8, 1),
    (2, 33, 32, 17, 23, 1),
    (3, 40, 70, 14, 20, 0),
    (5, 32, 37, 9, 12, 2),
    (1, 48, 34, 31, 66, 1),
    (9, 256, 32, 7, 8, 1),
]


def arrays(count, inputs, outputs, height, width, padding, seed=0):
    random = np.random.default_rng(seed)
    high, wide = height + 2 * padding - 2, width + 2 * padding - 2
    shapes = (count, inputs, height, width), (outputs, inputs, 3, 3), (count, outputs, high, wide)
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def three(x, w, gy, padding, b=None):
    """The convolution and both gradients."""
    places = (padding, padding)
    return (
        conv_arrays.conv_forward(x, w, b, ONE, places, ONE, 1),
        conv_arrays.conv_input_gradient(gy, w, x.shape[2:], ONE, places, ONE, 1),
        conv_arrays.conv_weight_gradient(x, gy, w.shape, ONE, places, ONE, 1),
    )


@pytest.fixture
def calls(monkeypatch):
    """What the fast way says in every call: whether it was taken."""
    said = []
    for name in ("forward", "weight_gradient"):
        plain = getattr(winograd.Winograd, name)

        def watched(self, *arguments, plain=plain, **named):
            result = plain(self, *arguments, **named)
            said.append(result is not None and result is not False)
            return result

        monkeypatch.setattr(winograd.Winograd, name, watched)
    return said


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients(calls, case):
    x, w, gy = arrays(*case)
    b = np.linspace(-1, 1, len(w), dtype=np.float32)
    found = three(x, w, gy, case[-1], b)
    assert calls == [True] * 3
    doubles = (a.astype(np.float64) for a in (x, w, gy))
    expected = three(*doubles, case[-1], b.astype(np.float64))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-6 * np.abs(other).max())


def test_bits_do_not_depend_on_threads(monkeypatch, calls):
    x, w, gy = arrays(6, 64, 96, 16, 16, 1)
    seen = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(worker_threads, "thread_count", lambda threads=threads: threads)
        seen.append(three(x, w, gy, 1))
    assert calls and all(calls)
    for one, other in itertools.pairwise(seen):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e6, 3e38])
def test_an_element_that_stands_out_spoils_nothing_beside_its_windows(calls, value):
    x, w, gy = arrays(4, 32, 32, 12, 12, 1)
    before = three(x, w, gy, 1)
    x[1, 3, 5, 5] = gy[2, 4, 7, 7] = value
    after = three(x, w, gy, 1)
    assert calls == [True] * 3 + [False] * 3
    for one, other, (n, i) in zip(before[:2], after[:2], ((1, 5), (2, 7)), strict=True):
        far = np.ones(one.shape, bool)
        far[n, :, i - 1 : i + 2, i - 1 : i + 2] = False
        np.testing.assert_allclose(one[far], other[far], rtol=1e-4, atol=1e-4)
        assert not np.allclose(one[~far], other[~far], rtol=1e-3)


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_kernels_that_are_not_finite_are_left_to_the_plain_product(calls, value):
    x, w, _ = arrays(4, 32, 32, 12, 12, 1)
    w[3, 2, 1, 1] = value
    y = conv_arrays.conv_forward(x, w, None, ONE, ONE, ONE, 1)
    assert calls == [False]
    assert np.isfinite(np.delete(y, 3, axis=1)).all()
    assert not (np.abs(y[:, 3]) < 1e30).all()


def test_what_is_unlike_is_left_to_the_plain_product(calls):
    for case in ((1, 32, 32, 8, 8, 1), (8, 31, 64, 16, 16, 1), (8, 2048, 32, 8, 8, 1)):
        x, w, _ = arrays(*case)
        conv_arrays.conv_forward(x, w, None, ONE, ONE, ONE, 1)
    assert calls and not any(calls)


def test_small_whole_numbers_are_exact(calls):
    random = np.random.default_rng(3)
    x, w, gy = (random.integers(-3, 4, a.shape).astype(np.float32) for a in arrays(*CASES[0]))
    found = three(x, w, gy, 1)
    expected = three(*(a.astype(np.float64) for a in (x, w, gy)), 1)
    assert calls == [True] * 3
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def fenced(shape):
    """Zeros that end where memory may be read no further, and what keeps them."""
    size, page = 4 * int(np.prod(shape)), mmap.PAGESIZE
    room = -(-size // page) * page
    memory = mmap.mmap(-1, room + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + room), page, 0) == 0
    return np.frombuffer(memory, np.float32, size // 4, room - size).reshape(shape)


@pytest.mark.parametrize("case", [(2, 33, 35, 17, 23, 1), (16, 32, 32, 8, 8, 0)])
def test_nothing_beyond_the_arrays_is_touched(calls, case):
    plain = arrays(*case)
    x, w, gy = (fenced(a.shape) for a in plain)
    for fence, array in zip((x, w, gy), plain, strict=True):
        fence[...] = array
    out = fenced(gy.shape)
    assert PRODUCT.winograd.forward(x, w, None, case[-1], out)
    expected = three(*plain, case[-1])
    assert np.array_equal(out, expected[0])
    image = fenced(x.shape)
    assert PRODUCT.winograd.forward(gy, w, None, 2 - case[-1], image, flipped=True)
    assert np.array_equal(image, expected[1])
    assert np.array_equal(PRODUCT.winograd.weight_gradient(x, gy, case[-1]), expected[2])


def test_a_layer_trains_the_same_compiled_and_eager(calls):
    def losses(compiled):
        torch.manual_seed(0)
        layer = torch.nn.Sequential(torch.nn.Conv2d(32, 32, 3, padding=1), torch.nn.ReLU())
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        x = torch.randn(8, 32, 16, 16)

        def step(x):
            optimizer.zero_grad()
            loss = layer(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        run = torch.compile(step) if compiled else step
        return [run(x).item() for _ in range(5)]

    assert losses(True) == pytest.approx(losses(False), rel=1e-6)
    assert calls and all(calls)
