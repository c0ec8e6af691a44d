"""Mixed precision under the names it had per device: `cuda.amp.autocast`, `cpu.amp.GradScaler`."""

from __future__ import annotations

import functools
import sys
from typing import Any

from ..autograd.source import warn_user
from ..ops.dtypes import bfloat16, float16
from ..tensor.api import NAMED
from . import autocast_mode, grad_scaler

NAMES = ("GradScaler", "autocast", "custom_bwd", "custom_fwd")


@functools.cache
def old_names(device: str) -> dict[str, Any]:
    """The old classes and functions of a device; each says what to write instead."""

    def deprecated(name: str, instead: str) -> None:
        warn_user(
            f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{instead}` "
            "instead.",
            FutureWarning,
        )

    default = bfloat16 if device == "cpu" else float16

    class autocast(autocast_mode.autocast):
        """`amp.autocast(device, ...)` under its old name."""

        def __init__(
            self, enabled: bool = True, dtype: Any = default, cache_enabled: bool = True
        ) -> None:
            deprecated("autocast", f"autocast('{device}', args...)")
            super().__init__(device, dtype, enabled, cache_enabled)

    class GradScaler(grad_scaler.GradScaler):
        """`amp.GradScaler(device, ...)` under its old name."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            deprecated("GradScaler", f"GradScaler('{device}', args...)")
            super().__init__(device, *args, **kwargs)

    def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
        """`amp.custom_fwd(..., device_type=device)` under its old name."""
        deprecated("custom_fwd", f"custom_fwd(args..., device_type='{device}')")
        return autocast_mode.custom_fwd(fwd, device_type=device, cast_inputs=cast_inputs)

    def custom_bwd(bwd: Any) -> Any:
        """`amp.custom_bwd(..., device_type=device)` under its old name."""
        deprecated("custom_bwd", f"custom_bwd(args..., device_type='{device}')")
        return autocast_mode.custom_bwd(bwd, device_type=device)

    package = sys.modules[__name__.partition(".")[0]].__name__  # "torch" under the import hook
    made = (autocast, GradScaler, custom_fwd, custom_bwd)
    for each in made:
        each.__module__, each.__qualname__ = f"{package}.{device}.amp", each.__name__
        NAMED.append(each)  # it follows the package's name from now on
    return {each.__name__: each for each in made}
