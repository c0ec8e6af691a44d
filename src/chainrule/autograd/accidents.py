"""Errors that nobody wrote for the user: said in the terms of the call that led to them.

Nonsense passed to a public function (None for a size, a list of texts) ends somewhere inside, in
an attribute that None lacks or in a complaint of NumPy. `explained` and `explain_methods` stand at
the doors: what arose inside by accident leaves as an error that names the function, shows what it
was given, and points to the user's line. What the library raises on purpose, and what users' own
code raises when it is called back, passes unchanged.
"""

from __future__ import annotations

import functools
import inspect
import opcode
import os
import reprlib
import sys
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import Any, TypeVar

import numpy as np

from . import refusal, source
from .late_signature import show_signature
from .value import TensorBase

PROBLEMS = (
    AttributeError, TypeError, ValueError, LookupError, RuntimeError, ArithmeticError, NameError,
    StopIteration, MemoryError, AssertionError, BufferError,
)  # fmt: skip
_RAISE = {opcode.opmap[name] for name in ("RAISE_VARARGS", "RERAISE")}
# `pathlib` would be a tenth of the time that `import chainrule` takes.
_STANDARD = os.path.dirname(os.path.realpath(os.__file__)) + os.sep
_HOMES = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(np.__file__))), name) + os.sep
    for name in ("numpy", "scipy", "ml_dtypes")
)
_LOOK_UPS = {"__getitem__", "__delitem__", "pop", "popitem", "remove", "index"}
_LONGEST = 300  # characters of another's message

F = TypeVar("F", bound=Callable[..., Any])


def is_accident(problem: BaseException) -> bool:
    """Whether an error arose in this library, or in what it calls, without being raised there."""
    last = _last_place(problem)
    if last is None:
        return False
    code = last.tb_frame.f_code
    if not source.is_library(code.co_filename):
        return True
    return code.co_code[last.tb_lasti] not in _RAISE or _is_bare(problem)


def _last_place(problem: BaseException) -> TracebackType | None:
    """Where an error arose; None where the user's own code ran in between: it is its business."""
    trace = problem.__traceback__
    last: TracebackType | None = None
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not source.is_library(name) and not _is_helper(name):
            return None
        last, trace = trace, trace.tb_next
    return last


def _is_helper(filename: str) -> bool:
    """Whether a file belongs to Python or to the libraries that this one is written in."""
    if filename.startswith((*_HOMES, "<frozen", "<__array_function__")):
        return True
    return filename.startswith(_STANDARD) and "site-packages" not in filename


def _is_bare(problem: BaseException) -> bool:
    return isinstance(problem, AssertionError) and not problem.args


def clear_error(
    name: str, given: dict[str, Any], problem: Exception, fix: str = ""
) -> Exception | None:
    """The error to raise for `problem`; None if it was raised on purpose.

    `given` has the arguments by name, `fix` is a line of advice.
    """
    if isinstance(problem, MemoryError) and _was_ours(problem):
        return refusal.runtime(
            f"DefaultCPUAllocator: can't allocate memory: {_said(problem)}",
            f"{name}({_shown(given)})",
        )
    if not is_accident(problem):
        return None
    from .explain_failure import TOO_MANY, uncountable  # rarely needed: not worth an import

    if uncountable(problem):
        return refusal.runtime(TOO_MANY, f"{name}({_shown(given)})")
    kind: type[Exception] = RuntimeError
    if isinstance(problem, np.exceptions.AxisError):
        kind = IndexError
    elif isinstance(problem, AttributeError | StopIteration | NameError | AssertionError):
        kind = TypeError
    elif type(problem) in (TypeError, ValueError, IndexError):
        kind = type(problem)
    return kind(
        f"{name}() received an invalid combination of arguments - got ({_shown(given)})\n"
        f"  {_reason(problem)}\n  at {source.here()}\n  Fix: {fix or f'see help({name}).'}"
    )


def _was_ours(problem: MemoryError) -> bool:
    if type(problem) is not MemoryError:  # NumPy's own
        return _last_place(problem) is not None
    return is_accident(problem)


def _reason(problem: Exception) -> str:
    if isinstance(problem, OverflowError):
        return f"value cannot be converted without overflow: {_said(problem)}"
    if isinstance(problem, np.exceptions.AxisError):
        return f"Dimension out of range: {_said(problem)}"
    return f"{type(problem).__name__}: {_said(problem)}"


def _said(problem: Exception) -> str:
    text = str(problem)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


# ---- the doors -----------------------------------------------------------------------------------


def explained(function: F) -> F:
    """`function`, whose accidents are explained.

    >>> from chainrule.autograd.accidents import explained
    >>> @explained
    ... def halves(sizes): return [s // 2 for s in sizes]
    >>> halves([4, 6])
    [2, 3]
    """
    name = function.__qualname__.removesuffix(".__init__").removesuffix(".__new__")
    problems, say = PROBLEMS, explain

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except problems as problem:
            say(function, name, args, kwargs, problem)
            raise

    if inspect.isgeneratorfunction(function):

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                yield from function(*args, **kwargs)
            except problems as problem:
                say(function, name, args, kwargs, problem)
                raise

    # With the globals of `function` it is a function of the same module, for those who ask.
    made = FunctionType(call.__code__, function.__globals__, name, None, call.__closure__)
    functools.wraps(function)(made)
    made.__dict__["explains"] = True
    show_signature(made, function)
    return made  # type: ignore[return-value]


def explain(
    function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], problem: Exception
) -> None:
    """Raise a clear error for an accident in a call of `function`; the caller raises others."""
    trace = problem.__traceback__
    if trace is not None and trace.tb_next is None and isinstance(problem, TypeError):
        return  # the arguments do not fit the signature, which Python says well
    if function.__name__ in _LOOK_UPS and isinstance(problem, LookupError):
        return  # what is not there is said by this very error, which programs expect
    if function.__name__ == "__init__":
        mine = [c for c in type(args[0]).__mro__ if source.is_own_name(c.__module__)]
        made_by = (vars(c).get("__init__") for c in mine)
        first = next((made for made in made_by if hasattr(made, "explains")), None)
        if getattr(first, "__wrapped__", function) is not function:
            return  # called by the constructor of a subclass, which users know
        name = mine[0].__name__
    clear = clear_error(name, _named(function, args, kwargs), problem)
    if clear is not None:
        raise clear from problem


def explain_here(problem: Exception) -> None:
    """Raise a clear error for an accident in the calling function, which raises others itself.

    For functions that are called so often that another call in front of them is felt:

        try: ...
        except PROBLEMS as problem:
            explain_here(problem)
            raise
    """
    frame = sys._getframe(1)
    code = frame.f_code
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + flags]
    given = {name: frame.f_locals[name] for name in names if name in frame.f_locals}
    given = {name: value for name, value in given.items() if value is not ...}  # other spellings
    name, first = code.co_name, next(iter(given), "")
    if name in ("__init__", "__new__"):
        name = type(given[first]).__name__ if name == "__init__" else given[first].__name__
        del given[first]
    clear = clear_error(name, given, problem)
    if clear is not None:
        raise clear from problem


def explain_methods(cls: type, *names: str) -> None:
    """Let methods that a class of this library defines itself explain accidents.

    Without names: how it is made and called, and all public ones.
    """
    if not source.is_own_name(cls.__module__):
        return
    once = functools.cache(explained)  # what has two names stays one function
    for name, method in list(vars(cls).items()):
        chosen = name in (names or _SPECIAL) or not (names or name.startswith("_"))
        if not chosen or hasattr(method, "explains"):
            continue
        if isinstance(method, FunctionType):
            setattr(cls, name, once(method))
        elif isinstance(method, classmethod):
            setattr(cls, name, classmethod(explained(getattr(cls, name).__func__)))


_SPECIAL = ("__init__", "__call__", "__getitem__", "__iter__")


def explain_module(space: dict[str, Any], *names: str) -> None:
    """Let the public functions of a module, and the methods of its classes, explain accidents.

    The last line of a module: `explain_module(globals())`. With names only these.
    """
    once = functools.cache(explained)  # what has two names stays one function
    made: dict[FunctionType, Any] = {}
    for name, value in list(space.items()):
        if getattr(value, "__module__", None) != space["__name__"] or name.startswith("_"):
            continue
        if names and name not in names:
            continue
        if isinstance(value, FunctionType):
            made[value] = once(value)
        elif isinstance(value, type):
            explain_methods(value)
    # Under all their names, private ones too: a function is found where it says it is.
    for name, value in list(space.items()):
        if isinstance(value, FunctionType) and value in made:
            space[name] = made[value]


# ---- what was given ------------------------------------------------------------------------------


def _named(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of the parameters, without `self`."""
    try:
        found = inspect.signature(function).bind_partial(*args, **kwargs).arguments
    except (TypeError, ValueError):
        found = {**{str(i): a for i, a in enumerate(args, 1)}, **kwargs}
    return {key: value for key, value in found.items() if key not in ("self", "cls")}


class _Brief(reprlib.Repr):
    """Values in a few words, whatever they are."""

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, TensorBase):
            return f"{x.dtype.name}{list(x.shape)}"  # type: ignore[attr-defined]
        return super().repr1(x, level)

    def repr_int(self, x: int, level: int) -> str:
        return f"an int of {x.bit_length()} bits" if x.bit_length() > 200 else repr(x)


_BRIEF = _Brief()
_BRIEF.maxlevel, _BRIEF.maxother, _BRIEF.maxstring = 3, 40, 40


def in_words(value: Any) -> str:
    """A value for an error message: short, and without running long."""
    return _BRIEF.repr(value)


def _shown(given: dict[str, Any]) -> str:
    return ", ".join(f"{key}={in_words(value)}" for key, value in given.items())
