"""The usual write in place: of one type, into memory of its own, recorded by nobody."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.dtypes import F32, F64
from ..ops.scatter import add_rows
from ..ops.schema import Op
from . import source
from .state import STATE
from .value import PLAIN

INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
ROWS_WRITTEN = ("index_copy", "index_add")  # what has such a form
_KEEPING_TYPES = ("same", "float")  # how an op may treat the types of its operands


def written_plainly(op: Op, x: Any, other: Any, name: str) -> bool:
    """The usual write that nobody records, x.op_(number or tensor) of one type: whether it was one,
    and is done. Everything else is for `inplace`."""
    if (
        STATE.unusual or STATE.levels or STATE.stand_in is not None or x.__class__ not in PLAIN
        or x._view is not None or x._v is None or op.promote not in _KEEPING_TYPES
    ):  # fmt: skip
        return False
    target, recorded = x._a, x._rg
    if other.__class__ in PLAIN:
        recorded = recorded or other._rg
        if other._v is x._v or other._a.dtype is not target.dtype:
            return False
        other = other._a
    elif other.__class__ is not float and other.__class__ is not int:
        return False
    flags = target.flags
    if (
        (recorded and STATE.grad_enabled) or (target.dtype is not F32 and target.dtype is not F64)
        or not flags.c_contiguous or not flags.writeable
    ):  # fmt: skip
        return False
    try:
        result = op.function(target, other)
    except (ValueError, TypeError, OverflowError):  # explained by the long way
        return False
    if result.dtype is not target.dtype or result.shape != target.shape:
        return False
    np.copyto(target, result)
    bump(x, name)
    return True


def rows_written_plainly(x: Any, args: tuple[Any, ...], name: str) -> bool:
    """The usual x.index_copy_(dim, index, src) or x.index_add_ that nobody records: whether it was
    one, and is done. It writes the rows that the index names, and reads no others."""
    if len(args) != 3 or STATE.unusual or STATE.levels or STATE.stand_in is not None:
        return False
    axis, index, src = args
    if any(t.__class__ not in PLAIN for t in (x, index, src)) or axis.__class__ is not int:
        return False
    if x._view is not None or x._v is None or src._v is x._v or index._v is x._v:
        return False
    target, places, rows = x._a, index._a, src._a
    if not -target.ndim <= axis < target.ndim or places.ndim != 1 or places.dtype is not INT64:
        return False
    axis %= target.ndim
    shape, flags = target.shape, target.flags
    if (
        (STATE.grad_enabled and (x._rg or src._rg)) or x._lazy or src._lazy
        or rows.dtype is not target.dtype or not places.size
        or (target.dtype is not F32 and target.dtype is not F64)
        or rows.shape != (*shape[:axis], len(places), *shape[axis + 1 :])
        or not flags.c_contiguous or not flags.writeable
        or np.maximum.reduce(places.view(UINT64)) >= shape[axis]
        or np.may_share_memory(target, rows)
    ):  # fmt: skip
        return False
    if name == "index_copy_":
        target[(slice(None),) * axis + (places,)] = rows
    else:
        add_rows(target, places, rows, axis)
    bump(x, name)
    return True


def bump(x: Any, name: str) -> None:
    """Move x's version on; remember the writer for the error message."""
    v = x._v
    if v is not None:
        v[0] += 1
        v[1:] = (name, *source.user_position())
