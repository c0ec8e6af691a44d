"""Which devices and types have functions of whole lists of tensors."""

from __future__ import annotations

from typing import Any

from ..autograd.modes import no_grad
from ..tensor import Parameter, Tensor

_foreach_supported_types = [Tensor, Parameter]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Devices with functions of lists that are faster than a loop: none is another device."""
    return ["cuda", "xpu", "mtia"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Devices whose optimizers have fused steps."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def _has_foreach_support(tensors: list[Any], device: Any) -> bool:
    return device.type in _get_foreach_kernels_supported_devices() and all(
        t is None or type(t) is Tensor for t in tensors
    )


def _device_has_foreach_support(device: Any) -> bool:
    """Whether a device has functions of lists: the CPU has loops."""
    return device.type in _get_foreach_kernels_supported_devices()


def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Any]], with_indices: bool = False
) -> dict[Any, Any]:
    """Lists of tensors that belong together, by the device and type of the first list's."""
    groups: dict[Any, tuple[list[list[Any]], list[int]]] = {}
    for index, row in enumerate(zip(*tensorlistlist, strict=True)):
        first = row[0]
        lists, indices = groups.setdefault(
            (first.device, first.dtype), ([[] for _ in tensorlistlist], [])
        )
        for column, value in zip(lists, row, strict=True):
            column.append(value)
        indices.append(index)
    return {
        key: (lists, indices if with_indices else []) for key, (lists, indices) in groups.items()
    }


__all__ = ["Tensor", "no_grad"]
