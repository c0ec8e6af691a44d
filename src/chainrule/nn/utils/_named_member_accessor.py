"""Reading and replacing a module's tensors by their dotted names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...tensor import Tensor
from ..modules.module import Module

_MISSING: Any = object()


def _holder(module: Module, name: str) -> dict[str, Any] | None:
    """The dict of the module that has a tensor of this name."""
    for held in (module._parameters, module._buffers):
        if name in held:
            return held
    return None


def _check_name(module: Any, name: str) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')


def set_tensor(module: Module, name: str, tensor: Tensor | None) -> None:
    """Put a tensor in the place of a parameter, buffer or attribute, as it is."""
    _check_name(module, name)
    if not isinstance(tensor, Tensor) and tensor is not None:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    held = _holder(module, name)
    if held is None:
        setattr(module, name, tensor)
    else:
        held[name] = tensor


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Put a tensor in the place of another, and return the other."""
    _check_name(module, name)
    if not isinstance(tensor, Tensor) and tensor is not None and tensor is not _MISSING:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    held = _holder(module, name)
    if held is not None:
        before = held[name]
        if tensor is _MISSING:
            del held[name]
        else:
            held[name] = tensor
        return before
    if not hasattr(module, name) and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    before = getattr(module, name, _MISSING)
    if tensor is _MISSING:
        if before is not _MISSING:
            delattr(module, name)
    else:
        setattr(module, name, tensor)
    return before


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Put a submodule in the place of another, and return the other."""
    for one in (module, submodule):
        if not isinstance(one, Module):
            raise TypeError(f"{one} is not an instance of torch.nn.Module")
    if "." in name or name == "":
        raise KeyError(f"submodule name can't be {name!r}")
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """The tensors of a module by dotted name."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def _split(self, name: str) -> tuple[Any, str]:
        path, _, last = name.rpartition(".")
        return self.get_submodule(path), last

    def get_submodule(self, name: str) -> Any:
        """The submodule at a path."""
        return self.module.get_submodule(name)

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Replace a submodule; returns the old one."""
        owner, name = self._split(path)
        return swap_submodule(owner, name, value)

    def get_tensor(self, name: str) -> Any:
        """The tensor at a path."""
        owner, last = self._split(name)
        if not hasattr(owner, last):
            raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")
        found = getattr(owner, last)
        if not isinstance(found, Tensor) and found is not None:
            raise TypeError(f"{found} is not an instance of torch.Tensor")
        return found

    def set_tensor(self, name: str, value: Tensor) -> None:
        """Replace the tensor at a path."""
        owner, last = self._split(name)
        set_tensor(owner, last, value)

    def del_tensor(self, name: str) -> None:
        """Remove the tensor at a path."""
        owner, last = self._split(name)
        delattr(owner, last)

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Replace the tensor at a path; returns the old one."""
        owner, last = self._split(name)
        return swap_tensor(owner, last, value, allow_missing=allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Any]:
        """The tensors at several paths."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Any]) -> None:
        """Replace the tensors at several paths."""
        for name, value in zip(list(names), list(values), strict=True):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Any]) -> None:
        """Replace the tensors at several paths."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """Remove the tensors at several paths."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(
        self, names: Iterable[str], values: Iterable[Any], allow_missing: bool = False
    ) -> list[Any]:
        """Replace the tensors at several paths; returns the old ones."""
        pairs = zip(list(names), list(values), strict=True)
        return [self.swap_tensor(name, value, allow_missing) for name, value in pairs]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Any], allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Replace the tensors at several paths; returns the old ones and the missing names."""
        before: dict[str, Any] = {}
        missing: list[str] = []
        try:
            for name, value in named_tensors.items():
                found = self.swap_tensor(name, value, allow_missing=True)
                before[name] = found
                if found is _MISSING:
                    missing.append(name)
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, value in before.items():
                self.swap_tensor(name, value, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """(missing, unexpected) names."""
        given = set(keys)
        known = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(known - given), sorted(given - known)

    def named_parameters(self, remove_duplicate: bool = True) -> Any:
        """(name, parameter) of the module."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Any:
        """(name, buffer) of the module."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Any:
        """(name, tensor) of the module's parameters and buffers."""
        yield from self.named_parameters(remove_duplicate=remove_duplicate)
        yield from self.named_buffers(remove_duplicate=remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Any:
        """(name, module) of the module and all in it."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
