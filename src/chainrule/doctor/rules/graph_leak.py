"""graph-leak: graphs of finished steps stay alive."""

from __future__ import annotations

import ast
import linecache
from collections import deque
from collections.abc import Iterator
from types import FrameType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any
from weakref import ref

from ...autograd.value import TensorBase
from ..finding import WARNING, Finding
from ..positions import LinePosition, Position, is_users, of_node
from ..run import Pass
from .base import Rule

GROWS = 8  # graphs of finished passes that are alive
SCANNED = (4, 10, 18)  # passes of a line before which the program's containers are looked at
RECENT = 3  # passes whose graphs may well still be held by variables


class GraphLeak(Rule):
    """Watches which graphs are gone: the first node of each is held by a weak reference, and the
    number of old ones that are still alive grows with every pass. Also lists and dicts of the
    program whose tensors hold graphs, and which grow.

    Silent: the last loss in its variable, bounded queues, losses summed inside one window of
    accumulation, `float(loss)` and `.item()`.
    """

    id = "graph-leak"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._roots: dict[Position, list[Any]] = {}
        self._most: dict[Position, int] = {}
        self._found: dict[Position, Finding] = {}
        self._sizes: dict[str, list[int]] = {}  # of containers of tensors with graphs

    def pass_begins(self, this: Pass) -> None:
        position = this.site.position
        if position in self._found:
            return
        self._look_around(this)
        roots = self._roots.setdefault(position, [])
        node = this.nodes[-1].node if this.nodes else None
        alive = [r for r in roots[:-RECENT] if r() is not None]
        roots[:] = [*alive, *roots[-RECENT:]]
        if node is not None and not any(r() is node for r in roots):
            roots.append(ref(node))
        if len(alive) >= GROWS and len(alive) >= this.in_site - RECENT - 2:
            self._found[position] = self._tell(this, alive)

    def _look_around(self, this: Pass) -> None:
        """Graphs that no loss ever used: containers of tensors with graphs that grow and grow."""
        if this.in_site not in SCANNED or self._found:
            return
        now = {name: hit for name, hit in containers(this.frame).items() if hit[0] >= GROWS}
        grown = [n for n, hit in now.items() if n in self._sizes and hit[0] > self._sizes[n][-1]]
        for name in grown:
            sizes = self._sizes[name]
            if len(sizes) >= 2 and this.in_site == SCANNED[-1]:
                self._found[this.site.position] = self._tell_of(name, now[name], sizes, this)
                return
        self._sizes = {n: [*self._sizes.get(n, []), hit[0]] for n, hit in now.items()}

    def _tell_of(self, name: str, hit: Any, sizes: list[int], this: Pass) -> Finding:
        count, frame, tensor = hit
        node = getattr(tensor._node, "node", tensor._node)
        return Finding(
            self.id,
            WARNING,
            _appended(frame, name) or of_node(node),
            f"`{name}` keeps the graph of every tensor in it alive: memory grows with every step",
            [f"it held {sizes[0]} tensors with graphs, {count} some passes later"],
            "put x.detach() into it",
            about=frozenset({("site", this.site.position)}),
        )

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
    elif isinstance(value, deque):
        inner = list(value)[-64:]
    elif own := attributes(value):
        inner = list(own.values())
    else:
        return None
    hits = 0
    for entry in inner:
        if isinstance(entry, TensorBase):
            node = getattr(entry._node, "node", entry._node)
            hits += node is not None and _reaches(node, nodes)
            if hits >= 3 or (node is not None and _reaches_many(node, nodes)):
                return entry
        else:
            found = _holds(entry, nodes, depth - 1)
            if found is not None:
                return found
    return None


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object of the program; nothing is computed or imported for them."""
    if isinstance(value, type | ModuleType | FunctionType):
        return {}
    for kind in type(value).__mro__:
        if "__dict__" in vars(kind):
            plain = isinstance(vars(kind)["__dict__"], GetSetDescriptorType)
            return vars(value) if plain else {}
    return {}


def containers(frame: FrameType | None) -> dict[str, tuple[int, FrameType, Any]]:
    """Containers of the program by the variable that leads to them: how many tensors with graphs
    each holds, where the variable lives, and one of the tensors."""
    found: dict[str, tuple[int, FrameType, Any]] = {}
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            for variables in (frame.f_locals, frame.f_globals):
                for name, value in list(variables.items()):
                    if name not in found and not name.startswith("__"):
                        held = _graphs_in(value, 3)
                        if held:
                            found[name] = (len(held), frame, held[-1])
        frame = frame.f_back
    return found


def _graphs_in(value: Any, depth: int) -> list[Any]:
    """The tensors with graphs in the lists and dicts of a value."""
    if isinstance(value, TensorBase):
        return [value] if value._rg and value._node is not None else []
    if depth == 0 or isinstance(value, str | bytes | type):
        return []
    if isinstance(value, dict):
        inner: Any = list(value.values())
    elif isinstance(value, list | tuple | deque):
        if isinstance(value, deque) and value.maxlen is not None:
            return []
        inner = list(value)
    elif own := attributes(value):
        inner = list(own.values())
    else:
        return []
    if len(inner) > 4096 and not any(_graphs_in(entry, depth - 1) for entry in inner[-8:]):
        return []
    return [t for entry in inner for t in _graphs_in(entry, depth - 1)]


def _reaches(node: Any, nodes: set[int]) -> bool:
    """Whether a graph holds one of these nodes."""
    return _hits(node, nodes, 1)


def _reaches_many(node: Any, nodes: set[int]) -> bool:
    """Whether a graph holds several old losses: a running sum."""
    return _hits(node, nodes, 3)


def _hits(node: Any, nodes: set[int], wanted: int) -> bool:
    seen: set[int] = set()
    stack, hits = [node], 0
    while stack and len(seen) < 5000:
        n = stack.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        hits += id(n) in nodes
        if hits >= wanted:
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
