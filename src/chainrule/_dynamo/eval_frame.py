"""Where PyTorch keeps the wrapper of compiled modules, and how functions are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..compiler.compiled_module import OptimizedModule
from ..compiler.controls import disable
from ..compiler.stance import set_stance


def explain(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What becomes of a function for these arguments, as text: `explain(f)(*args)`.

    >>> import chainrule as torch
    >>> "loop over [2]" in torch._dynamo.explain(lambda x: x.exp() + 1)(torch.ones(2))
    True
    """
    from ..compiler import CompiledFunction
    from ..compiler import compile as compile_function

    compiled = f if isinstance(f, CompiledFunction) else compile_function(f)

    def inner(*args: Any, **kwargs: Any) -> str:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3):
                compiled(*args, **kwargs)
        return compiled.explain()

    return inner(*args, **kwargs) if args or kwargs else inner


def optimize(backend: Any = "inductor", *, nopython: bool = False, **options: Any) -> Any:
    """The decorator behind `compile` in older programs."""
    from ..compiler import compile as compile_function

    return compile_function(None, backend=backend, fullgraph=nopython)


def optimize_assert(backend: Any = "inductor", **options: Any) -> Any:
    """As `optimize`, which must not fall back to eager."""
    return optimize(backend, nopython=True)


def is_dynamo_supported() -> bool:
    """Whether programs can be traced: yes."""
    return True


__all__ = [
    "OptimizedModule", "disable", "explain", "is_dynamo_supported", "optimize", "set_stance",
]  # fmt: skip
