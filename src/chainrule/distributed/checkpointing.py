"""Modules that are run again in the backward pass, under the names that sharded programs use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Any

from ..nn.modules.module import Module
from ..utils.checkpoint import checkpoint

_PREFIX = "_checkpoint_wrapped_module."


class CheckpointImpl(Enum):
    """How a module is run again."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class CheckpointWrapper(Module):
    """A module that keeps its inputs alone; names of parameters are those of the module inside."""

    def __init__(
        self, mod: Module, checkpoint_impl: Any = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self._checkpoint_wrapped_module = mod
        reentrant = checkpoint_impl is CheckpointImpl.REENTRANT
        self.checkpoint_fn = checkpoint_fn or functools.partial(
            checkpoint, use_reentrant=reentrant, **options
        )
        self._register_state_dict_hook(_without_prefix)
        self._register_load_state_dict_pre_hook(_with_prefix)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        inside: Any = self._checkpoint_wrapped_module
        return inside[key]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """Parameters under the names of the module inside."""
        for name, p in super().named_parameters(*args, **kwargs):
            yield name.replace(_PREFIX, ""), p


def _without_prefix(module: Any, state: dict[str, Any], prefix: str, metadata: Any) -> None:
    for key in list(state):
        if key.startswith(prefix + _PREFIX):
            state[prefix + key.removeprefix(prefix + _PREFIX)] = state.pop(key)


def _with_prefix(state: dict[str, Any], prefix: str, *rest: Any) -> None:
    for key in list(state):
        if key.startswith(prefix) and not key.startswith(prefix + _PREFIX):
            state[prefix + _PREFIX + key.removeprefix(prefix)] = state.pop(key)


def checkpoint_wrapper(
    module: Module, checkpoint_impl: Any = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None, **options: Any,
) -> CheckpointWrapper:  # fmt: skip
    """A module that is run again in the backward pass."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **options)


def apply_activation_checkpointing(
    model: Module, checkpoint_wrapper_fn: Callable[..., Any] = checkpoint_wrapper,
    check_fn: Callable[[Any], bool] = lambda _: True, auto_wrap_policy: Any = None,
) -> None:  # fmt: skip
    """Wrap the modules inside a model for which `check_fn` says so."""
    for owner in list(model.modules()):
        for name, child in list(owner.named_children()):
            if not isinstance(owner, CheckpointWrapper) and check_fn(child):
                setattr(owner, name, checkpoint_wrapper_fn(child))


__all__ = [
    "CheckpointImpl", "CheckpointWrapper", "apply_activation_checkpointing", "checkpoint_wrapper",
]  # fmt: skip
