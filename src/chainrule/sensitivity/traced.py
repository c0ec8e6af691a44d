"""Traced: a number that looks like a float to the function and writes down what is done to it.

It is no subclass of float: C code would read such a value directly and lose the trace without a
word. What C code asks for (`__float__`, `__index__`) is refused, or answered and told.
"""

from __future__ import annotations

import dis
import math
import numbers
import operator
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from . import userland
from .tape import TABLE, Decision, Entry, Tape

PLAIN_NUMBERS = (int, float, np.floating, np.integer, np.bool_, numbers.Real)


class Traced:
    """A number of a traced run."""

    __slots__ = ("index", "tape", "value")

    tape: Tape
    index: int
    value: Any  # a float or np.float64, as the plain run has it

    def __init__(self, tape: Tape, index: int, value: Any) -> None:
        self.tape, self.index, self.value = tape, index, value

    @property
    def __class__(self) -> type:  # type: ignore[override]
        # `isinstance(price, float)` in the function holds, as it does in a plain run.
        return float

    # ---- what only reads the value ----

    def __repr__(self) -> str:
        return TracedText.of(self, repr(self._as_text("repr()")))

    def __str__(self) -> str:
        return TracedText.of(self, str(self._as_text("str()")))

    def __format__(self, spec: str) -> str:
        return TracedText.of(self, format(self._as_text("formatting"), spec))

    def _as_text(self, how: str) -> Any:
        if self.tape.open:
            self.tape.note("text", how, self.index)
        return self.value

    def __bool__(self) -> bool:
        decide(self, f"{self.value!r} != 0", self.value != 0, abs(self.value))
        return bool(self.value)

    # Every traced number has a hash of its own: in a cache keyed by value it would meet the results
    # of plain runs, whose trace is missing, and leave its own for later plain runs to find.
    __hash__ = object.__hash__

    # ---- what would lose the trace ----

    def __float__(self) -> float:
        if not self.tape.open or _formats_text(sys._getframe(1)):
            return float(self._as_text("'%' formatting"))
        raise self.tape.refuse(
            f"float({self.value!r}): a traced number would become a plain one here, and "
            "its derivative would be lost. Either float() was reached under another name, or the "
            "number goes into code that is not Python (a C function, an array of floats). "
            "Fix: use arithmetic, math.* or numpy functions on it directly; for an array of "
            "results use a list or np.array([...]) instead of filling np.zeros(n)."
        )

    def __complex__(self) -> complex:
        if not self.tape.open:
            return complex(self.value)
        raise self.tape.refuse(f"complex({self.value!r}): only real numbers are followed")

    def __index__(self) -> int:
        if not self.tape.open:
            return operator.index(self.value)
        raise Counted(self, userland.here())

    def as_integer_ratio(self) -> NoReturn:
        raise self.tape.refuse(
            f"{self.value!r}.as_integer_ratio(): an exact fraction would lose the derivative"
        )

    def hex(self) -> str:
        return float(self._as_text("hex()")).hex()

    def __reduce__(self) -> Any:
        if not self.tape.open:
            return float, (float(self.value),)
        raise self.tape.refuse(
            f"a traced number ({self.value!r}) cannot go to another process or into a file"
        )

    def __copy__(self) -> Traced:
        return self

    def __deepcopy__(self, memo: Any) -> Traced:
        return self

    # ---- steps: constant between jumps ----

    def __int__(self) -> int:
        return int(flat(self, "int()"))

    def __trunc__(self) -> int:
        return math.trunc(flat(self, "trunc()"))

    def __floor__(self) -> int:
        return math.floor(flat(self, "floor()"))

    def __ceil__(self) -> int:
        return math.ceil(flat(self, "ceil()"))

    def __round__(self, digits: Any = None) -> Any:
        return round(flat(self, "round()"), digits)

    def round(self, decimals: int = 0) -> Any:
        """What np.round calls."""
        return np.round(flat(self, "round()"), decimals)

    def __floordiv__(self, other: Any) -> Any:
        return _step(self, other, operator.floordiv, "//")

    def __rfloordiv__(self, other: Any) -> Any:
        return _step(other, self, operator.floordiv, "//")

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def is_integer(self) -> bool:
        found = float(self.value).is_integer()
        decide(self, f"{self.value!r}.is_integer()", found, abs(self.value - round(self.value)))
        return found

    # ---- the rest of a float ----

    def __neg__(self) -> Any:
        return record("neg", (self,), -self.value)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Any:
        return record("abs", (self,), abs(self.value))

    def conjugate(self) -> Traced:
        return self

    def item(self) -> Traced:
        return self

    @property
    def real(self) -> Traced:
        return self

    @property
    def imag(self) -> float:
        return 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
        return _arithmetic("pow", operator.pow, self, other)


class TracedText(str):
    """A number written out: text like any other, until somebody reads it back as a number."""

    tape: Tape

    @classmethod
    def of(cls, number: Traced, text: str) -> str:
        if not number.tape.open:
            return text
        made = cls(text)
        made.tape = number.tape
        return made


class Counted(BaseException):
    """A number was used as a count or an index: caught by the run, not by functions."""

    def __init__(self, number: Traced, where: str) -> None:
        super().__init__(f"{number.value!r} is used as a whole number")
        self.number, self.where = number, where


def is_traced(x: Any) -> bool:
    """isinstance() would believe `__class__`."""
    return type(x) is Traced


def is_live(x: Any) -> bool:
    """A number of a run that is going on; those of finished runs are plain numbers again."""
    return type(x) is Traced and x.tape.open


def value_of(x: Any) -> Any:
    """The plain number."""
    return x.value if type(x) is Traced else x


def record(name: str, arguments: Sequence[Any], value: Any) -> Any:
    """The result of an op of the table on traced and plain numbers."""
    live = [a for a in arguments if is_live(a)]
    if not live:
        return value
    tape = live[0].tape
    if any(a.tape is not tape for a in live):
        raise tape.refuse("numbers of two traced runs meet: sensitivity() inside of sensitivity()")
    if isinstance(value, complex | np.complexfloating):
        raise tape.refuse(
            f"{name} of {', '.join(repr(value_of(a)) for a in arguments)} is the complex number "
            f"{value!r}; only real numbers have a sensitivity"
        )
    parents = [a.index if is_live(a) else None for a in arguments]
    values = [float(value_of(a)) for a in arguments]
    return Traced(tape, tape.add(name, parents, values, float(value)), value)


def pinned(result: Any, value: Any) -> Any:
    """A result composed of several ops, with the exact value of the function it stands for."""
    return record("add", (result, float(value) - float(value_of(result))), value)


def flat(x: Traced, what: str) -> Any:
    """The plain value of a number whose next step does not pass on small changes."""
    if x.tape.open:
        x.tape.note("flat", what, x.index)
    return x.value


def decide(x: Any, text: str, outcome: Any, gap: float, other: Any = None) -> None:
    """Remember which way a comparison went."""
    live = [n for n in (x, other) if is_live(n)]
    if live:
        place = userland.position()
        tape = live[0].tape
        parents = tuple(n.index for n in live)
        tape.decisions.append(Decision(text, bool(outcome), place, float(gap), parents))


def _step(a: Any, b: Any, compute: Callable[..., Any], sign: str) -> Any:
    if not (_is_number(a) and _is_number(b)):
        return NotImplemented
    for x in (a, b):
        if is_live(x):
            x.tape.note("flat", sign, x.index)
    return compute(value_of(a), value_of(b))


def _is_number(x: Any) -> bool:
    return type(x) is Traced or isinstance(x, PLAIN_NUMBERS)


def _formats_text(frame: FrameType | None) -> bool:
    """Whether `__float__` was called by `"%.2f" % x`: numbers have `__mod__`, so only text asks."""
    if frame is None:
        return False
    code = frame.f_code.co_code
    return (
        dis.opname[code[frame.f_lasti]].startswith("BINARY_OP")
        and code[frame.f_lasti + 1] in _REMAINDERS
    )


# The argument of BINARY_OP for `%` and `%=`, asked from the compiler of this Python.
def _operand(expression: str) -> int:
    steps = dis.get_instructions(compile(expression, "", "exec"))
    return next(step.arg or 0 for step in steps if step.opname == "BINARY_OP")


_REMAINDERS = {_operand("a % b"), _operand("a %= b")}


# ---- arithmetic and comparisons, in a table ------------------------------------------------------

_ARITHMETIC = {
    "add": ("add", operator.add),
    "sub": ("sub", operator.sub),
    "mul": ("mul", operator.mul),
    "truediv": ("div", operator.truediv),
    "mod": ("remainder", operator.mod),
    "pow": ("pow", operator.pow),
}
_COMPARISONS = {
    "lt": ("<", operator.lt), "le": ("<=", operator.le), "gt": (">", operator.gt),
    "ge": (">=", operator.ge), "eq": ("==", operator.eq), "ne": ("!=", operator.ne),
}  # fmt: skip


def _arithmetic(name: str, compute: Callable[..., Any], a: Any, b: Any) -> Any:
    if not (_is_number(a) and _is_number(b)):
        return NotImplemented
    return record(name, (a, b), compute(value_of(a), value_of(b)))


def _forwards(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """`a + b` with a traced a, in one call where all is plain: the trace hook sees every call."""
    op, users = TABLE[name], userland.known_files()

    def forwards(a: Any, b: Any) -> Any:
        kind = type(b)
        if kind is not Traced and kind is not float and kind is not int:
            return _arithmetic(name, compute, a, b)
        y = b.value if kind is Traced else b
        value = compute(a.value, y)
        tape = a.tape
        if type(value) is not float or not tape.open or (kind is Traced and b.tape is not tape):
            return record(name, (a, b), value)
        frame = sys._getframe(1)
        code = frame.f_code
        place = (code, frame.f_lasti) if users.get(code.co_filename) else userland.position()
        entries = tape.entries
        parents = (a.index, b.index if kind is Traced else None)
        fields = (op, parents, (float(a.value), float(y)), value, place)
        entries.append(_new_tuple(Entry, fields))
        result = _new(Traced)
        result.tape, result.index, result.value = tape, len(entries) - 1, value
        return result

    return forwards


_new, _new_tuple = object.__new__, tuple.__new__


def _install() -> None:
    for method, (name, compute) in _ARITHMETIC.items():
        forwards = _forwards(name, compute)

        def backwards(a: Any, b: Any, name: str = name, compute: Any = compute) -> Any:
            return _arithmetic(name, compute, b, a)

        if method != "pow":
            setattr(Traced, f"__{method}__", forwards)
        setattr(Traced, f"__r{method}__", backwards)
    for method, (sign, compare) in _COMPARISONS.items():

        def judge(a: Any, b: Any, sign: str = sign, compare: Any = compare) -> Any:
            if not _is_number(b):
                return NotImplemented
            x, y = value_of(a), value_of(b)
            outcome = compare(x, y)
            decide(a, f"{x!r} {sign} {y!r}", outcome, abs(float(x) - float(y)), b)
            return outcome

        setattr(Traced, f"__{method}__", judge)


_install()
