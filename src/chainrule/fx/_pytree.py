"""Nested arguments taken apart by the form that was seen while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..utils._pytree import TreeSpec, tree_flatten

SUPPORTED_NODES: dict[type, Callable[[Any, Any], list[Any]]] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[type, Callable[[Any, Any], bool] | None] = {}


def register_pytree_flatten_spec(
    cls: type, flatten_fn_spec: Callable[[Any, Any], list[Any]],
    flatten_fn_exact_match_spec: Callable[[Any, Any], bool] | None = None,
) -> None:  # fmt: skip
    """Say how values of a class are taken apart by a form."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """The leaves of a tree that must have the form of `spec`."""
    by_form = getattr(spec, "flatten_up_to", None)
    if by_form is not None:
        return list(by_form(pytree))
    leaves, found = tree_flatten(pytree)
    if found != spec:
        raise ValueError(
            f"the arguments have another form than those of the trace: {found!r}, not {spec!r}"
        )
    return leaves
