"""What hooks may return: a gradient of the same shape and type, and as many as they were given."""

from __future__ import annotations

from typing import Any

from .errors import type_word
from .trees import several
from .value import TensorBase


def hook_name(hook: Any) -> str:
    """The name by which an error speaks of a hook."""
    return getattr(hook, "__name__", type(hook).__name__)


def check_replacement(hook: Any, result: Any, shown: Any) -> None:
    """A hook may replace a gradient only by one of the same shape and type."""
    name = hook_name(hook)
    if not isinstance(result, TensorBase):
        raise TypeError(
            f"expected Variable, but hook '{name}' returned {type(result).__name__}; return a "
            "tensor or None"
        )
    have: Any = result
    if have.dtype is not shown.dtype:
        raise RuntimeError(
            f"hook '{name}' has changed the type of value (was {_type_name(shown)} got "
            f"{_type_name(have)}); a gradient keeps its tensor's type. Fix: return it .to("
            f"{shown.dtype!r})."
        )
    if tuple(have.shape) != tuple(shown.shape):
        raise RuntimeError(
            f"hook '{name}' has changed the size of value: it was {list(shown.shape)} and became "
            f"{list(have.shape)}; a gradient keeps its tensor's shape"
        )


def _type_name(t: Any) -> str:
    return f"torch.{type_word(t.dtype)}Tensor"


def checked_replacements(hook: Any, result: Any, shown: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a hook of a node returned, as a tuple like the one it was given."""
    name = hook_name(hook)
    if not isinstance(result, tuple):
        raise TypeError(
            f"expected tuple, but hook returned '{type(result).__name__}': {name} is a hook of a "
            "node and returns one gradient for each it was given, or None"
        )
    given = several(result)
    if len(given) != len(shown):
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(given)}, but "
            f"expected {len(shown)})"
        )
    for new, old in zip(given, shown, strict=True):
        if new is None:
            continue
        if old is None:
            raise RuntimeError(
                f"can't replace a None gradient with a non-None value: hook '{name}' returned a "
                "tensor where it was given None"
            )
        check_replacement(hook, new, old)
    return given
