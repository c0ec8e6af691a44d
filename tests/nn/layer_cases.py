"""Cases of the nn classes: how a layer is made and what it is called on, for any framework.

    CASES = {                                             # in cases/<family>.py
        "Linear": [
            layer(5, 3).on(normal(4, 5)),
            layer(5, 3, bias=False, dtype=Value(lambda torch: torch.float64)).on(normal(4, 5)),
        ],
        "Dropout": [layer(0.3).on(normal(4, 5)), layer(0.3).on(normal(4, 5)).evaluated()],
    }

Keys are paths below `nn`. Arrays in constructor arguments, inputs and keywords stand for tensors
(also inside tuples and lists); float64 arrays become float32, and as inputs they get gradients.
`Value` stands for anything else that a framework must make. A new family is a new file in `cases/`;
record it with `python tools/record/record_layers.py <family>`. This module imports NumPy only: the
recorder runs it under PyTorch.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import cases


@dataclass(frozen=True)
class Value:
    """Something made by the framework: `Value(lambda torch: torch.float64)`."""

    make: Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """A layer, its inputs, and how the two are run and compared."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    inputs: tuple[Any, ...] = ()
    call: dict[str, Any] = field(default_factory=dict)
    training: bool = True
    steps: int = 1
    seed: int = 0
    rtol: float = 4e-6
    no_gradient: str = ""
    warning: str = ""

    def on(self, *inputs: Any, **call: Any) -> Case:
        """Called on these inputs."""
        return replace(self, inputs=inputs, call=call)

    def evaluated(self) -> Case:
        """In evaluation mode."""
        return replace(self, training=False)

    def repeated(self, steps: int) -> Case:
        """Called several times: buffers and random numbers move on."""
        return replace(self, steps=steps)

    def seeded(self, seed: int) -> Case:
        """With another seed."""
        return replace(self, seed=seed)

    def loose(self, rtol: float) -> Case:
        """With a larger error accepted, relative to the largest value, where numerics differ."""
        return replace(self, rtol=rtol)

    def warns(self, phrase: str) -> Case:
        """With a warning that contains this phrase."""
        return replace(self, warning=phrase)

    def without_gradient(self, because: str) -> Case:
        """Without comparing gradients, for a reason."""
        assert because
        return replace(self, no_gradient=because)


def layer(*args: Any, **kwargs: Any) -> Case:
    """A case of a layer made with these arguments."""
    return Case(args, kwargs)


def family_names() -> list[str]:
    """The files in `cases/`."""
    return sorted(found.name for found in pkgutil.iter_modules(cases.__path__))


def cases_of(family: str) -> dict[str, list[Case]]:
    """The cases of one family by the path of their class."""
    return importlib.import_module(f"{cases.__name__}.{family}").CASES


def converted(value: Any, torch: Any, leaves: list[Any] | None = None) -> Any:
    """A value with arrays as tensors; float inputs are collected as leaves with gradients."""
    if isinstance(value, Value):
        return value.make(torch)
    if isinstance(value, np.ndarray):
        is_float = value.dtype == np.float64
        made = torch.tensor(value.astype(np.float32) if is_float else value)
        if not is_float or leaves is None:
            return made
        leaves.append(made.requires_grad_())
        return made.clone()  # a layer may write into its input
    if isinstance(value, tuple | list):
        return type(value)(converted(v, torch, leaves) for v in value)
    return value
