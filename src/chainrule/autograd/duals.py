"""Forward mode: dual tensors, and the tangent of an op's result from its rules.

A rule for the tangent comes from the declaration: `partials` (t times the partial), `linear_in`
(the op itself), `jvp`; without any of these from the VJP rules, by differentiating them with
respect to the gradient they are linear in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops.layout import overlaps_itself
from ..ops.schema import TABLE, Op, rule_names
from .dispatch import TENSORS, P, entry, for_rules
from .inplace import assign
from .levels import _OVERRIDES, GradLevel, Level, derived, new_tensor, synced, track_view
from .op_rules import rules_of
from .record import _about
from .running_rules import Fix, fix_of, in_half, run_rules, wider
from .state import STATE
from .strided_views import layout_of
from .value import ROOT, TensorBase, make


class DualLevel(Level):
    """Forward mode: tensors carry a tangent (func.jvp, autograd.forward_ad)."""

    kind = "dual"
    checks_writes = True

    def __init__(self, records_tangents: bool = False) -> None:
        super().__init__()
        # Tangents of values saved on the base tape, by node key: for backward over duals.
        self.shadow: dict[int, dict[str, Any]] = {}
        self.by_hand = False
        # Whether what is done with tangents is recorded even under no_grad, which forward mode
        # does not heed: `linearize` keeps the tape of it.
        self.records_tangents = records_tangents

    @property
    def refuses_captures(self) -> bool:  # type: ignore[override]
        return not self.by_hand

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        self.shadow.clear()
        super().__exit__(kind, problem, trace)

    def dual(self, primal: Any, tangent: Any) -> Any:
        """A tensor with a tangent."""
        t = new_tensor("DualTensor", self, primal)
        t._tangent = tangent
        t._rg = primal._rg
        t._node = None
        return t

    def lift(self, value: Any) -> Any:
        return self.dual(value, zeros_like(value))

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a, into._rg = value._a, value._rg
        into.__dict__["_tangent"] = value._tangent

    def detach(self, t: Any) -> Any:
        return synced(t)._a.detach()  # detach() stops tangents too, as in PyTorch

    def detach_in_place(self, t: Any) -> None:
        t.__dict__["_tangent"] = zeros_like(t)
        t._a = t._a.detach()

    def text(self, t: Any) -> str:
        inner = repr(synced(t)._a)
        return f"{inner[:-1]}, tangent={t._tangent!r})"

    def tangent_of(self, t: Any) -> Any:
        return synced(t)._tangent if self.mine(t) else None

    def of_tangents(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function that computes with tangents, recorded where they are to be."""
        if not self.records_tangents or STATE.grad_enabled:
            return function(*args)
        STATE.set_grad_enabled(True)
        try:
            return function(*args)
        finally:
            STATE.set_grad_enabled(False)

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if op.view and op.name == "as_strided":
            args, params = self._from_root(args[0], params)
        args = for_rules(op, args)
        inner = tuple(self.payload(a) for a in args)
        result = entry(op)(*inner, **params)
        tangents = tuple(self.tangent_of(a) for a in args)
        results = (result,) if op.n_out == 1 else tuple(result)
        if not op.differentiable or not STATE.forward_grad_enabled:
            return result
        try:
            made = self.of_tangents(jvp_of, op, inner, tangents, results, params)
        except NotImplementedError as problem:
            raise NotImplementedError(
                f"Trying to use forward AD with {op.name} that does not support it: {problem}"
            ) from None
        if not op.view:
            made = tuple(None if t is None else _own(t, tangents) for t in made)
        outs = tuple(
            r if t is None or r.dtype.category < 2 else self.dual(r, _fit(t, r))
            for r, t in zip(results, made, strict=True)
        )
        if all(self.mine(o) for o in outs):
            track_view(op, args, params, outs)
        self._note_shadow(op, tangents, made, results)
        return outs[0] if op.n_out == 1 else outs

    def _from_root(self, x: Any, params: dict[str, Any]) -> tuple[tuple[Any], dict[str, Any]]:
        """as_strided of a view as one of its root, whose tangent has what lies outside the view."""
        root = x._view[ROOT] if x._view is not None else None
        if root is None or not self.mine(root) or root.dtype is not x.dtype:
            return (x,), params
        return (root,), {**params, "inner": layout_of(root)}

    def write(self, x: Any, value: Any, name: str) -> Any:
        from .level_writes import below, lift_family, root_of

        if not self.mine(x):
            lift_family(self, x, name)
        x, root = synced(x), root_of(x)
        tangent = self.tangent_of(value)
        with below(self):
            assign(x._a, self.payload(value), name)
            if STATE.forward_grad_enabled:
                tangent = zeros_like(x) if tangent is None else tangent
                self.of_tangents(self._write_tangent, x, root, tangent, name)
        x._rg, root._rg = x._a._rg, root._a._rg
        return synced(x)

    def _write_tangent(self, x: Any, root: Any, tangent: Any, name: str) -> None:
        """Into the memory of the root's tangent, where that can be; else the root gets another."""
        from .level_writes import chain_to

        held = root._tangent
        followed = held._rg or tangent._rg  # rules of outer gradients have saved the old one
        if followed and not STATE.grad_enabled:  # its history stays, as that of the value does
            followed = False
            if not same_layout(held, root._a):
                STATE.set_grad_enabled(True)
                held = root._tangent = in_layout(held, root._a)
                STATE.set_grad_enabled(False)
        if not followed and _can_hold(held, tangent) and same_layout(held, root._a):
            assign(held if x is root else derived(held, x._view), tangent, name)
        else:
            root._tangent = entry(TABLE["write_view"])(held, tangent, chain=chain_to(x))

    def _note_shadow(self, op: Op, tangents: Any, made: Any, results: Any) -> None:
        first = results[0]
        node = getattr(first, "_node", None)
        if first._level is not None or node is None or not first._rg:
            return
        named: dict[str, Any] = {}
        for i, t in enumerate(tangents):
            if t is not None and not op.variadic:
                named[op.input_name(i)] = t
        for k, t in enumerate(made):
            if t is not None:
                named["out" if k == 0 else f"out{k}"] = t
                named[f"out{k}"] = t
        node = getattr(node, "node", node)
        fix = fix_of(node)
        if fix is None:
            fix = node.fix = Fix()
        fix.duals = self
        self.shadow[node.key] = named


_OVERRIDES["DualTensor"] = {
    "grad_fn": property(lambda self: self._a.grad_fn),
    "is_leaf": property(lambda self: self._a.is_leaf),
}


def zeros_like(t: Any) -> Any:
    """Zeros of a tensor's shape and type, on no tape."""
    return make(np.zeros(tuple(t.shape), t.dtype.np))


def _fit(tangent: Any, result: Any) -> Any:
    """A tangent in its result's shape and type."""
    if tuple(tangent.shape) != tuple(result.shape):
        tangent = P.broadcast_to(tangent, shape=tuple(result.shape))
    if tangent.dtype is not result.dtype:
        if tangent.dtype.is_complex and not result.dtype.is_complex:
            tangent = P.real(tangent)
        tangent = P.cast(tangent, dtype=result.dtype.np)
    return tangent


def _own(tangent: Any, given: tuple[Any, ...]) -> Any:
    """A tangent that shares no memory with those of the inputs: each may be written in place."""
    if tangent._view is not None or any(tangent is t for t in given):
        return P.clone(tangent)
    return tangent


def _can_hold(held: Any, value: Any) -> bool:
    """Whether a value can be written into a tangent: of no higher level, elements apart."""
    if not _levels_of(value) <= _levels_of(held):
        return False
    while held._level is not None:
        held = held._a
    return held._a.flags.writeable and not overlaps_itself(held._a)


def _levels_of(t: Any) -> set[int]:
    """The levels that a tensor and what lies below it belong to."""
    found: set[int] = set()
    while isinstance(t, TensorBase) and t._level is not None:
        found.add(t._level.index)
        t = t._a
    return found


def in_layout(tangent: Any, primal: Any) -> Any:
    """The tangent, copied if it does not lie in memory as its primal does."""
    if same_layout(tangent, primal):
        return tangent
    return entry(TABLE["write_view"])(P.zeroed(primal), tangent, chain=())


def same_layout(a: Any, b: Any) -> bool:
    """Whether tensors of one shape lie in memory in the same order."""
    pairs = zip(a.shape, a.stride(), b.stride(), strict=True)
    return all(n < 2 or s == t for n, s, t in pairs)


# ---- the tangent of one op -----------------------------------------------------------------------


def jvp_of(
    op: Op, args: tuple[Any, ...], tangents: tuple[Any, ...], results: tuple[Any, ...],
    params: dict[str, Any],
) -> tuple[Any, ...]:  # fmt: skip
    """Tangents of the results; None where no tangent flows."""
    nothing = (None,) * len(results)
    live = tuple(None if op.input_name(i) in op.nondiff else t for i, t in enumerate(tangents))
    if all(t is None for t in live):
        return nothing
    if not op.view and op.linear != "all" and in_half(live):
        # A rule of several steps must not round in each; `_fit` rounds what comes out.
        live, args, results = wider(live), wider(args), wider(results)
    if op.linear == "all":
        full = tuple(_materialised(t, a) for t, a in zip(live, args, strict=True))
        return _results(op, entry(op)(*full, **params))
    values = _Values(op, args, results, params)
    if callable(op.jvps):
        made = TENSORS.bind(op.jvps)(*_joint_arguments(op, values, live))
        return _results(op, made)
    total: tuple[Any, ...] | None = None
    for i, t in enumerate(live):
        if t is not None:
            part = _one_input(op, i, t, args, params, values)
            if part is None:
                return _from_vjp(op, args, live, results, params)
            total = (
                part
                if total is None
                else tuple(
                    a if b is None else b if a is None else a + b
                    for a, b in zip(total, part, strict=True)
                )
            )
    return total or nothing


def _one_input(
    op: Op, i: int, t: Any, args: Any, params: dict[str, Any], values: _Values
) -> tuple[Any, ...] | None:
    name = op.input_name(i)
    rule = op.jvps.get(name)
    if rule is not None:
        made = TENSORS.bind(rule)(*[t if n == "t" else values[n] for n in rule_names(rule)])
        return _results(op, made)
    partial = op.partials.get(name)
    if partial is not None:
        factor = TENSORS.bind(partial)(*[values[n] for n in rule_names(partial)])
        return (t * factor,)
    if name in op.linear:
        swapped = (*args[:i], t, *args[i + 1 :])
        return _results(op, entry(op)(*swapped, **params))
    return None


def _results(op: Op, made: Any) -> tuple[Any, ...]:
    return (made,) if op.n_out == 1 else tuple(made)


def _materialised(t: Any, a: Any) -> Any:
    if t is not None:
        return t
    return zeros_like(a) if isinstance(a, TensorBase) else 0


def _joint_arguments(op: Op, values: _Values, live: tuple[Any, ...]) -> list[Any]:
    arguments: list[Any] = []
    for n in rule_names(op.jvps):
        if n.startswith("t_") and n[2:] in op.inputs:
            i = op.inputs.index(n[2:])
            if op.variadic and i == op.fixed:
                pairs = zip(live[i:], values.args[i:], strict=True)
                arguments.append(tuple(_materialised(t, a) for t, a in pairs))
            else:
                arguments.append(_materialised(live[i], values.args[i]))
        else:
            arguments.append(values[n])
    return arguments


class _Values:
    """What a rule's names mean for this call, on tensors."""

    def __init__(self, op: Op, args: Any, results: Any, params: dict[str, Any]) -> None:
        self.op, self.args, self.results, self.params = op, args, results, params

    def __getitem__(self, name: str) -> Any:
        kind, detail = self.op.classify(name)
        variadic = self.op.variadic and detail == self.op.fixed
        if kind == "in":
            return tuple(self.args[detail:]) if variadic else self.args[detail]
        if kind == "param":
            return self.params[detail]
        if kind == "out":
            return self.results[detail]
        if kind.startswith("in_"):
            if variadic:
                return tuple(_about(a, kind[3:]) for a in self.args[detail:])
            return _about(self.args[detail], kind[3:])
        return _about(self.results[detail], kind[4:])


class _FakeNode:
    """Just enough of a node for `run_rules`."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.fix: Any = None

    def name(self) -> str:
        return self.op.node_name


def _from_vjp(
    op: Op, args: Any, live: tuple[Any, ...], results: Any, params: dict[str, Any]
) -> tuple[Any, ...]:
    """JVP as the derivative of the (linear) VJP with respect to its gradient."""
    from .engine import run_backward

    values = _Values(op, args, results, params)
    needed: set[str] = set()
    for rule in [r for _, r in rules_of(op).values()] + [op.joint, op.plain_joint]:
        if rule is not None:
            needed.update(n for n in rule_names(rule) if n not in ("g", "mask"))
    saved = {n: values[n] for n in needed}
    level = GradLevel(of_a_user=False)
    with level:
        seeds = [level.leaf(zeros_like(r)) for r in results]
        g = seeds[0] if op.n_out == 1 else seeds
        node = _FakeNode(op)
        node.fix = Fix(tuple(_shape_dtype(a) for a in args))
        wanted = tuple(True if t is not None else None for t in live)
        grads = run_rules(node, g, wanted, saved, TENSORS)
        pairs = [(x, t) for x, t in zip(grads, live, strict=True) if t is not None]
        pairs = [(x, _fit(t, x)) for x, t in pairs if x is not None and x._rg]
        if not pairs:
            return (None,) * len(results)
        made = run_backward(
            [x for x, _ in pairs], [t for _, t in pairs], keep=False, create=False, inputs=seeds
        )
    return tuple(made)


def _shape_dtype(a: Any) -> Any:
    return (tuple(a.shape), a.dtype.np) if isinstance(a, TensorBase) else None


def dual_values(node: Any) -> dict[str, Any] | None:
    """Saved values of a base-tape node as duals, while the forward-mode level lives."""
    from .op_rules import saved_names
    from .record import saved_payloads

    level = node.fix.duals
    named = level.shadow.get(node.key) if level.alive else None
    if named is None:
        return None
    values = saved_payloads(node)
    out: dict[str, Any] = {}
    for name in saved_names(node.op):
        value = values[name]
        if isinstance(value, np.ndarray):
            value = make(value)
        if name in named and isinstance(value, TensorBase):
            value = level.dual(value, named[name])
        out[name] = value
    return out
