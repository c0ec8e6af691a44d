"""The norms of a model's gradients, weights and steps, by layer."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.nonfinite import wide
from ..nn.modules.module import Module
from .verdict import Layer, judge_layers


@dataclass
class Parameter:
    """One parameter with its gradient, as arrays; for the reading of its sign."""

    name: str
    value: np.ndarray
    gradient: np.ndarray | None


def layers_of(model: Any) -> Iterator[tuple[str, Any, list[tuple[str, Any]]]]:
    """(path, module, its own parameters) of every module that has some; shared ones once."""
    if not isinstance(model, Module):
        raise TypeError(
            f"gradient_flow takes a module, got {type(model).__name__}\n"
            "  Fix: pass the model whose parameters were trained."
        )
    seen: set[int] = set()
    for path, module in model.named_modules():
        own = []
        for name, p in module.named_parameters(recurse=False):
            if id(p) not in seen:
                seen.add(id(p))
                own.append((f"{path}.{name}" if path else name, p))
        if own:
            yield path or "(model)", module, own


def measure(
    model: Any,
    optimizer: Any = None,
    lr: float | None = None,
    units: dict[str, Any] | None = None,
    updates: dict[int, float] | None = None,
    keep: bool = True,
) -> tuple[list[Layer], list[Parameter]]:
    """The layers of a model with what their gradients say, and copies of the parameters.

    Without `keep` there are none: a history of them would be one of whole models.
    """
    if updates is None:
        updates = step_sizes(model, optimizer, lr)
    layers, parameters = [], []
    for path, module, own in layers_of(model):
        layers.append(_layer(path, module, own, updates))
        for name, p in own if keep else ():
            g = _gradient(p)
            parameters.append(Parameter(name, _array(p).copy(), None if g is None else g.copy()))
    for layer in layers:
        seen = (units or {}).get(layer.name)
        if seen is not None:
            layer.dead, layer.saturated, layer.activation = seen
    judge_layers(layers)
    return layers, parameters


def _layer(path: str, module: Any, own: list[tuple[str, Any]], updates: dict[int, float]) -> Layer:
    gradients = [g for _, p in own if (g := _gradient(p)) is not None]
    count = sum(int(np.prod(p.shape)) for _, p in own)
    kind = type(module).__name__
    layer = Layer(path, kind, count, None, norm([_array(p) for _, p in own]))
    layer.matrix = any(p.ndim > 1 for _, p in own) and not kind.startswith("Embedding")
    if gradients:
        total = sum(g.size for g in gradients)
        layer.gradient = norm(gradients)
        layer.zeros = sum(int(g.size - np.count_nonzero(g)) for g in gradients) / max(total, 1)
        layer.dead = _without_gradient(module)
    steps = [updates[id(p)] for _, p in own if id(p) in updates]
    if steps:
        layer.update = float(np.sqrt(np.sum(np.square(steps))))
    return layer


def _array(p: Any) -> np.ndarray:
    return np.asarray(wide(p.detach()._a))


def _gradient(p: Any) -> np.ndarray | None:
    g = p.grad
    if g is None:
        return None
    g = g.to_dense() if g.is_sparse else g
    return np.asarray(wide(g.detach()._a))


def norm(arrays: list[np.ndarray]) -> float:
    """The Euclidean norm of several arrays together, in float64: large squares do not overflow."""
    total = 0.0
    for a in arrays:
        flat = a.reshape(-1)
        part = float(np.vdot(flat, flat).real)
        if not np.isfinite(part) or part < 1e-30:  # float32 over- or underflowed, or it is so
            flat = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
            part = float(np.vdot(flat, flat).real)
        total += part
    return float(np.sqrt(total))


def _without_gradient(module: Any) -> float | None:
    """The share of output units whose weights and bias got no gradient at all."""
    weight = getattr(module, "weight", None)
    if weight is None or weight.ndim < 2 or weight.grad is None or weight.grad.is_sparse:
        return None
    if type(module).__name__.startswith(("Embedding", "ConvTranspose")):
        return None  # rows are words there, or inputs
    g = _gradient(weight)
    assert g is not None
    live = (g.reshape(g.shape[0], -1) != 0).any(1)
    bias = getattr(module, "bias", None)
    b = _gradient(bias) if bias is not None and hasattr(bias, "grad") else None
    if b is not None and b.shape == live.shape:
        live |= b != 0
    return float(1 - live.mean()) if live.size else None


def step_sizes(model: Any, optimizer: Any, lr: float | None) -> dict[int, float]:
    """The norm of every parameter's coming step: taken by a copy of the optimizer, or lr · g."""
    parameters = list(model.parameters()) if isinstance(model, Module) else []
    if optimizer is None:
        if lr is None:
            return {}
        return {id(p): lr * norm([g]) for p in parameters if (g := _gradient(p)) is not None}
    trial = copy.deepcopy(optimizer)
    for mine, theirs in zip(optimizer.param_groups, trial.param_groups, strict=True):
        for p, q in zip(mine["params"], theirs["params"], strict=True):
            q.grad = None if p.grad is None else p.grad.detach().clone()
    step = getattr(type(trial).step, "__wrapped__", type(trial).step)  # without anybody's hooks
    try:
        step(trial)
    except TypeError:  # it needs a closure: its step is not known from the gradients alone
        return {}
    sizes = {}
    for mine, theirs in zip(optimizer.param_groups, trial.param_groups, strict=True):
        for p, q in zip(mine["params"], theirs["params"], strict=True):
            if p.grad is not None:
                sizes[id(p)] = norm([_array(q) - _array(p)])
    return sizes


explain_module(globals())
