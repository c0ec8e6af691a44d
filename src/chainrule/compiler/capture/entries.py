"""What is known about the calls of a compiled function, by the types of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...autograd.state import STATE
from ...autograd.value import PLAIN, TensorBase
from ...ops import dtypes
from ...tensor.overriding import overrides
from ..graph.exact_numbers import exact
from ..graph.program import dtype_name
from ..machine import log
from .arguments import flatten
from .facts import hooks_of
from .runner import Runner
from .traced_call import Call

_LIMIT = 64  # combinations of argument types
_OVERRIDES = object()  # in a key: the argument is of a user's class
_ALIKE = 3  # calls that differ in numbers alone before those numbers become inputs


class Entry:
    """Calls with one combination of argument types."""

    __slots__ = (
        "alone", "calls", "captures", "free", "keep", "pending", "reason", "runners", "traced",
        "types",
    )  # fmt: skip

    def __init__(self, keep: list[Any], free: tuple[int, ...] = ()) -> None:
        self.keep = keep  # objects whose identity is part of the key
        self.free = free  # positions of numbers that are inputs
        self.calls = 0
        self.alone = False  # no plan for many lengths has it
        self.traced = 0  # calls that were traced since the last program
        self.captures = 0  # how many programs were captured
        self.pending: Call | None = None  # traced with plain numbers, to be compared with another
        self.runners: list[Runner] = []  # one for each combination of settings, the latest first
        self.reason: str | None = None
        self.types: list[tuple[str, str]] = []  # arguments in words, for the log

    # Other threads walk over the list: it is replaced, never changed.

    def put_first(self, runner: Runner) -> None:
        """A runner, new or known, that is tried first from now on."""
        self.runners = [runner, *(r for r in self.runners if r is not runner)]

    def drop(self, runner: Runner) -> None:
        """A runner that does not fit any more."""
        self.runners = [r for r in self.runners if r is not runner]


class _Numbers:
    """Calls that are alike but for numbers among their arguments."""

    __slots__ = ("count", "last", "varying")

    def __init__(self, numbers: tuple[Any, ...]) -> None:
        self.count = 0
        self.last = numbers
        self.varying: set[int] = set()

    def note(self, numbers: tuple[Any, ...]) -> None:
        self.count += 1
        self.varying |= {
            i
            for i, (a, b) in enumerate(zip(self.last, numbers, strict=True))
            if exact(a) != exact(b)
        }
        self.last = numbers


class Entries(dict[Any, Entry]):
    """Finds the entry of a call, or makes one and says in the log why there is another."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        super().__init__()
        self._function = function
        self._name = name
        self._numbers: dict[Any, _Numbers] = {}
        self._full: Entry | None = None

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Entry, list[Any]]:
        """The entry and the flat arguments."""
        leaves: list[Any] = []
        shape: list[Any] = []
        flatten((args, kwargs), leaves, shape)
        parts, others, numbers = _parts(leaves)
        mode = (STATE.w, STATE.autocast, dtypes.get_default_dtype())
        key = (*mode, *shape, *parts)
        found = self.get(key)
        if found is None:
            found = self._without_numbers(key, parts, numbers, others, leaves)
        if found is None:
            found = self._make(key, Entry(others), args, kwargs)
        return found, leaves

    def _without_numbers(
        self, key: Any, parts: list[Any], numbers: list[int], others: list[Any], leaves: list[Any]
    ) -> Entry | None:
        """The entry for any numbers, once several calls differed in nothing else."""
        if not numbers:
            return None
        start = len(key) - len(parts)
        loose = list(key)
        for i in numbers:
            loose[start + i] = type(leaves[i])
        values = tuple(leaves[i] for i in numbers)
        known = self._numbers.setdefault(tuple(loose), _Numbers(values))
        known.note(values)
        if known.count <= _ALIKE:
            return None
        free = tuple(numbers[k] for k in sorted(known.varying))
        general = list(key)
        for i in free:
            general[start + i] = type(leaves[i])
        found = self.get(tuple(general))
        if found is None and len(self) < _LIMIT:
            found = self[tuple(general)] = Entry(others, free)
            log.say(f"{self._name}: numbers among the arguments change and become inputs")
        return found

    def _make(self, key: Any, entry: Entry, args: Any, kwargs: Any) -> Entry:
        if len(self) >= _LIMIT:
            if self._full is None:
                self._full = Entry([])
                self._full.reason = (
                    f"it was called with more than {_LIMIT} combinations of argument types; others "
                    "run eagerly (pass changing objects and numbers as tensors)"
                )
            return self._full
        entry.types = _in_words(self._function, args, kwargs)
        own = [p[1] for p in key if isinstance(p, tuple) and p and p[0] is _OVERRIDES]
        if own:
            entry.reason = f"an argument is a {own[0].__name__}, a class that overrides functions"
        if self:
            log.say(lambda: f"{self._name}: another kind of call: {self._difference(entry)}")
        self[key] = entry
        return entry

    def _difference(self, new: Entry) -> str:
        """What distinguishes this call from the one most like it."""
        best: list[str] | None = None
        for old in reversed(self.values()):
            if [name for name, _ in old.types] != [name for name, _ in new.types]:
                continue
            pairs = zip(old.types, new.types, strict=True)
            found = [f"`{a}` went {b} -> {d}" for (a, b), (_, d) in pairs if b != d]
            if best is None or len(found) < len(best):
                best = found
        return ", ".join(best or ["other arguments"])


def _parts(leaves: list[Any]) -> tuple[list[Any], list[Any], list[int]]:
    """What the key says of each argument; objects that it names; positions of numbers."""
    parts: list[Any] = []
    seen: dict[int, int] = {}
    others, numbers = [], []
    for i, x in enumerate(leaves):
        if x.__class__ in PLAIN:
            array = x._a
            layout = (array.shape, array.strides, array.dtype)  # it decides what is a view
            hooked = x._rare is not None and bool(hooks_of(x))
            parts.append((x.__class__, *layout, x._rg, hooked, seen.setdefault(id(array), i)))
        elif isinstance(x, TensorBase) and overrides(x.__class__):
            parts.append((_OVERRIDES, x.__class__))
        elif isinstance(x, bool | int | float | str | type(None)):
            parts.append(exact(x))
            if type(x) in (int, float):
                numbers.append(i)
        else:
            parts.append(id(x))
            others.append(x)
    return parts, others, numbers


def _in_words(function: Any, args: Any, kwargs: Any) -> list[tuple[str, str]]:
    """(name, type) of every argument, then the modes."""
    words: list[tuple[str, str]] = []
    for name, value in _named(function, args, kwargs):
        leaves: list[Any] = []
        flatten(value, leaves)
        single = len(leaves) == 1 and leaves[0] is value
        for i, leaf in enumerate(leaves):
            words.append((name if single else f"{name}[{i}]", _type_in_words(leaf)))
    words.append(("gradients", "on" if STATE.grad_enabled else "off"))
    words.append(("inference mode", "on" if STATE.inference else "off"))
    words.append(("autocast", "off" if STATE.autocast is None else "on"))
    words.append(("default dtype", str(dtypes.get_default_dtype())))
    return words


def _named(function: Any, args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    try:
        names = list(inspect.signature(getattr(function, "forward", function)).parameters)
    except (TypeError, ValueError):
        names = []
    names += [f"argument {i}" for i in range(len(names), len(args))]
    return [*zip(names, args, strict=False), *kwargs.items()]


def _type_in_words(x: Any) -> str:
    if x.__class__ in PLAIN:
        text = f"{dtype_name(x._a.dtype)}[{','.join(map(str, x._a.shape))}]"
        return f"{text} with grad" if x._rg else text
    if isinstance(x, bool | int | float | str | type(None)):
        return repr(x)
    return f"{type(x).__name__} at {id(x):#x}"
