"""Tools around training: data loading, checkpointing, TensorBoard, DLPack and small helpers.

Everything is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..tensor.exchange import swap_tensors

_SUBMODULES = {
    "_pytree", "benchmark", "checkpoint", "collect_env", "cpp_extension", "data", "dlpack",
    "flop_counter", "hooks", "module_tracker", "tensorboard",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _SUBMODULES:
        raise AttributeError(f"module 'chainrule.utils' has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES})


__all__ = ["swap_tensors"]
