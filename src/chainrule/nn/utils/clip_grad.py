"""Keeping gradients small: `clip_grad_norm_`, `clip_grad_value_` and their parts."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

import chainrule as torch

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...autograd.modes import no_grad
from ...autograd.source import warn_user
from ...autograd.state import INFERENCE, STATE
from ...autograd.value import PLAIN
from ...tensor import Tensor

# Where a sum of squares is this far from the limits of float32, it lost nothing on the way.
_SAFE_LOW, _SAFE_HIGH = 1e-30, 1e37
_FAST_TYPES = (np.dtype(np.float32), np.dtype(np.float64))


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    found = [p.grad for p in _listed(parameters)]
    return [g for g in found if g is not None]


def _fast_norm(tensors: list[Tensor]) -> float | None:
    """The 2-norm of plain float tensors by one dot product each; None where care is needed."""
    if STATE.w > INFERENCE:
        return None
    kind = tensors[0]._a.dtype
    if kind not in _FAST_TYPES:
        return None
    total = 0.0
    for t in tensors:
        a = t._a
        if t.__class__ not in PLAIN or a.dtype is not kind:
            return None
        flat = a.reshape(-1) if a.flags.c_contiguous else a.ravel("K")
        total += float(flat.dot(flat))
    return math.sqrt(total) if _SAFE_LOW < total < _SAFE_HIGH else None


def _total_norm(tensors: list[Tensor], norm_type: float) -> Tensor:
    if not tensors:
        return torch.tensor(0.0)
    if norm_type == 2.0:
        fast = _fast_norm(tensors)
        if fast is not None:
            return torch.tensor(fast, dtype=tensors[0].dtype)
    norms = [torch.linalg.vector_norm(t, norm_type) for t in tensors]
    return torch.linalg.vector_norm(torch.stack(norms), norm_type)


def _check_finite(total: Tensor, norm_type: float, tensors: list[Tensor]) -> None:
    if torch.logical_or(total.isnan(), total.isinf()):
        raise refusal.runtime(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`\n"
            f"  The norm is {total.item()}: {_culprits(tensors)}",
            fix="lower the learning rate, or skip this step. Where it arises is said by\n"
            "  with torch.autograd.detect_anomaly(): loss = ...; loss.backward()",
        )


def _culprits(tensors: list[Tensor]) -> str:
    """The gradients that are not finite, the first of them in detail."""
    found = [(k, t) for k, t in enumerate(tensors) if not t.isfinite().all()]
    if not found:
        return "every gradient is finite, but the sum of their powers overflows."
    k, first = found[0]
    count = int((~first.isfinite()).sum())
    return (
        f"{len(found)} of {len(tensors)} gradients are not finite; the first is number {k}, of "
        f"shape {list(first.shape)}, with {count} of {first.numel()} elements nan or infinite."
    )


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors together, as if they were one vector.

    >>> import chainrule as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    given = _listed(tensors)
    with no_grad():
        total = _total_norm(given, float(norm_type))
    if error_if_nonfinite:
        _check_finite(total, float(norm_type), given)
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scale the gradients by max_norm / total_norm where that is less than one."""
    _scale(_gradients(parameters), float(max_norm), total_norm)


def _scale(grads: list[Tensor], max_norm: float, total_norm: Tensor) -> None:
    if not grads:
        return
    with no_grad():
        scale: Any
        if STATE.w <= INFERENCE and total_norm.__class__ in PLAIN:
            # A number is at hand: no pass over the gradients that multiplies by one.
            scale = max_norm / (total_norm.item() + 1e-6)
            if scale >= 1.0:
                return
        else:
            scale = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(scale)


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients together so that their norm is at most max_norm; returns the old norm.

    >>> import chainrule as torch
    >>> w = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
    >>> (w * w).sum().backward()
    >>> torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
    tensor(10.)
    >>> w.grad
    tensor([0.6000, 0.8000])
    """
    given = _listed(parameters)
    if not given and not isinstance(parameters, list | tuple):
        warn_user("`parameters` is an empty generator, no gradient clipping will occur.")
    grads = _gradients(given)
    if any(hasattr(g, "_local_tensor") for g in grads):  # parts: other processes have the rest
        shared = importlib.import_module("chainrule" + ".distributed.shared_gradients")
        total = shared.norm_of_all(given, float(norm_type))
        norm = total._local_tensor
        if error_if_nonfinite:
            _check_finite(norm, float(norm_type), [getattr(g, "_local_tensor", g) for g in grads])
    else:
        norm = total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    _scale(grads, float(max_norm), norm)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Deprecated: `clip_grad_norm_`."""
    warn_user(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Cut every element of the gradients to [-clip_value, clip_value]."""
    limit = float(clip_value)
    with no_grad():
        for g in _gradients(parameters):
            g.clamp_(min=-limit, max=limit)


explain_module(globals())
