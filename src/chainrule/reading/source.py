"""What the user's source says about a recorded position: line, expression, the variable it fills.

A node of the tape keeps a code object and an instruction offset. Here they become a `Place`: the
line's text, the very expression that recorded the node ("0.1 * chips"), and the variable that it
was assigned to ("phones"), read from the syntax tree of the file. Files are found by `linecache`,
so notebooks and generated code work as well. Everything is cached: a graph of a million nodes has
few distinct positions.
"""

from __future__ import annotations

import ast
import linecache
import os
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from ..autograd.source import line_of

LONGEST_STATEMENT = 8  # lines that are tried where a file cannot be parsed as a whole
LONGEST_SHOWN = 100  # characters of a line that is cited
LONGEST_EXPRESSION = 48  # characters; a longer one says little as a name


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's program something was recorded."""

    file: str
    line: int  # the line of the expression; 0 where nothing is known
    function: str  # the function's name, "<module>" at the top of a file
    text: str  # the statement's first line, or the line itself, stripped
    expression: str  # the part of the statement that recorded the node; "" where not known
    target: str  # the variable that this very expression is assigned to, or ""
    statement_target: str  # the variable that the whole statement assigns to, or ""

    @property
    def short(self) -> str:
        """`model.py:7`, or 'an unknown line'."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else "an unknown line"

    @property
    def label(self) -> str:
        """`"phones = 0.1 * chips", line 7`: how a person would cite it."""
        if not self.line:
            return "an unknown line"
        if not self.text:
            return self.short
        text = self.text if len(self.text) <= LONGEST_SHOWN else self.text[:LONGEST_SHOWN] + " ..."
        return f'"{text}", line {self.line}'


UNKNOWN = Place("", 0, "", "", "", "", "")


@lru_cache(maxsize=65536)
def place_of(code: CodeType | None, lasti: int) -> Place:
    """The place of a stored position."""
    where = line_of(code, lasti)
    if where is None or code is None:
        return UNKNOWN
    file, line = where
    text = linecache.getline(file, line).strip()
    span = _span(code, lasti)
    found = _statement(file, line, span)
    if found is None:
        return Place(file, line, code.co_name, text, "", "", "")
    statement, source = found
    inner = _innermost(statement, span)
    expression = _segment(source, inner) if inner is not None else ""
    if len(expression) > LONGEST_EXPRESSION:
        expression = ""
    target = _target(statement)
    value = getattr(statement, "value", None)
    whole = inner is not None and value is not None and _same_span(inner, value)
    if isinstance(statement, ast.AugAssign):  # `total += x` records the sum itself
        whole = inner is None or _same_span(inner, statement)
    first = linecache.getline(file, statement.lineno).strip() or text
    shown = text if isinstance(statement, _COMPOUND) else first
    return Place(
        file,
        line,
        code.co_name,
        shown,
        expression,
        target if whole or inner is None else "",
        target,
    )


def node_place(node: Any) -> Place:
    """The place of a node of the tape."""
    return place_of(node.code, node.lasti)


_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
Span = tuple[int, int, int, int]  # line, end line, column, end column (in bytes)


def _span(code: CodeType, lasti: int) -> Span | None:
    for number, position in enumerate(code.co_positions()):
        if number == lasti // 2:
            if any(p is None for p in position):
                return None
            return position  # type: ignore[return-value]
    return None


@lru_cache(maxsize=256)
def _parsed(file: str, text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):  # cells with magics, templates
        return None


@lru_cache(maxsize=4096)
def _parsed_around(file: str, text: str, line: int) -> ast.Module | None:
    """The lines around one in a file that is not Python as a whole: a page, a cell with magics."""
    lines = text.splitlines()
    for start in range(line, max(line - LONGEST_STATEMENT, 0), -1):
        for end in range(line, min(line + LONGEST_STATEMENT, len(lines)) + 1):
            some = lines[start - 1 : end]
            indent = len(some[0]) - len(some[0].lstrip())
            try:
                tree = ast.parse("\n".join(t[indent:] for t in some))
            except (SyntaxError, ValueError):
                continue
            ast.increment_lineno(tree, start - 1)
            for node in ast.walk(tree):
                if isinstance(node, ast.stmt | ast.expr):
                    node.col_offset += indent
                    node.end_col_offset = (node.end_col_offset or 0) + indent
            return tree
    return None


def _statement(file: str, line: int, span: Span | None) -> tuple[Any, str] | None:
    """The innermost statement around a line, and the file's text."""
    source = "".join(linecache.getlines(file))
    tree = _parsed(file, source) if source else None
    if source and tree is None:
        tree = _parsed_around(file, source, line)
    if tree is None:
        return None
    found: Any = None
    body: list[Any] = list(tree.body)
    while body:
        inside = [s for s in body if s.lineno <= line <= (s.end_lineno or s.lineno)]
        if span is not None and len(inside) > 1:  # a = f(x); b = g(a)
            exact = [s for s in inside if _covers(s, span)]
            inside = exact or inside
        if not inside:
            break
        found = inside[0]
        body = [s for s in _bodies(found) if isinstance(s, ast.stmt)]
    if found is None or isinstance(found, ast.FunctionDef | ast.ClassDef):
        return None
    return found, source


def _bodies(statement: Any) -> list[Any]:
    inner: list[Any] = []
    for field in ("body", "orelse", "finalbody"):
        part = getattr(statement, field, None)
        inner += part if isinstance(part, list) else []
    for handler in getattr(statement, "handlers", ()):
        inner += handler.body
    for case in getattr(statement, "cases", ()):
        inner += case.body
    return inner


def _covers(node: Any, span: Span) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return start <= (span[0], span[2]) and (span[1], span[3]) <= end


def _same_span(a: Any, b: Any) -> bool:
    return (a.lineno, a.col_offset, a.end_lineno, a.end_col_offset) == (
        b.lineno, b.col_offset, b.end_lineno, b.end_col_offset,
    )  # fmt: skip


def _innermost(statement: Any, span: Span | None) -> Any:
    """The expression of a statement that has exactly this span (a method's may be a part of it)."""
    if span is None:
        return None
    best: Any = None
    for node in ast.walk(statement):
        if isinstance(node, ast.expr) and _covers(node, span):
            best = node  # ast.walk goes from the outside in
    if isinstance(statement, ast.AugAssign) and best is None:
        return statement
    return best


def _segment(source: str, node: Any) -> str:
    text = ast.get_source_segment(source, node) or ""
    return " ".join(text.split())


def _target(statement: Any) -> str:
    """The one variable a statement assigns to: `loss`, `self.h`, `states[t]`, or ''."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: Any = statement.targets[0]
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        target = statement.target
    else:
        return ""
    if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
        return ast.unparse(target)
    return ""


__all__ = ["UNKNOWN", "Place", "node_place", "place_of"]
