"""Building modules without drawing their initial values."""

from __future__ import annotations

import inspect
from typing import Any

from ...autograd.accidents import explain_module
from ..modules.module import Module


def skip_init(module_cls: type, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters have memory but no values: for those loaded afterwards.

    >>> import chainrule as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 3, 2).weight.shape
    torch.Size([2, 3])
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)


explain_module(globals())
