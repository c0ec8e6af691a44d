"""The usual write in place: of one type, into memory of its own, recorded by nobody."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.dtypes import F32, F64
from ..ops.schema import Op
from . import source
from .state import STATE
from .value import PLAIN

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


def bump(x: Any, name: str) -> None:
    """Move x's version on; remember the writer for the error message."""
    v = x._v
    if v is not None:
        v[0] += 1
        v[1:] = (name, *source.user_position())
