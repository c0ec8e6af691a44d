"""Other ways to say which sizes may change: by tensor, or by further examples."""

from __future__ import annotations

import inspect
from typing import Any

from ..utils._pytree import tree_leaves, tree_map
from .dynamic_shapes import Dim, UserError


class ShapesCollection:
    """Sizes by tensor: `collection[x] = {0: Dim.DYNAMIC}`, wherever x is among the arguments."""

    def __init__(self) -> None:
        self._shapes: dict[int, tuple[Any, Any]] = {}

    def __setitem__(self, t: Any, shape: Any) -> None:
        self._shapes[id(t)] = (t, shape)

    def __getitem__(self, t: Any) -> Any:
        return self._shapes.setdefault(id(t), (t, {}))[1]

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: Any = None) -> dict[str, Any]:
        """What `export` takes as `dynamic_shapes`."""
        given = arguments(m, args, kwargs)
        known = {id(leaf) for leaf in tree_leaves(given)}
        for t, shape in self._shapes.values():
            if id(t) not in known:
                raise UserError(f"the tensor with shape {t.shape} and {shape} is no argument")
        return tree_map(lambda leaf: self._shapes.get(id(leaf), (None, None))[1], given)


class AdditionalInputs:
    """Further examples: a size that differs among them may change."""

    def __init__(self) -> None:
        self._examples: list[tuple[tuple[Any, ...], Any]] = []

    def add(self, args: tuple[Any, ...], kwargs: Any = None) -> None:
        """One example more."""
        if not isinstance(args, tuple):
            raise TypeError(f"Representative args {args!r} must be a tuple")
        self._examples.append((args, kwargs))

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: Any = None) -> dict[str, Any]:
        """What `export` takes as `dynamic_shapes`."""
        first = arguments(m, args, kwargs)
        others = [arguments(m, *example) for example in self._examples]
        return tree_map(_differing, first, *others)

    def verify(self, ep: Any) -> None:
        """Run the program on every example."""
        for args, kwargs in self._examples:
            ep.module()(*args, **(kwargs or {}))


def arguments(m: Any, args: tuple[Any, ...], kwargs: Any) -> dict[str, Any]:
    """The arguments by name."""
    forward = getattr(m, "forward", m)
    return dict(inspect.signature(forward).bind(*args, **(kwargs or {})).arguments)


def _differing(first: Any, *others: Any) -> Any:
    if not hasattr(first, "shape"):
        return None
    sizes = zip(first.shape, *(o.shape for o in others), strict=True)
    return {d: Dim.AUTO for d, found in enumerate(sizes) if len(set(found)) > 1} or None
