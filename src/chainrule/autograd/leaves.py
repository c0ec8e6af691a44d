"""Where gradients end: adding into a leaf's `.grad`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..ops.layout import dense_empty_like, is_dense
from ..ops.locks import RLock
from . import errors
from .node import UNTRACKED
from .state import STATE, TRACE
from .value import FACTORY, make

# Concurrent backward passes may add into one leaf; adding may run a subclass's code, hence the R.
LEAF_LOCK = RLock()

# What a backward pass runs its rules on: payloads, tensors without history, tensors with history.
RAW, VALUES, GRAPH = "raw", "values", "graph"


class LAYOUTS:
    """Whether new gradients lie in memory as their leaves do."""

    enforced = True


def _own(like: Any, g: Any, fresh: bool) -> np.ndarray:
    """A gradient that the leaf `like` may keep: in its layout where that has no gaps, else dense.

    `fresh`: nobody else can see g.
    """
    if g.__class__ is not ndarray:
        g = np.asarray(g)
    if like.ndim < 2 or like.__class__ is not ndarray or like.flags.c_contiguous:
        return g if fresh and g.flags.c_contiguous else g.copy()
    if not LAYOUTS.enforced or not is_dense(like) or like.shape != g.shape:
        return g.copy()
    made = dense_empty_like(like, g.dtype)
    made[...] = g
    return made


def _of_type(g: Any, wanted: Any, mode: str) -> Any:
    """A gradient in the type its leaf asks for; None: as it is."""
    if wanted is None:
        return g
    if mode == RAW:
        return g if g.dtype == wanted.np else g.astype(wanted.np)
    return g.to(wanted)


def takes_gradient(leaf: Any) -> bool:
    """Whether a leaf of a recorded graph still wants its gradient."""
    if leaf._node is not None and leaf._node is not UNTRACKED:
        raise errors.moved_leaf(leaf)
    return leaf._rg and leaf._node is None


def accumulate(leaf: Any, g: Any, fresh: bool, mode: str) -> None:
    """Add a gradient into a tensor's `.grad`."""
    have: Any = leaf._grad
    if leaf._rare is not None and "grad_dtype" in leaf._rare:
        g = _of_type(g, leaf._rare["grad_dtype"] if have is None else have.dtype, mode)
    if have is None and mode is RAW:
        like = leaf._a
        # What NumPy computes of scalars is no array, and cannot be written to.
        arrays = g.__class__ is ndarray and like.__class__ is ndarray
        if not fresh or not arrays or g.strides != like.strides:
            g = _own(like, g, fresh)
        leaf._grad = make(g)
        return
    if mode == VALUES and STATE.unusual & TRACE:
        STATE.trace.accumulate(leaf, g)
        return
    if mode == VALUES and FACTORY.dispatcher is not None and FACTORY.dispatcher.handles(leaf, g):
        leaf._grad = FACTORY.dispatcher.accumulated(leaf, have, g, fresh)
        return
    if mode != RAW:
        # A copy: several leaves, or the caller, may hold the tensor that arrives.
        leaf._grad = g.clone() if have is None else have + g
        return
    assert have is not None
    target = have._a
    if target.__class__ is ndarray:
        if not target.flags.writeable:
            from .inplace import refuse_overlap

            refuse_overlap(target)
        np.add(target, g, out=target, casting="unsafe")
        if have._v is not None:
            have._v[0] += 1
    else:
        leaf._grad = have + make(np.asarray(g))
