"""The functions of `torch.fft` under the names that PyTorch's core has for them."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from .. import fft

    if not name.startswith("fft_") or not hasattr(fft, name.removeprefix("fft_")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(fft, name.removeprefix("fft_"))
