"""Watches a traced call: what ran that nothing in its sight leads to.

A walk (`walk.py`) reaches code by names.  Some code runs without being named: the `__init__` of a
class that is called, the `__repr__` behind a formatted string, a function taken from a set.  What
it reads must be guarded too, so it is reported, and later walks begin at it as well.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any

from .unseen import is_clock, looks_outside
from .whose import is_foreign_file, is_foreign_module

# Modules in Python whose functions ask the system for what the caller wants to know.
_ASK_THE_SYSTEM = {"genericpath", "glob", "ntpath", "os", "pathlib", "posixpath", "shutil"}


class Witness:
    """`strangers` are the functions that ran unseen; `problem` is what no guard can make up for."""

    def __init__(self, codes: Iterable[CodeType]) -> None:
        self.problem: str | None = None
        self._watched = {id(code) for code in codes}  # the user's, and what looks outside for it
        self._asking: set[int] = set()  # a library's code that looks outside for its caller
        self._met = set(self._watched)
        self._kept = [*codes]  # so that no other code gets their ids
        self._strange: dict[int, CodeType] = {}

    @contextmanager
    def watching(self, trace: Any) -> Iterator[None]:
        """Inside, calls are noted, unless somebody profiles the program."""
        if sys.getprofile() is not None:
            yield
            return
        trace.watch = self._noting()
        sys.setprofile(trace.watch)
        try:
            yield
        finally:
            sys.setprofile(None)
            trace.watch = None

    def _noting(self) -> Any:
        """What is told of every call; most are a library's, and met before."""
        met, watched, meet, judge = self._met, self._watched, self._meet, self._judge

        def note(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call":
                code = frame.f_code
                if id(code) not in met:
                    meet(frame)
                if id(code) in watched and looks_outside(
                    frame.f_globals.get("__name__", ""), code.co_name
                ):
                    self._blame(frame, f"{code.co_name}()")
            elif event == "c_call" and id(frame.f_code) in watched:
                judge(frame, argument)

        return note

    def _judge(self, frame: FrameType, function: Any) -> None:
        """A function made in C is called by code that is watched."""
        module = getattr(function, "__module__", None) or ""
        if is_clock(function) or looks_outside(module, function.__name__):
            self._blame(frame, f"{module}.{function.__name__}()")

    def _blame(self, frame: FrameType | None, what: str) -> None:
        """Something looks outside: if the user's code asks for it, no guard knows the answer."""
        while frame is not None and id(frame.f_code) in self._asking:
            frame = frame.f_back
        if frame is not None and id(frame.f_code) in self._watched:
            self.problem = self.problem or what

    def _meet(self, frame: FrameType) -> None:
        code = frame.f_code
        self._kept.append(code)
        self._met.add(id(code))
        name = frame.f_globals.get("__name__", "")
        module = sys.modules.get(name)  # of a function that a library made from text
        foreign = module is not None and is_foreign_module(module)
        if name in _ASK_THE_SYSTEM or looks_outside(name, code.co_name):
            self._asking.add(id(code))
            self._watched.add(id(code))
        elif not (foreign or is_foreign_file(code.co_filename) or name.startswith("namedtuple_")):
            self._watched.add(id(code))
            self._strange[id(code)] = code

    def strangers(self) -> list[FunctionType]:
        """The functions whose code ran without having been looked at."""
        found: list[FunctionType] = []
        for code in self._strange.values():
            functions = [
                f for f in gc.get_referrers(code)
                if isinstance(f, FunctionType) and f.__code__ is code
            ]  # fmt: skip
            if not functions:
                self.problem = self.problem or f"{code.co_qualname}(), gone after the call,"
            found += functions
        return found
