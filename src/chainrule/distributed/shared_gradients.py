"""Norms of gradients of which each process has parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.value import make
from .collectives import all_reduce
from .placement_types import Partial, Replicate
from .reduction import ReduceOp
from .tensor.dtensor import DTensor
from .tensor.spec import Spec, of_gradient


def norm_of_all(parameters: Any, norm_type: float) -> Any:
    """The norm of all gradients, on every process; whole ones count once."""
    largest = norm_type == float("inf")
    meshes: dict[Any, list[float]] = {}
    alone: list[float] = []
    for p in parameters:
        grad = p._grad
        if grad is None:
            continue
        if not isinstance(grad, DTensor):
            alone.append(_power(grad._a, norm_type))
            continue
        if any(isinstance(x, Partial) for x in grad.placements):
            grad = grad.redistribute(placements=of_gradient(p.placements))
        terms = meshes.setdefault(grad.device_mesh, [])
        terms.append(
            _power(grad._local_tensor._a, norm_type) if grad._spec.is_first_holder() else 0.0
        )
    totals = [_over(mesh, terms, largest) for mesh, terms in meshes.items()]
    every = [*totals, *alone]
    total = max(every, default=0.0) if largest else sum(every) ** (1.0 / norm_type)
    kinds = [p._grad.dtype.np for p in parameters if p._grad is not None]
    value = make(np.asarray(total, kinds[0]))
    mesh = next(iter(meshes))
    return DTensor(value, Spec(mesh, tuple(Replicate() for _ in range(mesh.ndim)), ()))


def _power(array: np.ndarray, norm_type: float) -> float:
    """One array's share of the sum that a norm is the root of; the largest for infinity."""
    values = np.abs(array.astype(np.result_type(array.dtype, np.float64)))
    if norm_type == float("inf"):
        return float(values.max(initial=0.0))
    return float((values**norm_type).sum())


def _over(mesh: Any, terms: list[float], largest: bool) -> float:
    value = make(np.array([max(terms, default=0.0) if largest else sum(terms)]))
    for m in range(mesh.ndim):
        all_reduce(value, ReduceOp.MAX if largest else ReduceOp.SUM, mesh.get_group(m))
    return float(value._a[0])
