"""Names of PyTorch's compiled core that programs use."""

from __future__ import annotations

from . import Generator, device, dtype, layout, memory_format
from . import Tensor as TensorBase
from .linalg import LinAlgError as _LinAlgError

__all__ = ["Generator", "TensorBase", "_LinAlgError", "device", "dtype", "layout", "memory_format"]
