"""Tensors among the arrays of other libraries: NumPy's functions, DLPack."""

import numpy as np
import pytest

import chainrule as torch


def test_elementwise_functions_of_numpy_return_tensors_others_arrays():
    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    found = np.sin(t)
    assert isinstance(found, torch.Tensor) and found.dtype is torch.float32
    np.testing.assert_array_equal(found.numpy(), np.sin(t.numpy()))
    assert np.isnan(t).dtype is torch.uint8  # as PyTorch
    assert type(np.concatenate([t, t])) is np.ndarray
    assert type(np.dot(t, t)) is np.ndarray


def test_numpy_never_loses_a_gradient_unnoticed():
    g = torch.ones(2, requires_grad=True)
    for function in (np.sin, np.asarray, lambda x: np.concatenate([x, x]), np.linalg.norm):
        with pytest.raises(RuntimeError, match="requires grad"):
            function(g)


def test_dlpack_both_ways_shares_memory():
    array = np.arange(6.0).reshape(2, 3)[:, ::2]
    t = torch.from_dlpack(array)
    t[0, 0] = 9
    assert array[0, 0] == 9 and t.stride() == (3, 2)
    back = np.from_dlpack(t)
    back[1, 1] = -1
    assert t[1, 1] == -1


def test_dlpack_copies_on_request():
    array = np.zeros(2)
    torch.from_dlpack(array, copy=True).fill_(1)
    t = torch.zeros(2)
    np.from_dlpack(t, copy=True)[:] = 1
    assert array.tolist() == [0, 0] and t.tolist() == [0, 0]
    torch.from_dlpack(array, copy=False).fill_(1)
    assert array.tolist() == [1, 1]


def test_memory_that_must_not_be_written_stays_as_it_is():
    array = np.zeros(2)
    array.flags.writeable = False
    t = torch.from_dlpack(array)
    with pytest.raises(RuntimeError, match="read-only"):
        t.fill_(1)
    assert array.tolist() == [0, 0]


@pytest.mark.parametrize(
    "dtype", [torch.bfloat16, torch.bool, torch.complex64, torch.uint16], ids=str
)
def test_every_type_passes_between_tensors(dtype):
    t = torch.ones(2, dtype=dtype)
    found = torch.from_dlpack(t)
    assert found.dtype is dtype and torch.equal(found, t)
    assert found.data_ptr() == t.data_ptr()


def test_both_protocols_are_spoken():
    t = torch.ones(2)
    assert '"dltensor"' in str(t.__dlpack__())
    assert '"dltensor_versioned"' in str(t.__dlpack__(max_version=(1, 0)))
    assert tuple(t.__dlpack_device__()) == (1, 0)


@pytest.mark.parametrize(
    ("options", "text"),
    [({"stream": 1}, "stream should be None"), ({"dl_device": (2, 0)}, "device \\(2, 0\\)")],
)
def test_what_a_cpu_cannot_export_is_refused(options, text):
    with pytest.raises(BufferError, match=text):
        torch.ones(2).__dlpack__(**options)


def test_tensors_that_require_gradients_are_not_exported():
    for dtype in (torch.float32, torch.bfloat16):
        t = torch.ones(2, dtype=dtype, requires_grad=True)
        with pytest.raises(BufferError, match="require gradient"):
            torch.from_dlpack(t)
