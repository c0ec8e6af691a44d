"""The compiler: tracer -> graph -> passes -> loops -> memory plan -> machine code -> runtime.

`docs/compiler.md` explains the way of a program through these files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..autograd.stand_ins import rest_of as _rest_of

if TYPE_CHECKING:
    from .api import CaptureError, CompiledFunction, compile  # noqa: A004 - PyTorch's name

__all__ = ["CaptureError", "CompiledFunction", "compile"]

_CONTROLS = {
    "allow_in_graph", "assume_constant_result", "cudagraph_mark_step_begin", "disable",
    "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting",
    "keep_portable_guards_unsafe", "keep_tensor_guards_unsafe", "list_backends",
    "load_cache_artifacts", "nested_compile_region", "reset", "save_cache_artifacts",
    "set_default_backend", "set_enable_guard_collectives", "skip_all_guards_unsafe",
    "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe", "substitute_in_graph", "wrap_numpy",
}  # fmt: skip
_rest = _rest_of(__name__)


def __getattr__(name: str) -> Any:
    # Loaded when used: native kernels live here too, and eager programs need only those.
    if name in __all__:
        from . import api

        return getattr(api, name)
    if name in _CONTROLS:
        from . import controls

        return getattr(controls, name)
    if name == "set_stance":
        from .stance import set_stance

        return set_stance
    if name == "config":
        import importlib

        return importlib.import_module(".config", __name__)
    return _rest(name)
