"""What `compile(module)` returns: a module whose call is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..nn import Module
from .compiled_function import CompiledFunction


class OptimizedModule(Module):
    """A module around another whose calls are compiled; it shares parameters and settings with it.

    Names of parameters begin with `_orig_mod.`, as in PyTorch; other attributes are the inner
    module's.

    >>> import chainrule as torch
    >>> model = torch.nn.Linear(2, 1)
    >>> compiled = torch.compile(model)
    >>> compiled.weight is model.weight, list(compiled.state_dict())
    (True, ['_orig_mod.weight', '_orig_mod.bias'])
    """

    _orig_mod: Module

    def __init__(self, module: Module, compiled: Callable[..., Any]) -> None:
        super().__init__()
        self._orig_mod = module
        self.__dict__["_compiled"] = compiled
        self.__dict__["training"] = module.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The compiled call of the inner module."""
        return self._compiled(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_orig_mod":
                raise
            return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_orig_mod", "training") or "_orig_mod" not in self.__dict__["_modules"]:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __len__(self) -> int:
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True  # also where there is no length

    def explain(self) -> str:
        """What was made of the module: see `CompiledFunction.explain`."""
        return self.__dict__["_compiled"].explain()

    def __reduce__(self) -> Any:
        compiled = self.__dict__["_compiled"]
        return _compiled_again, (self._orig_mod, compiled.fullgraph)


def _compiled_again(module: Module, fullgraph: bool) -> OptimizedModule:
    """What a pickled module becomes: its plans are made anew."""
    return OptimizedModule(module, CompiledFunction(module, fullgraph))
