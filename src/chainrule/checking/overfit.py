"""Can a small network with this activation learn two, three or four examples by heart?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.dispatch import P
from ..autograd.value import make

# Exclusive or: the fourth example cannot be fitted without a nonlinearity.
_INPUTS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
_TARGETS = np.array([[0.0], [1.0], [1.0], [0.0]])
_HIDDEN, _STEPS, _RATE = 16, 300, 0.05


def overfits(f: Callable[..., Any], examples: int) -> float:
    """The squared error that 300 steps of Adam reach on the first examples of exclusive or."""
    rng = np.random.default_rng(1)
    arrays = [
        rng.standard_normal((2, _HIDDEN)),
        rng.standard_normal(_HIDDEN) * 0.5,
        rng.standard_normal((_HIDDEN, 1)) / np.sqrt(_HIDDEN),
        np.zeros(1),
    ]
    x, target = make(_INPUTS[:examples].copy()), make(_TARGETS[:examples].copy())
    moments = [(np.zeros_like(a), np.zeros_like(a)) for a in arrays]
    best = float("inf")
    with np.errstate(all="ignore"):
        for step in range(1, _STEPS + 1):
            loss, grads = _loss(f, arrays, x, target)
            if not np.isfinite(loss):
                break
            best = min(best, loss)
            for a, g, (first, second) in zip(arrays, grads, moments, strict=True):
                _adam(a, g, first, second, step)
    return best


def _loss(
    f: Callable[..., Any], arrays: list[np.ndarray], x: Any, target: Any
) -> tuple[float, list[np.ndarray]]:
    leaves = [make(a.copy()) for a in arrays]
    for leaf in leaves:
        leaf._rg = True
    w, b, v, c = leaves
    apart = P.matmul(f(P.matmul(x, w) + b), v) + c - target
    squares = apart * apart
    weights = make(np.full(squares._a.shape, 1.0 / squares._a.size))
    grads = grad(squares, leaves, weights, allow_unused=True, materialize_grads=True)
    return float(squares._a.mean()), [g._a for g in grads]


def _adam(a: np.ndarray, g: np.ndarray, first: np.ndarray, second: np.ndarray, step: int) -> None:
    first += 0.1 * (g - first)
    second += 0.001 * (g * g - second)
    a -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
