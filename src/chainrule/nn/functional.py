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
_GROUPED = ("ScalingType", "SwizzleType", "grouped_mm", "scaled_mm")


def __getattr__(name: str) -> Any:
    if name == "grad":  # PyTorch's name for the gradients of convolutions, here too
        return importlib.import_module(".grad", __package__)
    if name in _GROUPED:
        return getattr(importlib.import_module(".grouped", __package__), name)
    if name == "boolean_dispatch":
        return importlib.import_module("chainrule._jit_internal").boolean_dispatch
    if name in _OVERRIDE_HELPERS:
        return getattr(importlib.import_module("chainrule.overrides"), name)
    if name == "Tensor" or name.startswith("_") or name == "assert_int_or_pair":
        home = ".parameter" if name == "Tensor" else "._functional_parts"
        found = vars(importlib.import_module(home, __package__)).get(name)
        if found is not None:
            return found
    if name == "scaled_grouped_mm":
        return importlib.import_module("chainrule.standins.finder").member("nn.functional", name)
    raise _missing(__name__, name)
