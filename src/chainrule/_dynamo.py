"""`torch._dynamo`: the names of PyTorch's tracer that programs use, for our compiler."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .compiler.controls import (
    allow_in_graph,
    assume_constant_result,
    disable,
    graph_break,
    is_compiling,
    list_backends,
    reset,
    set_stance,
)

# Settings that programs write; what they would change does not exist here.
config = SimpleNamespace(
    cache_size_limit=8, recompile_limit=8, accumulated_cache_size_limit=256, suppress_errors=False,
    verbose=False, dynamic_shapes=True, assume_static_by_default=True,
    automatic_dynamic_shapes=True, capture_scalar_outputs=False,
    capture_dynamic_output_shape_ops=False, optimize_ddp=True,
    error_on_recompile=False, log_level=None,
)  # fmt: skip


def explain(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What becomes of a function for these arguments, as text: `explain(f)(*args)`.

    >>> import chainrule as torch
    >>> "loop over [2]" in torch._dynamo.explain(lambda x: x.exp() + 1)(torch.ones(2))
    True
    """
    from .compiler import CompiledFunction
    from .compiler import compile as compile_function

    compiled = f if isinstance(f, CompiledFunction) else compile_function(f)

    def inner(*args: Any, **kwargs: Any) -> str:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3):
                compiled(*args, **kwargs)
        return compiled.explain()

    return inner(*args, **kwargs) if args or kwargs else inner


def optimize(backend: str = "inductor", *, nopython: bool = False, **options: Any) -> Any:
    """The decorator behind `compile` in older programs."""
    from .compiler import compile as compile_function

    return compile_function(None, backend=backend, fullgraph=nopython)


def mark_dynamic(t: Any, index: Any, **limits: Any) -> None:
    """Each shape has its own plan: nothing to mark."""


mark_static = maybe_mark_dynamic = mark_dynamic


def run(fn: Any = None) -> Any:
    """The function itself."""
    return fn


__all__ = [
    "allow_in_graph", "assume_constant_result", "config", "disable", "explain", "graph_break",
    "is_compiling", "list_backends", "mark_dynamic", "mark_static", "maybe_mark_dynamic",
    "optimize", "reset", "run", "set_stance",
]  # fmt: skip
