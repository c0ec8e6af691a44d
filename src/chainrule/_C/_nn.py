"""Functions of PyTorch's compiled `nn` that Python code calls."""

from __future__ import annotations

import importlib
from typing import Any


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """(device, dtype, non_blocking, memory_format) of the many ways to call `to`.

    >>> import chainrule as torch
    >>> torch._C._nn._parse_to("cpu", torch.float64)
    (device(type='cpu'), torch.float64, False, None)
    """
    home = importlib.import_module("chainrule.nn.modules.module_convert")
    return home.to_arguments(args, kwargs)


def __getattr__(name: str) -> Any:
    name = "logsigmoid" if name == "log_sigmoid" else name
    functional = importlib.import_module("chainrule.nn.functional")
    if name.startswith("__") or not hasattr(functional, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(functional, name)
