"""The functions of `torch.linalg` under the names that PyTorch's core has for them."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from .. import linalg

    if not name.startswith("linalg_") or not hasattr(linalg, name.removeprefix("linalg_")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(linalg, name.removeprefix("linalg_"))
