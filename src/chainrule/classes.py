"""`torch.classes`: classes that C++ libraries register with PyTorch. Here none can be registered.

A namespace can be named, as programs do that look for an optional library; a class in it is an
error, as in PyTorch where the library was not loaded.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .autograd import refusal


class _Namespace:
    """The classes of one library: none."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python's own questions
            raise AttributeError(name)
        raise refusal.runtime(
            f"Tried to instantiate class '{self.name}.{name}', but it does not exist! Ensure that "
            "it is registered via torch::class_",
            fix="chainrule loads no C++ libraries; write the class in Python.",
        )


loaded_libraries: set[str] = set()
__path__: list[str] = []  # programs read and set it; there is nothing to look through


def load_library(path: str) -> NoReturn:
    """Refused: C++ libraries cannot be loaded."""
    raise refusal.not_implemented(
        f"torch.classes.load_library({path!r}): chainrule loads no C++ libraries",
        fix="write the class in Python.",
    )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'chainrule.classes' has no attribute {name!r}")
    found = globals()[name] = _Namespace(name)
    return found


__all__ = ["load_library", "loaded_libraries"]
