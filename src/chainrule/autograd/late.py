"""Functions whose code is made at their first call.

Users keep references to functions and methods, and register handlers for them, so that one cannot
be replaced by its specialised form on first use. Its code can: the object stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from .late_signature import show_signature
from .value import FACTORY

# The name under which a function's globals hold the object whose code is to be made.
TARGET = "target"


def late(name: str, doc: str | None, make: Callable[[], Any]) -> FunctionType:
    """A function that becomes what `make` returns when it is first called."""
    space: dict[str, Any] = {}
    call = FunctionType(_first_call.__code__, space, name)
    call.__qualname__, call.__doc__ = name, doc

    def become(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target = space[TARGET]
        adopt(target, make(), call)
        if FACTORY.awaken((*args, *kwargs.values())):
            return call(*args, **kwargs)
        return target(*args, **kwargs)

    space.update({TARGET: call, "become": become})
    return call


def adopt(target: Any, made: Any, public: Any) -> None:
    """Give a function with globals of its own another one's code.

    `public` is what users call: `target`, or what stands before it (`tensor.overriding`).
    """
    space = target.__globals__
    if made.__closure__:
        space.update({"made": made, "public": public, "awaken": FACTORY.awaken})
        target.__code__ = _trampoline.__code__
        return
    space.update({k: v for k, v in made.__globals__.items() if k != TARGET})
    if "general" in space:  # a generated entry, which calls itself by the other name
        space["entry"] = target
        space["general"] = _at_the_boundary(public, space["general"])
    target.__defaults__, target.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
    target.__code__ = made.__code__


def _at_the_boundary(public: Any, general: Callable[..., Any]) -> Callable[..., Any]:
    """What an entry does with unusual arguments, when it was called by a user."""

    def unusual(op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if FACTORY.awaken(args):
            return public(*args, **params)
        return general(op, args, params)

    return unusual


# Public copies of functions, for those who change the code of a function for a while (`amp`).
COPIES: dict[FunctionType, list[FunctionType]] = {}


class Copies:
    """How many copies there are: who keeps a list of them looks here whether it is complete."""

    made = 0


def add_copy(function: FunctionType, copy: FunctionType) -> None:
    """One more function object that runs a function's code."""
    COPIES.setdefault(function, []).append(copy)
    Copies.made += 1


def bearers(function: FunctionType) -> Iterator[FunctionType]:
    """The function objects that run a function's code: itself and its copies."""
    settle(function)
    if "_original" not in (function.__kwdefaults__ or {}):  # else it stands before a copy
        yield function
    for copy in COPIES.get(function, ()):
        yield from bearers(copy)


def looking_once(function: FunctionType) -> FunctionType:
    """A copy that looks at its arguments at the first call, and is `function` from then on.

    Foreign classes that override functions (`tensor.overriding`) are met this way for nothing.
    """
    public = copy_of(function)
    add_copy(function, public)
    own = public.__code__, public.__defaults__, public.__kwdefaults__, function.__dict__
    public.__wrapped__ = function  # type: ignore[attr-defined] # whose signature it has
    show_signature(public, function)
    public.__defaults__, public.__kwdefaults__ = None, {"_looking": (public, own, _become)}
    public.__code__ = code_with(len(public.__closure__ or ()), _STUB)
    return public


def _become(public: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    settle(public)
    FACTORY.awaken((*args, *kwargs.values()))
    return public(*args, **kwargs)


def is_looking(function: FunctionType) -> bool:
    """Whether a function has not been called since `looking_once` made it."""
    return "_looking" in (function.__kwdefaults__ or {})


def settle(function: FunctionType) -> None:
    """End the looking of `looking_once` without a call."""
    looking = (function.__kwdefaults__ or {}).get("_looking")
    if looking is not None:
        code, function.__defaults__, function.__kwdefaults__, attributes = looking[1]
        function.__code__ = code
        function.__dict__.clear()
        function.__dict__.update(attributes)


_STUB = """
def outside({cells}):
    def call(*args, _looking, **kwargs):
        return _looking[2](_looking[0], args, kwargs)
        {used}
    return call
"""
_CODES: dict[tuple[str, int], Any] = {}


def code_with(cells: int, text: str) -> Any:
    """The code of the inner function of a text for one that closes over so many variables."""
    found = _CODES.get((text, cells))
    if found is None:
        names = [f"cell{k}" for k in range(cells)]
        space: dict[str, Any] = {}
        written = text.format(cells=", ".join(names), used=" + ".join(names) or "pass")
        exec(compile(written, "<chainrule public>", "exec"), space)
        found = _CODES[text, cells] = space["outside"](*names).__code__
    return found


def _first_call(*args: Any, **kwargs: Any) -> Any:
    return become(args, kwargs)  # type: ignore[name-defined] # noqa: F821 - see late


def _trampoline(*args: Any, **kwargs: Any) -> Any:
    if awaken(args):  # type: ignore[name-defined] # noqa: F821 - see adopt
        return public(*args, **kwargs)  # type: ignore[name-defined] # noqa: F821
    return made(*args, **kwargs)  # type: ignore[name-defined] # noqa: F821


def copy_of(function: FunctionType) -> FunctionType:
    """Another function object of the same code: what is changed in one is not in the other."""
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    made.__kwdefaults__ = function.__kwdefaults__ and dict(function.__kwdefaults__)
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__doc__ = function.__qualname__, function.__doc__
    made.__module__, made.__annotations__ = function.__module__, function.__annotations__
    return made
