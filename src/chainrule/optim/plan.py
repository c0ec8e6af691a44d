"""The fast step: everything that does not change from step to step is found once.

A plan lists the parameters of a group, their states and the kernel. Before it is used it is checked
that they still are what they were: parameters, gradients and states are read anew at every step
(any of them may be another tensor by now), and the kernel checks their memory.
"""

from __future__ import annotations

from operator import attrgetter, is_, itemgetter
from typing import Any

import numpy as np

from ..autograd import source
from ..ops.kernels import fast
from .program import Program
from .row_gradient import RowGradient


class Plans:
    """The plans of an optimizer's groups, and the state they were made for."""

    __slots__ = ("groups", "state", "states")

    def __init__(self, optimizer: Any) -> None:
        self.state = optimizer.state
        self.states = list(self.state.values())
        self.groups = [plan_of(optimizer, group) for group in optimizer.param_groups]

    def hold(self, optimizer: Any) -> bool:
        """Whether the optimizer has the same groups, and every parameter its state."""
        state = optimizer.state
        return (
            len(self.groups) == len(optimizer.param_groups)
            and state is self.state
            and len(state) == len(self.states)
            and all(map(is_, state.values(), self.states))
        )

    def run(self, optimizer: Any) -> list[dict[str, Any]]:
        """Do the step; the groups for which that was not possible, to be stepped in another way.

        Where some are left, all were looked at before the first was changed.
        """
        groups = optimizer.param_groups
        made = list(zip(self.groups, groups, strict=True))
        calls = [None if plan is None else plan.prepared(optimizer, group) for plan, group in made]
        if len(calls) == 1 and self.groups[0] is not None and calls[0] is not None:
            if self.groups[0].run(calls[0]):
                return []
            calls[0] = None
        ready = list(zip(self.groups, calls, strict=True))
        if not all(plan and call and plan.fits(*call) is not None for plan, call in ready):
            optimizer._check_step()
        return [
            group
            for (plan, call), group in zip(ready, groups, strict=True)
            if plan is None or call is None or not plan.run(call)
        ]


class GroupPlan:
    """One group: who takes part, with which kernel, after how many steps."""

    __slots__ = (
        "count",
        "everyone",
        "fits",
        "flags",
        "idle",
        "kernel",
        "names",
        "params",
        "same",
        "states",
    )

    def prepared(self, optimizer: Any, group: dict[str, Any]) -> list[Any] | None:
        """The arguments of the kernel, if everything is as it was; nothing has changed so far."""
        params, states, given = self.params, self.states, group["params"]
        if len(given) != len(self.everyone) or not all(map(is_, given, self.everyone)):
            return None
        for p in self.idle:
            if p._grad is not None:
                return None
        if RowGradient.made and any(p._grad.__class__ is RowGradient for p in params):
            return None
        try:
            arrays: list[Any] = [list(map(_array, params)), list(map(_grad_array, params))]
            for get in self.names:
                arrays.append(list(map(_array, map(get, states))))
            if self.same is None:
                counted: dict[str, Any] = {}
            else:
                steps, count = list(map(_array, map(_step, states))), self.count + 1.0
                if self.same(steps, self.count) is None:
                    return None
                counted = {"step": count}
                arrays.append(steps)
                arrays.append(count)
        except (AttributeError, KeyError):  # a gradient is None, or a state is gone
            return None
        if optimizer._flags(group, states[0] if states else counted, counted) != self.flags:
            return None
        arrays += optimizer._numbers(group, counted).values()
        return arrays

    def run(self, call: list[Any]) -> bool:
        """Do the group's step; False, and nothing has changed, if its memory is not as it was."""
        if self.kernel(*call) is None:
            return False
        self.count += 1.0
        note_change(self.params)
        return True


# These read in C, a third faster than a comprehension.
_array, _grad_array, _version = attrgetter("_a"), attrgetter("_grad._a"), attrgetter("_v")
_step = itemgetter("step")


def note_change(params: list[Any]) -> None:
    """Move the versions on, and say who wrote if a graph still needs the old values."""
    where = ("an optimizer's step", *source.user_position())
    for version in map(_version, params):
        version[0] += 1
        version[1:] = where


def plan_of(optimizer: Any, group: dict[str, Any]) -> GroupPlan | None:
    """A plan for the group's next step; None where its parameters are not all alike."""
    params = [p for p in group["params"] if p._grad is not None]
    names = optimizer._state_names(group)
    has_steps = optimizer.counters == ("step",)
    if not params or (optimizer.counters and not has_steps) or group.get("differentiable"):
        return None
    if any(p._v is None or p._level is not None or p._grad.is_sparse for p in params):
        return None
    states = [optimizer.state[p] for p in params] if names or has_steps else []
    made = GroupPlan()
    made.everyone, made.params, made.states = list(group["params"]), params, states
    made.idle = [p for p in group["params"] if p._grad is None]
    made.names, made.same, made.count = tuple(map(itemgetter, names)), None, 0.0
    counted: dict[str, Any] = {}
    counter = None
    if has_steps:
        found = {(s["step"]._a.item(), s["step"]._a.dtype) for s in states}
        if len(found) != 1:
            return None
        ((made.count, counter),) = found
        made.same = fast.steps_are_single if counter.itemsize == 4 else fast.steps_are_double
        counted = {"step": made.count + 1.0}
    made.flags = optimizer._flags(group, states[0] if states else {}, counted)
    numbers = optimizer._numbers(group, counted)
    program = optimizer.program(names, tuple(numbers), made.flags)
    made.kernel = kernel_of(program, params[0]._a.dtype, counter)
    made.fits = kernel_of(program, params[0]._a.dtype, counter, "fits")
    return made


_SHORT = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}


def kernel_of(program: Program, dtype: np.dtype, counter: np.dtype | None, what: str = "") -> Any:
    """The machine code of a program for a type; where there is none, what declines every call.

    That for "fits" changes nothing: it answers as the step itself would for these arguments.
    """
    short = _SHORT.get(dtype)
    if short is None or counter not in (None, *_SHORT):
        return _declines
    counters = f"_{_SHORT[counter]}" if counter is not None else ""
    return getattr(fast, f"{program.kernel}__{short}{counters}{what and '_' + what}")


def _declines(*arguments: Any) -> None:
    """Half precision and complex numbers have no kernels."""
