"""Which functions `__torch_function__` can override, and what is reported for each."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ..autograd.late import TARGET, copy_of, is_looking, looking_once
from . import api, overriding
from .tensor import Tensor

# Operators that are reported as the method they stand for.
_REPORTED_AS = {
    "add": "add", "radd": "add", "iadd": "add_", "sub": "sub", "isub": "sub_", "mul": "mul",
    "rmul": "mul", "imul": "mul_", "truediv": "div", "div": "div", "itruediv": "div_",
    "idiv": "div_", "mod": "remainder", "imod": "remainder_", "ne": "ne", "lt": "lt", "le": "le",
    "gt": "gt", "ge": "ge", "matmul": "matmul", "neg": "neg", "abs": "abs",
}  # fmt: skip
# About the object and not about what it holds.
NOT_DISPATCHED = frozenset(
    "__new__ __init__ __init_subclass__ __torch_function__ __torch_dispatch__ __hash__ __iter__ "
    "__delitem__ __dir__ __class__ __setattr__ __getattribute__ __delattr__ __reduce__ "
    "as_subclass _make_subclass _make_wrapper_subclass __subclasshook__ __sizeof__ __str__ "
    "__getstate__ _is_param".split()
)
# Functions that are not made from the public table: of these modules, when a mode is on.
CREATION = (
    "arange as_tensor asarray empty empty_like empty_permuted empty_strided eye from_numpy "
    "frombuffer full full_like linspace logspace ones ones_like range scalar_tensor tensor zeros "
    "zeros_like from_dlpack from_file is_complex is_conj is_floating_point is_inference is_neg "
    "is_nonzero is_same_size is_signed numel result_type get_device detach".split()
)

TAKE_TENSORS = frozenset(
    "empty_like full_like ones_like zeros_like is_complex is_conj is_floating_point is_inference "
    "is_neg is_nonzero is_same_size is_signed numel result_type get_device detach".split()
)
_INIT = ("uniform_", "normal_", "constant_", "kaiming_uniform_")


def own_functions(cls: type) -> None:
    """Give a Tensor class function objects of its own, so that changing them changes no others."""
    copies: dict[Any, Any] = {}

    def own(function: Any) -> Any:
        if not isinstance(function, FunctionType):
            return function
        if function not in copies:
            copies[function] = looking_once(function)
        return copies[function]

    for name, value in list(vars(cls).items()):
        if isinstance(value, FunctionType) and not _is_own(value) and name not in NOT_DISPATCHED:
            setattr(cls, name, own(value))
        elif isinstance(value, property):
            parts: Any = [
                copy_of(f) if isinstance(f, FunctionType) else f
                for f in (value.fget, value.fset, value.fdel)
            ]
            setattr(cls, name, property(*parts, doc=value.__doc__))
    name_methods(cls)


def name_methods(cls: type) -> None:
    """Let the methods of a class say where they are found, for pickles and overrides."""
    named: set[FunctionType] = set()
    for name, value in vars(cls).items():
        if isinstance(value, FunctionType) and value not in named:  # else another name of it
            value.__module__, value.__qualname__ = cls.__module__, f"{cls.__name__}.{name}"
            if not name.startswith("_"):
                value.__name__ = name
            named.add(value)


def own_package_functions(space: dict[str, Any]) -> None:
    """Give the package function objects of its own for what it takes from modules."""
    for name in TAKE_TENSORS:
        if isinstance(space.get(name), FunctionType):
            space[name] = looking_once(space[name])
            api.name_as_found(space[name], "", name)


def _is_own(function: FunctionType) -> bool:
    late = function.__globals__.get(TARGET) is function
    return late or is_looking(function)


@overriding.dispatching
def methods() -> Iterator[tuple[FunctionType, Any, bool]]:
    """The methods and properties of Tensor."""
    space = vars(Tensor)
    for name, value in list(space.items()):
        if name in NOT_DISPATCHED:
            continue
        if isinstance(value, FunctionType):
            shown = _REPORTED_AS.get(name.strip("_"), "") if name.startswith("__") else ""
            yield value, space.get(shown, value), False
        elif isinstance(value, property):
            for part, method in ((value.fget, "__get__"), (value.fset, "__set__"),
                                 (value.fdel, "__delete__")):  # fmt: skip
                if isinstance(part, FunctionType):
                    yield part, getattr(value, method), False


@overriding.dispatching
def forms() -> Iterator[tuple[FunctionType, Any, bool]]:
    """The functions of the public table that have been made."""
    for function in api.made_forms():
        if isinstance(function, FunctionType):
            yield function, function, False


@overriding.dispatching
def others() -> Iterator[tuple[FunctionType, Any, bool]]:
    """Functions of the package itself and of autograd and nn.init that are not in the table."""
    import importlib

    package = importlib.import_module(__name__.partition(".")[0])
    init = importlib.import_module(f"{package.__name__}.nn.init")
    for space, names in (
        (package, CREATION),
        (package.autograd, ("grad", "backward")),
        (init, _INIT),
    ):
        for name in names:
            function = getattr(space, name)
            if isinstance(function, FunctionType):
                yield function, function, name in CREATION and name not in TAKE_TENSORS


def function_names() -> list[str]:
    """The paths of the functions that can be overridden: `add`, `nn.functional.relu`."""
    spaces = {r.namespace for r in api.API.values()}
    spaces |= {a.rpartition(".")[0] for r in api.API.values() for a in r.aliases if "." in a}
    listed = [f"{s}.{n}".lstrip(".") for s in sorted(spaces) for n in api.records_of(s)]
    init = [f"nn.init.{n}" for n in _INIT]
    return [*listed, *CREATION, *init]


own_functions(Tensor)
overriding.NOT_CONVERTED.update(
    vars(Tensor)[name].__get__ for name in ("grad", "_base", "_grad") if name in vars(Tensor)
)
