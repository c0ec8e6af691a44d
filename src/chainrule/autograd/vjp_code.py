"""Straight-line backward functions, generated from an op's rules.

The general way to run a rule (`running_rules.py`) looks names up and loops; a generated `vjp`
unpacks what was saved, checks versions, calls the rules and sums what was broadcast. It costs a
third.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops.dtypes import F32, F64
from ..ops.formulas import Formula
from ..ops.kernels import fast
from ..ops.reduce import ones_vector  # pyright: ignore[reportUnknownVariableType]
from ..ops.schema import Op, rule_names
from ..ops.worlds import ARRAYS
from . import errors
from .dispatch import TENSORS, P
from .leaves import GRAPH
from .op_rules import rules_of, saved_names
from .record import general_vjp, general_vjp_tensors
from .running_rules import distinct
from .ties import tie_gradients
from .value import FACTORY, PLAIN, TensorBase, make, with_history


def make_vjp(op: Op) -> Callable[..., Any]:
    """A straight-line function for nodes that need no fixing: unpack, check versions, rules."""
    if op.variadic or op.n_out != 1:
        return general_vjp
    if op.joint:
        return _make_joint_vjp(op)
    space: dict[str, Any] = {"errors": errors, "general": general_vjp}
    lines = ["def vjp(node, g, parents):", "    fix = node.fix"]
    if op.broadcasts and len(op.inputs) > 1:
        space["unbroadcast"] = _unbroadcast
        lines.append("    if fix is not None and fix.__class__ is not tuple:")
    else:
        lines.append("    if fix is not None:")
    lines.append("        return general(node, g, parents)")
    lines += _unpacking(op)
    results: list[Any] = []
    for i, name in enumerate(op.inputs):
        entry = rules_of(op).get(name)
        if entry is None:
            results.append("None")
            continue
        partial, rule = entry
        if name in op.arrays:
            partial, rule = False, op.arrays[name]
        space[f"rule{i}"] = rule if name in op.arrays else ARRAYS.bind(rule)
        call = f"rule{i}({', '.join('g' if n == 'g' else 's_' + n for n in rule_names(rule))})"
        if _is_identity(rule):
            call = "g" if rule_names(rule) == ("g",) else f"s_{rule_names(rule)[0]}"
        call = f"g * {call}" if partial else call
        if isinstance(rule, Formula):
            space["fast"] = fast
            lines += _by_kernel(f"r{i}", rule, call)
        elif len(op.inputs) == 1:
            lines.append(f"    r{i} = {call}")
        else:
            lines.append(f"    r{i} = None if parents[{i}] is None else {call}")
        results.append(f"r{i}")
    if op.broadcasts and len(op.inputs) > 1 and op.differentiable:
        lines.append("    if fix is not None:")
        for i, result in enumerate(results):
            if result != "None":
                lines.append(f"        if r{i} is not None and r{i}.shape != fix[{i}]:")
                lines.append(f"            r{i} = unbroadcast(r{i}, fix[{i}])")
    lines.append(f"    return ({', '.join(results)},)")
    exec(compile("\n".join(lines), f"<chainrule vjp {op.name}>", "exec"), space)
    return space["vjp"]


def make_vjp_tensors(op: Op) -> Callable[..., Any]:
    """The same under `create_graph`: the rules run on tensors and record themselves.

    For plain tensors of float32 and float64; whatever else comes along takes the general way.
    """
    rules = rules_of(op)
    if op.variadic or op.n_out != 1 or op.joint or not rules:
        return general_vjp_tensors
    space: dict[str, Any] = {
        "errors": errors, "general": general_vjp_tensors, "FACTORY": FACTORY, "PLAIN": PLAIN,
        "F32": F32, "F64": F64, "saved": _saved_tensor, "ndarray": np.ndarray,
        "times": P.mul, "tie": tie_gradients,
    }  # fmt: skip
    lines = ["def vjp_tensors(node, g, parents, mode):"]
    again = "return general(node, g, parents, mode)"
    lines.append(f"    if g.__class__ not in PLAIN or FACTORY.dispatcher is not None: {again}")
    lines.append("    d = g._a.dtype; fix = node.fix")
    lines.append(f"    if d is not F32 and d is not F64: {again}")
    summed = op.broadcasts and len(op.inputs) > 1
    unusual = "fix is not None and fix.__class__ is not tuple" if summed else "fix is not None"
    lines.append(f"    if {unusual}: {again}")
    lines += _unpacking(op)
    for k, name in enumerate(n for n in saved_names(op) if op.classify(n)[0] in ("in", "out")):
        kind, place = op.classify(name)
        history = f"node.parents[{place}]" if kind == "in" else "node"
        lines.append(f"    if s_{name}.__class__ is ndarray:")
        lines.append(f"        s_{name} = saved(s_{name}, {history}, v{k}, mode)")
        lines.append(f"        if s_{name} is None: {again}")
    results: list[str] = []
    for i, name in enumerate(op.inputs):
        entry = rules.get(name)
        if entry is None:
            results.append("None")
            continue
        partial, rule = entry
        space[f"rule{i}"] = TENSORS.bind(rule)
        call = f"rule{i}({', '.join('g' if n == 'g' else 's_' + n for n in rule_names(rule))})"
        call = f"times(g, {call})" if partial else call
        lines.append(f"    r{i} = None if parents[{i}] is None else {call}")
        results.append(f"r{i}")
    if summed:
        space["unbroadcast"] = TENSORS.function("unbroadcast")
        lines.append("    if fix is not None:")
        for result in results:
            if result != "None":
                i = result[1:]
                lines.append(f"        if {result} is not None and {result}._a.shape != fix[{i}]:")
                lines.append(f"            {result} = unbroadcast({result}, fix[{i}])")
    lines.append(f"    found = ({', '.join(results)},)")
    lines.append(f"    if mode == {GRAPH!r} and (node.flat or node.dead): return tie(node, found)")
    lines.append("    return found")
    exec(compile("\n".join(lines), f"<chainrule vjp_tensors {op.name}>", "exec"), space)
    return space["vjp_tensors"]


def _saved_tensor(value: Any, history: Any, version: Any, mode: str) -> Any:
    """`rebuilt` for an array that a plain node saved; None where it has to look closer."""
    if mode != GRAPH or history is None:
        return make(value)
    if history.__class__ in PLAIN:
        return history if history._a is value else None
    return None if isinstance(history, TensorBase) else with_history(value, history, version)


def _by_kernel(result: str, formula: Formula, call: str) -> list[str]:
    """The gradient of the only input by the formula's kernel, or in NumPy if that declines."""
    rule, _, given = call.partition("(")
    return [
        f"    {result} = fast.{formula.name}({given}",
        f"    if {result} is None:",
        f"        {result} = {rule}.by_numpy({given}",
    ]


def _is_identity(rule: Callable[..., Any]) -> bool:
    code = getattr(rule, "__code__", None)  # a formula has none
    return code is not None and code.co_code == _IDENTITY.__code__.co_code


_IDENTITY: Callable[[Any], Any] = lambda g: g  # noqa: E731


def _unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """`unbroadcast` on arrays; a bias added to a small matrix in one call."""
    if g.ndim == 2 and g.shape[1:] == shape and g.size <= 4096:
        return ones_vector(len(g), g.dtype).dot(g)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return ARRAYS.function("unbroadcast")(g, shape)


def _unpacking(op: Op) -> list[str]:
    """Lines that take node.s apart and check the versions of what was saved."""
    names = saved_names(op)
    if not names:
        return []
    tensors = [n for n in names if op.classify(n)[0] in ("in", "out")]
    unpack = [f"s_{n}" for n in names]
    unpack += [x for k in range(len(tensors)) for x in (f"v{k}", f"n{k}")]
    lines = ["    s = node.s", "    if s is None: raise errors.freed(node)"]
    lines.append(f"    {', '.join(unpack)}, = s")
    for k, name in enumerate(tensors):
        if name in op.overwritable:
            lines.append(f"    if v{k}[0] != n{k} or v{k}[0].__class__ is not int: s_{name} = None")
        else:
            lines.append(f"    if v{k}[0] != n{k}: raise errors.modified(node, {k})")
    return lines


def _make_joint_vjp(op: Op) -> Callable[..., Any]:
    """The same for a joint rule: one call for all gradients."""
    rule = op.joint
    assert rule is not None
    space: dict[str, Any] = {"errors": errors, "general": general_vjp, "rule": ARRAYS.bind(rule)}
    space["distinct"] = distinct
    lines = ["def vjp(node, g, parents):"]
    lines.append("    if node.fix is not None: return general(node, g, parents)")
    lines += _unpacking(op)
    mask = ", ".join(f"parents[{i}] is not None" for i in range(len(op.inputs)))
    special = {"g": "g", "mask": f"({mask},)"}
    arguments = ", ".join(special.get(n, f"s_{n}") for n in rule_names(rule))
    differentiable = [n for n in op.inputs if n not in op.nondiff]
    call = f"rule({arguments})"
    lines.append(f"    return {call if len(differentiable) == 1 else f'distinct({call})'}")
    exec(compile("\n".join(lines), f"<chainrule vjp {op.name}>", "exec"), space)
    return space["vjp"]
