"""Nested containers of values, under PyTorch's names: take apart, map, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import trees


class TreeSpec:
    """The form of a tree without its leaves."""

    def __init__(self, spec: Any, num_leaves: int) -> None:
        self._spec = spec
        self.num_leaves = num_leaves

    def unflatten(self, leaves: Any) -> Any:
        """The tree of this form with these leaves."""
        return tree_unflatten(leaves, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(repr(self._spec))

    def __repr__(self) -> str:
        return f"TreeSpec({self.num_leaves} leaves, {self._spec!r})"


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of nested tuples, lists and dicts, and their form.

    >>> leaves, form = tree_flatten({"a": [1, 2], "b": (3,)})
    >>> leaves, form.unflatten([x * 10 for x in leaves])
    ([1, 2, 3], {'a': [10, 20], 'b': (30,)})
    """
    leaves, spec = trees.flatten(tree)
    return leaves, TreeSpec(spec, len(leaves))


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree with these leaves."""
    found = list(leaves)
    if len(found) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(found)} but the spec "
            f"refers to a pytree that holds {treespec.num_leaves} items"
        )
    return trees.unflatten(found, treespec._spec)


def tree_leaves(tree: Any) -> list[Any]:
    """The leaves, in order."""
    return trees.flatten(tree)[0]


def tree_structure(tree: Any) -> TreeSpec:
    """The form of a tree."""
    return tree_flatten(tree)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any) -> Any:
    """The tree with a function applied to every leaf (and to the leaves of trees of its form)."""
    leaves, spec = tree_flatten(tree)
    columns = [leaves]
    for other in rests:
        found, form = tree_flatten(other)
        if form != spec:
            raise ValueError(f"the trees have different forms: {spec!r} and {form!r}")
        columns.append(found)
    return tree_unflatten([func(*row) for row in zip(*columns, strict=True)], spec)


def tree_map_only(kinds: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with a function applied to the leaves of some types."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kinds) else leaf, tree)


def tree_any(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether something holds for a leaf."""
    return any(map(pred, tree_leaves(tree)))


def tree_all(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether something holds for all leaves."""
    return all(map(pred, tree_leaves(tree)))
