"""The usual backward pass: one output, arrays only, nobody listening.

`backward_plain` is what `loss.backward()` runs when no hook, no transform and no anomaly mode is
involved; `engine.Walk` does everything else. It is one straight function because its overhead is
paid for every node of every step.
"""

from __future__ import annotations

from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

import numpy as np

from .leaves import LEAF_LOCK, RAW, accumulate, takes_gradient
from .node import UNTRACKED, Hooks, OutSlot, exchanged_since
from .ties import Tie, settle_leaves
from .value import TensorBase


def backward_plain(root: Any, g: Any, keep: bool) -> bool:
    """The usual pass in one straight function: arrays only, no hooks, no captures.

    Keys are a topological order, so the latest node that has a gradient has all of them: nothing
    is counted. Leaves are summed on the way and get their `.grad` at the end.

    Nothing here records, so the grad mode need not change; a custom function's backward, which
    may, switches it itself.

    Returns False, having changed nothing, when the graph has hooks; `Walk` then does it.
    """
    if Hooks.used and has_hooks(root):
        return False
    pending: dict[int, Any] = {}
    heap: list[tuple[int, Any]] = []
    leaves: dict[int, list[Any]] = {}
    stopped: list[Any] = []  # edges along which only zeros would go
    node = root
    if root.__class__ is OutSlot:
        node = root.node
        g = [g if k == root.nr else None for k in range(len(node.meta))]
    kinds = _KINDS
    while True:
        parents = node.parents
        if g.__class__ is list:
            g = _with_zeros(node, g)
        grads = node.vjp(g, parents)
        if not keep and node.s.__class__ is tuple and node.s:
            node.s = None
        for p, gp in zip(parents, grads):  # noqa: B905 - both come from the node; strict costs
            if p is None or gp is None:
                if p is not None and node.__class__ is Tie:
                    stopped.append(p)
                continue
            kind = kinds.get(p.__class__)
            if kind is None:
                kind = _kind_of(p.__class__)
            if kind is _LEAF:
                k = id(p)
                if k in leaves:
                    leaves[k][0] = add_up(leaves[k], 0, gp)
                else:
                    leaves[k] = [gp, p]
                continue
            if kind is _SLOT:
                nr = p.nr
                p = p.node
                k = p.key
                slots = pending.get(k)
                if slots is None:
                    slots = pending[k] = [None] * len(p.meta)
                    heappush(heap, (k, p))
                slots[nr] = gp if slots[nr] is None else slots[nr] + gp
                continue
            k = p.key
            if k in pending:
                if p is not UNTRACKED:  # where gradients of any shape end
                    pending[k] = add_up(pending, k, gp)
            else:
                pending[k] = gp
                heappush(heap, (k, p))
        if not heap:
            break
        k, node = heappop(heap)
        g = pending.pop(k)
    grads = gp = g = None  # so that a leaf may keep a buffer that only it can see
    with LEAF_LOCK:
        for entry in leaves.values():
            p = entry[1]
            if (p._node is not None or not p._rg) and not takes_gradient(p):
                continue
            # Asked before the call below holds another reference.
            alone = getrefcount(entry[0]) == _ALONE and (
                entry[0].base is None or _holds_its_base(entry)
            )
            accumulate(p, entry[0], alone, RAW)
        if stopped:
            settle_leaves(stopped, RAW, False)
    return True


_NODE, _LEAF, _SLOT = "node", "leaf", "slot"
_KINDS: dict[type, str] = {OutSlot: _SLOT}  # what an edge of this class leads to


def _kind_of(cls: type) -> str:
    kind = _KINDS[cls] = _LEAF if issubclass(cls, TensorBase) else _NODE
    return kind


def has_hooks(root: Any) -> bool:
    """Whether a node or leaf that a pass from here reaches has hooks (or was exchanged)."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        p = stack.pop()
        if isinstance(p, TensorBase):
            if p._rare is not None and "hooks" in p._rare:
                return True
            continue
        if p.__class__ is OutSlot:
            p = p.node
        if p.key in seen:
            continue
        if p.hooks is not None:
            return True
        seen.add(p.key)
        for q in p.parents:
            if q is not None:
                if isinstance(q, TensorBase) and exchanged_since(q, p):
                    return True
                stack.append(q)
    return False


# Whether an array is ours alone is asked of its reference count: the container's reference and the
# one the question itself holds make two. A rule may hand out what somebody else can see: the
# incoming gradient, a saved value, a view.
_ALONE = 2


def _holds_its_base(entry: list[Any]) -> bool:
    """Whether the view in entry[0] alone holds all of an array: the gradient of `W.T`, transposed
    back, may be kept as it is."""
    base = entry[0].base
    whole = base.__class__ is np.ndarray and base.base is None and base.size == entry[0].size
    base = None
    return whole and getrefcount(entry[0].base) == _ALONE


def add_up(where: Any, k: int, g: Any) -> Any:
    """where[k] + g: in place where nobody else can see that array."""
    if getrefcount(where[k]) == _ALONE:
        have = where[k]
        if (
            have.__class__ is np.ndarray and have.base is None and have.shape == g.shape
            and have.dtype == g.dtype and have.flags.writeable
        ):  # fmt: skip
            return np.add(have, g, out=have)
    return where[k] + g


def _with_zeros(node: Any, slots: list[Any]) -> list[Any]:
    if not getattr(node, "materialise", True):
        return slots
    return [np.zeros(*node.meta[i]) if g is None else g for i, g in enumerate(slots)]
