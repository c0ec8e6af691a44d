"""`chainrule.compile`, with PyTorch's options."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .capture.tracer import CaptureError
from .compiled_function import CompiledFunction

_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
_EAGER_BACKENDS = ("eager", "aot_eager")


def compile(  # noqa: A001 - the public name is PyTorch's
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
    explain: bool = False,
) -> Any:
    """A function that does what `model` does, as machine code where that is possible.

    The first call runs eagerly, the next two are traced (and run), later ones run the compiled
    plan. What cannot be captured runs eagerly and the reason is said once; with `fullgraph=True`
    it is an error that names the line. A module becomes a module that shares its parameters.
    `explain=True` prints what was made of the function. PyTorch's other options are accepted:
    the backends "eager" and "aot_eager" and `disable=True` leave the function as it is;
    `dynamic=True` makes plans for ranges of lengths from the second length on, where the program
    allows it; the others (`mode`, `name`, `recompile_limit`, `isolate_recompiles`, `shapes_spec`)
    make no difference.

    >>> import chainrule as torch
    >>> @torch.compile
    ... def f(x):
    ...     return (x * 2 + 1).relu().sum()
    >>> [f(torch.full((3,), float(k))).item() for k in range(5)]
    [3.0, 9.0, 15.0, 21.0, 27.0]
    """
    backend = "inductor" if backend is None else backend
    _check_options(backend, mode, options)
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
            options=options, disable=disable, explain=explain,
        )  # fmt: skip
    if not callable(model):
        raise RuntimeError(
            f"Model can't be compiled: a {type(model).__name__} was given; pass a function or a "
            "module"
        )
    if disable or backend in _EAGER_BACKENDS:
        return model
    compiled = CompiledFunction(model, fullgraph, explain, bool(dynamic))
    from ..nn import Module

    if isinstance(model, Module):
        from .compiled_module import OptimizedModule

        return OptimizedModule(model, compiled)
    return compiled


def _check_options(backend: Any, mode: Any, options: Any) -> None:
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if isinstance(backend, str) and backend not in ("inductor", "llvm", *_EAGER_BACKENDS):
        raise RuntimeError(
            f"Invalid backend: {backend!r}, see `torch.compiler.list_backends()` for available "
            "backends."
        )


__all__ = ["CaptureError", "CompiledFunction", "compile"]
