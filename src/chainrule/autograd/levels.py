"""Transform levels: how grad, jvp and vmap nest in any order.

Each active transform has a level; levels are numbered by nesting. A tensor of a level has a tensor
of a lower level as its payload, and the innermost payload is a plain tensor:

    GradTensor   payload + its own history on that level's tape
    DualTensor   payload (the primal) + a tangent
    BatchTensor  payload with one dimension more than the tensor shows

An op is handled by the highest level among its arguments, which takes its own arguments apart,
runs the op (or its rule) on the payloads — so the next lower level sees it — and wraps the result.
Tensors of other levels are constants to it. That is all there is to `grad(jvp(vmap(f)))`, and why
perturbations of different levels cannot be confused.

In-place writes are functional here: the tensor object takes a new payload, and views are derived
again from their root when its version has moved (`synced`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from weakref import ref

from ..ops.layout import viewed_strides
from ..ops.schema import TABLE, Op
from . import source
from .dispatch import attach_view, entry
from .node import OutSlot
from .record import record
from .state import STATE
from .value import FACTORY, NODE_VERSION, ROOT, VIEW_OP, VIEW_PARAMS, TensorBase, make

_numbers = itertools.count(1)


class Level:
    """One active transform."""

    kind = "level"
    transforms = "grad (vjp, jvp, grad, etc)"  # as error messages call it

    def __init__(self) -> None:
        self.index = next(_numbers)
        self.alive = True
        # Tensors that an in-place write lifted to this level, and what they were before.
        self.changed: list[tuple[Any, ...]] = []

    def __enter__(self) -> Any:
        STATE.levels.append(self)
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        STATE.levels.remove(self)
        self.alive = False
        self._settle_captures(raises=kind is None)

    def _settle_captures(self, raises: bool) -> None:
        """Nothing of this level may outlive it: give captured tensors their old selves back."""
        captured = False
        for reference, old_class, array, requires_grad, node in self.changed:
            t = reference()
            if t is None or t.__dict__.get("_returned") or t._level is not self:
                continue
            captured = True
            t.__class__ = old_class
            for name in ("_level", "_tangent", "_bdim"):
                t.__dict__.pop(name, None)
            t._a, t._rg, t._node = array, requires_grad, node
        self.changed.clear()
        if captured and raises:
            raise RuntimeError(
                f"During a {self.transforms} transform, the function provided attempted to call "
                "in-place operation that would mutate a captured Tensor. This is not supported; "
                "please rewrite the function being transformed to explicitly accept the mutated "
                "Tensor(s) as inputs.\n  The captured tensor has its old value again."
            )

    # What each kind of level defines.
    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        raise NotImplementedError

    def copy_parts(self, into: Any, value: Any) -> None:
        """Give `into` the payload of `value`, which is of this level."""
        raise NotImplementedError

    def lift(self, value: Any) -> Any:
        """A tensor of a lower level as a constant of this one."""
        raise NotImplementedError

    def detach(self, t: Any) -> Any:
        """The tensor as a constant of its level."""
        raise NotImplementedError

    def item(self, t: Any) -> Any:
        """The number a 0-dim tensor of this level holds."""
        return synced(t)._a.item()

    def text(self, t: Any) -> str:
        inner = repr(synced(t)._a).replace("\n", "\n    ")
        return f"{type(t).__name__}(lvl={self.index}, value=\n    {inner}\n)"

    def mine(self, t: Any) -> bool:
        """Whether a tensor belongs to this level."""
        return isinstance(t, TensorBase) and t._level is self

    def payload(self, t: Any) -> Any:
        """What an op of the next lower level gets for an argument."""
        return synced(t)._a if self.mine(t) else t


def wrap_class(name: str) -> type:
    """The class of a level's tensors: a Tensor whose metadata comes from its payload."""
    found = _CLASSES.get(name)
    if found is None:
        tensor = FACTORY.Tensor
        space: dict[str, Any] = {"__slots__": (), "__new__": _no_constructor}
        for metadata in ("dtype", "device"):
            space[metadata] = property(lambda self, m=metadata: getattr(self._a, m))
        for method in ("stride", "storage_offset", "is_contiguous", "data_ptr"):
            space[method] = _delegate(method)
        space.update(_OVERRIDES.get(name, {}))
        found = _CLASSES[name] = type(name, (tensor,), space)
    return found


_CLASSES: dict[str, type] = {}
_OVERRIDES: dict[str, dict[str, Any]] = {}


def _no_constructor(cls: type, *args: Any, **kwargs: Any) -> Any:
    raise TypeError(f"{cls.__name__} objects are made by transforms only")


def _delegate(method: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(synced(self)._a, method)(*args, **kwargs)

    return call


def new_tensor(class_name: str, level: Level, payload: Any) -> Any:
    """A tensor of a level around a payload, without history."""
    t = make(payload)
    t.__class__ = wrap_class(class_name)
    t._level = level
    return t


# ---- views and in-place -------------------------------------------------------------------------


def track_view(
    op: Op, args: tuple[Any, ...], params: dict[str, Any], outs: tuple[Any, ...]
) -> None:
    """Remember that results of a view op are views of their argument."""
    if op.view and isinstance(args[0], TensorBase) and _really_views(op, args[0], params):
        for number, out in enumerate(outs):
            attach_view(out, args[0], op, params, len(outs) > 1)
            out._view.append(number)


def _really_views(op: Op, t: Any, params: dict[str, Any]) -> bool:
    """Whether a view op gives a view here: reshape copies where strides do not allow one."""
    if op.name != "reshape":
        return True
    return viewed_strides(tuple(t.shape), tuple(t.stride()), params["shape"]) is not None


def synced(t: Any) -> Any:
    """The tensor, re-derived from its root when that was written in place."""
    view_record = t._view
    if view_record is None or t._level is None or view_record[NODE_VERSION] == t._v[0]:
        return t
    value = view_record[ROOT]
    for op, params, which in _chain(view_record):
        value = entry(op)(value, **params)
        if op.n_out != 1:
            value = value[which]
    version = t._v[0]
    if value._level is not None:
        value._level.copy_parts(t, value)
    view_record[NODE_VERSION] = version
    return t


def _chain(view_record: Any) -> list[tuple[Op, dict[str, Any], int]]:
    chain = []
    while view_record is not None:
        which = view_record[6] if len(view_record) > 6 else 0
        chain.append((view_record[VIEW_OP], view_record[VIEW_PARAMS], which))
        view_record = view_record[1]
    return chain[::-1]


def assign_level(x: Any, value: Any, name: str) -> Any:
    """x takes the value of a computed tensor, in place, inside a transform."""
    from .inplace import chain_to

    if tuple(x.shape) != tuple(value.shape):
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape "
            f"{list(value.shape)}\n  {name} at {source.here(3)}"
        )
    if value.dtype is not x.dtype:
        value = value.to(x.dtype)
    if x._view is None:
        if value.stride() != x.stride():  # memory keeps its layout, whatever is written into it
            value = entry(TABLE["write_view"])(x, value, chain=())
        _become(x, value)
        x._v = [x._v[0] + 1 if x._v else 1] if x._v is None else x._v
        x._v[0] += 1
        return x
    root = synced(x)._view[ROOT]
    chain = chain_to(x)
    _become(root, entry(TABLE["write_view"])(root, value, chain=chain))
    x._v[0] += 1
    if x._level is None and root._level is not None:
        # A plain view of a tensor that is of this level now: it becomes one too.
        _become(x, value)
        x._view[NODE_VERSION] = -1
    return synced(x)


def _become(x: Any, value: Any) -> None:
    """Turn the object x into a tensor with the value's payload (and level)."""
    level = value._level
    if x._level is not None and (level is None or x._level.index > level.index):
        x._level.copy_parts(x, x._level.lift(value))
        return
    if level is None:
        x._a = value._a
        x._rg, x._node = value._rg, value._node
        return
    if x._level is not level:
        level.changed.append((ref(x), x.__class__, x._a, x._rg, x._node))
        x.__class__ = value.__class__
        x.__dict__["_level"] = level
    level.copy_parts(x, value)


# ---- reverse mode -------------------------------------------------------------------------------


class GradLevel(Level):
    """Reverse mode on a tape of its own (func.grad, func.vjp, func.jacrev)."""

    kind = "grad"

    def __enter__(self) -> GradLevel:
        self.outer = STATE.grad_enabled  # what holds for the levels below
        super().__enter__()
        STATE.set_grad_enabled(True)
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        STATE.set_grad_enabled(self.outer)
        super().__exit__(kind, problem, trace)

    def leaf(self, value: Any) -> Any:
        """An input to differentiate with respect to."""
        t = new_tensor("GradTensor", self, value)
        t._rg = True
        return t

    def wrap(self, value: Any, history: Any) -> Any:
        t = new_tensor("GradTensor", self, value)
        if history is not None:
            t._rg, t._node = True, history
        return t

    def lift(self, value: Any) -> Any:
        return self.wrap(value, None)

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a, into._rg, into._node = value._a, value._rg, value._node

    def detach(self, t: Any) -> Any:
        return self.wrap(synced(t)._a, None)

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        inner = tuple(self.payload(a) for a in args)
        recording = STATE.grad_enabled and op.differentiable
        recording = recording and any(self.mine(a) and a._rg for a in args)
        enabled = STATE.grad_enabled
        STATE.set_grad_enabled(self.outer)
        try:
            result = entry(op)(*inner, **params)
        finally:
            STATE.set_grad_enabled(enabled)
        results = (result,) if op.n_out == 1 else tuple(result)
        outs = tuple(self.wrap(r, None) for r in results)
        track_view(op, args, params, outs)
        if recording:
            tensors = tuple(a if self.mine(a) else None for a in args)
            node = record(op, tensors, inner, results, params, level=self)
            for k, out in enumerate(outs):
                if k not in op.nondiff_out and out.dtype.category >= 2:
                    out._rg = True
                    out._node = node if op.n_out == 1 else OutSlot(node, k)
        return outs[0] if op.n_out == 1 else outs


_OVERRIDES["GradTensor"] = {}
