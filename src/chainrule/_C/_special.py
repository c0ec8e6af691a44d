"""The functions of `torch.special` under the names that PyTorch's core has for them."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from .. import special

    if not name.startswith("special_") or not hasattr(special, name.removeprefix("special_")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(special, name.removeprefix("special_"))
