"""Context managers that switch recording: no_grad, enable_grad, set_grad_enabled, inference_mode.

Each also decorates functions, generator functions (the mode holds inside the generator only while
it runs) and, as PyTorch does, can be given without parentheses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .decorators import _DecoratorContextManager, _NoParamDecoratorContextManager
from .leaves import LAYOUTS
from .state import INFERENCE, NO_GRAD, STATE

_new = object.__new__


def _switch(state: dict[str, Any], enabled: bool) -> None:
    """`State.set_grad_enabled` on the thread's own dict: each look at a thread-local costs as much
    as this whole function."""
    state["wants_grad"] = enabled
    inference = state["inference"]
    if inference and not any(level.kind == "grad" for level in state["levels"]):
        return  # nothing is recorded in there, whatever is wanted
    state["grad_enabled"] = enabled
    state["w"] = (0 if enabled else INFERENCE if inference else NO_GRAD) | state["unusual"]


class _GradMode(_NoParamDecoratorContextManager):
    __slots__ = ("previous",)
    value = False

    def __new__(cls, function: Any = None) -> Any:
        made = _new(cls)
        return made if function is None else made(function)

    def __enter__(self) -> None:
        state = STATE.__dict__
        self.previous = state["wants_grad"]
        _switch(state, self.value)

    def __exit__(self, *exc: object) -> None:
        _switch(STATE.__dict__, self.previous)


class no_grad(_GradMode):
    """Do not record inside: results do not require grad.

    >>> import chainrule as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    value = False


class enable_grad(_GradMode):
    """Record inside, also within no_grad; not within inference_mode."""

    value = True


class set_multithreading_enabled(_DecoratorContextManager):
    """Allow backward to use several threads; here it always runs in the thread that called it."""

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = STATE.multithreading, bool(mode)
        STATE.multithreading = self.mode

    def __enter__(self) -> None:
        STATE.multithreading = self.mode

    def __exit__(self, *exc: object) -> None:
        STATE.multithreading = self.previous

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)


def is_multithreading_enabled() -> bool:
    """Whether backward may use several threads."""
    return STATE.multithreading


class set_grad_enabled(_DecoratorContextManager):
    """Switch recording on or off, at once and until the end of the `with` block."""

    def __init__(self, mode: bool) -> None:
        self.previous = STATE.wants_grad
        self.mode = bool(mode)
        _switch(STATE.__dict__, self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        _switch(STATE.__dict__, self.previous)  # decorating does not switch anything now
        return super().__call__(function)

    def __enter__(self) -> None:
        _switch(STATE.__dict__, self.mode)

    def __exit__(self, *exc: object) -> None:
        _switch(STATE.__dict__, self.previous)

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)


class enforce_grad_layout_policy(_DecoratorContextManager):
    """Whether a leaf's new gradient is laid out in memory as the leaf is (the default).

    At once and until the end of the `with` block; also a decorator.
    """

    def __init__(self, enable: bool = True) -> None:
        self.previous = LAYOUTS.enforced
        self.mode = LAYOUTS.enforced = bool(enable)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        LAYOUTS.enforced = self.previous  # decorating does not switch anything now
        return super().__call__(function)

    def __enter__(self) -> None:
        LAYOUTS.enforced = self.mode

    def __exit__(self, *exc: object) -> None:
        LAYOUTS.enforced = self.previous

    def clone(self) -> enforce_grad_layout_policy:
        return enforce_grad_layout_policy(self.mode)


class inference_mode(_DecoratorContextManager):
    """No recording and no version counting: tensors made inside never take part in autograd."""

    __slots__ = ("mode", "previous")
    previous: Any

    def __new__(cls, mode: Any = True) -> Any:
        made = _new(cls)
        made.previous = None
        if mode is True:
            made.mode = True
        elif callable(mode):
            made.mode = True
            return made(mode)
        else:
            made.mode = bool(mode)
        return made

    def __enter__(self) -> None:
        state = STATE.__dict__
        # A chain, so that one object may be entered again while it is active.
        was = state["w"] & (NO_GRAD | INFERENCE)
        modes = state["inference"], state["grad_enabled"], state["wants_grad"], was
        self.previous = (self.previous, modes)
        state["inference"] = mode = self.mode
        state["grad_enabled"] = state["wants_grad"] = not mode
        state["w"] = (INFERENCE if mode else 0) | state["unusual"]

    def __exit__(self, *exc: object) -> None:
        state = STATE.__dict__
        self.previous, modes = self.previous
        state["inference"], state["grad_enabled"], state["wants_grad"], was = modes
        state["w"] = was | state["unusual"]

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread, unless inference_mode is active."""
    return STATE.wants_grad


def is_inference_mode_enabled() -> bool:
    """Whether inference_mode is active in this thread."""
    return STATE.inference
