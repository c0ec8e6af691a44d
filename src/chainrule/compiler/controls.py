"""What programs say to the compiler besides `compile` (`torch.compiler.*`, `torch._dynamo.*`)."""

from __future__ import annotations

import functools
from typing import Any

from ..autograd import refusal, source
from ..autograd.accidents import in_words
from ..autograd.state import STATE, TRACE
from .compiled_function import CompiledFunction
from .stance import EAGER, compiled_functions
from .stance import set_stance as set_stance  # one of the controls


def is_compiling() -> bool:
    """Whether a function is being traced right now."""
    return bool(STATE.unusual & TRACE)


is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """Whether a model is being exported: never."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """A function that is never compiled: what calls it inside of `compile` runs eagerly, too.

    With `recursive=False` compiled functions that it calls stay compiled.

    >>> import chainrule as torch
    >>> @torch.compiler.disable
    ... def log(x):
    ...     print(x.item())
    >>> log(torch.tensor(3.0))
    3.0
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    from .compiled_module import OptimizedModule  # loads `nn`

    if isinstance(fn, OptimizedModule):
        return fn._orig_mod
    inner = fn.function if isinstance(fn, CompiledFunction) else fn
    if hasattr(inner, "named_parameters"):  # a module: its calls, not the object
        inner.forward = disable(inner.forward, recursive, reason=reason)
        return inner

    if not callable(inner):
        raise refusal.wrong_type(f"torch.compiler.disable takes a function, not {in_words(fn)}")
    recursive = bool(recursive)

    @functools.wraps(inner)
    def eager(*args: Any, **kwargs: Any) -> Any:
        if STATE.unusual & TRACE:
            why = reason or "torch.compiler.disable marks it"
            STATE.trace.fail(f"{_name(inner)} is not to be compiled ({why}), at {source.here()}")
        EAGER[0] += recursive
        try:
            return inner(*args, **kwargs)
        finally:
            EAGER[0] -= recursive

    return eager


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", type(function).__name__)


def graph_break(msg: str = "") -> None:
    """Inside of a compiled function: it runs eagerly from now on."""
    if STATE.unusual & TRACE:
        STATE.trace.fail(f"torch._dynamo.graph_break({msg!r}) is called at {source.here()}")


def allow_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


assume_constant_result = allow_in_graph


def reset() -> None:
    """Forget compiled code: every compiled function is captured anew."""
    for function in list(compiled_functions):
        function.reset()


def cudagraph_mark_step_begin() -> None:
    """A mark for GPUs, of which there are none."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names of code generators; both are ours."""
    return ["inductor", "llvm"]


def get_default_backend() -> str:
    """The code generator that is used when none is named."""
    return "inductor"


def set_default_backend(backend: Any) -> None:
    """Name the code generator used when none is named; there is one, whatever its name."""


def substitute_in_graph(original_fn: Any, **options: Any) -> Any:
    """The decorated function itself; calls of `original_fn` are traced as they are."""
    return lambda function: function


def wrap_numpy(fn: Any) -> Any:
    """A function of NumPy arrays as one of tensors.

    >>> import chainrule as torch
    >>> import numpy as np
    >>> wrap_numpy(lambda a: np.sort(a))(torch.tensor([2.0, 1.0]))
    tensor([1., 2.])
    """

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        import numpy as np

        from .. import from_numpy

        def bare(x: Any) -> Any:
            return x.numpy() if hasattr(x, "numpy") and hasattr(x, "requires_grad") else x

        result = fn(*map(bare, args), **{k: bare(v) for k, v in kwargs.items()})
        return from_numpy(np.asarray(result)) if isinstance(result, np.ndarray) else result

    return call


def nested_compile_region(fn: Any = None, **options: Any) -> Any:
    """The function itself: it is compiled with what calls it."""
    return fn if fn is not None else lambda function: function


def save_cache_artifacts() -> None:
    """None: compiled code is kept on this computer's disk, not handed out."""
    return None


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """None: there is nothing to be read; code is made when it is needed."""
    return None


def set_enable_guard_collectives(enabled: bool) -> bool:
    """False: processes do not compare their guards."""
    return False


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    """Every guard is kept."""
    return [True for _ in guard_entries]


skip_guard_on_all_nn_modules_unsafe = skip_guard_on_globals_unsafe = (
    skip_guard_on_inbuilt_nn_modules_unsafe
)
keep_portable_guards_unsafe = skip_all_guards_unsafe = skip_guard_on_inbuilt_nn_modules_unsafe


def keep_tensor_guards_unsafe(guard_entries: Any, keep_parameters: bool = False) -> list[bool]:
    """Every guard is kept."""
    return [True for _ in guard_entries]
