"""What a file may name when nothing of it is to be trusted: the list, and the user's additions."""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict
from typing import Any

from ..autograd.accidents import explain_module
from ..ops import dtypes
from ..tensor.device import device
from ..tensor.legacy import LEGACY_TYPES
from ..tensor.parameter import Parameter
from ..tensor.size import Size
from ..tensor.tensor import Tensor
from . import builders, names, rebuild, storages

_DEFAULT: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "_codecs.encode": builders.ENCODED,
    "builtins.bytearray": builders.BYTEARRAY,
    "builtins.set": builders.SET,
    "builtins.complex": complex,
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.Size": Size,
    "torch.device": device,
    "torch.storage.UntypedStorage": storages.UNTYPED,
    "torch.serialization._get_layout": rebuild._get_layout,
    "torch._tensor._rebuild_from_type_v2": rebuild._rebuild_from_type_v2,
    **{f"torch._utils.{f.__name__}": f for f in rebuild.REBUILDERS},
    **{f"torch.{name}": kind for name, kind in storages.TYPES.items()},
    **{f"torch.{d.name}": d for d in dtypes.BY_NAME.values()},
    **{f"torch.{name}": kind for name, kind in LEGACY_TYPES.items()},
}

# Things that PyTorch's own list has and that do not exist here: refused for that reason.
_ABSENT = {
    "torch._utils._rebuild_qtensor": "quantised tensors",
    "torch._utils._rebuild_nested_tensor": "nested tensors",
    "torch._utils._rebuild_wrapper_subclass": "wrapper tensors",
    **{f"torch.{name}": what for name, what in storages.UNSUPPORTED_STORAGES.items()},
    **{
        f"torch.{name}": f"tensors of type torch.{name}"
        for name in (
            "quint8", "qint8", "qint32", "quint4x2", "quint2x4", "complex32", "bits8",
            "ComplexHalfStorage",
        )
    },
}  # fmt: skip

_added: dict[str, Any] = {}


def find(full_name: str) -> Any:
    """The allowed object of that name; None when it is not allowed."""
    found = _DEFAULT.get(full_name)
    return _added.get(full_name) if found is None else found


def absent(full_name: str) -> str | None:
    """What is missing here, when a name is harmless but has no counterpart."""
    return _ABSENT.get(full_name)


def may_call(function: Any) -> bool:
    """Whether a file may have this called."""
    return any(function is f for f in (*_CALLABLE, *_added.values()))


def may_build(kind: type) -> bool:
    """Whether a file may set the state of an object of this class."""
    return any(kind is k for k in _added.values())


_CALLABLE = (
    OrderedDict, Counter, builders.ENCODED, builders.BYTEARRAY, builders.SET, complex, Parameter,
    Size, device,
    rebuild._get_layout, rebuild._rebuild_from_type_v2, *rebuild.REBUILDERS,
)  # fmt: skip


# ---- the user's additions ------------------------------------------------------------------------


def add_safe_globals(safe_globals: list[Any | tuple[Any, str]]) -> None:
    """Let `load` make objects of these classes and call these functions.

    A pair gives the name that the file uses for the object.

    >>> import chainrule as torch
    >>> from fractions import Fraction
    >>> torch.serialization.add_safe_globals([Fraction])
    >>> torch.serialization.get_safe_globals()
    [<class 'fractions.Fraction'>]
    >>> torch.serialization.clear_safe_globals()
    """
    for entry in safe_globals:
        for name in _names_of(entry):
            _added[name] = entry[0] if isinstance(entry, tuple) else entry


def _names_of(entry: Any) -> list[str]:
    if isinstance(entry, tuple):
        return [entry[1]]
    found = [f"{entry.__module__}.{getattr(entry, '__qualname__', entry.__name__)}"]
    in_files = names.torch_name(entry)
    return found if in_files is None else [*found, ".".join(in_files)]


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` has allowed so far."""
    unique = {id(found): found for found in _added.values()}
    return list(unique.values())


def clear_safe_globals() -> None:
    """Take back everything that `add_safe_globals` has allowed."""
    _added.clear()


class safe_globals(contextlib.ContextDecorator):
    """Allow these classes and functions for the loads inside the `with` block."""

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = safe_globals
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        self._before.append(dict(_added))
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exc: object) -> None:
        _added.clear()
        _added.update(self._before.pop())


explain_module(globals(), "add_safe_globals")
