"""Runs a captured program in place of the function: guards, inputs, effects, results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.dispatch import P
from ...autograd.node import Node, start
from ...autograd.value import CREATION, PLAIN, make, with_history
from ..runtime.plan import Plan
from .apart import Apart
from .guards import Guards
from .program import Alias, Computed, Fixed, GradOf, Output, Program, Same, Source, rebuilt_dict


class SpentBackward(Node):
    """The node behind results whose graph was used inside of the compiled function."""

    __slots__ = ("problem",)
    problem: str

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        raise RuntimeError(self.problem)

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: Any) -> Any:
        raise RuntimeError(self.problem)


class Runner:
    """Runs a program's plan: reads inputs from the user's objects, applies the effects."""

    def __init__(self, program: Program) -> None:
        self.result = program.result
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
            "buffer": _grad_buffer,
            "read": self.guards.writer.reader(numbers),
        }
        before, after, items = [], [], []
        read = {id(s.what) for s in program.sources if s.kind == "grad"}
        if numbers:
            names = [f"n{k}" for k in range(len(numbers))]
            before.append(f"{', '.join(names)}, = read(leaves)")
        for i, s in enumerate(program.sources):
            if s.kind == "seed":
                continue
            if s.kind in ("tensor", "grad", "new grad"):
                space[f"t{i}"] = s.what
            if s.kind == "new grad":
                space[f"s{i}"] = [s.what, None, id(s.what) not in read]
                after.append(f"t{i}._grad = s{i}[1]")
            items.append(_read_code(i, s, numbers))
        for _, k in program.graph.writes:
            after += _version_lines(k, program.sources[k], program.writes_counted.get(k, 1))
        for i, tensor in enumerate(program.cleared):
            space[f"z{i}"] = tensor
            after.append(f"z{i}._grad = None")
        for i, (place, value) in enumerate(program.settings):
            space[f"e{i}"] = (place, value)
            after.append(f"e{i}[0].put(e{i}[1])")
        lines = [*before, f"arrays = [{', '.join(items)}]", "outputs = compute(arrays)", *after]
        lines.append(f"return {self._result_code(program, space)}")
        local = ", ".join(f"{name}={name}" for name in space)
        code = f"def run(leaves, {local}):\n    " + "\n    ".join(lines)
        exec(compile(code, "<chainrule runner>", "exec"), space)
        return space["run"]

    def _result_code(self, program: Program, space: dict[str, Any]) -> str:
        """Code for the function's result, of the plan's outputs."""
        tensors = self._tensors_code(program, space)
        if isinstance(self.result, Output):
            return tensors[0]
        if _is_all_outputs(self.result, len(tensors)):
            return f"({''.join(f'{tensor}, ' for tensor in tensors)})"
        space["build"], space["result"] = self._build, self.result
        return f"build(result, [{', '.join(tensors)}], leaves)"

    def _tensors_code(self, program: Program, space: dict[str, Any]) -> list[str]:
        """Code for the tensor of each output: what is the same in every call is decided here."""
        spent = dict(program.spent)
        space["make"] = make
        code = []
        for k, inference in enumerate(program.inference):
            array = f"outputs[{k}]"
            if k in program.layouts:  # the strides of eager code
                space[f"laid_out{k}"], space[f"layout{k}"] = program.layouts[k]
                array = f"laid_out{k}({array}, layout{k})"
            if k in spent:  # it still requires grad; its node refuses
                space["with_history"], space[f"spent{k}"] = with_history, _spent_node(spent[k])
                code.append(f"with_history({array}, spent{k})")
            else:
                code.append(f"make({array}, inference=True)" if inference else f"make({array})")
            if k in program.versions:
                space["written"] = _written
                code[-1] = f"written({code[-1]}, {program.versions[k]})"
        return code

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


def _written(t: Any, times: int) -> Any:
    t._v[0] = times
    return t


def _spent_node(problem: str) -> Any:
    node: Any = start(SpentBackward(), (), None, 0)
    node.problem = problem
    return node


def _is_all_outputs(result: Any, count: int) -> bool:
    """Whether a result is the tuple of a plan's outputs, in their order."""
    return type(result) is tuple and [
        part.position if isinstance(part, Output) else None for part in result
    ] == list(range(count))


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


def _version_lines(number: int, where: Source, count: int) -> list[str]:
    """Code that notes that a tensor's memory was written, as often as in eager code."""
    if where.kind == "tensor":
        return [] if where.what._v is None else [f"t{number}._v[0] += {count}"]
    if where.kind == "grad":
        return [f"if t{number}._grad is not None: t{number}._grad._v[0] += {count}"]
    if where.kind == "argument":
        k = where.what
        return [f"if leaves[{k}]._v is not None: leaves[{k}]._v[0] += {count}"]
    return []


def _grad_buffer(slot: list[Any]) -> np.ndarray:
    """The gradient tensor of the last call if nobody else holds it, else a new one.

    Before the first call it is the one that eager code made, which the call drops.
    """
    leaf, tensor, drops = slot
    if tensor is None and drops:
        tensor = leaf._grad
        if tensor is not None and sys.getrefcount(tensor) == 3 and _is_plain_memory(leaf, tensor):
            slot[1] = tensor
            return tensor._a
    elif tensor is not None:
        # Held by the slot, this variable and the call's argument; by the leaf if still there.
        free = 3 + (leaf._grad is tensor)
        array = tensor._a
        if sys.getrefcount(tensor) == free and sys.getrefcount(array) == 3:
            return array
    array = np.empty(leaf._a.shape, leaf._a.dtype)
    slot[1] = make(array)
    return array


def _is_plain_memory(leaf: Any, tensor: Any) -> bool:
    """Whether a gradient is memory of its own, which only this tensor shows."""
    array = tensor._a
    plain = (
        tensor.__class__ in PLAIN and tensor._view is None and not tensor._rg and not tensor._lazy
    )
    return (
        plain and tensor._v is not None and tensor._rare is None and not vars(tensor)
        and array.base is None and array.flags.c_contiguous and array.flags.writeable
        and array.shape == leaf._a.shape and array.dtype is leaf._a.dtype
        and sys.getrefcount(array) == 3
    )  # fmt: skip


def _view_again(alias: Alias, leaves: list[Any], tensors: list[Any]) -> Any:
    """The views that led from a tensor to the result, taken anew."""
    base = alias.source.what
    if alias.source.kind != "tensor":
        base = (leaves if alias.source.kind == "argument" else tensors)[base]
    found = base
    if not alias.chain or alias.apart or (base._rg and not alias.differentiable):
        found = make(base._a)
        if not alias.apart:
            found._v = base._v
    for name, params in alias.chain:
        found = getattr(P, name)(found, **dict(params))
    if alias.creation and found._view is not None:
        found._view[CREATION] = alias.creation
    return found
