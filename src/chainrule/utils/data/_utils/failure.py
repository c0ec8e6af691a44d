"""Errors of another process: sent as text, raised again here with the same type."""

from __future__ import annotations

import pickle
import sys
import traceback
from typing import Any


class _Verbatim(str):
    """Text that a KeyError prints as it is, with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


def _sendable(kind: Any) -> Any:
    """The type itself, or the nearest base that another process knows by its name."""
    for base in kind.__mro__:
        try:
            if pickle.loads(pickle.dumps(base)) is base:
                return base
        except Exception:
            continue
    return RuntimeError


class ExceptionWrapper:
    """An exception with its traceback as text; holds no frames, so it can be sent."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, value, trace = sys.exc_info() if exc_info is None else exc_info
        self.exc_type = _sendable(kind)
        self.name = kind.__name__  # pyright: ignore[reportOptionalMemberAccess]
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))
        self.where = where

    def reraise(self) -> None:
        """Raise an exception of the same type that says where it comes from."""
        text = f"Caught {self.name} {self.where}.\nOriginal {self.exc_msg}"
        try:
            if issubclass(self.exc_type, KeyError):
                problem = self.exc_type(_Verbatim(text))
            elif getattr(self.exc_type, "message", None):
                problem = self.exc_type(message=text)
            else:
                problem = self.exc_type(text)
        except Exception:  # a type that wants other arguments
            problem = RuntimeError(text)
        try:
            raise problem
        finally:
            del problem  # its traceback has this frame: together they would live on
