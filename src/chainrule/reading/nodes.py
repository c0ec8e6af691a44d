"""The tape as a graph that reports can read: vertices and links, without touching it.

`Tape.of(y)` walks the graph behind a tensor once, iteratively (a chain of a million nodes is fine),
and gives a `Vertex` per node and leaf and a `Link` per edge. Two uses of one tensor by one op
(`x * x`) are two links. Order is by sequence number: children before what they were computed from.

Nothing here runs hooks, writes `.grad` or frees saved values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..autograd import errors
from ..autograd.node import UNTRACKED, Node, OutSlot
from ..autograd.op_rules import saved_names
from ..autograd.record import edge, saved_payloads
from ..autograd.running_rules import fix_of
from ..autograd.value import TensorBase
from .names import Names
from .source import UNKNOWN, Place, node_place

_SPOKEN = {"linear2d": "linear"}  # one function to users, several rows of the table


class Vertex:
    """A node of the tape or a leaf tensor, as reports see it."""

    __slots__ = ("inputs", "key", "leaf", "module", "node", "title", "uses")

    def __init__(self, key: int, node: Any, leaf: Any) -> None:
        self.key = key  # smaller is later; leaves have positive keys
        self.node = node  # the tape's Node, or None for a leaf
        self.leaf = leaf  # the leaf tensor, or None for a node
        self.inputs: tuple[Link, ...] = ()  # the links to what it was computed from
        self.uses: list[Link] = []  # the links from what was computed from it
        self.module = ""  # path of the module that recorded it, once `modules.assign` has run
        self.title = ""  # the variable it is called by, once `Tape.name` has run

    @property
    def is_leaf(self) -> bool:
        return self.leaf is not None

    @property
    def op(self) -> str:
        """The op's name: 'mul', 'linear', 'leaf'; a custom function by its class."""
        if self.node is None:
            return "leaf"
        op = self.node.op
        if op is not None:
            name: str = op.name
            return _SPOKEN.get(name, name.removeprefix("reduce_"))
        return self.torch_name.removesuffix("Backward")

    @property
    def torch_name(self) -> str:
        """PyTorch's name of the node: 'MulBackward0'; 'AccumulateGrad' for a leaf."""
        return "AccumulateGrad" if self.node is None else type(self.node).__name__

    @property
    def sequence_number(self) -> int:
        """When it was recorded, counted over the process; -1 for a leaf."""
        return -1 if self.node is None else -self.key - 1

    @property
    def place(self) -> Place:
        """The user's line that recorded it."""
        return UNKNOWN if self.node is None else node_place(self.node)

    @property
    def freed(self) -> bool:
        """Whether backward has used up what it saved."""
        return self.node is not None and self.node.s is None

    def saved(self) -> dict[str, Any]:
        """What the node keeps for backward, by name: arrays, shapes and parameters.

        What a saved-tensor hook packed is not unpacked (that may recompute a forward pass).
        """
        node = self.node
        if node is None or not node.s:
            return {}
        if node.op is None:
            return {f"tensor {k}": v for k, v in enumerate(node.s)}
        return dict(zip(saved_names(node.op), node.s, strict=False))

    def saved_array(self, name: str) -> np.ndarray | None:
        """A saved tensor's array, if it is there and unchanged since it was saved."""
        node = self.node
        if node is None or not node.s or node.op is None:
            return None
        names = saved_names(node.op)
        if name not in names:
            return None
        k = names.index(name)
        value = node.s[k]
        if not isinstance(value, np.ndarray):
            return None
        version = len(names) + 2 * k
        if version + 1 < len(node.s) and node.s[version][0] != node.s[version + 1]:
            return None
        return value

    def parameters(self) -> dict[str, Any]:
        """The numbers and settings the op was called with, as far as its rules keep them."""
        node = self.node
        if node is None or node.op is None:
            return {}
        known = self.saved()
        return {n: known[n] for n in node.op.params if known.get(n) is not None}

    def __repr__(self) -> str:
        what = f"leaf {list(self.leaf.shape)}" if self.is_leaf else f"{self.op}"
        return f"<{self.title or what} at {self.place.short}>"


class Link:
    """One edge: input number `position` of `child` is output number `nr` of `parent`."""

    __slots__ = ("child", "nr", "parent", "position")

    def __init__(self, child: Vertex, position: int, parent: Vertex, nr: int) -> None:
        self.child = child
        self.position = position
        self.parent = parent
        self.nr = nr

    @property
    def input_name(self) -> str:
        """The input's name in the op's declaration: 'x', 'weight'."""
        op = self.child.node.op
        return f"input {self.position}" if op is None else op.input_name(self.position)

    def vjp(self, g: Any) -> Any:
        """The gradient that flows along this link alone; `g` is the child's incoming gradient.

        `g` is an array, or a list of one per output for a node with several. None: nothing flows.
        """
        node = self.child.node
        mask = tuple(p if k == self.position else None for k, p in enumerate(node.parents))
        return node.vjp(g, mask)[self.position]

    def derivative(self) -> float:
        """The local derivative where child and parent are single numbers."""
        child = self.child
        shape, dtype = child_shape(child)
        one = np.ones(shape, dtype)
        g = self.vjp([one] if child.node.multi else one)
        return 0.0 if g is None else float(np.asarray(g).reshape(()))

    def __repr__(self) -> str:
        return f"<link {self.child!r} -> {self.parent!r}>"


def child_shape(vertex: Vertex) -> tuple[tuple[int, ...], Any]:
    """Shape and dtype of a vertex's (first) output; a single float64 where nothing says more."""
    return shape_of(vertex, 0) or ((), np.dtype(np.float64))


def shape_of(vertex: Vertex, nr: int = 0) -> tuple[tuple[int, ...], Any] | None:
    """(shape, dtype) of an output as far as the tape says it, else None.

    A node keeps its own shape only where its rule needs it, so its users are asked as well.
    """
    if vertex.leaf is not None:
        return tuple(vertex.leaf._a.shape), vertex.leaf._a.dtype
    meta = vertex.node.meta
    if meta is not None and meta[nr] is not None:
        return meta[nr]
    out = vertex.saved_array("out" if nr == 0 else f"out{nr}")
    if out is not None:
        return out.shape, out.dtype
    for link in vertex.uses:
        found = _as_input(link)
        if found is not None:
            return found
    return None


def _as_input(link: Link) -> tuple[tuple[int, ...], Any] | None:
    """What a user of a tensor knows about its shape and dtype."""
    node = link.child.node
    op = node.op
    if op is None:
        return None
    value = link.child.saved_array(op.input_name(link.position))
    if value is not None and not (op.variadic and link.position >= op.fixed):
        return value.shape, value.dtype
    shape = link.child.saved().get(f"{op.input_name(link.position)}_shape")
    if isinstance(shape, tuple) and all(isinstance(n, int) for n in shape):
        return shape, np.dtype(np.float64)  # only its type is a guess
    fix = fix_of(node)
    known = None if fix is None or fix.inputs is None else fix.inputs[link.position]
    return None if known is None or known[1] is None else known


class Tape:
    """The graph behind a tensor."""

    def __init__(self, root: Vertex, nr: int, order: list[Vertex], tensor: Any) -> None:
        self.root = root
        self.root_nr = nr  # which output of the root the tensor is
        self.order = order  # nodes latest first, then leaves
        self.tensor = tensor
        self.names = Names()

    @classmethod
    def of(cls, y: Any) -> Tape:
        """Read the graph behind `y`; an error says why there is none."""
        start = _root_edge(y)
        vertices: dict[int, Vertex] = {}
        root = _vertex(start, vertices)
        stack = [root]
        while stack:
            child = stack.pop()
            if child.node is None:
                continue
            links = []
            for position, p in enumerate(child.node.parents):
                if p is None or p is UNTRACKED:
                    continue
                known = len(vertices)
                parent = _vertex(p, vertices)
                nr = p.nr if p.__class__ is OutSlot else 0
                link = Link(child, position, parent, nr)
                links.append(link)
                parent.uses.append(link)
                if len(vertices) > known:
                    stack.append(parent)
            child.inputs = tuple(links)
        order = sorted(vertices.values(), key=_order)
        return cls(root, start.nr if start.__class__ is OutSlot else 0, order, y)

    def name(self, names: Names) -> Tape:
        """Call vertices by the user's variables: those that hold them, or were assigned there."""
        self.names = names
        for v in self.order:
            if v.leaf is not None:
                v.title = names.of_tensor(v.leaf)
            else:
                v.title = names.of_node(v.key) or self._assigned(v)
        if not self.root.title and self.tensor is not None:
            self.root.title = names.of_tensor(self.tensor)
        return self

    def _assigned(self, v: Vertex) -> str:
        """The variable assigned on the line that recorded a node, if it was given this value."""
        target = v.place.target
        if not target:
            return ""
        node = v.node
        # A call of ours may record several nodes at one position: the last of them is the result.
        for link in v.uses:
            child = link.child.node
            if child.code is node.code and child.lasti == node.lasti and len(v.uses) == 1:
                text = v.place.expression
                if not text:  # too long to be kept
                    return target if link.child.op == v.op else ""
                called = text.split("(")[0].split(".")[-1]
                return target if called == v.op or "(" not in text else ""
        return target

    @property
    def leaves(self) -> list[Vertex]:
        return [v for v in self.order if v.leaf is not None]

    @property
    def nodes(self) -> list[Vertex]:
        return [v for v in self.order if v.node is not None]

    def links(self) -> Iterator[Link]:
        """Every link, children latest first."""
        for v in self.order:
            yield from v.inputs

    def find(self, tensor: Any) -> tuple[Vertex, int] | None:
        """The vertex (and output number) that is this tensor, or None if it is not in the graph."""
        e = edge(tensor) if tensor._rg else None
        if e is None:
            return None
        nr = e.nr if e.__class__ is OutSlot else 0
        target = e.node if e.__class__ is OutSlot else e
        for v in self.order:
            if (v.leaf if v.node is None else v.node) is target:
                return v, nr
        return None

    def first_freed(self) -> Vertex | None:
        """A node whose saved values were used up, if there is one."""
        return next((v for v in self.order if v.freed), None)

    def require_saved(self) -> None:
        """Raise the tape's own error where the saved values are gone."""
        v = self.first_freed()
        if v is not None:
            raise errors.freed(v.node)

    def has_hooks(self) -> bool:
        """Whether a backward pass through this graph would call or write something on its way."""
        return any(_hooks_of(v) is not None for v in self.order)

    def changes_gradients(self) -> bool:
        """Whether hooks may change gradients on their way; keeping one (`retain_grad`) does not."""
        found = [hooks for v in self.order if (hooks := _hooks_of(v)) is not None]
        return any(any(h.tensor.values()) or h.pre or h.post for h in found)

    def value(self, v: Vertex, nr: int = 0) -> np.ndarray | None:
        """The value of a vertex where somebody still has it: a rule, a variable, a leaf.

        A sum or product of values that somebody has is computed again.
        """
        found = self._kept(v, nr)
        return self._recomputed(v) if found is None else found

    def _recomputed(self, v: Vertex) -> np.ndarray | None:
        """The result of an op without settings whose inputs are all known, else None."""
        op = None if v.node is None else v.node.op
        if op is None or op.params or op.variadic or op.random or op.n_out != 1:
            return None
        if [link.position for link in v.inputs] != list(range(len(op.inputs))):
            return None  # an operand was a constant, which nobody kept
        values = [self._kept(link.parent, link.nr) for link in v.inputs]
        if any(value is None for value in values):
            return None
        return np.asarray(op.forward(*values))

    def _kept(self, v: Vertex, nr: int) -> np.ndarray | None:
        if v is self.root and nr == self.root_nr and self.tensor is not None:
            return self.tensor._a
        for link in v.uses:
            op = link.child.node.op
            if link.nr == nr and op is not None:
                name = op.input_name(link.position)
                found = link.child.saved_array(name)
                if found is not None:
                    return found
        if v.leaf is not None:
            return v.leaf._a
        out = v.saved_array("out" if nr == 0 else f"out{nr}")
        if out is not None:
            return out
        held = self.names.held(v.key, nr)
        return held._a if held is not None and isinstance(held._a, np.ndarray) else None


def _hooks_of(v: Vertex) -> Any:
    if v.node is not None:
        return v.node.hooks
    return None if v.leaf._rare is None else v.leaf._rare.get("hooks")


def _order(v: Vertex) -> tuple[bool, int]:
    # Leaves stay as they were met: their keys are addresses, which differ from run to run.
    return v.node is None, 0 if v.node is None else v.key


def _root_edge(y: Any) -> Any:
    if not isinstance(y, TensorBase):
        raise TypeError(
            f"expected a tensor that was computed from others, got {type(y).__name__}. Fix: pass "
            "the result itself, not float(result) or result.item()."
        )
    if getattr(y, "_level", None) is not None:
        raise RuntimeError(
            "this tensor belongs to a func transform (grad, vmap, jvp): its graph is the "
            "transform's own. Fix: call the function directly on tensors that require grad."
        )
    e = edge(y)
    if e is None or e is UNTRACKED:
        raise errors.no_graph("The tensor to be read")
    return e


def _vertex(p: Any, known: dict[int, Vertex]) -> Vertex:
    if p.__class__ is OutSlot:
        p = p.node
    key = p.key if isinstance(p, Node) else id(p)
    found = known.get(key)
    if found is None:
        found = Vertex(key, p, None) if isinstance(p, Node) else Vertex(key, None, p)
        known[key] = found
    return found


def saved_values(vertex: Vertex) -> dict[str, Any]:
    """Everything a node saved, unpacked where hooks packed it; checked as backward would."""
    node = vertex.node
    return saved_payloads(node) if node is not None and node.op is not None else vertex.saved()


__all__ = ["Link", "Tape", "Vertex", "saved_values", "shape_of"]
