"""What programs say to the compiler besides `compile` (`torch.compiler.*`)."""

from __future__ import annotations

from typing import Any

from ..autograd.state import STATE, TRACE


def is_compiling() -> bool:
    """Whether a function is being traced right now."""
    return bool(STATE.unusual & TRACE)


is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """Whether a model is being exported: never."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself: only what is given to `compile` is compiled."""
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


assume_constant_result = allow_in_graph


def reset() -> None:
    """Forget compiled code: each compiled function keeps its own, so there is nothing to do."""


def cudagraph_mark_step_begin() -> None:
    """A mark for GPUs, of which there are none."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """The names of code generators."""
    return ["llvm"]
