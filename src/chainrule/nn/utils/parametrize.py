"""Parameters computed from other parameters: `register_parametrization` and its tools."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...autograd.modes import no_grad
from ...tensor import Parameter, Tensor
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from .parametrize_checks import (
    check_first,
    check_inverse_count,
    check_inverse_of_one,
    check_inverse_of_sequence,
    check_next,
)

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_caching = 0  # how many `cached()` blocks are open
_cache: dict[tuple[int, str], Tensor] = {}


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Inside the block each parametrized tensor is computed once, however often it is read.

    >>> import chainrule as torch
    >>> from chainrule.nn.utils import parametrizations, parametrize
    >>> layer = parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> with parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _caching
    _caching += 1
    try:
        yield
    finally:
        _caching -= 1
        if not _caching:
            _cache.clear()


def _register(module: Module, name: str, value: Tensor) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and the tensor or tensors it is computed from.

    They are `original`, or `original0`, `original1`, ... where a `right_inverse` gave several.
    """

    original: Tensor
    unsafe: bool

    def __init__(
        self, modules: Sequence[Module], original: Tensor | Parameter, unsafe: bool = False
    ) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new = self._inverse_where_defined(original)
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            check_inverse_of_one(original, new)
            if new is not original:
                with no_grad():
                    original.data = new
            _register(self, "original", original)
        else:
            self._keep_sequence(original, new)
        if not unsafe:
            check_first(self(), shape, dtype)

    def _inverse_where_defined(self, value: Any) -> Any:
        """The value the parametrizations should start from to give this one."""
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    # One that refuses leaves the value, as one that has no inverse does.
                    with contextlib.suppress(NotImplementedError):
                        value = module.right_inverse(value)
        if not isinstance(value, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(value).__name__}"
            )
        return value

    def _keep_sequence(self, original: Tensor, new: Sequence[Any]) -> None:
        for i, value in enumerate(new):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, "
                    f"tuple...). Got element {i} of the sequence with type "
                    f"{type(value).__name__}."
                )
            if isinstance(original, Parameter):
                value = Parameter(value, original.requires_grad)
            value.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", value)

    def right_inverse(self, value: Any) -> None:
        """Change the originals so that the parametrized tensor becomes this value."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise refusal.runtime(
                        f"parametrization {type(module).__name__} does not implement "
                        "right_inverse.",
                        fix="define it, so that the parametrized tensor can be assigned to, or "
                        "change the original instead.",
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                check_inverse_of_sequence(self.original, value, "`original`")
                self.original.data = value
                return
            check_inverse_count(value, self.ntensors)
            for i, one in enumerate(value):
                kept = getattr(self, f"original{i}")
                check_inverse_of_sequence(kept, one, f"`original{i}`", of_sequence=True)
                kept.data = one

    def forward(self) -> Tensor:
        """The tensor, computed from the originals."""
        first, *others = self._modules.values()
        if self.is_tensor:
            value = first(self.original)
        else:
            value = first(*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for module in others:
            value = module(value)
        return value


# ---- a class of its own for each parametrized module -------------------------------------------


def _refuse_pickling(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). "
        "Fix: save module.state_dict(), build and parametrize the module anew and load it."
    )


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """The copy has the class, with its properties, of the original."""
    if id(self) not in memo:
        made = memo[id(self)] = self.__new__(type(self))
        made.__dict__ = copy.deepcopy(self.__dict__, memo)
    return memo[id(self)]


def _inject_new_class(module: Module) -> None:
    """Properties belong to classes: give the module one of its own."""
    cls = type(module)
    body: dict[str, Any] = {"__getstate__": _refuse_pickling, "__module__": cls.__module__}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _inject_property(module: Module, tensor_name: str) -> None:
    """Reading the tensor computes it, assigning to it changes its originals."""

    def read(self: Any) -> Tensor:
        compute = self.parametrizations[tensor_name]
        if not _caching:
            return compute()
        key = (id(self), tensor_name)
        if key not in _cache:
            _cache[key] = compute()
        return _cache[key]

    def assign(self: Any, value: Any) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(read, assign))


# ---- what users call ---------------------------------------------------------------------------


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a parameter or buffer by a module from what it was before.

    >>> import chainrule as torch
    >>> from chainrule import nn
    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).transpose(-1, -2)
    >>> layer = nn.Linear(3, 3)
    >>> _ = nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_next(module, tensor_name, parametrization)
        known = module.parametrizations[tensor_name]
        known.append(parametrization)
        known.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has a parametrization, or one on this tensor."""
    known = getattr(module, "parametrizations", None)
    if not isinstance(known, ModuleDict):
        return False
    return len(known) > 0 if tensor_name is None else tensor_name in known


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make a tensor plain again, with its computed value or with its original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    known = module.parametrizations[tensor_name]
    kept: Tensor
    if known.is_tensor:
        kept = known.original
        if leave_parametrized:
            with no_grad():
                kept.data = getattr(module, tensor_name)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        kept = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, kept)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class a module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, with the tensors they start from."""
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else (tensor_name,):
        known = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(known.original))
        for parametrization in known:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        if known.is_tensor:
            target.original = known.original
        else:
            for i in range(known.ntensors):
                setattr(target, f"original{i}", getattr(known, f"original{i}"))
    return to_module


explain_module(globals(), "register_parametrization", "remove_parametrizations")
