"""The memory format of convolution weights; kept because programs call it."""

from __future__ import annotations

from typing import Any

from ...autograd.accidents import explain_module


def _convert(module: Any, memory_format: Any, names: tuple[str, ...]) -> Any:
    from ..modules import conv

    classes = tuple(getattr(conv, name) for name in names)
    for part in module.modules():
        if isinstance(part, classes):
            part.weight.data = part.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Store the weights of all 2-d convolutions in a memory format."""
    return _convert(module, memory_format, ("Conv2d", "ConvTranspose2d"))


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Store the weights of all 3-d convolutions in a memory format."""
    return _convert(module, memory_format, ("Conv3d", "ConvTranspose3d"))


explain_module(globals())
