"""The types that signatures name; the stubs say them as they are here.

Only type checkers import this module: where functions are defined, `Tensor` does not exist yet.
"""

from array import array
from collections.abc import Sequence
from mmap import mmap
from types import EllipsisType

import numpy as np

from ..ops.dtypes import dtype as DType
from .device import device
from .layouts import layout as Layout
from .layouts import memory_format as MemoryFormat
from .random import Generator
from .size import Size
from .tensor import Tensor

__all__ = [
    "Buffer", "DType", "DeviceLike", "Generator", "Index", "Ints", "Layout", "MemoryFormat",
    "Number", "Operand", "Size", "Tensor",
]  # fmt: skip

Buffer = bytes | bytearray | memoryview | mmap | array | np.ndarray
Number = bool | int | float | complex
Operand = Tensor | Number
# Sizes, dimensions, strides: one for all, or one each.
Ints = int | Sequence[int]
DeviceLike = device | str | int
Index = None | int | slice | EllipsisType | Tensor | Sequence[object] | np.ndarray
