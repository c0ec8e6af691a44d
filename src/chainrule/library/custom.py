"""`custom_op`: a Python function as an operator that nothing looks into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..autograd.accidents import explain_module
from . import registering, registry
from .schema import FunctionSchema, infer_schema


class CustomOpDef:
    """A function as an operator; `register_autograd`, `register_fake`, ... say more about it."""

    def __init__(self, name: str, schema: str, fn: Callable[..., Any], devices: Any) -> None:
        space, _, own = name.partition("::")
        self._namespace, self._name, self._init_fn = space, own, fn
        self._operator = registry.define(
            FunctionSchema(f"{name}{schema}"), checks_aliases="!" not in schema
        )
        self._schema = schema
        self.register_kernel(devices)(fn)
        self.__name__, self.__doc__ = own, fn.__doc__
        self.__wrapped__ = fn

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    @property
    def _opoverload(self) -> Any:
        return self._operator.overload

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._operator(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: Any, fn: Any = None, /) -> Any:
        """Say what computes it on kinds of devices."""
        return registering.register_kernel(self, device_types, fn)

    def register_fake(self, fn: Any = None, /) -> Any:
        """Say what shapes and types it gives."""
        return registering.register_fake(self, fn)

    register_abstract = impl_abstract = register_fake

    def register_autograd(self, backward: Any, /, *, setup_context: Any = None) -> None:
        """Say how it differentiates."""
        registering.register_autograd(self, backward, setup_context=setup_context)

    def register_vmap(self, func: Any = None, /) -> Any:
        """Say how it runs on a batch."""
        return registering.register_vmap(self, func)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Cast its inputs under autocast."""
        registering.register_autocast(self, device_type, cast_inputs)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Any = None, /) -> Any:
        """Always an error: see `torch.library.register_torch_dispatch`."""
        return registering.register_torch_dispatch(self, torch_dispatch_class, fn)

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Any:
        """Always an error: kernels cannot be switched off here."""
        raise NotImplementedError("kernels of custom operators cannot be switched off in chainrule")


def custom_op(
    name: str, fn: Any = None, /, *, mutates_args: Any, device_types: Any = None,
    schema: str | None = None, tags: Any = None,
) -> Any:  # fmt: skip
    """Make a function an operator, under `torch.ops`, that autograd and tracers do not look into.

    >>> import chainrule as torch
    >>> import numpy as np
    >>> @custom_op("demo::sort", mutates_args=())
    ... def sort(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(np.sort(x.numpy()))
    >>> sort(torch.tensor([2.0, 1.0])), str(torch.ops.demo.sort.default._schema)
    (tensor([1., 2.]), 'demo::sort(Tensor x) -> Tensor')
    """
    if "::" not in name:
        raise ValueError(
            f"Expected `name` to be of the form 'namespace::name', got {name!r}\n"
            "  Fix: put your library's name before it, e.g. 'mylib::" + name + "'."
        )

    def inner(function: Callable[..., Any]) -> CustomOpDef:
        text = schema if schema is not None else infer_schema(function, mutates_args=mutates_args)
        made = CustomOpDef(name, text.removeprefix(name), function, device_types)
        made._operator.tags = registry.several_tags(tags)
        return made

    return inner if fn is None else inner(fn)


def triton_op(name: str, fn: Any = None, /, *, mutates_args: Any, schema: str | None = None) -> Any:
    """A custom op; kernels of Triton inside of it need a GPU and are refused when called."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def wrap_triton(triton_kernel: Any, /) -> NoReturn:
    """Always an error: Triton's kernels run on GPUs."""
    raise NotImplementedError(
        "torch.library.wrap_triton: Triton's kernels run on a GPU; chainrule computes on the CPU\n"
        "  Fix: write the operator in torch functions, or in NumPy inside torch.library.custom_op."
    )


explain_module(globals())
