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

An in-place write goes down to the memory at the bottom (`level_writes.py`); what a level knows
beyond the value (history, tangent) views derive again from their root when its version has moved
(`synced`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..ops.layout import viewed_strides
from ..ops.schema import TABLE, Op
from . import errors
from .dispatch import attach_view, entry, for_rules, remember_view
from .inplace import assign, refused
from .node import OutSlot
from .record import _UNCHANGED, edge, record
from .state import STATE, TRACE
from .strided_views import path_from_root
from .value import CREATION, FACTORY, NODE_VERSION, ROOT, TensorBase, make

_numbers = itertools.count(1)


class Level:
    """One active transform."""

    kind = "level"
    transforms = "grad (vjp, jvp, grad, etc)"  # as error messages call it
    refuses_captures = False  # whether a write to a tensor from outside is an error
    checks_writes = False  # whether `write` itself knows what may be written

    def __init__(self) -> None:
        self.index = next(_numbers)
        self.alive = True
        # Tensors of lower levels that were written inside, by id: (weak reference, old array).
        self.written: dict[int, tuple[Any, Any]] = {}
        # Tensors that a write lifted to this level: (weak reference, class they had).
        self.lifted: list[tuple[Any, type]] = []
        self.given: dict[int, Any] = {}  # arguments, which may be written

    def __enter__(self) -> Any:
        if STATE.unusual & TRACE:
            STATE.trace.enter(self)
        STATE.levels.append(self)
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        STATE.levels.remove(self)
        self.alive = False
        self.given.clear()
        if self.written or self.lifted:
            from .level_writes import settle

            settle(self, raises=kind is None)

    # What each kind of level defines.
    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        raise NotImplementedError

    def copy_parts(self, into: Any, value: Any) -> None:
        """Give `into` the payload of `value`, which is of this level."""
        raise NotImplementedError

    def write(self, x: Any, value: Any, name: str) -> Any:
        """Write a value of x's shape and type into x; one of the two is of this level."""
        from .level_writes import write_functionally

        return write_functionally(x, value)

    def lift(self, value: Any) -> Any:
        """A tensor of a lower level as a constant of this one."""
        raise NotImplementedError

    def detach(self, t: Any) -> Any:
        """The tensor as a constant of its level."""
        raise NotImplementedError

    def data(self, t: Any) -> Any:
        """What `t.data` is."""
        return self.detach(t)

    def detach_in_place(self, t: Any) -> None:
        """t.detach_(): beyond its history, which the caller takes."""

    def new_like(self, made: Any, t: Any) -> Any:
        """A new plain tensor that belongs to t: one for each example, where t is batched."""
        inner = t._a
        level = inner._level if isinstance(inner, TensorBase) else None
        return made if level is None else level.new_like(made, inner)

    def item(self, t: Any) -> Any:
        """The number a 0-dim tensor of this level holds."""
        return synced(t)._a.item()

    def truth(self, t: Any) -> bool:
        """What bool(t) of a 0-dim tensor is."""
        return bool(self.item(t))

    def text(self, t: Any) -> str:
        inner = repr(synced(t)._a).replace("\n", "\n    ")
        return f"{type(t).__name__}(lvl={self.index}, value=\n    {inner}\n)"

    def mine(self, t: Any) -> bool:
        """Whether a tensor belongs to this level."""
        return isinstance(t, TensorBase) and t._level is self

    def to_save(self, value: Any) -> Any:
        """A value that a node keeps, as an object of its own where writes are looked after: one
        that lives on would look like a captured tensor."""
        if any(level.written for level in STATE.levels):
            from .level_writes import twin_of_written

            return twin_of_written(value)
        return value

    def payload(self, t: Any) -> Any:
        """What an op of the next lower level gets for an argument."""
        if not isinstance(t, TensorBase) or t._level is not self:
            return t
        return t._a if t._view is None else synced(t)._a


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
    if payload._v is not None:
        t._v = payload._v  # one memory, one version, whichever level writes it
    return t


# ---- views and in-place -------------------------------------------------------------------------


def track_view(
    op: Op, args: tuple[Any, ...], params: dict[str, Any], outs: tuple[Any, ...]
) -> None:
    """Remember that results of a view op are views of their argument."""
    if op.view and isinstance(args[0], TensorBase) and _really_views(op, args[0], params):
        for number, out in enumerate(outs):
            attach_view(out, args[0], op, params, op.n_out != 1)
            out._view.append(number)
            # A write may lift the root to a level above this one, or give it another shape.
            remember_view(out._view[ROOT], out)


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
    version = t._v[0]
    if t._level.kind == "vmap":  # its payload shares the memory that was written
        t._rg = t._a._rg
        view_record[NODE_VERSION] = version
        return t
    enabled = STATE.grad_enabled
    STATE.set_grad_enabled(True)  # the view has a history, whoever looks at it
    try:
        value = derived(view_record[ROOT], view_record)
    finally:
        STATE.set_grad_enabled(enabled)
    if value._level is not None:
        value._level.copy_parts(t, value)
    view_record[NODE_VERSION] = version
    return t


def derived(root: Any, view_record: Any) -> Any:
    """The view of another root that a record describes."""
    value = root
    for op, params, which in path_from_root(view_record):
        value = entry(op)(value, **params)
        if op.n_out != 1:
            value = value[which]
    return value


# ---- reverse mode -------------------------------------------------------------------------------


_NO_SAVED_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks (nor what is "
    "made of them, such as checkpoint(use_reentrant=False)). Fix: use autograd.grad there."
)


class GradLevel(Level):
    """Reverse mode on a tape of its own (func.grad, func.vjp, func.jacrev)."""

    kind = "grad"
    refuses_captures = True
    checks_writes = True

    def __init__(self, of_a_user: bool = True) -> None:
        super().__init__()
        self.of_a_user = of_a_user  # not one of our own, for a rule

    def __enter__(self) -> GradLevel:
        if STATE.saved_hooks and self.of_a_user:
            raise RuntimeError(_NO_SAVED_HOOKS)
        self.outer = STATE.grad_enabled  # what holds for the levels below
        self.hooks_disabled = STATE.saved_hooks_disabled
        super().__enter__()
        if self.of_a_user:
            STATE.saved_hooks_disabled = _NO_SAVED_HOOKS
        STATE.set_grad_enabled(True)
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        STATE.set_grad_enabled(self.outer)
        STATE.saved_hooks_disabled = self.hooks_disabled
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
        return self.wrap(synced(t)._a.detach(), None)  # all levels forget it, as in PyTorch

    def data(self, t: Any) -> Any:
        return self.wrap(synced(t)._a, None)

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        args = for_rules(op, args)
        inner = tuple([self.payload(a) for a in args])
        enabled = STATE.grad_enabled
        recording = enabled and op.differentiable
        recording = recording and any([self.mine(a) and a._rg for a in args])
        STATE.set_grad_enabled(self.outer and enabled)
        try:
            result = entry(op)(*inner, **params)
        finally:
            STATE.set_grad_enabled(enabled)
        results = (result,) if op.n_out == 1 else tuple(result)
        outs = tuple([self.wrap(r, None) for r in results])
        if op.view:
            track_view(op, args, params, outs)
        if recording:
            tensors = tuple([a if self.mine(a) else None for a in args])
            versions = tuple([r._v or _UNCHANGED for r in results])
            node = record(op, tensors, inner, results, params, level=self, versions=versions)
            for k, out in enumerate(outs):
                if k not in op.nondiff_out and out.dtype.category >= 2:
                    out._rg = True
                    out._node = node if op.n_out == 1 else OutSlot(node, k)
        return outs[0] if op.n_out == 1 else outs

    def write(self, x: Any, value: Any, name: str) -> Any:
        from .level_writes import below, chain_to, lift_family, root_of

        if not self.mine(x):
            lift_family(self, x, name)
        x, root = synced(x), root_of(x)
        tracked = self.mine(value) and value._rg
        self._check_writable(x, root, name, tracked)
        inner = self.payload(value)
        with below(self, self.outer and STATE.grad_enabled):
            assign(x._a, inner, name)
        if not STATE.grad_enabled or not (tracked or root._rg):
            return x
        if x is root:
            x._rg, x._node = tracked, self._node_of(value, inner) if tracked else None
            return x
        before = self.wrap(root._a, edge(root))
        after = value if tracked else self.lift(inner)
        payloads = (root._a, inner)
        params = {"chain": chain_to(x)}
        op = TABLE["write_view"]
        root._node = record(op, (before, after), payloads, (root._a,), params, level=self)
        root._rg = True
        return synced(x)

    def _node_of(self, value: Any, inner: Any) -> Any:
        """The node a written value comes from; for an input, one that leads to it."""
        if value._node is not None:
            return value._node
        return record(TABLE["copy_value"], (value,), (inner,), (inner,), {}, level=self)

    def _check_writable(self, x: Any, root: Any, name: str, tracked: bool) -> None:
        if not STATE.grad_enabled:
            return
        if root._rg and root._node is None:
            raise errors.leaf_in_place(x is not root, name, x.shape)
        if x is not root and x._view[CREATION] and (tracked or root._rg):
            raise refused(x, name)


_OVERRIDES["GradTensor"] = {}
