"""The first `vmap` of PyTorch, where old programs look for it."""

from __future__ import annotations

from typing import Any

from . import Tensor
from .func import vmap as _vmap
from .utils._pytree import tree_flatten, tree_unflatten


def vmap(func: Any, in_dims: Any = 0, out_dims: Any = 0) -> Any:
    """`torch.func.vmap`."""
    return _vmap(func, in_dims, out_dims)


__all__ = ["Tensor", "tree_flatten", "tree_unflatten", "vmap"]
