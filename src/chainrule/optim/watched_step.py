"""An optimizer's step in `detect_anomaly(forward=True)`: what goes in and comes out is finite.

A gradient that is not finite is reported before it spoils the parameters, and a step that takes
finite numbers to infinity is reported with its parameter, rate and gradient. The sizes of the last
steps are kept, so that a NaN in a later forward pass can be traced to steps that blew up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..autograd import source
from ..autograd.anomaly import unchecked
from ..autograd.nonfinite import find, payload, show, wide
from ..autograd.variable_names import find_name

_KEPT = 8  # steps of which the sizes are told
_GROWTH = 100.0  # of the gradient's norm or of the largest weight: no healthy run does this

_SMALLER = "a smaller learning rate, a warm-up, or clip_grad_norm_ before the step."


@dataclass
class Steps:
    """The steps one optimizer took inside the block."""

    name: str
    rate: Any
    taken: int = 0
    norms: list[float] = field(default_factory=list)  # of the whole gradient
    largest: list[float] = field(default_factory=list)  # absolute value of a weight, afterwards

    def growth(self) -> list[str]:
        """Lines when the steps have grown beyond reason."""
        for what, sizes in (("gradient norms", self.norms), ("largest weights", self.largest)):
            if len(sizes) > 1 and sizes[-1] > _GROWTH * max(min(sizes), 1e-12):
                shown = ", ".join(show(s) for s in sizes)
                return [
                    f"The training had blown up before: step {self.taken} of {self.name} "
                    f"(lr {self.rate}); {what} of the last steps: {shown}.",
                    f"Fix: {_SMALLER}",
                ]
        return []


def watched(log: Any, step: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a step; raise when a gradient or a parameter is not finite."""
    optimizer = args[0]
    steps = log.steps.get(optimizer)
    if steps is None:
        steps = log.steps[optimizer] = Steps(
            type(optimizer).__name__, optimizer.param_groups[0].get("lr")
        )
    steps.taken += 1
    if len(args) > 1 or kwargs.get("closure") is not None:
        result = step(*args, **kwargs)  # what the closure computes is checked as any forward pass
        _check_parameters(optimizer, steps, {})
        return result
    before = _check_gradients(log, optimizer, steps)
    with unchecked():
        result = step(*args, **kwargs)
    _check_parameters(optimizer, steps, before)
    return result


def _entries(optimizer: Any) -> list[tuple[str, Any, dict[str, Any]]]:
    """(name, parameter, group) of every parameter with a gradient."""
    found = []
    for g, group in enumerate(optimizer.param_groups):
        names = group.get("param_names")
        for k, p in enumerate(group["params"]):
            number = f"number {k}" if len(optimizer.param_groups) == 1 else f"{k} of group {g}"
            found.append((names[k] if names else number, p, group))
    return found


def _label(name: str, p: Any) -> str:
    known = find_name(p)
    text = f"`{known.text}`" if known is not None else name
    return f"{text} ({p.dtype.np.name} {list(p.shape)})"


def _check_gradients(log: Any, optimizer: Any, steps: Steps) -> dict[int, tuple[float, float]]:
    """Raise for a gradient that is not finite; else each one's norm and its parameter's size."""
    sizes: dict[int, tuple[float, float]] = {}
    total = 0.0
    for name, p, _ in _entries(optimizer):
        g = payload(p.grad._values() if p.grad is not None and p.grad.is_sparse else p.grad)
        if g is None:
            continue
        found = find(g)
        if found is not None:
            raise RuntimeError("\n".join(_bad_gradient(log, name, p, found, steps)))
        norm = float(np.linalg.norm(wide(g).astype(np.float64).reshape(-1)))
        total += norm**2
        sizes[id(p)] = (norm, _largest(p))
    steps.norms = [*steps.norms, total**0.5][-_KEPT:]
    return sizes


def _bad_gradient(log: Any, name: str, p: Any, found: Any, steps: Steps) -> list[str]:
    lines = [
        f"the gradient of parameter {_label(name, p)} holds {found.kind} values in step "
        f"{steps.taken} of {steps.name}: {found}.",
        f"  at {source.here()}",
    ]
    origin = log.of_gradient(p)
    if origin is not None:
        lines.append(f"  {origin.headline}")
        lines += [f"    {line}" for line in origin.lines]
    lines += [f"  {line}" for line in steps.growth()]
    return [*lines, "  The step was not taken: it would have spoiled the parameter."]


def _check_parameters(optimizer: Any, steps: Steps, before: dict[int, tuple[float, float]]) -> None:
    largest = 0.0
    for name, p, group in _entries(optimizer):
        array = payload(p)
        found = find(array) if array is not None else None
        if found is None:
            largest = max(largest, _largest(p))
            continue
        lines = [
            f"step {steps.taken} of {steps.name} left {found.kind} values in parameter "
            f"{_label(name, p)}: {found}.",
            f"  at {source.here()}",
        ]
        settings = f"lr {group.get('lr')}"
        if id(p) in before:
            norm, size = before[id(p)]
            settings += f", norm of its gradient {show(norm)}, largest weight before {show(size)}"
        lines.append(f"  {settings}.")
        lines += [f"  {line}" for line in steps.growth()[:1]]
        lines.append(f"  Everything that was put in was finite. Fix: {_SMALLER}")
        raise RuntimeError("\n".join(lines))
    steps.largest = [*steps.largest, largest][-_KEPT:]


def _largest(p: Any) -> float:
    array = payload(p)
    return float(np.abs(wide(array)).max()) if array is not None and array.size else 0.0
