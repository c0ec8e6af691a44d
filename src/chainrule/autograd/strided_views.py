"""How a view is made from its root, where that is by raw strides.

`as_strided` of a view shows any element of the storage, those of the root that the view does not
show included. Derived from the root, as writes in place need it, such a view therefore begins at
the root and skips what lies between.
"""

from __future__ import annotations

from typing import Any

from ..ops.layout import address
from ..ops.schema import TABLE, Op
from . import refusal
from .value import (
    CONJ,
    CREATION,
    LAZY,
    NEG,
    NODE_VERSION,
    PARENT,
    ROOT,
    VIEW_OP,
    VIEW_PARAMS,
    WHICH,
    TensorBase,
)

_TO_REAL = ("view_as_real", "real", "imag")
Step = tuple[Op, dict[str, Any], int]


def path_from_root(view_record: Any) -> list[Step]:
    """(op, parameters, which of its results) from the root to a view, first to last."""
    path: list[Step] = []
    record = view_record
    while record is not None:
        which = record[WHICH] if len(record) > WHICH else 0
        path.append((record[VIEW_OP], record[VIEW_PARAMS], which))
        record = record[PARENT]
    path.reverse()
    for k in range(len(path) - 1, 0, -1):
        if path[k][0].name == "as_strided":
            return _from_root(view_record[ROOT], path[:k], path[k][1]) + path[k + 1 :]
    return path


def begin_at_root(x: Any) -> None:
    """Let a view that is about to be written, and so far comes from views that do not show all of
    it, come from its root: what is written depends on the old values of all its elements."""
    while isinstance(x, TensorBase):
        record = x._view
        if record is not None and x._v is not None and not record[CREATION]:
            while (before := record[PARENT]) is not None:
                if record[VIEW_OP].name == "as_strided":
                    x._view[NODE_VERSION] = -1
                    break
                record = before
        x = x._a


def layout_of(t: Any) -> tuple[Any, Any, int]:
    """A tensor's shape, strides and place in its storage, in elements."""
    return tuple(t.shape), tuple(t.stride()), t.storage_offset()


def _from_root(root: Any, before: list[Step], params: dict[str, Any]) -> list[Step]:
    """The steps to what `as_strided` shows of a root after the steps before it."""
    inner, outer = layout_of(root), params["outer"]
    was_complex = now_complex = root.dtype.is_complex
    for op, _, _ in before:
        if op.name == "view_dtype":
            return [*before, (TABLE["as_strided"], params, 0)]  # gradients end there
        now_complex = op.name == "view_as_complex" or (now_complex and op.name not in _TO_REAL)
    flags = 0
    for op, _, _ in before:
        flags ^= LAZY.get(op.name, 0)
    steps: list[Step] = []
    if was_complex and not now_complex:
        steps.append((TABLE["view_as_real"], {}, 0))
        inner = _in_parts(inner)
    elif now_complex and not was_complex:
        outer = _in_parts(outer)
    steps.append((TABLE["as_strided"], {"inner": inner, "outer": outer}, 0))
    if now_complex and not was_complex:
        steps.append((TABLE["view_as_complex"], {}, 0))
    return steps + flag_steps(flags)


def flag_steps(flags: int) -> list[Step]:
    """The views that leave a conjugate or a negative to be computed."""
    names = [name for flag, name in ((CONJ, "conj_view"), (NEG, "neg_view")) if flags & flag]
    return [(TABLE[name], {}, 0) for name in names]


def _in_parts(layout: Any) -> tuple[Any, Any, int]:
    """The layout of complex numbers as one of their real and imaginary parts."""
    shape, strides, offset = layout
    return (*shape, 2), (*(2 * step for step in strides), 1), 2 * offset


def strides_from_root(view: Any) -> dict[str, Any]:
    """A view as `as_strided` of its root: the root's shape is not what it was made from."""
    from .lazy import memory

    a, root = memory(view), view._view[ROOT]._a
    if a.dtype != root.dtype:
        raise refusal.runtime(
            f"a view of type {a.dtype} shares memory with a tensor of type {root.dtype} whose "
            "shape was changed in place since",
            fix="make the view after the change of shape.",
        )
    width = root.itemsize
    layouts = [
        (t.shape, tuple(step // width for step in t.strides), (address(t) - address(root)) // width)
        for t in (root, a)
    ]
    least = min(0, layouts[1][2])  # offsets count from the first of the two
    inner, outer = ((*layout[:2], layout[2] - least) for layout in layouts)
    return {"inner": inner, "outer": outer}
