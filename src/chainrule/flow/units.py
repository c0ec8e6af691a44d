"""Dead and saturated units: the slope of every activation, seen in one forward pass.

An activation's slope is what its own backward rule gives for a gradient of one, so every
element-wise activation of the table is covered, called as a module or as a function. It is counted
with the layer whose parameters were used before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..autograd import watching
from ..autograd.modes import enable_grad
from ..autograd.nonfinite import wide
from ..autograd.value import TensorBase
from ..random import fork_rng
from .measure import layers_of

# The largest slope of each: a unit is saturated where its own is below a twentieth of that.
BEST_SLOPE = {
    "relu": 1.0, "sigmoid": 0.25, "tanh": 1.0, "hardtanh": 1.0, "clamp": 1.0, "elu": 1.0,
    "celu": 1.0, "leaky_relu": 1.0, "gelu": 1.0, "silu": 1.0, "softplus": 1.0, "mish": 1.0,
    "hardsigmoid": 1 / 6, "hardswish": 1.0, "logsigmoid": 1.0, "threshold": 1.0, "prelu": 1.0,
}  # fmt: skip
_SATURATING = {"sigmoid", "tanh", "hardtanh", "hardsigmoid", "clamp", "logsigmoid"}
FLAT = 0.05


class Units(watching.Watcher):
    """Counts, while it is entered, what the activations after each layer do."""

    def __init__(self, model: Any) -> None:
        self.owners = {id(p): path for path, _, own in layers_of(model) for _, p in own}
        self.current: str | None = None
        self.seen: dict[str, tuple[float | None, float | None, str]] = {}

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        for a in args:
            owner = self.owners.get(id(a))
            if owner is not None:
                self.current = owner
        name = getattr(op, "name", "")
        if name not in BEST_SLOPE or self.current is None or self.current in self.seen:
            return
        if isinstance(result, TensorBase) and result._rg and result._node is not None:
            slope = _slope(result)
            if slope is not None and slope.size:
                self.seen[self.current] = _counted(name, slope)


def _slope(result: Any) -> np.ndarray | None:
    """The slope of an activation at every value, by its own rule."""
    node: Any = result._node
    if not isinstance(result._a, np.ndarray) or len(node.parents) < 1:
        return None
    grads = node.vjp(np.ones(result._a.shape, result._a.dtype), node.parents)
    return None if grads[0] is None else np.abs(wide(np.asarray(grads[0])))


def _counted(name: str, slope: np.ndarray) -> tuple[float | None, float | None, str]:
    axis = 1 if slope.ndim in (4, 5) else slope.ndim - 1  # channels of images, else the last
    by_unit = np.moveaxis(slope, axis, -1).reshape(-1, slope.shape[axis])
    dead = float((by_unit == 0).all(0).mean())
    flat = float((by_unit < FLAT * BEST_SLOPE[name]).mean()) if name in _SATURATING else None
    return dead, flat, name


def units_of(model: Any, inputs: Any) -> dict[str, tuple[float | None, float | None, str]]:
    """What the activations do on a batch; the model and the random state are left as they were."""
    watcher = Units(model)
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    with _unchanged(model), enable_grad(), watching.watching(watcher):
        model(**inputs) if isinstance(inputs, dict) else model(*arguments)
    return watcher.seen


@contextmanager
def _unchanged(model: Any) -> Iterator[None]:
    """Put buffers (running means) and the random stream back."""
    kept = [(b, b._a.copy()) for b in model.buffers() if isinstance(b._a, np.ndarray)]
    try:
        with fork_rng():
            yield
    finally:
        for buffer, values in kept:
            np.copyto(buffer._a, values)
