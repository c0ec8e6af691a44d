"""Running the rules of a node on arrays, tensors or traces, and fitting gradients to the inputs.

This is the general form: arrays take the straight-line code of `vjp_code.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.dtypes import F32
from ..ops.halves import is_half, wide
from ..ops.schema import rule_names
from ..ops.worlds import ARRAYS, World
from . import errors
from .op_rules import rule_of
from .state import STATE
from .value import FACTORY, PLAIN, TensorBase

# As plain classes: a type checker would narrow what is one of them to an array of unknown types.
_ARRAY: type = np.ndarray
_NUMPYS: tuple[type, ...] = (np.ndarray, np.generic)


class Fix:
    """What to do to each input's gradient beyond its rule, and how saved values are packed."""

    __slots__ = ("checksums", "duals", "extra", "inputs", "packed")

    def __init__(self, inputs: Any = None, packed: bool = False) -> None:
        self.inputs = inputs  # per input (shape, numpy dtype), None for one not a tensor
        self.packed = packed
        self.checksums: Any = None  # of the saved arrays, in anomaly mode
        self.extra: Any = None  # what an operator gave beside the result (`dispatcher`)
        self.duals: Any = None  # (level, inputs, outputs) when forward mode ran above this node


def fix_of(node: Any) -> Any:
    """The node's Fix; entries store just the input shapes where something was broadcast."""
    fix = node.fix
    if fix.__class__ is tuple:
        fix = node.fix = Fix(tuple(None if s is None else (s, None) for s in fix))
    return fix


def tensors_world() -> World:
    from .dispatch import TENSORS

    return TENSORS


def run_rules(
    node: Any, g: Any, parents: tuple[Any, ...], values: dict[str, Any], world: World
) -> tuple[Any, ...]:
    """Gradients of a node's inputs by its rules, in any world (the general form)."""
    op = node.op
    asked = None
    if FACTORY.dispatcher is not None and world is not ARRAYS:
        asked = FACTORY.dispatcher.gradients(node, g, parents, values)
    if asked is not None:
        return asked
    rounds = op.view or op.linear == "all" or (op.half_products and _sums_nothing(node, g))
    if not rounds and in_half(g):
        g, values = wider(g), {name: wider(v) for name, v in values.items()}
    if op.joint is not None:
        grads = _run_joint(node, g, parents, values, world)
    else:
        grads: list[Any] = []
        for i, p in enumerate(parents):
            if p is None:
                grads.append(None)
                continue
            partial, rule, names = rule_of(op, i)
            result = world.bind(rule)(*[g if n == "g" else values[n] for n in names])
            grads.append(_times(g, result, world) if partial else result)
    fix = fix_of(node)
    if fix is None or fix.inputs is None:
        return tuple(grads)
    fitted: list[Any] = []
    for i, (x, p) in enumerate(zip(grads, parents, strict=True)):
        if x is None or p is None:
            fitted.append(None)
            continue
        target = fix.inputs[i]
        a = x._a if x.__class__ in PLAIN else x
        if target is None or (
            a.__class__ is np.ndarray and a.shape == target[0] and a.dtype is target[1]
        ):
            fitted.append(x)
        else:
            fitted.append(_fit(node, i, x, target, world))
    return tuple(fitted)


def _sums_nothing(node: Any, g: Any) -> bool:
    """Whether the gradients of a product are as they come from its rules."""
    fix = fix_of(node)
    if not node.op.broadcasts or fix is None or fix.inputs is None:
        return True
    lead = tuple(g.shape[:-2])
    return all(entry is None or tuple(entry[0][:-2]) == lead for entry in fix.inputs)


def in_half(value: Any) -> bool:
    """Whether a value or one of several is in half precision: rules must not round in each step."""
    if value.__class__ is np.ndarray:
        return is_half(value.dtype)
    if value.__class__ in PLAIN:
        return is_half(value._a.dtype)
    if isinstance(value, TensorBase):
        return is_half(value.dtype.np)  # type: ignore[attr-defined]
    return value.__class__ in (tuple, list) and any(map(in_half, value))


def wider(value: Any) -> Any:
    """What a rule is given, with half precision as float32; `_fit` rounds what comes out."""
    if not in_half(value):
        return value
    if value.__class__ is np.ndarray:
        return wide(value)
    if isinstance(value, TensorBase):
        return tensors_world().function("cast")(value, dtype=F32)
    return tuple(map(wider, value))


def _run_joint(node: Any, g: Any, parents: Any, values: dict[str, Any], world: World) -> Any:
    op = node.op
    rule = op.joint
    if world is not ARRAYS and op.plain_joint is not None:
        trace = STATE.trace
        if trace is not None and not STATE.grad_enabled:
            # One instruction: a trace costs less, and what becomes of it is the compiler's choice.
            return trace.gradients(op, g, tuple(p is not None for p in parents), values)
        rule = op.plain_joint
    mask = tuple(p is not None for p in parents)
    special = {"g": g, "mask": mask}
    arguments = [special[n] if n in special else values[n] for n in rule_names(rule)]
    return distinct(world.bind(rule)(*arguments))


def distinct(grads: Any) -> Any:
    """Gradients of which no two are the same array: the engine may add into each of them."""
    seen: set[int] = set()
    out: list[Any] = []
    for g in grads:
        own = g
        if isinstance(g, _ARRAY):
            if id(g) in seen:
                own = g.copy()
            seen.add(id(own))
        out.append(own)
    return out


def _times(g: Any, partial: Any, world: World) -> Any:
    if isinstance(partial, complex):
        partial = partial.conjugate()
    elif is_complex(partial):
        partial = world.function("conj")(partial)
    return g * partial


def is_complex(x: Any) -> bool:
    """Whether a payload, tensor or number is complex."""
    if x.__class__ in PLAIN:
        return x._a.dtype.kind == "c"
    if isinstance(x, _NUMPYS):
        return x.dtype.kind == "c"
    if isinstance(x, TensorBase):
        return x.dtype.is_complex
    return isinstance(x, complex)


def _fit(node: Any, i: int, grad: Any, target: Any, world: World) -> Any:
    """Sum a gradient to its input's shape, take the real part, cast: what the rules need not do."""
    if target is None:
        return grad
    shape, dtype = target
    if dtype is not None and is_complex(grad) and dtype.kind != "c":
        grad = world.function("real")(grad)
    if tuple(grad.shape) != shape:
        if not node.op.broadcasts:
            raise errors.wrong_gradient_shape(node, i, tuple(grad.shape), shape)
        if world is not ARRAYS and FACTORY.dispatcher is not None:
            grad = FACTORY.dispatcher.summed(grad, shape)
        else:
            grad = world.function("unbroadcast")(grad, shape)
    if dtype is None:
        return grad
    have = grad.dtype if world is ARRAYS else grad.dtype.np
    if have != dtype:
        grad = world.function("cast")(grad, dtype=dtype)
    return grad
