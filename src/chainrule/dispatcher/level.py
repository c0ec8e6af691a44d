"""The level of tensors whose class is asked about ops, and of all tensors while a mode is on.

It lies below every transform. An op is put before the handlers as operators of PyTorch
(`lowering`), and what they return becomes part of the tape: with the op's own node, whose rules run
on tensors, so that the operators of the backward pass are put before the handlers too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..autograd import refusal
from ..autograd.dispatch import attach_view, prepare, shares_memory
from ..autograd.inplace import check_fit, check_writable, set_history
from ..autograd.levels import Level, track_view
from ..autograd.node import Node, OutSlot
from ..autograd.op_rules import saved_names
from ..autograd.plain_write import bump
from ..autograd.record import edge, record
from ..autograd.running_rules import fix_of, tensors_world
from ..autograd.state import DISPATCH, STATE
from ..autograd.value import FACTORY, PLAIN, TensorBase, make
from ..ops.dtypes import from_numpy_dtype
from ..ops.schema import TABLE, Op
from . import calls
from .asking import KIND, disabled, is_asked, send, tensors_in
from .composites import COMPOSITES
from .gradients import GRADIENTS, UNSAVED, summed_to
from .lowering import finder, lower, lower_in_place

_new = object.__new__


def twin(t: Any) -> Any:
    """Another object for a tensor: of its class and attributes, on its memory, without history."""
    made = _new(type(t))
    made.__dict__.update(t.__dict__)
    made._a, made._v = t._a, t._v
    made._rg, made._node, made._view, made._grad, made._rare = False, None, None, None, None
    return made


def _is_plain(t: Any) -> bool:
    return not isinstance(t, TensorBase) or (t.__class__ in PLAIN and t._level is None)


class DispatchLevel(Level):
    """Puts ops before handlers, below autograd."""

    kind = KIND

    def __init__(self) -> None:
        super().__init__()
        self.index = 0  # below every transform
        self.recorded = False  # whether a node of this level was ever made

    def handles(self, *values: Any) -> bool:
        """Whether handlers are to be asked about an op on these values."""
        asked = False
        for v in values:
            level = getattr(v, "_level", None)
            if level is not None:
                if level.index:
                    return False
                asked = asked or level is self
        return bool(STATE.unusual & DISPATCH) or (asked and STATE.dispatching)

    def wants(self, args: Any, kwargs: dict[str, Any]) -> bool:
        """Whether an operator that a handler calls has somebody else to be put before."""
        if not STATE.dispatching:
            return False
        return bool(STATE.dispatch_modes) or any(
            is_asked(t) for t in tensors_in((*args, *kwargs.values()))
        )

    def send(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Put an operator before the handlers."""
        return send(func, tuple(args), kwargs)

    # ---- ops ----

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if not STATE.dispatching:
            return self._unasked(op, args, params)
        composite = COMPOSITES.get(op.name)
        if composite is not None:
            made = composite(*args, **params)
            if made is not NotImplemented:
                return made
        calls.NOTES.extra = None
        results = lower(op, args, params)
        if op.n_out == 1:
            return self.with_history(op, args, params, (results,))[0]
        return self.with_history(op, args, params, tuple(results))

    def _unasked(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The op on the memory that the tensors have themselves."""
        from ..autograd.dispatch import entry

        bare = []
        for a in args:
            if is_asked(a):
                b = make(a._a)
                b._v, b._rg, b._node = a._v, a._rg, edge(a)
                a = b
            bare.append(a)
        return entry(op)(*bare, **params)

    def with_history(
        self, op: Op, args: tuple[Any, ...], params: dict[str, Any], outs: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """What handlers returned, as views and with the op's node where that applies."""
        for out in outs:
            if not isinstance(out, TensorBase):
                return outs  # a handler may return what it likes, and nothing flows back then
        given = list(tensors_in(args))
        outs = tuple(self._other(o) if o._rg or any(o is t for t in given) else o for o in outs)
        recording = STATE.grad_enabled and op.differentiable and any(t._rg for t in given)
        if all(map(_is_plain, (*args, *outs))):
            return self._plain_history(op, args, params, outs, recording)
        if op.view:
            for out in outs:
                out._view = None
            track_view(op, args, params, outs)
        if recording:
            self.recorded = True
            inner = tuple(twin(a) if isinstance(a, TensorBase) else a for a in args)
            results = tuple(map(twin, outs))
            node = record(op, args, inner, results, params, level=self)
            self._join(op, node, outs)
        return outs

    def _other(self, t: Any) -> Any:
        """A new object where a result is one of the arguments, or has a history of its own."""
        return twin(t)

    def _plain_history(
        self, op: Op, args: tuple[Any, ...], params: dict[str, Any], outs: tuple[Any, ...],
        recording: bool,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Results that are plain tensors get the nodes that they have without a mode."""
        if not recording and not op.view:
            return outs
        with disabled():
            tensors = prepare(op, args)
        payloads = tuple(t._a if isinstance(t, TensorBase) else t for t in tensors)
        if op.view:
            for k, out in enumerate(outs):
                out._view = None
                if shares_memory(out._a, payloads[0]):
                    attach_view(out, tensors[0], op, params, op.n_out != 1)
                    if op.n_out != 1 and out._view is not None:
                        out._view.append(k)
        if recording:
            arrays = tuple(o._a for o in outs)
            versions = tuple(o._v for o in outs)
            self._join(op, record(op, tensors, payloads, arrays, params, versions=versions), outs)
        return outs

    def _join(self, op: Op, node: Any, outs: tuple[Any, ...]) -> None:
        extra = calls.NOTES.__dict__.pop("extra", None)
        if extra is not None:
            node.fix.extra = extra
        for name in saved_names(op):
            kind, k = op.classify(name)
            if kind == "out" and k < len(outs) and op.name not in UNSAVED:
                calls.aten("detach.default", outs[k])  # what is saved of a result has no history
        for k, out in enumerate(outs):
            if k not in op.nondiff_out and out.dtype.category >= 2:
                out._rg = True
                out._node = node if op.n_out == 1 else OutSlot(node, k)

    def public(self, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """A public function that is no op and has an operator, on tensors of asked classes."""
        from .creation import special

        return special(function, args, kwargs)

    def finding(self, find: Any) -> Any:
        """How places along a dimension are found: with their values, where that is an operator."""
        name = {"argmax": "max", "argmin": "min"}.get(find.__name__)
        return find if name is None else finder(name)

    # ---- writes ----

    def inplace(
        self, op: Op, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str
    ) -> Any:
        """x.op_(*args), as the operator that writes where PyTorch has one."""
        given = (x, *args)
        if not STATE.dispatching:
            value = self._unasked(op, given, params)
            return self._write_memory(x, value, name)
        recording = op.differentiable and STATE.grad_enabled and x.dtype.category >= 2
        recording = recording and any(t._rg for t in tensors_in(given))
        check_writable(x, name, recording)
        before = given
        if recording:
            before = self._as_before(op, given)
        version = x._v[0] if x._v is not None else None
        lower_in_place(op, x, args, params, name)
        self._note(x, version, name)
        if recording:
            self._write_history(op, x, before, params)
        return x

    def assign(self, x: Any, value: Any, name: str) -> Any:
        """x takes the value of a computed tensor: `copy_`."""
        if not STATE.dispatching:
            return self._write_memory(x, value, name)
        check_fit(tuple(x.shape), x.dtype.np, tuple(value.shape), value.dtype.np, name)
        recording = STATE.grad_enabled and x.dtype.category >= 2 and (x._rg or value._rg)
        check_writable(x, name, recording)
        before = twin(value)
        before._rg, before._node = value._rg, edge(value)
        version = x._v[0] if x._v is not None else None
        calls.aten("copy_.default", x, value)
        self._note(x, version, name)
        if recording:
            self._write_history(TABLE["copy_value"], x, (before,), {})
        return x

    def _write_memory(self, x: Any, value: Any, name: str) -> Any:
        x._a[...] = value._a
        bump(x, name)
        return x

    def _note(self, x: Any, version: int | None, name: str) -> None:
        """A write that moved no version (of a tensor that holds others) moves this one."""
        if version is not None and x._v[0] == version:
            bump(x, name)

    def _as_before(self, op: Op, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands with the history, and where it is about to change the memory, of now."""
        made = []
        for t in given:
            if not isinstance(t, TensorBase):
                made.append(t)
                continue
            shared = t._v is given[0]._v and t._v is not None
            old = twin(t)
            if shared and _is_plain(t):
                old = make(t._a.copy())
            elif shared and op.inputs[0] in saved_names(op):
                with disabled_recording():
                    old = twin(t.clone())
            old._rg, old._node = t._rg, edge(t)
            made.append(old)
        return tuple(made)

    def _write_history(
        self, op: Op, x: Any, before: tuple[Any, ...], params: dict[str, Any]
    ) -> None:
        """x's value now comes from the op's node."""
        if all(map(_is_plain, (x, *before))):
            with disabled():
                tensors = prepare(op, before)
            payloads = tuple(t._a if isinstance(t, TensorBase) else t for t in tensors)
            node = record(op, tensors, payloads, (x._a,), params, versions=(x._v,))
            set_history(x, node)
            return
        self.recorded = True
        inner = tuple(twin(a) if isinstance(a, TensorBase) else a for a in before)
        node = record(op, before, inner, (twin(x),), params, level=self)
        if x._view is None:
            x._node, x._rg = node, True
            return
        from ..autograd.inplace import chain_to

        root = x._view[0]
        old, value = twin(root), twin(x)
        old._rg, old._node = root._rg, edge(root)
        value._rg, value._node = True, node
        chain = {"chain": chain_to(x)}
        pair = (twin(root), twin(x))
        root._node = record(
            TABLE["write_view"], (old, value), pair, (twin(root),), chain, level=self
        )
        root._rg = True
        x._node, x._rg = node, True
        x._view[4] = x._v[0]

    def write(self, x: Any, value: Any, name: str) -> Any:
        return self.assign(x, value, name)

    # ---- the tape ----

    def wrap(self, value: Any, history: Any) -> Any:
        t = twin(value)
        if history is not None:
            t._rg, t._node = True, history
        return t

    def lift(self, value: Any) -> Any:
        return value

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a, into._rg, into._node = value._a, value._rg, value._node

    def ones(self, t: Any) -> Any:
        """The gradient that backward() starts from."""
        from ..tensor.layouts import preserve_format

        return calls.aten("ones_like.default", t, pin_memory=False, memory_format=preserve_format)

    def is_behind(self, edges: Sequence[Any]) -> bool:
        """Whether a node of this level lies behind a place of the graph."""
        if not self.recorded:
            return False
        seen: set[int] = set()
        stack = [e.node if e.__class__ is OutSlot else e for e in edges]
        while stack:
            node = stack.pop()
            if not isinstance(node, Node) or node.key in seen:
                continue
            seen.add(node.key)
            if getattr(node, "level", None) is self:
                return True
            stack += [p.node if p.__class__ is OutSlot else p for p in node.parents]
        return False

    def accumulated(self, leaf: Any, have: Any, g: Any, fresh: bool) -> Any:
        """What a leaf's `.grad` becomes: as in PyTorch the gradient itself where nobody has it."""
        if have is not None:
            return have + g
        walk = STATE.passes[-1] if STATE.passes else None
        known = walk is None or id(g) in walk.taken or not walk.taken
        if walk is not None:
            walk.taken[id(g)] = g
        if known or tuple(g.stride()) != tuple(leaf.stride()):
            made = calls.aten(
                "new_empty_strided.default", leaf, list(g.shape), list(leaf.stride()),
                dtype=g.dtype, layout=g.layout, device=g.device,
            )  # fmt: skip
            return calls.aten("copy_.default", made, g)
        return calls.aten("detach.default", g)

    def gradients(
        self, node: Any, g: Any, parents: tuple[Any, ...], values: dict[str, Any]
    ) -> tuple[Any, ...] | None:
        """The gradients of a node's inputs in PyTorch's operators; None: by its rules."""
        incoming = tuple(g) if node.multi else (g,)
        if STATE.grad_enabled or not self.handles(*incoming):
            return None
        op, mask = node.op, tuple(p is not None for p in parents)
        for name in values:
            if op.name in UNSAVED or not isinstance(values[name], TensorBase):
                continue
            if op.classify(name)[0] == "out":
                values[name] = calls.aten("detach.default", values[name])
        formula = GRADIENTS.get(op.name)
        if formula is None:
            return None
        fix = fix_of(node)
        made = formula(g, values, mask, None if fix is None else fix.extra)
        if made is None:
            return None
        return tuple(
            x if x is None or not wanted else self._fitting(x, fix, k)
            for k, (x, wanted) in enumerate(zip(made, mask, strict=False))
        )

    def summed(self, g: Any, shape: tuple[int, ...]) -> Any:
        """A gradient summed to the shape of its input."""
        if STATE.grad_enabled or not self.handles(g):
            return tensors_world().function("unbroadcast")(g, shape)
        return summed_to(g, shape)

    def _fitting(self, g: Any, fix: Any, k: int) -> Any:
        """A gradient of the shape and type of its input."""
        target = None if fix is None or fix.inputs is None else fix.inputs[k]
        if target is None:
            return g
        shape, dtype = target
        if tuple(g.shape) != shape:
            g = summed_to(g, shape)
        if dtype is not None and g.dtype.np != dtype:
            g = calls.aten("_to_copy.default", g, dtype=from_numpy_dtype(dtype))
        return g

    # ---- what a tensor is asked for ----

    def detach(self, t: Any) -> Any:
        """`t.detach()`, about which handlers are asked."""
        if not STATE.dispatching:
            made = twin(t)
            return made
        made = calls.aten("detach.default", t)
        if isinstance(made, TensorBase) and (made is t or made._rg):
            made = twin(made)
        if isinstance(made, TensorBase) and made._v is not None:
            made._v = t._v  # the same memory
        return made

    def data(self, t: Any) -> Any:
        return self.detach(t)

    def item(self, t: Any) -> Any:
        if not STATE.dispatching:
            return t._a.item()
        return calls.aten("_local_scalar_dense.default", t)

    def truth(self, t: Any) -> bool:
        return bool(self.item(t))

    def new_like(self, made: Any, t: Any) -> Any:
        return made

    def text(self, t: Any) -> str:
        with disabled():
            if "_wraps" not in t.__dict__:
                from ..tensor.text import plain_text

                return plain_text(t)
        parts = [f"size={tuple(t.shape)}", f"dtype={t.dtype!r}"]
        if t._rg:
            parts.append("requires_grad=True" if t._node is None else f"grad_fn={t.grad_fn!r}")
        return f"{type(t).__name__}(..., {', '.join(parts)})"

    def array(self, t: Any, what: str) -> Any:
        if not STATE.dispatching and "_wraps" not in t.__dict__:
            return t._a
        who = "." if what == "numpy()" else f", got {type(t).__name__}"
        raise refusal.runtime(
            f".{what} is not supported for tensor subclasses{who}",
            f"a {type(t).__name__}",
            why="Its class decides with __torch_dispatch__ what its values are.",
            fix="take the tensor that it holds, or convert it to a plain one first.",
        )


def disabled_recording() -> Any:
    """A block in which nothing is recorded."""
    from ..autograd.modes import no_grad

    return no_grad()


FACTORY.dispatcher = DispatchLevel()

__all__ = ["DispatchLevel", "send", "twin"]
