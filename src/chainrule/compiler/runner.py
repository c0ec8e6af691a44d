"""Runs a captured program in place of the function: guards, inputs, effects, results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.dispatch import P
from ..autograd.value import CREATION, make
from ..ops.layout import overlaps_itself
from .capture import Alias, Computed, Fixed, GradOf, Output, Program, Same, Source, rebuilt_dict
from .guards import Guards
from .layouts import laid_out
from .plan import Plan
from .tracer import CaptureError


class Runner:
    """Runs a program's plan: reads inputs from the user's objects, applies the effects."""

    def __init__(self, program: Program) -> None:
        self.result = program.result
        self.inference = program.second.inference
        self.layouts = program.layouts
        self.broken = ""
        self.broken_path = ""
        self._check_overlap(program)
        self.guards = Guards(program)
        self.check = self.guards.holds
        self.admits = self.guards.admits
        self._computed = {
            part: self.guards.writer.reader([part.expression])
            for part in computed_parts(program.result)
        }
        self.plan = self._make_plan(program)
        self.run = self._write_run(program)

    def _make_plan(self, program: Program) -> Plan:
        return Plan(program.graph)

    def holds(self, leaves: list[Any]) -> bool:
        """Whether everything the program assumed is still so."""
        if self.check():
            if self.admits is None or self.admits(leaves):
                return True
            self.broken, self.broken_path = "the arguments decide otherwise", ""
            return False
        self.broken, self.broken_path = self.guards.broken()
        return False

    def _check_overlap(self, program: Program) -> None:
        """Plans assume that a written input shares memory with no other input."""
        leaves = program.second.leaves
        written = {k for _, k in program.graph.writes}
        ends = []
        for i, s in enumerate(program.sources):
            array = _array_of(s, leaves)
            if i in written and array is not None and overlaps_itself(array):
                raise CaptureError("a tensor that the function writes overlaps itself in memory")
            if array is not None and array.size:
                ends.append((*np.lib.array_utils.byte_bounds(array), i in written))
        ends.sort()
        reach = reach_written = 0
        for start, end, is_written in ends:
            if start < reach_written or (is_written and start < reach):
                raise CaptureError("two tensors that the function uses share memory")
            reach = max(reach, end)
            if is_written:
                reach_written = max(reach_written, end)
        arguments = {s.what: i in written for i, s in enumerate(program.sources)
                     if s.kind == "argument"}  # fmt: skip
        self.writes = bool(written)
        self.written_arguments = [i for i, is_written in arguments.items() if is_written]
        lasting = [(_array_of(s, leaves), i in written) for i, s in enumerate(program.sources)
                   if s.kind in ("tensor", "grad")]  # fmt: skip
        roots = frozenset(_root(a) for a, _ in lasting if a is not None)
        of_written = frozenset(_root(a) for a, is_written in lasting if is_written)
        self._apart = [(i, roots if is_written else of_written)
                       for i, is_written in arguments.items()]  # fmt: skip

    def separate(self, leaves: list[Any]) -> bool:
        """Whether what is written shares memory with no argument, and no argument with it."""
        for i, roots in self._apart:
            array = leaves[i]._a
            base = array.base
            if id(array if base is None else base) in roots:
                return False
        if not self.written_arguments:
            return True
        if not all(leaves[k]._a.flags.writeable for k in self.written_arguments):
            return False
        arrays = [x._a for x in leaves if hasattr(x, "_a")]
        return not any(
            other is not leaves[k]._a and np.may_share_memory(leaves[k]._a, other)
            for k in self.written_arguments
            for other in arrays
        )

    # ---- running ---------------------------------------------------------------------------------

    def _write_run(self, program: Program) -> Callable[[list[Any]], Any]:
        """One call (gather, compute, apply) as straight-line code, as it runs every time."""
        numbers = [s.what for s in program.sources if s.kind == "number"]
        space: dict[str, Any] = {
            "compute": self.plan.run,
            "finish": self._finisher(program),
            "buffer": _grad_buffer,
            "read": self.guards.writer.reader(numbers),
        }
        before, after, items = [], [], []
        if numbers:
            names = [f"n{k}" for k in range(len(numbers))]
            before.append(f"{', '.join(names)}, = read(leaves)")
        for i, s in enumerate(program.sources):
            if s.kind == "seed":
                continue
            if s.kind in ("tensor", "grad", "new grad"):
                space[f"t{i}"] = s.what
            if s.kind == "new grad":
                space[f"s{i}"] = [s.what, None]
                after.append(f"t{i}._grad = s{i}[1]")
            items.append(_read_code(i, s, numbers))
        for _, k in program.graph.writes:
            after += _version_lines(k, program.sources[k])
        for i, tensor in enumerate(program.cleared):
            space[f"z{i}"] = tensor
            after.append(f"z{i}._grad = None")
        for i, (place, value) in enumerate(program.settings):
            space[f"e{i}"] = (place, value)
            after.append(f"e{i}[0].put(e{i}[1])")
        lines = [*before, f"arrays = [{', '.join(items)}]", "outputs = compute(arrays)", *after]
        lines.append("return finish(outputs, leaves, arrays)")
        local = ", ".join(f"{name}={name}" for name in space)
        code = f"def run(leaves, {local}):\n    " + "\n    ".join(lines)
        exec(compile(code, "<chainrule runner>", "exec"), space)
        return space["run"]

    def _finisher(self, program: Program) -> Callable[..., Any]:
        """What makes the function's result of the plan's outputs."""
        inference, laid = self.inference, self._laid
        if program.layouts:
            return lambda outputs, leaves, arrays: self._build(
                self.result, [make(a, inference=inference) for a in laid(outputs)], leaves
            )
        if isinstance(self.result, Output):
            return lambda outputs, leaves, arrays: make(outputs[0], inference=inference)
        return lambda outputs, leaves, arrays: self._build(
            self.result, [make(a, inference=inference) for a in outputs], leaves
        )

    def _laid(self, outputs: list[Any]) -> list[Any]:
        """The outputs with the strides of eager code."""
        found = list(outputs)
        for k, axes in self.layouts.items():
            found[k] = laid_out(found[k], axes)
        return found

    def _build(self, shape: Any, tensors: list[Any], leaves: list[Any]) -> Any:
        if isinstance(shape, Output):
            return tensors[shape.position]
        if isinstance(shape, Fixed):
            return shape.value
        if isinstance(shape, Computed):
            return self._computed[shape](leaves)[0]
        if isinstance(shape, GradOf):
            return shape.tensor._grad
        if isinstance(shape, Same):
            return shape.tensor if shape.argument is None else leaves[shape.argument]
        if isinstance(shape, Alias):
            return _view_again(shape, leaves, tensors)
        if isinstance(shape, dict):
            items = {k: self._build(v, tensors, leaves) for k, v in shape.items()}
            return items if type(shape) is dict else rebuilt_dict(shape, items)
        items = [self._build(s, tensors, leaves) for s in shape]
        return type(shape)(*items) if hasattr(shape, "_fields") else type(shape)(items)

    def explain(self) -> str:
        """What was made of the function."""
        return self.plan.explain()


def computed_parts(result: Any) -> list[Computed]:
    """The numbers in a result that are computed anew."""
    if isinstance(result, Computed):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    return (
        [c for part in result for c in computed_parts(part)]
        if isinstance(result, tuple | list)
        else []
    )


def _root(array: Any) -> int:
    """What the arrays of one piece of memory have in common."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return id(array)


def _array_of(where: Source, leaves: list[Any]) -> Any:
    if where.kind == "argument":
        return leaves[where.what]._a
    if where.kind == "grad":
        return where.what._grad._a if where.what._grad is not None else None
    return where.what._a if where.kind == "tensor" else None


def _read_code(number: int, where: Source, numbers: list[Any]) -> str:
    """Code for an input's array (or number)."""
    if where.kind == "argument":
        return f"leaves[{where.what}]._a"
    if where.kind == "number":
        return f"n{numbers.index(where.what)}"
    return {
        "tensor": f"t{number}._a",
        "grad": f"t{number}._grad._a",
        "new grad": f"buffer(s{number})",
    }[where.kind]


def _version_lines(number: int, where: Source) -> list[str]:
    """Code that notes that a tensor's memory was written."""
    if where.kind == "tensor":
        return [] if where.what._v is None else [f"t{number}._v[0] += 1"]
    if where.kind == "grad":
        return [f"if t{number}._grad is not None: t{number}._grad._v[0] += 1"]
    if where.kind == "argument":
        k = where.what
        return [f"if leaves[{k}]._v is not None: leaves[{k}]._v[0] += 1"]
    return []


def _grad_buffer(slot: list[Any]) -> np.ndarray:
    """The gradient tensor of the last call if nobody else holds it, else a new one."""
    leaf, tensor = slot
    if tensor is not None:
        # Held by the slot, this variable and the call's argument; by the leaf if still there.
        free = 3 + (leaf._grad is tensor)
        array = tensor._a
        if sys.getrefcount(tensor) == free and sys.getrefcount(array) == 3:
            return array
    array = np.empty(leaf._a.shape, leaf._a.dtype)
    slot[1] = make(array)
    return array


def _view_again(alias: Alias, leaves: list[Any], tensors: list[Any]) -> Any:
    """The views that led from a tensor to the result, taken anew."""
    base = alias.source.what
    if alias.source.kind != "tensor":
        base = (leaves if alias.source.kind == "argument" else tensors)[base]
    found = base
    if not alias.chain or (base._rg and not alias.differentiable):
        found = make(base._a)
        found._v = base._v
    for name, params in alias.chain:
        found = getattr(P, name)(found, **dict(params))
    if alias.creation and found._view is not None:
        found._view[CREATION] = alias.creation
    return found
