"""Names of PyTorch's optimizers that optimizers of other libraries import."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.modes import set_grad_enabled
from ..autograd.value import TensorBase


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` that records only where the optimizer is differentiable."""

    @functools.wraps(func)
    def step(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(args[0].defaults.get("differentiable"))):
            return func(*args, **kwargs)

    return step


def _default_to_fused_or_foreach(
    params: list[Any], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Neither: on a CPU PyTorch loops, too."""
    return False, False


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    found = ["cuda", "xpu", "hpu"]
    return [*found, "xla"] if supports_xla else found


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Complex tensors of lists as pairs of real ones, in their places."""
    for k, p in enumerate(params):
        if p.is_complex():
            params[k] = _as_pairs(p)
            for listed in state_and_grads:
                listed[k] = _as_pairs(listed[k])


def _as_pairs(x: Any) -> Any:
    from .. import view_as_real

    return view_as_real(x)


def _get_value(x: Any) -> Any:
    return x.item() if isinstance(x, TensorBase) else x


def _stack_if_compiling(x: Any) -> Any:
    return x


def _dispatch_sqrt(x: Any) -> Any:
    return x.sqrt() if isinstance(x, TensorBase) else x**0.5


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    return lambda function: function


def _get_scalar_dtype(is_fused: Any = None) -> Any:
    from .. import float32, float64, get_default_dtype

    return float32 if is_fused or get_default_dtype() is not float64 else float64


def _to_scalar(x: Any) -> Any:
    """A tensor of one element without its dimensions."""
    return x.squeeze() if isinstance(x, TensorBase) and x.dim() != 0 else x  # type: ignore[attr-defined]


def step_function_of(module: str) -> Callable[[str], Any]:
    """A module's `__getattr__`: `torch.optim.adam.adam`, which few programs load."""
    offered = module.rpartition(".")[2]

    def find(name: str) -> Any:
        if name != offered:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        from . import _functional

        return getattr(_functional, name)

    return find
