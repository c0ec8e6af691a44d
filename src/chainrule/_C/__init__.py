"""Names of PyTorch's compiled core that programs use."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from .. import (
    Generator,
    Size,
    Tensor,
    device,
    dtype,
    get_default_device,
    is_grad_enabled,
    layout,
    memory_format,
    set_grad_enabled,
)
from .. import Tensor as TensorBase
from ..autograd.state import STATE
from ..linalg import LinAlgError as _LinAlgError
from ..overrides import (
    _get_function_stack_at,
    _is_torch_function_mode_enabled,
    _len_torch_function_stack,
)
from ..overrides import _pop_mode as _pop_torch_function_stack
from ..overrides import _push_mode as _push_on_torch_function_stack
from ..overrides import has_torch_function as _has_torch_function
from ..overrides import has_torch_function_unary as _has_torch_function_unary
from ..overrides import has_torch_function_variadic as _has_torch_function_variadic
from ..standins import add_to as _add_stand_ins
from ..tensor.overriding import DisableTorchFunction, DisableTorchFunctionSubclass
from ..tensor.overriding import EnableTorchFunction as _EnableTorchFunction
from ..tensor.overriding import disabled as _disabled_torch_function_impl
from ..tensor.overriding import disabled_dispatch as _disabled_torch_dispatch_impl
from ..tensor.overriding import is_all_disabled as _is_torch_function_all_disabled
from ..tensor.overriding import is_enabled as _is_torch_function_enabled
from .dispatch_keys import DispatchKey, DispatchKeySet, _ExcludeDispatchKeyGuard

_TensorBase = TensorBase
_TensorMeta = type(Tensor)
_set_grad_enabled = set_grad_enabled


def _get_default_device() -> str:
    """The device on which tensors are made, as text."""
    return str(get_default_device())


def _get_accelerator(check: bool = False) -> device:
    """The device that would compute: the CPU."""
    return device("cpu")


def _get_tracing_state() -> Any:
    """The state of the graph that `torch.jit` is recording; None when it records none."""
    graph = sys.modules.get(f"{__name__.partition('.')[0]}.jit._graph")
    return graph.tracing_state() if graph is not None else None


class _DisableTorchDispatch:
    """A block in which neither modes nor classes are asked about ops."""

    def __enter__(self) -> None:
        from ..dispatcher.asking import disabled

        self._block = disabled()
        self._block.__enter__()

    def __exit__(self, *exc: Any) -> None:
        self._block.__exit__(*exc)


def _len_torch_dispatch_stack() -> int:
    """How many dispatch modes are on."""
    return len(STATE.dispatch_modes)


def _get_dispatch_stack_at(position: int) -> Any:
    """A dispatch mode that is on, counted from the outermost."""
    return STATE.dispatch_modes[position]


def _push_on_torch_dispatch_stack(mode: Any) -> None:
    """Turn a dispatch mode on."""
    from ..dispatcher.asking import push_mode

    push_mode(mode)


def _pop_torch_dispatch_stack(mode_key: Any = None) -> Any:
    """Turn the innermost dispatch mode off."""
    from ..dispatcher.asking import pop_mode

    return pop_mode()


def _is_alias_of(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors lie in the same memory."""
    return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()


def __getattr__(name: str) -> Any:
    if name in ("_fft", "_linalg", "_nn", "_special"):
        return importlib.import_module(f".{name}", __name__)
    if name == "_show_config":
        return importlib.import_module("chainrule.__config__").show
    from ..standins import finder

    return finder.member("_C", name)


__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DispatchKey",
    "DispatchKeySet",
    "Generator",
    "Size",
    "TensorBase",
    "_DisableTorchDispatch",
    "_EnableTorchFunction",
    "_ExcludeDispatchKeyGuard",
    "_LinAlgError",
    "_disabled_torch_dispatch_impl",
    "_disabled_torch_function_impl",
    "_get_dispatch_stack_at",
    "_get_function_stack_at",
    "_has_torch_function",
    "_has_torch_function_unary",
    "_has_torch_function_variadic",
    "_is_torch_function_all_disabled",
    "_is_torch_function_enabled",
    "_is_torch_function_mode_enabled",
    "_len_torch_dispatch_stack",
    "_len_torch_function_stack",
    "_pop_torch_dispatch_stack",
    "_pop_torch_function_stack",
    "_push_on_torch_dispatch_stack",
    "_push_on_torch_function_stack",
    "device",
    "dtype",
    "is_grad_enabled",
    "layout",
    "memory_format",
]  # fmt: skip

_add_stand_ins(globals())
