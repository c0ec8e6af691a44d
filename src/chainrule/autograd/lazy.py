"""Conjugates and negatives that are still to be computed.

`z.conj()` shares the memory of z: its class (`tensor/lazy_views.py`) has the conjugated values as
payload `_a`, made anew whenever somebody reads them and never writeable. So everything that reads a
payload is right, whoever wrote the memory since. What needs the memory itself asks `memory`: view
ops, which carry the flag along, writes in place, strides and addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.schema import TABLE
from .dispatch import attach_view
from .record import record
from .state import STATE
from .value import CONJ, LAZY, NEG, TensorBase, make

# The classes by what is still to be done; `tensor/lazy_views.py` fills it.
CLASSES: dict[int, type] = {}
_PAYLOAD: Any = vars(TensorBase)["_a"]


def memory(t: Any) -> np.ndarray:
    """The array that holds a plain tensor's elements, conjugated or not."""
    return _PAYLOAD.__get__(t) if t._lazy else t._a


def carried_out(flags: int, array: Any) -> np.ndarray:
    """An array with what is still to be done; doing it twice changes nothing."""
    shape = array.shape
    if 0 in array.strides:  # what is repeated is done once
        array = array[tuple(slice(0, 1) if not s else slice(None) for s in array.strides)]
    if flags & CONJ:
        array = np.conjugate(array)
    found = np.asarray(np.negative(array) if flags & NEG else array)
    return found if found.shape == shape else np.broadcast_to(found, shape)


def flagged(t: Any, flags: int) -> Any:
    """A tensor around memory, told what is still to be done with it."""
    array = t._a
    t.__class__ = CLASSES[flags]
    _PAYLOAD.__set__(t, array)
    return t


def lazy_view(x: Any, name: str) -> Any:
    """The conjugate (`conj_view`) or negative (`neg_view`) of a plain tensor, on its memory."""
    op, flags = TABLE[name], x._lazy ^ LAZY[name]
    array = memory(x)[...]
    made = make(array, inference=STATE.inference)
    attach_view(made, x, op, {})
    if STATE.grad_enabled and x._rg:
        node = record(op, (x,), (array,), (array,), {}, versions=(made._v,))
        made._rg, made._node = True, node
    return flagged(made, flags) if flags else made


def aligned(value: Any, flags: int, dtype: np.dtype) -> np.ndarray:
    """What has to lie in the memory of a tensor with these flags so that it shows `value`."""
    return carried_out(flags, np.asarray(value).astype(dtype, copy=False))
