r"""Expressions as LaTeX: x^{2} + 2 x \cos\left(x^{2}\right), fractions as fractions.

The order of terms and factors, and what goes below a fraction's line, is that of the infix text.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from .expression import MINUS_ONE, Expr, mul, number, parts_first, power
from .printing import (
    AND,
    ATOM,
    CHOICE,
    COMPARE,
    NOT,
    OR,
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    Text,
    is_negative,
    number_text,
    ordered_factors,
    ordered_terms,
    split_product,
)

_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
}  # fmt: skip
_COMPARISONS = {
    "lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "eq": "=", "ne": r"\ne",
}  # fmt: skip
# Functions that LaTeX has a command for; any other is set upright by its name.
_COMMANDS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "sinh": r"\sinh", "cosh": r"\cosh",
    "tanh": r"\tanh", "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln",
    "maximum": r"\max", "minimum": r"\min", "sigmoid": r"\sigma", "lgamma": r"\ln\Gamma",
    "digamma": r"\psi",
}  # fmt: skip
_AROUND = {
    "abs": (r"\left|", r"\right|"), "floor": (r"\left\lfloor ", r"\right\rfloor "),
    "ceil": (r"\left\lceil ", r"\right\rceil "), "exp": ("e^{", "}"),
}  # fmt: skip


class _Made(dict[Expr, Text]):
    """What is written already, and the infix texts by which terms are ordered."""

    def __init__(self) -> None:
        super().__init__()
        self.infix: dict[Expr, Text] = {}


def latex(e: Expr) -> str:
    """The expression as LaTeX, without dollar signs."""
    made = _Made()
    for node in parts_first(e):  # a loop, so that deep expressions do not recurse
        made[node] = _write(node, made)
    return made[e][0]


def _of(e: Expr, made: _Made) -> Text:
    found = made.get(e)
    if found is None:
        found = made[e] = _write(e, made)
    return found


def _inside(e: Expr, made: _Made, tight: int) -> str:
    written, binding = _of(e, made)
    return written if binding >= tight else rf"\left({written}\right)"


def _write(e: Expr, made: _Made) -> Text:
    if e.kind == "num":
        return _number(e.value)
    if e.kind == "sym":
        return symbol(e.value), ATOM
    if e.kind == "add":
        return _sum(e, made)
    if e.kind == "mul":
        return _product(e, made)
    if e.kind == "pow":
        return _power(e, made)
    if e.kind == "where":
        condition, a, b = (_of(part, made)[0] for part in e.args)
        rows = rf"{a} & \text{{if }} {condition} \\ {b} & \text{{otherwise}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}", CHOICE
    return _call(e, made)


def symbol(name: str) -> str:
    r"""A variable: one letter in italics, \alpha, longer names upright; digits as an index."""
    stem = name.rstrip("0123456789")
    index = name[len(stem) :]
    stem, _, more = stem.rstrip("_").partition("_")
    index = f"{more}{index}" if more else index
    index = index.replace("_", r"\_")
    if stem in _GREEK:
        stem = rf"\{stem}"
    elif len(stem) != 1:
        stem = rf"\mathrm{{{stem}}}"
    if not index:
        return stem
    return f"{stem}_{{{index}}}" if index.isdigit() else rf"{stem}_{{\mathrm{{{index}}}}}"


def _number(value: Any) -> Text:
    written, binding = number_text(value)
    if "/" in written:
        top, bottom = written.split("/")
        sign = "-" if top.startswith("-") else ""
        return rf"{sign}\frac{{{top.lstrip('-')}}}{{{bottom}}}", SIGN if sign else PRODUCT
    if "e" in written:
        digits, _, exponent = written.partition("e")
        sign = digits.startswith("-")
        return rf"{digits} \cdot 10^{{{int(exponent)}}}", SIGN if sign else POWER
    written = written.replace("inf", r"\infty").replace("nan", r"\mathrm{nan}")
    return written, binding


def _call(e: Expr, made: _Made) -> Text:
    name, params = e.value
    if name in _COMPARISONS:
        left, right = (_inside(a, made, SUM) for a in e.args)
        return f"{left} {_COMPARISONS[name]} {right}", COMPARE
    if name in ("and", "or"):
        word, binding = (r" \land ", AND) if name == "and" else (r" \lor ", OR)
        return word.join(_inside(a, made, binding) for a in e.args), binding
    if name == "not":
        return rf"\lnot {_inside(e.args[0], made, NOT)}", NOT
    arguments = [_of(a, made)[0] for a in e.args]
    if name in _AROUND and len(arguments) == 1:
        left, right = _AROUND[name]
        return f"{left}{arguments[0]}{right}", POWER if name == "exp" else ATOM
    arguments += [rf"\mathrm{{{key}}}={value}" for key, value in params if value is not None]
    upright = name.replace("_", r"\_")
    command = _COMMANDS.get(name) or rf"\operatorname{{{upright}}}"
    return rf"{command}\left({', '.join(arguments)}\right)", ATOM


def _power(e: Expr, made: _Made) -> Text:
    base, exponent = e.args
    if exponent.kind == "num" and exponent.value < 0:
        return rf"\frac{{1}}{{{_of(power(base, number(-exponent.value)), made)[0]}}}", PRODUCT
    if exponent.kind == "num" and exponent.value == Fraction(1, 2):
        return rf"\sqrt{{{_of(base, made)[0]}}}", ATOM
    return f"{_inside(base, made, ATOM)}^{{{_of(exponent, made)[0]}}}", POWER


def _sum(e: Expr, made: _Made) -> Text:
    terms = ordered_terms(e, made.infix)
    written = _inside(terms[0], made, SUM)
    for term in terms[1:]:
        if is_negative(term):
            written += f" - {_inside(mul(MINUS_ONE, term), made, PRODUCT)}"
        else:
            written += f" + {_inside(term, made, PRODUCT)}"
    return written, SUM


def _product(e: Expr, made: _Made) -> Text:
    sign, above, below = split_product(e)
    top = _factors(above, made)
    if below:
        return rf"{sign}\frac{{{top}}}{{{_factors(below, made)}}}", SIGN if sign else PRODUCT
    return sign + top, SIGN if sign else PRODUCT


def _factors(factors: list[Expr], made: _Made) -> str:
    if not factors:
        return "1"
    ordered = ordered_factors(factors, made.infix)
    if len(ordered) == 1:
        return _of(ordered[0], made)[0]
    pieces = [_inside(f, made, POWER) for f in ordered]
    written = pieces[0]
    for before, piece in pairwise(pieces):
        digits = before[-1:].isdigit() and piece[:1].isdigit()
        written += (r" \cdot " if digits else " ") + piece
    return written
