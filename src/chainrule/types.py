"""Names for what functions take and return, for type annotations."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TypeAlias, Union

from . import Generator, Size, Tensor, device, dtype, layout
from .tensor.storage import UntypedStorage as Storage

_TensorOrTensors: TypeAlias = Union[Tensor, Sequence[Tensor]]  # noqa: UP007 - also used at run time
_TensorOrTensorsOrGradEdge: TypeAlias = _TensorOrTensors
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_qscheme: TypeAlias = object
_size: TypeAlias = Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_symsize: TypeAlias = Union[Size, Sequence[int]]  # noqa: UP007
_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_complex: TypeAlias = builtins.complex
Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = Union[str, "object"]

__all__ = ["Device", "FileLike", "Generator", "Number", "Storage"]
