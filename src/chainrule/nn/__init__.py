"""Neural networks: modules, their parameters, functions, initialisations and utilities.

Everything but the functions is imported when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from ..tensor import Parameter as Parameter
from ..tensor.namespaces import LoadedWhenUsed as _LoadedWhenUsed
from ..tensor.namespaces import missing as _missing
from . import functional as functional

_SUBMODULES = {
    "_reduction", "attention", "common_types", "grad", "init", "modules", "parallel", "parameter",
    "utils",
}  # fmt: skip
_OF_PARAMETER = {"Buffer", "UninitializedBuffer", "UninitializedParameter"}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    modules = importlib.import_module(".modules", __name__)
    if name == "__all__":  # `from torch.nn import *` means everything
        listed = {*_SUBMODULES, *_OF_PARAMETER, *modules.HOME_OF}
        return sorted({"DataParallel", "Parameter", "functional", *listed})
    if name in _OF_PARAMETER:
        home = importlib.import_module(".parameter", __name__)
    elif name in modules.HOME_OF:
        home = modules
    elif name == "DataParallel":
        home = importlib.import_module(".parallel", __name__)
    elif name == "factory_kwargs":
        home = importlib.import_module(".factory", __name__)
    else:
        raise _missing("chainrule.nn", name)
    found = globals()[name] = getattr(home, name)
    return found


def __dir__() -> list[str]:
    modules = importlib.import_module(".modules", __name__)
    return sorted({*globals(), *_SUBMODULES, *_OF_PARAMETER, *modules.HOME_OF, "DataParallel"})


sys.modules[__name__].__class__ = _LoadedWhenUsed
