"""Reverse mode: walk the tape from the outputs to the leaves.

Iterative and dependency-counted: a first walk counts how many gradients each node and leaf will
receive, then nodes run latest first (a heap on `key`), each when all its gradients are in. A leaf
gets its sum, its hooks and its `.grad` as soon as its last gradient arrives.

First-order backward runs the rules on payloads (arrays): nothing is recorded and nothing is
wrapped. Under `create_graph`, or when a gradient is a tensor of a transform level, the same loop
runs the rules on tensors.

Buffers: a gradient that is the incoming gradient itself or a view is *borrowed*; sums go in place
only into buffers this walk made (`owned`), and a leaf keeps only what nobody else can see.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ..ops.layout import is_expanded, lying_as
from . import errors
from .hook_results import check_replacement, checked_replacements, hook_name
from .leaves import GRAPH, LEAF_LOCK, RAW, VALUES, accumulate, takes_gradient
from .node import UNTRACKED, Hooks, Node, OutSlot, exchanged_since
from .plain_pass import add_up, backward_plain, has_hooks
from .state import DISPATCH, STATE, TRACE, WATCH
from .ties import Tie, settle_leaves, settle_results, zeros_for_hooks
from .value import FACTORY, PLAIN, TensorBase, make


class Walk:
    """One backward pass."""

    def __init__(self, mode: str, keep: bool, captures: Any = None) -> None:
        self.mode = mode
        self.keep = keep  # keep saved values (retain_graph)
        self.counts: dict[int, int] = {}
        self.pending: dict[int, Any] = {}
        self.owned: set[int] = set()
        self.nodes: dict[int, Any] = {}
        self.heap: list[int] = []
        self.captures = captures  # None, or {node key / id(leaf): {output number: [positions]}}
        # Where only some inputs are asked for: the nodes that lead to them, and `wanted` of each.
        self.needed: dict[int, tuple[tuple[Any, ...], tuple[Any, ...]]] | None = None
        self.behind: dict[int, Any] = {}  # the nodes from the roots on, where inputs are asked for
        self.into_grad = False  # captured leaves get their `.grad`: backward(inputs=...)
        self.results: dict[int, Any] = {}
        self.stopped: list[Any] = []  # edges along which only zeros would go
        self.roots: Sequence[Any] = ()
        self.nonfinite: dict[int, Any] = {}  # by node: where its gradient began to be infinite
        self.taken: dict[int, Any] = {}  # gradients that somebody has, by id (`dispatcher`)
        self.hooked: bool | None = None  # whether hooks are behind the roots, once asked
        self.at_end: list[Any] = []  # what hooks asked to be called when the pass has ended

    # -- preparation --

    def count(self, roots: Sequence[Any]) -> None:
        """How many gradients each node and leaf will receive from this pass."""
        counts = self.counts
        seen: set[int] = set()
        stack: list[Any] = []
        for root in roots:
            node = root.node if root.__class__ is OutSlot else root
            if isinstance(node, TensorBase):
                counts[id(node)] = counts.get(id(node), 0) + 1  # its own output gradient
            elif node.key not in seen:
                counts.setdefault(node.key, 0)
                seen.add(node.key)
                stack.append(node)
        while stack:
            for p in stack.pop().parents:
                if p is None:
                    continue
                if p.__class__ in PLAIN:
                    key = id(p)
                    counts[key] = counts.get(key, 0) + 1
                    continue
                if p.__class__ is OutSlot:
                    p: Any = p.node
                elif isinstance(p, TensorBase):
                    key = id(p)
                    counts[key] = counts.get(key, 0) + 1
                    continue
                key = p.key
                counts[key] = counts.get(key, 0) + 1
                if key not in seen:
                    seen.add(key)
                    stack.append(p)

    def prune(self, roots: Sequence[Any]) -> None:
        """Keep only the nodes that lead to a captured input; the others need not run."""
        captures = self.captures
        known = self.behind = _nodes_behind(roots)
        needed: dict[int, tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
        for key in sorted(known, reverse=True):  # parents before children
            keys: list[Any] = []
            some, every = False, True
            parents = known[key].parents
            for p in parents:
                k = None
                if p is not None:
                    k = id(p) if p.__class__ in PLAIN else key_of(p)
                    if k in needed or k in captures:
                        some = True
                    else:
                        k = None
                if k is None:
                    every = False
                keys.append(k)
            if some:
                if not every:
                    parents = tuple([p if k else None for p, k in zip(parents, keys, strict=True)])
                needed[key] = (parents, tuple(keys))
        self.needed = needed
        counts: dict[int, int] = {}
        for root in roots:
            key = key_of(root)
            if isinstance(root, TensorBase) and key in captures:
                counts[key] = counts.get(key, 0) + 1
            elif len(roots) == 1 or key in needed or key in captures:
                counts.setdefault(key, 0)
        for _, received in needed.values():
            for key in received:
                if key is not None:
                    counts[key] = counts.get(key, 0) + 1
        self.counts = counts

    def wanted(self, node: Any) -> tuple[tuple[Any, ...], Sequence[Any]]:
        """The parents that are to receive a gradient in this pass, and their numbers."""
        if self.needed is None:
            parents = node.parents
            return parents, [None if p is None else key_of(p) for p in parents]
        return self.needed.get(node.key, ((), ()))

    # -- the walk --

    def seed(self, root: Any, g: Any) -> None:
        """Start with a gradient at an output; one that leads to no wanted input is left out."""
        key = key_of(root)
        if key not in self.counts:
            return
        if isinstance(root, TensorBase):
            left = self.counts[key] = self.counts[key] - 1
            self.deliver(root, g, False, left)
            return
        self.add(root, g, False)

    def add(self, p: Any, g: Any, fresh: bool) -> None:
        """Add a gradient to a node's pending ones."""
        nr = 0
        if p.__class__ is OutSlot:
            nr = p.nr
            p = p.node
        key = p.key
        pending = self.pending
        if p.multi:
            slots = pending.get(key)
            if slots is None:
                slots = pending[key] = [None] * len(p.meta)
                self.nodes[key] = p
            slots[nr] = g if slots[nr] is None else self.sum(slots[nr], g)
            return
        have = pending.get(key)
        if have is None:
            pending[key] = g
            self.nodes[key] = p
            if fresh:
                self.owned.add(key)
        elif key in self.owned and have.shape == g.shape and have.dtype == g.dtype:
            np.add(have, g, out=have)
        else:
            pending[key] = self.sum(have, g)
            if self.mode == RAW and pending[key].__class__ is np.ndarray:
                self.owned.add(key)

    def sum(self, a: Any, b: Any) -> Any:
        return a + b

    def run(self) -> None:
        """Run every ready node, latest first, until none is left."""
        raw = self.mode == RAW
        if self.is_usual():
            self.run_usual(raw)
            return
        heap, counts = self.heap, self.counts
        for key in self.pending:
            if counts.get(key, 0) == 0:
                heappush(heap, key)
        while heap:
            key = heappop(heap)
            node = self.nodes.pop(key)
            g = self.pending.pop(key)
            self.owned.discard(key)
            self.step(node, g, raw)

    def is_usual(self) -> bool:
        """Whether gradients of leaves are wanted, nodes have one result and nobody listens."""
        if self.captures is None or self.into_grad or self.__class__ is not Walk:
            return False
        if self.mode not in (RAW, GRAPH) or STATE.anomaly or any(key < 0 for key in self.captures):
            return False
        if any(node.multi or node.__class__ is Tie for node in self.behind.values()):
            return False
        if any(isinstance(root, TensorBase) for root in self.roots):
            return False
        return not (Hooks.used and any(map(has_hooks, self.roots)))

    def run_usual(self, raw: bool) -> None:
        """The same in one straight function: keys are a topological order, nothing is counted."""
        pending, behind, needed = self.pending, self.behind, self.needed
        assert needed is not None
        heap = sorted(pending)
        keep, mode = self.keep, self.mode
        while heap:
            key = heappop(heap)
            g = pending.pop(key)
            if key not in needed:  # a root that leads to no input
                continue
            node = behind[key]
            parents, keys = needed[key]
            grads = node.vjp(g, parents) if raw else node.vjp_tensors(g, parents, mode)
            if not keep:
                node.release()
            for key, gp in zip(keys, grads):  # noqa: B905 - one each; strict costs
                if key is None or gp is None:
                    continue
                if key in pending:
                    pending[key] = add_up(pending, key, gp)
                else:
                    pending[key] = gp
                    if key < 0:
                        heappush(heap, key)
        for key, outputs in self.captures.items():
            for position in outputs[0]:
                self.results[position] = pending.get(key)

    def step(self, node: Any, g: Any, raw: bool) -> None:
        """Run one node and hand its gradients on."""
        captures, needed = self.captures, self.needed
        if node.hooks is not None or (captures is not None and node.key in captures):
            g = self.before(node, g)
        if needed is not None and node.key not in needed:
            if self.into_grad and node.hooks is not None and node.hooks.post:
                self.after(node, (None,) * len(node.parents), g)
            return
        if g is None:  # a hook took it away
            self.skip(node)
            return
        received = g
        if node.multi:
            g = self.materialise(node, g)
        parents, keys = self.wanted(node)
        grads = (
            self.run_rules(node, g, parents)
            if not STATE.anomaly
            else self.watched(node, g, parents)
        )
        unseen = raw
        if node.hooks is not None and node.hooks.post:
            grads = self.after(node, grads, received)
            unseen = False  # a hook may keep what it is shown
        if not self.keep:
            node.release()
        counts = self.counts
        triples = zip(parents, keys, grads)  # noqa: B905 - all come from the node; strict costs
        if node.op is not None and node.op.bias_first:  # the order in which PyTorch's hooks run
            *others, bias = triples
            triples = (bias, *others)
        for p, key, gp in triples:
            if p is None or p is UNTRACKED:  # one object for all views that have no history
                continue
            if gp is None and node.__class__ is Tie:
                gp = zeros_for_hooks(self, p, g)
                if gp is None:
                    self.stopped.append(p)
            fresh = unseen and gp is not g and isinstance(gp, np.ndarray) and gp.base is None
            left = counts[key] = counts[key] - 1
            if key > 0:  # a leaf; nodes have numbers below zero
                if exchanged_since(p, node):
                    raise errors.exchanged_leaf(node)
                if gp is not None or left == 0:
                    self.deliver(p, gp, fresh, left)
                continue
            if gp is not None:
                self.add(p, gp, fresh)
            if left == 0:
                if key in self.pending:
                    heappush(self.heap, key)
                elif gp is None:
                    self.skip(p.node if isinstance(p, OutSlot) else p)

    def run_rules(self, node: Any, g: Any, parents: tuple[Any, ...]) -> Any:
        """The gradients of a node's inputs."""
        if self.mode == RAW:
            return node.vjp(g, parents)
        if self.mode == VALUES and getattr(node, "level", None) is not None:
            return node.vjp(g, parents)
        return node.vjp_tensors(g, parents, self.mode)

    def watched(self, node: Any, g: Any, parents: tuple[Any, ...]) -> Any:
        """The same in anomaly mode: what goes wrong is traced to the forward line."""
        from .anomaly import blame, check_backward, check_unchanged, unchecked

        try:
            check_unchanged(node)
            with unchecked():
                grads = self.run_rules(node, g, parents)
            check_backward(node, g, grads, parents, self)
        except Exception:
            blame(node)
            raise
        return grads

    def skip(self, node: Any) -> None:
        """A node that receives no gradient at all: tell its parents not to wait for it."""
        stack = [node]
        while stack:
            for p, key in zip(*self.wanted(stack.pop()), strict=True):
                if p is None:
                    continue
                left = self.counts[key] = self.counts[key] - 1
                if left:
                    continue
                if isinstance(p, TensorBase):
                    if key in self.pending:
                        self.finish_leaf(p)
                elif key in self.pending:
                    heappush(self.heap, key)
                else:
                    stack.append(p.node if p.__class__ is OutSlot else p)

    # -- leaves --

    def deliver(self, leaf: Any, g: Any, fresh: bool, left: int = 0) -> None:
        """Add a gradient to a leaf's sum; finish the leaf with its last one."""
        key = id(leaf)
        if g is not None:
            have = self.pending.get(key)
            if have is None:
                self.pending[key] = g
                if fresh:
                    self.owned.add(key)
            elif key in self.owned and have.shape == g.shape and have.dtype == g.dtype:
                np.add(have, g, out=have)
            else:
                self.pending[key] = self.sum(have, g)
                if self.mode == RAW and self.pending[key].__class__ is np.ndarray:
                    self.owned.add(key)
        if left == 0 and key in self.pending:
            self.finish_leaf(leaf)

    def finish_leaf(self, leaf: Any) -> None:
        key = id(leaf)
        g = self.pending.pop(key)
        fresh = key in self.owned
        self.owned.discard(key)
        meta = leaf._rare
        hooks = meta.get("hooks") if meta is not None else None
        if hooks is not None:
            g = self.run_tensor_hooks(hooks.tensor.get(0), g, fresh)
            fresh = fresh and not hooks.tensor.get(0)  # a hook may keep what it is given
        if self.captures is not None:
            for positions in self.captures.get(key, {}).values():
                for position in positions:
                    self.results[position] = g
            if not (self.into_grad and key in self.captures):
                return
        if hooks is not None and hooks.pre:
            g = self.node_hooks(hooks.pre, (g,), None)[0]
            fresh = False
        wanted = takes_gradient(leaf)
        first = wanted and leaf._grad is None
        if wanted:
            with LEAF_LOCK:
                accumulate(leaf, g, fresh, self.mode)
        if hooks is not None:
            made: Any = leaf._grad
            if first and self.mode == RAW:
                g = made._a  # hooks that change it see each other's changes
            self.after_leaf(leaf, hooks, g)

    def after_leaf(self, leaf: Any, hooks: Any, g: Any) -> None:
        """The hooks that run when a leaf has its gradient."""
        for hook in tuple(hooks.post_accumulate.values()):
            if hook(leaf) is not None:
                raise RuntimeError(
                    "Tensor post accumulate grad hooks should return None; this one, "
                    f"{hook_name(hook)!r}, returned a value. Fix: change tensor.grad instead."
                )
        for hook in tuple(hooks.post.values()):
            hook((), (self.wrap(g),))

    # -- hooks and captures --

    def before(self, node: Any, g: Any) -> Any:
        """Tensor hooks, retained gradients, captures and prehooks of a node, in that order.

        As in PyTorch `grad` captures before the hooks where the pass goes on through the node.
        """
        grads = list(g) if node.multi else [g]
        hooks = node.hooks
        captured = self.captures is not None and node.key in self.captures
        early = captured and not self.into_grad and node.key in self.needed
        if early:
            self.capture(node, grads)
        if hooks is not None:
            for nr, fns in hooks.tensor.items():
                if grads[nr] is not None:
                    grads[nr] = self.run_tensor_hooks(fns, grads[nr], False)
            for nr, reference in hooks.retain.items():
                tensor = reference()
                if tensor is not None and grads[nr] is not None:
                    self.retain(tensor, grads[nr])
        if captured and not early:
            self.capture(node, grads)
        runs = self.needed is None or self.into_grad or node.key in self.needed
        if hooks is not None and hooks.pre and runs:
            grads = list(self.node_hooks(hooks.pre, tuple(grads), None))
        return grads if node.multi else grads[0]

    def capture(self, node: Any, grads: list[Any]) -> None:
        """Keep the gradients of a node's outputs that the caller asked for."""
        for nr, positions in self.captures[node.key].items():
            for position in positions:
                self.results[position] = grads[nr]

    def retain(self, tensor: Any, g: Any) -> None:
        """Keep the gradient of a tensor that is no leaf."""
        if tensor._grad is not None and self.mode == RAW:
            tensor._grad = make(tensor._grad._a + g)  # a new tensor, as in PyTorch
        else:
            accumulate(tensor, g, False, self.mode)

    def after(self, node: Any, grads: Any, g: Any) -> Any:
        outputs = tuple(g) if node.multi else (g,)
        grads, places = list(grads), node.shown_inputs()
        shown = tuple(grads[k] for k in places)
        for k, x in zip(places, self.node_hooks(node.hooks.post, shown, outputs), strict=True):
            grads[k] = x
        return grads

    def node_hooks(self, hooks: Any, grads: tuple[Any, ...], outputs: Any) -> tuple[Any, ...]:
        """Run node hooks: with outputs f(grad_inputs, grad_outputs), else f(grad_outputs)."""
        shown = tuple(self.wrap(x) for x in grads)
        others = None if outputs is None else tuple(self.wrap(x) for x in outputs)
        for hook in tuple(hooks.values()):
            result = hook(shown) if others is None else hook(shown, others)
            if result is not None:
                shown = checked_replacements(hook, result, shown)
        return tuple(self.unwrap(x) for x in shown)

    def run_tensor_hooks(self, hooks: Any, g: Any, fresh: bool) -> Any:
        if not hooks:
            return g
        if not fresh and g.__class__ is np.ndarray and g.flags.writeable:
            g = g.copy("K")  # others have it too, and a hook may write there
        elif isinstance(g, TensorBase):
            g = g.clone()
        shown = self.wrap(g)
        for hook in tuple(hooks.values()):
            result = hook(shown)
            if result is not None:
                check_replacement(hook, result, shown)
                shown = result
        return self.unwrap(shown)

    def reaches(self, e: Any) -> bool:
        """Whether an edge receives a gradient in this pass."""
        return key_of(e) in self.counts

    def wrap(self, g: Any) -> Any:
        return make(np.asarray(g)) if g is not None and not isinstance(g, TensorBase) else g

    def unwrap(self, g: Any) -> Any:
        return g._a if self.mode == RAW and isinstance(g, TensorBase) else g

    def materialise(self, node: Any, grads: list[Any]) -> Any:
        """Zeros for the outputs of a node that received no gradient."""
        if not getattr(node, "materialise", True):
            return grads
        out: list[Any] = []
        for g, (shape, dtype) in zip(grads, node.meta, strict=True):
            if g is None:
                zeros = np.zeros(shape, dtype)
                g = zeros if self.mode == RAW else make(zeros)
            out.append(g)
        return out


def _nodes_behind(roots: Sequence[Any]) -> dict[int, Any]:
    """All nodes from here on, by their keys."""
    known: dict[int, Any] = {}
    stack = [r.node if r.__class__ is OutSlot else r for r in roots]
    stack = [n for n in stack if isinstance(n, Node)]
    while stack:
        node = stack.pop()
        if node.key in known:
            continue
        known[node.key] = node
        for p in node.parents:
            if p is None or p.__class__ in PLAIN:
                continue
            if p.__class__ is OutSlot:
                p = p.node
            if isinstance(p, Node) and p.key not in known:
                stack.append(p)
    return known


def key_of(p: Any) -> int:
    """The number under which a node (below zero) or leaf (above) is known in a walk."""
    if p.__class__ is OutSlot:
        return p.node.key
    return id(p) if isinstance(p, TensorBase) else p.key


def run_backward(
    roots: Sequence[Any],
    grads: Sequence[Any],
    *,
    keep: bool,
    create: bool,
    inputs: Sequence[Any] | None,
    accumulate_inputs: bool = False,
) -> list[Any]:
    """The engine's entry: roots are tensors, grads tensors of their shapes.

    With `inputs` (tensors), returns their gradients as tensors (None where unused) and leaves all
    `.grad` alone, or with `accumulate_inputs` adds into `.grad` of just these.
    """
    from .record import edge

    edges = [r if isinstance(r, Node | OutSlot) else edge(r) for r in roots]
    for position, e in enumerate(edges):
        if e is None or e is UNTRACKED:
            raise errors.no_graph(f"element {position} of tensors")
    mode = RAW
    if create:
        mode = GRAPH
    elif STATE.levels or any(getattr(g, "_level", None) is not None for g in (*grads, *roots)):
        mode = VALUES
    elif STATE.unusual & (TRACE | DISPATCH):
        mode = VALUES
    elif FACTORY.dispatcher is not None and FACTORY.dispatcher.is_behind(edges):
        mode = VALUES
    seen = STATE.anomaly or STATE.unusual & WATCH  # somebody looks at every step
    if mode == RAW and inputs is None and len(edges) == 1 and not seen:
        root = edges[0]
        if isinstance(root, Node | OutSlot) and backward_plain(root, grads[0]._a, keep):
            return []
    walk = _watched_walk(mode, keep) if STATE.unusual & WATCH else Walk(mode, keep)
    walk.roots = edges
    if inputs is not None:
        walk.captures = _captures(inputs)
        walk.into_grad = accumulate_inputs
        walk.prune(edges)
    else:
        walk.count(edges)
    if STATE.anomaly_log is not None:
        from .anomaly_forward import check_root

        for root in roots:
            check_root(STATE.anomaly_log, root)
    previous = STATE.grad_enabled
    STATE.set_grad_enabled(create or _outer_mode(roots))
    STATE.partial_passes += inputs is not None
    STATE.passes.append(walk)
    try:
        for e, g in zip(edges, grads, strict=True):
            walk.taken[id(g)] = g
            walk.seed(e, g._a if mode == RAW else g)
        walk.run()
        if walk.stopped and inputs is None:
            settle_leaves(walk.stopped, mode, create)
        elif walk.stopped:
            settle_results(walk, inputs, create)
    finally:
        STATE.passes.pop()
        STATE.partial_passes -= inputs is not None
        STATE.set_grad_enabled(previous)
    for callback in walk.at_end:
        callback()
    if inputs is None:
        return []
    return [_as_result(walk.results.get(k), t) for k, t in enumerate(inputs)]


def _watched_walk(mode: str, keep: bool) -> Walk:
    from .watching import WatchedWalk

    return WatchedWalk(mode, keep)


def _as_result(g: Any, t: Any) -> Any:
    if g is None or isinstance(g, TensorBase):
        return g
    g, of = np.asarray(g), getattr(t, "_a", None)
    if 0 in g.strides and is_expanded(g):  # the caller may write to it
        g = np.array(g, order="C")
    return make(lying_as(g, of) if isinstance(of, np.ndarray) else g)  # pyright: ignore[reportUnknownArgumentType]


def _outer_mode(roots: Sequence[Any]) -> bool:
    """Whether gradients computed on a level's tape are recorded by the levels below it."""
    for r in roots:
        level = getattr(r, "_level", None)
        if level is not None and level.kind == "grad":
            return level.outer
    return False


def _captures(inputs: Sequence[Any]) -> dict[int, dict[int, list[int]]]:
    from .record import edge

    found: dict[int, dict[int, list[int]]] = {}
    for position, t in enumerate(inputs):
        e = t if isinstance(t, Node | OutSlot) else edge(t)
        if e is None or e is UNTRACKED:
            continue
        nr = e.nr if isinstance(e, OutSlot) else 0
        found.setdefault(key_of(e), {}).setdefault(nr, []).append(position)
    return found


__all__ = ["GRAPH", "RAW", "VALUES", "Walk", "accumulate", "errors", "run_backward"]
