"""Which op is to blame: every operation the function records is checked alone, where it stood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.dispatch import entry
from ..autograd.node import OutSlot
from ..autograd.state import OBSERVE, STATE
from ..autograd.value import TensorBase, make
from . import jacobians
from .jacobians import Array, Problem
from .places import number, place

_MOST_CALLS = 300  # checking more would take longer than reading the code
_MOST_ENTRIES = 100_000  # of a Jacobian; larger operations are left out


@dataclass
class Call:
    """One recorded run of an op (or custom Function), with its arguments' values kept."""

    op: Any
    name: str
    where: str
    arguments: list[Any]
    params: dict[str, Any]
    leaves: list[int] = field(default_factory=list)  # arguments that need a gradient

    def run(self, *leaves: Any) -> Any:
        arguments = list(self.arguments)
        for k, leaf in zip(self.leaves, leaves, strict=True):
            arguments[k] = leaf
        if hasattr(self.op, "apply"):
            return self.op.apply(*arguments, **self.params)
        return entry(self.op)(*arguments, **self.params)


@contextmanager
def observing(observer: Any) -> Iterator[None]:
    """Call observer(op, tensors, outs, params) after every operation of the block."""
    STATE.observers.append(observer)
    STATE.turn_on(OBSERVE)
    try:
        yield
    finally:
        STATE.observers.remove(observer)
        if not STATE.observers:
            STATE.turn_off(OBSERVE)


def recorded_calls(func: Any, inputs: tuple[Any, ...]) -> list[Call]:
    """The operations with a gradient that func(*inputs) runs."""
    calls: list[Call] = []

    def note(op: Any, tensors: Any, outs: Any, params: dict[str, Any]) -> None:
        history = next((o._node for o in outs if getattr(o, "_rg", False)), None)
        if history is None or getattr(op, "random", False) or len(calls) >= _MOST_CALLS:
            return
        node = history.node if isinstance(history, OutSlot) else history
        if getattr(node, "_wrote_inputs", False):
            return  # its argument's value is overwritten by now
        call = Call(op, node.name(), node.where(), [_kept(t) for t in tensors], params)
        call.leaves = [k for k, t in enumerate(tensors) if jacobians.is_differentiable(t)]
        calls.append(call)

    with observing(note):
        func(*inputs)
    return calls


def _kept(t: Any) -> Any:
    """A copy of an argument in double precision, a leaf where gradients are wanted."""
    if not isinstance(t, TensorBase):
        return t
    array = np.array(t._a)
    if array.dtype.kind in "fV":
        array = array.astype(np.float64)
    elif array.dtype.kind == "c":
        array = array.astype(np.complex128)
    kept = make(array)
    kept._rg = jacobians.is_differentiable(t)
    return kept


def describe_suspects(problem: Problem, options: Any, forward: bool) -> list[str]:
    """Lines that name the operations whose own check fails, or say that none does."""
    func, inputs = options.original or (problem.func, problem.inputs)
    calls = recorded_calls(func, inputs)
    lines: list[str] = []
    seen: set[tuple[str, str]] = set()
    for call in calls:
        if (call.name, call.where) in seen:
            continue
        found = _local_failure(call, problem.eps, options, forward)
        if found:
            seen.add((call.name, call.where))
            lines += [f"suspect: {call.name}, recorded at {call.where}", *found]
    if lines:
        return lines
    names = ", ".join(dict.fromkeys(c.name for c in calls)) or "none"
    second = "second-order " if options.order == 2 else ""
    return [
        f"suspect: no single operation; each passes its own {second}check ({names}).",
        "  The output depends on the input by a path the tape does not see, or the function is not "
        "the same in every call: look for detach(), .data, .item(), .numpy(), no_grad(), in-place "
        "writes to .data, and random numbers.",
    ]


def _local_failure(call: Call, eps: float, options: Any, forward: bool) -> list[str]:
    """Lines about the worst entry of one operation's own Jacobians; empty when they agree."""
    leaves = tuple(call.arguments[k] for k in call.leaves)
    try:
        problem = Problem(_gradient_of(call) if options.order == 2 else call.run, leaves, eps)
        if not problem.wanted:
            return _without_history(problem)
        for o, output in enumerate(problem.diff_outputs):
            for i, x in enumerate(problem.diff_inputs):
                if output._a.size * x._a.size > _MOST_ENTRIES:
                    continue
                for n, a in _local_pairs(problem, o, output, i, x, forward):
                    close = np.isclose(a, n, options.rtol, options.atol, equal_nan=True)
                    if not close.all():
                        return _describe(call, options.order, o, i, problem, n, a, close)
    except Exception as problem_seen:  # a report about a failure must not fail itself
        return [f"  its own check raised {type(problem_seen).__name__}: {problem_seen}"]
    return []


def _without_history(problem: Problem) -> list[str]:
    """A line when a gradient varies with the inputs but nothing of that was recorded."""
    for x in problem.diff_inputs:
        for pair in jacobians.numerical(problem, x):
            if any(slopes is not None and np.any(np.abs(slopes) > 1e-6) for slopes in pair):
                return [
                    "  its gradient changes with its input, but was computed without a history: "
                    "detach(), .data, once_differentiable or no_grad() in its backward"
                ]
    return []


def _local_pairs(
    problem: Problem, o: int, output: Any, i: int, x: Any, forward: bool
) -> Iterator[tuple[Array, Array]]:
    numbers = jacobians.numerical(problem, x)[o]
    if forward:
        tables = jacobians.forward(problem, x)[o]
        for n, a in zip(numbers, tables, strict=True):
            if n is not None and a is not None:
                yield n, a
        return
    for part in ("real", "imaginary") if jacobians.is_complex(output) else ("real",):
        analytical = jacobians.backward(problem, output, part)[i]
        yield jacobians.of_output_part(numbers, part), analytical


def _gradient_of(call: Call) -> Any:
    """The operation's gradients as a function of its inputs, for second-order checks."""

    def gradients(*leaves: Any) -> tuple[Any, ...]:
        outputs = [o for o in jacobians.all_outputs(call.run(*leaves)) if o._rg]
        rng = np.random.default_rng(3)
        weights = [make(rng.standard_normal(o._a.shape).astype(o._a.dtype)) for o in outputs]
        found = grad(outputs, leaves, weights, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradients


def _describe(
    call: Call, order: int, o: int, i: int, problem: Problem, n: Array, a: Array, close: Array
) -> list[str]:
    apart = np.where(close, 0.0, np.abs(np.nan_to_num(a - n, nan=np.inf)))
    row, column = np.unravel_index(int(np.argmax(apart)), apart.shape)
    of_what = place("output", o, int(column), tuple(problem.diff_outputs[o].shape))
    if order == 2:
        of_what = place("gradient", o, int(column), tuple(problem.diff_outputs[o].shape))
    by_what = place("argument", call.leaves[i], int(row), tuple(problem.diff_inputs[i].shape))
    return [
        f"  checked alone: d {of_what} / d {by_what} is {number(a[row, column])}, finite "
        f"differences of its forward give {number(n[row, column])}"
    ]
