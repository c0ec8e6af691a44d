"""Where gradients end: adding into a leaf's `.grad`."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..ops.layout import dense_empty_like, is_dense
from . import errors
from .node import UNTRACKED
from .state import STATE, TRACE
from .value import make

# Concurrent backward passes may add into one leaf; adding may run a subclass's code, hence the R.
LEAF_LOCK = threading.RLock()

# What a backward pass runs its rules on: payloads, tensors without history, tensors with history.
RAW, VALUES, GRAPH = "raw", "values", "graph"


class LAYOUTS:
    """Whether new gradients lie in memory as their leaves do."""

    enforced = True


def _laid_out_as(like: np.ndarray, g: np.ndarray, fresh: bool) -> np.ndarray:
    """A gradient in the layout of its leaf, where that fills its memory without gaps."""
    if fresh and g.strides == like.strides:
        return g
    if not is_dense(like) or like.shape != g.shape:
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
    if leaf._meta is not None and "grad_dtype" in leaf._meta:
        g = _of_type(g, leaf._meta["grad_dtype"] if have is None else have.dtype, mode)
    if mode == VALUES and STATE.unusual & TRACE:
        STATE.trace.accumulate(leaf, g)
        return
    if have is None and mode == RAW:
        if g.__class__ is not np.ndarray:
            g = np.asarray(g)
        like = leaf._a
        if like.__class__ is np.ndarray and not like.flags.c_contiguous and LAYOUTS.enforced:
            g = _laid_out_as(like, g, fresh)
        elif not fresh or not g.flags.c_contiguous:
            g = g.copy()
        leaf._grad = make(g)
        return
    if mode != RAW:
        # A copy: several leaves, or the caller, may hold the tensor that arrives.
        leaf._grad = g.clone() if have is None else have + g
        return
    assert have is not None
    target = have._a
    if target.__class__ is np.ndarray:
        if not target.flags.writeable:
            from .inplace import refuse_overlap

            refuse_overlap(target)
        np.add(target, g, out=target, casting="unsafe")
        if have._v is not None:
            have._v[0] += 1
    else:
        leaf._grad = have + make(np.asarray(g))
