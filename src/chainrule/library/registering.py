"""What is said of operators: `Library`, `define`, `impl` and the `register_*` functions."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..autograd.accidents import explain_module
from . import registry
from .registry import find
from .schema import FunctionSchema

_KEYS = {"cpu": "CPU", "default": "Default", "cuda": "CUDA", "meta": "Meta", "xpu": "XPU"}


def _key(kind: str) -> str:
    return _KEYS.get(kind, kind)


class Library:
    """Operators of a namespace: `Library("mine", "DEF")` defines, `Library("aten", "IMPL")` adds.

    >>> import chainrule as torch
    >>> lib = Library("demo_lib", "DEF")
    >>> lib.define("half(Tensor x) -> Tensor")
    'demo_lib::half'
    >>> lib.impl("half", lambda x: x / 2, "CPU")
    >>> torch.ops.demo_lib.half.default(torch.tensor(4.0))
    tensor(2.)
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "aten") and kind == "DEF":
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._defined: list[str] = []

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Make an operator known; returns its full name."""
        made = registry.define(FunctionSchema(f"{self.ns}::{schema}"))
        made.tags = registry.several_tags(tags)
        name = made.schema.name + (
            f".{made.schema.overload_name}" if made.schema.overload_name else ""
        )
        self._defined.append(name)
        return name

    def impl(
        self, op_name: Any, fn: Callable[..., Any] | None = None, dispatch_key: str = "", *,
        with_keyset: bool = False, allow_override: bool = True,
    ) -> Any:  # fmt: skip
        """Say what computes an operator for a dispatch key; the CPU's by default."""
        if fn is None:
            return lambda function: self.impl(op_name, function, dispatch_key) or function
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        name = op_name if isinstance(op_name, str) else op_name.name()
        full = name if "::" in name else f"{self.ns}::{name}"
        if full.startswith("aten::"):
            raise NotImplementedError(
                f"{full} cannot be overridden: chainrule's own functions compute PyTorch's core "
                "operators.\n  Fix: define an operator of your own, or use __torch_function__."
            )
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        find(full).kernels[key] = fn
        return None

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "", **options: Any) -> NoReturn:
        """Always an error: there is no dispatcher to fall back from."""
        raise NotImplementedError("Library.fallback needs PyTorch's dispatcher, which is not here")

    def _destroy(self) -> None:
        for name in self._defined:
            registry.forget(name)
        self._defined.clear()


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    made = Library(*args, **kwargs)
    try:
        yield made
    finally:
        made._destroy()


def define(qualname: Any, schema: Any = None, *args: Any, lib: Any = None, tags: Any = ()) -> Any:
    """Make an operator known: `define("mine::f", "(Tensor x) -> Tensor")`."""
    if isinstance(qualname, Library):  # the old form, a decorator
        name = qualname.define(schema)
        return lambda function: qualname.impl(name, function, *args) or function
    space, _, name = qualname.partition("::")
    if not name:
        raise ValueError(f"Expected `qualname` to be of the form 'namespace::name', got {qualname}")
    if not re.match(r"^\s*\(", schema):
        raise ValueError(f"define(qualname, schema, ...): expected schema to look like e.g. "
                         f"\"(Tensor x) -> Tensor\" but got \"{schema}\"")  # fmt: skip
    (lib or Library(space, "FRAGMENT")).define(f"{name}{schema}", tags=tags)
    return None


def impl(qualname: Any, types: Any = None, func: Any = None, *, lib: Any = None) -> Any:
    """Say what computes an operator: on "cpu", by "default", or "CompositeImplicitAutograd"."""
    if isinstance(qualname, Library):  # the old form: impl(lib, name, key)
        return lambda function: qualname.impl(types, function, func or "") or function
    if func is None:
        return lambda function: impl(qualname, types, function) or function
    for kind in (types,) if isinstance(types, str) else types:
        find(qualname).kernels[_key(kind)] = func
    return None


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """Say what computes an operator on kinds of devices."""
    if func is None:
        return lambda function: register_kernel(op, device_types, function) or function
    kinds = ("default",) if device_types is None else device_types
    for kind in (kinds,) if isinstance(kinds, str) else kinds:
        find(op).kernels[_key(kind)] = func
    return None


def register_fake(
    op: Any,
    func: Any = None,
    /,
    *,
    lib: Any = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Say what shapes and types an operator gives, for tensors on the meta device."""
    if func is None:
        return lambda function: register_fake(op, function) or function
    find(op).kernels["Fake"] = func
    return None


def impl_abstract(qualname: Any, func: Any = None, *, lib: Any = None, _stacklevel: int = 1) -> Any:
    """`register_fake` under its old name."""
    return register_fake(qualname, func, lib=lib)


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None
) -> None:
    """Say how an operator differentiates: `backward(ctx, *grads)`."""
    found = find(op)
    if found.schema.is_mutable:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {found.schema.name} "
            f"with schema {found.schema}. Please create a functional operator and register an "
            "autograd formula for that."
        )
    if not found.sealed:
        found.backward, found.setup_context = backward, setup_context


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """Say how an operator runs on a batch: `func(info, in_dims, *args) -> (out, out_dims)`."""
    if func is None:
        return lambda function: register_vmap(op, function) or function
    find(op).vmap = func
    return None


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """Cast the inputs of an operator under autocast of a device; here of the CPU."""
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"Unknown device type: {device_type}")
    if device_type == "cpu":
        find(op).autocast = cast_inputs


def register_torch_dispatch(
    op: Any, torch_dispatch_class: Any, func: Any = None, /, *, lib: Any = None
) -> Any:
    """Always an error: subclasses are asked through `__torch_function__` here."""
    raise NotImplementedError(
        "torch.library.register_torch_dispatch: operators are not dispatched to classes here\n"
        "  Fix: give the class a __torch_function__."
    )


def fallthrough_kernel(*args: Any, **kwargs: Any) -> NoReturn:
    """A mark for the dispatcher; never called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def get_ctx() -> NoReturn:
    """Always an error: shapes that depend on data are not traced here."""
    raise RuntimeError("get_ctx() can only be called inside of a fake impl that is being traced")


def get_kernel(op: Any, dispatch_key: Any) -> Any:
    """What is registered for a dispatch key."""
    found = find(op).kernels.get(_key(str(dispatch_key)))
    if found is None:
        raise RuntimeError(f"{op} has nothing registered for {dispatch_key}")
    return found


explain_module(globals(), "define", "impl", "register_kernel", "register_fake", "register_autograd")
