"""A pickle reader that runs nothing.

A pickle is a program: it can name any function and have it called. This machine knows the
instructions that build data; a name is looked up in a list instead of being imported. Anything
else is kept as a `Refused` value until the pickle tries to use it, because only then it is known
what it would have run, with which arguments.
"""

from __future__ import annotations

import _compat_pickle
import struct
from collections import OrderedDict
from collections.abc import Callable
from sys import getsizeof
from typing import Any

from ..autograd.value import TensorBase
from . import allowed, builders, rebuild
from .limits import Damaged, Nesting, brief, clipped, current, reason

MARK = object()
# Whole numbers below this (indices of tokens, most often) become one object each: a list of them
# takes eight bytes a place instead of forty.
_SHARED = 1 << 18
_LONGEST_LINE = 100_000  # bytes: numbers and names as text
_LONGEST_NAME = 1000  # characters of a module and what it has
_MEMO = 1 << 32  # values that a pickle can number


class RefusedGlobal(Exception):
    """The pickle wanted to use something that is not allowed."""

    def __init__(self, full_name: str, action: str) -> None:
        super().__init__(full_name, action)
        self.full_name = clipped(full_name)
        self.action = clipped(action)


class AbsentFeature(Exception):
    """The pickle needs something harmless that does not exist here."""


class Refused:
    """A name that is not allowed, or what would have come out of calling it."""

    def __init__(self, full_name: str, shown: str) -> None:
        self.full_name = full_name
        self.shown = shown

    def __repr__(self) -> str:
        return self.shown


class Machine:
    """Reads one pickle from a stream; `persistent_load` turns storage ids into storages."""

    def __init__(self, stream: Any, persistent_load: Callable[[Any], Any]) -> None:
        self.stream = stream
        self.persistent_load = persistent_load
        self.stack: list[Any] = []
        self.memo: list[Any] = []
        self.memo_beyond: dict[int, Any] = {}  # numbers that do not follow one another
        self.numbers: dict[int, list[int]] = {}  # whole numbers that occurred, 256 to a page
        self.nesting = Nesting()
        self.spending = current()
        self.result: Any = None
        self.running = True
        self.deepest = 0  # of the stack so far
        self.passed = 0  # bytes that were needed for a moment
        self.refused: Refused | None = None  # the first of them
        self.looks_left = 10_000
        self.outside = False  # whether an error is not the pickle's own
        here = stream.tell()
        self.size = stream.seek(0, 2)
        stream.seek(here)

    def step(self, code: int, run: Callable[[Any], None] | None) -> None:
        """Do one instruction; what goes wrong in it is the pickle's fault."""
        if run is None:
            raise Damaged(f"byte {code:#04x} is not an instruction of a pickle of data")
        try:
            run(self)
        except (Damaged, RefusedGlobal, AbsentFeature):
            raise
        except Exception as problem:
            if self.outside:
                raise
            what = reason(problem)
            cause = problem if what != type(problem).__name__ else None
            raise Damaged(f"its pickle makes no sense ({what})") from cause

    # ---- reading ----

    def read(self, count: int) -> bytes:
        data = self.stream.read(count) if 0 <= count <= self.size else b""
        if len(data) != count:
            raise Damaged("it ends in the middle of its pickle")
        return data

    def line(self) -> str:
        text = self.stream.readline(_LONGEST_LINE + 1)
        if len(text) > _LONGEST_LINE:
            raise Damaged(f"its pickle has a line of more than {_LONGEST_LINE} bytes")
        if not text.endswith(b"\n"):
            raise Damaged("it ends in the middle of its pickle")
        return text[:-1].decode()

    def number(self, form: str) -> int:
        return struct.unpack(form, self.read(struct.calcsize(form)))[0]

    def sized(self, form: str) -> bytes:
        return self.read(self.number(form))

    def push(self, value: Any) -> None:
        stack = self.stack
        stack.append(value)
        if len(stack) > self.deepest:
            self.deepest = len(stack)
            self.spending.objects(10)

    def push_new(self, value: Any) -> None:
        """Push a number, text or bytes that was read; equal whole numbers are one object."""
        if value.__class__ is int and -6 < value < _SHARED:
            if value > 256:
                value = self.shared(value)
        else:
            size = getsizeof(value)
            if value.__class__ is str and not value.isascii():
                size += size // 3  # it was made in a larger place, and Python keeps that
            self.spending.objects((size + 15) & -16)
        self.push(value)

    def shared(self, value: int) -> int:
        """The object that stands for a whole number wherever it occurs."""
        page = self.numbers.get(value >> 8)
        if page is None:
            self.spending.objects(2200)
            page = self.numbers[value >> 8] = [0] * 256
        at = value & 255
        if not page[at]:  # 0 itself never comes here
            self.spending.objects(32)
            page[at] = value
        return page[at]

    def pop(self) -> Any:
        value = self.stack.pop()
        if value is MARK:
            raise Damaged("its pickle makes no sense (a mark is taken for a value)")
        return value

    def since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise Damaged("its pickle makes no sense (a mark is missing)")
        self.passing(8 * (len(self.stack) - at))
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def passing(self, count: int) -> None:
        """Bytes that are needed for a moment: only the most at once counts."""
        if count > self.passed:
            self.spending.objects(count - self.passed)
            self.passed = count

    def remember(self, number: int) -> None:
        """Keep the top of the stack under a number."""
        value = self.stack[-1]
        if value is MARK:
            raise Damaged("its pickle makes no sense (a mark is taken for a value)")
        if number == len(self.memo):
            self.spending.objects(10)
            self.memo.append(value)
        elif 0 <= number < len(self.memo):
            self.memo[number] = value
        elif not 0 <= number < _MEMO:  # also: numbers chosen to collide are long ones
            raise Damaged(f"its pickle gives a value the number {brief(number)}")
        else:
            self.spending.objects(150)
            self.memo_beyond[number] = value

    def remembered(self, number: int) -> Any:
        if 0 <= number < len(self.memo):
            return self.memo[number]
        if number not in self.memo_beyond:
            raise Damaged(f"its pickle uses the value number {brief(number)} before it is there")
        return self.memo_beyond[number]

    def made(self, items: Any) -> Any:
        """A new list or tuple, counted."""
        self.spending.objects(72 + 9 * len(items))
        return self.nesting.note(items) if type(items) is tuple else items

    # ---- names, and what may be done with them ----

    def find(self, module: str, name: str) -> Any:
        """What a name means: an allowed object, or a refusal that waits to be used."""
        if type(module) is not str or type(name) is not str:
            raise Damaged(f"its pickle takes {brief((module, name))} for a name")
        full_name = self.full_name(module, name)
        found = allowed.find(full_name)
        if found is not None:
            return found
        missing = allowed.absent(full_name)
        if missing is not None:
            raise AbsentFeature(missing)
        home = full_name.partition(".")[0]
        shown = "os." + name if home in ("posix", "nt") else full_name
        self.spending.objects(200)
        found = Refused(clipped(full_name), clipped(shown.removeprefix("builtins.")))
        self.refused = self.refused or found
        return found

    def full_name(self, module: str, name: str) -> str:
        """The name of today's Python for what may be an old name."""
        if len(module) + len(name) > _LONGEST_NAME:
            raise Damaged(f"its pickle takes {len(module) + len(name)} characters for a name")
        if (module, name) in _compat_pickle.NAME_MAPPING:
            module, name = _compat_pickle.NAME_MAPPING[module, name]
        else:
            module = _compat_pickle.IMPORT_MAPPING.get(module, module)
        return f"{module}.{name}"

    def call(self, function: Any, args: Any, kwargs: Any = None) -> Any:
        if isinstance(function, Refused):
            raise RefusedGlobal(function.full_name, f"{function.shown}({_shown(args, kwargs)})")
        self.refuse_inside((args, kwargs), function)
        if not allowed.may_call(function):
            raise Damaged(f"its pickle calls {word(function)}, which is not on the list")
        if not isinstance(args, tuple) or not isinstance(kwargs, dict | None):
            raise Damaged(f"its pickle calls {word(function)} with {brief(args)}")
        build = builders.builder_of(function)
        if build is not None:
            return build(self, *args, **(kwargs or {}))
        self.spending.objects(500)  # a tensor with its array and its shape
        return function(*args, **(kwargs or {}))

    def refuse_inside(self, values: Any, user: Any) -> None:
        """Stop when something refused is handed to an allowed function, however deep."""
        found = self.first_refused(values)
        if found is not None:
            raise RefusedGlobal(found.full_name, f"{word(user)}({found.shown}, ...)")

    def first_refused(self, values: Any) -> Refused | None:
        """A refusal among values; only what a pickle can nest without calls is searched."""
        if self.refused is None:
            return None
        waiting, seen = [values], set()
        while waiting:
            value = waiting.pop()
            if isinstance(value, Refused):
                return value
            if isinstance(value, list | tuple | set | frozenset | dict) and id(value) not in seen:
                self.looks_left -= 1 + len(value)
                if self.looks_left < 0:  # too much to look through: a file that names it uses it
                    return self.refused
                seen.add(id(value))
                waiting.extend(value)
                if isinstance(value, dict):
                    waiting.extend(value.values())
        return None

    def persistent(self, identity: Any) -> Any:
        """The storage that an id stands for."""
        self.refuse_inside(identity, "persistent_load")
        if not isinstance(identity, tuple) or len(identity) > 8:
            raise Damaged("its pickle names a storage in an unknown form")
        self.spending.objects(500)
        self.outside = True
        found = self.persistent_load(identity)
        self.outside = False
        return found

    def target(self, *kinds: type) -> Any:
        """The container on top of the stack, if a pickle may add to it."""
        found = self.stack[-1]
        if isinstance(found, Refused):
            raise RefusedGlobal(found.full_name, f"{found.shown}.append(...)")
        if type(found) not in kinds and not allowed.may_build(type(found)):
            raise Damaged(f"its pickle adds items to a {type(found).__name__}")
        return found

    def new(self, kind: Any, args: Any, kwargs: Any) -> Any:
        """An object of an allowed class, before its state is set."""
        if isinstance(kind, Refused) or builders.builder_of(kind) is not None:
            return self.call(kind, args, kwargs)
        self.refuse_inside((args, kwargs), kind)
        if not isinstance(kind, type) or not allowed.may_call(kind):
            raise Damaged(f"its pickle makes an object of {word(kind)}")
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise Damaged(f"its pickle makes an object with {brief(args)}")
        self.spending.objects(500)
        return kind.__new__(kind, *args, **kwargs)

    def set_state(self, target: Any, state: Any) -> None:
        if isinstance(target, Refused):
            raise RefusedGlobal(target.full_name, f"{target.shown}.__setstate__(...)")
        self.refuse_inside(state, type(target))
        kind = type(target)
        if kind is OrderedDict:
            target.__dict__.update(rebuild.attributes(state, OrderedDict))
        elif isinstance(target, TensorBase):
            _set_tensor_state(target, state)
        elif allowed.may_build(kind):
            _set_object_state(target, state)
        else:
            raise Damaged(f"its pickle sets the state of a {kind.__name__}")


def _set_tensor_state(target: Any, state: Any) -> None:
    """How files older than PyTorch 0.4 fill tensors: (storage, offset, size, stride)."""
    if isinstance(state, tuple) and len(state) == 4:
        target.set_(rebuild._rebuild_tensor(*state))
    elif isinstance(state, dict):
        target.__dict__.update(rebuild.attributes(state, rebuild.Tensor))
    else:
        raise Damaged("its pickle sets the state of a tensor in an unknown form")


def _set_object_state(target: Any, state: Any) -> None:
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return
    own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if own:
        target.__dict__.update(own)
    for name, value in (slots or {}).items():
        setattr(target, name, value)


def _shown(args: Any, kwargs: Any) -> str:
    parts = [*map(brief, args[:7])] if isinstance(args, tuple) else [brief(args)]
    if isinstance(kwargs, dict):
        some = list(zip(kwargs.items(), range(3), strict=False))
        parts += [f"{brief(name).strip(_QUOTE)}={brief(value)}" for (name, value), _ in some]
    text = ", ".join(parts)
    return text if len(text) <= 200 else text[:197] + "..."


_QUOTE = "'"


def word(function: Any) -> str:
    """What is called, or its kind: never its whole content."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else brief(function)
