"""A node's formula in the user's words, the same with numbers plugged in, and its derivative."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..autograd.op_rules import rules_of
from ..ops.schema import rule_names
from ..reading import Link, Tape, Vertex
from ..reading.svg import short_number
from .paths import label_of

MOST_OPERANDS = 4
MOST_PARTS = 40  # nodes of one step that are written out as a formula
LONGEST_FORMULA = 90


def number_of(tape: Tape, v: Vertex) -> float | None:
    """The value of a vertex where it is a single known real number."""
    value = tape.value(v)
    if value is None or value.size != 1 or value.dtype.kind == "c":
        return None
    return float(value.reshape(()))


def shown_value(tape: Tape, v: Vertex) -> str:
    """A value in a few characters: the number, or shape and range of an array."""
    value = tape.value(v)
    return "" if value is None else shown_array(value)


def shown_array(value: Any) -> str:
    """The number, or shape, mean and spread of an array."""
    value = np.asarray(value)
    if value.size == 1 and value.dtype.kind != "c":
        return short_number(float(value.reshape(())), 6)
    text = f"{list(value.shape)}"
    if not value.size or value.dtype.kind not in "fiu":
        return text
    wide = value.astype(np.float64)
    return f"{text} mean {short_number(wide.mean(), 3)}, |max| {short_number(abs(wide).max(), 3)}"


def formula(v: Vertex) -> str:
    """How a node was computed: the user's expression, or the op on its inputs."""
    if v.leaf is not None:
        return ""
    text = v.place.expression
    if text and label_of(v) in (v.title, text) and not _shares_call(v):
        return text
    names = [label_of(link.parent) for link in v.inputs][:MOST_OPERANDS]
    return f"{v.op}({', '.join(names)})"


def _shares_call(v: Vertex) -> bool:
    node = v.node
    return any(
        u.child.node.code is node.code and u.child.node.lasti == node.lasti for u in v.uses
    ) or any(
        k.parent.node is not None
        and k.parent.node.code is node.code
        and k.parent.node.lasti == node.lasti
        for k in v.inputs
    )


def with_numbers(tape: Tape, v: Vertex) -> str:
    """The formula with the known numbers in place of the names; '' where none is known."""
    text = formula(v)
    values = _numbers_under(tape, v)
    if not text or not values:
        return ""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return ""
    return ast.unparse(_PlugIn(values).visit(tree))


def _numbers_under(tape: Tape, v: Vertex) -> dict[str, float]:
    """The named numbers that a node's expression can mention: those first met behind it."""
    found: dict[str, float] = {}
    stack = [link.parent for link in v.inputs]
    seen: set[int] = set()
    while stack and len(seen) < 64:
        u = stack.pop()
        if u.key in seen:
            continue
        seen.add(u.key)
        value = number_of(tape, u)
        if u.title and value is not None:
            found.setdefault(u.title, value)
        if not u.title and u.place.line == v.place.line:
            stack += [link.parent for link in u.inputs]
    return found


class _PlugIn(ast.NodeTransformer):
    """Names of known values become numbers; those that are not finite stay words: `nan`, `-inf`."""

    def __init__(self, values: dict[str, float]) -> None:
        self.values = values

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        inner = self.visit(node.value)
        if isinstance(inner, ast.Constant | ast.UnaryOp):  # a method of a number: (2).exp()
            inner = ast.Name(f"({ast.unparse(inner)})")
        return ast.Attribute(inner, node.attr, node.ctx)

    def visit(self, node: Any) -> Any:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            known = self.values.get(ast.unparse(node))
            if known is not None:
                return ast.parse(f"{known:.6g}", mode="eval").body
        return super().visit(node)


def local_derivative(link: Link) -> Any:
    """The local derivative as an expression of the inputs' names, by the op's own rule, or None."""
    from ..derivatives.meaning import FORMULAS, NoFormula, Term

    op = link.child.node.op
    if op is None or op.n_out != 1 or op.variadic:
        return None
    entry = rules_of(op).get(op.input_name(link.position))
    if entry is None:
        return None
    rule = entry[1]
    try:
        made = FORMULAS.bind(rule)(*[_meaning(link, n) for n in rule_names(rule)])
    except (NoFormula, TypeError, ValueError, AttributeError, KeyError, IndexError):
        return None  # a rule that speaks of shapes has no formula of scalars
    return made.e if isinstance(made, Term) else None


def _meaning(link: Link, name: str) -> Any:
    """What a rule's parameter stands for: a symbol, a number, or a setting."""
    from ..derivatives import expression as e
    from ..derivatives.meaning import Term

    if name == "g":
        return Term(e.ONE)
    child = link.child
    op = child.node.op
    kind, detail = op.classify(name)
    saved = child.saved().get(name)
    if kind == "in":
        parent = next((k.parent for k in child.inputs if k.position == detail), None)
        if parent is not None:
            return Term(e.symbol(_symbol(parent)))
        return Term(e.number(float(np.asarray(saved).reshape(()))))
    return Term(e.symbol(_symbol(child))) if kind == "out" else saved


def _symbol(v: Vertex) -> str:
    """A name that may stand in a formula: an expression is put in brackets."""
    label = label_of(v)
    return label if label.isidentifier() or v.title else f"({label})"


def derivative_formula(link: Link) -> str:
    """The same as text; '' where the rule has no formula."""
    from ..derivatives.printing import text

    made = local_derivative(link)
    return "" if made is None else text(made)


def step_formula(between: Any, upper: Vertex, lower: Vertex) -> str:
    """d upper / d lower over all ways between two stops, as text; '' where that is not short."""
    from ..derivatives import expression as e
    from ..derivatives.printing import text

    region = between.between(upper, lower)
    if len(region) > MOST_PARTS:
        return ""
    pending: dict[int, Any] = {upper.key: e.ONE}
    total = e.ZERO
    for v in region:
        g = pending.pop(v.key, None)
        if g is None:
            continue
        for link in between.inputs(v):
            local = local_derivative(link)
            if local is None:
                return ""
            part = e.mul(g, local)
            if link.parent is lower:
                total = e.add(total, part)
            else:
                have = pending.get(link.parent.key)
                pending[link.parent.key] = part if have is None else e.add(have, part)
    found = text(total)
    return found if len(found) <= LONGEST_FORMULA else ""


def plugged(tape: Tape, text: str, region: list[Vertex]) -> str:
    """A formula with the numbers known among some vertices and their inputs in place of names."""
    values: dict[str, float] = {}
    for v in region:
        value = number_of(tape, v) if v.title else None
        if value is not None:
            values.setdefault(v.title, value)
        for name, known in _numbers_under(tape, v).items():
            values.setdefault(name, known)
    try:
        return ast.unparse(_PlugIn(values).visit(ast.parse(text, mode="eval")))
    except SyntaxError:
        return ""


__all__ = [
    "derivative_formula", "formula", "local_derivative", "number_of", "plugged", "shown_array",
    "shown_value", "step_formula", "with_numbers",
]  # fmt: skip
