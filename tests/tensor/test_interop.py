"""Memory shared with NumPy and other libraries."""

import array
import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import chainrule as torch


def test_numpy_gives_the_very_memory():
    x = torch.arange(6.0).view(2, 3)
    array = x.numpy()
    assert array.__array_interface__["data"][0] == x.data_ptr()
    assert np.asarray(x).__array_interface__["data"][0] == x.data_ptr()
    assert np.array(x).__array_interface__["data"][0] != x.data_ptr()
    assert np.asarray(x.t()).strides == (4, 12)


def test_array_with_another_type_is_a_copy():
    x = torch.ones(2)
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(x, dtype=np.float64, copy=False)


def test_results_of_numpy_functions_are_tensors():
    x = torch.ones(3)
    assert isinstance(np.sin(x), torch.Tensor)
    assert isinstance(np.ones(3) * x, torch.Tensor)
    assert (np.float64(2) * x).tolist() == [2.0] * 3
    assert np.add(x, 1).tolist() == [2.0] * 3


def test_bfloat16_has_no_numpy_type_but_can_be_forced():
    x = torch.ones(2, dtype=torch.bfloat16)
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        x.numpy()
    assert x.numpy(force=True).dtype.name == "bfloat16"
    assert torch.from_numpy(x.numpy(force=True)).dtype is torch.bfloat16


def test_read_only_arrays_warn_and_refuse_writes():
    array = np.ones(3)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        x = torch.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        x.add_(1)
    assert array.tolist() == [1.0] * 3


def test_arrays_with_foreign_byte_order_or_odd_strides_are_refused():
    with pytest.raises(ValueError, match="byte order different from the native byte order"):
        torch.from_numpy(np.ones(2, ">f8"))
    records = np.zeros(2, [("a", "f4"), ("b", "i1")])
    with pytest.raises(ValueError, match="strides not a multiple of the element byte size"):
        torch.from_numpy(records["a"])


class Exporter:
    """An array of another library, known by its DLPack methods only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_shares_memory_both_ways():
    array = np.arange(6.0).reshape(2, 3).T
    x = torch.from_dlpack(Exporter(array))
    assert x.stride() == (1, 3)
    x[0, 0] = 9
    assert array[0, 0] == 9
    back = np.from_dlpack(x)
    back[1, 1] = 8
    assert x[1, 1] == 8
    assert torch.from_dlpack(Exporter(array), copy=True).data_ptr() != x.data_ptr()
    assert torch.asarray(Exporter(array)).data_ptr() == x.data_ptr()


def test_views_of_foreign_memory_are_views():
    x = torch.from_dlpack(Exporter(np.arange(6.0)[::2]))
    v = x.view(3, 1)[1:]
    v.zero_()
    assert v._is_view()
    assert x.tolist() == [0.0, 0.0, 0.0]


def test_frombuffer_checks_its_arguments():
    data = bytearray(range(8))
    x = torch.frombuffer(data, dtype=torch.uint8, count=3, offset=2)
    x[0] = 99
    assert data[2] == 99
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        torch.frombuffer(data, dtype=torch.int32, offset=1)
    with pytest.raises(ValueError, match="must not be greater than actual buffer length"):
        torch.frombuffer(data, dtype=torch.uint8, count=9)
    with pytest.raises(ValueError, match="must not be 0"):
        torch.frombuffer(b"", dtype=torch.uint8)


def test_as_tensor_shares_and_tensor_copies():
    array = np.ones(2)
    assert torch.as_tensor(array).data_ptr() == array.__array_interface__["data"][0]
    assert torch.tensor(array).data_ptr() != array.__array_interface__["data"][0]
    x = torch.ones(2)
    assert torch.as_tensor(x) is x
    assert torch.asarray(x, copy=True) is not x
    with pytest.raises(ValueError, match="can't alias arbitrary sequence"):
        torch.asarray([1], copy=False)


def test_asarray_shares_memory_or_says_why_not():
    memory = bytearray(b"abcdefgh")
    seen = torch.asarray(memory, dtype=torch.int16)
    memory[0] = 0
    assert seen.tolist() == [0x6200, 0x6463, 0x6665, 0x6867]
    assert torch.asarray(bytearray(8)).tolist() == [0.0, 0.0]  # bytes of the default type
    whole = array.array("i", [1, 2])
    seen = torch.asarray(whole, dtype=torch.int32)
    kept = torch.asarray(whole, dtype=torch.int32, copy=True)
    whole[0] = 5
    assert seen.tolist() == [5, 2] and kept.tolist() == [1, 2]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        torch.asarray(bytearray(7), dtype=torch.int32)
    for given in (torch.ones(2), np.ones(2, np.float32)):
        with pytest.raises(ValueError, match="can't alias tensor with dtype"):
            torch.asarray(given, dtype=torch.float64, copy=False)
    with pytest.raises(ValueError, match="can't alias tensor from device"):
        torch.asarray(torch.ones(2), device="meta", copy=False)
    with pytest.raises(RuntimeError, match="can't alias NumPy scalars"):
        torch.asarray(np.float64(1), copy=False)


def test_asarray_keeps_the_history_of_a_tensor_unless_told_otherwise():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="unspecified requires_grad"):
        y = torch.asarray(x * 2, dtype=torch.float64)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert not torch.asarray(x * 2, requires_grad=False).requires_grad
    assert torch.asarray(x, requires_grad=True) is x
    plain = torch.ones(2)
    assert torch.asarray(plain, requires_grad=True) is plain and plain.requires_grad


def test_storages_are_the_memory_of_all_views():
    x = torch.arange(4, dtype=torch.int16)
    whole, part = x.untyped_storage(), x[2:].untyped_storage()
    assert whole == part
    assert hash(whole) == hash(part)
    assert (len(part), part.nbytes()) == (8, 8)
    part[0] = 7
    assert x[0] == 7
    assert x[1:].storage().tolist() == [7, 1, 2, 3]
    assert x.storage()[1] == 1
    assert "of size 8" in repr(whole)
    assert torch.is_storage(whole)
    assert not torch.is_storage(x)


def test_deepcopied_views_share_their_copied_memory():
    x = torch.arange(6.0).view(2, 3)
    first, second = copy.deepcopy([x.t()[1:], x[0]])
    second[1] = 50
    assert first[0, 0] == 50
    assert x[0, 1] == 1
    assert first.stride() == (1, 3)


def test_pickled_tensors_load_without_ml_dtypes_until_needed():
    text = pickle.dumps(torch.ones(2, dtype=torch.bfloat16))
    assert b"ml_dtypes" not in text


def test_pickle_travels_to_another_process():
    x = torch.arange(4.0, requires_grad=True)
    script = (
        "import pickle, sys, chainrule;"
        "x = pickle.load(sys.stdin.buffer);"
        "print(x.tolist(), x.requires_grad, type(x).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(x), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "[0.0, 1.0, 2.0, 3.0] True Tensor"


def test_no_warning_for_ordinary_arrays():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.from_numpy(np.ones(2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_numpy_needs_no_detach_where_nothing_is_recorded(dtype):
    x = torch.ones(2, dtype=dtype, requires_grad=True)
    with torch.no_grad():
        array = x.numpy()
        assert np.asarray(x).tolist() == [1.0, 1.0]
        array[0] = 3.0
    assert x.tolist() == [3.0, 1.0]
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\)"):
        x.numpy()
