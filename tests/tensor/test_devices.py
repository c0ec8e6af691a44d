"""Devices: what can be named, what can be used, and honest answers about the rest."""

import importlib
import pickle

import pytest

import chainrule as torch
from chainrule.tensor.device import DeviceUnavailable


@pytest.mark.parametrize(
    "use",
    [
        lambda: torch.ones(2, device="cuda"),
        lambda: torch.ones(2).to("cuda:1"),
        lambda: torch.ones(2).cuda(),
        lambda: torch.ones(2).cuda(0),
        lambda: torch.zeros_like(torch.ones(2), device=torch.device("cuda")),
        lambda: torch.tensor([1.0], device="cuda"),
    ],
)
def test_another_device_is_refused_with_the_reason_and_the_way_out(use):
    with pytest.raises(RuntimeError, match="Torch not compiled with CUDA enabled") as error:
        use()
    text = str(error.value)
    assert "chainrule computes on the CPU" in text
    assert "test_devices.py" in text
    assert "Fix: use device='cpu'" in text
    assert isinstance(error.value, AssertionError), "PyTorch raises an AssertionError here"


def test_other_devices_can_be_named_compared_and_pickled():
    gpu = torch.device("cuda", 1)
    assert (gpu.type, gpu.index, str(gpu)) == ("cuda", 1, "cuda:1")
    assert gpu == torch.device("cuda:1") != torch.device("cuda")
    assert pickle.loads(pickle.dumps(gpu)) == gpu
    assert {gpu: 1}[torch.device("cuda:1")] == 1
    with pytest.raises(RuntimeError, match="Invalid device string: 'cuda:x'"):
        torch.device("cuda:x")


def test_programs_that_ask_for_a_gpu_get_an_honest_no():
    assert not torch.cuda.is_available()
    assert torch.cuda.device_count() == 0
    assert not torch.cuda.is_bf16_supported()
    assert not torch.backends.mps.is_available()
    assert not torch.mps.is_available()
    assert not torch.xpu.is_available()
    assert not torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator() is None
    assert torch.version.cuda is None
    assert torch.cpu.is_available()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    assert torch.ones(1, device=device).device == torch.device("cpu")


def test_seeding_and_emptying_a_gpu_that_is_not_there_is_harmless():
    torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    torch.cuda.empty_cache()


@pytest.mark.parametrize(
    "use",
    [
        lambda: torch.cuda.synchronize(),
        lambda: torch.cuda.current_device(),
        lambda: torch.cuda.set_device(0),
        lambda: torch.cuda.Stream(),
        lambda: torch.cuda.get_device_name(0),
    ],
)
def test_using_a_gpu_is_an_error(use):
    with pytest.raises(DeviceUnavailable, match="Torch not compiled with CUDA enabled"):
        use()


def test_accelerators_are_refused():
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is"):
        torch.accelerator.synchronize()
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is"):
        torch.ones(2).pin_memory()


def test_backend_switches_can_be_set_and_are_put_back():
    cudnn = importlib.import_module("chainrule.backends.cudnn")
    assert cudnn.deterministic is False
    with cudnn.flags(enabled=False, deterministic=True):
        assert cudnn.enabled is False
        assert cudnn.deterministic is True
    assert cudnn.enabled is True
    assert cudnn.deterministic is False
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        cudnn.flags(speed=1).__enter__()
    assert torch.backends.cuda.matmul.allow_tf32 is False


def test_settings_are_remembered():
    assert torch.get_deterministic_debug_mode() == 0
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.get_deterministic_debug_mode() == 1
    finally:
        torch.use_deterministic_algorithms(False)
    with pytest.raises(RuntimeError, match="is not one of 'highest', 'high', or 'medium'"):
        torch.set_float32_matmul_precision("low")
    assert torch.get_float32_matmul_precision() == "highest"
    assert torch.get_num_threads() >= 1


def test_a_meta_module_gets_data_later():
    weight = torch.nn.Parameter(torch.empty(3, 2, device="meta"))
    assert weight.is_meta
    assert isinstance(weight, torch.nn.Parameter)
    weight.data = torch.ones(3, 2)
    assert not weight.is_meta
    assert type(weight) is torch.nn.Parameter
    (weight * 2).sum().backward()
    assert weight.grad.tolist() == [[2.0, 2.0]] * 3


def test_a_meta_tensor_survives_pickle_and_deepcopy():
    import copy

    m = torch.empty(2, 3, device="meta", dtype=torch.float64, requires_grad=True)
    for same in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert (same.is_meta, same.shape, same.dtype) == (True, m.shape, m.dtype)
        assert same.requires_grad


def test_a_block_decides_where_new_tensors_go():
    with torch.device("meta"):
        assert torch.zeros(2).is_meta
        assert torch.nn.Parameter(torch.ones(2)).is_meta
        with torch.device("cpu"):
            assert not torch.zeros(2).is_meta
    assert not torch.zeros(2).is_meta
    torch.set_default_device("meta")
    try:
        assert torch.arange(3).is_meta
        assert torch.get_default_device() == torch.device("meta")
    finally:
        torch.set_default_device(None)
    assert torch.get_default_device() == torch.device("cpu")


def test_one_hot_of_a_tensor_without_data_has_its_shape():
    labels = torch.zeros(3, dtype=torch.int64, device="meta")
    found = torch.nn.functional.one_hot(labels, 4)
    assert (found.shape, found.dtype, found.device.type) == ((3, 4), torch.int64, "meta")
