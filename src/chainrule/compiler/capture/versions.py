"""Guards that are answered by words of memory.

CPython gives a dictionary a new number whenever it is changed (up to 3.11, at a fixed place of the
object).  Most guards ask what a dictionary holds, of the modules of a model above all: as long as
no number differs from the one read when those guards last held, they hold.  The class of an object,
its dictionary and the code of a function are pointers at known places.  Machine code compares all
of these; the guards themselves are asked again after a change.
"""

from __future__ import annotations

import ctypes
import functools
import re
import sys
from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ...autograd.value import TensorBase

_PLACE = object.__basicsize__ + 8  # after the number of items
_SCALARS = (int, float, complex, str, bytes, bool, type(None))
# A dictionary that changes so often is asked in every call.
_RESTLESS = 8
_MANAGED_DICT = 1 << 4  # Py_TPFLAGS_MANAGED_DICT: the dictionary is three words before the object
_FEW = 4  # guards that are asked faster than the machine code is called

_TEXT = """
define i64 @unchanged(ptr %rows, i64 %count) nounwind {
entry:
  br label %next
next:
  %i = phi i64 [0, %entry], [%following, %look]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %all
look:
  %at = mul i64 %i, 16
  %row = getelementptr i8, ptr %rows, i64 %at
  %object = load ptr, ptr %row
  %now = load i64, ptr %object
  %known_at = getelementptr i8, ptr %row, i64 8
  %known = load i64, ptr %known_at
  %same = icmp eq i64 %now, %known
  %following = add i64 %i, 1
  br i1 %same, label %next, label %changed
changed:
  ret i64 0
all:
  ret i64 1
}
"""


def _version(mapping: dict[Any, Any]) -> int:
    return ctypes.c_int64.from_address(id(mapping) + _PLACE).value


def _numbered() -> bool:
    """Whether dictionaries have version numbers where they are expected: tried on a few changes."""
    # From 3.12 on attributes of an object are written without a new number of its dictionary.
    if object.__basicsize__ != 16 or sys.version_info >= (3, 12):
        return False
    thing: dict[str, Any] = {"a": 1}
    seen = [_version(thing)]
    for change in (
        lambda: thing.update(a=2), lambda: thing.update(b=3), lambda: thing.pop("a"), thing.clear,
    ):  # fmt: skip
        change()
        seen.append(_version(thing))
    still = _version(thing)
    return len(set(seen)) == len(seen) and still == seen[-1] == _version(thing)


@functools.cache
def comparer() -> Callable[[int, int], int] | None:
    """unchanged(address of rows, count); None where there is no machine code or no number."""
    from ..machine import machine_code
    from ..machine.host import llvm_available

    if not _numbered() or not llvm_available():
        return None
    code = machine_code.cached(_TEXT)
    kind = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
    found = kind(code.address("unchanged"))
    found.code = code  # type: ignore[attr-defined] - keeps it alive
    return found


# One item of a dictionary, by a key that is written or named; a second access may follow in others.
_KEY = r"(?:'[^'\\]*'|\"[^\"\\]*\"|K\[\d+\]|-?\d+)"
_ITEM = rf"(?:get\()?(c\d+)(?:\[|, ){_KEY}(?:\]|, gone\))"
_DECIDED = [
    re.compile(pattern)
    for pattern in (
        rf"{_ITEM} is (?:None|True|False|c\d+)",
        rf"\({_ITEM} is (?P<same>c\d+) or same\(.*\)\)",
        r"len\((c\d+)\) == \d+",
        r"not (c\d+)",
        r"'\w+' not in (c\d+)",
        r"\[\*(?P<plain>c\d+)\] == c\d+",
    )
]


def dictionary_of(test: str, space: dict[str, Any]) -> str | None:
    """The name of the dictionary whose version decides a guard; None if more than that does."""
    for pattern in _DECIDED:
        found = pattern.fullmatch(test)
        if found is not None:
            wanted = found.groupdict().get("same")
            plain = wanted is None or type(space[wanted]) in _SCALARS
            # The order of an OrderedDict may change by itself.
            ordered = (dict, defaultdict)
            kinds = ordered if found.groupdict().get("plain") else (*ordered, OrderedDict)
            known = type(space[found[1]]) in kinds
            return found[1] if plain and known else None
    return None


_POINTERS = [
    re.compile(pattern)
    for pattern in (
        r"type\((?P<of>c\d+)\) is (?P<is>c\d+)",
        r"(?P<of>c\d+)\.(?P<name>__code__|__dict__) is (?P<is>c\d+)",
        r"(?P<of>c\d+)\.(?P<name>_rg|_grad)(?: is (?P<is>True|False|None))?",
        r"\((?P<of>c\d+)\.(?P<name>_rare) is (?P<is>None) or not hooks_of\(c\d+\)\)",
        r"\((?P<of>c\d+)\.(?P<name>_a) is (?P<is>c\d+) or still_apart\(\)\)",
    )
]


def pointer_of(test: str, space: dict[str, Any]) -> tuple[int, int] | None:
    """(address, value) of the pointer that decides a guard; None where there is none."""
    for pattern in _POINTERS:
        found = pattern.fullmatch(test)
        if found is not None:
            thing, name = space[found["of"]], found.groupdict().get("name", "")
            wanted = _CONSTANTS[found["is"]] if found["is"] in _CONSTANTS else space[found["is"]]
            place = _place(thing, name)
            if place is None or _word(id(thing) + place) != id(wanted):
                return None
            return id(thing) + place, id(wanted)
    return None


_CONSTANTS = {"True": True, "False": False, "None": None, None: True}


def _place(thing: Any, name: str) -> int | None:
    """Where in an object there is a pointer to its class, its dictionary, its code, a slot."""
    if not name:
        return 8
    if name == "__dict__":
        return -24 if type(thing).__flags__ & _MANAGED_DICT else None
    if name == "__code__":
        return _place_of_code() if type(thing) is FunctionType else None
    return _place_of_slot(name) if isinstance(thing, TensorBase) else None


@functools.cache
def _place_of_code() -> int | None:
    return _first_place(_word, _word.__code__, FunctionType.__basicsize__)


@functools.cache
def _place_of_slot(name: str) -> int | None:
    probe, mark = object.__new__(TensorBase), object()
    object.__setattr__(probe, name, mark)
    return _first_place(probe, mark, TensorBase.__basicsize__)


def _first_place(thing: Any, content: Any, size: int) -> int | None:
    words = (place for place in range(16, size, 8) if _word(id(thing) + place) == id(content))
    return next(words, None)


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


class Versions:
    """Writes `check` so that it asks about dictionaries only after they were changed."""

    def __init__(self, tests: list[str], space: dict[str, Any]) -> None:
        self.tests = tests
        self.space = space
        self.changes: dict[str, int] = {}  # how often each dictionary was found changed
        self.kept: list[Any] = []  # another thread may still be reading earlier rows
        self.loose: set[str] = set()  # tests that hold though their pointer is another one
        self.check: Callable[[], bool] = self._written()

    def _written(self) -> Callable[[], bool]:
        deciding = {t: dictionary_of(t, self.space) for t in self.tests}
        quiet = [n for n in deciding.values() if self.changes.get(n or "", 0) < _RESTLESS]
        self.names = list(dict.fromkeys(n for n in quiet if n is not None))
        named = set(self.names)
        asked = [t for t in self.tests if deciding[t] in named]
        unchanged = comparer() if len(asked) > _FEW else None
        if unchanged is None:
            return self._function("check", self.tests)
        pointed = {
            t: p for t in self.tests
            if t not in self.loose and (p := pointer_of(t, self.space)) is not None
        }  # fmt: skip
        self.pointed = [*pointed]
        asked += pointed
        rows = [(id(self.space[n]) + _PLACE, 0) for n in self.names] + [*pointed.values()]
        self.rows = array("q", [x for row in rows for x in row])
        self.kept.append(self.rows)
        self.ask = self._function("ask", asked)
        live = [t for t in self.tests if deciding[t] not in named and t not in pointed]
        start, count = self.rows.buffer_info()[0], len(rows)
        self.space.update(unchanged=unchanged, renew=self._renew)
        return self._function("check", [f"(unchanged({start}, {count}) or renew())", *live])

    def _function(self, name: str, tests: list[str]) -> Callable[[], bool]:
        # Arguments with defaults are found faster than globals.
        code = " and ".join(tests) or "True"
        used = set(re.findall(r"\w+", code))
        local = ", ".join(f"{n}={n}" for n in self.space if n in used)
        exec(
            compile(f"def {name}({local}):\n    return {code}", "<chainrule guard>", "exec"),
            self.space,
        )
        return self.space.pop(name)

    def _renew(self) -> bool:
        """Ask all guards on dictionaries, and note the versions at which they held."""
        now = [_version(self.space[n]) for n in self.names]
        if not self.ask():
            return False
        for i, name in enumerate(self.names):
            if self.rows[2 * i + 1] != now[i]:
                self.rows[2 * i + 1] = now[i]
                self.changes[name] = self.changes.get(name, 0) + 1
        start = 2 * len(self.names)
        rows = zip(self.pointed, self.rows[start::2], self.rows[start + 1 :: 2], strict=True)
        loose = {test for test, address, wanted in rows if _word(address) != wanted}
        self.loose |= loose
        if loose or any(self.changes.get(n, 0) >= _RESTLESS for n in self.names):
            self.check = self._written()
        return True
