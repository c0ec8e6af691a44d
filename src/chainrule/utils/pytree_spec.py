"""The form of a tree without its leaves, and that form as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd.accidents import explain_module
from ..tensor.return_types import ReturnType
from .pytree_nodes import (
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    SUPPORTED_SERIALIZED_TYPES,
    is_namedtuple_instance,
    register_return_type,
)

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


def node_type(tree: Any) -> Any:
    """The key of a container in the registry."""
    kind = type(tree)
    if kind not in SUPPORTED_NODES and isinstance(tree, tuple):
        if isinstance(tree, ReturnType):  # PyTorch registers each of them
            register_return_type(kind)
        elif is_namedtuple_instance(tree):
            from collections import namedtuple

            return namedtuple
    return kind


def is_leaf_node(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether something is a leaf: of no registered type, or one the caller takes for a leaf."""
    if is_leaf is not None and is_leaf(tree):
        return True
    return node_type(tree) not in SUPPORTED_NODES


class TreeSpec:
    """The form of a tree: the type of its root, what else rebuilds it, and the forms below."""

    def __init__(self, type: Any, context: Any, children_specs: list[Any]) -> None:  # noqa: A002
        self.type = type
        self.context = context
        self._children = list(children_specs)
        self.num_children = len(self._children)
        self.num_nodes = 1 + sum(child.num_nodes for child in self._children)
        self.num_leaves = sum(child.num_leaves for child in self._children)
        if type is None:
            self.num_leaves = 1

    def children(self) -> list[Any]:
        """The forms below the root."""
        return list(self._children)

    def child(self, index: int) -> Any:
        """The form below the root at a place."""
        return self._children[index]

    children_specs = property(children)

    def is_leaf(self) -> bool:
        """Whether the whole tree is one leaf."""
        return self.type is None

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this form with these leaves."""
        found = leaves if isinstance(leaves, list | tuple) else list(leaves)
        if len(found) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(found)} but the spec refers "
                f"to a pytree that holds {self.num_leaves} items ({self})."
            )
        if self.type is None:
            return found[0]
        parts, start = [], 0
        for child in self._children:
            parts.append(child.unflatten(found[start : start + child.num_leaves]))
            start += child.num_leaves
        return SUPPORTED_NODES[self.type].unflatten_fn(parts, self.context)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The subtrees of a tree at the leaves of this form, which it must have."""
        found: list[Any] = []
        self._collect(tree, found)
        return found

    def _collect(self, tree: Any, found: list[Any]) -> None:
        if self.type is None:
            found.append(tree)
            return
        kind = node_type(tree)
        both_dicts = self.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES
        if kind is not self.type and not both_dicts:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
            )
        if both_dicts:
            keys = self.context if self.type.__name__ != "defaultdict" else self.context[1]
            if set(keys) != set(tree):
                missing, extra = set(keys) - set(tree), set(tree) - set(keys)
                raise ValueError(
                    "Node keys mismatch"
                    + (f"; missing key(s): {missing}" if missing else "")
                    + (f"; extra key(s): {extra}" if extra else "")
                    + "."
                )
            children = [tree[key] for key in keys]
        elif context != self.context and kind.__name__ != "deque":
            raise ValueError(
                f"Node context mismatch for custom node type {kind!r}: expected {self.context!r}, "
                f"but got {context!r}."
            )
        for child, part in zip(self._children, children, strict=True):
            child._collect(part, found)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (
            self.type is other.type
            and self.context == other.context
            and self._children == other._children
        )

    def __hash__(self) -> int:
        context = repr(self.context) if self.type is not None else None
        return hash((self.type, context, tuple(self._children)))

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        head = f"TreeSpec({self.type.__name__}, {self.context}, ["
        texts = [child.__repr__(indent + 2) for child in self._children]
        joined = f",\n{' ' * (indent + 2)}".join(texts)
        return f"{head}{joined}])"


class LeafSpec(TreeSpec):
    """The form of one leaf."""

    def __init__(self) -> None:
        super().__init__(None, None, [])

    def __repr__(self, indent: int = 0) -> str:
        return "*"


LEAF = LeafSpec()


# ---- as text -------------------------------------------------------------------------------------


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """The form as JSON.

    >>> from chainrule.utils._pytree import tree_structure
    >>> text = treespec_dumps(tree_structure({"a": (1, 2)}))
    >>> treespec_loads(text) == tree_structure({"a": (3, 4)})
    True
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"treespec_dumps(treespec): Expected `treespec` to be instance of TreeSpec but got "
            f"item of type {type(treespec)}."
        )
    number = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL if protocol is None else protocol
    if number != 1:
        raise ValueError(f"Unknown protocol {number}. Available protocols: [1]")
    return json.dumps([number, _to_data(treespec)])


def _to_data(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    written = SUPPORTED_SERIALIZED_TYPES.get(spec.type)
    if written is None or not written.serialized_type_name:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your "
            "_register_pytree_node call with a `serialized_type_name` kwarg."
        )
    dump = written.to_dumpable_context
    try:
        context = json.dumps(spec.context) if dump is None else dump(spec.context)
    except TypeError as problem:
        raise TypeError(
            "Unable to serialize context. Please make the context json dump-able, or register a "
            "custom serializer using _register_pytree_node."
        ) from problem
    below = [_to_data(child) for child in spec.children()]
    return {"type": written.serialized_type_name, "context": context, "children_spec": below}


def treespec_loads(serialized: str) -> TreeSpec:
    """The form of a text that `treespec_dumps` wrote."""
    number, data = json.loads(serialized)
    if number != 1:
        raise ValueError(f"Unknown protocol {number}. Available protocols: [1]")
    return _from_data(data)


def _from_data(data: dict[str, Any]) -> TreeSpec:
    if data["type"] is None:
        return LEAF
    if data["type"] not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(
            f"Deserializing {data['type']} in pytree is not registered. Fix: register its type "
            "with this `serialized_type_name` first."
        )
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE[data["type"]]
    read = SUPPORTED_SERIALIZED_TYPES[kind].from_dumpable_context
    context = json.loads(data["context"]) if read is None else read(data["context"])
    return TreeSpec(kind, context, [_from_data(child) for child in data["children_spec"]])


class _Asterisk(str):
    """A leaf in print."""

    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree in Python's own notation, with `*` for each leaf."""
    return repr(treespec.unflatten([_Asterisk("*")] * treespec.num_leaves))


def treespec_leaf() -> TreeSpec:
    """The form of one leaf."""
    return LEAF


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The form of a tuple of such trees."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """The form of a dict of such trees."""
    found = dict(mapping, **kwargs)
    return TreeSpec(dict, list(found), list(found.values()))


explain_module(globals())
