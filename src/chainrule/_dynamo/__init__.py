"""`torch._dynamo`: the names of PyTorch's tracer that programs use, for our compiler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ..compiler.compiled_module import OptimizedModule
from ..compiler.controls import (
    allow_in_graph,
    assume_constant_result,
    disable,
    graph_break,
    is_compiling,
    list_backends,
    reset,
)
from ..compiler.stance import set_stance
from . import config

# As in PyTorch, programs name torch._dynamo.eval_frame without importing it.
from . import eval_frame as eval_frame
from . import exc as exc
from . import utils as utils
from .eval_frame import explain, optimize, optimize_assert
from .eval_frame import is_dynamo_supported as is_dynamo_supported


def export(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Always an error: `torch.export.export` is what captures graphs."""
    raise NotImplementedError(
        "torch._dynamo.export is not supported: chainrule captures graphs with torch.export\n"
        "  Fix: torch.export.export(module, args), or torch.fx.symbolic_trace(module)."
    )


def mark_dynamic(t: Any, index: Any, **limits: Any) -> None:
    """Each shape has its own plan: nothing to mark."""


def mark_static(t: Any, index: Any = None) -> None:
    """Each shape has its own plan: nothing to mark."""


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Plans write to the memory they are given: nothing to mark."""


maybe_mark_dynamic = mark_dynamic


def run(fn: Any = None) -> Any:
    """The function itself."""
    return fn


def dont_skip_tracing(fn: Any = None) -> Any:
    """The function itself: nothing is skipped by name."""
    return fn if fn is not None else run


nonstrict_trace = dont_skip_tracing


def forbid_in_graph(fn: Any) -> Any:
    """A function that is never compiled."""
    return disable(fn)


disallow_in_graph = forbid_in_graph


def substitute_in_graph(original_fn: Any, **options: Any) -> Any:
    """The decorated function; calls of `original_fn` are traced as they are."""
    return run


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: Any = ()) -> Any:
    """Always an error on use of the backend; registering is noted."""
    from .backends.registry import register_backend as register

    return register(compiler_fn, name, tags)


def lookup_backend(compiler_fn: Any) -> Any:
    """The backend of a name."""
    from .backends.registry import lookup_backend as look_up

    return look_up(compiler_fn)


@contextlib.contextmanager
def error_on_graph_break(error_on_graph_break: bool) -> Iterator[None]:
    """A block as it is; `compile(fullgraph=True)` is what turns fallbacks into errors."""
    yield


def patch_dynamo_config(*args: Any, **kwargs: Any) -> Any:
    """Other settings inside a block: see `config.patch`."""
    return config.patch(*args, **kwargs)


def get_recursion_limit() -> int:
    """Python's own limit."""
    import sys

    return sys.getrecursionlimit()


def set_recursion_limit(limit: int) -> None:
    """Set Python's own limit."""
    import sys

    sys.setrecursionlimit(limit)


def reset_code_caches() -> None:
    """Forget all plans."""
    reset()


def is_inductor_supported() -> bool:
    """Whether machine code is made: yes, where llvmlite is installed."""
    import importlib.util

    return importlib.util.find_spec("llvmlite") is not None


__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable",
    "disallow_in_graph", "dont_skip_tracing", "error_on_graph_break", "explain", "export",
    "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "lookup_backend",
    "mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic", "nonstrict_trace",
    "optimize", "optimize_assert", "patch_dynamo_config", "register_backend", "reset", "run",
    "set_stance", "substitute_in_graph",
]  # fmt: skip
