"""Watches a traced call: what ran that nothing in its sight leads to.

A walk (`walk.py`) reaches code by names.  Some code runs without being named: the `__init__` of a
class that is called, the `__repr__` behind a formatted string, a function taken from a set, all of
a library's.  What it reads must be guarded too, so it is reported, and later walks begin at it as
well.  Code in C that looks outside, or prints, ends the capture.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any

from .libraries import Ran
from .unseen import asks_outside, looks_outside, looks_outside_of_libraries
from .whose import is_foreign_file, is_foreign_module, is_foundation


def _nothing() -> None:
    """No profiler has to be stopped."""


class Witness:
    """`strangers` are the functions that ran unseen; `problem` is what no guard can make up for."""

    def __init__(self, codes: Iterable[CodeType]) -> None:
        self.problem: str | None = None
        self._watched = {id(code) for code in codes}  # the user's, and what looks outside for it
        self._asking: set[int] = set()  # a library's code that looks outside for its caller
        self._met = set(self._watched)
        self._kept = [*codes]  # so that no other code gets their ids
        self._strange: dict[int, CodeType] = {}
        self._written_in_caller: set[int] = set()
        self._libraries: list[Ran] = []

    @contextmanager
    def watching(self, trace: Any) -> Iterator[None]:
        """Inside, calls are noted. A profiler written in Python hears of them as well; cProfile
        is stopped meanwhile."""
        profiler = sys.getprofile()
        if profiler is None or callable(profiler):
            trace.unwatched, trace.watch = profiler, self._noting(profiler)
            stop, go_on = _nothing, _nothing
        elif hasattr(profiler, "disable") and hasattr(profiler, "enable"):
            trace.unwatched, trace.watch = None, self._noting(None)
            stop, go_on = profiler.disable, profiler.enable
        else:
            self.problem = f"{type(profiler).__name__}, a profiler that lets no other watch,"
            yield
            return
        stop()
        sys.setprofile(trace.watch)
        try:
            yield
        finally:
            sys.setprofile(trace.unwatched)
            go_on()
            trace.watch = trace.unwatched = None

    def _noting(self, other: Any) -> Any:
        """What is told of every call, and tells another profiler; most are a library's, and met
        before."""
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

        def note_and_tell(frame: FrameType, event: str, argument: Any) -> None:
            note(frame, event, argument)
            other(frame, event, argument)

        return note if other is None else note_and_tell

    def _judge(self, frame: FrameType, function: Any) -> None:
        """A function made in C is called by code that is watched."""
        of_library = id(frame.f_code) in self._asking
        asks = looks_outside_of_libraries if of_library else asks_outside
        what = asks(function)
        if what:
            self._blame(frame, what)

    def _blame(self, frame: FrameType, what: str) -> None:
        """Something looks outside: if the user's code asks for it, no guard knows the answer."""
        if self._is_for_user(frame):
            self.problem = self.problem or what

    def _is_for_user(self, frame: FrameType | None) -> bool:
        """Whether it runs for the user's code, through libraries perhaps, and not for ours."""
        while frame is not None and id(frame.f_code) in self._asking:
            frame = frame.f_back
        return frame is not None and id(frame.f_code) in self._watched

    def _meet(self, frame: FrameType) -> None:
        code = frame.f_code
        name = frame.f_globals.get("__name__", "")
        module = sys.modules.get(name)  # of a function that a library made from text
        foreign = is_foreign_file(code.co_filename) or (
            module is not None and is_foreign_module(module)
        )
        ours = is_foundation(name, code) and not looks_outside(name, code.co_name)
        if foreign and not ours and not self._is_for_user(frame.f_back):
            return  # another call may be
        self._kept.append(code)
        self._met.add(id(code))
        if ours or name.startswith("namedtuple_"):
            return
        self._watched.add(id(code))
        if foreign:
            self._asking.add(id(code))
            self._libraries.append(Ran(code, frame.f_globals))
        else:
            self._strange[id(code)] = code
            caller = frame.f_back
            if caller is not None and code in caller.f_code.co_consts:
                self._written_in_caller.add(id(code))

    def strangers(self, known: Iterable[Any]) -> list[Any]:
        """What ran without having been looked at: functions, and code of libraries.  A function
        that lived only inside of a call, a comprehension say, is looked at with what called it."""
        before = {id(ran.code) for ran in known if isinstance(ran, Ran)}
        found: list[Any] = [
            r for r in self._libraries if id(r.code) not in before and r.reads_anything()
        ]
        for code in self._strange.values():
            functions = [
                f for f in gc.get_referrers(code)
                if isinstance(f, FunctionType) and f.__code__ is code
            ]  # fmt: skip
            if not functions and id(code) not in self._written_in_caller:
                self.problem = self.problem or f"{code.co_qualname}(), gone after the call,"
            found += functions
        return found
