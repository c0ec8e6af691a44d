"""DLPack under PyTorch's name: memory shared with other array libraries."""

from __future__ import annotations

from ..tensor.interop import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
