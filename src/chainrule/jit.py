"""TorchScript's names. Nothing is translated: functions and modules run as the Python they are.

`torch.jit.script` and `torch.jit.trace` return what they are given, so programs that use them for
speed keep working, at Python's speed; `torch.compile` is what makes machine code here. Saving and
loading TorchScript files is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .nn import Module as ScriptModule

ScriptFunction = type(lambda: None)


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """The function, class or module itself.

    >>> @script
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """
    return obj


def trace(func: Callable[..., Any], example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The function or module itself, after one run with the example inputs, as tracing does.

    Unlike a recorded trace it keeps following the branches that its inputs choose.
    """
    if example_inputs is not None:
        inputs = example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
        func(*inputs)
    return func


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself."""
    return drop if callable(drop) else lambda function: function


def export(fn: Any) -> Any:
    """The function itself."""
    return fn


unused = script_method = interface = _overload_method = export


def freeze(mod: Any, *args: Any, **kwargs: Any) -> Any:
    """The module itself."""
    return mod


optimize_for_inference = freeze


def is_scripting() -> bool:
    """Whether a TorchScript program is running: never."""
    return False


def is_tracing() -> bool:
    """Whether TorchScript is recording: never."""
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value; the type is for TorchScript."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:  # noqa: A001 - PyTorch's name
    """Python's `isinstance`."""
    import builtins

    return builtins.isinstance(obj, target_type)


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: TorchScript files are not written or read."""
    raise RuntimeError(
        "TorchScript files hold PyTorch's own instructions, which chainrule neither writes nor "
        "runs.\n  Fix: save model.state_dict() with torch.save, and build the model in Python "
        "before loading it with load_state_dict."
    )


save = load = _refuse


class Attribute:
    """A value with a TorchScript type; `Attribute(3, int)` is 3."""

    def __new__(cls, value: Any, type: Any = None) -> Any:  # noqa: A002 - PyTorch's name
        return value


Final = Any

__all__ = ["ScriptModule", "export", "ignore", "is_scripting", "script", "trace", "unused"]
