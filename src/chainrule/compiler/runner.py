"""Runs a captured program in place of the function: guards, inputs, effects, results."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..autograd.value import make
from .capture import Fixed, Output, Program, Same
from .plan import Plan
from .tracer import CaptureError


class Runner:
    """Runs a program's plan: reads inputs from the user's objects, applies the effects."""

    def __init__(self, program: Program) -> None:
        self.plan = Plan(program.graph)
        self.result = program.result
        self.cleared = program.cleared
        self.broken = ""
        self._guards(program)
        self._check_overlap(program)
        sources = program.sources
        self._gather = self._write_gather(program)
        self.grads = [(i, s.what) for i, s in enumerate(sources) if s.kind == "grad"]
        self.new_grads = [[i, s.what, None] for i, s in enumerate(sources) if s.kind == "new grad"]
        numbers = [(i, s.what) for i, s in enumerate(sources) if s.kind == "number"]
        self.number_places = [i for i, _ in numbers]
        self.read_numbers = program.second.scan.reader([path for _, path in numbers])
        written = [sources[k] for _, k in program.graph.writes]
        self.versions = [s.what._v for s in written if s.kind == "tensor"]
        self.written_grads = [s.what for s in written if s.kind == "grad"]
        self.touched_arguments = [s.what for s in written if s.kind == "argument"]
        self.single = isinstance(self.result, Output)

    # ---- guards ----------------------------------------------------------------------------------

    def _guards(self, program: Program) -> None:
        """Paths to tensors must lead to the same tensors, other values must be unchanged."""
        scan = program.second.scan
        used = {id(s.what) for s in program.sources if s.kind in ("tensor", "grad", "new grad")}
        self._tensor_paths = [(path, t) for path, t in scan.tensors.values() if id(t) in used]
        self._value_paths = [
            (path, v)
            for path, v in scan.values.items()
            if path not in program.numbers and path not in program.varying and v == v
        ]
        self._check = scan.checker(self._tensor_paths, self._value_paths)
        self._scan = scan

    def holds(self) -> bool:
        """Whether everything the program assumed is still so."""
        try:
            if not self._check():
                self.broken = self._find_broken()
                return False
        except (KeyError, IndexError, AttributeError, TypeError, ValueError):
            self.broken = "something the function used is gone"
            return False
        for _, tensor in self.grads:
            if tensor._grad is None:
                self.broken = "a gradient that was added to is None now"
                return False
        return True

    def _find_broken(self) -> str:
        """Which guard failed, in words."""
        for path, tensor in self._tensor_paths:
            if self._scan.reader([path])()[0] is not tensor:
                return f"{self._scan.describe(path)} is another tensor now"
        for path, value in self._value_paths:
            now = self._scan.reader([path])()[0]
            if now != value:
                return f"{self._scan.describe(path)}: {value!r} -> {now!r}"
        return "nothing any more"

    def _check_overlap(self, program: Program) -> None:
        """Plans assume that a written input shares memory with no other input."""
        arrays = [
            s.what._grad._a if s.kind == "grad" else s.what._a if s.kind == "tensor" else None
            for s in program.sources
        ]
        for _, k in program.graph.writes:
            for j, other in enumerate(arrays):
                mine = arrays[k]
                if j != k and mine is not None and other is not None:
                    if np.may_share_memory(mine, other):
                        raise CaptureError("two tensors that the function uses share memory")

    # ---- running ---------------------------------------------------------------------------------

    def _write_gather(self, program: Program) -> Any:
        """A function that lists the plan's inputs: straight-line code, as it runs every call."""
        space: dict[str, Any] = {}
        items = []
        for i, s in enumerate(program.sources):
            space[f"t{i}"] = s.what
            items.append(
                {
                    "argument": f"leaves[{s.what}]._a" if s.kind == "argument" else "",
                    "tensor": f"t{i}._a",
                    "grad": f"t{i}._grad._a",
                    "number": "None",
                    "new grad": "None",
                }[s.kind]
            )
        code = f"def gather(leaves):\n    return [{', '.join(items)}]"
        exec(compile(code, "<chainrule gather>", "exec"), space)
        return space["gather"]

    def run(self, leaves: list[Any]) -> Any:
        """One call: gather, compute, apply."""
        arrays = self._gather(leaves)
        if self.number_places:
            for place, value in zip(self.number_places, self.read_numbers(), strict=True):
                arrays[place] = value
        for slot in self.new_grads:
            arrays[slot[0]] = self._grad_buffer(slot)
        outputs = self.plan.run(arrays)
        for version in self.versions:
            version[0] += 1
        for tensor in self.written_grads:
            tensor._grad._v[0] += 1
        for k in self.touched_arguments:
            leaves[k]._v[0] += 1
        for _, tensor, buffer in self.new_grads:
            tensor._grad = buffer
        for tensor in self.cleared:
            tensor._grad = None
        if self.single:
            return make(outputs[0])
        return self._build(self.result, outputs, leaves)

    def _grad_buffer(self, slot: list[Any]) -> np.ndarray:
        """The gradient tensor of the last call if nobody else holds it, else a new one."""
        _, leaf, tensor = slot
        if tensor is not None:
            # Held by the slot, this variable and the call's argument; by the leaf if still there.
            free = 3 + (leaf._grad is tensor)
            array = tensor._a
            if sys.getrefcount(tensor) == free and sys.getrefcount(array) == 3:
                return array
        array = np.empty(leaf._a.shape, leaf._a.dtype)
        slot[2] = make(array)
        return array

    def _build(self, shape: Any, outputs: list[Any], leaves: list[Any]) -> Any:
        if isinstance(shape, Output):
            return make(outputs[shape.position])
        if isinstance(shape, Fixed):
            return shape.value
        if isinstance(shape, Same):
            return shape.tensor if shape.argument is None else leaves[shape.argument]
        if isinstance(shape, dict):
            return {k: self._build(v, outputs, leaves) for k, v in shape.items()}
        items = [self._build(s, outputs, leaves) for s in shape]
        return type(shape)(*items) if hasattr(shape, "_fields") else type(shape)(items)
