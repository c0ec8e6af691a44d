"""What a module is made of: registering and finding parameters, buffers and submodules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from ...autograd import refusal
from ...autograd.accidents import explain_methods
from ...tensor import Parameter, Tensor
from . import module_registry as registry


def type_name(value: Any) -> str:
    """How PyTorch names a value's type in its errors: `torch.FloatTensor`, `int`."""
    if isinstance(value, Tensor):
        return value.type()
    cls = type(value)
    home = "" if cls.__module__ in ("builtins", None) else cls.__module__ + "."
    return home + cls.__qualname__


def is_tensor_like(value: Any) -> bool:
    """A tensor, or an object whose class says what functions do with it."""
    return isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")


def check_name(module: Any, kind: str, name: Any, held: dict[str, Any]) -> None:
    """A member's name is a string without dots that nothing else in the module uses."""
    if not isinstance(name, str):
        raise refusal.wrong_type(f"{kind} name should be a string. Got {type_name(name)}")
    problem = None
    if "." in name:
        shown = f", got: {name}" if kind == "module" else ""
        problem = f'{kind} name can\'t contain "."{shown}'
    elif name == "":
        problem = f'{kind} name can\'t be empty string ""'
    elif name not in held and hasattr(module, name):
        problem = f"attribute '{name}' already exists"
    if problem is not None:
        raise KeyError(problem)


def _all_parameters(module: Any) -> Iterator[Parameter]:
    """Every parameter once, in the order of `named_parameters`, without making the names."""
    seen: set[int] = set()
    waiting = [module]
    while waiting:
        fields = waiting.pop().__dict__
        held = fields["_modules"]
        if id(held) in seen:
            continue
        seen.add(id(held))
        for param in fields["_parameters"].values():
            if param is not None and id(param) not in seen:
                seen.add(id(param))
                yield param
        if held:
            waiting.extend(m for m in reversed(held.values()) if m is not None)


class Members:
    """The part of `Module` that registers and finds its members."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    # ---- registering ---------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None reserves the name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError(registry.before_init("parameter", self))
        check_name(self, "parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise refusal.wrong_type(
                    f"cannot assign '{type_name(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)",
                    fix="wrap the tensor: nn.Parameter(x).",
                )
            if param.grad_fn:
                raise refusal.value(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must "
                    "be created explicitly.",
                    f"this one is the result of {param.grad_fn.name()}",
                    fix="to express a parameter as a function of another tensor, compute the "
                    "value in forward().",
                )
            param = registry.passed_through(registry.parameter_hooks, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but not a parameter, such as a running mean."""
        if "_buffers" not in self.__dict__:
            raise AttributeError(registry.before_init("buffer", self))
        check_name(self, "buffer", name, self._buffers)
        if tensor is not None and not is_tensor_like(tensor):
            raise refusal.wrong_type(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (torch Tensor or "
                "None required)",
                fix="give a tensor, e.g. torch.tensor(value).",
            )
        self._buffers[name] = registry.passed_through(registry.buffer_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Add a child module under a name; None reserves the name."""
        if not isinstance(module, Members) and module is not None:
            several = isinstance(module, list | tuple)
            raise refusal.wrong_type(
                f"{type_name(module)} is not a Module subclass",
                fix="unpack it, as in nn.Sequential(*layers)." if several else "",
            )
        check_name(self, "module", name, self._modules)
        self._modules[name] = registry.passed_through(registry.module_hooks, self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    # ---- finding by path -----------------------------------------------------------------------

    def get_submodule(self, target: str) -> Any:
        """The submodule at a dotted path; the module itself for the empty path."""
        found: Any = self
        for part in target.split(".") if target else ():
            if not hasattr(found, part):
                raise AttributeError(f"{found._get_name()} has no attribute `{part}`")
            inner: Any = getattr(found, part)
            if not isinstance(inner, Members):
                raise AttributeError(f"`{part}` is not an nn.Module")
            found = inner
        return found

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Replace (or, unless `strict`, also add) the submodule at a dotted path."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Members):
            raise refusal.value(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Members):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        found = getattr(owner, name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(owner, name)

    # ---- walking -------------------------------------------------------------------------------

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """(dotted name, member) of what `get_members_fn` finds in each module."""
        seen: set[int] = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for path, module in modules:
            start = path + "." if path else ""
            for name, member in get_members_fn(module):
                if member is None:
                    continue
                if remove_duplicate:
                    if id(member) in seen:
                        continue
                    seen.add(id(member))
                yield start + name, member

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once, as an optimizer takes them.

        >>> import chainrule as torch
        >>> sum(p.numel() for p in torch.nn.Linear(3, 2).parameters())
        8
        """
        cls = type(self)
        if (
            recurse
            and "_modules" in self.__dict__
            and (
                cls.named_parameters is Members.named_parameters
                and cls._named_members is Members._named_members
            )
        ):
            yield from _all_parameters(self)
            return
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """(dotted name, parameter) of this module and those in it."""
        yield from self._named_members(
            lambda m: m._parameters.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """(dotted name, buffer) of this module and those in it."""
        yield from self._named_members(
            lambda m: m._buffers.items(), prefix, recurse, remove_duplicate
        )

    def children(self) -> Iterator[Any]:
        """The modules directly in this one, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """(name, module) directly in this one, each module once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """This module and all in it, parents first."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """(dotted name, module) of this module and all in it, parents first."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Call fn on every module in this one, children first, and on itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self


explain_methods(
    Members, "register_parameter", "register_buffer", "add_module", "get_submodule",
    "set_submodule", "get_parameter", "get_buffer", "apply", "named_parameters", "named_modules",
)  # fmt: skip
