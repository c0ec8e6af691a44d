"""Nodes of the tape.

A node knows its op, what its rules saved, and its parents: for each input the Node (or OutSlot)
that made it, the leaf tensor itself, or None when no gradient is wanted. Nothing points from
parents to children or from a node to its output, so there are no reference cycles and a graph is
freed by reference counting alone.

`key` counts downwards: a later node has a smaller key, so a heap pops the latest node first, and
keys are a topological order of the graph.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from weakref import ref

from . import source
from .trees import several
from .value import PLAIN, TensorBase

next_key = itertools.count(-1, -1).__next__


# Nodes of functions whose other operands are numbers; those of arithmetic count as inputs.
_WITH_NUMBERS = {"PowBackward0", "ClampBackward1", "LerpBackward0", "IndexFillBackward0"}


class Node:
    """A step of the recorded program; PyTorch's `grad_fn`."""

    __slots__ = (
        "__weakref__", "_metadata", "code", "fix", "hooks", "key", "lasti", "meta", "parents", "s",
    )  # fmt: skip

    op: Any = None
    multi = False  # several outputs: the incoming gradient is a list
    unfold: Any = None  # of a node that stands for many: puts those in place, if an output needs it

    key: int
    parents: tuple[Any, ...]
    s: Any  # saved values; () when nothing is saved, a list when no tensor is, None when freed
    fix: Any  # None, or per input (shape, numpy dtype) to sum and cast the gradient to
    meta: Any  # None, or per output (shape, numpy dtype)
    hooks: Any  # None or Hooks

    def name(self) -> str:
        """PyTorch's node name, e.g. 'MulBackward0'."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at {hex(id(self))}>"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Per input: (the node that receives its gradient or None, output number)."""
        parents = self.parents
        return tuple(public_edge(parents[k]) for k in self.shown_inputs())

    def shown_inputs(self) -> Sequence[int]:
        """The inputs that hooks and `next_functions` show; masks and indices are none of them."""
        op, places = self.op, range(len(self.parents))
        if op is None:
            return places
        if op.bias_first:
            return (places[-1], *places[:-1])
        if self.name() in _WITH_NUMBERS:
            return [k for k in places if self.parents[k] is not None]
        return [k for k in places if op.input_name(k) not in op.nondiff] if op.nondiff else places

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for the user's own notes on this node."""
        found: dict[str, Any] | None = getattr(self, "_metadata", None)
        if found is None:
            found = self._metadata = {}
        return found

    @property
    def _sequence_nr(self) -> int:
        return -self.key - 1

    def where(self) -> str:
        """The user's line that recorded this node."""
        return source.describe(self.code, self.lasti)

    def register_hook(self, fn: Any) -> RemovableHandle:
        """Call fn(grad_inputs, grad_outputs) after this node ran; it may replace grad_inputs."""
        return hooks_of(self).add(hooks_of(self).post, fn)

    def register_prehook(self, fn: Any) -> RemovableHandle:
        """Call fn(grad_outputs) before this node runs; it may replace them."""
        return hooks_of(self).add(hooks_of(self).pre, fn)

    def release(self) -> None:
        """Drop the saved values; a second backward through them is then an error."""
        if self.s and self.s.__class__ is tuple:
            self.s = None

    # Filled by subclasses: gradients of the inputs, on payloads or on tensors.
    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        raise NotImplementedError

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: Any) -> Any:
        raise NotImplementedError


def start(node: Any, parents: tuple[Any, ...], code: Any, lasti: int) -> Any:
    """Fill the fields every node has."""
    node.key = next_key()
    node.parents = parents
    node.code = code
    node.lasti = lasti
    node.s = ()
    node.fix = None
    node.meta = None
    node.hooks = None
    return node


class Untracked(Node):
    """The history of a view made under no_grad: what flows into it is lost."""

    __slots__ = ()

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        return ()

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: Any) -> Any:
        return ()


UNTRACKED = start(Untracked(), (), None, 0)


class NotImplementedNode(Node):
    """The history of something that has no derivative here: a gradient that reaches it raises."""

    __slots__ = ("what",)

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        raise RuntimeError(
            f"derivative for {self.what} is not implemented\n  recorded at {self.where()}"
        )

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: Any) -> Any:
        return self.vjp(g, parents)


NotImplementedNode.__name__ = NotImplementedNode.__qualname__ = "NotImplemented"


def not_implemented(what: str) -> Node:
    """A node that raises when a gradient reaches it."""
    node = start(NotImplementedNode(), (), *source.user_position())
    node.what = what
    return node


_RENAMED: dict[tuple[type, str], type] = {}


def rename(node: Any, name: str) -> None:
    """Give a node another of PyTorch's names: the same rules, reached by another call."""
    kind: Any = node.__class__
    if kind.__name__ != name:
        found = _RENAMED.get((kind, name))
        if found is None:
            found = _RENAMED[kind, name] = type(name, (kind,), {"__slots__": ()})
        node.__class__ = found


class OutSlot:
    """Output number `nr` of a node with several outputs, as an edge."""

    __slots__ = ("__weakref__", "node", "nr")

    def __init__(self, node: Node, nr: int) -> None:
        self.node = node
        self.nr = nr


class AccumulateGrad(Node):
    """The end of every chain, as `next_functions` shows it: adds into a leaf's `.grad`.

    Edges of the tape lead to the leaf tensor itself; this object is made when somebody looks.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        start(self, (), None, 0)
        self.variable = variable

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {hex(id(self))}>"

    def register_hook(self, fn: Any) -> RemovableHandle:
        return _leaf_hooks(self.variable).add(_leaf_hooks(self.variable).post, fn)

    def register_prehook(self, fn: Any) -> RemovableHandle:
        return _leaf_hooks(self.variable).add(_leaf_hooks(self.variable).pre, fn)


class Hooks:
    """Hooks of a node or a leaf, in order of registration."""

    __slots__ = ("post", "post_accumulate", "pre", "retain", "tensor")

    used = False  # whether there ever were any: until then no pass need look for them

    def __init__(self) -> None:
        Hooks.used = True
        self.tensor: dict[int, OrderedDict[int, Any]] = {}  # output number -> tensor hooks
        self.pre: OrderedDict[int, Any] = OrderedDict()
        self.post: OrderedDict[int, Any] = OrderedDict()
        self.post_accumulate: OrderedDict[int, Any] = OrderedDict()
        self.retain: dict[int, Any] = {}  # output number -> weak reference to the tensor

    @staticmethod
    def add(where: OrderedDict[int, Any], fn: Any) -> RemovableHandle:
        handle = RemovableHandle(where)
        where[handle.id] = fn
        return handle


class RemovableHandle:
    """Removes a hook: `handle.remove()`, or as a context manager."""

    next_id = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.extra_dict_ref = tuple(ref(d) for d in several(extra_dict) if d is not None)

    def remove(self) -> None:
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            found: Any = reference()
            if found is not None:
                found.pop(self.id, None)

    # A copy of a module has copies of its hooks: its handles must remove those.
    def __getstate__(self) -> tuple[Any, ...]:
        return self.hooks_dict_ref(), self.id, [r() for r in self.extra_dict_ref]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        hooks, self.id, extra = state
        none: OrderedDict[int, Any] = OrderedDict()
        self.hooks_dict_ref = ref(none if hooks is None else hooks)
        self.extra_dict_ref = tuple(ref(d) for d in extra if d is not None)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def hooks_of(node: Any) -> Hooks:
    if node.hooks is None:
        node.hooks = Hooks()
    return node.hooks


def _leaf_hooks(leaf: Any) -> Hooks:
    meta: dict[str, Any] | None = leaf._rare
    if meta is None:
        meta = leaf._rare = {}
    found = meta.get("hooks")
    if found is None:
        found = meta["hooks"] = Hooks()
    return found


leaf_hooks = _leaf_hooks


def note_exchange(leaf: Any) -> None:
    """From now on what was recorded with this leaf belongs to another tensor."""
    Hooks.used = True  # passes look for such leaves where they look for hooks
    meta: dict[str, Any] | None = leaf._rare
    if meta is None:
        meta = leaf._rare = {}
    meta["exchanged"] = next_key()


def exchanged_since(leaf: Any, node: Any) -> bool:
    """Whether a leaf's contents were exchanged after a node that leads to it was recorded."""
    meta = leaf._rare
    return meta is not None and "exchanged" in meta and node.key > meta["exchanged"]


def accumulator(leaf: Any) -> AccumulateGrad:
    """The AccumulateGrad of a leaf: one object as long as somebody holds it."""
    meta: dict[str, Any] | None = leaf._rare
    if meta is None:
        meta = leaf._rare = {}
    known = meta.get("accumulator")
    found = known() if known is not None else None
    if found is None:
        found = AccumulateGrad(leaf)
        meta["accumulator"] = ref(found)
    return found


def public_edge(parent: Any) -> tuple[Any, int]:
    """An edge as users see it: (node, output number)."""
    if parent is None or parent is UNTRACKED:
        return None, 0
    if isinstance(parent, OutSlot):
        return parent.node, parent.nr
    if parent.__class__ in PLAIN or isinstance(parent, TensorBase):
        return accumulator(parent), 0
    return parent, 0
