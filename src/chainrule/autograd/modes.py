"""Context managers that switch recording: no_grad, enable_grad, set_grad_enabled, inference_mode.

Each also decorates functions, generator functions (the mode holds inside the generator only while
it runs) and, as PyTorch does, can be given without parentheses.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .leaves import LAYOUTS
from .state import INFERENCE, NO_GRAD, STATE

_new = object.__new__


def _refresh(state: dict[str, Any], inference: bool, enabled: bool) -> None:
    """`State.refresh` on the thread's own dict: each look at a thread-local costs as much as this
    whole function."""
    state["w"] = (0 if enabled else INFERENCE if inference else NO_GRAD) | state["unusual"]


class ModeSwitch:
    """A context manager that is also a decorator."""

    __slots__ = ("__dict__", "mode", "previous")

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                f"should only decorate functions or methods: of {function.__name__} only the "
                f"construction runs in {type(self).__name__}, and its name is a function now.",
                FutureWarning,
                stacklevel=3,
            )
            cls = function
            function = lambda *args, **kwargs: cls(*args, **kwargs)  # noqa: E731
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _wrap_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            step: Callable[[], Any] = lambda: next(generator)  # noqa: E731
            while True:
                try:
                    with self.clone():
                        value = step()
                except StopIteration as stop:
                    return stop.value
                try:
                    sent = yield value
                    step = functools.partial(generator.send, sent)
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as problem:
                    step = functools.partial(generator.throw, problem)

        return wrapped

    def clone(self) -> ModeSwitch:
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError


class _GradMode(ModeSwitch):
    value = False

    def __new__(cls, function: Any = None) -> Any:
        made = _new(cls)
        return made if function is None else made(function)

    def __enter__(self) -> None:
        state = STATE.__dict__
        self.previous = state["grad_enabled"]
        state["grad_enabled"] = enabled = self.value
        _refresh(state, state["inference"], enabled)

    def __exit__(self, *exc: object) -> None:
        state = STATE.__dict__
        state["grad_enabled"] = enabled = self.previous
        _refresh(state, state["inference"], enabled)


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
    """Record inside, also within no_grad."""

    value = True


class set_multithreading_enabled(ModeSwitch):
    """Allow backward to use several threads; here it always runs in the thread that called it."""

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = STATE.multithreading, bool(mode)
        STATE.multithreading = self.mode

    def __enter__(self) -> None:
        STATE.multithreading = self.mode

    def __exit__(self, *exc: object) -> None:
        STATE.multithreading = self.previous


def is_multithreading_enabled() -> bool:
    """Whether backward may use several threads."""
    return STATE.multithreading


class set_grad_enabled(ModeSwitch):
    """Switch recording on or off, at once and until the end of the `with` block."""

    def __init__(self, mode: bool) -> None:
        self.previous = STATE.grad_enabled
        self.mode = bool(mode)
        STATE.set_grad_enabled(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        STATE.set_grad_enabled(self.previous)  # decorating does not switch anything now
        return super().__call__(function)

    def __enter__(self) -> None:
        STATE.set_grad_enabled(self.mode)

    def __exit__(self, *exc: object) -> None:
        STATE.set_grad_enabled(self.previous)

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)


class enforce_grad_layout_policy(ModeSwitch):
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


class inference_mode(ModeSwitch):
    """No recording and no version counting: tensors made inside never take part in autograd."""

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
        self.previous = (self.previous, state["inference"], state["grad_enabled"], was)
        state["inference"] = mode = self.mode
        state["grad_enabled"] = not mode
        state["w"] = (INFERENCE if mode else 0) | state["unusual"]

    def __exit__(self, *exc: object) -> None:
        state = STATE.__dict__
        self.previous, state["inference"], state["grad_enabled"], was = self.previous
        state["w"] = was | state["unusual"]

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread."""
    return STATE.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether inference_mode is active in this thread."""
    return STATE.inference
