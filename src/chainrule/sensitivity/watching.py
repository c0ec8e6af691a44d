"""Watching a function run: which of its variables hold which number, set on which line.

Python's trace hook shows every frame of the user's code after each line. The same hook puts the
substitutes into the globals of every module whose code is entered (`from math import exp` binds the
original there); all is put back when the run ends.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..autograd.source import is_library
from .substitutes import FollowingFloat, substitutes
from .traced import Traced, is_live, value_of
from .userland import is_users

_MOST_SHOWN = 64  # entries of a list or dict that get names
_MOST_CALLS = 4  # of one helper whose variables are told apart


@dataclass(frozen=True)
class Name:
    """What a number is called: a variable of the user, or the function that returned it."""

    text: str
    file: str
    line: int
    function: str
    depth: float  # 0 in the function itself; the outermost name of a number is the one shown


class Watch:
    """Names and substitutes for the time of one run; a context manager."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self.names: dict[int, Name] = {}  # position on the tape -> name
        self._replaced: list[tuple[dict[str, Any], str, Any]] = []
        self._cells: list[tuple[Any, Any]] = []
        self._defaults: list[tuple[FunctionType, tuple[Any, ...]]] = []
        self._seen: set[int] = set()  # globals that have their substitutes
        self._modules: list[dict[str, Any]] = []
        self._calls: dict[CodeType, int] = {}
        self._of_line: dict[tuple[int, int, str], int] = {}
        self._before: Any = None
        # Kept while watching: the identity of a frame must not be used again.
        self._frames: dict[int, tuple[FrameType, int]] = {}

    def __enter__(self) -> Watch:
        for module in (math, statistics, np):
            self._substitute_in(vars(module))
        for function in _functions_behind(self.f):
            self.prepare(function.__globals__, function.__code__)
            self._substitute_in_cells(function)
            self._substitute_in_defaults(function)
        self._before = sys.gettrace()
        sys.settrace(self._entered)
        return self

    def __exit__(self, *_: Any) -> None:
        sys.settrace(self._before)
        for names, key, original in reversed(self._replaced):
            if original is _ABSENT:
                names.pop(key, None)
            else:
                names[key] = original
        for cell, original in self._cells:
            cell.cell_contents = original
        for function, originals in self._defaults:
            function.__defaults__ = originals

    def release(self) -> None:
        """What the function left behind in globals, objects and containers becomes plain again.

        To be called when its result has been read: that may be one of these containers.
        """
        for names in self._modules:
            _make_plain(names)
            for value in list(names.values()):
                _make_plain_inside(value)
        for frame, _ in self._frames.values():
            for value in list(frame.f_locals.values()):
                _make_plain_inside(value)
        self._frames.clear()

    # ---- substitutes ----

    def prepare(self, names: dict[str, Any], code: CodeType) -> None:
        """The substitutes for a module whose code is entered."""
        if id(names) in self._seen:
            return
        self._substitute_in(names)
        if is_users(code.co_filename):
            self._modules.append(names)
            if "float" not in names:
                self._replaced.append((names, "float", _ABSENT))
                names["float"] = FollowingFloat

    def _substitute_in(self, names: dict[str, Any]) -> None:
        if id(names) in self._seen:
            return
        self._seen.add(id(names))
        known = substitutes()
        for key, value in list(names.items()):
            found = known.get(id(value))
            if found is not None and found[0] is value:
                self._replaced.append((names, key, value))
                names[key] = found[1]

    def _substitute_in_cells(self, function: FunctionType) -> None:
        """Names of an enclosing function: `exp` imported there."""
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:  # not yet assigned
                continue
            found = substitutes().get(id(value))
            if found is not None:
                self._cells.append((cell, value))
                cell.cell_contents = found[1]

    def _substitute_in_defaults(self, function: FunctionType) -> None:
        """`def f(x, transform=math.exp)`."""
        originals = function.__defaults__ or ()
        found = [substitutes().get(id(value)) for value in originals]
        if any(found):
            pairs = zip(originals, found, strict=True)
            function.__defaults__ = tuple(mine[1] if mine else value for value, mine in pairs)
            self._defaults.append((function, originals))

    # ---- names ----

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if is_library(code.co_filename):
            return None
        self.prepare(frame.f_globals, code)
        if not is_users(code.co_filename) or code.co_name in _COMPREHENSIONS:
            return None
        depth = self._depth(frame)
        if depth and id(frame) not in self._frames:
            self._calls[code] = self._calls.get(code, 0) + 1
        self._frames[id(frame)] = (frame, depth)
        return _FrameWatch(self, frame, depth).step

    def _depth(self, frame: FrameType) -> int:
        above = frame.f_back
        while above is not None and id(above) not in self._frames:
            above = above.f_back
        return 0 if above is None else self._frames[id(above)][1] + 1

    def name(self, number: Traced, name: Name, frame: FrameType) -> None:
        """Call a number so, unless an outer frame has a name for it."""
        known = self.names.get(number.index)
        if known is not None and known.depth <= name.depth:
            return
        key = (id(frame), name.line, name.text)
        earlier = self._of_line.get(key)
        if earlier is not None and earlier != number.index and earlier in self.names:
            del self.names[earlier]  # a loop: only what its last turn made keeps the name
        self._of_line[key] = number.index
        self.names[number.index] = name

    def kept_names(self) -> dict[int, Name]:
        """The names; those inside of helpers that ran many times would only confuse."""
        busy = {
            (c.co_filename, c.co_name) for c, count in self._calls.items() if count > _MOST_CALLS
        }
        return {
            index: name
            for index, name in self.names.items()
            if name.depth == 0 or (name.file, name.function) not in busy
        }


class _FrameWatch:
    """One frame: what its variables held when we last looked."""

    def __init__(self, watch: Watch, frame: FrameType, depth: int) -> None:
        self.watch, self.depth = watch, depth
        self.line = frame.f_lineno
        self.last: dict[str, int] = {}
        self._look(frame)  # parameters

    def step(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._look(frame)
        self.line = frame.f_lineno
        if event == "return" and is_live(argument) and self.depth:
            code = frame.f_code
            text = f"{code.co_name}()"
            # As weak as a variable of the caller's caller: any variable of the caller is better.
            name = Name(text, code.co_filename, frame.f_lineno, code.co_name, self.depth - 0.5)
            self.watch.name(argument, name, frame)
        return self.step

    def _look(self, frame: FrameType) -> None:
        code = frame.f_code
        for text, number in _named_numbers(frame.f_locals):
            if self.last.get(text) == number.index:
                continue
            self.last[text] = number.index
            name = Name(text, code.co_filename, self.line, code.co_name, self.depth)
            self.watch.name(number, name, frame)


_ABSENT = object()
_COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def _make_plain(held: dict[Any, Any]) -> None:
    for key, value in list(held.items()):
        if type(value) is Traced:
            held[key] = value_of(value)


def _make_plain_inside(value: Any) -> None:
    """Traced numbers in a list, dict, array or object of the user's; not deeper."""
    kind = type(value)
    if kind is dict:
        _make_plain(value)
    elif kind is list:
        value[:] = [value_of(v) for v in value]
    elif kind is np.ndarray and value.dtype == object and value.flags.writeable:
        for place in np.ndindex(value.shape):
            value[place] = value_of(value[place])
    elif kind is not type and not isinstance(value, ModuleType):
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            _make_plain(held)


def _named_numbers(variables: Any) -> Iterator[tuple[str, Traced]]:
    """Variables that hold traced numbers, and entries and attributes of what they hold."""
    for text, value in list(variables.items()):
        if text.startswith("."):  # the iterator of a comprehension
            continue
        if type(value) is Traced:
            if value.tape.open:
                yield text, value
        else:
            yield from _parts(text, value)


def _parts(text: str, value: Any) -> Iterator[tuple[str, Traced]]:
    kind = type(value)
    if kind is dict:
        pairs = [(f"{text}[{k!r}]", v) for k, v in list(value.items())[:_MOST_SHOWN]]
    elif kind in (list, tuple):
        pairs = [(f"{text}[{k}]", v) for k, v in enumerate(value[:_MOST_SHOWN])]
    elif kind is np.ndarray and value.dtype == object:
        places = list(np.ndindex(value.shape))[:_MOST_SHOWN]
        pairs = [(f"{text}[{', '.join(map(str, p))}]", value[p]) for p in places]
    else:
        held = getattr(value, "__dict__", None)
        if not isinstance(held, dict) or isinstance(value, type) or callable(value):
            return
        pairs = [(f"{text}.{k}", v) for k, v in list(held.items())[:_MOST_SHOWN]]
    for name, part in pairs:
        if is_live(part):
            yield name, part


def _functions_behind(f: Any) -> Iterator[FunctionType]:
    """The Python functions that a callable stands for: behind partials, methods, wrappers."""
    seen: set[int] = set()
    waiting = [f]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, FunctionType):
            yield one
        elif not isinstance(one, type):
            waiting.append(vars(type(one)).get("__call__"))
        waiting += [getattr(one, name, None) for name in ("func", "__func__", "__wrapped__")]
