"""Where new tensors are put: the context that `with torch.device(...)` enters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import chainrule as cr

from ..overrides import TorchFunctionMode
from ..tensor.device import device as _device_class


class DeviceContext(TorchFunctionMode):
    """Creation functions put tensors on a device inside the block, unless told otherwise."""

    def __init__(self, device: Any) -> None:
        super().__init__()
        self.device = cr.device(device)
        self._entered: list[Any] = []

    def __enter__(self) -> Any:
        where = _device_class(self.device)
        where.__enter__()
        self._entered.append(where)
        return self

    def __exit__(self, *problem: Any) -> None:
        self._entered.pop().__exit__(*problem)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        with self:
            return func(*args, **(kwargs or {}))


def set_device(device: Any) -> Callable[[Any], Any]:
    """A decorator whose functions run with a default device."""
    return lambda function: device_decorator(cr.device(device), function)


def device_decorator(device: Any, func: Any) -> Any:
    """The function, run with a default device."""

    @functools.wraps(func)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with DeviceContext(device):
            return func(*args, **kwargs)

    return inside


__all__ = ["DeviceContext", "device_decorator", "set_device"]
