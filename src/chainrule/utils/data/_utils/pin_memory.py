"""Memory that a GPU reads directly: there is none, batches stay what they are."""

from __future__ import annotations

from typing import Any


def pin_memory(data: Any, device: Any = None) -> Any:
    """The data; objects with a `pin_memory` of their own are asked for it, as in PyTorch."""
    import chainrule as torch

    own = None if isinstance(data, torch.Tensor) else getattr(data, "pin_memory", None)
    if own is not None:
        return own()
    if isinstance(data, dict):
        return type(data)({key: pin_memory(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(value) for value in data))
    if isinstance(data, list | tuple):
        return type(data)(pin_memory(value) for value in data)
    return data
