"""Convolutions of groups with few channels: kernels of their own agree with those by columns."""

import importlib

import numpy as np
import pytest

import chainrule as torch
from chainrule.ops import conv_arrays

conv_windows = importlib.import_module("chainrule.ops.conv_windows")

CASES = [
    # x, w, stride, padding, dilation, groups
    ((2, 6, 9, 7), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 6),
    ((3, 6, 9, 7), (6, 1, 3, 3), (2, 2), (1, 1), (1, 1), 6),
    ((2, 6, 8, 8), (12, 1, 3, 3), (2, 1), (1, 0), (1, 1), 6),
    ((2, 6, 11, 6), (12, 2, 5, 5), (3, 3), (2, 2), (2, 2), 3),
    ((1, 4, 70, 270), (4, 1, 3, 3), (1, 1), (1, 1), (1, 1), 4),  # several strips
    ((1, 4, 150, 140), (8, 2, 5, 5), (2, 2), (2, 2), (1, 1), 2),
    ((2, 8, 4, 4), (8, 1, 7, 7), (1, 1), (3, 3), (1, 1), 8),
    ((2, 8, 4, 4), (8, 1, 1, 1), (3, 3), (5, 5), (1, 1), 8),  # windows of nothing but padding
    ((3, 5, 40), (10, 1, 5), (3,), (2,), (2,), 5),
]
# One kernel for each of many channels: a vector holds a pixel of several.
CASES += [
    ((2, channels, *spatial), (channels, 1, *kernel), stride, padding, dilation, channels)
    for channels, spatial, kernel, stride, padding, dilation in [
        (16, (4, 4), (3, 3), (1, 1), (1, 1), (1, 1)),
        (24, (9, 7), (3, 3), (2, 2), (1, 1), (1, 1)),
        (40, (12, 33), (5, 5), (2, 1), (2, 0), (2, 1)),
        (16, (6, 8), (3, 2), (3, 3), (0, 1), (1, 1)),  # lines and columns that no window sees
        (17, (5, 5), (1, 1), (3, 3), (5, 5), (1, 1)),  # windows of nothing but padding
        (16, (95, 80), (3, 3), (1, 1), (1, 1), (1, 1)),  # several strips
        (32, (40,), (4,), (1,), (3,), (1,)),
    ]
]


def results(x, w, b, gy, *options):
    return (
        conv_arrays.conv_forward(x, w, b, *options),
        conv_arrays.conv_weight_gradient(x, gy, w.shape, *options),
        conv_arrays.conv_input_gradient(gy, w, x.shape[2:], *options),
    )


def arrays(case, dtype):
    x_shape, w_shape, *options = case
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(dtype) for s in (x_shape, w_shape))
    b = random.standard_normal(len(w)).astype(dtype)
    out = conv_arrays.Geometry(x_shape, w_shape, *options).out
    gy = random.standard_normal((len(x), len(w), *out)).astype(dtype)
    return (x, w, b, gy), options


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_values_are_those_by_columns(monkeypatch, case, dtype):
    given, options = arrays(case, dtype)
    monkeypatch.setattr(conv_windows, "_FEWEST", 0)
    used = []
    for name in ("forward", "weight_gradient", "input_gradient"):
        way = getattr(conv_windows, name)
        monkeypatch.setattr(
            conv_windows, name, lambda *a, way=way: used.append(way(*a)) or used[-1]
        )
    direct = results(*given, *options)
    assert len(used) >= 3 and all(made is not None for made in used)
    monkeypatch.setattr(conv_windows, "_MOST", 0)
    tolerance = 2e-5 if dtype == np.float32 else 1e-13
    for one, other in zip(direct, results(*given, *options), strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=20 * tolerance)


def test_bits_do_not_depend_on_threads():
    (x, w, b, gy), options = arrays(((9, 32, 24, 24), (32, 1, 3, 3), *CASES[1][2:5], 32), "f")
    before = torch.get_num_threads()
    made = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            made.append(results(x, w, b, gy, *options))
    finally:
        torch.set_num_threads(before)
    for other in made[1:]:
        for one, same in zip(made[0], other, strict=True):
            assert one.tobytes() == same.tobytes()


@pytest.mark.parametrize("case", [CASES[1], CASES[10]])
def test_what_is_infinite_reaches_only_what_sees_it(monkeypatch, case):
    """Zeros between the lines of a gradient must not meet infinite elements."""
    monkeypatch.setattr(conv_windows, "_FEWEST", 0)
    (x, w, b, gy), options = arrays(case, "f")
    x[1, 2, 3, 6] = np.inf
    w[4, 0, 1, 1] = np.inf
    direct = results(x, w, b, gy, *options)
    monkeypatch.setattr(conv_windows, "_MOST", 0)
    for one, other in zip(direct, results(x, w, b, gy, *options), strict=True):
        assert np.array_equal(np.isfinite(one), np.isfinite(other))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_layer_trains_as_the_same_layer_without_groups(dtype):
    torch.manual_seed(0)
    x = torch.randn(4, 16, 20, 20, dtype=dtype)
    grouped = torch.nn.Conv2d(16, 16, 3, stride=2, padding=1, groups=16).to(dtype)
    whole = torch.nn.Conv2d(16, 16, 3, stride=2, padding=1).to(dtype)
    with torch.no_grad():
        whole.weight.zero_()
        for c in range(16):
            whole.weight[c, c] = grouped.weight[c, 0]
        whole.bias.copy_(grouped.bias)
    grouped(x).square().sum().backward()
    whole(x).square().sum().backward()
    near = 1e-4 if dtype is torch.float32 else 2e-2
    diagonal = torch.stack([whole.weight.grad[c, c] for c in range(16)])[:, None]
    torch.testing.assert_close(grouped.weight.grad, diagonal, rtol=near, atol=near * 10)
    torch.testing.assert_close(grouped.bias.grad, whole.bias.grad, rtol=near, atol=near * 10)
