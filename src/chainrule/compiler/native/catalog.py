"""The kernels the ops ask for by name, and the modules they are written in."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .language import Kernel

HOMES: dict[str, tuple[str, ...]] = {
    "loss_kernels": ("cross_entropy_mean", "cross_entropy_rows", "cross_entropy_mean_gradient"),
}
NAMES = frozenset(name for names in HOMES.values() for name in names)


def kernel(name: str) -> Kernel:
    """The kernel of this name."""
    for home, names in HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f".{home}", __package__), name)
    raise KeyError(f"there is no native kernel {name!r}")
