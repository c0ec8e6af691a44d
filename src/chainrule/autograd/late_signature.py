"""Signatures of functions that stand before others, read when somebody asks.

`inspect.signature` looks behind a wrapper by itself; `inspect.getfullargspec`, by which programs
find out what a layer or an optimizer takes, does not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


class LateSignature(inspect.Signature):
    """The signature of a function; making it costs nothing before it is used."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name not in ("_parameters", "_return_annotation"):  # the slots of Signature
            raise AttributeError(f"'Signature' object has no attribute {name!r}")
        found = inspect.signature(self._function)
        self._parameters: Any = found._parameters  # type: ignore[attr-defined]
        self._return_annotation: Any = found.return_annotation
        return getattr(self, name)

    def replace(self, **changes: Any) -> inspect.Signature:
        return inspect.signature(self._function).replace(**changes)

    def __reduce__(self) -> Any:
        return inspect.signature(self._function).__reduce__()


def show_signature(wrapper: Any, function: Callable[..., Any]) -> None:
    """Let a wrapper show the signature of what it calls."""
    wrapper.__signature__ = LateSignature(function)
