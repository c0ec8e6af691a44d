"""Runs a captured program in place of the function: guards, inputs, effects, results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.dispatch import P
from ...autograd.value import CREATION, make
from ..runtime.plan import Plan
from .apart import Apart
from .guards import Guards
from .layouts import laid_out
from .program import Alias, Computed, Fixed, GradOf, Output, Program, Same, Source, rebuilt_dict


class Runner:
    """Runs a program's plan: reads inputs from the user's objects, applies the effects."""

    def __init__(self, program: Program) -> None:
        self.result = program.result
        self.inference = program.second.inference
        self.layouts = program.layouts
        self.broken = ""
        self.broken_path = ""
        apart = Apart(program)
        self.writes = bool(program.graph.writes)
        self.separate = apart.holds
        self.guards = Guards(program, apart)
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
