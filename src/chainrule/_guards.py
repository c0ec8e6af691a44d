"""`torch._guards`: which fake mode is on."""

from __future__ import annotations

from typing import Any

from .autograd.state import STATE


class TracingContext:
    """What PyTorch's compiler knows while it traces: nothing, it never does."""

    @staticmethod
    def try_get() -> None:
        """The context of the trace that goes on: none."""
        return None

    @staticmethod
    def get() -> Any:
        """The context of the trace that goes on, which must."""
        raise RuntimeError(
            "TracingContext.get() must be called within an ongoing trace: chainrule's compiler "
            "has none. Fix: TracingContext.try_get()."
        )


def active_fake_mode() -> Any:
    """The innermost `FakeTensorMode` that is on.

    >>> active_fake_mode() is None
    True
    """
    if not STATE.dispatch_modes:
        return None
    from ._subclasses.fake_tensor import FakeTensorMode

    found = [mode for mode in STATE.dispatch_modes if isinstance(mode, FakeTensorMode)]
    return found[-1] if found else None


def detect_fake_mode(inputs: Any = None) -> Any:
    """The fake mode that is on, or that of fake tensors among the inputs."""
    from ._subclasses.fake_tensor import FakeTensor
    from .utils._pytree import tree_leaves

    mode = active_fake_mode()
    if mode is not None:
        return mode
    fakes = [t for t in tree_leaves(inputs) if isinstance(t, FakeTensor)]
    return fakes[0].fake_mode if fakes else None
