"""The compiler: tracer -> graph -> passes -> loops -> memory plan -> machine code -> runtime.

`docs/compiler.md` explains the way of a program through these files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import CaptureError, CompiledFunction, compile  # noqa: A004 - PyTorch's name

__all__ = ["CaptureError", "CompiledFunction", "compile"]

_CONTROLS = {
    "allow_in_graph", "assume_constant_result", "cudagraph_mark_step_begin", "disable",
    "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends",
    "reset", "set_stance",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # Loaded when used: native kernels live here too, and eager programs need only those.
    if name in __all__:
        from . import api

        return getattr(api, name)
    if name in _CONTROLS:
        from . import controls

        return getattr(controls, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
