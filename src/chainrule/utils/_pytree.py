"""Nested containers of values, under PyTorch's names: take apart, map, put together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import UnionType
from typing import Any

from ..autograd.accidents import explain_module
from .pytree_nodes import (
    BUILTIN_TYPES,
    CONSTANT_NODES,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    SUPPORTED_SERIALIZED_TYPES,
    ConstantNode,
    GetAttrKey,
    MappingKey,
    NodeDef,
    SequenceKey,
    _defaultdict_flatten,
    _defaultdict_flatten_with_keys,
    _defaultdict_unflatten,
    _deque_flatten,
    _deque_flatten_with_keys,
    _deque_unflatten,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    _namedtuple_flatten,
    _namedtuple_flatten_with_keys,
    _namedtuple_unflatten,
    _ordereddict_flatten,
    _ordereddict_flatten_with_keys,
    _ordereddict_unflatten,
    _tuple_flatten,
    _tuple_flatten_with_keys,
    _tuple_unflatten,
    is_constant_class,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    register_constant,
    register_dataclass,
    register_pytree_node,
)
from .pytree_nodes import deregister_pytree_node as _deregister_pytree_node
from .pytree_spec import (
    DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL,
    LEAF,
    LeafSpec,
    TreeSpec,
    is_leaf_node,
    treespec_dict,
    treespec_dumps,
    treespec_leaf,
    treespec_loads,
    treespec_pprint,
    treespec_tuple,
)
from .pytree_spec import node_type as _get_node_type

PyTree = Any
Context = Any
DumpableContext = Any
KeyEntry = Any
KeyPath = tuple[Any, ...]
FlattenFn = FlattenFunc = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFn = UnflattenFunc = Callable[[Iterable[Any], Context], PyTree]
FlattenWithKeysFn = FlattenWithKeysFunc = Callable[[PyTree], tuple[list[tuple[Any, Any]], Any]]
ToDumpableContextFn = Callable[[Context], DumpableContext]
FromDumpableContextFn = Callable[[DumpableContext], Context]
PyTreeSpec = TreeSpec
_LEAF_SPEC = LEAF
_is_namedtuple_instance = is_namedtuple_instance
_register_pytree_node = _private_register_pytree_node = register_pytree_node

_IsLeaf = Callable[[Any], bool] | None


def tree_is_leaf(tree: Any, is_leaf: _IsLeaf = None) -> bool:
    """Whether something is a leaf, not a container."""
    return is_leaf_node(tree, is_leaf)


_is_leaf = tree_is_leaf


# ---- taking apart --------------------------------------------------------------------------------


def tree_flatten(tree: Any, is_leaf: _IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of nested containers, and their form.

    >>> leaves, form = tree_flatten({"a": [1, 2], "b": (3,)})
    >>> leaves, form.unflatten([x * 10 for x in leaves])
    ([1, 2, 3], {'a': [10, 20], 'b': (30,)})
    """
    leaves: list[Any] = []
    return leaves, _flatten_into(tree, leaves, is_leaf)


def _flatten_into(tree: Any, leaves: list[Any], is_leaf: _IsLeaf) -> TreeSpec:
    if is_leaf_node(tree, is_leaf):
        leaves.append(tree)
        return LEAF
    kind = _get_node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten_into(c, leaves, is_leaf) for c in children])


def tree_iter(tree: Any, is_leaf: _IsLeaf = None) -> Iterable[Any]:
    """The leaves, one after another."""
    if is_leaf_node(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: _IsLeaf = None) -> list[Any]:
    """The leaves, in order."""
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves of all arguments."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def tree_structure(tree: Any, is_leaf: _IsLeaf = None) -> TreeSpec:
    """The form of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The tree with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten(leaves, treespec): Expected `treespec` to be instance of PyTreeSpec "
            f"but got item of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


# ---- functions of leaves -------------------------------------------------------------------------


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: _IsLeaf = None) -> Any:
    """The tree with a function applied to every leaf (and to the leaves of trees of its form)."""
    leaves, form = tree_flatten(tree, is_leaf)
    columns = [leaves, *(form.flatten_up_to(other) for other in rests)]
    return form.unflatten([func(*row) for row in zip(*columns, strict=True)])


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: _IsLeaf = None) -> Any:
    """Call a function with every leaf; the tree itself."""
    leaves, form = tree_flatten(tree, is_leaf)
    for row in zip(leaves, *(form.flatten_up_to(other) for other in rests), strict=True):
        func(*row)
    return tree


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function applies to such values only, others stay as they are."""
    kinds = type_or_types_or_pred
    if isinstance(kinds, type | tuple | UnionType):

        def wanted(value: Any) -> bool:
            return isinstance(value, kinds)
    elif callable(kinds):
        wanted = kinds  # pyright: ignore[reportAssignmentType]
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(value: Any) -> Any:
            return func(value) if wanted(value) else value

        return wrapped

    return decorate


def tree_map_only(
    type_or_types_or_pred: Any,
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: _IsLeaf = None,
) -> Any:
    """The tree with a function applied to the leaves of some types.

    >>> tree_map_only(int, lambda x: -x, [1, "a", (2, 3.0)])
    [-1, 'a', (-2, 3.0)]
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any,
    /,
    func: Callable[[Any], Any],
    tree: Any,
    is_leaf: _IsLeaf = None,
) -> Any:
    """Call a function with the leaves of some types; the tree itself."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None) -> bool:
    """Whether something holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None) -> bool:
    """Whether something holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None
) -> bool:
    """Whether something holds for all leaves of some types."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None
) -> bool:
    """Whether something holds for a leaf of some types."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def _broadcast_to_and_flatten(
    tree: Any, treespec: TreeSpec, is_leaf: _IsLeaf = None
) -> list[Any] | None:
    """One entry of a tree's prefix for each leaf of a form; None where it does not fit."""
    if is_leaf_node(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf() or _get_node_type(tree) is not treespec.type:
        return None
    children, context = SUPPORTED_NODES[treespec.type].flatten_fn(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found: list[Any] = []
    for child, form in zip(children, treespec.children(), strict=True):
        part = _broadcast_to_and_flatten(child, form, is_leaf)
        if part is None:
            return None
        found += part
    return found


# ---- paths ---------------------------------------------------------------------------------------


def tree_leaves_with_path(tree: Any, is_leaf: _IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """The leaves, each with the steps that lead to it."""
    return list(_generate_key_paths((), tree, is_leaf))


def _generate_key_paths(path: KeyPath, tree: Any, is_leaf: _IsLeaf = None) -> Iterable[Any]:
    if is_leaf_node(tree, is_leaf):
        yield path, tree
        return
    kind = _get_node_type(tree)
    with_keys = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if with_keys is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a "
            "flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in with_keys(tree)[0]:
        yield from _generate_key_paths((*path, key), child, is_leaf)


def tree_flatten_with_path(
    tree: Any, is_leaf: _IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """The leaves with the steps that lead to them, and the form.

    >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path({"a": [1, 2]})[0]]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: _IsLeaf = None
) -> Any:
    """As `tree_map`, with a function that also gets the path."""
    pairs, form = tree_flatten_with_path(tree, is_leaf)
    columns = [*zip(*pairs, strict=True)] if pairs else [(), ()]
    columns += [tuple(form.flatten_up_to(other)) for other in rests]
    return form.unflatten([func(*row) for row in zip(*columns, strict=True)])


def keystr(kp: KeyPath) -> str:
    """A path as Python would write it after the tree's name."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What lies at a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


_NODE_REGISTRY = SUPPORTED_NODES
_cxx_pytree_exists = False
__all__ = [
    "BUILTIN_TYPES", "CONSTANT_NODES", "DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL",
    "SERIALIZED_TYPE_TO_PYTHON_TYPE", "STANDARD_DICT_TYPES", "SUPPORTED_NODES",
    "SUPPORTED_SERIALIZED_TYPES", "ConstantNode", "Context", "DumpableContext", "FlattenFn",
    "FlattenFunc", "FlattenWithKeysFn", "FlattenWithKeysFunc", "FromDumpableContextFn",
    "GetAttrKey", "KeyEntry", "KeyPath", "LeafSpec", "MappingKey", "NodeDef", "PyTree",
    "PyTreeSpec", "SequenceKey", "ToDumpableContextFn", "TreeSpec", "UnflattenFn", "UnflattenFunc",
    "arg_tree_leaves", "is_constant_class", "is_namedtuple", "is_namedtuple_class",
    "is_namedtuple_instance", "is_structseq", "is_structseq_class", "is_structseq_instance",
    "key_get", "keystr", "map_only", "register_constant", "register_dataclass",
    "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only",
    "tree_flatten", "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves",
    "tree_leaves_with_path", "tree_map", "tree_map_", "tree_map_only", "tree_map_only_",
    "tree_map_with_path", "tree_structure", "tree_unflatten", "treespec_dict", "treespec_dumps",
    "treespec_leaf", "treespec_loads", "treespec_pprint", "treespec_tuple",
]  # fmt: skip
# Private names that libraries import.
_HELPERS = (
    _defaultdict_flatten, _defaultdict_flatten_with_keys, _defaultdict_unflatten, _deque_flatten,
    _deque_flatten_with_keys, _deque_unflatten, _deregister_pytree_node, _dict_flatten,
    _dict_flatten_with_keys, _dict_unflatten, _list_flatten, _list_flatten_with_keys,
    _list_unflatten, _namedtuple_flatten, _namedtuple_flatten_with_keys, _namedtuple_unflatten,
    _ordereddict_flatten, _ordereddict_flatten_with_keys, _ordereddict_unflatten, _tuple_flatten,
    _tuple_flatten_with_keys, _tuple_unflatten,
)  # fmt: skip


explain_module(globals())
