"""The classes of tensors whose conjugate or negative is still to be computed (`autograd/lazy.py`).

They are plain tensors in every respect but their payload. A class has no way to say so to `type`;
its name and module are Tensor's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import lazy
from ..autograd.dispatch import P
from ..autograd.lazy import flagged
from ..autograd.value import CONJ, FACTORY, NEG, PLAIN, bottom
from .tensor import Tensor

_PAYLOAD: Any = vars(Tensor.__mro__[1])["_a"]


def _class(flags: int) -> type:
    def read(self: Any) -> np.ndarray:
        made = lazy.carried_out(flags, _PAYLOAD.__get__(self))
        made.flags.writeable = False  # nobody would see what is written there
        return made

    def replace(self: Any, array: Any) -> None:
        self.__class__ = FACTORY.Tensor
        self._a = array

    space = {
        "__slots__": (), "__module__": Tensor.__module__, "__qualname__": Tensor.__qualname__,
        "__doc__": Tensor.__doc__, "_lazy": flags, "_a": property(read, replace),
        "_is_meta_class": True,  # users know it as Tensor
    }  # fmt: skip
    made = type(Tensor.__name__, (Tensor,), space)
    PLAIN.add(made)
    return made


for _flags in (CONJ, NEG, CONJ | NEG):
    lazy.CLASSES[_flags] = _class(_flags)


__all__ = ["can_wait", "flagged", "flags_of", "without"]


def can_wait(x: Any) -> bool:
    """Whether a tensor can have views that are still to be computed: strided ones can."""
    return x._level is None or x._level.kind in ("vmap", "grad", "jvp", "dual")


def flags_of(t: Any) -> int:
    """What is still to be done with the memory of a tensor, below all transforms."""
    return bottom(t)._lazy


def without(x: Any, flag: int) -> Any:
    """A view of x with which that is no longer to be done."""
    if not flags_of(x) & flag:
        return x
    return P.conj_view(x) if flag == CONJ else P.neg_view(x)
