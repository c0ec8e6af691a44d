"""Which variables of a program hold graphs, and the lines that put them there."""

from __future__ import annotations

import ast
import linecache
import re
from collections import deque
from types import FrameType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any

from ...autograd.value import TensorBase
from ..positions import LinePosition, Position, is_users, of_node

PUTS = ("append", "add", "extend", "appendleft", "insert", "setdefault", "update")


def find_holder(frame: FrameType | None, nodes: set[int]) -> tuple[Position, str] | None:
    """The line and the variable of the user's program that hold old graphs."""
    while frame is not None:
        for variables in (frame.f_locals, frame.f_globals):
            for name, value in list(variables.items()):
                found = _holds(value, nodes, 4)
                if found is None:
                    continue
                if isinstance(found, TensorBase):
                    node = getattr(found._node, "node", found._node)
                    if not isinstance(value, TensorBase):
                        at = appended(frame, name, found)
                        return (at or of_node(node)), name
                    return of_node(node), name
        frame = frame.f_back
    return None


def _holds(value: Any, nodes: set[int], depth: int) -> Any:
    """The tensor through which a value holds old graphs; a fresh loss alone is none."""
    if isinstance(value, TensorBase):
        node = getattr(value._node, "node", value._node)
        return value if node is not None and _reaches_many(node, nodes) else None
    held = _graphs_in(value, depth, bounded=True)[-64:]
    behind = [(t, getattr(t._node, "node", t._node)) for t in held]
    many = next((t for t, node in behind if _reaches_many(node, nodes)), None)
    hits = [t for t, node in behind if _reaches(node, nodes)]
    return many if many is not None else hits[-1] if len(hits) >= 3 else None


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object of the program; nothing is computed or imported for them."""
    if isinstance(value, type | ModuleType | FunctionType):
        return {}
    for kind in type(value).__mro__:
        if "__dict__" in vars(kind):
            plain = isinstance(vars(kind)["__dict__"], GetSetDescriptorType)
            return vars(value) if plain else {}
    return {}


def containers(frame: FrameType | None) -> dict[str, tuple[int, FrameType, Any, Any]]:
    """Containers of the program by the variable that leads to them: how many tensors with graphs
    each holds, where the variable lives, the last and the first of the tensors."""
    found: dict[str, tuple[int, FrameType, Any, Any]] = {}
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            for variables in (frame.f_locals, frame.f_globals):
                for name, value in list(variables.items()):
                    if name not in found and not name.startswith("__"):
                        held = _graphs_in(value, 3)
                        if held:
                            found[name] = (len(held), frame, held[-1], held[0])
        frame = frame.f_back
    return found


def _graphs_in(value: Any, depth: int, bounded: bool = False) -> list[Any]:
    """The tensors with graphs in the lists and dicts of a value; also in bounded queues?"""
    if isinstance(value, TensorBase):
        return [value] if value._rg and value._node is not None else []
    if depth == 0 or isinstance(value, str | bytes | type):
        return []
    if isinstance(value, dict):
        inner: Any = list(value.values())
    elif isinstance(value, list | tuple | set | deque):
        if isinstance(value, deque) and value.maxlen is not None and not bounded:
            return []
        inner = list(value)
    elif own := attributes(value):
        inner = list(own.values())
    else:
        return []
    if len(inner) > 4096 and not any(_graphs_in(entry, depth - 1, bounded) for entry in inner[-8:]):
        return []
    return [t for entry in inner for t in _graphs_in(entry, depth - 1, bounded)]


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


def appended(frame: FrameType, name: str, tensor: Any) -> Position | None:
    """The line that puts something into a container: into a variable of this name, or into the
    attribute of an object through which it holds the tensor."""
    value = frame.f_locals.get(name, frame.f_globals.get(name))
    attribute, owner = _attribute_with(value, tensor, 3)
    if not attribute and attributes(value):
        return None  # no container: an attribute is the tensor itself, as with running sums
    key = _key_of(vars(owner)[attribute] if attribute else value, tensor)
    methods = vars(type(owner)).values() if attribute else ()
    codes = [m.__code__ for m in methods if isinstance(m, FunctionType)]
    for file in dict.fromkeys([*(code.co_filename for code in codes), frame.f_code.co_filename]):
        found = _putting(file, name, attribute, key)
        if found is not None:
            return found
    return None


def _attribute_with(value: Any, tensor: Any, depth: int) -> tuple[str, Any]:
    """The attribute whose container holds a tensor, and the object that it belongs to."""
    if isinstance(value, list | tuple | dict) and depth > 1:  # objects, not tensors
        inside = list(value.values() if isinstance(value, dict) else value)[:64]
        for inner in inside:
            if (found := _attribute_with(inner, tensor, depth - 1))[0]:
                return found
        return "", None
    for name, inner in list(attributes(value).items()):
        if isinstance(inner, list | tuple | dict | set | deque):
            if any(t is tensor for t in _graphs_in(inner, 3)):
                return name, value
        elif depth > 1 and not isinstance(inner, TensorBase):
            found = _attribute_with(inner, tensor, depth - 1)
            if found[0]:
                return found
    return "", None


def _key_of(value: Any, tensor: Any) -> Any:
    """The key of a dict under which a tensor is kept; None where that says nothing."""
    if not isinstance(value, dict):
        return None
    return next((k for k, v in value.items() if any(t is tensor for t in _graphs_in(v, 3))), None)


def _putting(file: str, name: str, attribute: str, key: Any) -> Position | None:
    """The statement of a file that puts something into a variable or an attribute: under this key,
    and rather one that keeps graphs than one that takes values out of them."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None

    def is_meant(target: ast.AST) -> bool:
        if any(k != key for k in _keys_in(target) if key is not None):
            return False
        return _has_attribute(target, attribute) if attribute else _root_name(target) == name

    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    sets = [node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AugAssign)]
    found = [node.lineno for node in calls if any(map(is_meant, _puts_in(node)))]
    found += [node.lineno for node in sets if any(map(is_meant, _targets_of(node)))]
    rather = [line for line in found if not _DETACHES.search(linecache.getline(file, line))]
    return LinePosition(file, (rather or found)[0]) if found else None


_DETACHES = re.compile(r"\.item\(|\.detach\(|\.tolist\(|\.numpy\(|\.data\b|\bfloat\(")


def _puts_in(call: Any) -> list[ast.AST]:
    method = call.func
    return [method.value] if isinstance(method, ast.Attribute) and method.attr in PUTS else []


def _targets_of(node: Any) -> list[ast.AST]:
    """What an assignment changes: `x[k] = ...`, `x += ...`."""
    if isinstance(node, ast.AugAssign):
        return [node.target]
    return [t for t in node.targets if isinstance(t, ast.Subscript)]


def _keys_in(node: ast.AST) -> list[Any]:
    """The constants that a target is indexed with."""
    found = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            found.append(node.slice.value)
        node = node.value
    return found


def _has_attribute(node: ast.AST, name: str) -> bool:
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr == name:
            return True
        node = node.value
    return False


def _root_name(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


__all__ = ["appended", "attributes", "containers", "find_holder"]
