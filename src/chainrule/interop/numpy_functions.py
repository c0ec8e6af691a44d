"""NumPy's functions on tensors: `np.sin(t)`, `np.mean(t)`, `np.concatenate([t, t])`.

NumPy asks `__array_ufunc__` and `__array_function__` of its arguments. Where a tensor records (it
requires gradients, or a transform follows it), the function of the same meaning here runs, so that
the result has its history; one without such a function is an error, never a lost gradient. Without
a recording tensor the result is PyTorch's: NumPy computes, ufuncs give tensors, most others arrays.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd import refusal
from ..autograd.state import STATE
from .numpy_table import FUNCTIONS, UFUNCS, WITHOUT_VALUES

_OPERATORS = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "power": "__rpow__",
    "matmul": "__rmatmul__", "less": "__gt__", "less_equal": "__ge__", "greater": "__lt__",
    "greater_equal": "__le__", "equal": "__eq__", "not_equal": "__ne__", "bitwise_and": "__rand__",
    "bitwise_or": "__ror__", "bitwise_xor": "__rxor__", "left_shift": "__rlshift__",
    "right_shift": "__rrshift__",
}  # fmt: skip
_DISCRETE = {  # ufuncs whose results do not change with small changes of their arguments
    "isnan", "isinf", "isfinite", "signbit", "less", "less_equal", "greater", "greater_equal",
    "equal", "not_equal", "logical_and", "logical_or", "logical_not", "logical_xor", "sign",
    "floor", "ceil", "rint", "trunc",
}  # fmt: skip


def _tensors(given: Any) -> list[Any]:
    """The tensors among arguments, in sequences and dictionaries of them too."""
    if isinstance(given, torch.Tensor):
        return [given]
    if isinstance(given, list | tuple):
        return [t for part in given for t in _tensors(part)]
    return [t for part in given.values() for t in _tensors(part)] if isinstance(given, dict) else []


def _records(tensors: list[Any]) -> bool:
    """Whether NumPy would lose what is recorded."""
    return any((t._rg and STATE.grad_enabled) or t._level is not None for t in tensors)


def _plain(given: Any) -> Any:
    """Tensors as arrays, in sequences too."""
    if isinstance(given, torch.Tensor):
        return given.detach().numpy(force=True)
    if isinstance(given, list | tuple) and _tensors(given):
        return type(given)([_plain(part) for part in given])
    return given


def array_ufunc(tensor: Any, ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
    """What a ufunc of NumPy or SciPy gives for tensors."""
    for other in inputs:
        theirs = getattr(type(other), "__array_ufunc__", np.ndarray.__array_ufunc__)
        if not isinstance(other, torch.Tensor) and theirs is not np.ndarray.__array_ufunc__:
            return NotImplemented  # a class of its own knows better
    known = ufunc.__name__ if _is_known(ufunc) else ""
    out = tuple(o for o in options.get("out", ()) if o is not None)
    reflected = _OPERATORS.get(known)
    if reflected and method == "__call__" and not options:
        if isinstance(inputs[0], np.ndarray | np.generic):  # `array * tensor`
            return getattr(inputs[1], reflected)(inputs[0])
    recorded = _records(_tensors((inputs, out)))
    if recorded and known in _DISCRETE and not out:
        inputs, recorded = tuple(_plain(i) for i in inputs), False
    if recorded:
        return _recorded_ufunc(ufunc, known, method, inputs, options)
    return _plain_ufunc(tensor, ufunc, method, inputs, options, out)


def _is_known(ufunc: Any) -> bool:
    """Whether it is NumPy's or SciPy's own of that name."""
    special = sys.modules.get("scipy.special")
    return ufunc in (getattr(np, ufunc.__name__, None), getattr(special, ufunc.__name__, None))


def _recorded_ufunc(ufunc: Any, known: str, method: str, inputs: Any, options: Any) -> Any:
    function = UFUNCS.get(known)
    if function is None or options.get("out"):
        raise _would_lose(f"np.{ufunc.__name__}" + (" with out=" if options.get("out") else ""))
    inputs = [torch.as_tensor(i) if isinstance(i, np.ndarray) else i for i in inputs]
    if method == "__call__" and not options:
        return function(*inputs)
    if method == "outer" and not options:
        a, b = (torch.as_tensor(i) for i in inputs)
        return function(a.reshape(*a.shape, *[1] * b.ndim), b)
    folded = FUNCTIONS.get({"add": "sum", "multiply": "prod", "maximum": "max",
                            "minimum": "min"}.get(known, ""))  # fmt: skip
    if method == "reduce" and folded and not options.keys() - {"axis", "keepdims"}:
        return folded(
            inputs[0], axis=options.get("axis", 0), keepdims=options.get("keepdims", False)
        )
    running = FUNCTIONS.get({"add": "cumsum", "multiply": "cumprod"}.get(known, ""))
    if method == "accumulate" and running and not options.keys() - {"axis"}:
        return running(inputs[0], axis=options.get("axis", 0))
    raise _would_lose(f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}"))


def _plain_ufunc(tensor: Any, ufunc: Any, method: str, inputs: Any, options: Any, out: Any) -> Any:
    if method == "at" and isinstance(inputs[0], torch.Tensor):
        raise refusal.wrong_type(
            f"first operand must be array: np.{ufunc.__name__}.at writes into a tensor",
            fix="x.index_put_(indices, values, accumulate=True).",
        )
    if out:
        fresh = tuple(np.empty(o.shape, o.detach().numpy(force=True).dtype)
                      if isinstance(o, torch.Tensor) else o for o in out)  # fmt: skip
        options = {**options, "out": fresh}
    found = getattr(ufunc, method)(*[_plain(i) for i in inputs],
                                   **{k: _plain(v) for k, v in options.items()})  # fmt: skip
    if out:
        for o, array in zip(out, options["out"], strict=True):
            if isinstance(o, torch.Tensor):
                o.copy_(torch.from_numpy(array))
        return out[0] if len(out) == 1 else out
    if method in ("outer", "at") or found is None:
        return found
    if isinstance(found, tuple):
        return tuple(tensor.__array_wrap__(part) for part in found)
    return tensor.__array_wrap__(found)


def array_function(function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What another function of NumPy gives for tensors."""
    if not all(issubclass(t, torch.Tensor | np.ndarray) for t in types):
        return NotImplemented
    name = function.__name__
    if function.__module__ not in ("numpy", "numpy.linalg", "numpy.fft"):
        name = ""
    elif function.__module__ != "numpy":
        name = f"{function.__module__.removeprefix('numpy.')}.{name}"
    recorded = _records(_tensors((args, kwargs)))
    if name in WITHOUT_VALUES and (recorded or name == "size"):
        plain = {k: _plain(v) for k, v in kwargs.items()}
        return function._implementation(*[_plain(a) for a in args], **plain)
    ours = FUNCTIONS.get(name)
    if ours is not None and (recorded or name in _METHODS):
        return _ours(name, ours, args, kwargs, recorded)
    if recorded:
        raise _would_lose(f"np.{name or function.__qualname__}")
    return function._implementation(*args, **kwargs)


# NumPy hands these to a method of its argument with keywords that PyTorch's does not take.
_METHODS = {"sum", "mean", "prod", "max", "amax", "min", "amin", "std", "var", "all", "any", "flip",
            "flipud", "fliplr"}  # fmt: skip


def _ours(name: str, function: Any, args: Any, kwargs: Any, recorded: bool) -> Any:
    given = {k: v for k, v in kwargs.items() if v is not None and v is not np._NoValue}
    if "out" in given or "where" in given or "initial" in given:
        if recorded:
            raise _would_lose(f"np.{name} with out=, where= or initial=")
        plain = {k: _plain(v) for k, v in kwargs.items()}
        return getattr(np, name)(*[_plain(a) for a in args], **plain)
    try:
        return function(*[_tensor_arguments(a) for a in args],
                        **{k: _tensor_arguments(v) for k, v in given.items()})  # fmt: skip
    except NotImplementedError as problem:
        raise _would_lose(f"np.{name} ({problem})") from problem


def _tensor_arguments(given: Any) -> Any:
    """Arrays beside tensors as tensors."""
    if isinstance(given, np.ndarray):
        return torch.as_tensor(given)
    if isinstance(given, np.dtype | type) and given not in (bool, int, float, complex):
        return torch.from_numpy(np.empty(0, given)).dtype
    if isinstance(given, list | tuple) and any(isinstance(g, np.ndarray) for g in given):
        return type(given)([_tensor_arguments(g) for g in given])
    return given


def _would_lose(what: str) -> RuntimeError:
    return refusal.runtime(
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        f"{what}",
        why="NumPy cannot record what happens to the values, and this function has no counterpart "
        "that does: gradients would be lost.",
        fix="use tensor functions, or x.detach() if no gradient is wanted through it.",
    )
