"""The norm of the gradient at every step of a function and at every parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.node import OutSlot
from ..autograd.value import make
from .scan import first_output
from .suspects import observing


@dataclass(frozen=True)
class LayerNorm:
    """The gradient's norm at an operation's result or a parameter."""

    name: str
    norm: float
    verdict: str  # "", "vanishing", "exploding" or "not finite"
    where: str


def layer_norms(f: Any, shape: tuple[int, ...], healthy: tuple[float, float]) -> list[LayerNorm]:
    """Gradient norms of the mean example's output (randomly weighted), on a random batch."""
    rng = np.random.default_rng(17)
    x = make(rng.standard_normal(shape))
    x._rg = True
    results: list[Any] = []

    def note(op: Any, tensors: Any, outs: Any, params: Any) -> None:
        results.extend(o for o in outs if getattr(o, "_rg", False) and o._node is not None)

    try:
        with observing(note):
            y = first_output(f(x))
    except Exception:  # what it is that fails, the checks of points and batches tell
        return []
    if not y._rg:
        return []
    # Random weights: plain sums are constant for outputs that are normalised.
    weights = make(rng.standard_normal(y._a.shape) / shape[0])
    named = [("input", x, "")]
    named += [(*_label(t), t) for t in results]  # type: ignore[misc]
    named = [n if n[0] == "input" else (n[0], n[2], n[1]) for n in named]
    if hasattr(f, "named_parameters"):
        named += [(name, p, "") for name, p in f.named_parameters() if p._rg]
    grads = grad(y, [t for _, t, _ in named], weights, allow_unused=True)
    rows = []
    for (name, _, where), g in zip(named, grads, strict=True):
        if g is not None:
            norm = float(np.linalg.norm(np.asarray(g._a, np.float64).reshape(-1)))
            rows.append(LayerNorm(name, norm, _verdict(norm, healthy), where))
    return rows


def _label(t: Any) -> tuple[str, str]:
    node = t._node.node if isinstance(t._node, OutSlot) else t._node
    return node.name().removesuffix("0").removesuffix("Backward"), node.where()


def _verdict(norm: float, healthy: tuple[float, float]) -> str:
    if not np.isfinite(norm):
        return "not finite"
    if norm == 0:
        return "dead"
    if norm < healthy[0]:
        return "vanishing"
    return "exploding" if norm > healthy[1] else ""
