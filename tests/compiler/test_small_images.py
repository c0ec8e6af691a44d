"""Convolutions of small images, which are multiplied together, and the way back over a stride."""

import numpy as np
import pytest

from chainrule.compiler.machine import worker_threads
from chainrule.compiler.products import convolution
from chainrule.ops import conv_arrays, conv_scatter


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("images", [1, 4, 7, 24])
@pytest.mark.parametrize(("kernel", "padding"), [(1, 0), (3, 1)])
def test_images_together_are_as_one_by_one(monkeypatch, images, kernel, padding, dtype):
    random = np.random.default_rng(0)
    x = random.standard_normal((images, 12, 5, 6)).astype(dtype)
    w = random.standard_normal((20, 12, kernel, kernel)).astype(dtype)
    b = random.standard_normal(20).astype(dtype)
    options = (1, 1), (padding, padding), (1, 1), 1
    gy = random.standard_normal((images, 20, 5, 6)).astype(dtype)
    monkeypatch.setattr(conv_arrays, "LARGE", 0)
    seen = []
    for threads, few in ((1, 256), (2, 256), (3, 256), (2, 0)):
        monkeypatch.setattr(worker_threads, "thread_count", lambda threads=threads: threads)
        monkeypatch.setattr(convolution, "_FEW_WINDOWS", few)
        seen.append((
            conv_arrays.conv_forward(x, w, b, *options),
            conv_arrays.conv_weight_gradient(x, gy, w.shape, *options),
        ))  # fmt: skip
    for other in seen[1:3]:  # of any number of threads
        assert all(np.array_equal(a, b) for a, b in zip(seen[0], other, strict=True))
    near = 1e-4 if dtype == np.float32 else 1e-12
    for a, b in zip(seen[0], seen[3], strict=True):
        np.testing.assert_allclose(a, b, rtol=near, atol=near)


def test_a_number_of_images_that_has_no_divisor_takes_them_one_by_one():
    one = np.zeros((521, 3, 4, 4), np.float32)
    assert convolution.images_together(one, 16, None) == 1
    assert convolution.images_together(one[:520], 16, None) == 26
    assert convolution.images_together(one[:520, :2], 16, None) == 1  # not one after the other


@pytest.mark.parametrize("kernel", [2, 3, 5])
@pytest.mark.parametrize("stride", [(2, 2), (2, 3), (1, 2)])
@pytest.mark.parametrize("padding", [0, 1, 2])
def test_phases_are_what_every_element_of_a_kernel_adds(kernel, stride, padding):
    if max(stride) > kernel:
        return
    random = np.random.default_rng(0)
    for groups, height in ((1, 9), (2, 10), (1, 11)):
        x_shape, w_shape = (2, 8, height, height + 3), (12, 8 // groups, kernel, kernel)
        options = stride, (padding, padding), (1, 1), groups
        g = conv_arrays.Geometry(x_shape, w_shape, *options)
        w = random.standard_normal(w_shape)
        gy = random.standard_normal((2, 12, *g.out))
        expected = conv_scatter.scattered(gy, w, x_shape, g)
        found = conv_arrays._in_phases(gy, w, x_shape, g)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_points_with_a_stride_are_an_image_of_their_own(monkeypatch):
    random = np.random.default_rng(0)
    x, w = random.standard_normal((3, 8, 9, 10)), random.standard_normal((16, 8, 1, 1))
    options = (2, 3), (0, 0), (1, 1), 1
    y = conv_arrays.conv_forward(x, w, None, *options)
    np.testing.assert_allclose(y, np.einsum("nchw,oc->nohw", x[:, :, ::2, ::3], w[..., 0, 0]))
    gw = conv_arrays.conv_weight_gradient(x, y, w.shape, *options)
    expected = np.einsum("nchw,nohw->oc", x[:, :, ::2, ::3], y)
    np.testing.assert_allclose(gw[..., 0, 0], expected)


@pytest.mark.parametrize("stride", [(2, 2), (2, 3), (1, 2)])
@pytest.mark.parametrize("spatial", [(24, 33), (32, 1), (7, 40)])
@pytest.mark.parametrize("last", [False, True])
def test_points_apart_are_those_that_slices_see(stride, spatial, last):
    """Kernels of one element with a stride, of images in either order of memory."""
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 24, *spatial))
    w = random.standard_normal((40, 24, 1, 1))
    options = stride, (0, 0), (1, 1), 1
    seen = x[:, :, :: stride[0], :: stride[1]]
    gy = random.standard_normal((3, 40, *seen.shape[2:]))
    given = [np.ascontiguousarray(a.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) for a in (x, gy)]
    images, pulled = given if last else (x, gy)
    y = conv_arrays.conv_forward(images, w, None, *options)
    expected = np.einsum("oc,nchw->nohw", w[..., 0, 0], seen)
    np.testing.assert_allclose(y, expected, rtol=1e-11, atol=1e-12)
    gw = conv_arrays.conv_weight_gradient(images, pulled, w.shape, *options)
    expected = np.einsum("nohw,nchw->oc", gy, seen)
    np.testing.assert_allclose(gw[..., 0, 0], expected, rtol=1e-9, atol=1e-9)
    gx = np.zeros_like(x)
    gx[:, :, :: stride[0], :: stride[1]] = np.einsum("oc,nohw->nchw", w[..., 0, 0], gy)
    found = conv_arrays.conv_input_gradient(pulled, w, spatial, *options)
    np.testing.assert_allclose(found, gx, rtol=1e-10, atol=1e-12)


def test_strides_keep_their_bits_for_any_number_of_threads(monkeypatch):
    random = np.random.default_rng(0)
    w = random.standard_normal((64, 32, 4, 4)).astype(np.float32)
    gy = random.standard_normal((8, 64, 12, 12)).astype(np.float32)
    made = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(worker_threads, "thread_count", lambda threads=threads: threads)
        made.append(conv_arrays.conv_input_gradient(gy, w, (24, 24), (2, 2), (1, 1), (1, 1), 1))
    assert np.array_equal(made[0], made[1]) and np.array_equal(made[0], made[2])
