"""Scalar expressions that simplify themselves as they are built.

Nodes are shared: building the same expression twice gives the same object, so equality is identity
and a derivative is computed once per distinct part. Sums collect like terms, products collect
powers, constants fold; nothing is expanded, so an expression never grows by being simplified.

    num   a number: Fraction where exact, else float
    sym   a variable, or the constant pi
    add, mul   any number of arguments
    pow   (base, exponent)
    fn    a function of the op table; value is (name, parameters)
    where (condition, a, b); conditions are fn of comparisons and logic
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from ..ops.weak import WeakValues

_serial = itertools.count()


class Expr:
    """One node; made by the functions of this module only."""

    __slots__ = ("__weakref__", "args", "kind", "serial", "size", "value")

    kind: str
    value: Any
    args: tuple[Expr, ...]
    serial: int  # order of creation: a cheap canonical order for arguments
    size: int  # nodes of the expression written out as a tree

    def __repr__(self) -> str:
        return WRITERS[0](self) if WRITERS else object.__repr__(self)


WRITERS: list[Callable[[Expr], str]] = []  # how expressions are shown: `printing` fills it


_KNOWN = WeakValues()


def _node(kind: str, value: Any = None, args: tuple[Expr, ...] = ()) -> Expr:
    key = (kind, type(value), value, tuple(a.serial for a in args))
    found: Expr | None = _KNOWN.get(key)
    if found is None:
        found = Expr()
        found.kind, found.value, found.args = kind, value, args
        found.serial = next(_serial)
        found.size = 1 + sum(a.size for a in args)
        _KNOWN[key] = found
    return found


# ---- numbers and symbols -----------------------------------------------------------------------


def number(value: Any) -> Expr:
    """A number; floats that are short fractions or well-known constants become exact."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool | int):
        return _node("num", Fraction(value))
    if isinstance(value, Fraction):
        return _node("num", value)
    value = float(value)
    if not math.isfinite(value):
        return _node("num", value)
    near = Fraction(value).limit_denominator(10_000)
    if float(near) == value:
        return _node("num", near)
    return _named_constant(value) or _node("num", value)


def symbol(name: str) -> Expr:
    """A variable."""
    return _node("sym", name)


ZERO, ONE, TWO, HALF = number(0), number(1), number(2), number(Fraction(1, 2))
MINUS_ONE = number(-1)
PI = symbol("pi")


def _named_constant(value: float) -> Expr | None:
    """log(2), pi, sqrt(2 / pi)...: what the op table's rules write as decimals."""
    for found, make in _CONSTANTS:
        for sign in (1, -1):
            if value == sign * found:
                return mul(number(sign), make())
    return None


_CONSTANTS = (
    (math.pi, lambda: PI),
    (2 * math.pi, lambda: mul(TWO, PI)),
    (math.pi / 2, lambda: mul(HALF, PI)),
    (math.pi / 180, lambda: div(PI, number(180))),
    (180 / math.pi, lambda: div(number(180), PI)),
    (math.log(2), lambda: call("log", TWO)),
    (math.log(10), lambda: call("log", number(10))),
    (1 / math.log(2), lambda: div(ONE, call("log", TWO))),
    (math.sqrt(2), lambda: power(TWO, HALF)),
    (math.sqrt(0.5), lambda: power(TWO, neg(HALF))),
    (math.sqrt(2 / math.pi), lambda: power(div(TWO, PI), HALF)),
    (2 / math.sqrt(math.pi), lambda: mul(TWO, power(PI, neg(HALF)))),
    (1 / math.sqrt(2 * math.pi), lambda: power(mul(TWO, PI), neg(HALF))),
    (math.sqrt(2 * math.pi), lambda: power(mul(TWO, PI), HALF)),
)


def is_number(e: Expr) -> bool:
    return e.kind == "num"


# ---- sums --------------------------------------------------------------------------------------


def split_coefficient(e: Expr) -> tuple[Any, Expr]:
    """(number, rest) with e = number * rest."""
    if e.kind == "num":
        return e.value, ONE
    if e.kind == "mul" and e.args[0].kind == "num":
        rest = e.args[1:]
        return e.args[0].value, rest[0] if len(rest) == 1 else _node("mul", None, rest)
    return Fraction(1), e


def add(*terms: Expr) -> Expr:
    """The sum, with like terms collected."""
    found: dict[Expr, Any] = {}
    for term in _flat("add", terms):
        coefficient, rest = split_coefficient(term)
        found[rest] = found.get(rest, 0) + coefficient
    _pythagoras(found)
    parts = [_scaled(c, rest) for rest, c in found.items() if c != 0]
    if any(p.kind == "add" for p in parts):  # a sign went into a sum: collect again
        return add(*parts)
    return _combined("add", parts, ZERO)


def _scaled(coefficient: Any, rest: Expr) -> Expr:
    """coefficient * rest, where rest has no coefficient of its own."""
    if coefficient == 1:
        return rest
    if rest is ONE:
        return number(coefficient)
    if rest.kind in ("add", "where"):
        return _with_coefficient(coefficient, [rest])
    factors = rest.args if rest.kind == "mul" else (rest,)
    return _node("mul", None, (number(coefficient), *factors))


def _pythagoras(terms: dict[Expr, Any]) -> None:
    """sin(u)**2 + cos(u)**2 = 1, in place."""
    for rest in list(terms):
        if not (_is_square_of(rest, "sin") and rest in terms):
            continue
        other = power(call("cos", *rest.args[0].args), TWO)
        if other in terms and terms[other] == terms[rest]:
            terms[ONE] = terms.get(ONE, 0) + terms.pop(rest)
            del terms[other]


def _is_square_of(e: Expr, name: str) -> bool:
    return e.kind == "pow" and e.args[1] is TWO and is_call(e.args[0], name)


def _flat(kind: str, args: Iterable[Expr]) -> Iterable[Expr]:
    for a in args:
        if a.kind == kind:
            yield from a.args
        else:
            yield a


def _combined(kind: str, parts: list[Expr], empty: Expr) -> Expr:
    if not parts:
        return empty
    if len(parts) == 1:
        return parts[0]
    parts.sort(key=lambda e: (e.kind != "num", e.serial))
    return _node(kind, None, tuple(parts))


def neg(e: Expr) -> Expr:
    return mul(MINUS_ONE, e)


def sub(a: Expr, b: Expr) -> Expr:
    return add(a, neg(b))


# ---- products and powers -----------------------------------------------------------------------


def mul(*factors: Expr) -> Expr:
    """The product, with powers of one base collected and exponentials joined."""
    coefficient: Any = Fraction(1)
    exponents: dict[Expr, Expr] = {}
    inside_exp = ZERO
    for factor in _flat("mul", factors):
        if factor.kind == "num":
            coefficient = coefficient * factor.value
            continue
        if is_call(factor, "exp"):
            inside_exp = add(inside_exp, factor.args[0])
            continue
        base, exponent = factor.args if factor.kind == "pow" else (factor, ONE)
        if base.kind == "add" and base not in exponents and _whole(exponent.value):
            opposite = _opposite_sum(base, exponents)  # (b - a) * (a - b) = -(a - b)**2
            if opposite is not None:
                base, coefficient = opposite, coefficient * (-1) ** int(exponent.value)
        exponents[base] = add(exponents[base], exponent) if base in exponents else exponent
    if coefficient == 0:
        return ZERO
    _difference_of_squares(exponents)
    _absolute_values(exponents)
    parts = [power(base, exponent) for base, exponent in exponents.items()]
    if inside_exp is not ZERO:
        parts.append(call("exp", inside_exp))
    simpler = inside_exp is not ZERO and not is_call(parts[-1], "exp")
    if simpler or any(p.kind in ("num", "mul") for p in parts):  # collect again
        return mul(number(coefficient), *parts)
    return _with_coefficient(coefficient, parts)


def _opposite_sum(total: Expr, known: dict[Expr, Expr]) -> Expr | None:
    """The sum among `known` that is the negative of this one."""
    wanted = None
    for other in known:
        if other.kind == "add" and len(other.args) == len(total.args):
            wanted = wanted or {(r, -c) for c, r in map(split_coefficient, total.args)}
            if wanted == {(r, c) for c, r in map(split_coefficient, other.args)}:
                return other
    return None


def _with_coefficient(coefficient: Any, parts: list[Expr]) -> Expr:
    choices = [p for p in parts if p.kind == "where"]
    if choices and (len(parts) > 1 or coefficient != 1):
        # A factor goes into the branches: (2 if c else 0) * x reads better as 2*x if c else 0.
        chosen = choices[0]
        rest = [p for p in parts if p is not chosen] + [number(coefficient)]
        condition, a, b = chosen.args
        return where(condition, mul(a, *rest), mul(b, *rest))
    if coefficient == -1 and len(parts) == 1 and parts[0].kind == "add":
        flipped = (split_coefficient(term) for term in parts[0].args)
        return _combined("add", [_scaled(-c, rest) for c, rest in flipped], ZERO)
    if coefficient != 1:
        parts.append(number(coefficient))
    return _combined("mul", parts, ONE)


def _difference_of_squares(exponents: dict[Expr, Expr]) -> None:
    """(p + q)(p - q) = p**2 - q**2, in place."""
    sums = [e for e, n in exponents.items() if e.kind == "add" and n is ONE and len(e.args) == 2]
    for a, b in itertools.combinations(sums, 2):
        common = [t for t in a.args if t in b.args]
        if len(common) != 1:
            continue
        q, other = (next(t for t in s.args if t is not common[0]) for s in (a, b))
        (c, rest), (d, other_rest) = split_coefficient(q), split_coefficient(other)
        if rest is other_rest and c == -d:
            del exponents[a], exponents[b]
            made = sub(power(common[0], TWO), power(q, TWO))
            exponents[made] = add(exponents.get(made, ZERO), ONE)
            return


def _absolute_values(exponents: dict[Expr, Expr]) -> None:
    """x * sign(x) = |x|, in place."""
    for base, n in list(exponents.items()):
        if is_call(base, "sign") and n is ONE and exponents.get(base.args[0]) is ONE:
            del exponents[base], exponents[base.args[0]]
            size = call("abs", base.args[0])
            exponents[size] = add(exponents.get(size, ZERO), ONE)


def div(a: Expr, b: Expr) -> Expr:
    return mul(a, power(b, MINUS_ONE))


def power(base: Expr, exponent: Expr) -> Expr:
    """base ** exponent."""
    if exponent is ZERO or base is ONE:
        return ONE
    if exponent is ONE:
        return base
    whole = exponent.kind == "num" and _whole(exponent.value)
    if base.kind == "num":
        folded = _number_power(base.value, exponent)
        if folded is not None:
            return folded
    if whole and base.kind == "pow":
        return power(base.args[0], mul(base.args[1], exponent))
    if whole and base.kind == "mul":
        return mul(*[power(f, exponent) for f in base.args])
    if is_call(base, "exp"):
        return call("exp", mul(base.args[0], exponent))
    return _node("pow", None, (base, exponent))


def _whole(value: Any) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def _number_power(base: Any, exponent: Expr) -> Expr | None:
    if exponent.kind != "num":
        return None
    n = exponent.value
    if base == 0:
        return ZERO if n > 0 else None
    if _whole(n) and abs(n) <= 64:
        return number(base ** int(n) if isinstance(base, Fraction) else float(base) ** int(n))
    if isinstance(base, Fraction) and base > 0 and isinstance(n, Fraction) and n.denominator == 2:
        top, bottom = math.isqrt(base.numerator), math.isqrt(base.denominator)
        if top * top == base.numerator and bottom * bottom == base.denominator:
            return number(Fraction(top, bottom) ** n.numerator)
    return None


# ---- functions ---------------------------------------------------------------------------------

_ODD = {"sin", "tan", "tanh", "sinh", "asin", "atan", "asinh", "atanh", "erf"}
_EVEN = {"cos", "cosh", "abs"}
_AT_ZERO = {"exp": ONE, "cos": ONE, "cosh": ONE, **dict.fromkeys(_ODD, ZERO), "abs": ZERO,
            "relu": ZERO, "sigmoid": HALF, "sqrt": ZERO}  # fmt: skip
_COMPARE = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip
_OPPOSITE = {"exp": "log", "log": "exp"}


def is_call(e: Expr, name: str) -> bool:
    return e.kind == "fn" and e.value[0] == name


def call(name: str, *args: Expr, params: tuple[tuple[str, Any], ...] = ()) -> Expr:
    """A named function of the op table."""
    x = args[0]
    if len(args) == 1:
        if x is ZERO and name in _AT_ZERO:
            return _AT_ZERO[name]
        if name == "log" and x is ONE:
            return ZERO
        if name in _OPPOSITE and is_call(x, _OPPOSITE[name]):
            return x.args[0]
        if _is_negative(x) and name in _ODD:
            return neg(call(name, neg(x), params=params))
        if _is_negative(x) and name in _EVEN:
            return call(name, neg(x), params=params)
    if name in _COMPARE:
        return _comparison(name, *args)
    if name in ("maximum", "minimum") and x is args[1]:  # pyright: ignore[reportGeneralTypeIssues]
        return x
    return _node("fn", (name, params), args)


def _is_negative(e: Expr) -> bool:
    coefficient, _ = split_coefficient(e)
    if e.kind == "add":
        return all(split_coefficient(t)[0] < 0 for t in e.args)
    return coefficient < 0


def _comparison(name: str, a: Expr, b: Expr) -> Expr:
    if a.kind == "num" and b.kind == "num":
        return number(_COMPARE[name](a.value, b.value))
    if b is ZERO and name in ("gt", "le") and is_call(a, "relu"):
        return call(name, a.args[0], ZERO)
    if b is ZERO and name == "gt" and (is_call(a, "exp") or is_call(a, "sigmoid")):
        return ONE
    if a.kind == "num":
        mirrored = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}.get(name, name)
        return call(mirrored, b, a)
    return _node("fn", (name, ()), (a, b))


def where(condition: Expr, a: Expr, b: Expr) -> Expr:
    """a if condition else b."""
    if condition.kind == "num":
        return a if condition.value else b
    if a is b:
        return a
    if is_call(condition, "le"):  # one way to say it: a if x > 0 else b
        return where(call("gt", *condition.args), b, a)
    if a.kind == "where" and a.args[0] is condition:
        a = a.args[1]
    if b.kind == "where" and b.args[0] is condition:
        b = b.args[2]
    if b.kind == "where" and b.args[1] is a:
        return where(call("or", condition, b.args[0]), a, b.args[2])
    return _node("where", None, (condition, a, b))


# ---- reading -----------------------------------------------------------------------------------


def parts_first(e: Expr) -> list[Expr]:
    """Every distinct node, arguments before what uses them; not recursive."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(e, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node.serial not in seen:
            seen.add(node.serial)
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args))
    return order


def substitute(e: Expr, values: dict[Expr, Expr]) -> Expr:
    """The expression with symbols replaced, simplified again."""
    made: dict[Expr, Expr] = {}
    for node in parts_first(e):
        args = [made[a] for a in node.args]
        made[node] = values.get(node) or rebuilt(node, args)
    return made[e]


def rebuilt(node: Expr, args: list[Expr]) -> Expr:
    """The node with other arguments."""
    if not args or tuple(args) == node.args:
        return node
    if node.kind == "fn":
        return call(node.value[0], *args, params=node.value[1])
    makers = {"add": add, "mul": mul, "pow": power, "where": where}
    return makers[node.kind](*args)
