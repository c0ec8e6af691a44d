"""`autocast`: run the costly operations of a block in half precision."""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.source import warn_user
from ..autograd.value import TensorBase
from ..ops.dtypes import bfloat16, float16, float64
from . import state
from .state import is_autocast_available

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]


class autocast:
    """A block (or a decorated function) in which products run in half precision.

    Matrix products, convolutions and attention compute in `dtype` (bfloat16 unless said otherwise),
    losses and decompositions in float32, everything else in what it is given. Parameters stay
    float32, and so do their gradients. Leave the block before calling backward().

    >>> import chainrule as torch
    >>> x, w = torch.ones(2, 3), torch.ones(3, 4)
    >>> with torch.autocast("cpu", dtype=torch.bfloat16):
    ...     (x @ w).dtype
    torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self.device = device_type
        self.fast_dtype = state.get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = (
            state.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        )
        self._enabled = bool(enabled) and self._possible()
        self._outer: list[state.Settings] = []  # one object may be entered again inside itself

    def _possible(self) -> bool:
        if self.device == "cuda":
            warn_user(
                "CUDA is not available or torch_xla is imported. Disabling autocast. "
                "(chainrule computes on the CPU: use autocast('cpu').)",
            )
            return False
        if self.fast_dtype not in (bfloat16, float16):
            name = self.device.upper()
            warn_user(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 "
                f"currently, not {self.fast_dtype!r}.",
            )
            return False
        return True

    def __enter__(self) -> autocast:
        now = state.present_autocast()
        self._outer.append(now)
        state.autocast_increment_nesting()
        inside = now.changed(self.device, self._enabled, self.fast_dtype)
        state.switch(dataclasses.replace(inside, cache_enabled=self._cache_enabled))
        return self

    def __exit__(self, *exc: object) -> None:
        if state.autocast_decrement_nesting() == 0:
            state.clear_autocast_cache()
        state.switch(self._outer.pop())

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you "
                "mean to use autocast as a context manager: `with torch.autocast(...):`?"
            )
        return autocast_decorator(self, func)


def autocast_decorator(autocast_instance: autocast, func: Callable[..., Any]) -> Any:
    """The function, run inside the autocast block."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return run


# ---- custom functions ----------------------------------------------------------------------------


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorates the forward of an autograd.Function that is used under autocast.

    With `cast_inputs`, floating tensors are converted to that type and autocast is off inside;
    without, the surrounding autocast holds. Outside of autocast it does nothing.
    """
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def run(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        ctx._dtype = state.get_autocast_dtype(device_type)
        enabled = state.is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(
                ctx,
                *_cast(args[1:], device_type, cast_inputs),
                **_cast(kwargs, device_type, cast_inputs),
            )

    return run


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorates the backward that belongs to a `custom_fwd`: the same autocast as in forward."""
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def run(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return run


def _check_device_type(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """Floating tensors (but float64) in another type, inside containers too."""
    if isinstance(value, TensorBase):
        fits = value.is_floating_point() and value.device.type == device_type
        return value.to(dtype) if fits and value.dtype is not float64 else value
    if isinstance(value, str | bytes | np.ndarray):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {k: _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cast(v, device_type, dtype) for v in value)
    return value


explain_module(globals(), "custom_fwd", "custom_bwd")
