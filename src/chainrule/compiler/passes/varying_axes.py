"""How axes of varying length pass through instructions, and what must be masked on the way.

A rule gives the axes of an instruction's results from those of its operands, and says which
operands must hold a neutral value beyond the length: those that are summed, or otherwise brought
together, along a varying axis. What is computed beyond the length elsewhere is never looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import ir
from ..graph.op_table import lookup, lowering
from ..graph.program import Instr
from .lengths import ONE, Axes, Axis, Unfit, axis_between, regrouped, shape_at, varies


class Setting(NamedTuple):
    """An instruction in two programs that differ in one length, with the axes of its operands."""

    old: Instr
    new: Instr
    axes: list[Axes]
    at: tuple[int, int]  # the length in both
    known: set[Axis]  # varying axes that were met before

    def shapes(self, output: int = 0) -> list[tuple[int, int]]:
        """The lengths of a result's axes in both programs."""
        pair = self.old.outputs[output].shape, self.new.outputs[output].shape
        return list(zip(*pair, strict=True))


class Passed(NamedTuple):
    """The axes of the results; operand -> the neutral value it must have beyond the length."""

    axes: list[Axes]
    masks: dict[int, Any]


def passed(setting: Setting) -> Passed:
    """What the rule of the instruction's op says."""
    op = setting.new.op
    rule = _SPECIAL.get(op) or _RULES.get(lowering(op).tag)
    if rule is None or getattr(lookup(op), "random", False):
        raise Unfit(f"{op} has no rule for axes of varying length")
    return rule(setting)


def broadcast(all_axes: list[Axes]) -> Axes:
    """The axes of what is computed element by element."""
    count = max(map(len, all_axes), default=0)
    found = []
    for k in range(-count, 0):
        kinds = {axes[k] for axes in all_axes if len(axes) >= -k} - {ONE}
        if len(kinds) > 1:
            raise Unfit("axes of different kinds meet")
        found.append(kinds.pop() if kinds else ONE)
    return tuple(found)


# ---- rules ---------------------------------------------------------------------------------------

_CHECKED = {"checked_index": 0, "checked_class": 0}


def _pointwise(s: Setting) -> Passed:
    masks: dict[int, Any] = {}
    if s.new.op in _CHECKED:
        masks[0] = _CHECKED[s.new.op]
    elif s.new.op == "expected":
        masks[0] = s.new.params["low"]
    return Passed([broadcast(s.axes)], masks)


def _neutral(kind: str, dtype: np.dtype) -> Any:
    if kind in ("add", "or"):
        return False if dtype == np.bool_ else 0
    if kind in ("mul", "and"):
        return True if dtype == np.bool_ else 1
    if dtype == np.bool_:
        return kind == "min"
    if dtype.kind == "f":
        return np.inf if kind == "min" else -np.inf
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max if kind == "min" else np.iinfo(dtype).min)
    raise Unfit(f"the {kind} of {dtype} along a varying axis")


def _reduce(s: Setting) -> Passed:
    (axes,), params = s.axes, s.new.params
    given = params.get("axis")
    if given is None:
        raise Unfit(f"{s.new.op} along all axes")
    over = {a % len(axes) for a in given} if axes else set()
    keep = params.get("keepdims", False)
    out = tuple(ONE if i in over else a for i, a in enumerate(axes) if keep or i not in over)
    if not any(varies(axes[i]) for i in over):
        return Passed([out], {})
    lower = lowering(s.new.op)
    assert isinstance(lower, ir.Reduce)
    return Passed([out], {0: _neutral(lower.kind, s.new.inputs[0].dtype)})


def _contract(s: Setting) -> Passed:
    a, b = s.axes
    ta, tb = s.new.params.get("ta", False), s.new.params.get("tb", False)
    if len(a) < 2 or len(b) < 2:
        raise Unfit("a product of vectors")
    rows, summed = (a[-1], a[-2]) if ta else (a[-2], a[-1])
    again, columns = (b[-1], b[-2]) if tb else (b[-2], b[-1])
    if summed != again:
        raise Unfit("a product sums axes of different kinds")
    masks = {0: 0, 1: 0} if varies(summed) else {}
    return Passed([(*broadcast([a[:-2], b[:-2]]), rows, columns)], masks)


def _move(s: Setting) -> Passed:
    lower = lowering(s.new.op)
    assert isinstance(lower, ir.Move)
    (axes,) = s.axes
    if lower.kind in ("reshape", "squeeze", "expand_dims"):
        return Passed([regrouped(axes, s.shapes(), s.at)], {})
    if lower.kind == "permute":
        return Passed([_permuted(s, axes)], {})
    if lower.kind == "broadcast":
        return Passed([_spread(s, axes)], {})
    if s.new.op == "slice_axis":
        return Passed([_sliced(s, axes)], {})
    if s.new.op == "slice_view":
        return Passed([_viewed(s, axes)], {})
    raise Unfit(f"{s.new.op} of a varying axis")


def _permuted(s: Setting, axes: Axes) -> Axes:
    lengths = range(2, 2 + len(axes))  # all different: the result's shape shows the order
    result = lookup(s.new.op).forward(np.empty(tuple(lengths), np.int8), **s.new.params)
    return tuple(axes[n - 2] for n in result.shape)


def _spread(s: Setting, axes: Axes) -> Axes:
    shapes = s.shapes()
    have = (ONE,) * (len(shapes) - len(axes)) + axes
    return tuple(
        _known(s, a, b) if axis == ONE and (a, b) != (1, 1) else axis
        for axis, (a, b) in zip(have, shapes, strict=True)
    )


def _known(s: Setting, a: int, b: int) -> Axis:
    """The axis of these lengths; of several factors only one that was met before."""
    if a == b:
        return (a,)
    fits = [
        x for x in s.known if shape_at((x,), s.at[0]) == (a,) and shape_at((x,), s.at[1]) == (b,)
    ]
    if len(fits) > 1:
        raise Unfit("it is not clear which varying axis is meant")
    return fits[0] if fits else axis_between(a, b, s.at)


def _sliced(s: Setting, axes: Axes) -> Axes:
    params = s.new.params
    k = params["axis"] % len(axes)
    if not varies(axes[k]):
        return (*axes[:k], _static(s, k), *axes[k + 1 :])
    if len(axes[k]) != 1 or params["step"] != 1 or params["start"] < 0 or params["stop"] < 0:
        raise Unfit("a part of a varying axis is taken in a way that depends on its end")
    return (*axes[:k], axis_between(*s.shapes()[k], s.at), *axes[k + 1 :])  # pyright: ignore[reportCallIssue]


def _viewed(s: Setting, axes: Axes) -> Axes:
    found: list[Axis] = []
    left = list(axes)
    for part in s.new.params["index"]:
        if part is None:
            found.append(ONE)
            continue
        axis = left.pop(0)
        whole = isinstance(part, slice) and part == slice(None)
        if varies(axis) and not whole:
            from_start = isinstance(part, slice) and (part.start or 0) >= 0
            if len(axis) != 1 or not from_start or part.step not in (None, 1):
                raise Unfit("a part of a varying axis is taken in a way that depends on its end")
        if isinstance(part, slice):
            place = len(found)
            found.append(axis if whole else axis_between(*s.shapes()[place], s.at))
    return (*found, *left)


def _static(s: Setting, k: int) -> Axis:
    a, b = s.shapes()[k]
    if a != b:
        raise Unfit("a varying part of an axis")
    return (a,)


def _take(s: Setting) -> Passed:
    x, *indices = s.axes
    if any(varies(axis) for axis in x[: len(indices)]):
        raise Unfit("elements of a varying axis are picked by number")
    return Passed([broadcast([x[len(indices) :], *indices])], {})


def _index(s: Setting) -> Passed:
    axes = tuple(_known(s, a, b) for a, b in s.shapes())
    along = axes[s.new.params["axis"]]
    if varies(along) and len(along) > 1:
        raise Unfit("positions along a flattened varying axis")
    return Passed([axes], {})


def _join(s: Setting) -> Passed:
    k = s.new.params["axis"] % len(s.axes[0])
    if any(varies(axes[k]) for axes in s.axes):
        raise Unfit("arrays are joined along a varying axis")
    rest = {axes[:k] + axes[k + 1 :] for axes in s.axes}
    if len(rest) > 1:
        raise Unfit("axes of different kinds meet")
    joined = (sum(axes[k][0] for axes in s.axes),)
    return Passed([(*s.axes[0][:k], joined, *s.axes[0][k + 1 :])], {})


def _scatter(s: Setting) -> Passed:
    return Passed([tuple(_static(s, k) for k in range(len(s.shapes())))], {0: 0})


def _embedding_sum(s: Setting) -> Passed:
    if s.new.params["by_count"]:
        raise Unfit("embedding gradients by count")
    return Passed([tuple(_static(s, k) for k in range(2))], {0: 0, 1: 0})


def _check_attention(q: Axes, k: Axes, v: Axes, causal: bool, masked: str) -> None:
    """Queries within the length must see no key beyond it."""
    if len(q) < 2 or masked or k[-2] != v[-2] or any(map(varies, (q[-1], k[-1], v[-1]))):
        raise Unfit("attention with a mask over a varying axis")
    if varies(k[-2]) and (not causal or q[-2] != k[-2]):
        raise Unfit("attention that is not causal sees all of a varying axis")


def _attention(s: Setting) -> Passed:
    q, k, v, _ = s.axes
    _check_attention(q, k, v, s.new.params["causal"], s.new.params["masked"])
    lead = broadcast([q[:-2], k[:-2], v[:-2]])
    rows = (*lead, q[-2])
    out = [(*rows, v[-1]), (*rows, ONE), (*rows, k[-2])]
    # Numbers beyond the length are finite then, so that nothing times them is nothing.
    return Passed(out[: len(s.new.outputs)], {0: 0, 1: 0, 2: 0})


def _attention_gradients(s: Setting) -> Passed:
    given = s.new.params["given"]
    wants, causal, masked = given[1], given[-2], given[-1]
    if len(s.axes) != 8 or wants[3] or len(s.new.outputs) != sum(wants):
        raise Unfit("gradients of attention with respect to its mask")
    q, k, v = s.axes[1:4]
    _check_attention(q, k, v, causal, masked)
    wanted = [x for x, want in zip((q, k, v), wants, strict=False) if want]
    return Passed(wanted, {0: 0, 1: 0, 2: 0, 3: 0, 5: 0})


_RULES: dict[str, Callable[[Setting], Passed]] = {
    "pointwise": _pointwise, "reduce": _reduce, "contract": _contract, "move": _move,
    "take": _take, "index": _index, "join": _join, "scatter": _scatter,
}  # fmt: skip
_SPECIAL: dict[str, Callable[[Setting], Passed]] = {
    "embedding_sum": _embedding_sum,
    "attention": _attention,
    "attention.gradients": _attention_gradients,
}
