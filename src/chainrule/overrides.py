"""`torch.overrides`: what classes and modes with `__torch_function__` can find out and do.

>>> import chainrule as torch
>>> from chainrule.overrides import TorchFunctionMode, resolve_name
>>> class Count(TorchFunctionMode):
...     calls: list = []
...     def __torch_function__(self, func, types, args=(), kwargs=None):
...         self.calls.append(resolve_name(func))
...         return func(*args, **(kwargs or {}))
>>> with Count() as counted:
...     y = torch.ones(2).sum() * 2
>>> counted.calls
['torch.ones', 'torch.Tensor.sum', 'torch.Tensor.mul']
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from .autograd.accidents import explain_module
from .autograd.state import STATE
from .tensor import overridable as _overridable
from .tensor import overriding as _overriding
from .tensor.overriding import EnableTorchFunction as _EnableTorchFunction
from .tensor.tensor import Tensor

__all__ = [
    "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions",
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides",
    "handle_torch_function", "has_torch_function", "has_torch_function_unary",
    "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property",
    "redispatch_function", "resolve_name", "wrap_torch_function",
]  # fmt: skip

# Where overridable functions live, with PyTorch's names for the places.
_NAMESPACES = {
    "torch": "", "torch.functional": "functional", "torch.nn.functional": "nn.functional",
    "torch.nn.init": "nn.init", "torch.linalg": "linalg", "torch.fft": "fft",
    "torch.special": "special",
}  # fmt: skip


# Functions that make tensors: modes are asked about them, arguments are not.
_ASKED_OF_MODES = {f"torch.{n}" for n in set(_overridable.CREATION) - _overridable.TAKE_TENSORS}


# ---- modes ---------------------------------------------------------------------------------------


class TorchFunctionMode:
    """A block in which every call of a public function is put before `__torch_function__`.

    Inside of that method the mode is off: `func(*args, **kwargs)` asks the modes around it, then
    the classes of the arguments, and then runs.
    """

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What the function does; to be written by the subclass."""
        raise NotImplementedError(
            f"{type(self).__name__} has no __torch_function__(self, func, types, args, kwargs)"
        )

    def __enter__(self) -> Any:
        _push_mode(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """An object of the class: the old way to write `with Mode():`."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


_push_mode, _pop_mode = _overriding.push_mode, _overriding.pop_mode


@contextlib.contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


def _get_current_function_mode() -> Any:
    modes = _get_current_function_mode_stack()
    return modes[-1] if modes else None


def _get_current_function_mode_stack() -> list[Any]:
    return [mode for mode in STATE.function_modes if not getattr(mode, "once", False)]


def _len_torch_function_stack() -> int:
    return len(_get_current_function_mode_stack())


def _get_function_stack_at(position: int) -> Any:
    return _get_current_function_mode_stack()[position]


@contextlib.contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """A block in which classes override again, within a `__torch_dispatch__`."""
    with _EnableTorchFunction():
        yield


# ---- asking --------------------------------------------------------------------------------------


def _is_torch_function_mode_enabled() -> bool:
    return STATE.overriding != _overriding.NOTHING and bool(_len_torch_function_stack())


def _overrides(value: Any) -> bool:
    return STATE.overriding == _overriding.ENABLED and _overriding.overrides(type(value))


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether a mode is on, or one of the arguments overrides.

    >>> import chainrule as torch
    >>> has_torch_function((torch.ones(2), 3))
    False
    """
    return _is_torch_function_mode_enabled() or any(map(_overrides, relevant_args))


def has_torch_function_unary(value: Any) -> bool:
    """`has_torch_function` for one argument."""
    return _is_torch_function_mode_enabled() or _overrides(value)


def has_torch_function_variadic(*args: Any) -> bool:
    """`has_torch_function` with the arguments one by one."""
    return has_torch_function(args)


def is_tensor_like(inp: Any) -> bool:
    """Whether something is a tensor or has `__torch_function__`.

    >>> is_tensor_like([1.0])
    False
    """
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def _get_overloaded_args(
    relevant_args: Iterable[Any], get_type_fn: Callable[[Any], type] | None = None
) -> list[Any]:
    """One argument of each class that overrides: from left to right, subclasses first."""
    if STATE.overriding != _overriding.ENABLED:
        return []
    of = get_type_fn or type
    return _overriding.overriding_args(a for a in relevant_args if _overriding.overrides(of(a)))


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Let the modes and the arguments that override a function run it.

    For functions of one's own: `if has_torch_function(args): return handle_torch_function(f, args,
    *args)` at their beginning makes them overridable.
    """
    found = _get_overloaded_args(relevant_args)
    if not found and not _is_torch_function_mode_enabled():
        return public_api(*args, **kwargs)
    return _overriding.dispatch(public_api, found, args, kwargs)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Any:
    """Make a function overridable; `dispatcher` takes its arguments and returns the relevant ones.

    >>> import chainrule as torch
    >>> @wrap_torch_function(lambda a: (a,))
    ... def double(a):
    ...     return a + a
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """

    def decorate(function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def redispatch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Run a function as if its arguments did not override it; modes still do."""
    with _overriding.DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


# ---- which functions there are -------------------------------------------------------------------


@functools.cache
def _functions() -> dict[str, tuple[str, Any]]:
    """Every overridable function by its name, with the namespace it belongs to."""
    found: dict[str, tuple[str, Any]] = {}
    package = importlib.import_module(__name__.partition(".")[0])
    listed = set(_overridable.function_names())
    for shown, path in _NAMESPACES.items():
        if path == "functional":
            continue
        space: Any = package
        for part in path.split(".") if path else ():
            space = getattr(space, part)
        for name in dir(space):
            full = f"{path}.{name}".lstrip(".")
            if full in listed and isinstance(getattr(space, name), FunctionType):
                found[f"{shown}.{name}"] = (shown, getattr(space, name))
    return found


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that `__torch_function__` can override, by namespace.

    >>> import chainrule as torch
    >>> torch.add in get_overridable_functions()[torch]
    True
    """
    found: dict[Any, list[Any]] = {}
    package = importlib.import_module(__name__.partition(".")[0])
    for name, (space, function) in _functions().items():
        if name in _ASKED_OF_MODES:
            continue
        module: Any = package
        for part in space.split(".")[1:]:
            module = getattr(module, part)
        found.setdefault(module, []).append(function)
    found[Tensor] = []
    for name, value in vars(Tensor).items():
        if name in _overridable.NOT_DISPATCHED:
            continue
        if isinstance(value, FunctionType):
            found[Tensor].append(value)
        elif isinstance(value, property):
            found[value] = [value.__get__]
    return found


@functools.cache
def get_ignored_functions() -> set[Callable[..., Any]]:
    """Public functions that `__torch_function__` of an argument cannot override.

    >>> import chainrule as torch
    >>> torch.zeros in get_ignored_functions()
    True
    """
    package = importlib.import_module(__name__.partition(".")[0])
    known = {f for name, (_, f) in _functions().items() if name not in _ASKED_OF_MODES}
    free = (getattr(package, n, None) for n in dir(package) if not n.startswith("_"))
    found = {f for f in free if isinstance(f, FunctionType) and f not in known}
    names = (n for n in _overridable.NOT_DISPATCHED if hasattr(Tensor, n))
    return found | {f for f in (getattr(Tensor, n) for n in names) if callable(f)}


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Functions whose results `Tensor.__torch_function__` leaves as they are.

    >>> import chainrule as torch
    >>> torch.Tensor.grad.__get__ in get_default_nowrap_functions()
    True
    """
    return set(_overriding.NOT_CONVERTED)


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each overridable function a function of the same parameters that returns -1.

    >>> import chainrule as torch
    >>> get_testing_overrides()[torch.relu](None)
    -1
    """
    return {
        function: _returning(function)
        for functions in get_overridable_functions().values()
        for function in functions
    }


def _returning(function: Any) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> int:
        return -1

    try:
        answer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    except (TypeError, ValueError):  # `Tensor.grad.__get__`
        answer.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
        )
    return answer


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of Tensor, or gets or sets a property of it.

    >>> import chainrule as torch
    >>> is_tensor_method_or_property(torch.Tensor.add), is_tensor_method_or_property(torch.add)
    (True, False)
    """
    return func in _tensor_names()


def _tensor_names() -> dict[Any, str]:
    """The names of Tensor's methods and of what reads and writes its properties."""
    found: dict[Any, str] = {}
    for name, value in vars(Tensor).items():
        if isinstance(value, property):
            for method in ("__get__", "__set__", "__delete__"):
                found[getattr(value, method)] = f"torch.Tensor.{name}.{method}"
        elif isinstance(value, FunctionType):
            own = value.__name__ == name or value not in found
            found[value] = f"torch.Tensor.{name}" if own else found[value]
    return found


def resolve_name(f: Callable[..., Any]) -> str | None:
    """How users call a function; None where it is none that can be overridden.

    >>> import chainrule as torch
    >>> resolve_name(torch.Tensor.add), resolve_name(torch.nn.functional.relu)
    ('torch.Tensor.add', 'torch.nn.functional.relu')
    """
    if isinstance(f, ModuleType | BuiltinFunctionType):
        return None
    own = str(f) if hasattr(f, "_schema") else None  # an operator of torch.ops
    try:
        found = _tensor_names().get(f)
    except TypeError:  # not hashable
        return None
    if found is None:
        names = [name for name, (_, function) in _functions().items() if function is f]
        exact = [n for n in names if n.rpartition(".")[2] == getattr(f, "__name__", "")]
        found = (exact or names or [None])[0]
    return found or own


explain_module(
    globals(), "get_ignored_functions", "has_torch_function", "is_tensor_method_or_property"
)
