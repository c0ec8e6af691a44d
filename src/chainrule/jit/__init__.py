"""TorchScript's names. Nothing is translated: functions and modules run as the Python they are.

`torch.jit.script` and `torch.jit.trace` return what they are given, so programs that use them for
speed keep working, at Python's speed; `torch.compile` is what makes machine code here. Saving and
loading TorchScript files is refused.
"""

from __future__ import annotations

import builtins
import contextlib
import typing
from collections.abc import Callable, Iterator
from types import UnionType
from typing import Any, Final, NamedTuple, NoReturn

from ..autograd.accidents import explain_module
from ..nn import Module
from ..standins import add_to as _add_stand_ins


class Error(RuntimeError):
    """A TorchScript program failed; never raised here."""


class TracerWarning(Warning):
    """A trace may not hold for other inputs; never given here, since nothing is recorded."""


class ScriptWarning(Warning):
    """TorchScript ignored something; never given here."""


class TracingCheckError(Exception):
    """A trace does not repeat what its function does; never raised here."""


class Attribute(NamedTuple):
    """A value with its TorchScript type; a ScriptModule keeps the value."""

    value: Any
    type: Any


class ScriptModule(Module):
    """The base of modules written for TorchScript: a module that runs as Python.

    Other modules are none, `script` and `trace` return theirs unchanged.

    >>> import chainrule as torch
    >>> isinstance(torch.nn.Linear(1, 1), ScriptModule)
    False
    """

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value.value if builtins.isinstance(value, Attribute) else value)

    @property
    def original_name(self) -> str:
        """The name of its class."""
        return type(self).__name__

    def save(self, f: Any, **kwargs: Any) -> NoReturn:
        """Always an error: TorchScript files are not written."""
        _refuse()


class RecursiveScriptModule(ScriptModule):
    """What PyTorch makes of a module; nothing is of this class here."""


class TracedModule(ScriptModule):
    """What PyTorch records of a module; nothing is of this class here."""


class TopLevelTracedModule(TracedModule):
    """What PyTorch records of a module; nothing is of this class here."""


class ScriptFunction:
    """What PyTorch makes of a function; `script` returns the function itself instead."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            "torch.jit.ScriptFunction: no constructor defined!\n"
            "  Fix: torch.jit.script(function) returns the function itself; call it."
        )


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
    named = kwargs.get("example_kwarg_inputs")
    if builtins.isinstance(example_inputs, dict):
        example_inputs, named = None, example_inputs
    if example_inputs is not None or named is not None:
        several = builtins.isinstance(example_inputs, tuple | list)
        inputs = example_inputs if several else (example_inputs,)
        func(*(() if example_inputs is None else inputs), **(named or {}))
    return func


def trace_module(mod: Any, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
    """The module itself, after one run of each method with its inputs."""
    for name, given in inputs.items():
        trace(getattr(mod, name), given)
    return mod


def script_if_tracing(fn: Any) -> Any:
    """The function itself."""
    return fn


_script_if_tracing = script_if_tracing


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself."""
    return drop if callable(drop) else lambda function: function


def export(fn: Any) -> Any:
    """The function itself."""
    return fn


def interface(obj: Any) -> Any:
    """The class itself."""
    return obj


unused = script_method = _overload_method = _overload = _drop = export


def freeze(
    mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True
) -> Any:
    """The module itself, which must be in evaluation mode as for PyTorch."""
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() "
            "on your module before freezing."
        )
    return mod


def run_frozen_optimizations(mod: Any, *args: Any, **kwargs: Any) -> None:
    """Nothing: no TorchScript is there to be optimised."""


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """The module itself."""
    return mod


def is_scripting() -> bool:
    """Whether a TorchScript program is running: never."""
    return False


def is_tracing() -> bool:
    """Whether TorchScript is recording: never."""
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value; the type is for TorchScript."""
    return the_value


def _unwrap_optional(x: Any) -> Any:
    assert x is not None, "Unwrapping null optional"
    return x


def isinstance(obj: Any, target_type: Any) -> bool:  # noqa: A001 - PyTorch's name
    """Python's `isinstance`, which also looks into containers: `list[int]`, `dict[str, int]`.

    >>> import chainrule as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
    (True, False)
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, one) for one in target_type)
    origin, inner = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        known = {typing.List: list, typing.Dict: dict, typing.Tuple: tuple}  # noqa: UP006
        return builtins.isinstance(obj, known.get(target_type, target_type))
    if origin in (typing.Union, UnionType):
        return any(isinstance(obj, one) for one in inner)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, inner[0]) and isinstance(v, inner[1]) for k, v in obj.items())
    if origin is tuple and inner[-1:] != (...,):
        return len(obj) == len(inner) and all(
            isinstance(part, kind) for part, kind in zip(obj, inner, strict=True)
        )
    return all(isinstance(part, inner[0]) for part in obj)


# ---- what runs beside ----------------------------------------------------------------------------


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A future of the call, which runs now.

    >>> wait(fork(lambda x: x + 1, 2))
    3
    """
    from ..futures import Future  # type: ignore[import-not-found]

    made: Any = Future()
    try:
        made.set_result(func(*args, **kwargs))
    except Exception as problem:
        made.set_exception(problem)
    return made


def wait(future: Any) -> Any:
    """The result of a future."""
    return future.wait()


_fork, _wait = fork, wait


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A block as it is: nothing is optimised by TorchScript."""
    yield


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A block as it is: nothing is fused by TorchScript."""
    yield


class strict_fusion:
    """A block as it is: nothing is fused by TorchScript."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: Any) -> None:
        pass


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The strategy before, of which nothing depends."""
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Nothing: oneDNN is not used."""


def onednn_fusion_enabled() -> bool:
    """Whether oneDNN is used: no."""
    return False


def _get_trace_graph(
    f: Callable[..., Any],
    args: Any = (),
    kwargs: Any = None,
    strict: bool = True,
    _force_outplace: bool = False,
    return_inputs: bool = False,
    _return_inputs_states: bool = False,
) -> Any:
    """The graph of what a module or function calls on these arguments, and its result.

    Tools that count a model's work or draw it read the graph; it cannot be run.
    """
    from ._graph import trace_graph

    graph, result = trace_graph(f, args, kwargs)
    return (graph, result, args) if return_inputs else (graph, result)


# ---- files ---------------------------------------------------------------------------------------


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: TorchScript files are not written or read."""
    raise RuntimeError(
        "TorchScript files hold PyTorch's own instructions, which chainrule neither writes nor "
        "runs.\n  Fix: save model.state_dict() with torch.save, and build the model in Python "
        "before loading it with load_state_dict; a graph of the model can be saved with "
        "torch.export.save."
    )


save = load = export_opnames = last_executed_optimized_graph = _refuse
save_jit_module_to_flatbuffer = jit_module_from_flatbuffer = _refuse


class CompilationUnit:
    """Source of TorchScript; always an error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse()


def __getattr__(name: str) -> Any:
    if name == "Future":
        from ..futures import Future  # type: ignore[import-not-found]

        return Future
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


__all__ = [
    "Attribute", "CompilationUnit", "Error", "Final", "ScriptFunction", "ScriptModule", "annotate",
    "enable_onednn_fusion", "export", "export_opnames", "fork", "freeze", "ignore", "interface",
    "is_scripting", "is_tracing", "isinstance", "load", "onednn_fusion_enabled",
    "optimize_for_inference", "save", "script", "script_if_tracing", "set_fusion_strategy",
    "strict_fusion", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

_add_stand_ins(globals())

explain_module(globals(), "trace", "trace_module", "script", "freeze", "isinstance", "wait")
