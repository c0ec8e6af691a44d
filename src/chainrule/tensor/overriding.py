"""`__torch_function__`: classes and modes that decide what functions of the library do.

Plain tensors pay nothing for it: as long as nobody overrides anything, public functions are what
they are. The first object that does (an instance of a user's Tensor subclass, a mode, a foreign
class with `__torch_function__`) makes `begin` change the code of every public function, method and
property in place, so that references that programs hold dispatch too. From then on each looks at
its arguments first. What the library itself calls are other function objects (`late.copy_of`),
which never dispatch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from types import FunctionType
from typing import Any

from ..autograd.late import TARGET, add_copy, code_with, copy_of, settle
from ..autograd.late_signature import show_signature
from ..autograd.source import is_own_name
from ..autograd.state import FUNCTION_MODE, STATE, TRACE
from ..autograd.value import FACTORY, PLAIN, TensorBase

# STATE.overriding
ENABLED, NO_SUBCLASSES, NOTHING = range(3)


class Disabled:
    """`__torch_function__` of classes that do not override: the function, and plain results."""

    def __call__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    def __repr__(self) -> str:
        return "<built-in function _disabled_torch_function_impl>"


disabled = Disabled()


class DisabledDispatch:
    """`__torch_dispatch__` of classes that are not asked about ops: the operator itself."""

    def __call__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from ..dispatcher.asking import disabled as nobody_asked

        with nobody_asked():
            return func(*args, **(kwargs or {}))

    def __repr__(self) -> str:
        return "<built-in function _disabled_torch_dispatch_impl>"


disabled_dispatch = DisabledDispatch()


class _Switch:
    """A block in which `STATE.overriding` has another value."""

    to = ENABLED

    def __enter__(self) -> None:
        self.before = STATE.overriding
        STATE.overriding = max(self.to, self.before) if self.to else self.to

    def __exit__(self, *exc: object) -> None:
        STATE.overriding = self.before


class DisableTorchFunctionSubclass(_Switch):
    """A block in which subclasses and foreign classes do not override; modes do."""

    to = NO_SUBCLASSES


class DisableTorchFunction(_Switch):
    """A block in which nothing overrides, not even a mode."""

    to = NOTHING


class EnableTorchFunction(_Switch):
    """A block in which everything overrides again."""

    to = ENABLED


def is_enabled() -> bool:
    """Whether subclasses and foreign classes override."""
    return STATE.overriding == ENABLED


def is_all_disabled() -> bool:
    """Whether nothing overrides, not even a mode."""
    return STATE.overriding == NOTHING


# ---- which classes override ----------------------------------------------------------------------


class _Kinds(dict[type, bool]):
    """Whether objects of a class have to be looked at: they override, or may hold such ones."""

    def __missing__(self, cls: type) -> bool:
        if len(self) > 4096:  # classes made in a loop must not stay alive
            self.clear()
        found = self[cls] = issubclass(cls, list | tuple) or overrides(cls) or is_dispatched(cls)
        return found


KINDS = _Kinds()


class _NoKinds(dict[type, bool]):
    def __missing__(self, cls: type) -> bool:
        return False


_NO_KINDS = _NoKinds()


def overrides(cls: type) -> bool:
    """Whether objects of a class decide what functions do with them."""
    if cls in PLAIN:
        return False
    handler: Any = getattr(cls, "__torch_function__", disabled)
    if handler is disabled or cls is type(disabled):
        return False
    if not issubclass(cls, TensorBase):
        return True
    if getattr(handler, "__func__", handler) is not default_handler:
        return True
    return is_users_tensor(cls)


def is_dispatched(cls: type) -> bool:
    """Whether a class of tensors is asked about ops, below autograd."""
    level = getattr(cls, "_level", None)
    return level is not None and level is FACTORY.dispatcher


def _is_users(cls: type) -> bool:
    """Whether a class is no part of the library or of Python."""
    return cls is not object and not is_own_name(cls.__module__)


def is_users_tensor(cls: type) -> bool:
    """Whether a class is a Tensor class that users wrote, or is derived from one."""
    return issubclass(cls, TensorBase) and any(_is_users(c) for c in cls.__mro__)


def notice(cls: type) -> None:
    """Told of the class of every tensor that is made of a class other than our own."""
    if not ACTIVE and cls not in PLAIN and (overrides(cls) or is_dispatched(cls)):
        begin()


def is_unnoticed(cls: type) -> bool:
    """Whether an op has met a user's class that nobody was told of (`x.__class__ = C`)."""
    if ACTIVE or not overrides(cls):
        return False
    begin()
    return True


FACTORY.is_unnoticed = is_unnoticed


# ---- dispatch ------------------------------------------------------------------------------------


def overriding_args(values: Iterable[Any]) -> list[Any]:
    """The arguments that override, one of each class: from left to right, subclasses first."""
    found: list[Any] = []
    for value in values:
        cls = value.__class__
        if any(cls is o.__class__ for o in found):
            continue
        place = len(found)
        for k, other in enumerate(found):
            if issubclass(cls, other.__class__):
                place = k
                break
        found.insert(place, value)
    return found


def _relevant(args: Iterable[Any]) -> Iterator[Any]:
    """The objects among the arguments, and in lists and tuples of them, that override."""
    for a in args:
        if KINDS[a.__class__]:
            if isinstance(a, list | tuple) and not overrides(a.__class__):
                for part in a:
                    if KINDS[part.__class__]:
                        if overrides(part.__class__):
                            yield part
                        elif isinstance(part, list | tuple):
                            yield from _relevant(part)
            elif overrides(a.__class__):
                yield a


def call(public: Any, original: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Run a public function whose arguments may override it."""
    if STATE.overriding == NOTHING:
        return original(*args, **kwargs)
    found = []
    if STATE.overriding == ENABLED:
        found = overriding_args(_relevant((*args, *kwargs.values())))
    if not found and not STATE.function_modes:
        if FACTORY.dispatcher is not None and FACTORY.dispatcher.handles(*args):
            made = FACTORY.dispatcher.public(public, args, kwargs)
            if made is not NotImplemented:
                return made
        return original(*args, **kwargs)
    return dispatch(public, found, args, kwargs)


def push_mode(mode: Any) -> None:
    """Ask a mode about every public function, before those that are on already."""
    begin()
    STATE.function_modes.append(mode)
    STATE.turn_on(FUNCTION_MODE)  # compiled functions run eagerly


def pop_mode() -> Any:
    """Ask the innermost mode no more."""
    mode = STATE.function_modes.pop()
    if not STATE.function_modes:
        STATE.turn_off(FUNCTION_MODE)
    return mode


def call_operator(public: Any, original: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """`call` for Python's operators: where nobody knows, Python says so."""
    try:
        return call(public, original, args, kwargs)
    except NobodyHandles:
        return NotImplemented


def call_in_mode(public: Any, original: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Run a public function that modes may override, and arguments may not."""
    if STATE.overriding == NOTHING:
        return original(*args, **kwargs)
    return dispatch(public, [], args, kwargs)


def dispatch(public: Any, found: list[Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Ask the innermost mode, then the arguments in their order, what the function does."""
    if STATE.unusual & TRACE:  # what handlers do is not what a plan would do
        kinds = ", ".join(type(o).__name__ for o in (*STATE.function_modes, *found))
        STATE.trace.fail(f"{name_of(public)} was overridden by __torch_function__ of {kinds}")
    types = tuple(type(o) for o in found)
    asked: list[Any] = []
    if STATE.function_modes:
        mode = pop_mode()
        asked.append(mode)
        try:
            result = mode.__torch_function__(public, types, args, kwargs)
        finally:
            if not getattr(mode, "once", False) or mode not in STATE.function_modes:
                push_mode(mode)
        if result is not NotImplemented:
            return result
    for o in found:
        result = o.__torch_function__(public, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise _nobody(public, [*asked, *found])


class NobodyHandles(TypeError):
    """All that override a function returned NotImplemented."""


NobodyHandles.__qualname__ = NobodyHandles.__name__ = "TypeError"


def _nobody(public: Any, asked: list[Any]) -> TypeError:
    kinds = ", ".join(f"{type(o).__module__}.{type(o).__qualname__}" for o in asked)
    return NobodyHandles(
        f"Multiple dispatch failed for '{name_of(public)}'; all __torch_function__ handlers "
        f"returned NotImplemented: {kinds}\n"
        "  Fix: let one of these classes handle the function, or call "
        "super().__torch_function__(func, types, args, kwargs) for what it does not know."
    )


def name_of(public: Any) -> str:
    """How users call a public function."""
    from ..overrides import resolve_name

    return resolve_name(public) or getattr(public, "__qualname__", repr(public))


def default_handler(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What a Tensor subclass does without a `__torch_function__` of its own.

    The function runs as on tensors, and what it returns is of the subclass.
    """
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    return result if func in NOT_CONVERTED else converted(result, cls)


def converted(result: Any, cls: type) -> Any:
    """Results as tensors of a class, in tuples and lists too."""
    if cls is FACTORY.Tensor:
        return result
    if isinstance(result, TensorBase):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, tuple) and hasattr(result, "_make"):  # a named tuple
        return result._make(converted(r, cls) for r in result)  # type: ignore[attr-defined]
    if isinstance(result, tuple | list) and any(not isinstance(r, int | str) for r in result):
        return type(result)(converted(r, cls) for r in result)
    return result


# ---- foreign classes: nobody is told when one of their objects is made ---------------------------


def awaken(values: Iterable[Any]) -> bool:
    """Whether one of the arguments overrides and nothing has begun; then it has."""
    if ACTIVE or next(_relevant(values), None) is None:
        return False
    begin()
    return True


FACTORY.awaken = awaken


def call_as_given(public: Any, given: dict[str, Any]) -> Any:
    """Call a function with named values, without those that are its defaults."""
    args, kwargs, by_place = [], {}, True
    for p in inspect.signature(public).parameters.values():
        if p.name not in given:
            continue
        value = given[p.name]
        if p.kind is p.VAR_POSITIONAL:
            args.extend(value)
        elif value is p.default or value is ...:  # another spelling of a parameter
            by_place = False
        elif by_place and p.kind is not p.KEYWORD_ONLY:
            args.append(value)
        else:
            kwargs[p.name] = value
    return public(*args, **kwargs)


def public_function(path: str) -> Any:
    """The function that users call by a name such as `nn.functional.relu` or `Tensor.add`."""
    from .api import API, function_form

    of, _, name = path.rpartition(".")
    return getattr(FACTORY.Tensor, name) if of == "Tensor" else function_form(API[path])


# ---- changing the public functions ---------------------------------------------------------------

ACTIVE = False
NOT_CONVERTED: set[Any] = set()
_SOURCES: list[Callable[[], Iterable[tuple[Any, Any, bool]]]] = []


def dispatching(provider: Callable[[], Iterable[tuple[Any, Any, bool]]]) -> Any:
    """Register what lists public functions, each with the object reported for it.

    The third entry says that only modes are asked: the function makes tensors.
    """
    _SOURCES.append(provider)
    return provider


# Blocks in which those who replace public functions for a while (a trace of `fx`) take that back.
ASIDE: list[Callable[[], AbstractContextManager[None]]] = []


def begin() -> None:
    """Let every public function look at its arguments. Once begun, it stays."""
    global ACTIVE
    if ACTIVE:
        return
    ACTIVE = True
    with ExitStack() as aside:
        for step in ASIDE:
            aside.enter_context(step())
        for provider in _SOURCES:
            for function, public, modes_only in provider():
                wrap(function, public, modes_only)


def wrap(function: FunctionType, public: Any, modes_only: bool = False) -> None:
    """Change a function's code: it asks for overrides, then runs what it was."""
    if "_original" in (function.__kwdefaults__ or {}):
        return
    settle(function)
    name = function.__name__
    is_operator = name.startswith("__") and name.strip("_") in _OPERATORS
    original = copy_of(function)
    space = function.__globals__
    if space.get(TARGET) is function:  # its own code is still to be made, in the copy then
        space[TARGET] = original
    function.__code__ = code_with(len(function.__closure__ or ()), _TEXT)
    function.__defaults__ = None
    function.__kwdefaults__ = {
        "_original": original, "_public": public, "_state": STATE,
        "_kinds": _NO_KINDS if modes_only else KINDS,
        "_call": call_in_mode if modes_only else call_operator if is_operator else call,
    }  # fmt: skip
    add_copy(function, original)
    function.__wrapped__ = original  # type: ignore[attr-defined]
    if "__signature__" not in function.__dict__:
        show_signature(function, original)


_OPERATORS = frozenset(
    "add sub mul truediv div floordiv mod pow and or xor lshift rshift matmul radd rsub rmul "
    "rtruediv rdiv rfloordiv rmod rpow rand ror rxor rlshift rrshift rmatmul eq ne lt le gt "
    "ge".split()
)
_TEXT = """
def outside({cells}):
    def overridable(*args, _original, _public, _kinds, _state, _call, **kwargs):
        if _state.function_modes:
            return _call(_public, _original, args, kwargs)
        for a in args:
            if _kinds[a.__class__]:
                return _call(_public, _original, args, kwargs)
        if kwargs:
            for a in kwargs.values():
                if _kinds[a.__class__]:
                    return _call(_public, _original, args, kwargs)
        return _original(*args, **kwargs)
        {used}
    return overridable
"""
