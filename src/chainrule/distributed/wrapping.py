"""Which modules inside a model are sharded on their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class ModuleWrapPolicy:
    """Modules of these classes."""

    def __init__(self, module_classes: Iterable[type]) -> None:
        self._module_classes = set(module_classes)

    def __repr__(self) -> str:
        return f"ModuleWrapPolicy({self._module_classes})"


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """Every module."""
    return True


def transformer_auto_wrap_policy(
    module: Any, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type]
) -> bool:
    """Modules of the layer's classes."""
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: Any, recurse: bool, nonwrapped_numel: int, min_num_params: int = int(1e8),
    force_leaf_modules: Any = None, exclude_wrap_modules: Any = None,
) -> bool:  # fmt: skip
    """Modules with so many parameters."""
    return nonwrapped_numel >= min_num_params


__all__ = [
    "ModuleWrapPolicy", "always_wrap_policy", "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy",
]  # fmt: skip
