"""Context managers that are decorators as well, under PyTorch's names."""

from __future__ import annotations

from ..autograd.decorators import (
    _DecoratorContextManager,
    _NoParamDecoratorContextManager,
    context_decorator,
)

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager", "context_decorator"]
