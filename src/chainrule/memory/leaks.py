"""`memory.leaks()`: which of the user's containers keep finished graphs alive, and on which line.

The search starts at the user's variables (frames above the call and their modules) and follows
containers, attributes and closures, so what it finds has a name.
"""

from __future__ import annotations

import ast
import linecache
import types
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..autograd import source
from ..autograd.accidents import explain_module
from ..autograd.node import Node, OutSlot
from ..autograd.value import TensorBase
from ..ops.allocation import in_units
from ..reading.source import UNKNOWN, Place, node_place
from ..reading.terminal import Block, Report, Text
from ..utils.checkpoint_measure import memory_root
from .storages import PARAMETER, held_arrays

MOST_OBJECTS = 1_000_000  # looked at; a program with more is not searched to the end
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_OPAQUE = (type, types.ModuleType, str, bytes, int, float, complex, type(None), types.CodeType)


@dataclass(frozen=True, slots=True)
class Scope:
    """The lines among which a variable is the user's."""

    file: str
    first: int = 0
    last: int = 1 << 30

    @classmethod
    def of(cls, code: types.CodeType) -> Scope:
        """Those of a function; of a whole file at its top."""
        if code.co_name == "<module>":
            return cls(code.co_filename)
        lines = [line for _, _, line in code.co_lines() if line]
        return cls(code.co_filename, code.co_firstlineno, max(lines, default=1 << 30))


@dataclass(slots=True)
class Leak:
    """Something of the user's that keeps graphs."""

    name: str  # how the user reaches it: "history", "self.losses"
    kind: str  # "list", "dict", "variable"
    graphs: int
    nodes: int
    bytes: int  # of activations that are still kept; 0 where backward freed them
    made: Place  # where its tensors were recorded
    file: str
    line: int  # where the container is filled or made; 0 where not found
    text: str

    def __str__(self) -> str:
        what = f"{self.kind} `{self.name}`" if self.kind != "variable" else f"`{self.name}`"
        where = f" on line {self.line}" if self.line else ""
        held = f" and {in_units(self.bytes)} of activations" if self.bytes else ""
        lines = [
            f"this {what}{where} keeps {self.graphs} graphs alive: {self.nodes} nodes{held}",
        ]
        if self.text:
            lines.append(f"    {self.text}")
        if self.made.line:
            lines.append(f"  the graphs were recorded at {self.made.label}")
        fix = (
            "keep numbers instead: loss.item(), or loss.detach()"
            if self.kind != "variable"
            else "add numbers instead: total += loss.item()"
        )
        lines.append(f"  Fix: {fix}.")
        return "\n".join(lines)


class Leaks(Report):
    """What `leaks` found, the largest number of graphs first."""

    def __init__(self, found: list[Leak], complete: bool) -> None:
        self.found = sorted(found, key=lambda leak: -leak.graphs)
        self.complete = complete

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Leak]:
        return iter(self.found)

    def __getitem__(self, k: int) -> Leak:
        return self.found[k]

    def blocks(self) -> list[Block]:
        lines = [str(leak) for leak in self.found]
        if not self.found:
            lines = ["no variable or container keeps several graphs alive"]
        if not self.complete:
            lines.append(f"the search ended after {MOST_OBJECTS:,} objects")
        return [Text(lines)]


def leaks(at_least: int = 2) -> Leaks:
    """Name the user's containers and variables that keep `at_least` graphs alive.

    A list of losses keeps the graph of every step, and a running total keeps a chain of them: the
    memory of a training loop then grows with each step.

    >>> import chainrule as torch
    >>> from chainrule import memory
    >>> w = torch.ones(3, requires_grad=True)
    >>> history = []
    >>> for step in range(40):
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     history.append(loss)
    >>> (leak,) = memory.leaks()
    >>> leak.name, leak.graphs
    ('history', 40)
    """
    search = _Search(at_least)
    frame = source.user_frame()
    spaces: list[dict[str, Any]] = []
    while frame is not None:
        if not source.is_library(frame.f_code.co_filename):
            search.variables(frame.f_locals, Scope.of(frame.f_code))
            if frame.f_globals not in spaces:
                spaces.append(frame.f_globals)
        frame = frame.f_back
    for space in spaces:
        search.variables(space, Scope(str(space.get("__file__", ""))))
    search.run()
    return Leaks(search.found, search.complete)


class _Search:
    def __init__(self, at_least: int) -> None:
        self.at_least = at_least
        self.found: list[Leak] = []
        self.complete = True
        self.seen: set[int] = set()
        self.keep: list[Any] = []  # so that no id is used twice
        self.queue: deque[tuple[str, Any, Scope]] = deque()  # (name, object, where it is known)

    def variables(self, space: dict[str, Any], scope: Scope) -> None:
        for name, value in list(space.items()):
            if not name.startswith("__"):
                self.queue.append((name, value, scope))

    def run(self) -> None:
        count = 0
        while self.queue:
            name, value, scope = self.queue.popleft()
            if isinstance(value, _OPAQUE) or id(value) in self.seen:
                continue
            self.seen.add(id(value))
            self.keep.append(value)
            count += 1
            if count > MOST_OBJECTS:
                self.complete = False
                return
            if isinstance(value, TensorBase):
                self.tensor(name, value, scope)
            elif isinstance(value, _CONTAINERS):
                self.container(name, value, scope)
            else:
                self.attributes(name, value, scope)

    def container(self, name: str, value: Any, scope: Scope) -> None:
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        nodes = [n for _, x in items if (n := _node_of(x)) is not None]
        graphs = _graphs(nodes) if len(nodes) >= self.at_least else 0
        if graphs >= self.at_least:
            self.report(name, type(value).__name__, nodes, scope, graphs)
            self.seen.update(id(x) for _, x in items)
            self.keep.append([x for _, x in items])
        for key, x in items:
            if isinstance(x, _OPAQUE):
                continue
            shown = f"{name}[{key!r}]" if isinstance(key, str | int) else f"{name}[...]"
            self.queue.append((shown, x, scope))

    def attributes(self, name: str, value: Any, scope: Scope) -> None:
        if isinstance(value, types.FunctionType):
            if source.is_library(value.__code__.co_filename):
                return
            names = value.__code__.co_freevars
            for inner, cell in zip(names, value.__closure__ or (), strict=False):
                try:
                    self.queue.append(
                        (inner, cell.cell_contents, Scope(value.__code__.co_filename))
                    )
                except ValueError:  # not filled yet
                    continue
            return
        if isinstance(value, types.MethodType):
            self.queue.append((f"{name}.__self__", value.__self__, scope))
            return
        for key, x in list(getattr(value, "__dict__", {}).items()):
            self.queue.append((f"{name}.{key}", x, scope))

    def tensor(self, name: str, value: Any, scope: Scope) -> None:
        """A running total: steps of it were recorded at one line, and backward ran through some."""
        node = _node_of(value)
        if node is None:
            return
        chain: list[Any] = []
        here: Any = node
        while isinstance(here, Node) and here.name() in ("AddBackward0", "SubBackward0"):
            chain.append(here)
            same = [
                p for p in map(_plain, here.parents)
                if isinstance(p, Node) and (p.code, p.lasti) == (here.code, here.lasti)
            ]  # fmt: skip
            here = same[0] if same else None
        if len(chain) >= self.at_least:
            self.report(name, "variable", [node], scope, len(chain))

    def report(self, name: str, kind: str, nodes: list[Any], scope: Scope, graphs: int) -> None:
        every = _reachable(nodes)
        roots = {}
        for n in every:
            for _, array, what in held_arrays(n):
                if what != PARAMETER:
                    root = memory_root(array)
                    roots[id(root)] = root.nbytes
        made = node_place(nodes[-1]) if nodes else UNKNOWN
        file = scope.file
        line, text = _filled(scope, name)
        if kind == "variable":  # the line that added to it is the one that recorded it
            file, line, text = made.file, made.line, made.text
        self.found.append(
            Leak(name, kind, graphs, len(every), sum(roots.values()), made, file, line, text)
        )


def _plain(parent: Any) -> Any:
    return parent.node if parent.__class__ is OutSlot else parent


def _node_of(value: Any) -> Any:
    if not isinstance(value, TensorBase):
        return None
    node = _plain(value._node)
    return node if isinstance(node, Node) and node.parents else None


def _reachable(nodes: list[Any]) -> list[Any]:
    seen: dict[int, Any] = {}
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.key in seen:
            continue
        seen[node.key] = node
        stack += [p for p in map(_plain, node.parents) if isinstance(p, Node)]
    return list(seen.values())


def _graphs(nodes: list[Any]) -> int:
    """How many graphs: a node behind another one belongs to its graph."""
    behind: set[int] = set()
    count = 0
    for node in sorted({n.key: n for n in nodes}.values(), key=lambda n: n.key):  # latest first
        if node.key in behind:
            continue
        count += 1
        stack = [node]
        while stack:
            for p in map(_plain, stack.pop().parents):
                if isinstance(p, Node) and p.key not in behind:
                    behind.add(p.key)
                    stack.append(p)
    return count


def _filled(scope: Scope, name: str) -> tuple[int, str]:
    """The line that fills a container (`name.append(...)`, `name[k] = ...`), or else makes it."""
    text = "".join(linecache.getlines(scope.file))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return 0, ""
    last = name.rpartition(".")[2].partition("[")[0]
    within = "." in name
    ranks: list[tuple[int, int]] = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        rank = _filling(node, last)
        if rank and (within or scope.first <= line <= scope.last):
            ranks.append((rank, line))
    if not ranks:
        return 0, ""
    _, line = min(ranks)
    return line, linecache.getline(scope.file, line).strip()


def _filling(node: Any, name: str) -> int:
    """How surely a statement is what fills a container: 1 adds to it, 2 an entry, 3 makes it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return int(node.func.attr in _FILLERS and _ends_in(node.func.value, name))
    if isinstance(node, ast.AugAssign):
        return int(_ends_in(node.target, name))
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and _ends_in(target.value, name):
                return 2
            if _ends_in(target, name):
                return 3
    return 0


_FILLERS = ("append", "appendleft", "extend", "add", "insert", "setdefault", "update")


def _ends_in(node: Any, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name
    return isinstance(node, ast.Attribute) and node.attr == name


explain_module(globals())
