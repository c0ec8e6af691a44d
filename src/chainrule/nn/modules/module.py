"""`Module`, the base of every layer and model."""

from __future__ import annotations

import difflib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar

from ...autograd import refusal, source
from ...autograd.accidents import PROBLEMS, explain, explain_methods
from ...autograd.node import RemovableHandle
from ...autograd.printable import printable
from ...tensor import Parameter, Tensor
from . import module_registry as registry
from .module_convert import Convertible
from .module_hooks import (
    Hooked,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_forward_hooks,
    _global_forward_pre_hooks,
    call_with_hooks,
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from .module_hooks import (
    _global_forward_hooks_always_called as _global_forward_hooks_always_called,
)
from .module_hooks import (
    _global_forward_hooks_with_kwargs as _global_forward_hooks_with_kwargs,
)
from .module_hooks import (
    _has_any_global_hook as _has_any_global_hook,
)
from .module_members import is_tensor_like, type_name
from .module_registry import buffer_hooks as _global_buffer_registration_hooks  # noqa: F401
from .module_registry import module_hooks as _global_module_registration_hooks  # noqa: F401
from .module_registry import parameter_hooks as _global_parameter_registration_hooks  # noqa: F401
from .module_registry import (
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .module_state import (
    _EXTRA_STATE_KEY_SUFFIX as _EXTRA_STATE_KEY_SUFFIX,
)
from .module_state import (
    State,
)
from .module_state import (
    _IncompatibleKeys as _IncompatibleKeys,
)
from .module_state import (
    _WrappedHook as _WrappedHook,
)

T_destination = TypeVar("T_destination", bound=dict[str, Any])
_grad_t = tuple[Tensor, ...] | Tensor

# What every module has after __init__, in PyTorch's order: pickles and `vars()` show it.
_HOOK_FIELDS = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_HOLDERS = ("_parameters", "_buffers", "_modules")


class MissingAttributeError(AttributeError):
    """A module has no such attribute; similar names are looked up when the text is read."""

    def __init__(self, module: Any, name: str) -> None:
        super().__init__(module, name)

    def __str__(self) -> str:
        if len(self.args) != 2 or not isinstance(self.args[0], Module):  # somebody's own words
            return ", ".join(map(str, self.args))
        module, name = self.args
        text = f"'{type(module).__name__}' object has no attribute '{name}'"
        if "_parameters" not in module.__dict__:
            return f"{text}: Module.__init__() was not called yet"
        close = difflib.get_close_matches(name, dir(module), n=3)
        return f"{text}. Did you mean: {', '.join(map(repr, close))}?" if close else text

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


# In a traceback it is the error every Python programmer knows.
MissingAttributeError.__name__ = MissingAttributeError.__qualname__ = "AttributeError"
MissingAttributeError.__module__ = "builtins"


def _addindent(s_: str, numSpaces: int) -> str:
    """All lines but the first moved to the right."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def _forward_unimplemented(self: Any, *input: Any) -> Any:
    """What the module computes; every subclass defines it."""
    close = difflib.get_close_matches("forward", vars(type(self)), n=1)
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function\n'
        f"  at {source.here()}\n  Fix: "
        + (f"rename {close[0]!r} to 'forward'." if close else "define forward(self, ...).")
    )


class Module(Hooked, State, Convertible):
    """The base class of layers and models: assign parameters and modules to its attributes.

    >>> import chainrule as torch
    >>> class Net(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = torch.nn.Parameter(torch.tensor(3.0))
    ...     def forward(self, x):
    ...         return self.scale * x
    >>> net = Net()
    >>> net(torch.tensor(2.0))
    tensor(6., grad_fn=<MulBackward0>)
    >>> [name for name, _ in net.named_parameters()]
    ['scale']
    """

    dump_patches: bool = False
    T_destination: ClassVar[Any] = T_destination
    training: bool
    call_super_init: bool = False
    _compiled_call_impl: Callable[..., Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                    f"'{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but "
                    f"{len(args) + 1} were given"
                )
        # Written past __setattr__, which would look each of them up among the members.
        fields = self.__dict__
        fields["training"] = True
        fields["_parameters"] = {}
        fields["_buffers"] = {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_backward_pre_hooks"] = OrderedDict()
        fields["_backward_hooks"] = OrderedDict()
        fields["_is_full_backward_hook"] = None
        for name in _HOOK_FIELDS:
            fields[name] = OrderedDict()
        fields["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- calling -------------------------------------------------------------------------------

    # A variable for type checkers: subclasses may take any arguments.
    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Python finds attributes of a class with __getattr__ slowly: the dict is asked directly.
        fields = self.__dict__
        try:
            unusual = (
                fields["_forward_hooks"]
                or fields["_forward_pre_hooks"]
                or fields["_backward_hooks"]
                or fields["_backward_pre_hooks"]
                or _global_forward_hooks
                or _global_forward_pre_hooks
                or _global_backward_hooks
                or _global_backward_pre_hooks
                or "_compiled_call_impl" in fields
            )
        except KeyError as missing:
            raise MissingAttributeError(self, missing.args[0]) from None
        try:
            if unusual:
                return self._call_unusual(args, kwargs)
            return self.forward(*args, **kwargs)
        except PROBLEMS as problem:
            name = type(self).__name__
            explain(self.forward, name, args, kwargs, problem)
            raise

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_methods(cls, "__init__")

    def _call_unusual(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        """The call with hooks, not compiled."""
        return call_with_hooks(self, args, kwargs)

    _wrapped_call_impl = __call__

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile this module's call in place, as `chainrule.compile(module)` would."""
        from ... import compile as compile_function

        self._compiled_call_impl = compile_function(self._call_impl, *args, **kwargs)

    def train(self, mode: bool = True) -> Self:
        """Set training mode for this module and all in it: dropout drops, norms learn."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode: the same as `train(False)`."""
        return self.train(False)

    # ---- attributes ----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        # Called only for what is no ordinary attribute: a member, or nothing.
        fields = self.__dict__
        if "_parameters" in fields:
            found = fields["_parameters"]
            if name in found:
                return found[name]
            found = fields["_modules"]
            if name in found:
                return found[name]
            found = fields["_buffers"]
            if name in found:
                return found[name]
        raise MissingAttributeError(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        parameters = fields.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError(registry.before_init("parameters", self))
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            self._replace_parameter(name, value)
        elif isinstance(value, Module):
            if parameters is None:
                raise AttributeError(registry.before_init("module", self))
            self._forget(name, "_parameters", "_buffers")
            value = registry.passed_through(registry.module_hooks, self, name, value)
            self._modules[name] = value
        elif parameters is None:
            if isinstance(value, Tensor) and getattr(value, "_is_buffer", False):
                raise AttributeError(registry.before_init("buffer", self))
            object.__setattr__(self, name, value)
        elif name in fields["_modules"]:
            self._replace_module(name, value)
        elif name in fields["_buffers"] or (
            isinstance(value, Tensor) and getattr(value, "_is_buffer", False)
        ):
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, *holders: str) -> None:
        """Before a member takes a name: remove what had it."""
        fields = self.__dict__
        fields.pop(name, None)
        for holder in holders:
            fields[holder].pop(name, None)
        fields["_non_persistent_buffers_set"].discard(name)

    def _replace_parameter(self, name: str, value: Any) -> None:
        if value is not None:
            raise refusal.wrong_type(
                f"cannot assign '{type_name(value)}' as parameter '{name}' (torch.nn.Parameter or "
                "None expected)",
                fix="wrap it, `nn.Parameter(x)`; or keep the parameter and change its values: "
                f"`with torch.no_grad(): module.{name}.copy_(x)`.",
            )
        self.register_parameter(name, None)

    def _replace_module(self, name: str, value: Any) -> None:
        if value is not None:
            raise refusal.wrong_type(
                f"cannot assign '{type_name(value)}' as child module '{name}' (torch.nn.Module or "
                "None expected)",
                fix=f"`del module.{name}` first if the attribute is to become something else.",
            )
        self._modules[name] = registry.passed_through(registry.module_hooks, self, name, None)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not is_tensor_like(value):
            raise refusal.wrong_type(
                f"cannot assign '{type_name(value)}' as buffer '{name}' (torch.nn.Buffer, "
                "torch.Tensor or None expected)",
                fix=f"`module.{name} = torch.tensor(value)`.",
            )
        if value is not None and getattr(value, "_is_buffer", False):
            self._forget(name, "_parameters", "_modules")
            if getattr(value, "persistent", True):  # overrides may not know the third argument
                self.register_buffer(name, value)
            else:
                self.register_buffer(name, value, False)
        else:
            value = registry.passed_through(registry.buffer_hooks, self, name, value)
            self._buffers[name] = value

    def __delattr__(self, name: str) -> None:
        fields = self.__dict__
        for holder in _HOLDERS:
            if name in fields.get(holder, ()):
                del fields[holder][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        fields = self.__dict__
        names = {*dir(type(self)), *fields}
        for holder in _HOLDERS:
            names.update(fields.get(holder, ()))
        return sorted(name for name in names if not name[:1].isdigit())

    # ---- pickling and printing -----------------------------------------------------------------

    def __setstate__(self, state: dict[str, Any]) -> None:
        fields = self.__dict__
        fields.update(state)
        # Files written before a field existed lack it.
        for name in (*_HOOK_FIELDS, "_backward_hooks", "_backward_pre_hooks"):
            if name not in fields:
                fields[name] = OrderedDict()
        fields.setdefault("_non_persistent_buffers_set", set())
        fields.setdefault("_is_full_backward_hook", None)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)  # compiled code stays in its process
        return state

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The settings shown in the module's repr; subclasses override it."""
        return ""

    def __repr__(self) -> str:
        settings = self.extra_repr()
        lines = settings.split("\n") if settings else []
        children = [
            f"({printable(name)}): {_addindent(repr(module), 2)}"
            for name, module in self._modules.items()
        ]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({settings})"
        inside = "\n  ".join([*lines, *children])
        return f"{self._get_name()}(\n  {inside}\n)"


__all__ = [
    "Module",
    "RemovableHandle",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]
