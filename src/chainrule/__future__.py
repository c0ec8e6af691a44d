"""Switches for how modules convert and load their parameters, as in `torch.__future__`.

By default a conversion (`module.double()`, `module.to(...)`) keeps every parameter object and gives
it other memory. `set_overwrite_module_params_on_conversion(True)` puts new objects into the module
instead; `set_swap_module_params_on_conversion(True)` exchanges the contents of the old object and a
new one (`utils.swap_tensors`), in `load_state_dict` too.

>>> import chainrule as torch
>>> torch.__future__.get_swap_module_params_on_conversion()
False
"""

from __future__ import annotations

from .tensor.settings import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion,
)

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]
