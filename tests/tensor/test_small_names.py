"""Switches and small functions of the package that programs ask for by name."""

import sys

import numpy as np
import pytest

import chainrule as torch


def test_a_tensor_on_the_memory_of_a_file(tmp_path):
    path = str(tmp_path / "numbers")
    shared = torch.from_file(path, shared=True, size=4)
    shared.copy_(torch.arange(4.0))
    own = torch.from_file(path, shared=False, size=3)
    assert own.tolist() == [0, 1, 2]
    own[0] = 9
    shared[1] = 7
    assert np.fromfile(path, np.float32).tolist() == [0, 7, 2, 3]
    assert torch.from_file(path, size=2, dtype=torch.int64).dtype is torch.int64
    with pytest.raises(RuntimeError, match="unable to mmap 20 bytes"):
        torch.from_file(path, size=5)


def test_the_branch_that_is_chosen_has_gradients():
    x = torch.tensor([2.0], requires_grad=True)
    for pred, slope in ((x.sum() > 1, 4), (False, 3)):
        made = torch.cond(pred, lambda x: x * x, lambda x: 3 * x, (x,))
        assert torch.autograd.grad(made, x)[0].item() == slope
    with pytest.raises(RuntimeError, match="bool or tensor"):
        torch.cond(1, abs, abs, (x,))
    with pytest.raises(RuntimeError, match="to be callable"):
        torch.cond(True, x, abs, (x,))


def test_anomaly_mode_can_be_asked_for():
    assert not torch.is_anomaly_enabled()
    torch.set_anomaly_enabled(True, check_nan=False)
    try:
        assert torch.is_anomaly_enabled() and not torch.is_anomaly_check_nan_enabled()
    finally:
        torch.set_anomaly_enabled(False)
    assert torch.is_anomaly_check_nan_enabled()


def test_backward_with_and_without_threads_is_the_same():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.set_multithreading_enabled(False):
        assert not torch.autograd.is_multithreading_enabled()
        (x * 2).sum().backward()
    assert torch.autograd.is_multithreading_enabled() and x.grad.tolist() == [2, 2, 2]
    assert torch.set_flush_denormal(True) is False  # as said: tiny numbers stay what they are
    assert torch.tensor(1e-310, dtype=torch.float64).item() == 1e-310


def test_functionalize_computes_and_writes_the_same():
    def step(x):
        x.mul_(2)
        return x.view(-1).add_(1).sum()

    x = torch.ones(2, 2)
    assert torch.func.functionalize(step)(x).item() == 12 and x[0, 0] == 3
    wrapped = torch.func.functionalize(lambda x: x.clone().mul_(x).sum(), remove="mutations")
    assert torch.func.grad(wrapped)(torch.tensor([3.0])).item() == 6
    with pytest.raises(RuntimeError, match="invalid argument for remove"):
        torch.func.functionalize(step, remove="views")


def test_storages_of_files_are_cut_and_become_tensors(tmp_path):
    path = tmp_path / "bytes.bin"
    path.write_bytes(bytes(range(16)))
    whole = torch.UntypedStorage.from_file(str(path), shared=False, nbytes=16)
    part = whole[4:12]
    assert (len(part), part.tolist(), part.data_ptr() - whole.data_ptr()) == (
        8,
        list(range(4, 12)),
        4,
    )
    seen = torch.asarray(part, dtype=torch.uint8)
    seen[0] = 99
    assert (whole[4], part[0], path.read_bytes()[4]) == (99, 99, 4)
    assert seen.storage_offset() == 0 and seen.untyped_storage().nbytes() == 8
    assert torch.asarray(whole[12:16], dtype=torch.int16).tolist() == [0x0D0C, 0x0F0E]
    assert whole[20:30].nbytes() == 0
    with pytest.raises(RuntimeError, match="only a step of 1"):
        whole[0:4:2]
    with pytest.raises(RuntimeError, match="smaller than the required mapping size <80>"):
        torch.UntypedStorage.from_file(str(path), False, 80)
    shared = torch.UntypedStorage.from_file(str(path), True, 16)
    shared[0] = 7
    assert path.read_bytes()[0] == 7
    typed = torch.ones(3).storage()
    assert torch.asarray(typed).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(RuntimeError, match=r"UntypedStorage.__getitem__"):
        typed[:2]


def test_storages_are_copied_filled_and_measured():
    storage = torch.zeros(4).untyped_storage()
    assert storage.untyped() is storage and storage.cpu() is storage
    assert storage.fill_(1).copy_(torch.ones(4).untyped_storage()) is storage
    assert storage.tolist() == torch.ones(4).untyped_storage().tolist()
    assert sys.getsizeof(torch.zeros(1000).untyped_storage()) - sys.getsizeof(storage) == 3984
    assert (storage.element_size(), torch.zeros(4).storage().element_size()) == (1, 4)
    with pytest.raises(RuntimeError, match="size does not match"):
        storage.copy_(torch.ones(3).untyped_storage())
