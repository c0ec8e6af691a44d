"""The functions of neural networks: everything declared for `nn.functional` in the public table."""

from __future__ import annotations

import importlib
from typing import Any

from ..tensor.api import functions_of
from ..tensor.namespaces import missing as _missing

globals().update(functions_of("nn.functional"))


_OVERRIDE_HELPERS = (
    "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "grad":  # PyTorch's name for the gradients of convolutions, here too
        return importlib.import_module(".grad", __package__)
    if name in _OVERRIDE_HELPERS:
        return getattr(importlib.import_module("chainrule.overrides"), name)
    if name == "Tensor" or name.startswith("_") or name == "assert_int_or_pair":
        home = ".parameter" if name == "Tensor" else "._functional_parts"
        found = vars(importlib.import_module(home, __package__)).get(name)
        if found is not None:
            return found
    raise _missing(__name__, name)
