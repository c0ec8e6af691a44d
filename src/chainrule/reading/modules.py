"""Which module recorded a node: by watching its calls, or afterwards from the parameters it used.

    with track_modules(model) as calls:
        loss = criterion(model(x), y)
    calls.path_of(loss.grad_fn)

While the block runs, global module hooks note the sequence numbers at which each call began and
ended. Outside of it nothing is noted and nothing costs anything. A graph that was recorded without
it is read by `infer`: a node belongs to the module whose parameters it used; one without parameters
to the module whose `forward` recorded it, else to the common parent of its neighbours.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from ..autograd.node import next_key
from ..nn.modules.module import (
    Module,
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from .nodes import Tape, Vertex


@dataclass(slots=True)
class Call:
    """One call of a module: nodes with sequence numbers in [first, last) were recorded in it."""

    path: str  # "" for the tracked model itself
    module: Any
    number: int  # which call of this module it was, from 0
    depth: int
    first: int
    last: int  # -1 while it runs (or if it raised)


class track_modules:
    """Note which nodes belong to which module call while the block runs.

    Threads that record at the same time are not told apart: track one at a time.

    >>> import chainrule as torch
    >>> from chainrule.reading import track_modules
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    >>> with track_modules(model) as calls:
    ...     y = model(torch.ones(1, 2))
    >>> calls.path_of(y.grad_fn)
    '1'
    """

    def __init__(self, *models: Any, **named: Any) -> None:
        for m in (*models, *named.values()):
            if not isinstance(m, Module):
                raise TypeError(f"track_modules takes modules, got {type(m).__name__}")
        self.calls: list[Call] = []
        self._paths: dict[int, str] = {}
        self._keep = (models, named)  # ids stay valid
        for position, m in enumerate(models):
            prefix = "" if len(models) == 1 and not named else f"model{position}"
            self._name(prefix, m)
        for name, m in named.items():
            self._name(name, m)
        self._counts: dict[int, int] = {}
        self._open: list[Call] = []
        self._handles: list[Any] = []
        self._starts: list[int] | None = None

    def _name(self, prefix: str, model: Any) -> None:
        for path, module in model.named_modules():
            whole = ".".join(p for p in (prefix, path) if p)
            self._paths.setdefault(id(module), whole)

    def __enter__(self) -> track_modules:
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *exc: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        while self._open:
            self._open.pop().last = _now()

    def _enter(self, module: Any, args: Any) -> None:
        path = self._paths.get(id(module))
        if path is None:
            path = f"({type(module).__name__})"  # a module made on the way
        number = self._counts.get(id(module), 0)
        self._counts[id(module)] = number + 1
        call = Call(path, module, number, len(self._open), _now(), -1)
        self._open.append(call)
        self.calls.append(call)

    def _leave(self, module: Any, args: Any, result: Any) -> None:
        while self._open:  # a call that raised did not say that it ended
            call = self._open.pop()
            call.last = _now()
            if call.module is module:
                break

    def call_of(self, node: Any) -> Call | None:
        """The innermost call that recorded a node, or None."""
        if self._starts is None or len(self._starts) != len(self.calls):
            self._starts = [c.first for c in self.calls]
        at = -node.key - 1
        k = bisect_right(self._starts, at) - 1
        while k >= 0:  # calls are nested, so the first that still runs at this number is innermost
            call = self.calls[k]
            if call.last < 0 or at < call.last:
                return call
            if call.depth == 0:
                return None
            k -= 1
        return None

    def path_of(self, node: Any) -> str:
        """The path of the innermost module whose call recorded a node; '' outside of all."""
        call = self.call_of(node)
        return "" if call is None else call.path

    def assign(self, tape: Tape) -> None:
        """Write the module paths into a tape's vertices."""
        for v in tape.order:
            if v.node is not None:
                v.module = self.path_of(v.node)


def _now() -> int:
    """The current sequence number: everything recorded from here on has a larger one."""
    return -next_key() - 1


def assign(tape: Tape, calls: track_modules | None = None) -> bool:
    """Write module paths into a tape: as tracked, or inferred from the modules in its names.

    Returns whether anything is known.
    """
    if calls is not None:
        calls.assign(tape)
        return True
    return infer(tape, dict(tape.names.modules))


def infer(tape: Tape, modules: dict[str, Any]) -> bool:
    """Module paths of a graph that was recorded without `track_modules`, by its parameters."""
    owners, classes = _owners(modules)
    if not owners:
        return False
    nodes = [v for v in reversed(tape.order) if v.node is not None]  # as recorded
    known = [_owner_of(v, owners) for v in nodes]
    if not any(k is not None for k in known):
        return False
    after = _next_known(known)
    before: str | None = None
    for v, own, following in zip(nodes, known, after, strict=True):
        if own is not None:
            v.module = before = own
        else:
            v.module = _between(v, before, following, classes)
    return True


def _owners(modules: dict[str, Any]) -> tuple[dict[int, str], dict[str, Any]]:
    """(parameter -> path of its module, path -> module)."""
    owners: dict[int, str] = {}
    by_path: dict[str, Any] = {}
    for name, model in modules.items():
        for path, module in model.named_modules():
            whole = ".".join(p for p in (name if len(modules) > 1 else "", path) if p)
            by_path.setdefault(whole, module)
            for parameter in module.parameters(recurse=False):
                owners.setdefault(id(parameter), whole)
    return owners, by_path


def _owner_of(v: Vertex, owners: dict[int, str]) -> str | None:
    for link in v.inputs:
        if link.parent.leaf is not None:
            found = owners.get(id(link.parent.leaf))
            if found is not None:
                return found
    return None


def _next_known(known: list[str | None]) -> list[str | None]:
    after: list[str | None] = [None] * len(known)
    upcoming: str | None = None
    for k in range(len(known) - 1, -1, -1):
        after[k] = upcoming
        if known[k] is not None:
            upcoming = known[k]
    return after


def _between(v: Vertex, before: str | None, after: str | None, modules: dict[str, Any]) -> str:
    """The module of a node without parameters: whose forward recorded it, or the common parent."""
    for path in (before, after):
        for ancestor in _ancestors(path):
            module = modules.get(ancestor)
            forward = getattr(type(module), "forward", None)
            if getattr(forward, "__code__", None) is v.node.code:
                return ancestor
    if before is None or after is None:
        return ""
    shared = []
    for a, b in zip(before.split("."), after.split("."), strict=False):
        if a != b:
            break
        shared.append(a)
    return ".".join(shared)


def _ancestors(path: str | None) -> list[str]:
    """'a.b.c' -> ['a.b.c', 'a.b', 'a', '']; the model itself is ''."""
    if path is None:
        return []
    parts = path.split(".") if path else []
    return [".".join(parts[:k]) for k in range(len(parts), -1, -1)]


__all__ = ["Call", "assign", "infer", "track_modules"]
