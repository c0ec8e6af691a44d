"""Tools around training: data loading, checkpointing, TensorBoard, DLPack and small helpers.

Everything is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..standins import finder as _standins
from ..tensor.exchange import swap_tensors

_SUBMODULES = {
    "_pytree", "benchmark", "checkpoint", "collect_env", "cpp_extension", "data", "dlpack",
    "flop_counter", "hooks", "module_tracker", "tensorboard",
}  # fmt: skip


_SUBMODULES |= {
    "_contextlib", "_foreach_utils", "deterministic", "file_baton", "model_zoo", "weak",
}  # fmt: skip


def _set_module(obj: Any, mod: str) -> None:
    """Say where an object is to be found, when that is text."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


_set_module.__name__ = _set_module.__qualname__ = "set_module"


def __getattr__(name: str) -> Any:
    if name == "set_module":
        return _set_module
    if name not in _SUBMODULES:
        return _standins.member("utils", name)
    return importlib.import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES})


__all__ = ["swap_tensors"]
