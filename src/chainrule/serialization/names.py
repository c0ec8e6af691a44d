"""What pickles call things: PyTorch's names for our objects, and ours for PyTorch's names.

Files carry PyTorch's names only, so that either library reads what the other one wrote.
"""

from __future__ import annotations

import importlib
from types import FunctionType
from typing import Any

from ..ops import dtypes
from ..tensor import layouts
from ..tensor.device import device
from ..tensor.legacy import LEGACY_TYPES
from ..tensor.parameter import Parameter
from ..tensor.random import Generator
from ..tensor.size import Size
from ..tensor.storage import TypedStorage, UntypedStorage
from ..tensor.tensor import Tensor
from . import rebuild, storages

_US = __name__.partition(".")[0]

# Where PyTorch keeps what lies elsewhere here. The first name of an object is the one written.
_SPECIAL: dict[tuple[str, str], Any] = {
    ("torch", "Tensor"): Tensor,
    ("torch._tensor", "Tensor"): Tensor,
    ("torch.nn.parameter", "Parameter"): Parameter,
    ("torch", "Size"): Size,
    ("torch", "device"): device,
    ("torch", "dtype"): dtypes.dtype,
    ("torch._C", "Generator"): Generator,
    ("torch", "Generator"): Generator,
    ("torch.storage", "UntypedStorage"): storages.UNTYPED,
    ("torch.storage", "TypedStorage"): TypedStorage,
    ("torch.serialization", "_get_layout"): rebuild._get_layout,
    ("torch._tensor", "_rebuild_from_type_v2"): rebuild._rebuild_from_type_v2,
    **{("torch._utils", f.__name__): f for f in rebuild.REBUILDERS},
    **{("torch", name): kind for name, kind in storages.TYPES.items() if kind.dtype is not None},
    **{("torch", d.name): d for d in dtypes.BY_NAME.values()},
    **{("torch", name): kind for name, kind in LEGACY_TYPES.items()},
    **{
        ("torch", name): found
        for name, found in vars(layouts).items()
        if isinstance(found, layouts.memory_format | layouts.layout)
    },
}
_WRITTEN = {id(found): (module, name) for (module, name), found in reversed(list(_SPECIAL.items()))}
_WRITTEN[id(UntypedStorage)] = ("torch.storage", "UntypedStorage")

# Modules of PyTorch's whose members are found elsewhere here.
_MOVED_MODULES = {
    "torch": _US,
    "torch._C._nn": f"{_US}.nn.functional",
    "torch._C._VariableFunctions": _US,
    "torch._jit_internal": f"{_US}.jit",
    "torch.functional": _US,
    "torch.return_types": f"{_US}.tensor.return_types",
}


def torch_name(found: Any) -> tuple[str, str] | None:
    """(module, name) under which PyTorch knows an object of ours; None when it is not ours."""
    known = _WRITTEN.get(id(found))
    if known is not None:
        return known
    module = getattr(found, "__module__", None)
    name = getattr(found, "__qualname__", getattr(found, "__name__", None))
    if not isinstance(name, str):
        return None
    if isinstance(found, FunctionType) and (module is None or module.startswith(f"{_US}.tensor.")):
        return _public_function(found, name)
    if module == f"{_US}.tensor.return_types":
        return "torch.return_types", name
    if isinstance(module, str) and module.startswith(f"{_US}."):
        return _home_of_layer(module, name) or ("torch" + module[len(_US) :], name)
    return None


def _home_of_layer(module: str, name: str) -> tuple[str, str] | None:
    """The module of PyTorch's that has a layer, where ours is defined in another file."""
    if not module.startswith(f"{_US}.nn.modules."):
        return None
    home = importlib.import_module(f"{_US}.nn.modules").HOME_OF.get(name)
    return None if home is None else (f"torch.nn.modules.{home}", name)


def _public_function(found: Any, name: str) -> tuple[str, str] | None:
    """The namespace in which users find a function of the public table."""
    for module in ("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft"):
        home = importlib.import_module(_US + module[len("torch") :])
        if getattr(home, name, None) is found:
            return module, name
    return None


def our_object(module: str, name: str) -> Any:
    """The object of ours that PyTorch's name means; an AttributeError when there is none."""
    special = _SPECIAL.get((module, name))
    if special is not None:
        return special
    if (module, name) == ("torch._C", "_VariableFunctionsClass"):
        return importlib.import_module(_US)  # PyTorch pickles torch.tanh as an attribute of it
    ours = _MOVED_MODULES.get(module) or _US + module[len("torch") :]
    try:
        found: Any = importlib.import_module(ours)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        raise AttributeError(
            f"the file needs {module}.{name}, which chainrule does not have"
        ) from None
    return found


def is_torch(module: str) -> bool:
    """Whether a module's name is PyTorch's."""
    return module == "torch" or module.startswith("torch.")
