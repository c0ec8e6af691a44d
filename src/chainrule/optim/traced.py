"""The update of a whole group as one instruction of a trace.

Traced op by op, fifty parameters are a thousand instructions, twice. Instead the eager step runs,
and what it did is written down: who was read, who was written, with which options. The compiler
takes the instruction apart later, by the same rule, into ops that fuse.
"""

# pyright: reportUndefinedVariable=false, reportOptionalSubscript=false
# pyright: reportOptionalIterable=false, reportArgumentType=false
# (rules name ops of the table, and options that a group of this kind has)

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as cr

from .. import ir
from ..autograd import source
from ..autograd.state import STATE
from ..ops.halves import is_half
from ..ops.worlds import ARRAYS
from .before_step import untraced

# ruff: noqa: F821 - the decomposition names ops of the table, which worlds bind

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_PLAIN = (bool, int, float, str, tuple, type(None))
_records: dict[type, WholeStep] = {}


class WholeStep:
    """The step of an optimizer's class as an op: new values of parameters, states and counters.

    Inputs: of each member the parameter, its gradient, its states and its counter, then the rate
    and the options that move (a cycled momentum), as `moving` names them.
    """

    def __init__(self, optimizer: type) -> None:
        self.name = f"{optimizer.__name__}.step"
        self.lower = ir.compose(_decomposition(optimizer))
        self.n_out = None
        self.random = False

    def forward(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        """The new values; nothing is changed in place."""
        found = ARRAYS.bind(self.lower.function)(*arrays, **params)
        return tuple(np.array(x) for x in found)


def _decomposition(optimizer: type) -> Any:
    """The rule in ops, member by member; what is no op comes through the closure."""
    prototype = object.__new__(optimizer)

    def numbers_of(
        options: Any, moving: Any, given: Any, counted: dict[str, Any]
    ) -> dict[str, Any]:
        rate, *others = given
        group = {**dict(options), "lr": rate}
        for (name, place), number in zip(moving, others, strict=True):
            if place is None:
                group[name] = number
            else:
                group[name] = (*group[name][:place], number, *group[name][place + 1 :])
        return prototype._numbers(group, counted)

    def program_of(states: Any, numbers: Any, flags: Any) -> Any:
        return prototype.program(states, tuple(numbers), dict(flags))

    def update(*values, options, moving, flags, states, counts, members):
        ops = {
            "add": add, "sub": sub, "mul": mul, "div": div, "neg": neg, "gt": gt, "lt": lt,
            "eq": eq, "sqrt": sqrt, "abs": abs, "sign": sign, "maximum": maximum,
            "minimum": minimum, "select": where,
        }  # fmt: skip
        width = 2 + len(states) + counts
        results = []
        for k in range(members):
            own = values[k * width : (k + 1) * width]
            kind = own[0].dtype
            half = is_half_type(kind)
            known = dict(zip(("p", "g", *states), own, strict=False))
            if half:  # as eager steps do: computed in float32, each result rounded once
                known = {name: cast(x, dtype=single) for name, x in known.items()}
            stepped = [add(own[-1], 1)] if counts else []
            counted = {"step": cast(stepped[0], dtype=double)} if counts else {}
            numbers = numbers_of(options, moving, values[width * members :], counted)
            program = program_of(states, numbers, flags)
            for name, number in numbers.items():
                weak = getattr(number, "weak", not hasattr(number, "dtype"))
                known[name] = number if weak else cast(number, dtype=single if half else kind)
            made = evaluate(program, known, ops)
            results += [*(cast(x, dtype=kind) if half else x for x in made), *stepped]
        return tuple(results)

    double, single = np.dtype(np.float64), np.dtype(np.float32)
    evaluate, is_half_type = _evaluated, is_half
    return update


def _evaluated(program: Any, known: dict[str, Any], ops: dict[str, Any]) -> list[Any]:
    """The program's results, given its arrays and scalars by name."""
    made: dict[int, Any] = {}

    def value(e: Any) -> Any:
        if e.op == "const":
            return e.value
        return made[id(e)] if e.args else known[e.value]

    for operation in program.operations:
        made[id(operation)] = ops[operation.op](*map(value, operation.args))
    return [value(e) for e in program.results.values()]


def record_step(optimizer: Any, group: dict[str, Any]) -> bool:
    """Do the group's step and record it; False, and nothing is done, where that is not possible."""
    trace = STATE.trace
    plain = {name: trace.value_of_number(option) for name, option in group.items()}
    members = [p for p in group["params"] if p._grad is not None]
    states = optimizer._state_names(group)
    counts = optimizer.counters == ("step",)
    if not members or trace.reason is not None or not _regular(optimizer, plain):
        return False
    rows = [_row(optimizer, p, states, counts) for p in members]
    flags = [optimizer._flags(group, optimizer.state.get(p, {}), {"step": 1.0}) for p in members]
    if any(row is None for row in rows) or any(f != flags[0] for f in flags):
        return False
    if len({row[0]._a.dtype for row in rows}) != 1:
        return False
    numbers = optimizer._numbers(plain, {"step": 1.0})
    results = optimizer.program(states, tuple(numbers), flags[0]).results
    places = [("p", "g", *states).index(name) for name in results] + [-1] * counts
    options = {k: v for k, v in group.items() if k not in ("params", "lr")}
    moving, moved = _moving(trace, options)
    params = {
        "options": tuple(sorted(options.items())),
        "moving": moving,
        "flags": tuple(flags[0].items()),
        "states": states,
        "counts": counts,
        "members": len(members),
    }
    trace.rewrites(
        _record_of(type(optimizer)),
        [*(t for row in rows for t in row), group["lr"], *moved],
        params,
        [row[k] for row in rows for k in places],
        lambda: _untraced(optimizer, plain),
    )
    return True


def _moving(trace: Any, options: dict[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Places of numbers that change from call to call, and those; `options` loses them."""
    found, moved = [], []
    for name, value in options.items():
        for place, x in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
            if trace.follows(x):
                found.append((name, place))
                moved.append(x)
    for name, place in found:
        value = options[name]
        options[name] = 0.0 if place is None else (*value[:place], 0.0, *value[place + 1 :])
    return tuple(found), moved


def _record_of(optimizer: type) -> WholeStep:
    found = _records.get(optimizer)
    if found is None:
        found = _records[optimizer] = WholeStep(optimizer)
    return found


def _untraced(optimizer: Any, group: dict[str, Any]) -> None:
    with untraced():
        optimizer._step_groups([group])


def _regular(optimizer: Any, group: dict[str, Any]) -> bool:
    """Whether the class is one of ours, with nothing but numbers among its options."""
    cls = type(optimizer)
    known = source.is_own_name(cls.__module__, "optim") and cls.traced_whole
    counted = optimizer.counters in ((), ("step",)) and not group.get("differentiable")
    options = (v for k, v in group.items() if k != "params")
    return (
        known
        and counted
        and type(group["lr"]) is float
        and all(isinstance(v, _PLAIN) and not _has_tensors(v) for v in options)
    )


def _has_tensors(value: Any) -> bool:
    return isinstance(value, tuple) and any(isinstance(x, cr.Tensor) for x in value)


def _row(optimizer: Any, p: Any, states: tuple[str, ...], counts: bool) -> list[Any] | None:
    """What the rule reads of a parameter; None where an update in ops is needed."""
    state = optimizer.state.get(p, {})
    tensors = [p, p._grad, *(state.get(name) for name in states)]
    for t in tensors:
        if not isinstance(t, cr.Tensor) or t.is_sparse or t._level is not None or not t._a.ndim:
            return None
        known = t._a.dtype in _FLOATS or is_half(t._a.dtype)
        if not known or (t._a.dtype, t._a.shape) != (p._a.dtype, p._a.shape):
            return None
    if counts:
        step = state.get("step")
        if not isinstance(step, cr.Tensor) or step._a.shape or step._a.dtype not in _FLOATS:
            return None
        tensors.append(step)
    return tensors
