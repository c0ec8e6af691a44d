"""Memory of recorded values that was handed out unguarded: through `.data` and `numpy()`.

Writes through either go past the version counters: backward then uses values that are not those
of the forward pass, and nothing is raised.
"""

from __future__ import annotations

import ast
import linecache
from typing import Any
from weakref import ref

import numpy as np

from ...autograd.node import next_key
from ...reading.nodes import Tape, Vertex
from ..positions import LinePosition, Position
from ..run import Pass, Run
from .base import array

MOST = 64  # handed out between two passes
WHOLE = 1 << 16  # elements up to which all are compared


class Alias:
    """One such hand-out."""

    def __init__(self, kind: str, result: Any, memory: np.ndarray, where: Position) -> None:
        self.kind = kind
        self.where = where
        self.key = next_key()  # nodes with greater keys were recorded before it
        self.memory = ref(root(memory))
        self.print = _print(memory)
        self.array = ref(memory)
        self.counter = result._v if kind == "data" else None
        self.count = 0 if self.counter is None else self.counter[0]

    def writer(self) -> Position | None:
        """The line that wrote through it, if one did."""
        memory = self.array()
        if memory is None or _print(memory) == self.print:
            return None
        counter = self.counter
        if counter is not None:
            if counter[0] == self.count:
                return None
            return Position(counter[2], counter[3]) if len(counter) >= 4 else self.where
        return _numpy_write(self.where)


class Aliases:
    """The hand-outs since the last pass."""

    hears_all = True

    def __init__(self, run: Run) -> None:
        self.run = run
        self._out: list[Alias] = []

    def cut(self, kind: str, tensor: Any, result: Any, where: Position) -> None:
        memory = array(tensor)
        if kind in ("data", "numpy") and memory is not None and memory.size:
            if len(self._out) < MOST:
                self._out.append(Alias(kind, result, memory, where))

    def pass_ends(self, _this: Pass) -> None:
        self._out.clear()

    def pass_failed(self, _this: Pass, _problem: BaseException) -> None:
        self._out.clear()

    def written(self, tape: Tape) -> tuple[Vertex, str, Position, str] | None:
        """A value that a node of the graph saved and that was written past its counter."""
        if not self._out:
            return None
        written = [(a, where) for a in self._out if (where := a.writer()) is not None]
        for alias, where in written:
            memory = alias.memory()
            for v in tape.nodes:
                if v.key <= alias.key or v.node.op is None:
                    continue
                for name, value in v.saved().items():
                    if isinstance(value, np.ndarray) and root(value) is memory:
                        return v, name, where, alias.kind
        return None


def root(a: np.ndarray) -> np.ndarray:
    """The array that owns the memory."""
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def _print(a: np.ndarray) -> bytes:
    flat = a.reshape(-1) if a.flags.c_contiguous else a.ravel()
    if flat.size > WHOLE:
        flat = flat[:: flat.size // WHOLE]
    return flat.tobytes()


def _numpy_write(where: Position) -> Position:
    """The statement that writes into the array that a line got: `a[...] =`, `a += `, `out=a`."""
    name = where.target
    if where.code is None or not name:
        return where
    try:
        tree = ast.parse("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return where
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) > where.line and _writes(node, name):
            return LinePosition(where.file, node.lineno)  # type: ignore[attr-defined]
    return where


def _writes(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Subscript) and _is(t.value, name) for t in node.targets)
    if isinstance(node, ast.AugAssign):
        target = node.target
        return _is(target.value if isinstance(target, ast.Subscript) else target, name)
    if isinstance(node, ast.Call):
        if any(k.arg == "out" and _is(k.value, name) for k in node.keywords):
            return True
        method = node.func
        return isinstance(method, ast.Attribute) and (
            (_is(method.value, name) and method.attr in ("fill", "sort", "put", "partition"))
            or (method.attr in ("copyto", "putmask", "place") and _is(node.args[0], name))
        )
    return False


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


__all__ = ["Aliases", "root"]
