"""Exchanging the contents of two tensor objects: `utils.swap_tensors`.

Whoever holds one of the objects afterwards sees what the other was. Two holders cannot follow:
a weak reference is about the object itself, and a view knows its base as an object; both are
refused. A graph knows its leaves as objects too: a leaf remembers when it was exchanged, and a
backward pass through an older node says so instead of adding an old gradient to a new parameter.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..autograd import refusal
from ..autograd.node import note_exchange
from ..autograd.value import ROOT, TensorBase

_CONTENTS = ("_a", "_grad", "_rare", "_node", "_rg", "_v", "_view")


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange what two tensor objects are: values, type, history, gradient and attributes.

    >>> import chainrule as torch
    >>> a, b = torch.zeros(2), torch.ones(3)
    >>> same = a
    >>> torch.utils.swap_tensors(a, b)
    >>> same
    tensor([1., 1., 1.])
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, TensorBase):
            raise TypeError(f"swap_tensors expects two tensors, but {name} is {type(t).__name__}")
        if any(reference not in _views_beside(t) for reference in weakref.getweakrefs(t)):
            raise refusal.runtime(f"Cannot swap {name} because it has weakref associated with it")
    if t1 is t2:
        return
    for name, t in (("t1", t1), ("t2", t2)):
        _refuse_views(name, t)
    _exchange_in_lists_of_views(t1, t2)
    for name in ("__class__", "__dict__", *_CONTENTS):
        first, second = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, second)
        setattr(t2, name, first)
    for t in (t1, t2):
        note_exchange(t)
        reference = (t._rare or {}).get("accumulator")
        accumulator = reference() if reference is not None else None
        if accumulator is not None:
            accumulator.variable = t


def _views_beside(t: Any) -> list[Any]:
    """The weak references that the root of a view keeps to its views, this one among them."""
    root = t._view[ROOT] if t._view is not None else None
    return (root._rare or {}).get("views", []) if root is not None else []


def _exchange_in_lists_of_views(t1: Any, t2: Any) -> None:
    found = [_views_beside(t) for t in (t1, t2)]
    for views, old, new in zip(found, (t1, t2), (t2, t1), strict=True):
        views[:] = [weakref.ref(new) if reference() is old else reference for reference in views]


def _refuse_views(name: str, t: Any) -> None:
    """Views know their base as an object: a later write through one would reach the wrong one."""
    if any(view() is not None for view in (t._rare or {}).get("views", ())):
        raise refusal.runtime(
            f"Cannot swap {name}: expected use_count of {name} to be 1, but it has views",
            fix="drop the views, or make them copies with .clone().",
        )
