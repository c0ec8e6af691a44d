"""Dual numbers by hand: `with dual_level(): y = f(make_dual(x, t)); unpack_dual(y).tangent`."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import refusal
from .accidents import explain_module
from .decorators import _DecoratorContextManager
from .dispatch import P
from .duals import DualLevel, in_layout
from .levels import synced
from .state import STATE
from .transform_checks import check_dual
from .value import TensorBase


class UnpackedDualTensor(NamedTuple):
    """A dual tensor in its parts."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Start a forward-mode level; returns its number."""
    if _active() is not None:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment: leave the open dual_level "
            "first, or nest func.jvp, which can be nested."
        )
    level = DualLevel()
    level.by_hand = True
    level.__enter__()
    STATE.by_hand = level  # type: ignore[attr-defined]
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the forward-mode level; its tangents are gone."""
    active = _active()
    if active is None:
        raise RuntimeError("Trying to exit a dual level, but no level is open.")
    active.__exit__(None, None, None)
    STATE.by_hand = None  # type: ignore[attr-defined]


def _active() -> Any:
    return getattr(STATE, "by_hand", None)


class dual_level(_DecoratorContextManager):
    """A block in which tensors may carry tangents."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


def _level(level: Any) -> DualLevel:
    active = _active()
    if active is None:
        raise refusal.runtime(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first.",
            fix="with torch.autograd.forward_ad.dual_level(): ...",
        )
    return active


def make_dual(tensor: Any, tangent: Any, *, level: Any = None) -> Any:
    """A tensor that carries a tangent."""
    active = _level(level)
    for name, t in (("tensor", tensor), ("tangent", tangent)):
        if not isinstance(t, TensorBase):
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: {type(t).__name__}"
            )
    check_dual(tensor, tangent)
    if active.mine(tangent):
        raise RuntimeError(
            "Expected a tangent without one of its own, but it has a forward gradient at the same "
            "level. Fix: give unpack_dual(tangent).primal."
        )
    if active.mine(tensor):
        tensor = synced(tensor)._a
    return active.dual(tensor, in_layout(tangent, tensor))


def unpack_dual(tensor: Any, *, level: Any = None) -> UnpackedDualTensor:
    """(primal, tangent) of a tensor; the tangent is None when it carries none."""
    active = _active()
    if active is None or not active.mine(tensor):
        return UnpackedDualTensor(tensor, None)
    tensor = synced(tensor)
    return UnpackedDualTensor(P.alias(tensor._a), tensor._tangent)


class _set_fwd_grad_enabled(_DecoratorContextManager):
    def __init__(self, mode: bool) -> None:
        self.previous = STATE.forward_grad_enabled
        self.mode = mode
        STATE.forward_grad_enabled = mode

    def __enter__(self) -> None:
        STATE.forward_grad_enabled = self.mode

    def __exit__(self, *exc: object) -> None:
        STATE.forward_grad_enabled = self.previous

    def clone(self) -> _set_fwd_grad_enabled:
        return _set_fwd_grad_enabled(self.mode)


explain_module(globals(), "make_dual", "unpack_dual")
