"""Nested tuples, lists and dicts of tensors: take apart and put together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, cast

# Types of users, by `utils._pytree.register_pytree_node`: how each is taken apart and put together.
REGISTERED: dict[type, tuple[Callable[[Any], tuple[Any, Any]], Callable[[Any, Any], Any]]] = {}


def several(value: Any) -> tuple[Any, ...]:
    """The members of a tuple or list; one value as a tuple of itself."""
    if not isinstance(value, tuple | list):
        return (value,)
    return tuple(cast("list[Any]", value))


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves in order, and what is needed to rebuild the tree."""
    kind = cast("type[Any]", type(tree))
    if REGISTERED and kind in REGISTERED:
        items, context = REGISTERED[kind][0](tree)
        leaves, (_, _, specs) = flatten(list(items))
        return leaves, (kind, _Own(context), specs)
    if isinstance(tree, tuple | list):
        leaves: list[Any] = []
        specs: list[Any] = []
        for item in several(tree):
            found, spec = flatten(item)
            leaves += found
            specs.append((len(found), spec))
        return leaves, (kind, None, specs)
    if isinstance(tree, dict):
        entries = cast("dict[Any, Any]", tree)
        keys = list(entries)
        leaves, (_, _, specs) = flatten([entries[k] for k in keys])
        return leaves, (kind, keys, specs)
    return [tree], None


def unflatten(leaves: list[Any], spec: Any) -> Any:
    """The tree with these leaves."""
    if spec is None:
        return leaves[0]
    kind, keys, specs = spec
    items: list[Any] = []
    start = 0
    for count, inner in specs:
        items.append(unflatten(leaves[start : start + count], inner))
        start += count
    if isinstance(keys, _Own):
        return REGISTERED[kind][1](items, keys.context)
    if keys is not None:
        pairs: Any = zip(keys, items, strict=True)
        return OrderedDict(pairs) if issubclass(kind, OrderedDict) else dict(pairs)
    if hasattr(kind, "_fields"):
        return kind(*items)
    return kind(items)


class _Own:
    """What else rebuilds a registered type."""

    __slots__ = ("context",)

    def __init__(self, context: Any) -> None:
        self.context = context

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Own) and self.context == other.context

    __hash__ = None  # type: ignore[assignment]


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with the function applied to every leaf."""
    leaves, spec = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], spec)


def broadcast_prefix(prefix: Any, tree: Any, is_leaf: Callable[[Any], bool]) -> list[Any] | None:
    """One entry of `prefix` per leaf of `tree`; None when the prefix does not fit."""
    if is_leaf(prefix):
        return [prefix] * len(flatten(tree)[0])
    if isinstance(prefix, tuple | list):
        kind = list if isinstance(prefix, list) else tuple  # one does not stand for the other
        if not isinstance(tree, kind):
            return None
        pairs = several(prefix), several(tree)
        if len(pairs[0]) != len(pairs[1]):
            return None
        parts = [broadcast_prefix(p, t, is_leaf) for p, t in zip(*pairs, strict=True)]
    elif isinstance(prefix, dict):
        if not isinstance(tree, dict):
            return None
        ours, theirs = cast("dict[Any, Any]", prefix), cast("dict[Any, Any]", tree)
        if set(ours) != set(theirs):
            return None
        parts = [broadcast_prefix(ours[k], theirs[k], is_leaf) for k in theirs]
    else:
        return None
    if any(p is None for p in parts):
        return None
    return [entry for part in parts for entry in part]  # type: ignore[union-attr]
