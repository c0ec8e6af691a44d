"""Names of data pipes that check types or say that an order is not fixed."""

from __future__ import annotations

import contextlib
from typing import Any

from .datapipes.datapipe import IterDataPipe


class DFIterDataPipe(IterDataPipe):
    """A pipe of data frames."""

    def _is_dfpipe(self) -> bool:
        return True


class guaranteed_datapipes_determinism(contextlib.ContextDecorator):
    """A block in which pipes marked `non_deterministic` are refused."""

    active = 0

    def __init__(self) -> None:
        self.before: list[int] = []

    def __enter__(self) -> None:
        guaranteed_datapipes_determinism.active += 1

    def __exit__(self, *error: object) -> None:
        guaranteed_datapipes_determinism.active -= 1


class non_deterministic:
    """Marks a pipe whose order is not fixed: a class, or a function of its arguments says so."""

    def __init__(self, arg: Any) -> None:
        self.cls = arg if isinstance(arg, type) else None
        self.decide = None if isinstance(arg, type) else arg

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.cls is None:  # @non_deterministic(decide) on a class
            self.cls = args[0]
            return self
        undecided = self.decide is None or self.decide(*args, **kwargs)
        if undecided and guaranteed_datapipes_determinism.active:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic with these arguments, and this block "
                "asks for a fixed order"
            )
        return self.cls(*args, **kwargs)


def argument_validation(f: Any) -> Any:
    """The function itself: types of pipes are not checked."""
    return f


def runtime_validation(f: Any) -> Any:
    """The function itself: types of items are not checked."""
    return f


class runtime_validation_disabled(contextlib.ContextDecorator):
    """A block without checks of types, of which there are none."""

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


__all__ = [
    "DFIterDataPipe", "argument_validation", "guaranteed_datapipes_determinism",
    "non_deterministic", "runtime_validation", "runtime_validation_disabled",
]  # fmt: skip
