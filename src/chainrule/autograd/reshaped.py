"""In-place changes of shape: t_, squeeze_, unsqueeze_, transpose_, as_strided_.

The tensor shows the same memory in another shape. Recorded, it is a view of what it was. Not
recorded (under no_grad) its history stays, as in PyTorch: gradients that do not fit the shape the
history was recorded for are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.schema import TABLE
from . import errors
from .inplace import bump, check_writable, move_retention
from .node import Node, rename, start
from .state import STATE
from .value import CREATION, NODE_VERSION, PARENT, ROOT, VIEW_OP, VIEW_PARAMS


class Reshaped(Node):
    """Stands before the node of a tensor whose shape was changed without recording it."""

    __slots__ = ("shape",)

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        from ..ops.worlds import ARRAYS

        return self._fitted(g, ARRAYS)

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        from .running_rules import tensors_world

        return self._fitted(g, tensors_world())

    def _fitted(self, g: Any, world: Any) -> tuple[Any, ...]:
        have, want = tuple(g.shape), self.shape
        if have == want:
            return (g,)
        lead = len(have) - len(want)
        if lead < 0 or any(n not in (1, h) for h, n in zip(have[lead:], want, strict=True)):
            raise errors.wrong_gradient_shape(self, 0, have, want)
        return (world.function("unbroadcast")(g, want),)


def show_as(t: Any, view: Any, name: str, node_name: str) -> Any:
    """t now shows what `view`, a view of it, shows."""
    if t._level is not None and t._level.kind != "meta":
        return _show_on_level(t, view, name)
    recording = STATE.grad_enabled and t._rg
    check_writable(t, name, recording)
    old_shape = tuple(t.shape)
    t._a = view._a
    if t._view is not None:
        view._view[CREATION] = t._view[CREATION]
        t._view = view._view
    elif t._level is None:
        t._rare = {**(t._rare or {}), "reshaped": True}  # its views were made from another shape
    if recording:
        _stay_retained(t)
        t._node = view._node
        rename(t._node, node_name)
    elif t._node is not None and t._view is None:
        t._node = _standing_before(t, old_shape)
    bump(t, name)
    if recording and t._view is not None and t._v is not None:
        t._view[NODE_VERSION] = t._v[0]
    return t


def _stay_retained(t: Any) -> None:
    """A gradient to keep stays that of the shape it was asked for, until t is written."""
    from .hooks import retains_grad

    if retains_grad(t) and not (t._rare and "retained_at" in t._rare):
        t._rare = {**(t._rare or {}), "retained_at": t._node}


def _show_on_level(t: Any, view: Any, name: str) -> Any:
    """The same for a tensor of a transform: with its tangent, its history, its examples."""
    if STATE.grad_enabled and t._rg and t._view is None and t._node is None:
        if t._level.kind == "grad":
            raise errors.leaf_in_place(False, name, t.shape)
    if t._view is None:
        _lead_back(t, view, name)
    t._level.copy_parts(t, view)
    if t._view is not None:
        t._view = view._view
    bump(t, name)
    if t._view is not None and t._v is not None:
        t._view[NODE_VERSION] = t._v[0]
    return t


def _lead_back(root: Any, shown: Any, name: str) -> None:
    """Let views of a root, which are derived from it, begin with the shape it had."""
    op, params = shown._view[VIEW_OP], shown._view[VIEW_PARAMS]
    if op.name not in ("t", "swap_axes"):  # these undo themselves
        op, params = TABLE["reshape"], {"shape": tuple(root.shape)}
    begun: set[int] = set()
    rare: dict[str, Any] = root._rare or {}
    for reference in rare.get("views", ()):
        view: Any = reference()
        if view is None or view is shown or view._view is None or view._view[ROOT] is not root:
            continue
        if name == "as_strided_":
            raise RuntimeError(
                "as_strided_ of a tensor that has views is not supported inside of a transform\n"
                "  Fix: make the views after it, or use as_strided."
            )
        first = view._view
        while first[PARENT] is not None:
            first = first[PARENT]
        if id(first) not in begun:
            first[PARENT] = [root, None, op, params, *first[NODE_VERSION : CREATION + 1]]
            begun |= {id(first), id(first[PARENT])}


def _standing_before(t: Any, shape: tuple[int, ...]) -> Any:
    old = t._node
    made = getattr(old, "node", old)
    node = start(Reshaped(), (old,), made.code, made.lasti)
    node.shape = shape
    node.meta = ((tuple(t.shape), np.dtype(t.dtype.np)),)
    rename(node, made.name())
    move_retention(t, node)
    return node
