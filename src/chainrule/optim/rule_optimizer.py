"""The step of optimizers whose rule works element by element.

One of three forms of the same rule runs (`program.py`): machine code for all parameters in one
call (`plan.py`), NumPy block by block, or tensor ops where the step itself is traced or
differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

import chainrule as cr

from ..autograd.inplace import check_writable, refuse_overlap
from ..autograd.state import STATE, TRACE
from . import plan
from .array_form import ArrayForm
from .before_step import check_step, counters_kept, foreign_state, no_sparse_gradients
from .optimizer import Optimizer, evaluated
from .program import Program, Rule, on_tensors

COMMON_OPTIONS: dict[str, Any] = {
    "foreach": None, "maximize": False, "differentiable": False, "capturable": False
}  # fmt: skip
_HALVES = (cr.float16, cr.bfloat16)
_COMPUTED_IN = {np.dtype(t): np.dtype(t) for t in (np.float32, np.float64)}
_COMPUTED_IN |= {np.dtype("c8"): np.dtype("f4"), np.dtype("c16"): np.dtype("f8")}


@cache
def program_of(
    rule: Rule,
    states: tuple[str, ...],
    scalars: tuple[str, ...],
    flags: tuple[tuple[str, Any], ...],
) -> Program:
    """The program of a rule with some options; made once."""
    return Program(rule, states, scalars, dict(flags))


@cache
def array_form(program: Program) -> ArrayForm:
    """The NumPy code of a program; made once."""
    return ArrayForm(program)


def steps_as_tensors(optimizer: Any, *names: str) -> None:
    """State saved by old versions counted steps in plain numbers."""
    for group in optimizer.param_groups:
        for p in group["params"]:
            state = optimizer.state.get(p)
            for name in names if state else ():
                if not isinstance(state[name], cr.Tensor):
                    state[name] = new_counter(float(state[name]), bool(group.get("fused")))


class RuleOptimizer(Optimizer):
    """Base of the optimizers that are a rule and a few numbers per step.

    Subclasses say: `rule`, the options that decide what it computes (`_flags`), its `states` (or
    `_state_names` and `_new_state`), and the numbers of a step (`_numbers`).
    """

    rule: ClassVar[Rule]
    states: tuple[str, ...] = ()  # those that have the shape of the parameter
    counters: ClassVar[tuple[str, ...]] = ("step",)  # 0-dim state that the numbers depend on
    # Whether a traced step is one instruction: the flags must not depend on the count of steps.
    traced_whole: ClassVar[bool] = True
    later_options: ClassVar[dict[str, Any]] = {}  # those that old files lack, with their meaning

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, meaning in self.later_options.items():
                group.setdefault(name, meaning)
        steps_as_tensors(self, *self.counters)

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """The state that has the shape of the parameter."""
        return self.states

    def _new_state(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        """The state of a parameter before its first step, except what starts at zero."""
        return {name: new_counter() for name in self.counters}

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        """The options that decide which operations the rule has."""
        return {"maximize": group["maximize"], "decay": group["weight_decay"] != 0}

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        """The rule's scalars; written so that lr and the counters may be tensors."""
        raise NotImplementedError

    def _advance(
        self, group: dict[str, Any], state: dict[str, Any], read: Callable[[Any], Any]
    ) -> None:
        """Move the counters on, before the update."""
        for name in self.counters:
            state[name].add_(1)

    def _finish(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> None:
        """What changes in the counters after the update."""

    # ---- the step --------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient; returns what `closure` returns."""
        loss = None if closure is None else evaluated(closure)
        usual = not STATE.unusual
        plans = self._chainrule_plans
        left = self.param_groups
        if usual and plans is not None and plans.hold(self):
            left = plans.run(self)
            if not left:
                return loss
        else:
            self._check_step()
        before = STATE.grad_enabled
        STATE.set_grad_enabled(bool(self.defaults.get("differentiable")))
        try:
            self._step_groups(left)
        finally:
            STATE.set_grad_enabled(before)
        if usual:
            self._chainrule_plans = plan.Plans(self)
        return loss

    def _check_step(self) -> None:
        """Raise when a parameter cannot be updated, before the first one is."""
        names = {name for group in self.param_groups for name in self._state_names(group)}
        takes_sparse = type(self)._step_sparse is not RuleOptimizer._step_sparse
        check_step(self, tuple(names), takes_sparse, self.counters, whole=False)

    def program(
        self, names: tuple[str, ...], scalars: tuple[str, ...], flags: dict[str, bool]
    ) -> Program:
        """The rule with some options."""
        return program_of(type(self).rule, names, scalars, tuple(flags.items()))

    def _step_groups(self, groups: list[dict[str, Any]]) -> None:
        """Find all that there is to do, which may fail, then do it."""
        with counters_kept(self, groups):
            updates = [update for group in groups for update in self._updates(group)]
        for update in updates:
            update()

    def _updates(self, group: dict[str, Any]) -> list[Callable[[], Any]]:
        """What is left to do for a group once its counters have moved on."""
        if STATE.unusual & TRACE:
            from .traced import record_step

            if record_step(self, group):
                return []
        by_ops = bool(STATE.unusual & TRACE or group.get("differentiable"))
        buckets: dict[Any, list[dict[str, Any]]] = {}
        updates: list[Callable[[], Any]] = []
        finished = []
        for p in group["params"]:
            if p._grad is None:
                continue
            if p._grad.is_sparse:
                updates.append(partial(self._step_sparse, group, p))
                continue
            state = self._state_of(group, p)
            of_mesh = hasattr(p, "_local_tensor") and not by_ops
            if not of_mesh and (by_ops or p._level is not None or p._grad._level is not None):
                updates.append(partial(self._step_by_ops, group, p, state))
                continue
            self._advance(group, state, _value)
            counted = {name: _value(state[name]) for name in self.counters}
            flags = self._flags(group, state, counted)
            numbers = self._numbers(_plain_options(group), counted)
            tensors = self._tensors(group, p, state)
            if of_mesh:
                tensors = _own_parts(tensors)
            program = self.program(tuple(tensors)[2:], tuple(numbers), flags)
            if self.counters == ("step",):
                tensors["step"] = state["step"]
            alike = program, tuple(numbers.values()), tuple(counted.values())
            buckets.setdefault(alike, []).append(tensors)
            finished.append(partial(self._finish, group, state, counted))
        updates += [partial(update_arrays, program, members, values)
                    for (program, values, _), members in buckets.items()]  # fmt: skip
        return updates + finished

    def _state_of(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        """The state of a parameter, made at its first step."""
        if not self._state_names(group) and not self.counters:
            return {}
        state = self.state[p]
        if not state:
            state.update(self._new_state(group, p))
        return state

    def _step_sparse(self, group: dict[str, Any], p: Any) -> None:
        """The update of one parameter whose gradient is a sparse tensor."""
        raise no_sparse_gradients(self, p)

    def _tensors(self, group: dict[str, Any], p: Any, state: dict[str, Any]) -> dict[str, Any]:
        """What the rule reads and writes; state that is not there yet starts at zero."""
        tensors = {"p": p, "g": p._grad}
        for name in self._state_names(group):
            if state.get(name) is None:
                state[name] = cr.zeros_like(p, requires_grad=False)
            tensors[name] = found = state[name]
            if getattr(found, "shape", None) != p.shape or found.is_meta != p.is_meta:
                raise foreign_state(type(self).__name__, name, found, p)
        return tensors

    def _step_by_ops(self, group: dict[str, Any], p: Any, state: dict[str, Any]) -> None:
        """The update of one parameter in tensor ops."""
        self._advance(group, state, _as_double)
        counted = {name: _as_double(state[name]) for name in self.counters}
        if cr.is_grad_enabled():  # recorded: the next step counts on in place
            counted = {name: t.clone() for name, t in counted.items()}
        flags = self._flags(group, state, counted)
        options = {**group, "lr": rate_of(group)}
        numbers = self._numbers(options, counted)
        tensors = self._tensors(group, p, state)
        if p.is_complex():
            tensors = {name: cr.view_as_real(t) for name, t in tensors.items()}
        differentiable = bool(group.get("differentiable"))
        if p.dtype in _HALVES and not differentiable:  # as on arrays: rounded once, at the end
            wide = {name: t.float() if t.dtype in _HALVES else t for name, t in tensors.items()}
            on_tensors(type(self).rule, wide, numbers, flags, differentiable)
            for name, t in tensors.items():
                if wide[name] is not t and name != "g":
                    t.copy_(wide[name])
        else:
            on_tensors(type(self).rule, tensors, numbers, flags, differentiable)
        self._finish(options, state, counted)


def _own_parts(tensors: dict[str, Any]) -> dict[str, Any]:
    """This process's parts of tensors of a mesh (`distributed.tensor`), cut as the parameter is."""
    placements = tensors["p"].placements
    return {
        name: t.redistribute(placements=placements)._local_tensor for name, t in tensors.items()
    }


def update_arrays(program: Program, members: list[dict[str, Any]], numbers: tuple) -> None:
    """Update the memory of some parameters and their states."""
    params = [tensors["p"] for tensors in members]
    for p in params:
        check_writable(p, "step", False)
        if (0 in p._a.strides and p._a.size > 1) or not p._a.flags.writeable:
            refuse_overlap(p._a)
    arrays = [[tensors[name]._a for tensors in members] for name in program.arrays]
    counters: list[Any] = []
    if "step" in members[0]:  # counted already: the kernel writes what is there
        steps = [tensors["step"]._a for tensors in members]
        counters = [steps, steps[0].item()]
    kernel = plan.kernel_of(program, params[0]._a.dtype, counters[0][0].dtype if counters else None)
    if kernel(*arrays, *counters, *numbers) is None:
        for name, written in zip(program.arrays, arrays, strict=True):
            for array in written if name != "g" else ():
                if not array.flags.writeable:
                    refuse_overlap(array)  # before the first of them is changed
        for of_one in zip(*arrays, strict=True):
            _update_one(program, list(of_one), numbers)
    plan.note_change([p for p in params if p._v is not None])


def _update_one(program: Program, arrays: list[np.ndarray], numbers: tuple[Any, ...]) -> None:
    computed_in = _COMPUTED_IN.get(arrays[0].dtype)
    first = arrays[0]
    alike = all(
        a.flags.c_contiguous and a.dtype == first.dtype and a.shape == first.shape for a in arrays
    )
    if computed_in is not None and alike:
        flat = [a.reshape(-1).view(computed_in) for a in arrays]
        array_form(program)(flat, numbers)
        return
    # Half precision is computed in single and rounded once; odd strides go through copies.
    wide = computed_in or np.dtype(np.float32)
    kept = first.dtype if first.dtype.kind == "c" else wide
    copies = [np.ascontiguousarray(a, dtype=kept).reshape(-1).view(wide) for a in arrays]
    copies = [
        c.copy() if np.may_share_memory(c, a) else c for c, a in zip(copies, arrays, strict=True)
    ]
    array_form(program)(copies, numbers)
    for name, array, copied in zip(program.arrays, arrays, copies, strict=True):
        if name in program.results:
            array[...] = copied.view(kept).reshape(array.shape)


def new_counter(value: float = 0.0, single: bool = False) -> Any:
    """0-dim state: float32, or float64 where that is the default type."""
    double = cr.get_default_dtype() is cr.float64 and not single
    return cr.tensor(value, dtype=cr.float64 if double else cr.float32)


def _value(t: Any) -> float:
    return t._a.item()


def _as_double(t: Any) -> Any:
    return t.to(cr.float64)


def rate_of(group: dict[str, Any]) -> Any:
    """The learning rate for tensor ops: a tensor where a trace must see that it may change."""
    lr = group["lr"]
    if isinstance(lr, cr.Tensor):
        return lr if lr.ndim == 0 else lr.squeeze()
    return cr.zeros((), dtype=cr.float64) + lr if STATE.unusual & TRACE else lr


def number(value: Any) -> Any:
    """A hyperparameter as a Python number; tensors of one element are read."""
    return value.item() if isinstance(value, cr.Tensor) else value


def _plain_options(group: dict[str, Any]) -> dict[str, Any]:
    """The group with tensors among its numbers read."""
    if any(isinstance(v, cr.Tensor) for v in group.values()) or isinstance(
        group.get("betas", (0.0,))[0], cr.Tensor
    ):
        read = {k: number(v) for k, v in group.items() if k != "params"}
        if "betas" in read:
            read["betas"] = tuple(number(b) for b in read["betas"])
        return read
    return group
