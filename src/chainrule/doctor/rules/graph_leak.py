"""graph-leak: graphs of finished steps stay alive."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import FrameType
from typing import Any
from weakref import ref

from ...autograd.value import TensorBase
from ..finding import WARNING, Finding
from ..positions import LinePosition, Position, of_node
from ..run import Pass
from .base import Rule

GROWS = 8  # graphs of finished passes that are alive
RECENT = 3  # passes whose graphs may well still be held by variables


class GraphLeak(Rule):
    """Watches which losses are gone: the graph of each pass is held by a weak reference, and the
    number of old ones that are still alive grows with every pass.

    Silent: the last loss in its variable, bounded queues, losses summed inside one window of
    accumulation, `float(loss)` and `.item()`.
    """

    id = "graph-leak"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._roots: dict[Position, list[Any]] = {}
        self._most: dict[Position, int] = {}
        self._found: dict[Position, Finding] = {}

    def pass_begins(self, this: Pass) -> None:
        position = this.site.position
        if position in self._found:
            return
        roots = self._roots.setdefault(position, [])
        node = getattr(this.loss, "_node", None)
        node = getattr(node, "node", node)
        alive = [r for r in roots[:-RECENT] if r() is not None]
        roots[:] = [*alive, *roots[-RECENT:]]
        if node is not None:
            roots.append(ref(node))
        if len(alive) >= GROWS and len(alive) >= this.in_site - RECENT - 2:
            self._found[position] = self._tell(this, alive)

    def _tell(self, this: Pass, alive: list[Any]) -> Finding:
        nodes = {id(n) for r in alive if (n := r()) is not None}
        holder = find_holder(this.frame, nodes)
        where, name = holder if holder is not None else (this.site.position, "")
        what = f"`{name}` keeps" if name else "something keeps"
        return Finding(
            self.id,
            WARNING,
            where,
            f"{what} the graph of every step alive: memory grows with the number of steps",
            [f"the graphs of {len(alive)} finished steps are still there, out of {this.in_site}"],
            _fix(where, this),
            about=frozenset({("site", this.site.position)}),
        )

    def findings(self) -> Iterator[Finding]:
        yield from self._found.values()


def _fix(where: Position, this: Pass) -> str:
    loss = this.site.position.text.split(".backward")[0].strip() or "loss"
    text = where.text
    if loss in text and text != this.site.position.text:
        head, _, tail = text.rpartition(loss)
        return f"{head}{loss}.item(){tail}"
    return f"keep {loss}.item() or {loss}.detach()"


def find_holder(frame: FrameType | None, nodes: set[int]) -> tuple[Position, str] | None:
    """The line and the variable of the user's program that hold old graphs."""
    while frame is not None:
        for variables in (frame.f_locals, frame.f_globals):
            for name, value in list(variables.items()):
                found = _holds(value, nodes, 3)
                if found is None:
                    continue
                if isinstance(found, TensorBase):
                    node = getattr(found._node, "node", found._node)
                    if not isinstance(value, TensorBase):
                        at = _appended(frame, name)
                        return (at or of_node(node)), name
                    return of_node(node), name
        frame = frame.f_back
    return None


def _holds(value: Any, nodes: set[int], depth: int) -> Any:
    """The tensor through which a value holds old graphs; a fresh loss alone is none."""
    if isinstance(value, TensorBase):
        node = getattr(value._node, "node", value._node)
        return value if node is not None and _reaches_many(node, nodes) else None
    if depth == 0:
        return None
    if isinstance(value, dict):
        inner: Any = list(value.values())[-64:]
    elif isinstance(value, list | tuple | set):
        inner = list(value)[-64:] if not isinstance(value, set) else list(value)[:64]
    elif hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        inner = list(vars(value).values())
    elif type(value).__name__ == "deque":
        inner = list(value)[-64:]
    else:
        return None
    hits = 0
    for entry in inner:
        if isinstance(entry, TensorBase):
            node = getattr(entry._node, "node", entry._node)
            hits += id(node) in nodes
            if hits >= 3 or (node is not None and _reaches_many(node, nodes)):
                return entry
        else:
            found = _holds(entry, nodes, depth - 1)
            if found is not None:
                return found
    return None


def _reaches_many(node: Any, nodes: set[int]) -> bool:
    """Whether a graph holds several old losses: a running sum."""
    seen: set[int] = set()
    stack, hits = [node], 0
    while stack and len(seen) < 5000:
        n = stack.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        hits += id(n) in nodes
        if hits >= 3:
            return True
        for p in getattr(n, "parents", ()) or ():
            p = getattr(p, "node", p) if p is not None else None
            if p is not None and hasattr(p, "parents"):
                stack.append(p)
    return False


def _appended(frame: FrameType, name: str) -> Position | None:
    """The line that puts something into a container of this name."""
    file = frame.f_code.co_filename
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("append", "add", "extend", "appendleft", "insert", "setdefault")
            and _root_name(node.func.value) == name
        ):
            return LinePosition(file, node.lineno)
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Subscript) and _root_name(t.value) == name for t in node.targets
        ):
            return LinePosition(file, node.lineno)
    return None


def _root_name(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


__all__ = ["GraphLeak", "find_holder"]
