"""The functions of neural networks: everything declared for `nn.functional` in the public table."""

from __future__ import annotations

import importlib
from typing import Any

from ..tensor.api import functions_of

globals().update(functions_of("nn.functional"))


def __getattr__(name: str) -> Any:
    if name == "grad":  # PyTorch's name for the gradients of convolutions, here too
        return importlib.import_module(".grad", __package__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
