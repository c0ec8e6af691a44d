"""In-place writes inside transforms.

A write goes down the levels to the memory at the bottom, so everybody who shares it sees it: the
caller whose tensor was given, views, other names. On its way each level notes what it knows beyond
the value (`Level.write`).

A tensor of a lower level that takes a value of a higher one is lifted: the object itself, and its
views, become tensors of that level, around a twin that is what they were. Inside grad and jvp that
is right for tensors made there and an error for tensors from outside. Which is which is known when
the transform ends: what was made inside and not returned is gone by then.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from weakref import ref

import numpy as np

from ..ops.schema import TABLE
from . import errors, refusal
from .dispatch import entry
from .inplace import chain_of, check_apart, check_fit
from .levels import Level, derived, synced
from .record import record
from .state import STATE, TRACE
from .value import FACTORY, NODE_VERSION, PLAIN, ROOT, TensorBase, bottom, make


def assign_level(x: Any, value: Any, name: str) -> Any:
    """x takes the value of a computed tensor, in place, inside a transform."""
    check_fit(tuple(x.shape), x.dtype.np, tuple(value.shape), value.dtype.np, name)
    if value.dtype is not x.dtype:
        value = value.to(x.dtype)
    levels = [t._level for t in (x, value) if t._level is not None]
    top = max(levels, key=lambda level: level.index)
    if STATE.levels:
        note_write(x)
    return top.write(x, value, name)


def check_examples_apart(x: Any, others: tuple[Any, ...], name: str) -> None:
    """check_apart for tensors of transforms: one example stands for all."""
    apart = tuple(_example(t) for t in others if isinstance(t, TensorBase) and t._v is x._v)
    if apart:
        check_apart(_example(x), apart, name)


def _example(t: Any) -> Any:
    """One example's memory, as a plain tensor."""
    made = make(_example_array(t))
    made._v = t._v
    return made


def _example_array(t: Any) -> Any:
    if not isinstance(t._a, TensorBase):
        return t._a
    array = _example_array(t._a)
    if "_bdim" not in t.__dict__ or array.__class__ is not np.ndarray:
        return array
    return (
        array[(*((slice(None),) * t._bdim), slice(0, 1))].squeeze(t._bdim) if array.size else array
    )


def root_of(x: Any) -> Any:
    """The tensor whose memory x shows."""
    return x if x._view is None else x._view[ROOT]


def chain_to(x: Any) -> tuple[Any, ...]:
    """The view ops that lead from the root to x."""
    return () if x._view is None else chain_of(x._view)


@contextmanager
def below(level: Level, grad_enabled: bool | None = None) -> Generator[None, None, None]:
    """Inside: what runs belongs to the levels outside this one."""
    levels, enabled = STATE.levels, STATE.grad_enabled
    STATE.levels = [one for one in levels if one.index < level.index]
    if grad_enabled is not None:
        STATE.set_grad_enabled(grad_enabled)
    try:
        yield
    finally:
        STATE.levels = levels
        STATE.set_grad_enabled(enabled)


def write_functionally(x: Any, value: Any) -> Any:
    """x takes the value as a new payload; views of it are derived again (levels without memory)."""
    if x._view is None:
        if value.stride() != x.stride():  # memory keeps its layout, whatever is written into it
            value = entry(TABLE["write_view"])(x, value, chain=())
        _become(x, value)
        x._v[0] += 1
        return x
    root = synced(x)._view[ROOT]
    _become(root, entry(TABLE["write_view"])(root, value, chain=chain_to(x)))
    x._v[0] += 1
    if x._level is None and root._level is not None:
        _become(x, value)
        x._view[NODE_VERSION] = -1
    return synced(x)


def _become(x: Any, value: Any) -> None:
    level = value._level
    if x._level is not None and (level is None or x._level.index > level.index):
        x._level.copy_parts(x, x._level.lift(value))
        return
    if x._level is not level:
        x.__class__ = value.__class__
        x.__dict__["_level"] = level
    level.copy_parts(x, value)


# ---- tensors from outside ------------------------------------------------------------------------


def note_write(x: Any) -> None:
    """Remember that x is about to be written, for the levels that x may be outside of."""
    root = _owner(root_of(x))
    own = 0 if x._level is None else x._level.index
    for level in STATE.levels:
        if not level.refuses_captures or level.index <= own:
            continue
        key = id(root)
        if key in level.given or (key in level.written and level.written[key][0]() is root):
            continue
        plain = bottom(root)
        level.written[key] = ref(root), plain._a.copy() if plain._level is None else None


def _owner(root: Any) -> Any:
    """The tensor a twin was made for."""
    while (reference := root.__dict__.get("_twin_of")) is not None:
        owner = reference()
        if owner is None:
            break
        root = owner
    return root


def allow(level: Level, leaves: list[Any]) -> None:
    """The transform's arguments may be written: the caller sees it."""
    for t in leaves:
        if isinstance(t, TensorBase):
            root = _owner(root_of(t))
            level.given[id(root)] = root


def returned(level: Level, t: Any) -> Any:
    """A result for the caller: another object where it would keep alive what was written inside."""
    if not level.written or not isinstance(t, TensorBase):
        return t
    inner = returned(level, t._a)
    if inner is t._a and id(_owner(root_of(t))) not in level.written:
        return t
    made = _twin(t)
    made._a = inner
    return made


def twin_of_written(value: Any) -> Any:
    """The tensor, or another object for it if it was written inside a transform."""
    if not isinstance(value, TensorBase):
        return value
    key = id(_owner(root_of(value)))
    return _twin(value) if any(key in level.written for level in STATE.levels) else value


def settle(level: Level, raises: bool) -> None:
    """Nothing of a level outlives it: what it lifted is what it was; captures are an error."""
    if raises and any(reference() is not None for reference, _ in level.written.values()):
        gc.collect()  # what only a cycle keeps alive is not outside
    captured = _outsiders(level)
    for reference, old_class in level.lifted:
        t = reference()
        if t is not None and t._level is level:
            _let_down(t, old_class)
    for root, array in captured:
        memory = bottom(root)._a
        if array is not None and memory.shape == array.shape:
            np.copyto(memory, array)
    level.lifted.clear()
    level.written.clear()
    if captured and STATE.unusual & TRACE:
        STATE.trace.fail("a transform in it writes into a tensor from outside of the transform")
    if captured and raises:
        raise refusal.runtime(
            f"During a {level.transforms} transform, the function provided attempted to call "
            "in-place operation that would mutate a captured Tensor. This is not supported; "
            "please rewrite the function being transformed to explicitly accept the mutated "
            f"Tensor(s) as inputs.\n  Captured: a tensor of shape {list(captured[0][0].shape)} "
            f"({captured[0][0].dtype!r}), which has its old value again.",
            "transformed",
        )


def _outsiders(level: Level) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    for reference, array in level.written.values():
        root = reference()
        if root is None or (STATE.unusual & TRACE and not _is_held(root, level)):
            continue
        found.append((root, array))
    return found


def _is_held(root: Any, level: Level) -> bool:
    """Whether anybody but a trace keeps a tensor alive."""
    if STATE.trace.had(bottom(root)._a, level):
        return True
    ours = 3  # here, in `_outsiders`, and the count's own
    return sys.getrefcount(root) > ours + STATE.trace.references(root)


# ---- lifting -------------------------------------------------------------------------------------


def lift_family(level: Level, x: Any, name: str) -> None:
    """Make the tensor, its root and all views of it tensors of a level, on the same memory."""
    root = root_of(x)
    leaf = root._rg and root._node is None
    if leaf and STATE.grad_enabled and getattr(level, "outer", True):
        raise errors.leaf_in_place(x is not root, name, x.shape)
    views = [x] if x is not root else []
    rare: dict[str, Any] = root._rare or {}
    for reference in rare.get("views", ()):
        view: Any = reference()
        if view is not None and view is not x and view._view is not None:
            views.append(view)
    twin = _twin(root)
    twin.__dict__["_twin_of"] = ref(root)
    if leaf:  # what is recorded for the twin is for the leaf
        inner = root._a
        of_level = root._level if root._level is not None and root._level.kind == "grad" else None
        alias = record(TABLE["alias"], (root,), (inner,), (inner,), {}, level=of_level)
        twin._node = twin.__dict__["_alias_node"] = alias
    _lift(level, root, level.lift(twin))
    for view in views:
        if view._level is not level:
            _lift(level, view, derived(root, view._view))
            view._view[NODE_VERSION] = -1


def _lift(level: Level, t: Any, value: Any) -> None:
    level.lifted.append((ref(t), t.__class__))
    for name in ("_level", "_tangent", "_bdim"):
        t.__dict__.pop(name, None)
    t._rg, t._node = False, None
    t.__class__ = value.__class__
    t.__dict__["_level"] = level
    level.copy_parts(t, value)


def _twin(t: Any) -> Any:
    """Another object for the same memory, history and version."""
    made = make(t._a)
    made.__class__ = FACTORY.Tensor if t.__class__ in PLAIN else t.__class__
    for name in ("_level", "_tangent", "_bdim"):
        if name in t.__dict__:
            made.__dict__[name] = t.__dict__[name]
    made._rg, made._node, made._v = t._rg, t._node, t._v
    return made


def _let_down(t: Any, old_class: type) -> None:
    """A lifted tensor as it was, with the memory it has now."""
    payload = synced(t)._a
    lower = payload._level
    if lower is not None and any(reference() is payload for reference, _ in lower.lifted):
        lower.lifted.append((ref(t), old_class))  # the payload was lifted there in the meantime
        old_class = payload.__class__
    t.__class__ = old_class
    for name in ("_level", "_tangent", "_bdim"):
        t.__dict__.pop(name, None)
        if name in payload.__dict__:
            t.__dict__[name] = payload.__dict__[name]
    t._a, t._rg, t._node = payload._a, payload._rg, payload._node
    if t._node is not None and t._node is payload.__dict__.get("_alias_node"):
        t._node = None  # it is a leaf
    if t._view is not None and t._v is not None:
        t._view[NODE_VERSION] = t._v[0] if t._level is None else -1
