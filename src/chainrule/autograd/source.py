"""Which line of the user's program did this: captured for every node, resolved only when asked.

A node stores the code object and the instruction offset of the first frame outside this package
(0.1 µs); file, line and text are looked up when an error or a report needs them.
"""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from contextlib import contextmanager
from types import CodeType, FrameType

from .printable import printable

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_TOUR = _PACKAGE + "tour.py"  # a user's program: its lines are to be shown
# Between a generator of ours and the `with` that runs it.
_CONTEXTS = contextmanager.__code__.co_filename
LONGEST_SHOWN = 120  # characters of a line in a message: one-liners would bury the rest of it
# Whether a file name belongs to the package; filled as files are met (a dict look-up by an
# interned string is the cheapest test there is).
LIBRARY_FILES: dict[str, bool] = {}


# How modules of this package begin; the import hook adds PyTorch's name, which classes then bear.
OWN_NAMES = {__name__.partition(".")[0]}


def is_own_name(module: str | None, inside: str = "") -> bool:
    """Whether a module's name is that of one of ours, or of one inside a folder (`"nn"`).

    >>> is_own_name("chainrule.nn.modules.linear", "nn"), is_own_name("numpy.linalg")
    (True, False)
    """
    # Some classes of C code have a descriptor in place of their module's name.
    head, _, rest = module.partition(".") if isinstance(module, str) else ("", "", "")
    return head in OWN_NAMES and f"{rest}.".startswith(f"{inside}." if inside else "")


def is_library(filename: str) -> bool:
    """Whether a code object's file is part of this package (generated code included)."""
    known = LIBRARY_FILES.get(filename)
    if known is None:
        known = filename.startswith((_PACKAGE, "<chainrule")) and filename != _TOUR
        LIBRARY_FILES[filename] = known
    return known


def user_frame() -> FrameType | None:
    """The innermost frame that is not the library's own."""
    frame: FrameType | None = sys._getframe(1)
    known = LIBRARY_FILES.get
    while frame is not None:
        file = frame.f_code.co_filename
        if not known(file) and not is_library(file) and file != _CONTEXTS:
            return frame
        frame = frame.f_back
    return None


def user_position() -> tuple[CodeType | None, int]:
    """(code, instruction offset) of the user's frame; (None, 0) when there is none."""
    frame: FrameType | None = sys._getframe(1)  # as `user_frame`, which is a call more
    known = LIBRARY_FILES.get
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if not known(file) and not is_library(file) and file != _CONTEXTS:
            return code, frame.f_lasti
        frame = frame.f_back
    return None, 0


def line_of(code: CodeType | None, lasti: int) -> tuple[str, int] | None:
    """(file, line) of a stored position."""
    if code is None:
        return None
    for start, end, line in code.co_lines():
        if line is not None and start <= lasti < end:
            return code.co_filename, line
    return code.co_filename, code.co_firstlineno


def describe(code: CodeType | None, lasti: int) -> str:
    """`file.py:12 in train: loss = f(x)`, or 'an unknown line'."""
    where = line_of(code, lasti)
    if where is None or code is None:
        return "an unknown line"
    filename, line = where
    text = linecache.getline(filename, line).strip()
    if len(text) > LONGEST_SHOWN:
        text = text[:LONGEST_SHOWN] + " ..."
    place = f"{os.path.basename(filename)}:{line} in {code.co_name}"
    return printable(f"{place}: {text}" if text else place)


def here() -> str:
    """The user's current line, for error messages."""
    return describe(*user_position())


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line, however many of our frames lie between."""
    frame = user_frame()
    if frame is None:
        warnings.warn(message, category, stacklevel=3)
        return
    seen = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        message, category, frame.f_code.co_filename, frame.f_lineno, registry=seen
    )
