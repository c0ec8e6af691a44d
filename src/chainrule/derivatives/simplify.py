"""Shorter forms of sums: multiplied out, or with common factors and denominators taken out.

What `expression.py` does while building never makes an expression longer. The rewrites here may,
so each is tried on every sum and kept only where the result is smaller.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from . import expression as e
from .expression import Expr

_MOST_PARTS = 600  # larger formulas stay as built: nobody reads them, and time matters
_MOST_TERMS = 40  # of a product that is multiplied out


def simplified(expression: Expr) -> Expr:
    """An equal expression, at most as large."""
    order = e.parts_first(expression)
    if len(order) > _MOST_PARTS:
        return expression
    made: dict[Expr, Expr] = {}
    for node in order:
        rebuilt = e.rebuilt(node, [made[a] for a in node.args])
        made[node] = _shortest(rebuilt) if rebuilt.kind == "add" else rebuilt
    return made[expression]


def _shortest(total: Expr) -> Expr:
    candidates = [total, expanded(total)]
    candidates += [_factored(c) for c in candidates if c.kind == "add"]
    return min(candidates, key=lambda c: c.size)


def expanded(x: Expr) -> Expr:
    """Products of sums multiplied out, where that stays small."""
    if x.kind == "add":
        return e.add(*[expanded(t) for t in x.args])
    if x.kind != "mul" and not _is_small_power(x):
        return x
    factors = x.args if x.kind == "mul" else (x,)
    terms: list[Expr] = [e.ONE]
    for factor in factors:
        choices = _choices(factor)
        if len(terms) * len(choices) > _MOST_TERMS:
            return x
        terms = [e.mul(t, c) for t in terms for c in choices]
    return e.add(*terms)


def _is_small_power(x: Expr) -> bool:
    if x.kind != "pow" or x.args[0].kind != "add" or x.args[1].kind != "num":
        return False
    n = x.args[1].value
    return isinstance(n, Fraction) and n.denominator == 1 and 2 <= n <= 3


def _choices(factor: Expr) -> list[Expr]:
    """The terms a factor multiplies out into."""
    if factor.kind == "add":
        return list(factor.args)
    if _is_small_power(factor):
        base, n = factor.args
        terms = [e.ONE]
        for _ in range(int(n.value)):
            terms = [e.mul(t, c) for t in terms for c in base.args]
        return terms
    return [factor]


def _factored(total: Expr) -> Expr:
    """The lowest power of every base, taken out of all terms."""
    tables = [_powers(term) for term in total.args]
    outside: list[Expr] = []
    for base in dict.fromkeys(b for table in tables for b in table):
        lowest = min(table.get(base, 0) for table in tables)
        if lowest != 0:
            outside.append(e.power(base, e.number(lowest)))
    if not outside:
        return total
    inverse = [e.power(f, e.MINUS_ONE) for f in outside]
    inside = e.add(*[expanded(e.mul(term, *inverse)) for term in total.args])
    return e.mul(*outside, inside)


def _powers(term: Expr) -> dict[Expr, Any]:
    """base -> numeric exponent of a product's factors; numbers are left out."""
    found: dict[Expr, Any] = {}
    for factor in term.args if term.kind == "mul" else (term,):
        if factor.kind == "num" or factor.kind == "where":
            continue
        if factor.kind == "pow" and factor.args[1].kind == "num":
            found[factor.args[0]] = factor.args[1].value
        else:
            found[factor] = Fraction(1)
    return found
