"""PyTorch's names for our classes, functions and the package, while the import hook is installed.

Programs ask for them: `type(x).__module__.startswith("torch")`, `str(type(x))`, `torch.__name__`,
`m.__module__.startswith("torch.nn")` of a tracer. What is in a module that PyTorch has too is at
home there; `homes.txt` says where the rest is. It can be found there, so that pickles made under
the hook are read under it, and where PyTorch has it also by PyTorch.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ..autograd import source
from ..ops.dtypes import dtype
from ..tensor import Parameter, Size, Tensor, layouts, random, storage
from ..tensor.api import NAMED
from ..tensor.device import device
from ..tensor.info import finfo, iinfo
from ..tensor.namespaces import names_so_far
from .aliases import speaks_torch

_OURS, _THEIRS = __name__.partition(".")[0], "torch"
# Objects whose names a module does not show.
_ELSEWHERE: dict[Any, str] = {
    Tensor: "torch",
    Parameter: "torch.nn.parameter",
    Size: "torch",
    device: "torch",
    finfo: "torch",
    iinfo: "torch",
    dtype: "torch",
    layouts.layout: "torch",
    layouts.memory_format: "torch",
    random.Generator: "torch._C",
    storage.UntypedStorage: "torch.storage",
    storage.TypedStorage: "torch.storage",
    **dict.fromkeys(storage.TYPED_KINDS.values(), "torch"),
}
_before: dict[Any, str] = {}  # what bears another name now, and its own


@functools.cache
def homes() -> dict[str, dict[str, str]]:
    """By module of ours: its names that PyTorch has in another module, each with that module."""
    found: dict[str, dict[str, str]] = {}
    home = ""
    text = Path(__file__).with_name("homes.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith(" "):
            module, *names = line.split()
            found.setdefault(f"{_OURS}.{module}", {}).update(dict.fromkeys(names, home))
        else:
            home = line
    return found


def begin() -> None:
    """Give the package, its special classes and the modules that are loaded PyTorch's names."""
    source.OWN_NAMES.add(_THEIRS)
    package = sys.modules[_OURS]
    _before[package] = package.__name__
    package.__name__ = _THEIRS
    for kind, home in _ELSEWHERE.items():
        _rename(kind, home)
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{_OURS}."):
            adopt(module)
    for function in NAMED:
        if function.__module__ == _OURS or function.__module__.startswith(f"{_OURS}."):
            _rename(function, _THEIRS + function.__module__[len(_OURS) :])


def adopt(module: ModuleType) -> None:
    """Let what a module defines be at home where PyTorch has it."""
    own = module.__name__
    elsewhere = homes().get(own, {})
    if not own.startswith(f"{_OURS}.") or not (elsewhere or speaks_torch(own)):
        return
    theirs = _THEIRS + own[len(_OURS) :] if speaks_torch(own) else own
    for name, found in list(names_so_far(module).items()):
        if name in elsewhere and isinstance(found, type | FunctionType):
            _rename(found, elsewhere[name])
        elif isinstance(found, type | FunctionType) and found.__module__ == own != theirs:
            _rename(found, theirs)
            sys.modules.setdefault(theirs, module)


def end() -> None:
    """Take back what `begin` and `adopt` did."""
    for found, name in _before.items():
        setattr(found, "__name__" if isinstance(found, ModuleType) else "__module__", name)
    _before.clear()
    for function in NAMED:  # also those that were made meanwhile
        if function.__module__.partition(".")[0] == _THEIRS:
            function.__module__ = _OURS + function.__module__[len(_THEIRS) :]
    source.OWN_NAMES.discard(_THEIRS)


def _rename(found: Any, home: str) -> None:
    _before.setdefault(found, found.__module__)
    found.__module__ = home
