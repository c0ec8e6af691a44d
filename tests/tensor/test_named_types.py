"""Types that exist by name only: tables of libraries hold them, tensors do not."""

from __future__ import annotations

import pickle

import pytest

import chainrule as torch


@pytest.mark.parametrize("name", ["bits8", "int4", "uint2", "int1"])
def test_named_types_can_be_told_apart_and_stored_in_tables(name: str) -> None:
    kind = getattr(torch, name)
    assert repr(kind) == f"torch.{name}" and isinstance(kind, torch.dtype)
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert {kind: 1}[getattr(torch, name)] == 1
    assert not kind.is_complex and kind.itemsize == 1


def test_no_tensor_of_a_named_type_is_made() -> None:
    for make in (
        lambda: torch.zeros(2, dtype=torch.bits16),
        lambda: torch.ones(2).to(torch.int4),
        lambda: torch.tensor([1], dtype=torch.uint3),
    ):
        with pytest.raises(TypeError, match="no tensor of type"):
            make()
    with pytest.raises(RuntimeError, match="Promotion"):
        torch.promote_types(torch.int4, torch.float32)


def test_the_module_of_a_device() -> None:
    assert torch.get_device_module() is torch.cpu
    assert torch.get_device_module(torch.device("cuda")) is torch.cuda
    with pytest.raises(RuntimeError, match="does not have a corresponding module"):
        torch.get_device_module("meta")
    with pytest.raises(RuntimeError, match="Invalid value of device"):
        torch.get_device_module(3)
