"""Modules as functions of their parameters, the old way of the `functorch` package.

`torch.func.functional_call` is the present one.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ..func.stateless import functional_call
from ..nn import Module


class FunctionalModuleWithBuffers(Module):
    """A module without its parameters and buffers, which are given at each call."""

    def __init__(
        self, stateless_model: Any, param_names: Sequence[str], buffer_names: Sequence[str]
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = tuple(param_names), tuple(buffer_names)

    def forward(self, params: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        """The module's result with these parameters and buffers."""
        state = dict(zip(self.param_names, params, strict=True))
        state |= dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(Module):
    """A module without its parameters, which are given at each call."""

    def __init__(self, stateless_model: Any, param_names: Sequence[str]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple(param_names)

    def forward(self, params: Any, *args: Any, **kwargs: Any) -> Any:
        """The module's result with these parameters."""
        state = dict(zip(self.param_names, params, strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


def _taken_apart(model: Any, disable: bool) -> tuple[Any, Any, Any]:
    parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    if disable:
        parameters = {k: p.detach() for k, p in parameters.items()}
    return copy.deepcopy(model), parameters, buffers


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """(function, parameters, buffers) of a module."""
    bare, parameters, buffers = _taken_apart(model, disable_autograd_tracking)
    made = FunctionalModuleWithBuffers(bare, list(parameters), list(buffers))
    return made, tuple(parameters.values()), tuple(buffers.values())


def make_functional(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """(function, parameters) of a module without buffers."""
    bare, parameters, buffers = _taken_apart(model, disable_autograd_tracking)
    if buffers:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use "
            "make_functional_with_buffers(model) instead."
        )
    return FunctionalModule(bare, list(parameters)), tuple(parameters.values())
