"""PyTorch's names for our classes and for the package, while the import hook is installed.

Programs ask for them: `type(x).__module__.startswith("torch")`, `str(type(x))`, `torch.__name__`,
`m.__module__.startswith("torch.nn")` of a tracer. A class is then at home where PyTorch shows it,
and can be found there: pickles made under the hook are read under it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ..autograd import source
from ..ops.dtypes import dtype
from ..tensor import Parameter, Size, Tensor, layouts, random, storage
from ..tensor.device import device
from ..tensor.info import finfo, iinfo
from ..tensor.namespaces import names_so_far

_OURS, _THEIRS = __name__.partition(".")[0], "torch"
# Of folders that PyTorch does not have.
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
}
_before: dict[Any, str] = {}  # what bears another name now, and its own


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


def adopt(module: ModuleType) -> None:
    """Let the classes of a module, if PyTorch has its like, be at home under PyTorch's name."""
    from .finder import speaks_torch

    own = module.__name__
    if not own.startswith(f"{_OURS}.") or not speaks_torch(own):
        return
    theirs = _THEIRS + own[len(_OURS) :]
    for kind in list(names_so_far(module).values()):
        if isinstance(kind, type) and kind.__module__ == own:
            _rename(kind, theirs)
            sys.modules.setdefault(theirs, module)


def end() -> None:
    """Take back what `begin` and `adopt` did."""
    for found, name in _before.items():
        setattr(found, "__name__" if isinstance(found, ModuleType) else "__module__", name)
    _before.clear()
    source.OWN_NAMES.discard(_THEIRS)


def _rename(kind: Any, home: str) -> None:
    _before.setdefault(kind, kind.__module__)
    kind.__module__ = home
