"""Gradients that belong to a tensor although they do not change with it.

The gradient of relu is the incoming one where the input is positive: its derivative by the input is
zero wherever it exists. Under `create_graph` such a gradient still belongs to the graph, and its
own gradient is zeros rather than an error, as programs with gradient penalties expect. `Tie` is the
edge that says so. No zeros travel along it: a pass notes where it was stopped, and when it is over,
what lies behind and received nothing else gets zeros (`settle`). So a penalty costs no walk through
layers in which nothing but zeros would be computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import source
from .leaves import GRAPH, RAW, accumulate
from .node import Node, OutSlot, start
from .value import TensorBase, make, with_history


class Tie(Node):
    """parents: what the gradient was computed from, and what it is piecewise constant in."""

    __slots__ = ()

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        return g, None

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: Any) -> Any:
        return g, None


def tied(t: Any, to: Any) -> Any:
    """The tensor t, requiring grad: its gradient by what the edge `to` leads to is zeros.

    With `to` None nothing receives a gradient, but t can still be differentiated.
    """
    from .record import edge

    node = start(Tie(), (edge(t), to), *source.user_position())
    return with_history(t._a, node, t._v)


def tie_gradients(node: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of a node, tied to its inputs where it is declared so."""
    made = list(grads)
    for i in node.flat:
        if made[i] is not None:
            made[i] = _below_batches(made[i], node.parents[i])
    for i in node.dead:
        if i >= len(made):  # an optional input that was not given
            continue
        others = any(p is not None for k, p in enumerate(node.parents) if k != i)
        if made[i] is not None and others and not made[i]._rg:
            made[i] = _below_batches(made[i], None)
    return tuple(made)


def _below_batches(t: Any, to: Any) -> Any:
    """The tensor tied below its batch dimensions; tensors of other levels are left alone."""
    level = getattr(t, "_level", None)
    if level is None:
        return tied(t, to)
    return level.batched(_below_batches(t._a, to), t._bdim) if level.kind == "vmap" else t


def zeros_for_hooks(walk: Any, p: Any, g: Any) -> Any:
    """What travels along an edge that carries nothing: zeros where the pass has hooks to see them.

    None where it has not; `g` is the gradient of the tied one, of the same shape.
    """
    from .plain_pass import has_hooks

    if walk.hooked is None:
        walk.hooked = any(has_hooks(root) for root in walk.roots)
    if not walk.hooked or getattr(g, "_level", None) is not None:
        return None
    if walk.mode == RAW:
        return np.zeros(g.shape, g.dtype)
    zeros = make(np.zeros(tuple(g.shape), g.dtype.np))
    return tied(zeros, p) if walk.mode == GRAPH else zeros


# ---- after a pass --------------------------------------------------------------------------------


def _behind(edges: list[Any], visit: Callable[[Any], None]) -> None:
    """Visit every edge from these on: nodes, output slots and leaves."""
    seen: set[Any] = set()
    stack = list(edges)
    while stack:
        p = stack.pop()
        mark = (p.node.key, p.nr) if p.__class__ is OutSlot else id(p)
        if mark in seen:
            continue
        seen.add(mark)
        visit(p)
        if isinstance(p, TensorBase):
            continue
        node = p.node if p.__class__ is OutSlot else p
        if node.key not in seen:
            seen.add(node.key)
            stack += [q for q in node.parents if q is not None]


def settle_leaves(edges: list[Any], mode: str, graph: bool) -> None:
    """Zeros as the gradient of every leaf behind the edges that has none."""

    def visit(p: Any) -> None:
        if isinstance(p, TensorBase) and p._grad is None and isinstance(p._a, np.ndarray):
            like: Any = p
            zeros = np.zeros(like._a.shape, like._a.dtype)
            whole: Any = zeros if mode == "raw" else make(zeros)
            accumulate(p, tied(whole, p) if graph else whole, True, mode)

    _behind(edges, visit)


def settle_results(walk: Any, inputs: Any, graph: bool) -> None:
    """Zeros for (or as `.grad` of) every input asked for behind the edges that received nothing."""
    from .engine import key_of

    def visit(p: Any) -> None:
        nr = p.nr if p.__class__ is OutSlot else 0
        for position in walk.captures.get(key_of(p), {}).get(nr, ()):
            t = inputs[position]
            if not isinstance(t, TensorBase) or walk.results.get(position) is not None:
                continue
            zeros: Any = make(np.zeros(tuple(t.shape), t.dtype.np))  # type: ignore[attr-defined]
            zeros = tied(zeros, p) if graph else zeros
            if not walk.into_grad:
                walk.results[position] = zeros
            elif t._grad is None:
                t._grad = zeros

    _behind(walk.stopped, visit)
