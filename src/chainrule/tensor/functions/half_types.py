"""Functions of several ops in half precision: computed in float32, rounded once at the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.dispatch import HALVES, common_dtype
from ...ops import dtypes
from ...ops.dtypes import F32
from ...ops.schema import TABLE
from ..scalars import number_for
from .common import P, TensorBase


def half_type(*values: Any) -> Any:
    """The half precision type that a sum of these tensors and numbers has, else None."""
    if not any(isinstance(v, TensorBase) and v.dtype in HALVES for v in values):  # type: ignore[attr-defined]
        return None
    values = tuple(v for v in values if v is not None)
    found = common_dtype(TABLE["add"], values[:2] if len(values) > 1 else values * 2)
    for v in values[2:]:
        found = dtypes.promote_types(found, v.dtype) if isinstance(v, TensorBase) else found  # type: ignore[attr-defined]
    return found if found in HALVES else None


def of_one_type(*values: Any) -> tuple[Any, ...]:
    """Tensors in the type that their sum has: what is computed of some of them is not rounded to
    the type of these alone."""
    tensors = [v for v in values if isinstance(v, TensorBase)]
    if all(t.dtype is tensors[0].dtype for t in tensors):  # type: ignore[attr-defined]
        return values
    target = common_dtype(TABLE["lerp"], values)
    return tuple(
        P.cast(v, dtype=target.np) if isinstance(v, TensorBase) and v.dtype is not target else v  # type: ignore[attr-defined]
        for v in values
    )


def single(value: Any) -> Any:
    """A tensor of half precision in float32; anything else as it is."""
    if isinstance(value, TensorBase) and value.dtype in HALVES:  # type: ignore[attr-defined]
        return P.cast(value, dtype=F32)
    return value


def rounded(result: Any, half: Any) -> Any:
    """A result in the type of half precision that its operands had, if they had one."""
    return result if half is None else P.cast(result, dtype=half.np)


def fitting(value: Any, half: Any) -> Any:
    """A number as a type of half precision holds it; one that is too large is refused."""
    if value.__class__ not in (int, float):
        return value
    return float(np.asarray(number_for(value, half), np.float64).astype(half.np))
