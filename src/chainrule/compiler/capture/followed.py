"""Numbers that change from call to call, followed through the user's Python code.

While a call is traced, a `Number` stands in the place that a changing number is read from.  To
code it is that number: it has its class, its value and all of its operations.  What is computed
from it by arithmetic is a `Number` again, with the expression that leads to it; an op that takes it
records the expression, which compiled calls evaluate anew.  Whatever looks at the value itself (a
comparison, a truth test, a hash, a conversion, formatting, code in C) gets it, and what was learnt
becomes a condition: compiled calls ask it again before they run.  So nothing of the number reaches
the program that is neither an expression nor a condition.

The number's own type is a condition too, so `isinstance` needs none.  Only `type(x)` and `id(x)`
see through a `Number`: where code names them, no number is followed (`Scan.sees_through`).
"""

from __future__ import annotations

import gc
import math
import operator
from collections import deque
from collections.abc import Callable, Iterator
from types import CellType
from typing import Any
from weakref import ref

import numpy as np

from ...autograd.value import TensorBase
from ..graph.exact_numbers import exact, same_number

_PLAIN = (bool, int, float)
_LARGEST = 1 << 63
_LONGEST = 64  # parts of an expression; what is longer must stay as it is

# How an expression is written, given its parts.
_ARITHMETIC = {
    "add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "truediv": "({} / {})",
    "floordiv": "({} // {})", "mod": "({} % {})", "pow": "({} ** {})", "and_": "({} & {})",
    "or_": "({} | {})", "xor": "({} ^ {})", "lshift": "({} << {})", "rshift": "({} >> {})",
}  # fmt: skip
_SINGLE = {"neg": "(-{})", "pos": "(+{})", "abs": "abs({})", "invert": "(~{})"}
_COMPARISONS = {
    "lt": "({} < {})", "le": "({} <= {})", "gt": "({} > {})", "ge": "({} >= {})",
    "eq": "({} == {})", "ne": "({} != {})",
}  # fmt: skip
_CONVERSIONS = {
    "bool": "bool({})", "int": "int({})", "index": "index({})", "float": "float({})",
    "str": "str({})", "repr": "repr({})", "value": "{}", "round": "round({})",
    "round_to": "round({}, {})", "trunc": "trunc({})", "floor": "floor({})", "ceil": "ceil({})",
    "format": "format({}, {})", "class": "{}.__class__", "fits": "(-{1} <= {0} < {1})",
}  # fmt: skip
_MAY_RAISE = {
    "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "round", "trunc", "floor", "ceil",
}  # fmt: skip
_FORMS = _ARITHMETIC | _SINGLE | _COMPARISONS | _CONVERSIONS
SPACE = {"index": operator.index, "trunc": math.trunc, "floor": math.floor, "ceil": math.ceil}


class Expression:
    """A number as a function of numbers that the user's objects hold, or that are arguments."""

    __slots__ = ("form", "parts", "size")

    def __init__(self, form: str, *parts: Any) -> None:
        self.form = form  # a key of _FORMS, "path" or "argument"
        self.parts = parts  # expressions and constants; the path, or the argument's position
        self.size = 1 + sum(p.size for p in parts if isinstance(p, Expression))

    def leaves(self) -> Iterator[Expression]:
        """The numbers that it is a function of."""
        if self.form in ("path", "argument"):
            yield self
            return
        for part in self.parts:
            if isinstance(part, Expression):
                yield from part.leaves()

    def key(self) -> Any:
        """What two equal expressions have in common."""
        return (
            self.form,
            *(p.key() if isinstance(p, Expression) else exact(p) for p in self.parts),
        )

    def write(self, read: Callable[[Expression], str], constant: Callable[[Any], str]) -> str:
        """As Python source; `read` writes a leaf and `constant` names a value."""
        if self.form in ("path", "argument"):
            return read(self)
        parts = [
            p.write(read, constant) if isinstance(p, Expression) else constant(p)
            for p in self.parts
        ]
        return _FORMS[self.form].format(*parts)

    def evaluate(self, read: Callable[[Expression], Any]) -> Any:
        """Its value, given those of the leaves."""
        space: dict[str, Any] = dict(SPACE)

        def constant(value: Any) -> str:
            space[f"k{len(space)}"] = value
            return f"k{len(space) - 1}"

        return eval(self.write(lambda leaf: constant(read(leaf)), constant), space)


class Condition:
    """What code learnt of an expression: what it must still be."""

    __slots__ = ("expected", "expression")

    def __init__(self, expression: Expression, expected: Any) -> None:
        self.expression = expression
        self.expected = expected

    def holds(self, read: Callable[[Expression], Any]) -> bool:
        """Whether it is so for these values of the leaves."""
        try:
            return same_number(self.expression.evaluate(read), self.expected)
        except Exception:
            return False


class Follower:
    """What one traced call learns of the numbers it follows."""

    def __init__(self) -> None:
        self.conditions: dict[Any, Condition] = {}
        self.active = True
        self._made: list[Any] = []  # weak references to the numbers

    def number(self, value: Any, expression: Expression) -> Number:
        """A stand-in for the value."""
        made = object.__new__(Number if type(value) is float else Integer)
        made.value, made.expression, made.follower = value, expression, self
        if self.active:
            self._made.append(ref(made))
        return made

    def learn(self, form: str, parts: tuple[Any, ...], found: Any) -> Any:
        """Code now knows that this form of the parts is `found`."""
        if self.active:
            expression = Expression(form, *map(_part, parts))
            self.conditions.setdefault(expression.key(), Condition(expression, found))
        return found

    def close(self) -> None:
        """Nothing is learnt any more; numbers that somebody stored become plain ones."""
        self.active = False
        left = [number for reference in self._made if (number := reference()) is not None]
        self._made.clear()
        _replace_everywhere({id(number): (number, number.value) for number in left}, 3)


def _tried(function: Callable[..., Any], *parts: Any) -> Any:
    """The function's value; if it raises, which code may catch, the numbers must stay."""
    try:
        return function(*map(plain_value, parts))
    except Exception:
        for part in parts:
            plain_number(part)
        raise


def _never_raises(form: str, parts: tuple[Any, ...]) -> bool:
    """Whether a float is divided by a constant: most learning rates are used in such ways."""
    first, *others = parts
    known = form in ("truediv", "floordiv", "mod") and type(others[0]) in _PLAIN and others[0] != 0
    return known and type(plain_value(first)) is float and abs(others[0]) < _LARGEST


def _part(x: Any) -> Any:
    return x.expression if isinstance(x, Number) else x


class Number:
    """Stands for a number that changes; see the module's docstring."""

    __slots__ = ("__weakref__", "expression", "follower", "value")

    value: Any
    expression: Expression
    follower: Follower

    __class__ = property(lambda self: self.value.__class__)  # type: ignore[assignment]

    # ---- what looks at the value -----------------------------------------------------------------

    def _learn(self, form: str, *parts: Any, found: Any) -> Any:
        return self.follower.learn(form, (self, *parts), found)

    def plain(self) -> Any:
        """The value, for code that does not follow numbers: it must stay as it is."""
        return self._learn("value", found=self.value)

    def fits(self) -> bool:
        """Whether machine code can take it: as 64 bits, if it is an integer."""
        if type(self.value) is float:
            return True
        found = -_LARGEST <= self.value < _LARGEST
        return self.follower.learn("fits", (self, _LARGEST), found)

    def __bool__(self) -> bool:
        return self._learn("bool", found=bool(self.value))

    def __int__(self) -> int:
        return self._learn("int", found=_tried(int, self))

    def __float__(self) -> float:
        return self._learn("float", found=_tried(float, self))

    def __complex__(self) -> complex:
        return complex(self.plain())

    def __hash__(self) -> int:
        return hash(self.plain())

    def __str__(self) -> str:
        return self._learn("str", found=str(self.value))

    def __repr__(self) -> str:
        return self._learn("repr", found=repr(self.value))

    def __format__(self, spec: str) -> str:
        return self._learn("format", spec, found=_tried(format, self, spec))

    def __reduce_ex__(self, protocol: Any) -> Any:
        value = self.plain()
        return type(value), (value,)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.plain(), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(plain_number, inputs), **options)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.value, name)  # which may not exist: then nothing was learnt
        self.plain()
        return found

    # ---- what rounds -----------------------------------------------------------------------------

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return self._made("round", _tried(round, self), self)
        digits = plain_number(digits)
        return self._made("round_to", _tried(round, self, digits), self, digits)

    def __trunc__(self) -> Any:
        return self._made("trunc", _tried(math.trunc, self), self)

    def __floor__(self) -> Any:
        return self._made("floor", _tried(math.floor, self), self)

    def __ceil__(self) -> Any:
        return self._made("ceil", _tried(math.ceil, self), self)

    # ---- arithmetic ------------------------------------------------------------------------------

    def _made(self, form: str, value: Any, *parts: Any) -> Any:
        """The result of arithmetic, followed; of another kind than a number, it is learnt."""
        expression = Expression(form, *map(_part, parts))
        if type(value) not in _PLAIN or expression.size > _LONGEST:  # a complex power, a long loop
            for part in parts:
                plain_number(part)
            return value
        if form in _MAY_RAISE and not _never_raises(form, parts):
            # It did not: code may catch what is raised. Of powers the type may be another, too.
            self.follower.learn("class", (expression,), type(value))
        return self.follower.number(value, expression)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self


def _binary(form: str) -> tuple[Any, Any]:
    function = getattr(operator, form)

    def forward(self: Number, other: Any) -> Any:
        if isinstance(other, Number) or type(other) in _PLAIN:
            return self._made(form, _tried(function, self, other), self, other)
        if isinstance(other, TensorBase):
            return NotImplemented  # it records the number
        return function(self.plain(), other)

    def reflected(self: Number, other: Any) -> Any:
        if type(other) in _PLAIN:
            return self._made(form, _tried(function, other, self), other, self)
        if isinstance(other, TensorBase):
            return NotImplemented
        return function(other, self.plain())

    return forward, reflected


def _comparison(form: str) -> Any:
    function = getattr(operator, form)

    def compare(self: Number, other: Any) -> Any:
        if isinstance(other, Number) or type(other) in _PLAIN:
            return self._learn(form, other, found=function(self.value, plain_value(other)))
        if form in ("eq", "ne") and not isinstance(other, complex | np.generic | np.ndarray):
            return NotImplemented  # no number equals it
        return function(self.plain(), other)

    return compare


def _single(form: str) -> Any:
    function = getattr(operator, form)
    return lambda self: self._made(form, function(self.value), self)


for _form in _ARITHMETIC:
    _name = _form.rstrip("_")
    _forward, _reflected = _binary(_form)
    setattr(Number, f"__{_name}__", _forward)
    setattr(Number, f"__r{_name}__", _reflected)
for _form in _COMPARISONS:
    setattr(Number, f"__{_form}__", _comparison(_form))
for _form in _SINGLE:
    setattr(Number, f"__{_form}__", _single(_form))


def _power(self: Number, other: Any, modulus: Any = None) -> Any:
    """`pow` of three numbers is asked for so too."""
    if modulus is None:
        return _two_powers(self, other)
    return pow(self.plain(), plain_number(other), plain_number(modulus))


_two_powers: Any = Number.__pow__  # pyright: ignore[reportAttributeAccessIssue]
Number.__pow__ = _power  # type: ignore[attr-defined]


class Integer(Number):
    """Stands for an int, which may be an index."""

    __slots__ = ()

    def __index__(self) -> int:
        return self._learn("index", found=_tried(operator.index, self))


class Operand:
    """A followed number that an op takes: compiled calls evaluate the expression."""

    __slots__ = ("expression", "kind")

    def __init__(self, number: Number) -> None:
        self.expression = number.expression
        self.kind = type(number.value)

    def __repr__(self) -> str:
        return f"<{self.kind.__name__} {self.expression.key()}>"


def plain_value(x: Any) -> Any:
    """The value behind a followed number, for those who have recorded the expression."""
    return x.value if isinstance(x, Number) else x


def plain_number(x: Any) -> Any:
    """A number as a plain one, which code may look at: from now on it must stay the same."""
    return x.plain() if isinstance(x, Number) else x


def plain_structure(x: Any, unwrap: Callable[[Any], Any] = plain_number) -> Any:
    """The same of all numbers in nested tuples, lists and dicts; what holds none is itself."""
    if isinstance(x, Number):
        return unwrap(x)
    kind = type(x)
    if kind in (tuple, list):
        items = [plain_structure(item, unwrap) for item in x]
        return x if all(a is b for a, b in zip(items, x, strict=True)) else kind(items)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        items = [plain_structure(item, unwrap) for item in x]
        return x if all(a is b for a, b in zip(items, x, strict=True)) else kind(*items)
    if kind is dict:
        items = {k: plain_structure(v, unwrap) for k, v in x.items()}  # pyright: ignore[reportAttributeAccessIssue]
        return x if all(items[k] is x[k] for k in x) else items
    if kind is slice:
        bounds = [plain_structure(b, unwrap) for b in (x.start, x.stop, x.step)]  # pyright: ignore[reportAttributeAccessIssue]
        return slice(*bounds)
    return x


# ---- numbers that somebody stored ----------------------------------------------------------------


def _replace_everywhere(replacements: dict[int, tuple[Any, Any]], depth: int) -> None:
    """Put plain values where containers still hold stand-ins: id -> (what is held, the value)."""
    if not replacements or depth == 0:
        return
    held = [thing for thing, _ in replacements.values()]
    tuples: dict[int, tuple[Any, Any]] = {}
    for holder in gc.get_referrers(*held):
        if holder is held or holder is replacements:
            continue
        if type(holder) is tuple:
            if not any(holder is pair for pair in replacements.values()):
                items = (replacements.get(id(item), (None, item))[1] for item in holder)
                tuples[id(holder)] = (holder, tuple(items))
            continue
        try:
            _replace_in(holder, replacements)
        except Exception:  # a frame, a dictionary of something else: numbers behave as such anyway
            continue
    _replace_everywhere(tuples, depth - 1)


def _replace_in(holder: Any, replacements: dict[int, tuple[Any, Any]]) -> None:
    if isinstance(holder, dict):
        for key, item in list(holder.items()):
            if id(item) in replacements:
                holder[key] = replacements[id(item)][1]
    elif isinstance(holder, list | deque):
        for i, item in enumerate(holder):
            if id(item) in replacements:
                holder[i] = replacements[id(item)][1]
    elif isinstance(holder, CellType):
        holder.cell_contents = replacements[id(holder.cell_contents)][1]
    elif hasattr(holder, "__dict__") and not isinstance(holder, type):
        _replace_in(vars(holder), replacements)
