"""Calls of modules in the first passes: which module recorded a node, and what ran without a graph.

The line that a node remembers is the user's innermost one. Inside `nn.Sequential` that is the call
of the whole model, and the line that made the layer says more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..autograd.node import next_key
from ..autograd.state import STATE
from ..autograd.value import TensorBase
from ..reading.nodes import Vertex
from .positions import NOWHERE, Position, here, is_users, of_node
from .run import Pass, Run

HEARD = 8  # passes in which calls are heard, and lines without gradients
HEARD_AGAIN = 4  # times that each of these is heard
MOST = 20_000  # calls that are kept between two passes


class Call:
    """One call of a module: the nodes with keys from `first` down to `last` are its own."""

    __slots__ = ("differs", "direct", "first", "given", "last", "module", "where")

    def __init__(self, module: Any, direct: bool) -> None:
        self.module = module
        self.direct = direct  # the user's own line calls it
        self.where: Position | None = None  # the line that calls a whole model
        self.given: set[int] = set()  # keys of the nodes that made what a whole model is given
        self.differs = False  # what a whole model is given differs from sample to sample
        self.first = next_key()
        self.last = 0


class Calls:
    """The calls of modules."""

    hears_all = True

    def __init__(self, run: Run) -> None:
        self.run = run
        self._open: list[Call] = []
        self._done: list[Call] = []
        self._handles: list[Any] = []
        self.recorded: set[int] = set()  # ids of modules that ran with a graph
        self.silent: dict[int, Position] = {}  # of those that ran without: what switched it off
        self._switch: Position = NOWHERE
        self._heard_again: dict[Position, int] = {}  # by line that switched recording off
        self._places: dict[tuple[Position, str], Position] = {}
        self._called_at: dict[Position, Position] = {}

    # ---- hooks, there for the first passes only ---------------------------------------------

    def listening_began(self) -> None:
        from ..nn.modules import module_hooks as hooks

        self._handles = [
            hooks.register_module_forward_pre_hook(self._begins),
            hooks.register_module_forward_hook(self._ends, always_call=True),
        ]

    def listening_ended(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles, self._open, self._done = [], [], []

    def grad_switched(self, _name: str, where: Position) -> None:
        self._switch = where
        again = self._heard_again.get(where, 0)
        if not self._handles and again < HEARD_AGAIN and len(self._heard_again) < HEARD:
            self._heard_again[where] = again + 1  # an evaluation may begin
            self.listening_began()

    def _begins(self, module: Any, args: Any) -> None:
        if len(self._done) > MOST:
            self._done.clear()
        if not self.run.knows(module):
            self.run.module_made(module, ())
        outer = not self._open
        call = Call(module, _is_direct())
        if outer:
            call.where, call.given = here(2), set(_keys(args))
            call.differs = any(_differs(arg) for arg in args)
        self._open.append(call)
        if STATE.grad_enabled:
            self.recorded.add(id(module))
        else:
            self.silent.setdefault(id(module), self._switch)
        if outer and self.run.hears("model_called"):
            self.run.tell("model_called", module, args, STATE.grad_enabled)

    def _ends(self, module: Any, _args: Any, _result: Any) -> None:
        while self._open:
            call = self._open.pop()
            if call.module is module:
                call.last = next_key()
                self._done.append(call)
                return

    def pass_ends(self, _this: Pass) -> None:
        self._done.clear()
        if self.run.passes >= HEARD and self._handles:
            self.listening_ended()

    # ---- answers -------------------------------------------------------------------------------

    def of(self, v: Vertex) -> Call | None:
        """The innermost call that recorded a node of the pass that begins."""
        inside = [c for c in self._done if c.last < v.key <= c.first]
        return min(inside, key=lambda c: c.first - c.last, default=None)

    def place(self, v: Vertex) -> Position:
        """The line of a node: the user's, or that which made the layer inside a container."""
        at = of_node(v.node)
        if not self._handles:  # no longer heard: what was found for this line before
            return self._places.get((at, v.op), at)
        found = self._places[(at, v.op)] = self._place(v)
        return found

    def called_at(self, v: Vertex) -> Position:
        """The line that calls the model which recorded a node; its own line outside of any."""
        at = of_node(v.node)
        if self._handles:
            call = self.whole(v)
            if call is not None and call.where is not None and call.where.is_users:
                self._called_at[at] = call.where
        return self._called_at.get(at, at)

    def whole(self, v: Vertex) -> Call | None:
        """The call of a whole model that recorded a node of the pass that begins."""
        inside = [c for c in self._done if c.where is not None and c.last < v.key <= c.first]
        return inside[0] if inside else None

    def _place(self, v: Vertex) -> Position:
        call = self.of(v)
        if call is not None and not call.direct and not _is_own(call.module):
            made = self.run.position_of(call.module)
            if made.is_users:
                return made
        return of_node(v.node)


def _keys(args: Any) -> Iterator[int]:
    """The keys of the nodes that made the tensors among some arguments."""
    for arg in args:
        if isinstance(arg, list | tuple):
            yield from _keys(arg)
        elif isinstance(arg, TensorBase) and arg._node is not None:
            yield getattr(arg._node, "node", arg._node).key


def _differs(arg: Any) -> bool:
    """Whether the first, middle and last sample of a batch are not all alike."""
    a = arg._a if isinstance(arg, TensorBase) else None
    if not isinstance(a, np.ndarray) or a.ndim < 2 or len(a) < 3:
        return False
    return bool((a[0] != a[-1]).any() or (a[0] != a[len(a) // 2]).any())


def _is_own(module: Any) -> bool:
    """Whether the forward pass of a module is the user's own code."""
    code = getattr(type(module).forward, "__code__", None)
    return code is not None and is_users(code.co_filename)


def _is_direct() -> bool:
    """Whether the user's own line calls the module that is about to run."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.endswith(_MACHINERY):
        frame = frame.f_back
    return frame is not None and is_users(frame.f_code.co_filename)


_MACHINERY = ("module.py", "module_hooks.py", "doctor/calls.py", "accidents.py")

__all__ = ["Call", "Calls"]
