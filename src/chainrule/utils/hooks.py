"""The handle that removes a hook, under PyTorch's name."""

from __future__ import annotations

from ..autograd.node import RemovableHandle

__all__ = ["RemovableHandle"]
