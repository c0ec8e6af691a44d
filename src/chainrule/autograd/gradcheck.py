"""PyTorch's place of `gradcheck`, which is written over this layer and stands in `checking/`."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .stand_ins import rest_of

if TYPE_CHECKING:
    from ..checking.gradcheck import GradcheckError, gradcheck, gradgradcheck

_rest = rest_of(__name__)


class _CallableModule(ModuleType):
    """PyTorch has a function and a module of this name; whichever import came first, both work."""

    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        return self.gradcheck(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return _rest(name)
    return getattr(importlib.import_module("..checking.gradcheck", __package__), name)
