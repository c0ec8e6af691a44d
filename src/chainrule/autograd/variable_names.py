"""What the user's program calls a tensor: looked up in the frames of the call stack, on demand.

Nothing is noted while a program runs; when a report needs a name, the tensor (or the array that
was saved of it) is searched among the local variables of the user's frames and the parameters of
the modules that are being called.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np

from . import source
from .trees import several
from .value import TensorBase


@dataclass(frozen=True)
class Name:
    """A name the program has for a tensor."""

    text: str
    assigned: str  # the line that gave it this value; "" for arguments and parameters
    parameter: bool = False  # of a module


def find_name(value: Any) -> Name | None:
    """The name of a tensor or array: a module's parameter, else the outermost variable."""
    array = value
    while isinstance(array, TensorBase):
        array = array._a
    frames = list(_frames())
    for frame in reversed(frames):
        for candidate in _reachable(frame):
            named = getattr(candidate, "named_parameters", None)
            if named is None or isinstance(candidate, type):
                continue
            for name, parameter in _entries(named):
                if parameter is value or parameter._a is array:
                    return Name(name, "", parameter=True)
    for frame in reversed(frames):
        if source.is_library(frame.f_code.co_filename):
            continue
        for name, candidate in list(frame.f_locals.items()):
            if _is(candidate, value, array):
                line = _assigned(frame, name)
                if line or frame is frames[-1]:
                    return Name(name, line)
    return _innermost(frames, value, array)


def _reachable(frame: FrameType) -> list[Any]:
    """The values of a frame's variables, and the attributes of `self`: a trainer has its model."""
    owner = frame.f_locals.get("self")
    inside = list(getattr(owner, "__dict__", {}).values())
    return [*frame.f_locals.values(), *inside]


def _innermost(frames: list[FrameType], value: Any, array: Any) -> Name | None:
    """A variable without an assignment of its own: an argument."""
    for frame in frames:
        if not source.is_library(frame.f_code.co_filename):
            for name, candidate in list(frame.f_locals.items()):
                if _is(candidate, value, array):
                    return Name(name, "")
    return None


def _entries(named: Any) -> list[tuple[str, Any]]:
    try:
        return list(named())
    except Exception:  # a user's object may have a method of this name that does something else
        return []


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is(candidate: Any, value: Any, array: Any) -> bool:
    if candidate is value:
        return True
    if not isinstance(candidate, TensorBase):
        return False
    held = candidate._a
    while isinstance(held, TensorBase):  # of a transform level
        held = held._a
    return held is array or (
        isinstance(held, np.ndarray)
        and isinstance(array, np.ndarray)
        and array.base is held
        and array.size == held.size
    )


def _assigned(frame: FrameType, name: str) -> str:
    """The line of the frame's code that last gave the variable a value, before where it is now."""
    code: CodeType = frame.f_code
    now = frame.f_lineno or 0
    lines: list[Any] = []
    for step in dis.get_instructions(code):
        if not step.opname.startswith("STORE") or step.positions is None:
            continue
        stored = several(step.argval)
        if name in stored and step.positions.lineno is not None:
            lines.append((step.positions.lineno, step.offset))
    if not lines:
        return ""
    before: Any = [at for at in lines if at[0] <= now]
    return source.describe(code, max(before or lines)[1])


def module_path() -> str:
    """`layers.3 (Linear)`: the module whose forward is running, by its path; "" outside of any."""
    running: list[Any] = []
    for frame in _frames():
        owner = frame.f_locals.get("self")
        if owner is not None and hasattr(owner.__class__, "named_modules"):
            if not running or running[-1] is not owner:
                running.append(owner)
    if not running:
        return ""
    for name, module in running[-1].named_modules():
        if module is running[0] and name:
            return f"{name} ({type(module).__name__})"
    return type(running[0]).__name__
