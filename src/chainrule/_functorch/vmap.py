"""`torch._functorch.vmap`: what libraries import of the inside of vmap.

The levels of PyTorch's vmap have numbers that its core knows; here a level is an object, so that
batch dimensions are added and removed by `torch.vmap` alone. Trees that are registered
(`utils._pytree`) are taken apart by it.
"""

from __future__ import annotations

import functools
from typing import Any

from ..func import vmap
from ..tensor import Tensor
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten


def _get_name(func: Any) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return getattr(func, "__name__", repr(func))


def _refuse(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"torch._functorch.vmap.{name}: batch dimensions are added and removed by torch.vmap alone"
    )


def _add_batch_dim(tensor: Any, batch_dim: int, level: int) -> Any:
    """Always an error."""
    raise _refuse("_add_batch_dim")


def _remove_batch_dim(tensor: Any, level: int, batch_size: int, out_dim: int) -> Any:
    """Always an error."""
    raise _refuse("_remove_batch_dim")


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """Always an error."""
    raise _refuse("_maybe_remove_batch_dim")


__all__ = [
    "Tensor",
    "_broadcast_to_and_flatten",
    "_get_name",
    "tree_flatten",
    "tree_unflatten",
    "vmap",
]
