"""Expressions as readable infix text: x**2 + 2*x*cos(x), 1 if x > 0 else 0."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .expression import HALF, MINUS_ONE, PI, WRITERS, Expr, mul, number, parts_first, power

# How tightly a piece of text binds, from the loosest.
CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_LOGIC = {"and": (" and ", AND), "or": (" or ", OR)}

Text = tuple[str, int]  # the text and how tightly it binds


def text(e: Expr) -> str:
    """The expression in infix notation."""
    made: dict[Expr, Text] = {}
    # Parts that printing needs but the expression does not hold (positive powers of a denominator)
    # are written when asked for; the loop keeps the recursion shallow.
    for node in parts_first(e):
        made[node] = _write(node, made)
    return made[e][0]


def _of(e: Expr, made: dict[Expr, Text]) -> Text:
    found = made.get(e)
    if found is None:
        found = made[e] = _write(e, made)
    return found


def _inside(e: Expr, made: dict[Expr, Text], tight: int) -> str:
    """The text, in parentheses when it binds less tightly than its place asks for."""
    written, binding = _of(e, made)
    return written if binding >= tight else f"({written})"


def _write(e: Expr, made: dict[Expr, Text]) -> Text:
    if e.kind == "num":
        return number_text(e.value)
    if e.kind == "sym":
        return e.value, ATOM
    if e.kind == "add":
        return _sum(e, made)
    if e.kind == "mul":
        return _product(e, made)
    if e.kind == "pow":
        return _power(e, made)
    if e.kind == "where":
        condition, a, b = e.args
        chosen = _inside(a, made, OR)
        return f"{chosen} if {_inside(condition, made, OR)} else {_of(b, made)[0]}", CHOICE
    return _call(e, made)


def number_text(value: Any) -> Text:
    """A number as short as it stays readable: 3, 1/2, 0.01."""
    if isinstance(value, float):
        written = f"{value:.6g}"
    elif value.denominator == 1:
        written = str(value.numerator)
    else:
        decimal = f"{float(value):.6g}"
        short = value.denominator > 8 and Fraction(decimal) == value
        written = decimal if short else f"{value.numerator}/{value.denominator}"
    if "/" in written:
        return written, PRODUCT
    return written, SIGN if written.startswith("-") else ATOM


def _call(e: Expr, made: dict[Expr, Text]) -> Text:
    name, params = e.value
    if name in _COMPARISONS:
        left, right = (_inside(a, made, SUM) for a in e.args)
        return f"{left} {_COMPARISONS[name]} {right}", COMPARE
    if name in _LOGIC:
        word, binding = _LOGIC[name]
        return word.join(_inside(a, made, binding) for a in e.args), binding
    if name == "not":
        return f"not {_inside(e.args[0], made, NOT)}", NOT
    arguments = [_of(a, made)[0] for a in e.args]
    arguments += [f"{key}={value!r}" for key, value in params if value is not None]
    return f"{name}({', '.join(arguments)})", ATOM


def _power(e: Expr, made: dict[Expr, Text]) -> Text:
    base, exponent = e.args
    if exponent.kind == "num" and exponent.value < 0:
        below = _of(power(base, number(-exponent.value)), made)
        return f"1/{below[0] if below[1] >= POWER else f'({below[0]})'}", PRODUCT
    if exponent.kind == "num" and exponent.value == Fraction(1, 2):
        return f"sqrt({_of(base, made)[0]})", ATOM
    return f"{_inside(base, made, ATOM)}**{_inside(exponent, made, ATOM)}", POWER


# ---- sums: highest degree first, a positive term in front --------------------------------------


def _sum(e: Expr, made: dict[Expr, Text]) -> Text:
    terms = ordered_terms(e, made)
    written = _inside(terms[0], made, SUM + 1 if terms[0].kind == "where" else SUM)
    for term in terms[1:]:
        if is_negative(term):
            written += f" - {_inside(mul(MINUS_ONE, term), made, PRODUCT)}"
        else:
            written += f" + {_inside(term, made, PRODUCT)}"
    return written, SUM


def ordered_terms(e: Expr, made: dict[Expr, Text]) -> list[Expr]:
    """The terms of a sum as they are written."""
    terms = sorted(e.args, key=lambda t: _sum_order(t, made))
    if is_negative(terms[0]):
        first = next((t for t in terms if not is_negative(t)), terms[0])
        terms.remove(first)
        terms.insert(0, first)
    return terms


def _sum_order(term: Expr, made: dict[Expr, Text]) -> tuple[Any, ...]:
    return -_degree(term), _of(term, made)[0]


def _degree(e: Expr) -> float:
    """The degree of a monomial; functions count a little, so that constants come last."""
    if e.kind == "num":
        return 0.0
    if e.kind == "sym":
        return 1.0
    if e.kind == "mul":
        return sum(_degree(f) for f in e.args)
    if e.kind == "pow" and e.args[0].kind == "sym" and e.args[1].kind == "num":
        return float(e.args[1].value)
    return 0.5


def is_negative(e: Expr) -> bool:
    """Whether it is written with a minus."""
    if e.kind == "num":
        return e.value < 0
    return e.kind == "mul" and e.args[0].kind == "num" and e.args[0].value < 0


# ---- products: number, symbols, functions, sums; negative powers below the line ----------------


def split_product(e: Expr) -> tuple[str, list[Expr], list[Expr]]:
    """The sign of a product, and its factors above and below the line."""
    above: list[Expr] = []
    below: list[Expr] = []
    sign = ""
    for factor in e.args:
        if factor.kind == "num":
            value = factor.value
            if value < 0:
                sign, value = "-", -value
            above, below = _number_parts(value, above, below)
        elif factor.kind == "pow" and factor.args[1].kind == "num" and factor.args[1].value < 0:
            below.append(power(factor.args[0], number(-factor.args[1].value)))
        else:
            above.append(factor)
    return sign, above, _joined_roots(below) if below else below


def _product(e: Expr, made: dict[Expr, Text]) -> Text:
    sign, above, below = split_product(e)
    top = _factors(above, made)
    if not below:
        return sign + top, SIGN if sign else PRODUCT
    bottom = _factors(below, made)
    if len(below) > 1:
        bottom = f"({bottom})"
    return f"{sign}{top}/{bottom}", SIGN if sign else PRODUCT


def _number_parts(value: Any, above: list[Expr], below: list[Expr]) -> tuple[Any, Any]:
    """A coefficient above the line, below it (x/2), or as a decimal (0.01*x)."""
    if isinstance(value, Fraction) and "/" in number_text(value)[0]:
        if value.numerator != 1:
            above = [number(value.numerator), *above]
        return above, [number(value.denominator), *below]
    return ([number(value), *above] if value != 1 else above), below


def _factors(factors: list[Expr], made: dict[Expr, Text]) -> str:
    if not factors:
        return "1"
    return "*".join(_inside(f, made, POWER) for f in ordered_factors(factors, made))


def ordered_factors(factors: list[Expr], made: dict[Expr, Text]) -> list[Expr]:
    """The factors of a product as they are written."""
    return sorted(_joined_roots(factors), key=lambda f: _product_order(f, made))


def _joined_roots(factors: list[Expr]) -> list[Expr]:
    """sqrt(2)*sqrt(pi) as sqrt(2*pi): roots of constants only, which are positive."""
    roots = [
        f for f in factors
        if f.kind == "pow" and f.args[1] is HALF and (f.args[0] is PI or f.args[0].kind == "num")
    ]  # fmt: skip
    if len(roots) < 2:
        return factors
    joined = power(mul(*[f.args[0] for f in roots]), HALF)
    return [joined, *[f for f in factors if f not in roots]]


def _product_order(f: Expr, made: dict[Expr, Text]) -> tuple[Any, ...]:
    base = f.args[0] if f.kind == "pow" else f
    rank = {"sym": 1, "num": 2, "fn": 3, "add": 4}.get(base.kind, 5)
    return (0 if f.kind == "num" else rank), _of(f, made)[0]


__all__ = ["text"]


WRITERS.append(text)
