"""How an op runs on one more leading dimension (vmap), as plain data.

"elementwise"  operands broadcast: align ranks behind the batch dimension
"leading"      the same: dimensions before the op's own, which are the last, broadcast
"loop"         run each example, stack the results: always correct
Front(...)     the batch dimension goes in front; parameters named in `axes` (an int or a tuple of
               non-negative ints) move by one, those in `shapes` get the batch size in front
f(values, batched, size, params)   written in ops: computes the batched result, batch in front, from
               values of which those marked in `batched` have their batch dimension in front
Fold(names)    when only these inputs are batched, their examples join the first dimension (the
               op treats its rows alone); else example by example
Plain(f)       the op is replaced by f, the same computation written in other ops (as `ir.compose`)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Front:
    """Batch dimension in front; see the module's docstring."""

    __slots__ = ("axes", "shapes")

    def __init__(self, axes: tuple[str, ...] = (), shapes: tuple[str, ...] = ()) -> None:
        self.axes = axes
        self.shapes = shapes

    def params(self, params: dict[str, Any], size: int) -> dict[str, Any]:
        """The op's parameters for inputs with `size` examples in front."""
        new = dict(params)
        for name in self.axes:
            new[name] = shifted(params[name])
        for name in self.shapes:
            new[name] = (size, *params[name])
        return new


class Fold:
    """Examples as more rows of the named inputs; see the module's docstring."""

    __slots__ = ("inputs",)

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.inputs = inputs


class Plain:
    """A fused op as ops that batch by themselves; see the module's docstring."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


def shifted(axis: Any) -> Any:
    """An axis, or axes, one further to the right; None stays None."""
    if axis is None:
        return None
    if isinstance(axis, int):
        return axis + 1
    return tuple(shifted(a) for a in axis)
