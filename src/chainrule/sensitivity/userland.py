"""Which code is the user's own."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import CodeType, FrameType

from ..autograd import source

_USERS: dict[str, bool] = {}
_INSTALLED = tuple(
    os.path.abspath(sysconfig.get_paths()[kind]) + os.sep
    for kind in ("stdlib", "platstdlib", "purelib", "platlib")
)


def known_files() -> dict[str, bool]:
    """What `is_users` has said so far, by file name: to ask without a call."""
    return _USERS


def is_users(filename: str) -> bool:
    """Whether a file is the user's own: not ours, not Python's, not an installed package's."""
    known = _USERS.get(filename)
    if known is None:
        frozen = filename.startswith("<frozen")
        installed = os.path.abspath(filename).startswith(_INSTALLED)
        known = _USERS[filename] = not (source.is_library(filename) or frozen or installed)
    return known


def position() -> tuple[CodeType | None, int]:
    """(code, instruction) of the innermost frame of the user's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


def here() -> str:
    """The user's current line, for messages."""
    return source.describe(*position())
