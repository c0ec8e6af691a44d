"""What a program did, op by op, while it ran: results, lines, and the names of what it used.

The tape alone knows the ops that gradients flow through. The recorder sees the others as well (a
mask, a batch of data) and keeps small results, which the tape forgets.
"""

from __future__ import annotations

from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np

from ..autograd import source
from ..autograd.node import Node, OutSlot
from ..autograd.value import TensorBase, make
from ..autograd.watching import Watcher
from ..nn.modules.module import Module
from ..reading import Names
from .values import attention_maps, summary

MOST_OPS = 20_000
MOST_KEPT = 4096  # entries of a result that is kept whole, for formulas with numbers
WEIGHTS_OF = {"softmax": 0, "attention": 2}  # which output of an op is a table of weights

Reference = tuple[str, int, int]  # ("op" | "node" | "leaf", number or key, output)


class Recorded:
    """One op that ran."""

    __slots__ = ("code", "inputs", "key", "lasti", "maps", "name", "number", "seconds", "values")

    def __init__(self, number: int, name: str, position: tuple[Any, int]) -> None:
        self.number = number
        self.name = name
        self.code, self.lasti = position
        self.inputs: list[tuple[int, Reference | None, Any]] = []  # position, tensor or constant
        self.key: int | None = None  # of the tape's node, where gradients flow through it
        self.values: list[dict[str, Any]] = []  # per output
        self.maps: dict[str, Any] | None = None  # attention weights
        self.seconds = 0.0


class Recorder(Watcher):
    """Watches a run; enter it with `autograd.watching.watching`."""

    def __init__(self) -> None:
        self.names = Names()
        self.clear()

    def clear(self) -> None:
        """Forget the ops, not the names."""
        self.ops: list[Recorded] = []
        self.leaves: dict[int, Any] = {}  # id -> tensor that was there before
        self.dropped = 0
        self._made: dict[int, Reference] = {}  # id of a tensor -> the op that made it
        self._keep: list[Any] = []  # ids stay valid
        self._values: dict[tuple[int, int], Any] = {}
        self._began: list[float] = []

    def op_begins(
        self, op: Any, args: tuple[Any, ...], params: dict[str, Any], written: str = ""
    ) -> None:
        self._began.append(perf_counter())

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        seconds = perf_counter() - self._began.pop() if self._began else 0.0
        if result is None:
            return
        if len(self.ops) >= MOST_OPS:
            self.dropped += 1
            return
        name = getattr(op, "name", None) or getattr(op, "__name__", "function")
        made = Recorded(len(self.ops), name, source.user_position())
        frame = source.user_frame()
        for position, arg in enumerate(args):
            if isinstance(arg, TensorBase):
                made.inputs.append((position, self._reference(arg, frame), None))
            elif isinstance(arg, int | float | complex | np.ndarray):
                made.inputs.append((position, None, arg))
        results = result if isinstance(result, tuple | list) else (result,)
        made.seconds = seconds
        if name in WEIGHTS_OF and len(results) > WEIGHTS_OF[name]:
            made.maps = attention_maps(results[WEIGHTS_OF[name]], name == "attention")
        for nr, t in enumerate(results):
            self._note(made, nr, t)
        self.ops.append(made)

    def _note(self, made: Recorded, nr: int, t: Any) -> None:
        if not isinstance(t, TensorBase) or not isinstance(t._a, np.ndarray):
            made.values.append({})
            return
        made.values.append(summary(t._a))
        self._made[id(t)] = ("op", made.number, nr)
        self._keep.append(t)
        node = t._node
        if node is None:
            return
        key, out = (node.node.key, node.nr) if node.__class__ is OutSlot else (node.key, 0)
        made.key = key
        if t._a.size <= MOST_KEPT:  # a copy: what is written into later is shown as it was
            self._values[key, out] = make(np.array(t._a))

    def _reference(self, t: Any, frame: FrameType | None) -> Reference:
        known = self._made.get(id(t))
        node = t._node
        if node is None and (
            known is None or t._rg
        ):  # a parameter may be filled before it is named
            self._find_name(t, frame)
        if known is not None:
            return known
        if node.__class__ is OutSlot:
            return ("node", node.node.key, node.nr)  # pyright: ignore[reportOptionalMemberAccess]
        if isinstance(node, Node):
            return ("node", node.key, 0)
        self.leaves[id(t)] = t
        return ("leaf", id(t), 0)

    def _find_name(self, t: Any, frame: FrameType | None) -> None:
        """What the running program calls a tensor: a variable, or a module's parameter."""
        if self.names.of_tensor(t):
            return
        frames = []
        while frame is not None and len(frames) < 20:
            if not source.is_library(frame.f_code.co_filename):
                frames.append(frame)
            frame = frame.f_back
        for f in frames:
            for name, value in list(f.f_locals.items()):
                if value is t and not name.startswith("__"):
                    self.names.add(name, t)
                    return
        for f in reversed(frames):  # the outermost name of a module says most: model.fc.weight
            for name, value in list(f.f_locals.items()):
                if isinstance(value, Module) and _has(value, t):
                    self.names.add_module(name, value)
                    return

    def hold_values(self) -> None:
        """Let reports of the tape find the results that were kept."""
        for (key, nr), t in self._values.items():
            self.names.hold(key, nr, t)


def _has(module: Module, t: Any) -> bool:
    return any(own is t for own in (*module.parameters(), *module.buffers()))


__all__ = ["Recorded", "Recorder", "Reference"]
