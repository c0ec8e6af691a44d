"""Names of PyTorch's compiled core that programs use."""

from __future__ import annotations

import importlib
from typing import Any

from .. import (
    Generator,
    Size,
    Tensor,
    device,
    dtype,
    get_default_device,
    is_grad_enabled,
    layout,
    memory_format,
    set_grad_enabled,
)
from .. import Tensor as TensorBase
from ..linalg import LinAlgError as _LinAlgError
from ..standins import add_to as _add_stand_ins

_TensorBase = TensorBase
_TensorMeta = type(Tensor)
_set_grad_enabled = set_grad_enabled


def _get_default_device() -> str:
    """The device on which tensors are made, as text."""
    return str(get_default_device())


def _get_accelerator(check: bool = False) -> device:
    """The device that would compute: the CPU."""
    return device("cpu")


def _is_alias_of(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors lie in the same memory."""
    return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()


def __getattr__(name: str) -> Any:
    if name in ("_fft", "_linalg", "_nn", "_special"):
        return importlib.import_module(f".{name}", __name__)
    from ..standins import finder

    return finder.member("_C", name)


__all__ = [
    "Generator", "Size", "TensorBase", "_LinAlgError", "device", "dtype", "is_grad_enabled",
    "layout", "memory_format",
]  # fmt: skip

_add_stand_ins(globals())
